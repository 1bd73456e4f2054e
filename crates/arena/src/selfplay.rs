//! One engine against itself, for teacher data.
//!
//! Game *n* follows from the plan and *n* alone, whichever thread plays it, and games are handed
//! out in order: the same plan gives the same data on any number of threads, and work that was
//! interrupted goes on where it stopped. Both sides think with one engine, so that what one has
//! read in the table serves the other; [`SelfPlayPlan::separate`] gives each its own, for comparison.
//!
//! | file | holds |
//! |---|---|
//! | [`starts`] | where the games begin |
//! | [`earlier_games`] | positions of earlier games to begin from |
//! | [`player`] | one game |
//! | this | many at a time, in order |
//! | [`settings`] | what somebody asks for, made into a plan |
//! | [`file`] | the teacher file the games go to, to be resumed |
//!
//! Deliberately absent: clocks for the players (thinking is bounded by nodes or depth, or the data
//! would not repeat).

pub mod earlier_games;
pub mod file;
pub mod player;
pub mod settings;
pub mod starts;

#[cfg(test)]
mod tests;

use crate::adjudication::Adjudication;
use crate::opening::PlyRange;
use play::GameRules;
use player::{PlayedGame, SelfPlayError, SelfPlayer};
use rules::Game;
use serde::{Deserialize, Serialize};
use starts::Starts;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use think::{Engine, STACK};

/// Moves chosen at random early in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RandomMoves {
    pub count: usize,
    /// Plies after the opening among which they are, from 1.
    pub plies: PlyRange,
}

/// Choosing among several moves that are nearly as good as the best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NearBest {
    /// Lines that are read.
    pub lines: usize,
    /// How much worse than the best a move may be, in hundredths of a pawn.
    pub margin: i32,
    /// Last ply after the opening where this is done.
    pub last: usize,
}

/// What a policy is to learn from a search that reads several lines: the softmax of their scores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinePolicy {
    /// Lines that are read.
    pub lines: usize,
    /// What scores are divided by, in evaluation units.
    pub scale: u32,
}

/// What games to play.
#[derive(Clone, Debug)]
pub struct SelfPlayPlan {
    pub game: Game,
    /// Where they begin.
    pub starts: Starts,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Depth for each move.
    pub depth: Option<u32>,
    /// Moves chosen at random.
    pub random: RandomMoves,
    /// Choice among near-best moves.
    pub near_best: Option<NearBest>,
    /// What is written beside a move, where the search itself has nothing to say to a policy.
    pub policy: Option<LinePolicy>,
    /// A game whose first value after the random moves is further from zero is begun anew.
    pub balance: Option<i32>,
    /// Limit of moves and entering king.
    pub rules: GameRules,
    /// When scores end a game.
    pub adjudication: Adjudication,
    /// Of the random moves: the same seed gives the same games.
    pub seed: u64,
    /// Each side thinks with an engine of its own.
    pub separate: bool,
    /// Options of the engines.
    pub options: Vec<(String, String)>,
}

/// How often a game that was played before is played anew with other random moves. After that the
/// plan has no other games to give and the repeated one is taken.
const RETRIES: u64 = 16;

/// Makes an engine for a game, or says why it cannot.
pub type EngineSource = dyn Fn(Game) -> Result<Box<dyn Engine>, SelfPlayError> + Send + Sync;

/// Who plays and how long.
pub struct Production<'a> {
    pub plan: &'a SelfPlayPlan,
    pub factory: &'a EngineSource,
    /// Games at a time.
    pub threads: usize,
    /// Number of the first game.
    pub first: u64,
    /// Set from outside to break off.
    pub abandoned: &'a AtomicBool,
    /// Plays the games in place of the factory's engines.
    pub elsewhere: Option<&'a PlayElsewhere<'a>>,
}

/// Has a game played somewhere else; `None` if it was interrupted.
pub type PlayElsewhere<'a> = dyn Fn(Order) -> Result<Option<PlayedGame>, SelfPlayError> + Sync + 'a;

/// A game to play: its number, and how often it had been played before.
pub type Order = (u64, u64);

/// Puts games that come in any order into theirs, and asks for another in the place of one that had
/// been played before.
#[derive(Debug)]
pub struct Sequence {
    /// The game that is next.
    number: u64,
    waiting: BTreeMap<u64, (u64, PlayedGame)>,
}

impl Sequence {
    /// Of games from that number on.
    pub const fn from(first: u64) -> Self {
        Self { number: first, waiting: BTreeMap::new() }
    }

    /// The game that is next.
    pub const fn next(&self) -> u64 {
        self.number
    }

    /// Games that wait for one before them.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// A game came. Those whose turn it is are handed over; `seen` holds the fingerprints of earlier
    /// ones. Returns the order to be played again, if there is one.
    pub fn accept(
        &mut self,
        (number, retry): Order,
        made: PlayedGame,
        seen: &mut HashSet<u64>,
        take: &mut dyn FnMut(&PlayedGame) -> ControlFlow<()>,
    ) -> ControlFlow<(), Option<Order>> {
        self.waiting.insert(number, (retry, made));
        while let Some((retry, mut made)) = self.waiting.remove(&self.number) {
            made.repeated = !seen.insert(made.game.fingerprint());
            if made.repeated && retry < RETRIES {
                return ControlFlow::Continue(Some((self.number, retry + 1)));
            }
            self.number += 1;
            take(&made)?;
        }
        ControlFlow::Continue(None)
    }
}

impl Production<'_> {
    /// Plays games and hands them over in order, with how much was read for each, until told to
    /// stop. `seen` holds the fingerprints of earlier games, which are not played again.
    pub fn run(
        &self,
        seen: &mut HashSet<u64>,
        take: &mut dyn FnMut(&PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), SelfPlayError> {
        let next = AtomicU64::new(self.first);
        let done = AtomicBool::new(false);
        let again: Mutex<Vec<Order>> = Mutex::new(Vec::new());
        let (sender, played) = channel();
        let queue = WorkQueue { production: self, next: &next, done: &done, again: &again };
        thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                let (sender, queue) = (sender.clone(), &queue);
                let builder = thread::Builder::new().stack_size(STACK);
                builder
                    .spawn_scoped(scope, move || queue.play(&sender))
                    .map_err(SelfPlayError::Thread)?;
            }
            drop(sender);
            let mut sequence = Sequence::from(self.first);
            // The first game that could not be played: those before it are handed over.
            let mut failed: Option<(u64, SelfPlayError)> = None;
            while let Ok((order, made)) = played.recv() {
                let made = match made {
                    Ok(made) => made,
                    Err(error) => {
                        if failed.as_ref().is_none_or(|(first, _)| order.0 < *first) {
                            failed = Some((order.0, error));
                        }
                        if failed.as_ref().is_some_and(|(first, _)| *first <= sequence.next()) {
                            break;
                        }
                        continue;
                    }
                };
                match sequence.accept(order, made, seen, take) {
                    ControlFlow::Break(()) => {
                        failed = None;
                        break;
                    }
                    ControlFlow::Continue(None) => {}
                    ControlFlow::Continue(Some(order)) => {
                        again.lock().unwrap_or_else(PoisonError::into_inner).push(order);
                    }
                }
                if failed.as_ref().is_some_and(|(first, _)| *first <= sequence.next()) {
                    break;
                }
            }
            let outcome = failed.map_or(Ok(()), |(_, error)| Err(error));
            done.store(true, Ordering::Relaxed);
            outcome
        })
    }
}

/// Where the threads get their orders.
struct WorkQueue<'a> {
    production: &'a Production<'a>,
    next: &'a AtomicU64,
    done: &'a AtomicBool,
    again: &'a Mutex<Vec<Order>>,
}

impl WorkQueue<'_> {
    fn is_over(&self) -> bool {
        self.done.load(Ordering::Relaxed) || self.production.abandoned.load(Ordering::Relaxed)
    }

    fn order(&self) -> Order {
        let mut again = self.again.lock().unwrap_or_else(PoisonError::into_inner);
        again.pop().unwrap_or_else(|| (self.next.fetch_add(1, Ordering::Relaxed), 0))
    }

    fn play(&self, sender: &Sender<(Order, Result<PlayedGame, SelfPlayError>)>) {
        if let Some(elsewhere) = self.production.elsewhere {
            self.play_by(sender, &mut |order| elsewhere(order));
            return;
        }
        let mut player = match SelfPlayer::new(self.production.plan, self.production.factory) {
            Ok(player) => player,
            Err(error) => {
                // The one who waits for the first game hears of it.
                let _ = sender.send(((self.production.first, 0), Err(error)));
                return;
            }
        };
        self.play_by(sender, &mut |order| player.game(order.0, order.1, &|| self.is_over()));
    }

    fn play_by(
        &self,
        sender: &Sender<(Order, Result<PlayedGame, SelfPlayError>)>,
        game: &mut dyn FnMut(Order) -> Result<Option<PlayedGame>, SelfPlayError>,
    ) {
        while !self.is_over() {
            let order = self.order();
            let made = match game(order) {
                Ok(None) => return,
                Ok(Some(made)) => Ok(made),
                Err(error) => Err(error),
            };
            if sender.send((order, made)).is_err() {
                return;
            }
        }
    }
}

impl std::fmt::Debug for Production<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Production").field("plan", self.plan).finish_non_exhaustive()
    }
}
