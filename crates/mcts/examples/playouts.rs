//! What a playout costs without a net, how fast the search stops and goes on to the next move, how
//! well it keeps simulated devices busy, and whether its memory stays what it is.
//!
//! `cargo xtask bench puct [cost [threads [playouts]] | null [threads…] | stop [threads] | devices [microseconds
//! [threads [devices…]]] | memory [minutes]]`

#![allow(clippy::print_stdout, reason = "a measurement for people")]

use features::{Labels, Planes};
use infer::{Backend, Batch, Fault, Finished, Pace, Shape, Ticket, Uniform};
use mcts::Puct;
use rules::{AnyPosition, Game, Shogi};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, TimeSource, WallTime};

const SHAPE: Shape = Shape { game: Game::Shogi, planes: Planes::Dlshogi, labels: Labels::Dlshogi };

/// Middle-game positions, a quiet and two sharp ones.
const POSITIONS: [&str; 3] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l4gsnl/4g1kb1/2s1pp1pp/p2p2p2/1pr6/3PP1P1P/PP3P1P1/1S1RGK1S1/LN1G3NL b Nb2p 35",
    "l1S3snl/1RGnk4/3gpn1+Pp/pP3pB2/9/P2P5/1S2PPP1P/3+p1K3/L1r2GSNL w G5Pb 86",
];

/// Playouts from each position in which their cost is measured, unless told otherwise.
const COST_PLAYOUTS: u64 = 300_000;

/// The one clock: a search counts from the moment it was asked for.
static CLOCK: LazyLock<Arc<WallTime>> = LazyLock::new(|| Arc::new(WallTime::start()));

/// What was told of a search.
#[derive(Default)]
struct PlayoutListener {
    last: Info,
    /// Playouts, and when they were told.
    playouts: Vec<(Instant, u64)>,
}

impl PlayoutListener {
    /// When there were so many playouts, and when something was told last.
    fn from(&self, playouts: u64) -> Option<(Instant, Instant)> {
        let from = self.playouts.iter().find(|told| told.1 >= playouts)?.0;
        let until = self.playouts.last()?.0;
        (until - from > Duration::from_millis(200)).then_some((from, until))
    }
}

struct Listener(Sender<(Instant, Best)>, Arc<Mutex<PlayoutListener>>);

impl Report for Listener {
    fn info(&mut self, info: &Info) {
        if let Ok(mut told) = self.1.lock() {
            told.last.clone_from(info);
            told.playouts.push((Instant::now(), info.nodes.unwrap_or(0)));
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
    let mut engine = Puct::new(Arc::clone(&*CLOCK) as Arc<dyn TimeSource>, backend);
    let usual = [("USI_Hash", "2048"), ("RootMateNodes", "0"), ("PvInterval", "100")];
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
) -> (PlayoutListener, Best, Duration) {
    let (sender, receiver) = channel();
    let told = Arc::new(Mutex::new(PlayoutListener::default()));
    let mut begun = Instant::now();
    let limits = Limits { start: CLOCK.now(), ..limits };
    engine.go(limits, Box::new(Listener(sender, Arc::clone(&told))));
    if let Some(after) = stop {
        thread::sleep(after);
        begun = Instant::now();
        engine.control().stop();
    }
    let (at, best) = receiver.recv().expect("one answer");
    engine.wait();
    let told = std::mem::take(&mut *told.lock().expect("nobody panicked"));
    (told, best, at - begun)
}

fn position(sfen: &str) -> AnyPosition {
    AnyPosition::from_sfen(Game::Shogi, sfen).expect("a position")
}

/// Devices that take as long for a batch as for every other, one after the other.
struct Devices {
    finished: Arc<Finished>,
    queue: Sender<(Ticket, Batch)>,
    pace: Pace,
    /// Positions of each batch, and when it was given back.
    answered: Mutex<Vec<(Instant, usize)>>,
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
        Self { finished, queue, pace, answered: Mutex::default() }
    }

    /// Positions a second between two moments.
    fn rate(&self, from: Instant, until: Instant) -> f64 {
        let answered = self.answered.lock().expect("nobody panicked");
        let within = answered.iter().filter(|(at, _)| (from..until).contains(at));
        within.map(|(_, positions)| *positions as f64).sum::<f64>() / (until - from).as_secs_f64()
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
        let polled = self.finished.poll(wait);
        if let Ok(Some((_, batch))) = &polled {
            let mut answered = self.answered.lock().expect("nobody panicked");
            answered.push((Instant::now(), batch.len()));
        }
        polled
    }
    fn in_flight(&self) -> usize {
        self.finished.in_flight()
    }
}

/// Microseconds of computing a playout takes.
fn cost(threads: &str, playouts: u64) {
    println!("cost of a playout with {threads} thread(s), no net:");
    for leaf_mates in ["true", "false"] {
        let options = [("UCT_Threads", threads), ("Leaf_Mate_Search", leaf_mates)];
        let mut engine = engine(Arc::new(Uniform::new(SHAPE)), &options);
        for sfen in POSITIONS {
            engine.set_position(position(sfen)).expect("its game");
            let limits = Limits { nodes: Some(playouts), ..Limits::default() };
            let before = computed();
            let (told, _, took) = search(&mut engine, limits, None);
            let each = |time: Duration| time.as_secs_f64() * 1e6 / playouts as f64;
            let busy = before.and_then(|b| Some(computed()? - b)).map_or(f64::NAN, each);
            let micros = each(took);
            let (depth, full) = (told.last.seldepth.unwrap_or(0), told.last.hashfull.unwrap_or(0));
            println!(
                "  mates of three {leaf_mates}: {busy:.1} µs computing, {micros:.1} µs by the clock, \
                 deepest {depth}, memory {full} ‰"
            );
        }
    }
}

/// How long a stop and the next move take.
fn stop(threads: &str) {
    println!("stop to answer, and the next move after it:");
    let mut engine = engine(Arc::new(Uniform::new(SHAPE)), &[("UCT_Threads", threads)]);
    let mut game = position(POSITIONS[1]);
    for _ in 0..5 {
        engine.set_position(game.clone()).expect("its game");
        let forever = Limits { infinite: true, ..Limits::default() };
        let (told, best, stopped) = search(&mut engine, forever, Some(Duration::from_secs(1)));
        let Answer::Move(m) = best.answer else { break };
        game.play(m);
        if let Some(&reply) = told.last.pv.get(1) {
            game.play(reply);
        }
        engine.set_position(game.clone()).expect("its game");
        let one = Limits { nodes: Some(1), ..Limits::default() };
        let (_, _, next) = search(&mut engine, one, None);
        println!("  stopped in {stopped:.2?}, one playout of the next search in {next:.2?}");
    }
}

/// Positions a second of the devices by themselves.
fn bare(devices: &Devices, during: Duration) -> f64 {
    let mut full = Batch::new(SHAPE, devices.pace.batch);
    while !full.is_full() {
        full.push(0, |_| (), 0..80);
    }
    let (mut done, begun) = (0, Instant::now());
    while begun.elapsed() < during {
        while devices.in_flight() < devices.pace.in_flight {
            devices.submit(full.clone()).expect("a device");
        }
        let answered = devices.poll(Duration::from_millis(100)).expect("an answer");
        done += answered.map_or(0, |(_, batch)| batch.len());
    }
    let rate = done as f64 / begun.elapsed().as_secs_f64();
    while devices.in_flight() > 0 {
        let _ = devices.poll(Duration::from_millis(100));
    }
    rate
}

/// Playouts a second of the search alone, by threads: from three positions, two seconds each.
fn null(threads: &[String]) {
    println!(
        "playouts a second without a net (start, quiet, sharp; all, cores, one thread's share):"
    );
    let mut single = None;
    for threads in threads {
        let options = [("UCT_Threads", threads.as_str()), ("USI_Hash", "8192")];
        let mut engine = engine(Arc::new(Uniform::new(SHAPE)), &options);
        let (mut rates, mut busy, mut all) = (Vec::new(), 0.0, 0.0);
        for sfen in POSITIONS {
            engine.new_game();
            engine.set_position(position(sfen)).expect("its game");
            let limits = Limits { movetime: Some(Duration::from_secs(2)), ..Limits::default() };
            let before = computed();
            let (told, _, took) = search(&mut engine, limits, None);
            rates.push(told.last.nodes.unwrap_or(0) as f64 / took.as_secs_f64());
            let computed = before.and_then(|b| Some(computed()? - b));
            busy += computed.map_or(f64::NAN, |busy| busy.as_secs_f64());
            all += took.as_secs_f64();
        }
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let each = mean / threads.parse::<f64>().unwrap_or(1.0);
        let share = 100.0 * each / *single.get_or_insert(each);
        println!(
            "  {threads} threads: {:.0} {:.0} {:.0}; {mean:.0}, {:.2} cores, {share:.0} %",
            rates[0],
            rates[1],
            rates[2],
            busy / all
        );
    }
}

/// What the search has devices compute against what they can do, from a sharp position. While the tree
/// is small fewer playouts are in flight than the devices could take: the part and the efficiency are
/// those after that.
fn devices((batch, latency): (usize, Duration), threads: &str, counts: &[usize]) {
    println!("simulated devices, each a batch of {batch} in {latency:?}, {threads} threads:");
    let mut single = None;
    for &count in counts {
        let devices = Devices::new(count, batch, latency);
        let alone = bare(&devices, Duration::from_secs(1) + 20 * latency);
        let grown = 8 * (devices.pace.in_flight as u64 + 1) * batch as u64;
        let options =
            [("DNN_Cache_Share", "0"), ("DNN_Report_Usage", "true"), ("UCT_Threads", threads)];
        let devices = Arc::new(devices);
        let mut engine = engine(Arc::clone(&devices) as Arc<dyn Backend>, &options);
        engine.set_position(position(POSITIONS[2])).expect("its game");
        // Slow devices take the longer to get all they could take.
        let during = Duration::from_secs(6) + 80 * latency;
        let limits = Limits { movetime: Some(during), ..Limits::default() };
        let before = computed();
        let (told, _, took) = search(&mut engine, limits, None);
        let whole = told.last.nodes.unwrap_or(0) as f64 / took.as_secs_f64();
        let rate = told.from(grown).map_or(f64::NAN, |(from, until)| devices.rate(from, until));
        let single = *single.get_or_insert(rate / counts[0] as f64);
        let cores = before
            .and_then(|b| Some(computed()? - b))
            .map_or(f64::NAN, |busy| busy.as_secs_f64() / took.as_secs_f64());
        println!(
            "  {count}: {whole:.0} playouts/s; after the first {grown} {rate:.0} positions/s, {:.1} % \
             of the {alone:.0} of the devices alone, {:.2} of {count} times one, {cores:.2} cores",
            100.0 * rate / alone,
            rate / single / count as f64
        );
    }
}

/// MiB this process has, where the system tells.
fn resident() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok());
    pages.map_or(f64::NAN, |pages| pages * 4096.0 / f64::from(1 << 20))
}

/// An endless search in a small memory.
fn memory(minutes: f64) {
    println!("go infinite for {minutes} min with USI_Hash 64:");
    let mut engine = engine(Arc::new(Uniform::new(SHAPE)), &[("USI_Hash", "64")]);
    engine.set_position(position(POSITIONS[1])).expect("its game");
    let (sender, receiver) = channel();
    let told = Arc::new(Mutex::new(PlayoutListener::default()));
    let forever = Limits { infinite: true, ..Limits::default() };
    engine.go(forever, Box::new(Listener(sender, Arc::clone(&told))));
    let slice = Duration::from_secs_f64(minutes * 60.0 / 10.0);
    for part in 1..=10 {
        thread::sleep(slice);
        let info = std::mem::take(&mut *told.lock().expect("nobody panicked")).last;
        println!(
            "  {:.0} s: {:.1} MiB of the process, {} ‰ of the tree, {} playouts, {}/s",
            slice.as_secs_f64() * f64::from(part),
            resident(),
            info.hashfull.unwrap_or(0),
            info.nodes.unwrap_or(0),
            info.nps.unwrap_or(0)
        );
    }
    let stopped = Instant::now();
    engine.control().stop();
    let (at, _) = receiver.recv().expect("one answer");
    println!("  stopped in {:.2?}", at - stopped);
}

fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_default();
    let rest: Vec<String> = words.collect();
    let first = rest.first().map_or("1", String::as_str);
    match what.as_str() {
        "cost" => {
            let playouts = rest.get(1).and_then(|word| word.parse().ok());
            cost(first, playouts.unwrap_or(COST_PLAYOUTS));
        }
        "null" if rest.is_empty() => null(&["1".to_owned()]),
        "null" => null(&rest),
        "stop" => stop(first),
        "devices" => {
            let micros = rest.first().and_then(|word| word.parse().ok());
            let threads = rest.get(1).map_or("2", String::as_str);
            let counts: Vec<usize> = rest.iter().skip(2).flat_map(|word| word.parse()).collect();
            let counts = if counts.is_empty() { vec![1, 2, 4, 8] } else { counts };
            // As fast as one core feeds eight of them; an H200 does 256 in 0.64 ms.
            let latency = Duration::from_micros(micros.unwrap_or(102_400));
            devices((256, latency), threads, &counts);
        }
        "memory" => memory(first.parse().unwrap_or(1.0)),
        _ => {
            cost("1", COST_PLAYOUTS);
            stop("1");
            devices((256, Duration::from_micros(25_600)), "2", &[1]);
        }
    }
}
