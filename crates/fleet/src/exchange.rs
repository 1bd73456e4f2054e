//! One command's work through a queue in the same process: what `--fleet` does on one machine. The
//! rooms ask for a game or a piece at a time, from as many threads as there are at a time; each
//! becomes a task, which a worker of this process leases, does and hands in like any other.

use crate::batch::{Fault, FaultKind, Product};
use crate::in_process::InProcess;
use crate::mates::problem_text;
use crate::names::{NameError, Pool, RunId, TaskId, WorkerId};
use crate::needs::Needs;
use crate::perform::Equipment;
use crate::queue::{Cursor, Event, Queue, QueueError, Settings};
use crate::task::{Input, MatchSpec, Pins, Priority, Spec, Task, Unit};
use crate::work::{WorkSettings, work};
use crate::worker::{Standing, Worker};
use arena::opening_maker::{Judge, MadeOpenings, OpeningMakerError, OpeningSettings};
use arena::progress::{MatchObserver, MatchProgress, ProgressError, Wanted};
use arena::request::MatchRequest;
use arena::selfplay::Order;
use arena::selfplay::player::{PlayedGame, SelfPlayError};
use arena::spsa::Spsa;
use arena::tuning::{PlayGame, Step, TuningGame, TuningResult, tune};
use arena::{Flow, MatchRunner, Plan};
use corpus::rescore::{Piece, ScoredPiece};
use mate::Study;
use rules::AnyPosition;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};
use teacher::Reader;
use think::Control;
use thiserror::Error;

/// The one run.
const RUN: RunId = RunId(1);

type Waiting = Mutex<HashMap<TaskId, SyncSender<Result<Product, Fault>>>>;

/// Where work is asked for.
pub struct Exchange<'a> {
    queue: &'a dyn Queue,
    spec: Arc<Spec>,
    pins: Arc<Pins>,
    next: AtomicU64,
    waiting: &'a Waiting,
}

impl Exchange<'_> {
    /// Has a unit done, and waits for what comes of it.
    pub fn call(&self, unit: Unit) -> Result<Product, Fault> {
        let id = TaskId(self.next.fetch_add(1, Ordering::Relaxed));
        let task = Task {
            id,
            run: RUN,
            batches: 1,
            spec: Arc::clone(&self.spec),
            unit,
            seed: id.0,
            pins: Arc::clone(&self.pins),
            needs: Needs::default(),
            priority: Priority::Normal,
        };
        let ended = || Fault::new(FaultKind::Leaving, "everything ended");
        let (tell, told) = sync_channel(1);
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, tell);
        if let Err(error) = self.queue.offer(&task) {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            return Err(match error {
                QueueError::Withdrawn { .. } => ended(),
                other => Fault::new(FaultKind::Machine, other.to_string()),
            });
        }
        told.recv().unwrap_or_else(|_| Err(ended()))
    }

    /// Breaks off everything under way: those who wait are told at once, those who work soon.
    pub fn break_off(&self) {
        // The queue of this process is always there.
        let _ = self.queue.withdraw(RUN);
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Tells those who wait what came of their tasks, until the worker has ended.
fn dispatch(queue: &dyn Queue, waiting: &Waiting, done: &AtomicBool) {
    const PAUSE: Duration = Duration::from_millis(50);
    let tell = |task: TaskId, told: Result<Product, Fault>| {
        let waiter = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&task);
        if let Some(waiter) = waiter {
            // Whoever has gone needs no answer.
            let _ = waiter.send(told);
        }
    };
    let mut after = Cursor::default();
    loop {
        let over = done.load(Ordering::Relaxed);
        // The queue of this process is always there.
        let events = queue.watch(after, 256, PAUSE).unwrap_or_default();
        if over && events.is_empty() {
            break;
        }
        for (cursor, event) in events {
            after = cursor;
            match event {
                Event::Finished { task, batch, .. } => tell(task, Ok(batch.product)),
                Event::Failed { task, fault, .. } => tell(task, Err(fault)),
                Event::GivenUp { task, .. } => {
                    tell(task, Err(Fault::new(FaultKind::Machine, "given up")));
                }
                Event::Announced { .. } | Event::Expired { .. } => {}
            }
        }
        // Nothing that was told is asked for again.
        let _ = queue.acknowledge(after);
    }
    waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Runs a command whose work of one spec is done by so many slots of this process.
pub fn with_local_fleet<R>(
    spec: Spec,
    slots: usize,
    equipment: &Equipment,
    command: impl FnOnce(&Exchange<'_>) -> R,
) -> Result<R, QueueError> {
    // Nobody else could do what this process does not, and it tells at once when it cannot.
    let settings =
        Settings { lease: Duration::from_secs(3600), max_attempts: 1, ..Settings::default() };
    let queue = InProcess::new(settings, Arc::clone(&equipment.runner.time));
    let id: WorkerId = "local".parse().map_err(|e: NameError| unavailable(&e))?;
    let worker = Worker {
        id,
        owner: "local".parse().map_err(|e: NameError| unavailable(&e))?,
        cores: u32::try_from(slots).unwrap_or(u32::MAX),
        memory_mib: 0,
        speed: equipment.speed,
        bench: 0,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pools: vec![Pool::any()],
        holding: None,
    };
    queue.stand(&worker.id, Standing::Admitted)?;
    let waiting = Waiting::default();
    let (ended, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let settings = WorkSettings {
        slots,
        wait: Duration::from_millis(50),
        beat: Some(Duration::from_millis(100)),
        ..WorkSettings::default()
    };
    Ok(thread::scope(|scope| {
        let (queue, waiting, ended, done) = (&queue, &waiting, &ended, &done);
        scope.spawn(|| {
            // One that ends answers nobody: those who wait are told by the one below.
            let _ = work(queue, &worker, equipment, &settings, ended, &());
            done.store(true, Ordering::Relaxed);
        });
        scope.spawn(|| dispatch(queue, waiting, done));
        let exchange = Exchange {
            queue,
            spec: Arc::new(spec),
            pins: Arc::new(Pins::default()),
            next: AtomicU64::new(1),
            waiting,
        };
        let ending = Ending(ended);
        let result = command(&exchange);
        drop(ending);
        result
    }))
}

/// Ends the worker, also where the command panics: nobody would end it otherwise.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn unavailable(error: &NameError) -> QueueError {
    QueueError::Unavailable { reason: error.to_string() }
}

/// Why a match by the fleet ended badly.
#[derive(Debug, Error)]
pub enum MatchError {
    #[error(transparent)]
    Progress(#[from] ProgressError),
    #[error("{0}")]
    Fault(Fault),
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// Plays what is left of a match through a queue of this process: the same games as without.
pub fn run_match(
    request: &MatchRequest,
    runner: &MatchRunner,
    progress: &mut MatchProgress<'_>,
    now: fn() -> SystemTime,
    observer: &mut dyn MatchObserver,
) -> Result<(), MatchError> {
    let spec = MatchSpec { request: request.clone(), reference_speed: None };
    let plan = progress.plan();
    let equipment = Equipment::of_command(runner);
    let spec = Spec::Match(Box::new(spec));
    with_local_fleet(spec, plan.concurrency, &equipment, |exchange| {
        let mut failed = None;
        let mut play = |wanted: &Wanted<'_>, watch: &mut dyn FnMut(arena::Event) -> Flow| {
            failed = play_match(exchange, plan, &runner.abandoned, wanted, watch).err();
        };
        progress.play_by(&mut play, now, observer)?;
        failed.map_or(Ok(()), |fault| Err(MatchError::Fault(fault)))
    })?
}

/// Plays the games of a match, several at a time, in the place of the match runner.
pub fn play_match(
    exchange: &Exchange<'_>,
    plan: &Plan,
    stop: &AtomicBool,
    wanted: &Wanted<'_>,
    watch: &mut dyn FnMut(arena::Event) -> Flow,
) -> Result<(), Fault> {
    let next = AtomicU64::new(0);
    let stopped = AtomicBool::new(false);
    let (sender, told) = channel();
    let mut failure = None;
    thread::scope(|scope| {
        for _ in 0..plan.concurrency.max(1) {
            let (sender, next, stopped) = (sender.clone(), &next, &stopped);
            let play = move || {
                while !stop.load(Ordering::Relaxed) && !stopped.load(Ordering::Relaxed) {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    let Some(scheduled) = plan.schedule.game(id) else { return };
                    if !wanted(id) {
                        continue;
                    }
                    let begun = sender.send(Ok(arena::Event::Started(scheduled)));
                    let played = exchange.call(Unit::new(id, 1));
                    let finished = played.and_then(|product| replayed(plan, id, &product));
                    let failed = finished.is_err();
                    let finished = finished.map(|game| arena::Event::Finished(Box::new(game)));
                    if begun.is_err() || sender.send(finished).is_err() || failed {
                        return;
                    }
                }
            };
            scope.spawn(play);
        }
        drop(sender);
        while let Ok(event) = told.recv() {
            let flow = match event {
                Ok(event) => watch(event),
                Err(fault) => {
                    if !stopped.load(Ordering::Relaxed) {
                        failure.get_or_insert(fault);
                    }
                    Flow::Stop
                }
            };
            if flow == Flow::Stop && !stopped.swap(true, Ordering::Relaxed) {
                exchange.break_off();
            }
        }
    });
    failure.map_or(Ok(()), Err)
}

/// The one game of a product, replayed by the rules.
fn replayed(plan: &Plan, id: u64, product: &Product) -> Result<arena::Finished, Fault> {
    let dishonest = |why: String| Fault::new(FaultKind::Dishonest, why);
    match product {
        Product::Games { games } if games.len() == 1 && games[0].id == id => {
            games[0].replay(plan).map_err(|e| dishonest(e.to_string()))
        }
        _ => Err(dishonest(format!("game {id} was asked for, and something else came"))),
    }
}

/// Plays a game of a tuning; `None` when everything is broken off.
pub fn play_tuning(
    exchange: &Exchange<'_>,
    plan: &Plan,
    game: &TuningGame,
) -> Option<Result<TuningResult, Fault>> {
    let probe = Some((*game.probe).clone());
    let product = match exchange.call(Unit { probe, ..Unit::new(game.number, 1) }) {
        Ok(product) => product,
        Err(fault) if fault.kind == FaultKind::Leaving => return None,
        Err(fault) => return Some(Err(fault)),
    };
    let finished = replayed(plan, game.number, &product);
    Some(finished.map(|game| TuningResult::of(&game.scheduled, &game.played)))
}

/// Tunes through a queue of this process: the same games as without. `size` is the pairs of an
/// iteration and the games at a time.
pub fn tune_by_fleet(
    spec: Spec,
    plan: &Plan,
    runner: &MatchRunner,
    spsa: &mut Spsa,
    size: (u64, usize),
    watch: &mut dyn FnMut(&Step) -> Flow,
) -> Result<(), MatchError> {
    let equipment = Equipment::of_command(runner);
    let failed = Mutex::new(None);
    let (pairs, slots) = size;
    with_local_fleet(spec, slots, &equipment, |exchange| {
        let failed = &failed;
        let player = |_| -> PlayGame<'_> {
            Box::new(move |game| {
                if runner.abandoned.load(Ordering::Relaxed) {
                    return None;
                }
                play_tuning(exchange, plan, game)?
                    .map_err(|fault| {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
                    })
                    .ok()
            })
        };
        tune(spsa, pairs, slots, &player, watch);
    })?;
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |fault| Err(MatchError::Fault(fault)))
}

/// Plays a game of self-play.
pub fn play_self(
    exchange: &Exchange<'_>,
    (number, retry): Order,
) -> Result<Option<PlayedGame>, SelfPlayError> {
    let failed = |reason: String| SelfPlayError::Elsewhere { number, reason };
    match exchange.call(Unit { retry, ..Unit::new(number, 1) }) {
        Ok(product) => {
            let mut games = teacher_games(&product).map_err(|fault| failed(fault.to_string()))?;
            match (games.pop(), games.is_empty()) {
                (Some(game), true) => Ok(Some(game)),
                _ => Err(failed("one game was asked for, and something else came".to_owned())),
            }
        }
        Err(fault) if fault.kind == FaultKind::Leaving => Ok(None),
        Err(fault) => Err(failed(fault.to_string())),
    }
}

/// The games of self-play in a product. Reading them plays their moves by the rules.
pub fn teacher_games(product: &Product) -> Result<Vec<PlayedGame>, Fault> {
    let dishonest = |why: String| Fault::new(FaultKind::Dishonest, why);
    let Product::Teacher { bytes, made } = product else {
        return Err(dishonest("games of self-play were asked for".to_owned()));
    };
    let reader = Reader::new(&bytes.0[..]).map_err(|e| dishonest(e.to_string()))?;
    let games: Result<Vec<teacher::Game>, _> = reader.games().collect();
    let games = games.map_err(|e| dishonest(e.to_string()))?;
    if games.len() != made.len() {
        let (games, made) = (games.len(), made.len());
        return Err(dishonest(format!("{games} games and {made} counts of nodes")));
    }
    let played = games.into_iter().zip(made).map(|(game, made)| PlayedGame {
        game,
        nodes: made.nodes,
        searches: made.searches,
        repeated: false,
    });
    Ok(played.collect())
}

/// Has a piece scored.
pub fn score_piece(exchange: &Exchange<'_>, piece: Piece) -> Result<ScoredPiece, String> {
    let input = Input::of(piece.format.name(), &[piece.bytes]);
    let unit = Unit { input: Some(input), ..Unit::new(0, 1) };
    match exchange.call(unit).map_err(|fault| fault.to_string())? {
        Product::Rescored { bytes, kept, problems } => {
            Ok(ScoredPiece { bytes: bytes.0, kept, problems })
        }
        _ => Err("scores were asked for, and something else came".to_owned()),
    }
}

/// Has candidates for openings judged, in the place of an engine of the thread that asks.
pub fn judge<'a>(exchange: &'a Exchange<'_>) -> Judge<'a> {
    Box::new(move |number| {
        let failed = |why: &str| OpeningMakerError::Elsewhere(why.to_owned());
        match exchange.call(Unit::new(number, 1)) {
            Ok(Product::Values { values }) if values.len() == 1 => Ok(values[0]),
            Ok(_) => Err(failed("a value was asked for, and something else came")),
            Err(fault) if fault.kind == FaultKind::Leaving => Err(OpeningMakerError::Interrupted),
            Err(fault) => Err(failed(&fault.to_string())),
        }
    })
}

/// Makes openings through a queue of this process: the same as without.
pub fn make_openings(
    settings: &OpeningSettings,
    runner: &MatchRunner,
    progress: &mut dyn FnMut(usize, u64),
) -> Result<MadeOpenings, OpeningMakerError> {
    let equipment = Equipment::of_command(runner);
    let spec = Spec::Openings(Box::new(settings.clone()));
    let made = with_local_fleet(spec, settings.concurrency, &equipment, |exchange| {
        settings.make_by(&|| judge(exchange), &runner.abandoned, progress)
    });
    made.unwrap_or_else(|error| Err(OpeningMakerError::Elsewhere(error.to_string())))
}

/// Has a problem of mate solved; `stop` breaks it off.
pub fn solve_mate(
    exchange: &Exchange<'_>,
    position: &AnyPosition,
    stop: &Control,
) -> Result<Study, Fault> {
    const GLANCE: Duration = Duration::from_millis(50);
    let over = AtomicBool::new(false);
    let input = Some(Input::of("sfen", &[problem_text(position).into_bytes()]));
    let answered = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if stop.is_stopped() {
                    exchange.break_off();
                    return;
                }
                thread::sleep(GLANCE);
            }
        });
        let answered = exchange.call(Unit { input, ..Unit::new(0, 1) });
        over.store(true, Ordering::Relaxed);
        answered
    });
    match answered? {
        Product::Mates { answers } if answers.len() == 1 => {
            answers[0].study(position).map_err(|why| Fault::new(FaultKind::Dishonest, why))
        }
        _ => Err(Fault::new(FaultKind::Dishonest, "an answer was asked for, something else came")),
    }
}

mod leaves;
mod reinforced;

pub use leaves::{LeafSearch, with_leaf_search};
pub use reinforced::LocalPlayers;

#[cfg(test)]
mod tests;
