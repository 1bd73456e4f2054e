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

    /// What hands batches to the threads they came from, where that is needed.
    fn router(&self) -> Option<Router> {
        match self {
            Self::OnThreads(_) => None,
            Self::Device(net) => Some(Router::new(Arc::clone(net))),
        }
    }

    /// The way of a thread's batches.
    fn line(&self, thread: usize, router: Option<&Router>) -> Option<Line> {
        match self {
            Self::OnThreads(nets) => nets.get(thread).map(|net| Line::here(Arc::clone(net))),
            Self::Device(_) => router.map(Router::line),
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
    /// The net of the other side, in a match: that of White in games with even numbers.
    pub other: Option<PlayerNet>,
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
        let nets: Vec<&PlayerNet> = std::iter::once(&self.net).chain(&self.other).collect();
        let shape = self.net.shape().ok_or(PlayError::NoNet)?;
        for found in nets.iter().filter_map(|net| net.shape()) {
            if found.game != V::GAME || found != shape {
                return Err(PlayError::Net { found, game: V::GAME });
            }
        }
        let is_match = self.other.is_some();
        let table = Table::<V>::new(self.settings, shape, self.lots, self.resign, is_match)?;
        let (next, done) = (AtomicU64::new(self.first), AtomicBool::new(false));
        let routers: Vec<Option<Router>> = nets.iter().map(|net| net.router()).collect();
        thread::scope(|scope| {
            let (sender, said) = channel();
            let start = || {
                for number in 0..self.threads() {
                    let ways = nets.iter().zip(&routers);
                    let lines = ways.map(|(net, router)| net.line(number, router.as_ref()));
                    let lines = lines.collect::<Option<Vec<_>>>().ok_or(PlayError::NoNet)?;
                    let sender = sender.clone();
                    let work = Work { play: self, table: &table, next: &next, done: &done };
                    let played = move || {
                        if let Err(error) = work.play(lines, &sender) {
                            let _ = sender.send(Message::Failed(error));
                        }
                    };
                    thread::Builder::new().stack_size(STACK).spawn_scoped(scope, played)?;
                }
                for router in routers.iter().flatten() {
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
        let nets = std::iter::once(&self.net).chain(&self.other);
        nets.fold(self.threads.get(), |threads, net| match net {
            PlayerNet::OnThreads(nets) => threads.min(nets.len()),
            PlayerNet::Device(_) => threads,
        })
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
    /// What each net is asked by them.
    questions: Vec<Questions>,
    /// Batches that have not come back.
    away: usize,
}

/// What one net is asked by a group.
struct Questions {
    /// Whose each of the batch is.
    asked: Vec<usize>,
    /// Missing while it is away.
    batch: Option<Batch>,
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

    fn play(&self, mut lines: Vec<Line>, sender: &Sender<Message>) -> Result<(), PlayError> {
        let Some(line) = lines.first() else { return Err(PlayError::NoNet) };
        let (groups, size) = self.sizes(line);
        let mut scratch = Scratch::default();
        let questions = || Questions { asked: vec![], batch: None };
        let mut all: Vec<Group<V>> = (0..groups)
            .map(|_| Group {
                games: (0..size).map_while(|_| self.begin()).collect(),
                questions: lines.iter().map(|_| questions()).collect(),
                away: 0,
            })
            .collect();
        for number in 0..groups {
            self.ask(&mut all, number, size, &mut lines, &mut scratch, sender)?;
        }
        while lines.iter().any(Line::is_waiting) && !self.is_over() {
            for net in 0..lines.len() {
                if !lines[net].is_waiting() {
                    continue;
                }
                let Some((number, batch)) = lines[net].receive()? else { continue };
                let Group { games, questions, away } = &mut all[number];
                for (at, &game) in questions[net].asked.iter().enumerate() {
                    let (policy, value) = (batch.policy(at), batch.value(at));
                    games[game].answer(self.table, &mut scratch, policy, value);
                }
                questions[net].batch = Some(batch);
                *away -= 1;
                if *away == 0 {
                    self.ask(&mut all, number, size, &mut lines, &mut scratch, sender)?;
                }
            }
        }
        Ok(())
    }

    /// Plays all games of a group on until each has a question, and sends these to the nets.
    fn ask(
        &self,
        groups: &mut [Group<V>],
        number: usize,
        size: usize,
        lines: &mut [Line],
        scratch: &mut Scratch,
        sender: &Sender<Message>,
    ) -> Result<(), PlayError> {
        let Group { games, questions, away } = &mut groups[number];
        let emptied = |questions: &mut Questions| {
            questions.asked.clear();
            let mut batch =
                questions.batch.take().unwrap_or_else(|| Batch::new(self.table.shape, size));
            batch.clear();
            batch
        };
        let mut batches: Vec<Batch> = questions.iter_mut().map(emptied).collect();
        let mut at = 0;
        while at < games.len() && !self.is_over() {
            match games[at].advance(self.table, scratch, &mut batches) {
                Next::Waiting(net) => {
                    questions[net].asked.push(at);
                    at += 1;
                }
                Next::Over(game) => {
                    let _ = sender.send(Message::Finished(game));
                    match self.begin() {
                        Some(game) => games[at] = game,
                        None => {
                            games.swap_remove(at);
                        }
                    }
                }
            }
        }
        for ((batch, line), questions) in batches.into_iter().zip(lines).zip(questions) {
            if batch.is_empty() || self.is_over() {
                questions.batch = Some(batch);
            } else {
                *away += 1;
                line.send(number, batch)?;
            }
        }
        Ok(())
    }
}
