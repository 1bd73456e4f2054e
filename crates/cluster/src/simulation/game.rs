//! One game of a master against an opponent that plays at random.

use super::script::{Misbehaviour, Script, preferred};
use super::world::World;
use crate::config::Config;
use crate::journal::Entry;
use crate::master::Master;
use play::{Action, Clock, ClockRule, GameRules};
use rules::{AnyPosition, Color, Game};
use seed::Rng;
use std::collections::BTreeMap;
use std::time::Duration;
use think::Clocks;
use usi::{BestMove, Go, Reply, SetPosition, Times};

/// How a game is played.
#[derive(Clone, Debug)]
pub struct GameSettings {
    pub config: Config,
    pub game: Game,
    pub seed: u64,
    pub clock: ClockRule,
    /// Of 1: how often a child answers a question wrongly.
    pub misbehaviours: f64,
    /// The game ends after that many plies.
    pub plies: u32,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameReport {
    /// Moves the master played.
    pub moves: u32,
    /// Of them, foreseen.
    pub hits: u32,
    /// Of them, the move that is always ready.
    pub own: u32,
    /// What children did wrong, and how often.
    pub misbehaviours: BTreeMap<Misbehaviour, u32>,
    /// Faults the master noticed.
    pub faults: u32,
    /// What must not be: time losses, illegal moves, gaps in the log, in words.
    pub failures: Vec<String>,
}

/// Plays a game.
pub fn play_game(settings: &GameSettings) -> GameReport {
    let mut rng = Rng::new(settings.seed);
    let scripts = (0..settings.config.children.len())
        .map(|index| Script::new(settings.game, rng.split(index as u64), settings.misbehaviours));
    let scripts = scripts.collect();
    let master = Master::new(settings.config.clone(), settings.game, "simulation", Vec::new());
    let mut world = World::new(master, scripts);
    let mut report = GameReport::default();
    for line in ["usi", "setoption name USI_Ponder value true", "isready", "usinewgame"] {
        world.say(line);
    }
    let rules = GameRules { max_moves: Some(settings.plies), ..GameRules::default() };
    let mut position = AnyPosition::startpos(settings.game);
    let mut clocks = [Clock::new(settings.clock); 2];
    let own = if rng.below(2) == 0 { Color::Black } else { Color::White };
    let mut played = 0;
    while rules.end_of(&position, played).is_none() {
        let m = if position.turn() == own {
            match own_move(&mut world, &position, &mut clocks, &mut report, &mut rng) {
                Some(m) => m,
                None => break,
            }
        } else {
            let pause = Duration::from_millis(rng.below(4000) as u64);
            let pause = pause.min(clocks[own.opponent().index()].limit().unwrap_or(pause) / 2);
            let until = world.now + pause;
            world.run(until, |_| false);
            // The opponent's clock is its own business.
            let _ = clocks[own.opponent().index()].end_turn(pause);
            let Some(m) = preferred(&position, &mut rng) else { break };
            m
        };
        played += 1;
        if rules.play(&mut position, m, played).is_some() {
            break;
        }
    }
    for &misbehaviour in world.actors.iter().flat_map(|script| &script.done) {
        *report.misbehaviours.entry(misbehaviour).or_default() += 1;
    }
    let is_fault = |entry: &&Entry| matches!(entry, Entry::Fault { .. });
    report.faults = world.log.iter().filter(is_fault).count() as u32;
    report
}

/// The master's move; `None` if it resigned or the game is lost by a failure.
fn own_move(
    world: &mut World<Script>,
    position: &AnyPosition,
    clocks: &mut [Clock; 2],
    report: &mut GameReport,
    rng: &mut Rng,
) -> Option<rules::Move> {
    let own = position.turn();
    let told = Clocks {
        time: [clocks[0].left_in_turn(), clocks[1].left_in_turn()],
        increment: [clocks[0].rule().game.unwrap_or_default().increment; 2],
        byoyomi: clocks[0].rule().game.unwrap_or_default().byoyomi,
    };
    let go = Go { times: Times::of(&told), ..Go::default() };
    // The line is on its way, and so is the answer.
    let way = Duration::from_millis(rng.below(20) as u64);
    let asked = world.now;
    world.run(asked + way, |_| false);
    world.up.clear();
    world.log.retain(|entry| matches!(entry, Entry::Fault { .. }));
    world.say(&format!("position {}", SetPosition::of(position)));
    world.say(&format!("go{go}"));
    let limit = clocks[own.index()].limit().unwrap_or(Duration::from_secs(60));
    let is_answer = |line: &String| line.starts_with("bestmove");
    world.run(asked + limit + Duration::from_secs(10), |up| up.iter().any(is_answer));
    let answers: Vec<&String> = world.up.iter().filter(|line| is_answer(line)).collect();
    let at = format!("ply {} of {}", position.ply(), position.sfen());
    report.moves += 1;
    let [answer] = answers[..] else {
        report.failures.push(format!("{} answers, {at}", answers.len()));
        return None;
    };
    let elapsed = world.now + way - asked;
    if clocks[own.index()].end_turn(elapsed).is_err() {
        report.failures.push(format!("out of time: {elapsed:?} of {limit:?}, {at}"));
        return None;
    }
    check_log(world, answer, position, report, &at);
    match Reply::parse(answer) {
        Ok(Reply::BestMove(BestMove::Move { best, .. })) => {
            let m = position.parse_usi(&best).ok()?;
            match GameRules::default().judge(position, Action::Move(m)) {
                Ok(m) => Some(m),
                Err(_) => {
                    report.failures.push(format!("illegal move {best}, {at}"));
                    None
                }
            }
        }
        Ok(Reply::BestMove(BestMove::Resign)) => None,
        other => {
            report.failures.push(format!("answered {other:?}, {at}"));
            None
        }
    }
}

/// Every move has one decision in the log and what the children said to it.
fn check_log(
    world: &World<Script>,
    answer: &str,
    position: &AnyPosition,
    report: &mut GameReport,
    at: &str,
) {
    let mut decisions = 0;
    let mut opinions = Vec::new();
    for entry in &world.log {
        match entry {
            Entry::Decision { answer: decided, hit, by, ply, .. } => {
                decisions += 1;
                report.hits += u32::from(*hit);
                report.own += u32::from(by == "own");
                if format!("bestmove {decided}") != answer || *ply != position.ply() {
                    report.failures.push(format!("log says {decided}, {at}"));
                }
            }
            Entry::Opinion { child, ply, .. } if *ply == position.ply() => opinions.push(child),
            _ => {}
        }
    }
    let voted = world.up.iter().filter_map(|line| {
        let (name, rest) = line.strip_prefix("info string ")?.split_once(": ")?;
        rest.ends_with(" ms").then_some(name)
    });
    for name in voted {
        if !opinions.iter().any(|child| *child == name) {
            report.failures.push(format!("the log lacks what {name} said, {at}"));
        }
    }
    if decisions != 1 || opinions.is_empty() {
        let found = format!("{decisions} decisions and {} opinions in the log", opinions.len());
        report.failures.push(format!("{found}, {at}"));
    }
}
