//! What a master adds to a move: the same engine asked the same questions alone and as the only child of a
//! cluster, in turns: `cargo run --release -p cluster --example overhead -- [MOVES] [NODES] [PROGRAM]`.
//!
//! Times are from writing `position` and `go` to reading `bestmove`. Ends with 1 if a cluster takes more than 2 ms longer,
//! by the median or by the slowest of a hundred.

use cluster::{Cluster, ClusterSettings, Config, Input};
use engines::ProgramCommand;
use engines::lines::{LineEvent, LineLink, LineSink, start_inside, start_program};
use engines::shell::Output;
use rules::{AnyPosition, Game};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use think::{TimeSource, WallTime};

/// The most a master may add.
const MOST: Duration = Duration::from_millis(2);

/// Makes lines of what is written.
struct Lines(Sender<String>, Vec<u8>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.1)).into_owned();
                // Nobody listens at the end.
                let _ = self.0.send(line);
            } else {
                self.1.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is measured.
enum EngineUnderTest {
    Alone(Box<dyn LineLink>),
    Cluster(Input),
}

impl EngineUnderTest {
    fn send(&mut self, line: &str) {
        match self {
            Self::Alone(link) => assert!(link.send(line), "the engine reads"),
            Self::Cluster(input) => assert!(input.line(line.to_owned()), "the cluster reads"),
        }
    }
}

fn wait(said: &Receiver<String>, start: &str) {
    while !said.recv().expect("it has not ended").starts_with(start) {}
}

fn alone(program: Option<&str>, time: &Arc<dyn TimeSource>) -> (EngineUnderTest, Receiver<String>) {
    let (told, said) = channel();
    let sink: LineSink = Arc::new(move |event| {
        if let LineEvent::Line(line) = event {
            let _ = told.send(line);
        }
    });
    let link = match program {
        Some(program) => {
            let command = ProgramCommand::from_command_line(program).expect("a command line");
            start_program(&command, &sink)
        }
        None => {
            let clock = Arc::clone(time);
            let factory: Arc<engines::EngineFactory> =
                Arc::new(move |game| assembly::engine(game, Arc::clone(&clock)));
            start_inside(Game::Shogi, &factory, time, &sink)
        }
    };
    (EngineUnderTest::Alone(link.expect("the engine starts")), said)
}

fn cluster(
    program: Option<&str>,
    time: &Arc<dyn TimeSource>,
) -> (EngineUnderTest, Receiver<String>) {
    let place = program.map_or("inside = \"alphabeta\"".to_owned(), |p| format!("program = {p:?}"));
    let options = "options = { Threads = 1, USI_Hash = 64 }";
    let text = format!("[[child]]\nname = \"only\"\n{place}\n{options}\n");
    let (told, said) = channel();
    let clock = Arc::clone(time);
    let (cluster, input) = Cluster::new(ClusterSettings {
        config: Config::parse(&text).expect("a right file"),
        folder: PathBuf::new(),
        game: Game::Shogi,
        author: String::new(),
        factory: Arc::new(move |game| assembly::engine(game, Arc::clone(&clock))),
        time: Arc::clone(time),
        output: Output::new(Lines(told, Vec::new()), || ()),
    });
    std::thread::spawn(move || cluster.run());
    (EngineUnderTest::Cluster(input), said)
}

fn ask(
    engine: &mut EngineUnderTest,
    said: &Receiver<String>,
    position: &str,
    nodes: u64,
) -> Duration {
    let begun = Instant::now();
    engine.send(position);
    engine.send(&format!("go nodes {nodes}"));
    wait(said, "bestmove");
    begun.elapsed()
}

/// Positions of a game of legal moves, one after another.
fn positions(count: usize) -> Vec<String> {
    let mut position = AnyPosition::startpos(Game::Shogi);
    let mut rng = seed::Rng::new(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        if position.is_mated() || position.repetition().is_some() || position.ply() > 150 {
            position = AnyPosition::startpos(Game::Shogi);
        }
        positions.push(format!("position sfen {}", position.sfen()));
        let legal = position.legal_moves();
        position.play(legal[rng.below(legal.len())]);
    }
    positions
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let mut number = |usual: u64| args.next().and_then(|arg| arg.parse().ok()).unwrap_or(usual);
    let (moves, nodes) = (number(1000), number(1000));
    let program = args.next();
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut both = [alone(program.as_deref(), &time), cluster(program.as_deref(), &time)];
    for (engine, said) in &mut both {
        for line in ["usi", "setoption name Threads value 1", "setoption name USI_Hash value 64"] {
            engine.send(line);
        }
        engine.send("isready");
        wait(said, "readyok");
    }
    // A child that loads joins when it is ready: a cluster answers before it is.
    std::thread::sleep(Duration::from_secs(2));
    let mut times = [Vec::new(), Vec::new()];
    for position in positions(moves as usize) {
        for ((engine, said), times) in both.iter_mut().zip(&mut times) {
            times.push(ask(engine, said, &position, nodes));
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    let at = |times: &[Duration], part: f64| times[((times.len() - 1) as f64 * part) as usize];
    let mut out = io::stdout().lock();
    let mut worst = Duration::ZERO;
    for (name, part) in [("median", 0.5), ("of ten", 0.9), ("of a hundred", 0.99)] {
        let [alone, cluster] = [at(&times[0], part), at(&times[1], part)];
        let added = cluster.saturating_sub(alone);
        worst = worst.max(added);
        let _ = writeln!(out, "{name}: alone {alone:?}, in a cluster {cluster:?}, added {added:?}");
    }
    let _ =
        writeln!(out, "{moves} moves of {nodes} nodes: at most {worst:?} added, {MOST:?} allowed");
    ExitCode::from(u8::from(worst > MOST))
}
