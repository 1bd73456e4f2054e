//! What a playout costs without a net, how fast the search stops and goes on to the next move, and
//! how well it keeps simulated devices busy.
//!
//! `cargo run --release -p mcts --example playouts [threads]`

#![allow(clippy::print_stdout, reason = "a measurement for people")]

use features::{Labels, Planes};
use infer::{Backend, Batch, Fault, Finished, Pace, Shape, Ticket, Uniform};
use mcts::Puct;
use rules::{AnyPosition, Game, Shogi};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, WallTime};

const SHAPE: Shape = Shape { game: Game::Shogi, planes: Planes::Dlshogi, labels: Labels::Dlshogi };

/// Middle-game positions, a quiet and two sharp ones.
const POSITIONS: [&str; 3] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l4gsnl/4g1kb1/2s1pp1pp/p2p2p2/1pr6/3PP1P1P/PP3P1P1/1S1RGK1S1/LN1G3NL b Nb2p 35",
    "l1S3snl/1RGnk4/3gpn1+Pp/pP3pB2/9/P2P5/1S2PPP1P/3+p1K3/L1r2GSNL w G5Pb 86",
];

struct Listener(Sender<(Instant, Best)>, Arc<Mutex<Info>>);

impl Report for Listener {
    fn info(&mut self, info: &Info) {
        if let Ok(mut last) = self.1.lock() {
            last.clone_from(info);
        }
    }
    fn note(&mut self, text: &str) {
        println!("  {text}");
    }
    fn best(&mut self, best: &Best) {
        let _ = self.0.send((Instant::now(), *best));
    }
    fn mate(&mut self, _: &MateAnswer) {}
}

fn engine(backend: Arc<dyn Backend>, options: &[(&str, &str)]) -> Puct<Shogi> {
    let mut engine = Puct::new(Arc::new(WallTime::start()), backend);
    let usual = [("USI_Hash", "2048"), ("RootMateNodes", "0")];
    for (name, value) in usual.iter().chain(options) {
        engine.set_option(name, value).expect("an option of this engine");
    }
    engine
}

/// Time this process has computed, over all threads; nothing where the system does not tell.
fn computed() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may hold spaces: user and system time in hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// Searches and says what was told last, the answer and when it came.
fn search(
    engine: &mut Puct<Shogi>,
    limits: Limits,
    stop: Option<Duration>,
) -> (Info, Best, Duration) {
    let (sender, receiver) = channel();
    let last = Arc::new(Mutex::new(Info::default()));
    let mut begun = Instant::now();
    engine.go(limits, Box::new(Listener(sender, Arc::clone(&last))));
    if let Some(after) = stop {
        thread::sleep(after);
        begun = Instant::now();
        engine.control().stop();
    }
    let (at, best) = receiver.recv().expect("one answer");
    engine.wait();
    let info = last.lock().expect("nobody panicked").clone();
    (info, best, at - begun)
}

fn position(sfen: &str) -> AnyPosition {
    AnyPosition::from_sfen(Game::Shogi, sfen).expect("a position")
}

/// Devices that take as long for a batch as for every other, one after the other.
struct Devices {
    finished: Arc<Finished>,
    queue: Sender<(Ticket, Batch)>,
    pace: Pace,
}

impl Devices {
    fn new(count: usize, batch: usize, latency: Duration) -> Self {
        let finished = Arc::new(Finished::default());
        let (queue, work) = channel::<(Ticket, Batch)>();
        let work = Arc::new(Mutex::new(work));
        for _ in 0..count {
            let (work, finished) = (Arc::clone(&work), Arc::clone(&finished));
            thread::spawn(move || {
                let net = Uniform::new(SHAPE);
                loop {
                    let Ok((ticket, batch)) = work.lock().expect("nobody panicked").recv() else {
                        return;
                    };
                    let until = Instant::now() + latency;
                    let answered = net.submit(batch).and_then(|_| net.poll(Duration::ZERO));
                    thread::sleep(until.saturating_duration_since(Instant::now()));
                    if let Ok(Some((_, batch))) = answered {
                        finished.finish(ticket, batch);
                    }
                }
            });
        }
        let pace = Pace { batch, in_flight: 2 * count, threads: 2 };
        Self { finished, queue, pace }
    }
}

impl Backend for Devices {
    fn shape(&self) -> Shape {
        SHAPE
    }
    fn describe(&self) -> String {
        "simulated devices".to_owned()
    }
    fn pace(&self) -> Pace {
        self.pace
    }
    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        let ticket = self.finished.begin()?;
        let gone = |_| Fault::Ended("the devices are gone".to_owned());
        self.queue.send((ticket, batch)).map_err(gone)?;
        Ok(ticket)
    }
    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.finished.poll(wait)
    }
    fn in_flight(&self) -> usize {
        self.finished.in_flight()
    }
}

fn main() {
    let threads = std::env::args().nth(1).unwrap_or_else(|| "1".to_owned());
    println!("cost of a playout with {threads} thread(s), no net:");
    for leaf_mates in ["true", "false"] {
        let options = [("UCT_Threads", threads.as_str()), ("Leaf_Mate_Search", leaf_mates)];
        let mut engine = engine(Arc::new(Uniform::new(SHAPE)), &options);
        for sfen in POSITIONS {
            engine.set_position(position(sfen)).expect("its game");
            let limits = Limits { nodes: Some(300_000), ..Limits::default() };
            let before = computed();
            let (info, _, took) = search(&mut engine, limits, None);
            let each = |time: Duration| time.as_secs_f64() * 1e6 / 300_000.0;
            let busy = before.and_then(|b| Some(computed()? - b)).map_or(f64::NAN, each);
            let micros = each(took);
            let (depth, full) = (info.seldepth.unwrap_or(0), info.hashfull.unwrap_or(0));
            println!(
                "  mates of three {leaf_mates}: {busy:.1} µs computing, {micros:.1} µs by the clock, \
                 deepest {depth}, memory {full} ‰"
            );
        }
    }
    println!("stop to answer, and the next move after it:");
    let mut engine = engine(Arc::new(Uniform::new(SHAPE)), &[("UCT_Threads", &threads)]);
    let mut game = position(POSITIONS[1]);
    for _ in 0..5 {
        engine.set_position(game.clone()).expect("its game");
        let forever = Limits { infinite: true, ..Limits::default() };
        let (info, best, stopped) = search(&mut engine, forever, Some(Duration::from_secs(1)));
        let Answer::Move(m) = best.answer else { break };
        game.play(m);
        if let Some(&reply) = info.pv.get(1) {
            game.play(reply);
        }
        engine.set_position(game.clone()).expect("its game");
        let one = Limits { nodes: Some(1), ..Limits::default() };
        let (_, _, next) = search(&mut engine, one, None);
        println!("  stopped in {stopped:.2?}, one playout of the next search in {next:.2?}");
    }
    println!("simulated devices, batches of 64 in 20 ms:");
    let mut single = 0.0;
    for count in [1, 2, 4, 8] {
        let backend = Devices::new(count, 64, Duration::from_millis(20));
        let mut engine = self::engine(Arc::new(backend), &[]);
        engine.set_position(position(POSITIONS[2])).expect("its game");
        let limits = Limits { movetime: Some(Duration::from_secs(6)), ..Limits::default() };
        let (info, _, took) = search(&mut engine, limits, None);
        let rate = info.nodes.unwrap_or(0) as f64 / took.as_secs_f64();
        if count == 1 {
            single = rate;
        }
        let bare = 64.0 / 0.020 * count as f64;
        println!(
            "  {count}: {rate:.0} playouts/s, {:.0} % of the devices, {:.2} of {count} times one",
            100.0 * rate / bare,
            rate / single / count as f64
        );
    }
}
