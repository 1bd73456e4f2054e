//! How fast books are made, converted, probed and propagated: `cargo xtask bench book [POSITIONS]`.
//!
//! The book is made up: games of random moves from the start, four moves listed in every position, with
//! random values. Lines meet as those of a real book do.

use book::minimax::{Minimax, Progress, Stage};
use book::{BookMove, Combine, Entry, Header, NativeBook, ReadOptions, Source, Target};
use rules::{AnyPosition, Game};
use seed::Rng;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Plies of a game.
const LENGTH: usize = 40;
const MEMORY: usize = 512 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let positions: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let folder = tempfile::tempdir_in(arguments.next().unwrap_or_else(|| ".".to_owned()))?;
    let (native, text) = (folder.path().join("made.nbk"), folder.path().join("made.db"));
    say(&format!("{threads} threads"));
    timed("make", || make(&native, positions))?;
    let size = NativeBook::open_file(&native)?.size();
    say(&format!("{} positions, {} moves, {} bytes", size.0, size.1, native.metadata()?.len()));
    timed("nbk to db", || convert(&native, &text, threads))?;
    say(&format!("{} bytes of text", text.metadata()?.len()));
    let back = folder.path().join("back.nbk");
    timed("db to nbk", || convert(&text, &back, threads))?;
    probe(&native)?;
    let out = folder.path().join("out.nbk");
    timed("minimax", || minimax(&native, &out, threads))?;
    say(&peak());
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn say(text: &str) {
    println!("{text}");
}

fn timed<T>(
    what: &str,
    work: impl FnOnce() -> Result<T, Box<dyn Error>>,
) -> Result<T, Box<dyn Error>> {
    let start = Instant::now();
    let done = work()?;
    say(&format!("{what}: {:.1} s; {}", start.elapsed().as_secs_f64(), peak()));
    Ok(done)
}

/// The most memory this process has had.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("memory unknown");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Games whose moves depend on the position alone, but for one in four: so lines meet.
fn make(path: &Path, positions: u64) -> Result<(), Box<dyn Error>> {
    let header = Header::new(Game::Shogi);
    let mut target = Target::new(path, None, header, Combine::First, MEMORY)?;
    let mut rng = Rng::new(1);
    let mut made = 0;
    while made < positions {
        let mut position = AnyPosition::startpos(Game::Shogi);
        for _ in 0..LENGTH {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mut entry = Entry::of(&position)?;
            let mut of_position = Rng::new(position.key());
            for _ in 0..4 {
                let mv = legal[of_position.below(legal.len())];
                if entry.find(mv).is_none() {
                    let value = of_position.below(600) as i32 - 300;
                    entry.moves.push(BookMove::valued(mv, value, 20));
                }
            }
            entry.sort_by_value();
            let mv = entry.moves[rng.below(entry.moves.len())].mv;
            target.push(entry)?;
            made += 1;
            position.play(mv);
        }
    }
    target.finish(true)?;
    Ok(())
}

fn convert(from: &Path, to: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let source = Source::open(from, &ReadOptions { threads, ..ReadOptions::default() })?;
    let header = source.header.clone();
    let mut target = Target::new(to, None, header, Combine::First, MEMORY)?;
    source.each(&mut |entry| target.push(entry))?;
    target.finish(true)?;
    Ok(())
}

fn probe(path: &Path) -> Result<(), Box<dyn Error>> {
    let book = NativeBook::open_file(path)?;
    let mut rng = Rng::new(2);
    let blocks = book.blocks();
    let mut keys = Vec::new();
    for _ in 0..1000 {
        let entries = book.entries_of(rng.below(blocks))?;
        keys.push(entries[rng.below(entries.len())].key);
    }
    let start = Instant::now();
    let found = keys.iter().filter(|key| matches!(book.find(key), Ok(Some(_)))).count();
    let each = start.elapsed().as_secs_f64() * 1e6 / keys.len() as f64;
    say(&format!("probe: {each:.1} µs each, {found} of {} found", keys.len()));
    Ok(())
}

fn minimax(from: &Path, to: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let book = NativeBook::open_file(from)?;
    let mut writer = book::native::Writer::new(
        std::io::BufWriter::new(std::fs::File::create(to)?),
        book.header().clone(),
    )?;
    let (start, mut stage) = (Instant::now(), None);
    let mut progress = |now: Stage, _, _| {
        if stage != Some(now) {
            stage = Some(now);
            say(&format!("  {:.1} s: {now:?}", start.elapsed().as_secs_f64()));
        }
        true
    };
    let minimax = Minimax { contempt: [10, 20], threads, ..Minimax::default() };
    let summary = minimax.run(&book, &mut |entry| writer.write(&entry), Progress(&mut progress))?;
    writer.finish()?;
    say(&format!("  {summary:?}"));
    Ok(())
}
