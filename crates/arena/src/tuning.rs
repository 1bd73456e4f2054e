//! Tuning on the match loop: pairs of games between values a step one way and a step the other.
//!
//! [`tune`] hands out games, whoever plays them, and applies results in the order of the
//! iterations; [`EnginePair`] plays them, with our own engine or any program.

use crate::game::Played;
use crate::runner::{Flow, MatchRunner, Plan};
use crate::schedule::ScheduledGame;
use crate::spsa::{Probe, Spsa, WINDOW};
use crate::timed_game::play_timed;
use engines::{LocalPlayer, Player, UsiPlayer};
use rules::Color;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A game to be played.
#[derive(Clone, Debug)]
pub struct TuningGame {
    /// Its number over the whole tuning; two that follow each other, an even one first, are a
    /// pair.
    pub number: u64,
    /// The values that meet.
    pub probe: Arc<Probe>,
}

/// A game that was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TuningResult {
    /// Half points of the `plus` side, 0 to 2.
    pub half_points: u8,
    /// Whether it ended by a fault.
    pub fault: bool,
}

impl TuningResult {
    /// What a game counts.
    pub fn of(scheduled: &ScheduledGame, played: &Played) -> Self {
        let plus_is_black = scheduled.players[Color::Black.index()] == 0;
        let half_points = match played.winner() {
            None => 1,
            Some(color) => 2 * u8::from(plus_is_black == (color == Color::Black)),
        };
        Self { half_points, fault: played.end.fault().is_some() }
    }
}

/// An iteration that is over.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Which one, from 0.
    pub iteration: u64,
    /// Games won by the `plus` side.
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    /// Games that ended by a fault, which are lost for whoever made it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u32,
    /// Values after it, by parameter.
    pub values: Vec<f64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Step {
    /// One of which no game is known yet.
    pub const fn new(iteration: u64) -> Self {
        Self { iteration, wins: 0, draws: 0, losses: 0, faults: 0, values: Vec::new() }
    }

    /// Games played.
    pub const fn games(&self) -> u64 {
        self.wins as u64 + self.draws as u64 + self.losses as u64
    }

    /// Games won less games lost.
    pub fn result(&self) -> i64 {
        i64::from(self.wins) - i64::from(self.losses)
    }

    /// Counts a game.
    pub fn add(&mut self, result: TuningResult) {
        match result.half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
        self.faults += u32::from(result.fault);
    }
}

/// Plays a game; `None` when everything is broken off.
pub type PlayGame<'a> = Box<dyn FnMut(&TuningGame) -> Option<TuningResult> + 'a>;

/// Plays all iterations that are left, each of `pairs` pairs of games, with as many players as
/// `workers` says, each made in its own thread. `watch` is told of every iteration, in order.
pub fn tune<'a>(
    spsa: &mut Spsa,
    pairs: u64,
    workers: usize,
    player: &(dyn Fn(usize) -> PlayGame<'a> + Sync),
    watch: &mut dyn FnMut(&Step) -> Flow,
) {
    let (give, games) = channel::<TuningGame>();
    let games = Mutex::new(games);
    let (answer, answers) = channel();
    thread::scope(|scope| {
        for worker in 0..workers.max(1) {
            let (answer, games) = (answer.clone(), &games);
            let work = move || {
                let mut sit = player(worker);
                loop {
                    // Held while waiting: the others would only wait for the same thing.
                    let next = games.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(game) = next else { return };
                    let result = sit(&game);
                    let told = answer.send((game.probe.iteration, result));
                    if told.is_err() || result.is_none() {
                        return;
                    }
                }
            };
            let spawned =
                thread::Builder::new().name(format!("tune {worker}")).spawn_scoped(scope, work);
            if spawned.is_err() && worker > 0 {
                // Fewer at a time than asked for is better than none.
                break;
            }
        }
        drop(answer);
        let mut give = Some(give);
        let mut next = spsa.applied();
        let mut open: BTreeMap<u64, Step> = BTreeMap::new();
        loop {
            while let (Some(give), Some(probe)) = (&give, spsa.probe(next)) {
                let probe = Arc::new(probe);
                for number in next * pairs * 2..(next + 1) * pairs * 2 {
                    // If nobody listens any more no answer will come either.
                    let _ = give.send(TuningGame { number, probe: Arc::clone(&probe) });
                }
                next += 1;
            }
            if spsa.applied() >= spsa.gains().iterations {
                give = None;
            }
            let Ok((iteration, result)) = answers.recv() else { return };
            let Some(result) = result else {
                give = None;
                continue;
            };
            open.entry(iteration).or_insert_with(|| Step::new(iteration)).add(result);
            while give.is_some()
                && let Some(mut step) = open.remove(&spsa.applied())
            {
                if step.games() < pairs * 2 {
                    open.insert(step.iteration, step);
                    break;
                }
                spsa.apply(step.result());
                step.values = spsa.values().to_vec();
                if watch(&step) == Flow::Stop {
                    give = None;
                }
            }
        }
    });
}

/// How many games may be under way at a time.
pub const fn games_at_a_time(pairs: u64) -> u64 {
    WINDOW.saturating_mul(pairs).saturating_mul(2)
}

/// A player whose options change from game to game.
enum TunedPlayer {
    Local(Box<LocalPlayer>),
    Program(Box<UsiPlayer>),
}

impl TunedPlayer {
    fn set_options(&mut self, options: Vec<(String, String)>) {
        match self {
            Self::Local(player) => player.set_options(options),
            // One that is broken shows it when its game begins, and is started anew with them.
            Self::Program(player) => drop(player.set_options(&options)),
        }
    }

    fn as_player(&mut self) -> &mut dyn Player {
        match self {
            Self::Local(player) => &mut **player,
            Self::Program(player) => &mut **player,
        }
    }
}

/// Plays games of a tuning with two engines. The plan's first engine is the `plus` side, its second
/// the other; its schedule says from where.
pub struct EnginePair<P> {
    plan: P,
    players: [TunedPlayer; 2],
    names: Vec<String>,
    runner: MatchRunner,
    /// Which of the games at a time they play.
    slot: usize,
}

impl<P: Deref<Target = Plan>> EnginePair<P> {
    /// Two engines in one of the games at a time; `names` are the options the parameters are.
    pub fn new(plan: P, runner: &MatchRunner, slot: usize, names: Vec<String>) -> Self {
        let player = |index: usize| {
            let spec = &plan.engines[index];
            match runner.command(&plan, index) {
                None => TunedPlayer::Local(Box::new(runner.local_player(spec, plan.terms.rules))),
                Some(program) => {
                    let player = runner.usi_player(&plan, index, slot, &[], program);
                    TunedPlayer::Program(Box::new(player))
                }
            }
        };
        let players = [player(0), player(1)];
        Self { plan, players, names, runner: runner.clone(), slot }
    }

    /// Plays a game; `None` when it was broken off, or not begun because all is to end.
    pub fn play(&mut self, game: &TuningGame) -> Option<TuningResult> {
        let (scheduled, played) = self.played(game)?;
        Some(TuningResult::of(&scheduled, &played))
    }

    /// The same with the game as it was played.
    pub fn played(&mut self, game: &TuningGame) -> Option<(ScheduledGame, Played)> {
        // Set from outside to end: no other game begins.
        if self.runner.abandoned.load(Ordering::Relaxed) {
            return None;
        }
        let scheduled = self.plan.schedule.game(game.number)?;
        let probe = &game.probe;
        for (player, values) in self.players.iter_mut().zip([&probe.plus, &probe.minus]) {
            let options = self.names.iter().zip(values);
            player.set_options(options.map(|(n, v)| (n.clone(), v.to_string())).collect());
        }
        self.runner.note_game(&self.plan, &scheduled, self.slot);
        let [plus, minus] = &mut self.players;
        let plus_is_black = scheduled.players[Color::Black.index()] == 0;
        let (plus, minus) = (plus.as_player(), minus.as_player());
        let players = if plus_is_black { [plus, minus] } else { [minus, plus] };
        let controls = scheduled.players.map(|index| self.plan.engines[index].control);
        let opening = &self.plan.openings[scheduled.opening];
        let played = play_timed(opening, &self.plan.terms, controls, players).ok()?;
        Some((scheduled, played))
    }
}

#[cfg(test)]
mod tests;
