//! A few seconds of doing what the engine does, with known results.

use super::Finding;
use crate::options::{HASH, PV_INTERVAL};
use crate::{Evaluation, bench};
use engines::{PlayerSettings, ProgramCommand, UsiPlayer};
use nnue::{AnyNet, Architecture, FeatureKind, Isa, Noise, Shape};
use rules::{AnyPosition, Game};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, TimeSource};

/// What the self-test works with.
pub struct SelfTest {
    /// Evaluations found on this machine.
    pub evaluations: Vec<Evaluation>,
    /// The program that speaks USI when it is started without arguments.
    pub executable: PathBuf,
    pub time: Arc<dyn TimeSource>,
}

/// The checks in order.
const CHECKS: [fn(&SelfTest) -> Finding; 5] =
    [count_moves, compare_values, search, stop, introduce];

impl SelfTest {
    /// Does one check after the other, each when its finding is asked for.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        CHECKS.iter().map(|check| check(self))
    }
}

const REPORT: &str = "this should never be: please report it, with the output of nue doctor";
const BUSY: &str = "end other programs that use the processor, and try again";

/// `stop` must be answered this fast.
const STOP: Duration = Duration::from_millis(20);
/// `usi` must be answered this fast, from the start of the program.
const USIOK: Duration = Duration::from_millis(50);
/// A program that has not introduced itself by then never will.
const PATIENCE: Duration = Duration::from_secs(10);
/// Beyond this many times the limit something is wrong, not only slow.
const WRONG: u32 = 20;

/// Positions with known numbers of move sequences.
const COUNTS: [(Game, &str, usize, u64); 3] = [
    (Game::Shogi, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 4, 719_731),
    (
        Game::Shogi,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        2,
        28_684,
    ),
    (Game::Minishogi, "rbsgk/4p/5/P4/KGSBR b - 1", 4, 35_401),
];

fn count_moves(_: &SelfTest) -> Finding {
    for (game, sfen, depth, expected) in COUNTS {
        let counted = AnyPosition::from_sfen(game, sfen).map(|mut p| p.perft(depth, true));
        if counted.as_ref() != Ok(&expected) {
            let counted = counted.map_or_else(|e| e.to_string(), |n| n.to_string());
            let text = format!("{counted} move sequences of {sfen}, {expected} are right");
            return Finding::problem(text, REPORT);
        }
    }
    Finding::good("move sequences counted as they should be")
}

fn compare_values(test: &SelfTest) -> Finding {
    let shape = Shape { l0: 256, h1: 32, h2: 32 };
    let random = [FeatureKind::KP, FeatureKind::MiniHalfKp]
        .map(|features| AnyNet::random(Architecture { features, shape }, Noise::ordinary(1)));
    let found = test.evaluations.iter().filter_map(|evaluation| match evaluation {
        Evaluation::Net(net) => Some(net.clone()),
        _ => None,
    });
    for net in random.into_iter().chain(found) {
        let game = net.game();
        let values = |isa| -> Vec<Option<i32>> {
            let mut judge = crate::judge(game, &Evaluation::Net(net.with_isa(isa)));
            bench::positions(game).iter().map(&mut judge).collect()
        };
        let scalar = values(Isa::SCALAR);
        for &isa in Isa::available() {
            if values(isa) != scalar {
                let kind = net.architecture();
                let text = format!("{isa} and scalar code give different values for {kind}");
                return Finding::problem(text, REPORT);
            }
        }
    }
    Finding::good("every instruction set gives the same values")
}

/// Nodes and answer of a search, as last reported.
#[derive(Clone, Default)]
struct LastReport(Arc<Mutex<(u64, Option<Answer>)>>);

impl LastReport {
    fn get(&self) -> (u64, Option<Answer>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Report for LastReport {
    fn info(&mut self, info: &Info) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.0 = info.nodes.unwrap_or(last.0);
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = Some(best.answer);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

/// An engine with what would evaluate shogi here.
fn engine(test: &SelfTest) -> Box<dyn Engine> {
    let fitting = test.evaluations.iter().find(|e| e.game() == Some(Game::Shogi));
    let evaluation = fitting.unwrap_or(&Evaluation::Material);
    let mut engine = crate::search(Game::Shogi, evaluation, Arc::clone(&test.time));
    for (name, value) in [HASH.to(64), PV_INTERVAL.to(0)] {
        engine.set_option(name, &value).expect("the search has these options");
    }
    engine.is_ready(&mut |_| ());
    engine
}

fn search(test: &SelfTest) -> Finding {
    let time = &test.time;
    let mut engine = engine(test);
    let mut think = |position: &AnyPosition, limits: Limits| {
        let report = LastReport::default();
        engine.new_game();
        engine.set_position(position.clone()).expect("an engine for shogi");
        engine.go(Limits { start: time.now(), ..limits }, Box::new(report.clone()));
        engine.wait();
        report.get()
    };
    let mate = AnyPosition::from_sfen(Game::Shogi, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    let mate = mate.expect("a position");
    let mating = mate.parse_usi("G*5b").map(Answer::Move).ok();
    if think(&mate, Limits::to_depth(3)).1 != mating {
        return Finding::problem("the search does not see a mate in one", REPORT);
    }
    for position in &bench::positions(Game::Shogi)[..3] {
        let first = think(position, Limits::to_depth(6));
        if first != think(position, Limits::to_depth(6)) {
            return Finding::problem("the same search twice reads other nodes", REPORT);
        }
        match first.1 {
            Some(Answer::Move(m)) if position.is_legal(m) => {}
            other => {
                let answer = match other {
                    Some(Answer::Move(m)) => m.usi(Game::Shogi),
                    Some(Answer::Resign) => "resign".to_owned(),
                    Some(Answer::Win) => "win".to_owned(),
                    None => "nothing".to_owned(),
                };
                let text = format!("the search answers {answer} in {}", position.sfen());
                return Finding::problem(text, REPORT);
            }
        }
    }
    let second = Limits { movetime: Some(Duration::from_secs(1)), ..Limits::default() };
    let started = time.now();
    let (nodes, _) = think(&AnyPosition::startpos(Game::Shogi), second);
    let seconds = time.now().saturating_sub(started).as_secs_f64();
    let rate = (nodes as f64 / seconds.max(1e-9)) as u64 / 1000;
    Finding::good(format!("searches are right and repeatable: {rate} thousand nodes a second"))
}

fn stop(test: &SelfTest) -> Finding {
    let time = &test.time;
    let mut engine = engine(test);
    let quickest = (0..3).map(|_| {
        let limits = Limits { start: time.now(), infinite: true, ..Limits::default() };
        engine.go(limits, Box::new(LastReport::default()));
        std::thread::sleep(Duration::from_millis(200));
        let asked = time.now();
        engine.control().stop();
        engine.wait();
        time.now().saturating_sub(asked)
    });
    judge_delay("a search ends", quickest.min(), STOP)
}

fn introduce(test: &SelfTest) -> Finding {
    let usiok = |_| usiok(&test.executable, &test.time);
    let tries: Result<Vec<Duration>, String> = (0..3).map(usiok).collect();
    match tries {
        Ok(tries) => judge_delay("the engine introduces itself", tries.into_iter().min(), USIOK),
        Err(error) => Finding::problem(
            format!("the engine cannot be started: {error}"),
            "see that the file may be executed and that no virus scanner holds it back",
        ),
    }
}

fn judge_delay(what: &str, took: Option<Duration>, limit: Duration) -> Finding {
    let took = took.unwrap_or(Duration::MAX);
    let text = format!("{what} within {:.1} ms", took.as_secs_f64() * 1000.0);
    if took <= limit {
        return Finding::good(text);
    }
    let text = format!("{text}, {} ms are the aim: the machine is busy", limit.as_millis());
    if took <= limit * WRONG { Finding::note(text, BUSY) } else { Finding::problem(text, BUSY) }
}

/// Time from the start of the executable to its `usiok`.
fn usiok(path: &Path, time: &Arc<dyn TimeSource>) -> Result<Duration, String> {
    let program = path.to_str().ok_or("the name of its file is not UTF-8")?.to_owned();
    let command = ProgramCommand { program, ..ProgramCommand::default() };
    let settings = PlayerSettings { startup: PATIENCE, ..PlayerSettings::default() };
    let never = Arc::new(AtomicBool::new(false));
    let mut player = UsiPlayer::new(command, settings, Arc::clone(time), never);
    let started = time.now();
    player.introduce().map_err(|error| error.to_string())?;
    Ok(time.now().saturating_sub(started))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Grade;
    use think::WallTime;

    #[test]
    fn what_needs_no_executable_is_well() {
        let test = SelfTest {
            evaluations: Vec::new(),
            executable: PathBuf::new(),
            time: Arc::new(WallTime::start()),
        };
        for check in [count_moves, compare_values, search] {
            let finding = check(&test);
            assert_eq!(finding.grade, Grade::Good, "{finding:?}");
        }
    }

    #[test]
    fn delays_are_judged_by_their_limit() {
        let ms = |n| Some(Duration::from_millis(n));
        for (took, grade) in [
            (ms(20), Grade::Good),
            (ms(21), Grade::Note),
            (ms(400), Grade::Note),
            (ms(401), Grade::Problem),
            (None, Grade::Problem),
        ] {
            assert_eq!(judge_delay("x", took, STOP).grade, grade, "{took:?}");
        }
    }
}
