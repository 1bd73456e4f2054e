//! How often the reply that was played is among those pondered on, by predictor and by number of groups, and
//! how often two searches disagree, on the games of a folder:
//! `cargo run --release -p cluster --example foresight -- FOLDER [NODES] [STEP] [PLAYOUTS] [THREADS] [SECONDS]`.
//! Positions are taken from all over the games, so that what is there after the seconds speaks for all.
//!
//! The predictors: alpha-beta with `MultiPV` and that many nodes, the tree search with so few playouts that it says
//! little more than its policy net, and the tree search with that many.

use cluster::replies::{Reply, allot, by_rank, by_score};
use rules::{AnyPosition, Game, Move};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, STACK, Score, WallTime};

/// Groups for which coverage is told.
const GROUPS: [usize; 6] = [1, 2, 3, 4, 6, 8];

/// Playouts after which a tree search says what its policy net expects: every likely move has been looked at
/// once or twice.
const POLICY: u64 = 16;

/// Who predicts.
const PREDICTORS: [&str; 3] = ["alpha-beta", "policy net", "tree search"];

#[derive(Default)]
struct Collected {
    lines: Vec<(Move, f64)>,
    best: Option<Move>,
}

impl Report for Collected {
    fn info(&mut self, info: &Info) {
        let rank = info.multipv.unwrap_or(1).max(1) as usize;
        let (Some(&first), Some((score, _))) = (info.pv.first(), info.score) else { return };
        let value = match score {
            Score::Cp(cp) => f64::from(cp),
            Score::Mate(_) => 30_000.0,
            Score::Mated(_) => -30_000.0,
        };
        if self.lines.len() < rank {
            self.lines.resize(rank, (first, value));
        }
        self.lines[rank - 1] = (first, value);
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        if let Answer::Move(m) = best.answer {
            self.best = Some(m);
        }
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

/// What one predictor foresaw.
#[derive(Clone, Copy, Default)]
struct Counts {
    ranks: [u32; 8],
    covered: [u32; GROUPS.len()],
}

/// A phase of the games.
#[derive(Clone, Copy, Default)]
struct Phase {
    positions: u32,
    predictors: [Counts; PREDICTORS.len()],
    /// Alpha-beta alone and the tree search wanted the same move.
    agreed: u32,
}

/// A position of a game and the move that was played.
struct Sample {
    position: AnyPosition,
    played: Move,
    phase: usize,
}

fn engine(options: &[(&str, &str)]) -> Box<dyn Engine> {
    let mut engine = assembly::engine(Game::Shogi, Arc::new(WallTime::start()));
    for (name, value) in options {
        engine.set_option(name, value).expect("an option of ours");
    }
    engine.is_ready(&mut |_| ());
    engine
}

fn think(engine: &mut dyn Engine, position: &AnyPosition, nodes: u64) -> Collected {
    let mut collected = Collected::default();
    engine.set_position(position.clone()).expect("shogi");
    engine.think(Limits { nodes: Some(nodes), ..Limits::default() }, &mut collected);
    collected
}

/// Every so many-th position of the games of a folder, and how many games there are.
fn samples(folder: &Path, step: usize) -> (Vec<Sample>, usize) {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let (mut samples, mut games) = (Vec::new(), 0);
    for file in files {
        let bytes = std::fs::read(file.path()).expect("a file");
        let name = file.file_name().to_string_lossy().into_owned();
        let records = kifu::read(&name, &bytes, kifu::ReadOptions::default());
        for record in records.into_iter().flatten() {
            games += 1;
            let mut position = record.start().clone();
            for (ply, played) in record.moves().into_iter().enumerate() {
                if (ply + games) % step == 0 && position.legal_moves().len() > 1 {
                    let phase = if ply < 24 { 0 } else { usize::from(ply >= 150) + 1 };
                    samples.push(Sample { position: position.clone(), played, phase });
                }
                position.play(played);
            }
        }
    }
    seed::Rng::new(1).shuffle(&mut samples);
    (samples, games)
}

fn count(counts: &mut Counts, replies: &[Reply], played: Move) {
    let rank = replies.iter().position(|reply| reply.reply == played);
    if let Some(rank) = rank.filter(|&rank| rank < counts.ranks.len()) {
        counts.ranks[rank] += 1;
    }
    for (slot, groups) in GROUPS.into_iter().enumerate() {
        counts.covered[slot] += u32::from(allot(replies, groups).contains(&played));
    }
}

/// Looks at samples until there are none left.
fn work(
    samples: &[Sample],
    next: &AtomicUsize,
    all: &Mutex<[Phase; 3]>,
    (nodes, playouts): (u64, u64),
    end: Instant,
) {
    let mut multi = engine(&[("MultiPV", "8"), ("USI_Hash", "64"), ("Threads", "1")]);
    let mut single = engine(&[("USI_Hash", "64"), ("Threads", "1")]);
    let mut tree = engine(&[("Engine", "puct"), ("MultiPV", "8"), ("Threads", "1")]);
    let mut phases = [Phase::default(); 3];
    while let Some(sample) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
        if Instant::now() > end {
            break;
        }
        let phase = &mut phases[sample.phase];
        phase.positions += 1;
        let first = think(&mut *multi, &sample.position, nodes);
        tree.new_game();
        let policy = think(&mut *tree, &sample.position, POLICY);
        let searched = think(&mut *tree, &sample.position, playouts);
        let moves = |of: &Collected| of.lines.iter().map(|line| line.0).collect::<Vec<_>>();
        let replies =
            [by_score(&first.lines), by_rank(&moves(&policy)), by_rank(&moves(&searched))];
        for (counts, replies) in phase.predictors.iter_mut().zip(&replies) {
            count(counts, replies, sample.played);
        }
        let alone = think(&mut *single, &sample.position, nodes).best;
        phase.agreed += u32::from(alone.is_some() && alone == searched.best);
    }
    let mut all = all.lock().expect("no thread has failed");
    for (sum, phase) in all.iter_mut().zip(phases) {
        sum.positions += phase.positions;
        sum.agreed += phase.agreed;
        for (sum, counts) in sum.predictors.iter_mut().zip(phase.predictors) {
            sum.ranks.iter_mut().zip(counts.ranks).for_each(|(a, b)| *a += b);
            sum.covered.iter_mut().zip(counts.covered).for_each(|(a, b)| *a += b);
        }
    }
}

fn print(games: usize, phases: &[Phase; 3]) {
    let mut out = std::io::stdout().lock();
    let mut all = Phase::default();
    for phase in phases {
        all.positions += phase.positions;
        all.agreed += phase.agreed;
        for (sum, counts) in all.predictors.iter_mut().zip(phase.predictors) {
            sum.ranks.iter_mut().zip(counts.ranks).for_each(|(a, b)| *a += b);
            sum.covered.iter_mut().zip(counts.covered).for_each(|(a, b)| *a += b);
        }
    }
    let named = ["to ply 24", "25 to 150", "later", "all"].into_iter();
    for (name, phase) in named.zip(phases.iter().chain([&all])) {
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(phase.positions.max(1));
        let list = |counts: &[u32]| {
            counts.iter().map(|&c| format!("{:.1}", percent(c))).collect::<Vec<_>>().join(" ")
        };
        let positions = phase.positions;
        let agreed = percent(phase.agreed);
        let _ = writeln!(
            out,
            "{games} games, {name}: {positions} positions, the two searches agree in {agreed:.1} %"
        );
        for (predictor, counts) in PREDICTORS.into_iter().zip(phase.predictors) {
            let (ranks, covered) = (list(&counts.ranks), list(&counts.covered));
            let _ =
                writeln!(out, "  {predictor}: by rank {ranks} %; {GROUPS:?} groups {covered} %");
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("a folder of games");
    let mut number = |usual: u64| args.next().and_then(|arg| arg.parse().ok()).unwrap_or(usual);
    let (nodes, step, playouts, threads) = (number(5000), number(10), number(100), number(1));
    let end = Instant::now() + Duration::from_secs(number(86_400));
    let (samples, games) = samples(Path::new(&folder), step.max(1) as usize);
    assert!(!samples.is_empty(), "no position of {games} games: a step smaller than {step}");
    let (next, all) = (AtomicUsize::new(0), Mutex::new([Phase::default(); 3]));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let look = || work(&samples, &next, &all, (nodes, playouts), end);
            thread.spawn_scoped(scope, look).expect("a thread");
        }
    });
    print(games, &all.into_inner().expect("no thread has failed"));
}
