//! How fast books are made, converted, probed and propagated: `cargo xtask bench book [POSITIONS] [FOLDER] [THREADS]`.
//! Only propagation: `cargo xtask bench book propagate [POSITIONS] [FOLDER] [THREADS]`.
//! Only one conversion of a file that is there: `cargo xtask bench book convert IN OUT [THREADS]`.
//! How much memory a large text takes: `cargo xtask bench book flat GIB [FOLDER] [THREADS] [MIB]`, sorted in so many MiB.
//!
//! The book is made up: games of random moves from the start, four moves listed in every position, with
//! random values. Lines meet as those of a real book do.

use book::minimax::{Minimax, Progress, Stage};
use book::{
    Book, BookError, BookMove, Combine, Entry, Format, Header, NativeBook, ReadOptions, Source,
    Target, db,
};
use rules::{AnyPosition, Color, Game};
use seed::Rng;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

/// Plies of a game.
const LENGTH: usize = 40;
/// Games that a thread makes at a time.
const GAMES: u64 = 200;
/// Pawns that are promoted or not in a text that is to be large: of each position there are as many others as these allow.
const PROMOTED: u32 = 5;
const MEMORY: usize = 512 << 20;
/// How often the same positions are looked up.
const ROUNDS: usize = 20;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let first = arguments.first().map_or("", String::as_str);
    if let ("convert", Some(from), Some(to)) = (first, arguments.get(1), arguments.get(2)) {
        let threads = arguments.get(3).map_or(Ok(1), |word| word.parse())?;
        let (from, to, all) = (Path::new(from), Path::new(to), |_: &mut Entry| ());
        let found = timed("converted", None, || convert(from, to, threads, MEMORY, all))?;
        say(&format!("  {found} positions"));
        return Ok(());
    }
    let (is_flat, only) = (first == "flat", first == "propagate");
    let word =
        |place: usize| arguments.get(place + usize::from(is_flat || only)).map(String::as_str);
    let usual = thread::available_parallelism().map_or(1, usize::from);
    let threads: usize = word(2).map_or(Ok(usual), str::parse)?;
    let folder = tempfile::tempdir_in(word(1).unwrap_or("."))?;
    say(&format!("{threads} threads"));
    if is_flat {
        let memory = word(3).map_or(Ok(MEMORY >> 20), str::parse)? << 20;
        return flat(word(0).map_or(Ok(1.0), str::parse)?, folder.path(), threads, memory);
    }
    let positions: u64 = word(0).map_or(Ok(1_000_000), str::parse)?;
    let native = folder.path().join("made.nbk");
    timed("made", None, || make(&native, positions, threads))?;
    let (positions, moves) = NativeBook::open_file(&native)?.size();
    say(&format!("{positions} positions, {moves} moves, {} bytes", native.metadata()?.len()));
    if !only {
        conversions(&native, positions, threads)?;
    }
    let out = folder.path().join("out.nbk");
    timed("propagated", Some(positions), || minimax(&native, &out, threads))
}

/// Every conversion from and to our own format, and probing in each.
fn conversions(native: &Path, positions: u64, threads: usize) -> Outcome<()> {
    probe(native)?;
    for format in [Format::Native, Format::Db, Format::Ybb, Format::Apery, Format::Sbk] {
        let there = native.with_file_name(format!("there.{format}"));
        let what = format!("nbk to {format}");
        let all = |_: &mut Entry| ();
        timed(&what, Some(positions), || convert(native, &there, threads, MEMORY, all))?;
        say(&format!("  {} bytes", there.metadata()?.len()));
        if format != Format::Native {
            let back = native.with_file_name("back.nbk");
            let what = format!("{format} to nbk");
            let found =
                timed(&what, Some(positions), || convert(&there, &back, threads, MEMORY, all))?;
            say(&format!("  {found} positions"));
        }
        if format == Format::Apery {
            one_side(native, threads)?;
        }
        probe(&there)?;
        std::fs::remove_file(&there)?;
    }
    Ok(())
}

/// Writes so many GiB of text and converts them; before, a tenth of it, to compare the memory.
fn flat(gib: f64, folder: &Path, threads: usize, memory: usize) -> Outcome<()> {
    let (text, out) = (folder.join("made.db"), folder.join("out.nbk"));
    for part in [0.1, 1.0] {
        let bytes = (gib * part * f64::from(1u32 << 30)) as u64;
        timed("written", None, || write_text(&text, bytes, threads))?;
        say(&format!("{} bytes of text", text.metadata()?.len()));
        let all = timed("read, sorted and written as nbk", None, || {
            convert(&text, &out, threads, memory, |_| ())
        })?;
        say(&format!("  {all} positions, {} bytes", out.metadata()?.len()));
    }
    Ok(())
}

/// Positions as text, unsorted, some of them more than once. Games take longer than all the rest: a part of the text is of games, and
/// the others are the same with some of White's pawns promoted, which makes other positions of them.
fn write_text(path: &Path, bytes: u64, threads: usize) -> Outcome<()> {
    let mut file = BufWriter::new(File::create(path)?);
    db::Writer::new(&mut file, Game::Shogi)?.finish()?;
    let (mut texts, mut made) = (Vec::new(), 0);
    while made < bytes >> PROMOTED {
        let seeds = texts.len() as u64;
        let more = on_threads(threads, seeds, |seed| {
            let mut writer = db::Writer::new(Vec::new(), Game::Shogi)?;
            games(seed)?.iter().try_for_each(|entry| writer.write(entry))?;
            let mut text = writer.finish()?.0;
            // Without the first line, which is there once.
            let start = text.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            text.drain(..start);
            Ok(text)
        })?;
        made += more.iter().map(|text| text.len() as u64).sum::<u64>();
        texts.extend(more);
    }
    let (mut written, mut job) = (0, 0);
    let count = texts.len() as u64;
    while written < bytes {
        let more = on_threads(threads, job, |job| {
            Ok(promoted(&texts[(job % count) as usize], job / count))
        })?;
        job += more.len() as u64;
        for text in more {
            file.write_all(&text)?;
            written += text.len() as u64;
        }
    }
    Ok(file.flush()?)
}

/// A text whose positions have those of White's first pawns promoted for which there is a bit.
fn promoted(text: &[u8], bits: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if !line.starts_with(b"sfen ") {
            out.extend(line);
            continue;
        }
        let (mut pawns, mut is_board, mut last) = (0, true, b' ');
        out.extend(b"sfen ");
        for &byte in &line[5..] {
            is_board &= byte != b' ';
            if is_board && byte == b'p' && last != b'+' {
                if pawns < PROMOTED && bits >> pawns & 1 == 1 {
                    out.push(b'+');
                }
                pawns += 1;
            }
            out.push(byte);
            last = byte;
        }
    }
    out
}

/// Does the next jobs, one on each thread.
fn on_threads<T: Send>(
    threads: usize,
    first: u64,
    work: impl Fn(u64) -> Result<T, BookError> + Sync,
) -> Result<Vec<T>, BookError> {
    let work = &work;
    thread::scope(|scope| {
        let jobs: Vec<_> =
            (first..first + threads as u64).map(|job| scope.spawn(move || work(job))).collect();
        let done = jobs.into_iter().map(thread::ScopedJoinHandle::join);
        done.map(|job| job.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

#[expect(clippy::print_stdout, reason = "a program of its own")]
fn say(text: &str) {
    println!("{text}");
}

fn timed<T>(what: &str, positions: Option<u64>, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    // The most memory from here on, where the system does that.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (start, before) = (Instant::now(), processor());
    let done = work()?;
    let (wall, used) = (start.elapsed().as_secs_f64(), processor() - before);
    let speed = positions.map(|n| format!(", {:.0} positions a second", n as f64 / wall));
    let speed = speed.unwrap_or_default();
    say(&format!("{what}: {wall:.2} s{speed}; {used:.1} s of processors; {}", peak()));
    Ok(done)
}

/// Seconds of processors this process has used, where the system says it.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    ticks.iter().sum::<f64>() / 100.0
}

/// The most memory this process has had since the last look.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("memory unknown");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The positions of some games.
fn games(seed: u64) -> Result<Vec<Entry>, BookError> {
    let (mut rng, mut entries) = (Rng::new(seed), Vec::new());
    for _ in 0..GAMES {
        game(&mut rng, &mut entries)?;
    }
    Ok(entries)
}

/// A game whose moves depend on the position alone, but for one in four: so lines meet.
fn game(rng: &mut Rng, entries: &mut Vec<Entry>) -> Result<(), BookError> {
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
        entries.push(entry);
        position.play(mv);
    }
    Ok(())
}

/// Makes a book of about so many positions: more are needed, since many are met twice.
fn make(path: &Path, positions: u64, threads: usize) -> Outcome<()> {
    let header = Header::new(Game::Shogi);
    let target = Target::new(path, None, header, Combine::First, MEMORY)?;
    let mut target = target.on_threads(threads);
    let (preparer, mut batch) = (target.preparer(), 0);
    while batch * GAMES * (LENGTH as u64) < positions * 13 / 10 {
        let work = |seed| preparer.prepare(&games(seed)?);
        let prepared = on_threads(threads, batch, work)?;
        batch += prepared.len() as u64;
        prepared.into_iter().try_for_each(|part| target.push_prepared(part))?;
    }
    target.finish(true)?;
    Ok(())
}

/// Reads an Apery book of Black's positions alone: from one to the next lead only moves that are not in it.
fn one_side(native: &Path, threads: usize) -> Outcome<()> {
    let (there, back) = (native.with_file_name("one.bin"), native.with_file_name("one.nbk"));
    let black = |entry: &mut Entry| {
        if entry.turn() == Color::White {
            entry.moves.clear();
        }
    };
    let positions = convert(native, &there, threads, MEMORY, black)?;
    let what = format!("bin of one side to nbk, {positions} positions");
    let all = |_: &mut Entry| ();
    let found = timed(&what, Some(positions), || convert(&there, &back, threads, MEMORY, all))?;
    say(&format!("  {found} positions"));
    std::fs::remove_file(&there)?;
    Ok(std::fs::remove_file(&back)?)
}

/// Converts, and says how many positions there are.
fn convert(
    from: &Path,
    to: &Path,
    threads: usize,
    memory: usize,
    edit: impl Fn(&mut Entry) + Sync,
) -> Outcome<u64> {
    let source = Source::open(from, &ReadOptions { threads, ..ReadOptions::default() })?;
    let header = source.header.clone();
    let target = Target::new(to, None, header, Combine::First, memory)?;
    let mut target = target.on_threads(threads);
    if source.is_by_key() {
        target = target.by_key()?;
    }
    target.take_all(source, edit, |_| Ok(()))?;
    Ok(target.finish(true)?.positions)
}

/// Looks up some positions of the made book.
fn probe(path: &Path) -> Outcome<()> {
    let made: PathBuf = path.with_file_name("made.nbk");
    let made = NativeBook::open_file(&made)?;
    let format = Format::of_name(path);
    if format == Some(Format::Sbk) {
        return Ok(());
    }
    let book = Book::open(path, Game::Shogi, true)?;
    let mut rng = Rng::new(2);
    let mut positions = Vec::new();
    for _ in 0..1000 {
        let entries = made.entries_of(rng.below(made.blocks()))?;
        positions.push(entries[rng.below(entries.len())].position(Game::Shogi)?);
    }
    let mut times = Vec::new();
    let mut found = 0;
    for _ in 0..ROUNDS {
        for position in &positions {
            let start = Instant::now();
            found += usize::from(book.find(position)?.is_some());
            times.push(start.elapsed().as_nanos() as f64 / 1000.0);
        }
    }
    let first = times[..positions.len()].iter().sum::<f64>() / positions.len() as f64;
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    let (middle, late, last) = (at(0.5), at(0.99), at(1.0));
    let found = found / ROUNDS;
    say(&format!(
        "  probe: median {middle:.1} µs, 99 % {late:.1} µs, longest {last:.0} µs, the first time {first:.1} µs; {found} of 1000 found"
    ));
    Ok(())
}

fn minimax(from: &Path, to: &Path, threads: usize) -> Outcome<()> {
    let book = NativeBook::open_file(from)?;
    let header = book.header().clone();
    let target = Target::new(to, None, header, Combine::First, MEMORY)?;
    let mut target = target.on_threads(threads).by_key()?;
    let (start, mut stage) = (Instant::now(), None);
    let mut progress = |now: Stage, _, _| {
        if stage != Some(now) {
            stage = Some(now);
            say(&format!("  {:.1} s: {now:?}; {}", start.elapsed().as_secs_f64(), peak()));
        }
        true
    };
    let minimax = Minimax { contempt: [10, 20], threads, memory: MEMORY, ..Minimax::default() };
    let work = to.with_extension("work");
    let summary = minimax.run_into(&book, &work, &mut target, Progress(&mut progress))?;
    say(&format!("  {:.1} s: done", start.elapsed().as_secs_f64()));
    target.finish(true)?;
    say(&format!("  {summary:?}"));
    Ok(())
}
