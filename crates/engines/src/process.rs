//! The process of a USI program: started, written to, read from, ended.

use crate::fault::{EngineFault, FaultKind};
use crate::reader::{UsiEvent, UsiReader};
use crate::run_delay::{RunDelay, ThreadDelays};
use crate::running::{ErrorStream, end_in_words, kill, spawn, wait};
use crate::settings::{PlayerSettings, ProgramCommand};
use crate::traffic::TrafficLog;
use os::affinity;
use os::process::Running;
use std::io::{self, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;
use think::TimeSource;

/// Bytes that may lie unread in the pipe without a write blocking, on any system.
const ROOM_IN_PIPE: usize = 4 << 10;

/// How long an engine may leave its input unread.
const UNREAD: Duration = Duration::from_secs(5);

/// A running engine. Dropped, it is asked to end, and then killed with all it started.
pub(crate) struct UsiProcess {
    child: Running,
    input: Option<ChildStdin>,
    reader: Arc<UsiReader>,
    errors: Arc<ErrorStream>,
    /// Bytes sent since the engine last answered something.
    unread: usize,
    delay: RunDelay,
    /// How long it may take to end when asked to.
    farewell: Duration,
    time: Arc<dyn TimeSource>,
    /// Where everything said is written down.
    log: Option<Arc<TrafficLog>>,
}

impl UsiProcess {
    /// Starts the process, set up like that.
    pub(crate) fn start(
        command: &ProgramCommand,
        settings: &PlayerSettings,
        time: &Arc<dyn TimeSource>,
    ) -> io::Result<Self> {
        let PlayerSettings { cpus, farewell, log, .. } = settings;
        let mut child = affinity::on(cpus, || command.start())?;
        let reader = Arc::new(UsiReader::new(log.clone()));
        let errors = Arc::new(ErrorStream::default());
        if let Some(log) = log {
            log.remark(time.now(), &format!("started: {}", command.program));
        }
        if let Some(output) = child.stdout.take() {
            let (reader, time) = (Arc::clone(&reader), Arc::clone(time));
            spawn("usi reader", move || reader.read(output, &*time))?;
        }
        if let Some(stream) = child.stderr.take() {
            let (kept, log, time) = (Arc::clone(&errors), log.clone(), Arc::clone(time));
            let told = move |line: &str| {
                if let Some(log) = &log {
                    log.complained(time.now(), line);
                }
            };
            spawn("usi errors", move || kept.read(stream, told))?;
        }
        let input = child.stdin.take();
        let delay = RunDelay::of_process(child.id());
        let (farewell, time, log) = (*farewell, Arc::clone(time), log.clone());
        Ok(Self { child, input, reader, errors, unread: 0, delay, farewell, time, log })
    }

    /// The reading side.
    pub(crate) const fn reader(&self) -> &Arc<UsiReader> {
        &self.reader
    }

    /// How long the engine's first thread has waited for a processor until now.
    pub(crate) fn delay(&self) -> Duration {
        self.delay.total()
    }

    /// The same for each of its threads.
    pub(crate) fn thread_delays(&self) -> ThreadDelays {
        ThreadDelays::of_process(self.child.id())
    }

    /// The engine has answered: it has read what was sent before.
    pub(crate) fn answered(&mut self) {
        self.unread = 0;
    }

    /// Sends lines, each with its end.
    pub(crate) fn send(&mut self, text: &str) -> Result<(), EngineFault> {
        self.unread = self.unread.saturating_add(text.len());
        if let Some(log) = &self.log {
            log.sent(self.time.now(), text);
        }
        let Some(mut input) = self.input.take() else { return Err(self.crash()) };
        let bytes = text.as_bytes();
        let sent = if self.unread <= ROOM_IN_PIPE {
            let sent = input.write_all(bytes).and_then(|()| input.flush());
            sent.map(|()| input)
        } else {
            // More than surely fits: an engine that does not read must not hold us up.
            match write_on_thread(input, bytes.to_vec()) {
                Some(sent) => sent,
                None => {
                    let detail = format!("does not read its input ({} bytes)", self.unread);
                    return Err(EngineFault::new(FaultKind::Stall, detail));
                }
            }
        };
        match sent {
            Ok(input) => {
                self.input = Some(input);
                Ok(())
            }
            Err(_) => Err(self.crash()),
        }
    }

    /// The fault of an engine whose pipes are closed, with what can be found out about it.
    pub(crate) fn crash(&mut self) -> EngineFault {
        let status = wait(&mut self.child, Duration::from_millis(500));
        let said = self.errors.last_line().or_else(|| self.reader.last_lines().pop());
        let detail = end_in_words(status, said);
        EngineFault::new(FaultKind::Crash, detail)
    }

    /// Waits for the next event; `None` where nothing came. Faults are those of a broken engine.
    pub(crate) fn next(&mut self, patience: Duration) -> Result<Option<Received>, EngineFault> {
        match self.reader.next(patience) {
            UsiEvent::Answer(at, line) => Ok(Some(Received::Answer(TimedLine { at, line }))),
            UsiEvent::Report(line) => Ok(Some(Received::Report(line))),
            UsiEvent::Nothing | UsiEvent::Woken => Ok(None),
            UsiEvent::Closed => Err(self.crash()),
            UsiEvent::Flood => Err(EngineFault::protocol("floods its output")),
        }
    }

    /// Ends the process, politely if `polite` and it listens.
    pub(crate) fn end(&mut self, polite: bool) {
        if polite && self.unread <= ROOM_IN_PIPE && self.send("quit\n").is_ok() {
            // Closed input tells it too, should it not know the word.
            self.input = None;
            if wait(&mut self.child, self.farewell).is_some() {
                return;
            }
        }
        self.input = None;
        kill(&mut self.child);
    }
}

impl Drop for UsiProcess {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.end(true);
        }
    }
}

/// What an engine sent.
pub(crate) enum Received {
    Answer(TimedLine),
    /// A line of thought.
    Report(String),
}

/// A line and when it arrived.
pub(crate) struct TimedLine {
    pub(crate) at: think::Moment,
    pub(crate) line: String,
}

/// Writes in a thread of its own; `None` if the reader does not read.
fn write_on_thread(mut input: ChildStdin, bytes: Vec<u8>) -> Option<io::Result<ChildStdin>> {
    let (done, outcome) = sync_channel(1);
    let work = move || {
        let sent = input.write_all(&bytes).and_then(|()| input.flush());
        // Nobody waits any more if it took too long.
        let _ = done.send(sent.map(|()| input));
    };
    if let Err(error) = spawn("usi writer", work) {
        return Some(Err(error));
    }
    outcome.recv_timeout(UNREAD).ok()
}
