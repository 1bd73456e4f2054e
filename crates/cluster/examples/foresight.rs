//! How often the reply that was played is among those pondered on, and how often two searches
//! disagree, on the games of a folder of CSA files:
//! `cargo run -p cluster --example foresight -- FOLDER NODES STEP [PLAYOUTS]`.

use cluster::replies::{Reply, allot, chances};
use rules::{AnyPosition, Game, Move};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, STACK, Score, WallTime};

/// Groups for which coverage is told.
const GROUPS: [usize; 4] = [1, 2, 4, 8];

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

#[derive(Default)]
struct Counts {
    positions: u32,
    ranks: [u32; 8],
    covered: [u32; GROUPS.len()],
    compared: u32,
    agreed: u32,
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

fn measure(folder: &Path, nodes: u64, step: usize, playouts: u64) {
    let mut predictor = engine(&[("MultiPV", "8"), ("USI_Hash", "64")]);
    let mut single = engine(&[("USI_Hash", "64")]);
    let mut tree = engine(&[("Engine", "puct")]);
    let mut phases: [Counts; 3] = Default::default();
    let mut games = 0;
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files {
        let bytes = std::fs::read(file.path()).expect("a file");
        let name = file.file_name().to_string_lossy().into_owned();
        for record in kifu::read(&name, &bytes, kifu::ReadOptions::default()).into_iter().flatten()
        {
            games += 1;
            let mut position = record.start().clone();
            for (ply, m) in record.moves().into_iter().enumerate() {
                if (ply + games) % step == 0 && position.legal_moves().len() > 1 {
                    let counts =
                        &mut phases[if ply < 24 { 0 } else { usize::from(ply >= 150) + 1 }];
                    predict(&mut *predictor, &position, m, nodes, counts);
                    if playouts > 0 {
                        let one = think(&mut *single, &position, nodes).best;
                        let other = think(&mut *tree, &position, playouts).best;
                        counts.compared += 1;
                        counts.agreed += u32::from(one.is_some() && one == other);
                    }
                }
                position.play(m);
            }
        }
    }
    print(games, &phases);
}

fn predict(
    engine: &mut dyn Engine,
    position: &AnyPosition,
    m: Move,
    nodes: u64,
    counts: &mut Counts,
) {
    let replies: Vec<Reply> = chances(&think(engine, position, nodes).lines);
    counts.positions += 1;
    if let Some(rank) = replies.iter().position(|reply| reply.reply == m).filter(|&rank| rank < 8) {
        counts.ranks[rank] += 1;
    }
    for (slot, groups) in GROUPS.into_iter().enumerate() {
        counts.covered[slot] += u32::from(allot(&replies, groups).contains(&m));
    }
}

fn print(games: usize, phases: &[Counts; 3]) {
    let mut out = std::io::stdout().lock();
    for (name, counts) in ["to ply 24", "25 to 150", "later"].into_iter().zip(phases) {
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(counts.positions.max(1));
        let ranks: Vec<String> =
            counts.ranks.iter().map(|&c| format!("{:.1}", percent(c))).collect();
        let covered: Vec<String> = GROUPS
            .iter()
            .zip(counts.covered)
            .map(|(groups, count)| format!("{groups}: {:.1}", percent(count)))
            .collect();
        let agreed = 100.0 * f64::from(counts.agreed) / f64::from(counts.compared.max(1));
        let _ = writeln!(
            out,
            "{games} games, {name}: {} positions, by rank {} %, covered by groups {} %, agree {agreed:.1} %",
            counts.positions,
            ranks.join(" "),
            covered.join(", ")
        );
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("a folder of CSA files");
    let mut number = |usual: u64| args.next().and_then(|arg| arg.parse().ok()).unwrap_or(usual);
    let (nodes, step, playouts) = (number(5000), number(10), number(0));
    let work = move || measure(Path::new(&folder), nodes, step.max(1) as usize, playouts);
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    thread.join().expect("no failure");
}
