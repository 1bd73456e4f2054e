//! The back-end: batches in flight, and a program that is watched while it has some.

use crate::process::{Process, spawn};
use crate::protocol::{
    Answer, Introduction, Kind, ProtocolError, load_request, read_line, request,
};
use infer::{Backend, Batch, Fault, Finished, Pace, Shape, Ticket};
use rules::Game;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use think::TimeSource;
use thiserror::Error;

/// Batches that keep a device busy: one computed, one on its way there, one on its way back, and one
/// that waits, so that a search that is late with the next leaves no gap.
const IN_FLIGHT: usize = 4;
/// How often it is looked whether another net has been loaded.
const LOOK: Duration = Duration::from_millis(20);
/// The number of what is asked before any batch.
const BEFORE: u64 = u64::MAX;

/// How a worker is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The file of the net, if it is to be named behind them.
    pub net: Option<String>,
    /// How long it may take until it introduces itself: it loads a library, a net, a device.
    pub start: Duration,
    /// How long it may be silent while it is waited for.
    pub silence: Duration,
    /// How often it is started again before the back-end ends.
    pub restarts: usize,
}

impl Settings {
    /// The usual patience.
    pub fn new(command: Vec<String>) -> Self {
        Self {
            command,
            net: None,
            start: Duration::from_secs(120),
            silence: Duration::from_secs(20),
            restarts: 3,
        }
    }
}

/// Why there is no worker.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("cannot start the worker {program:?}: {source}")]
    Spawn { program: String, source: io::Error },
    #[error("the worker {program:?} cannot be used: {source}{words}")]
    Protocol { program: String, source: ProtocolError, words: String },
    #[error("the worker {program:?} said nothing for {seconds} s{words}")]
    Silent { program: String, seconds: u64, words: String },
}

/// A net computed by another process.
pub struct Worker {
    shared: Arc<Shared>,
    introduction: Introduction,
}

struct Shared {
    settings: Settings,
    time: Arc<dyn TimeSource>,
    finished: Finished,
    state: Mutex<State>,
    changed: Condvar,
    game: Game,
    canaries: Canaries,
}

/// Makes positions for a net of some shape: every new program is asked for them in full and in half
/// precision (`infer::random_positions` makes some).
pub type Canaries = Box<dyn Fn(Shape) -> Batch + Send + Sync>;

#[derive(Default)]
struct State {
    /// Batches in flight, by ticket.
    batches: BTreeMap<u64, Batch>,
    process: Option<Process>,
    /// When the program was last heard, or last had nothing to do.
    heard: Duration,
    closing: bool,
    /// The file of the net that every program is to have.
    net: Option<String>,
    /// Programs that were started again.
    restarts: usize,
    /// What the program said to another net, and to its comparison.
    loaded: Option<Result<Introduction, ProtocolError>>,
    compared: bool,
    /// Why there is no program any more.
    ended: Option<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in there is left half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a program and waits for its introduction and its comparison of precisions.
    fn start(self: &Arc<Self>) -> Result<(Process, Introduction, Output), StartError> {
        let program = self.settings.command.first().cloned().unwrap_or_default();
        let mut line = self.settings.command.clone();
        if let Some(net) = self.state().net.clone() {
            line.extend(["--net".to_owned(), net]);
        }
        let (process, output) = Process::start(&line)
            .map_err(|source| StartError::Spawn { program: program.clone(), source })?;
        let (said, answer) = channel();
        let started = spawn("worker start", move || introduce(BufReader::new(output), &said));
        started.map_err(|source| StartError::Spawn { program: program.clone(), source })?;
        let hear = || match answer.recv_timeout(self.settings.start) {
            Ok(result) => result.map_err(|source| StartError::Protocol {
                program: program.clone(),
                source,
                words: words(&process),
            }),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let seconds = self.settings.start.as_secs();
                Err(StartError::Silent {
                    program: program.clone(),
                    seconds,
                    words: words(&process),
                })
            }
        };
        let StartupMessage::Introduction(introduction) = hear()? else {
            unreachable!("an introduction comes first");
        };
        if introduction.shape.game != self.game {
            let what = format!("its net is for {}, the game is {}", introduction.shape, self.game);
            let source = ProtocolError::Introduction(what);
            return Err(StartError::Protocol { program, source, words: String::new() });
        }
        process.send(request(Kind::Compare, BEFORE, Some(&(self.canaries)(introduction.shape))));
        let StartupMessage::Compared(output) = hear()? else {
            unreachable!("a comparison comes second");
        };
        Ok((process, introduction, output))
    }

    /// Nothing more will come.
    fn end(&self, reason: &str) {
        self.finished.end(reason);
        self.state().ended = Some(reason.to_owned());
        self.changed.notify_all();
    }

    /// Reads answers until the program fails; then starts the next, or ends.
    fn run(self: &Arc<Self>, shape: Shape, mut output: Output) {
        let mut restarts = 0;
        loop {
            let reason = self.read(&mut output);
            let process = self.state().process.take();
            let words = process.as_ref().map(words).unwrap_or_default();
            drop(process);
            if self.state().closing {
                return;
            }
            if restarts == self.settings.restarts {
                let program = self.settings.command.first().cloned().unwrap_or_default();
                let reason = format!("the worker {program:?} is given up: {reason}{words}");
                return self.end(&reason);
            }
            restarts += 1;
            match self.start() {
                Ok((_, introduction, _)) if introduction.shape != shape => {
                    let found = introduction.shape;
                    let what = format!("started again, its net is for {found}, not for {shape}");
                    return self.end(&ProtocolError::Introduction(what).to_string());
                }
                Ok((process, _, next)) => {
                    output = next;
                    self.take_over(process);
                    self.state().restarts += 1;
                    self.changed.notify_all();
                }
                Err(error) => return self.end(&error.to_string()),
            }
        }
    }

    /// A new program gets all that is in flight.
    fn take_over(&self, process: Process) {
        let mut state = self.state();
        for (&number, batch) in &state.batches {
            process.send(request(Kind::Batch, number, Some(batch)));
        }
        state.process = Some(process);
        state.heard = self.time.now();
    }

    fn read(&self, output: &mut Output) -> ProtocolError {
        loop {
            if let Err(error) = self.read_one(output) {
                return error;
            }
        }
    }

    fn read_one(&self, output: &mut Output) -> Result<(), ProtocolError> {
        let answer = Answer::read(output)?;
        let mut state = self.state();
        state.heard = self.time.now();
        match answer.kind {
            Kind::Ping => Ok(()),
            Kind::Compare => {
                state.compared = true;
                self.changed.notify_all();
                Ok(())
            }
            Kind::Load => {
                state.loaded = Some(Introduction::parse(&answer.text()));
                self.changed.notify_all();
                Ok(())
            }
            Kind::Error => Err(ProtocolError::Reported(answer.text())),
            Kind::Batch => {
                let Some(mut batch) = state.batches.remove(&answer.number) else {
                    let what = format!("an answer to {}, which was not asked", answer.number);
                    return Err(ProtocolError::Garbage(what));
                };
                // Others submit meanwhile.
                drop(state);
                let filled = answer.fill(&mut batch);
                if filled.is_ok() {
                    self.finished.finish(Ticket(answer.number), batch);
                } else {
                    // The next program is asked for it.
                    self.state().batches.insert(answer.number, batch);
                }
                filled
            }
        }
    }

    /// Kills a program that is silent for too long while it is waited for, and keeps asking one
    /// that has nothing to do.
    fn watch(&self) {
        let pause = (self.settings.silence / 8).max(Duration::from_millis(1));
        let mut pinged = false;
        loop {
            let state = self.state();
            let (mut state, _) =
                self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner);
            if state.closing {
                return;
            }
            let quiet = self.time.now().saturating_sub(state.heard);
            if quiet < self.settings.silence / 2 {
                pinged = false;
            } else if !pinged {
                pinged = true;
                if let Some(process) = &state.process {
                    process.send(request(Kind::Ping, BEFORE, None));
                }
            } else if quiet > self.settings.silence {
                state.heard = self.time.now();
                let killer = state.process.as_ref().map(Process::killer);
                drop(state);
                if let Some(kill) = killer {
                    kill();
                }
            }
        }
    }
}

/// The program's output behind what it said at the start.
type Output = BufReader<ChildStdout>;

enum StartupMessage {
    Introduction(Introduction),
    Compared(Output),
}

/// Reads what comes before the first batch; the output goes on to whoever listens.
fn introduce(mut output: Output, to: &Sender<Result<StartupMessage, ProtocolError>>) {
    let introduction = read_line(&mut output).and_then(|line| Introduction::parse(&line));
    let failed = introduction.is_err();
    if to.send(introduction.map(StartupMessage::Introduction)).is_err() || failed {
        return;
    }
    let compared = Answer::read(output.by_ref()).and_then(|answer| match answer.kind {
        Kind::Compare => Ok(()),
        Kind::Error => Err(ProtocolError::Reported(answer.text())),
        Kind::Batch | Kind::Ping | Kind::Load => {
            Err(ProtocolError::Garbage("no comparison".to_owned()))
        }
    });
    let _ = to.send(compared.map(|()| StartupMessage::Compared(output)));
}

/// What the program said last, as the end of a sentence.
fn words(process: &Process) -> String {
    let words = process.last_words();
    if words.is_empty() { words } else { format!(" (its last words: {words})") }
}

impl Worker {
    /// Starts a worker for a game; which planes and labels its net has, it says itself. Every program
    /// started is tried with `canaries`, and refused if it answers nonsense.
    pub fn start(
        settings: Settings,
        game: Game,
        canaries: Canaries,
        time: Arc<dyn TimeSource>,
    ) -> Result<Self, StartError> {
        let program = settings.command.first().cloned().unwrap_or_default();
        let net = settings.net.clone();
        let shared = Arc::new(Shared {
            settings,
            time,
            finished: Finished::default(),
            state: Mutex::new(State { net, ..State::default() }),
            changed: Condvar::new(),
            game,
            canaries,
        });
        let (process, introduction, output) = shared.start()?;
        let shape = introduction.shape;
        shared.take_over(process);
        let failed = |source| StartError::Spawn { program: program.clone(), source };
        let reading = Arc::clone(&shared);
        spawn("worker output", move || reading.run(shape, output)).map_err(failed)?;
        let watching = Arc::clone(&shared);
        spawn("worker watch", move || watching.watch()).map_err(failed)?;
        Ok(Self { shared, introduction })
    }

    /// Lets the program go on with the net in another file, of the same kind, tried with the canaries as the first
    /// one was. Nothing may be in flight. After an error the worker is not to be asked again: whether it has
    /// the one net or the other is not known.
    pub fn load(&self, file: &str) -> Result<(), StartError> {
        let (shared, shape) = (&self.shared, self.introduction.shape);
        let program = shared.settings.command.first().cloned().unwrap_or_default();
        let failed = |source| StartError::Protocol {
            program: program.clone(),
            source,
            words: String::new(),
        };
        let compare = request(Kind::Compare, BEFORE, Some(&(shared.canaries)(shape)));
        let mut state = shared.state();
        if !state.batches.is_empty() {
            return Err(failed(ProtocolError::Garbage("no answers yet".to_owned())));
        }
        let (before, begun) = (state.restarts, shared.time.now());
        state.net = Some(file.to_owned());
        (state.loaded, state.compared, state.heard) = (None, false, begun);
        if let Some(process) = &state.process {
            process.send(load_request(BEFORE, file));
            process.send(compare);
        }
        loop {
            if let Some(reason) = &state.ended {
                return Err(failed(ProtocolError::Reported(reason.clone())));
            }
            // One that was started meanwhile has the net already, and was tried.
            if state.restarts != before {
                return Ok(());
            }
            match state.loaded.take() {
                Some(Err(source)) => return Err(failed(source)),
                Some(Ok(found)) if found.shape != shape => {
                    let what = format!("its net is for {}, not for {shape}", found.shape);
                    return Err(failed(ProtocolError::Introduction(what)));
                }
                Some(Ok(found)) if state.compared => {
                    drop(found);
                    return Ok(());
                }
                loaded => state.loaded = loaded,
            }
            if shared.time.now().saturating_sub(begun) > shared.settings.start {
                let seconds = shared.settings.start.as_secs();
                let words = state.process.as_ref().map(words).unwrap_or_default();
                return Err(StartError::Silent { program, seconds, words });
            }
            let waited = shared.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What the first program said about itself.
    pub const fn introduction(&self) -> &Introduction {
        &self.introduction
    }
}

impl Backend for Worker {
    fn shape(&self) -> Shape {
        self.introduction.shape
    }

    fn describe(&self) -> String {
        format!("{} in a process of its own", self.introduction.about)
    }

    fn pace(&self) -> Pace {
        Pace { batch: self.introduction.batch, in_flight: IN_FLIGHT, threads: 2 }
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        if batch.shape() != self.shape() {
            return Err(Fault::Shape { found: batch.shape(), expected: self.shape() });
        }
        let ticket = self.shared.finished.begin()?;
        let bytes = request(Kind::Batch, ticket.0, Some(&batch));
        let mut state = self.shared.state();
        if state.batches.is_empty() {
            state.heard = self.shared.time.now();
        }
        state.batches.insert(ticket.0, batch);
        if let Some(process) = &state.process {
            process.send(bytes);
        }
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.shared.finished.poll(wait)
    }

    fn in_flight(&self) -> usize {
        self.shared.finished.in_flight()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.closing = true;
        let process = state.process.take();
        drop(state);
        drop(process);
        self.shared.changed.notify_all();
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Worker({})", self.describe())
    }
}
