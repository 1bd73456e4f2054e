//! Many games at a time, in batches over a net, on several threads.
//!
//! Every thread has games of its own in one or more groups. A group goes round: the answers of its last
//! batch are taken, every game plays on until it has a question, the questions go to the net together.
//! Where the net computes on the thread that asks, one group is enough; for a device there are several, so
//! that one is computed while another plays on. Games are handed over in the order of their numbers.

use crate::game::{FinishedGame, GameInPlay, Next, Scratch, Table};
use crate::line::{Line, Router};
use crate::lots::Lots;
use crate::settings::{PlaySettings, SettingsError};
use balance::WinRate;
use infer::{Backend, Batch, Fault, Shape};
use rules::{Game, Minishogi, Shogi, Variant};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use think::STACK;
use thiserror::Error;

/// Groups of a thread whose net computes elsewhere: one plays, one is computed, one is on its way.
pub(crate) const GROUPS: NonZeroUsize = NonZeroUsize::new(3).unwrap();

/// The net of all games.
#[derive(Clone)]
pub enum PlayerNet {
    /// It computes on the threads that ask: one for each.
    OnThreads(Vec<Arc<dyn Backend>>),
    /// It computes elsewhere, for all threads.
    Device(Arc<dyn Backend>),
}

impl PlayerNet {
    /// What it sees and says.
    pub fn shape(&self) -> Option<Shape> {
        match self {
            Self::OnThreads(nets) => nets.first().map(|net| net.shape()),
            Self::Device(net) => Some(net.shape()),
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        match self {
            Self::OnThreads(nets) => nets.first().map(|net| net.describe()).unwrap_or_default(),
            Self::Device(net) => net.describe(),
        }
    }
}

impl std::fmt::Debug for PlayerNet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.describe())
    }
}

/// Games to play.
#[derive(Debug)]
pub struct SelfPlay<'a> {
    pub settings: &'a PlaySettings,
    /// Where each game begins, and with which temperatures.
    pub lots: &'a Lots,
    /// The chance to win at which a side resigns; never, if there is none.
    pub resign: Option<WinRate>,
    /// Numbers of the games: from the first, up to the last and without it.
    pub first: u64,
    pub last: u64,
    pub net: PlayerNet,
    pub threads: NonZeroUsize,
    /// Games at a time over all threads, where the net computes elsewhere.
    pub games: NonZeroUsize,
    /// Set from outside to break off.
    pub stop: &'a AtomicBool,
}

/// Why games cannot go on.
#[derive(Debug, Error)]
pub enum PlayError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("the net is for {found}, the game is {game}")]
    Net { found: Shape, game: Game },
    #[error("there is no net to play with")]
    NoNet,
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Whoever played them did not.
    #[error("self-play elsewhere: {0}")]
    Elsewhere(String),
    #[error("could not start a thread for self-play: {0}")]
    Thread(#[from] io::Error),
}

/// What a thread reports.
enum Message {
    Finished(Box<FinishedGame>),
    Failed(PlayError),
}

impl SelfPlay<'_> {
    /// Plays the games and hands them over in order, until all are played or somebody says stop.
    pub fn run(
        &self,
        take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
    ) -> Result<(), PlayError> {
        match self.settings.game {
            Game::Shogi => self.run_game::<Shogi>(take),
            Game::Minishogi => self.run_game::<Minishogi>(take),
        }
    }

    fn run_game<V: Variant>(
        &self,
        take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
    ) -> Result<(), PlayError> {
        let shape = self.net.shape().ok_or(PlayError::NoNet)?;
        if shape.game != V::GAME {
            return Err(PlayError::Net { found: shape, game: V::GAME });
        }
        let table = Table::<V>::new(self.settings, shape, self.lots, self.resign)?;
        let (next, done) = (AtomicU64::new(self.first), AtomicBool::new(false));
        let router = match &self.net {
            PlayerNet::Device(net) => Some(Router::new(Arc::clone(net))),
            PlayerNet::OnThreads(_) => None,
        };
        thread::scope(|scope| {
            let (sender, said) = channel();
            let start = || {
                for number in 0..self.threads() {
                    let line = match (&self.net, &router) {
                        (PlayerNet::OnThreads(nets), _) => Line::here(Arc::clone(&nets[number])),
                        (PlayerNet::Device(_), Some(router)) => router.line(),
                        (PlayerNet::Device(_), None) => return Err(PlayError::NoNet),
                    };
                    let sender = sender.clone();
                    let work = Work { play: self, table: &table, next: &next, done: &done };
                    let played = move || {
                        if let Err(error) = work.play(line, &sender) {
                            let _ = sender.send(Message::Failed(error));
                        }
                    };
                    thread::Builder::new().stack_size(STACK).spawn_scoped(scope, played)?;
                }
                if let Some(router) = &router {
                    let over = &done;
                    thread::Builder::new().spawn_scoped(scope, move || router.run(over))?;
                }
                Ok(())
            };
            let started = start();
            drop(sender);
            let result = started.and_then(|()| in_order(self.first, self.last, &said, take));
            // Threads that still play see it and end; so does the router.
            done.store(true, Ordering::Relaxed);
            result
        })
    }

    /// No more threads than nets, where each has its own.
    fn threads(&self) -> usize {
        match &self.net {
            PlayerNet::OnThreads(nets) => self.threads.get().min(nets.len()),
            PlayerNet::Device(_) => self.threads.get(),
        }
    }
}

/// Hands games over in the order of their numbers, as they come in any.
fn in_order(
    first: u64,
    last: u64,
    said: &std::sync::mpsc::Receiver<Message>,
    take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
) -> Result<(), PlayError> {
    let (mut next, mut waiting) = (first, BTreeMap::new());
    while next < last {
        match said.recv() {
            Ok(Message::Finished(game)) => waiting.insert(game.number, game),
            Ok(Message::Failed(error)) => return Err(error),
            // All threads have ended: somebody said stop.
            Err(_) => return Ok(()),
        };
        while let Some(game) = waiting.remove(&next) {
            next += 1;
            if take(*game).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What one thread does.
struct Work<'a, V: Variant> {
    play: &'a SelfPlay<'a>,
    table: &'a Table<V>,
    next: &'a AtomicU64,
    done: &'a AtomicBool,
}

/// Games that ask together.
struct Group<V: Variant> {
    games: Vec<GameInPlay<V>>,
    /// Whose question each of the batch is.
    asked: Vec<usize>,
}

impl<V: Variant> Work<'_, V> {
    fn is_over(&self) -> bool {
        self.done.load(Ordering::Relaxed) || self.play.stop.load(Ordering::Relaxed)
    }

    /// The next game, unless all are begun.
    fn begin(&self) -> Option<GameInPlay<V>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.play.last).then(|| GameInPlay::new(self.table, number))
    }

    /// Groups of a thread, and games in each.
    fn sizes(&self, line: &Line) -> (usize, usize) {
        let pace = line.pace();
        if line.is_here() {
            return (1, pace.batch.max(1));
        }
        let groups = GROUPS.get();
        let each = self.play.games.get().div_ceil(self.play.threads() * groups);
        (groups, each.clamp(1, pace.batch.max(1)))
    }

    fn play(&self, mut line: Line, sender: &Sender<Message>) -> Result<(), PlayError> {
        let (groups, size) = self.sizes(&line);
        let mut scratch = Scratch::default();
        let mut all: Vec<Group<V>> = (0..groups)
            .map(|_| Group {
                games: (0..size).map_while(|_| self.begin()).collect(),
                asked: vec![],
            })
            .collect();
        for (number, group) in all.iter_mut().enumerate() {
            let batch = Batch::new(self.table.shape, size);
            self.ask(group, number, batch, &mut line, &mut scratch, sender)?;
        }
        while line.is_waiting() && !self.is_over() {
            let Some((number, batch)) = line.receive()? else { continue };
            let group = &mut all[number];
            for (at, &game) in group.asked.iter().enumerate() {
                let (policy, value) = (batch.policy(at), batch.value(at));
                group.games[game].answer(self.table, &mut scratch, policy, value);
            }
            self.ask(group, number, batch, &mut line, &mut scratch, sender)?;
        }
        Ok(())
    }

    /// Plays all games of a group on until each has a question, and sends these to the net.
    fn ask(
        &self,
        group: &mut Group<V>,
        number: usize,
        mut batch: Batch,
        line: &mut Line,
        scratch: &mut Scratch,
        sender: &Sender<Message>,
    ) -> Result<(), PlayError> {
        batch.clear();
        group.asked.clear();
        let mut at = 0;
        while at < group.games.len() && !self.is_over() {
            match group.games[at].advance(self.table, scratch, &mut batch) {
                Next::Waiting => {
                    group.asked.push(at);
                    at += 1;
                }
                Next::Over(game) => {
                    let _ = sender.send(Message::Finished(game));
                    match self.begin() {
                        Some(game) => group.games[at] = game,
                        None => {
                            group.games.swap_remove(at);
                        }
                    }
                }
            }
        }
        if !batch.is_empty() && !self.is_over() {
            line.send(number, batch)?;
        }
        Ok(())
    }
}
