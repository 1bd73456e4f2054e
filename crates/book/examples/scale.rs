//! How fast books are made, converted, probed and propagated: `cargo xtask bench book [POSITIONS] [FOLDER] [THREADS]`.
//! How much memory a large text takes: `cargo xtask bench book flat GIB [FOLDER]`.
//!
//! The book is made up: games of random moves from the start, four moves listed in every position, with
//! random values. Lines meet as those of a real book do.

use book::minimax::{Minimax, Progress, Stage};
use book::{BookMove, Combine, Entry, Header, NativeBook, ReadOptions, Source, Target, db};
use rules::{AnyPosition, Game};
use seed::Rng;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// Plies of a game.
const LENGTH: usize = 40;
const MEMORY: usize = 512 << 20;
/// How often the same positions are looked up.
const ROUNDS: usize = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |place: usize| arguments.get(place).map(String::as_str);
    if word(0) == Some("flat") {
        return flat(word(1).unwrap_or("1").parse()?, word(2).unwrap_or("."));
    }
    let positions: u64 = word(0).map_or(Ok(1_000_000), str::parse)?;
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let threads: usize = word(2).map_or(Ok(usual), str::parse)?;
    let folder = tempfile::tempdir_in(word(1).unwrap_or("."))?;
    let (native, text) = (folder.path().join("made.nbk"), folder.path().join("made.db"));
    say(&format!("{threads} threads"));
    timed("make", || make(&native, positions))?;
    let size = NativeBook::open_file(&native)?.size();
    say(&format!("{} positions, {} moves, {} bytes", size.0, size.1, native.metadata()?.len()));
    timed("nbk to db", || convert(&native, &text, threads))?;
    say(&format!("{} bytes of text", text.metadata()?.len()));
    let back = folder.path().join("back.nbk");
    timed("db to nbk", || convert(&text, &back, threads))?;
    let binary = folder.path().join("made.ybb");
    timed("nbk to ybb", || convert(&native, &binary, threads))?;
    timed("ybb to nbk", || convert(&binary, &back, threads))?;
    probe(&native)?;
    let out = folder.path().join("out.nbk");
    timed("minimax", || minimax(&native, &out, threads))?;
    say(&peak());
    Ok(())
}

/// Writes so many GiB of text and converts them; before, a tenth of it, to compare the memory.
fn flat(gib: f64, folder: &str) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(folder)?;
    let (text, out) = (folder.path().join("made.db"), folder.path().join("out.nbk"));
    for part in [0.1, 1.0] {
        let bytes = (gib * part * f64::from(1u32 << 30)) as u64;
        timed(&format!("{bytes} bytes of text written"), || write_text(&text, bytes))?;
        timed("read, sorted and written as nbk", || convert(&text, &out, 2))?;
        let size = NativeBook::open_file(&out)?.size();
        say(&format!("{} positions, {} bytes", size.0, out.metadata()?.len()));
    }
    Ok(())
}

fn write_text(path: &Path, bytes: u64) -> Result<(), Box<dyn Error>> {
    struct Counted<W>(W, u64);
    impl<W: Write> Write for Counted<W> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.1 += bytes.len() as u64;
            self.0.write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            self.0.flush()
        }
    }
    let mut file = Counted(BufWriter::new(File::create(path)?), 0);
    let mut writer = db::Writer::new(&mut file, Game::Shogi)?;
    let mut rng = Rng::new(1);
    let (mut written, mut games) = (0, 0);
    // The length of a game as text is about this; looked at again at the end.
    while written < bytes {
        game(&mut rng, &mut |entry| {
            written += 100 + 24 * entry.moves.len() as u64;
            writer.write(&entry)
        })?;
        games += 1;
    }
    writer.finish()?;
    say(&format!("{games} games, {} bytes", file.1));
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
    let (start, before) = (Instant::now(), processor());
    let done = work()?;
    let (wall, used) = (start.elapsed().as_secs_f64(), processor() - before);
    say(&format!("{what}: {wall:.1} s, {used:.1} s of processors; {}", peak()));
    Ok(done)
}

/// Seconds of processors this process has used, where the system says it.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    ticks.iter().sum::<f64>() / 100.0
}

/// The most memory this process has had.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("memory unknown");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A game whose moves depend on the position alone, but for one in four: so lines meet. How many positions it has.
fn game(
    rng: &mut Rng,
    take: &mut dyn FnMut(Entry) -> Result<(), book::BookError>,
) -> Result<u64, book::BookError> {
    let mut position = AnyPosition::startpos(Game::Shogi);
    for played in 0..LENGTH {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return Ok(played as u64);
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
        take(entry)?;
        position.play(mv);
    }
    Ok(LENGTH as u64)
}

fn make(path: &Path, positions: u64) -> Result<(), Box<dyn Error>> {
    let header = Header::new(Game::Shogi);
    let mut target = Target::new(path, None, header, Combine::First, MEMORY)?;
    let mut rng = Rng::new(1);
    let mut made = 0;
    while made < positions {
        made += game(&mut rng, &mut |entry| target.push(entry))?;
    }
    target.finish(true)?;
    Ok(())
}

fn convert(from: &Path, to: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let source = Source::open(from, &ReadOptions { threads, ..ReadOptions::default() })?;
    let header = source.header.clone();
    let mut target = Target::new(to, None, header, Combine::First, MEMORY)?.on_threads(threads);
    if source.is_by_key() {
        target = target.by_key()?;
    }
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
    // Often enough for a clock of hundredths of a second.
    let (start, before, mut found) = (Instant::now(), processor(), 0);
    for _ in 0..ROUNDS {
        found += keys.iter().filter(|key| matches!(book.find(key), Ok(Some(_)))).count();
    }
    let each = 1e6 / (keys.len() * ROUNDS) as f64;
    let (wall, used) = (start.elapsed().as_secs_f64() * each, (processor() - before) * each);
    say(&format!("probe: {wall:.1} µs, {used:.1} µs of a processor; {found} found"));
    Ok(())
}

fn minimax(from: &Path, to: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let book = NativeBook::open_file(from)?;
    let header = book.header().clone();
    let mut target = Target::new(to, None, header, Combine::First, MEMORY)?.by_key()?;
    let (start, mut stage) = (Instant::now(), None);
    let mut progress = |now: Stage, _, _| {
        if stage != Some(now) {
            stage = Some(now);
            say(&format!("  {:.1} s: {now:?}; {}", start.elapsed().as_secs_f64(), peak()));
        }
        true
    };
    let minimax = Minimax { contempt: [10, 20], threads, memory: MEMORY, ..Minimax::default() };
    let (work, mut take) = (to.with_extension("work"), |entry| target.push(entry));
    let summary = minimax.run_by(&book, &work, &mut take, Progress(&mut progress))?;
    target.finish(true)?;
    say(&format!("  {summary:?}"));
    Ok(())
}
