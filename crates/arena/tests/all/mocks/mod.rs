//! Matches between mock engines.

use arena::spec::escape;
use arena::timed_game::Terms;
use arena::{EngineSpec, Event, Finished, Flow, Format, MatchRunner, Opening, Plan, Schedule};
use play::GameRules;
use rules::Game;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use think::WallTime;

/// The mock engine, which is built together with the tests.
pub(crate) fn mock() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let path = folder.join("examples").join(format!("mock{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is missing: build with --examples", path.display());
    path
}

/// A mock that does something, with more keys.
pub(crate) fn engine(name: &str, what: &str, keys: &str) -> EngineSpec {
    let arguments: String = what.split(' ').map(|word| format!("arg={word},")).collect();
    let program = escape(&mock().to_string_lossy());
    spec(&format!("cmd={program},name={name},{arguments}{keys}"))
}

pub(crate) fn spec(text: &str) -> EngineSpec {
    let pairs = arena::spec::pairs(text);
    EngineSpec::from_pairs(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str()))).unwrap()
}

/// A match of these engines from the start position, with short games.
pub(crate) fn plan(engines: Vec<EngineSpec>, games: u64) -> Plan {
    let schedule = Schedule::new(Format::RoundRobin, engines.len(), games.div_ceil(2), 1, 1);
    Plan {
        game: Game::Shogi,
        engines,
        schedule,
        openings: vec![Opening::even(Game::Shogi)],
        terms: Terms {
            rules: GameRules { max_moves: Some(40), ..GameRules::default() },
            margin: Duration::from_millis(200),
            ..Terms::default()
        },
        concurrency: 2,
        cpus: Vec::new(),
    }
}

pub(crate) fn runner() -> MatchRunner {
    MatchRunner {
        time: Arc::new(WallTime::start()),
        factory: Arc::new(|_| panic!("no engine of our own takes part")),
        abandoned: Arc::new(AtomicBool::new(false)),
        own_program: None,
        logs: None,
    }
}

/// Plays everything.
pub(crate) fn play(plan: &Plan) -> Vec<Finished> {
    let mut games = Vec::new();
    runner().run(plan, &|_| true, &mut |event| {
        if let Event::Finished(finished) = event {
            games.push(*finished);
        }
        Flow::Continue
    });
    games.sort_by_key(|game| game.scheduled.id);
    games
}
