//! A player on a thread of its own, for whoever must not wait: calls return at once, and what
//! comes of them is told to a listener.

use crate::fault::PlayerError;
use crate::handle::SearchHandle;
use crate::line::GameLine;
use crate::player::{Allowed, Conclusion, Player, SearchRequest};
use rules::{AnyPosition, Game};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use think::{Best, Info, PonderHit};
use usi::{GameResult, Go};

/// Names a search, so that a late answer to an earlier one is known as such.
pub type SearchId = u64;

/// What comes of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerEvent {
    /// A game can begin.
    Ready,
    Note(String),
    /// A line of thought.
    Report(SearchId, Info),
    /// The end of a search. One that was replaced before it began has none.
    Best(SearchId, Best),
    /// It cannot go on: what it did wrong, in words.
    Failed(String),
}

/// Where events go. Called from the player's thread; must not block.
pub type EventSink = Arc<dyn Fn(PlayerEvent) + Send + Sync>;

/// Makes the player, and makes it again after a failure.
pub type PlayerFactory = Box<dyn Fn() -> Box<dyn Player> + Send>;

enum Task {
    Prepare(Game),
    Think { id: SearchId, number: u64, game: Box<GameLine>, go: Box<Go>, handle: SearchHandle },
    Finish(Option<GameResult>),
}

/// A player in a thread of its own: orders go in, answers come out as events.
pub struct BackgroundPlayer {
    factory: PlayerFactory,
    sink: EventSink,
    worker: Option<Worker>,
    /// Threads that see earlier players off.
    leaving: Vec<JoinHandle<()>>,
}

struct Worker {
    tasks: Sender<Task>,
    /// The latest search, and its number; earlier ones that have not begun never do.
    search: SearchHandle,
    latest: Arc<AtomicU64>,
    /// Nobody wants to hear of it any more.
    closed: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl BackgroundPlayer {
    /// A player made on its own thread when it is first needed.
    pub fn new(factory: PlayerFactory, sink: EventSink) -> Self {
        Self { factory, sink, worker: None, leaving: Vec::new() }
    }

    /// Gets ready for a game; answered with [`PlayerEvent::Ready`].
    pub fn prepare(&mut self, game: Game) {
        self.submit(Task::Prepare(game));
    }

    /// Thinks about a position, ending an earlier search. Nothing but [`Self::stop`] bounds the
    /// time it takes besides what `go` says.
    pub fn think(&mut self, id: SearchId, position: AnyPosition, go: Go) {
        let handle = SearchHandle::new();
        self.forget_waiting();
        self.stop();
        let number = self.worker.as_ref().map_or(0, |w| w.latest.load(Ordering::Relaxed));
        let game = Box::new(GameLine::new(position));
        self.submit(Task::Think { id, number, game, go: Box::new(go), handle });
    }

    /// The expected move was played.
    pub fn ponderhit(&self, hit: PonderHit) {
        if let Some(worker) = &self.worker {
            worker.search.ponderhit(hit);
        }
    }

    /// Answer now.
    pub fn stop(&self) {
        if let Some(worker) = &self.worker {
            worker.search.stop();
        }
    }

    /// The game is over.
    pub fn game_over(&mut self, result: Option<GameResult>) {
        self.forget_waiting();
        self.stop();
        if self.worker.is_some() {
            self.submit(Task::Finish(result));
        }
    }

    /// Starts anew after a failure; whatever runs is left to end by itself.
    pub fn restart(&mut self, game: Game) {
        self.dismiss();
        self.prepare(game);
    }

    fn forget_waiting(&self) {
        if let Some(worker) = &self.worker {
            worker.latest.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn submit(&mut self, task: Task) {
        if self.worker.is_none() {
            match self.start() {
                Ok(worker) => self.worker = Some(worker),
                Err(error) => {
                    let why = format!("could not start a thread: {error}");
                    (self.sink)(PlayerEvent::Failed(why));
                    return;
                }
            }
        }
        let Some(worker) = &mut self.worker else { return };
        if let Task::Think { handle, .. } = &task {
            worker.search = handle.clone();
        }
        if worker.tasks.send(task).is_err() {
            (self.sink)(PlayerEvent::Failed("the engine is not running".to_owned()));
        }
    }

    fn start(&self) -> std::io::Result<Worker> {
        let (tasks, todo) = channel();
        let closed = Arc::new(AtomicBool::new(false));
        let player = Arc::new(Mutex::new(Some((self.factory)())));
        let (sink, quiet) = (Arc::clone(&self.sink), Arc::clone(&closed));
        let tell: EventSink = Arc::new(move |event| {
            if !quiet.load(Ordering::Relaxed) {
                sink(event);
            }
        });
        let latest = Arc::new(AtomicU64::new(0));
        let newest = Arc::clone(&latest);
        let work = move || {
            let player = player.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(player) = player {
                work(player, &todo, &newest, &tell);
            }
        };
        let thread = thread::Builder::new().name("player".to_owned()).spawn(work)?;
        Ok(Worker { tasks, search: SearchHandle::new(), latest, closed, thread })
    }

    /// Sees the player off: nobody waits for it.
    fn dismiss(&mut self) {
        let Some(worker) = self.worker.take() else { return };
        worker.closed.store(true, Ordering::Relaxed);
        worker.search.abandon();
        drop(worker.tasks);
        self.leaving.retain(|thread| !thread.is_finished());
        self.leaving.push(worker.thread);
    }
}

impl Drop for BackgroundPlayer {
    fn drop(&mut self) {
        self.dismiss();
        for thread in self.leaving.drain(..) {
            // It has done what it could.
            let _ = thread.join();
        }
    }
}

fn work(mut player: Box<dyn Player>, todo: &Receiver<Task>, latest: &AtomicU64, tell: &EventSink) {
    while let Ok(task) = todo.recv() {
        let done = match task {
            Task::Prepare(game) => player
                .prepare(game, &mut |text| tell(PlayerEvent::Note(text.to_owned())))
                .map(|()| tell(PlayerEvent::Ready)),
            // Replaced before it began.
            Task::Think { number, .. } if number != latest.load(Ordering::Relaxed) => Ok(()),
            Task::Think { id, game, go, handle, .. } => {
                let allowed = Allowed::UntilStopped;
                let request = SearchRequest { game: &game, go: *go, allowed, handle };
                let mut listener = |info: &Info| tell(PlayerEvent::Report(id, info.clone()));
                player.think(&request, Some(&mut listener)).map(|decision| {
                    let best = Best { answer: decision.answer, ponder: decision.ponder };
                    tell(PlayerEvent::Best(id, best));
                })
            }
            Task::Finish(result) => {
                player.finish(Conclusion::Over(result));
                Ok(())
            }
        };
        match done {
            Ok(()) => {}
            Err(PlayerError::Abandoned) => player.finish(Conclusion::Abandoned),
            Err(PlayerError::Fault(fault)) => {
                player.finish(Conclusion::OwnFault(&fault));
                tell(PlayerEvent::Failed(fault.to_string()));
            }
        }
    }
}
