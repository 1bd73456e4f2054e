//! The process of a USI program: started, written to, read from, ended.

use crate::affinity;
use crate::fault::{EngineFault, FaultKind};
use crate::reader::{UsiEvent, UsiReader};
use crate::run_delay::{RunDelay, ThreadDelays};
use crate::settings::{PlayerSettings, ProgramCommand};
use crate::traffic::TrafficLog;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use think::{TimeSource, quote};

/// Bytes that may lie unread in the pipe without a write blocking, on any system.
const ROOM_IN_PIPE: usize = 4 << 10;

/// How long an engine may leave its input unread.
const UNREAD: Duration = Duration::from_secs(5);

/// How long a killed process may take to be gone.
const KILLED: Duration = Duration::from_secs(2);

/// Bytes of the error stream that are kept.
const KEPT_ERRORS: usize = 2 << 10;

/// A running engine. Dropped, it is asked to end, and then killed with all it started.
pub(crate) struct UsiProcess {
    child: Child,
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
        let mut child = affinity::on(cpus, || command.piped().spawn())?;
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
        let status = self.wait(Duration::from_millis(500));
        let mut detail = match status {
            Some(status) => format!("the process ended ({status})"),
            None => "the process closed its pipes".to_owned(),
        };
        let said = self.errors.last_line().or_else(|| self.reader.last_lines().pop());
        if let Some(words) = said {
            detail += &format!(", last words {}", quote(&words));
        }
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
            if self.wait(self.farewell).is_some() {
                return;
            }
        }
        self.input = None;
        self.kill();
        self.wait(KILLED);
    }

    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) =
            i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw)
            && self.child.try_wait().is_ok_and(|status| status.is_none())
        {
            // Fails only if nobody is left in it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        // Fails only if it has ended already.
        let _ = self.child.kill();
    }

    fn wait(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        let step = Duration::from_millis(5);
        let mut waited = Duration::ZERO;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if waited >= patience {
                return None;
            }
            thread::sleep(step);
            waited += step;
        }
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

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // Not joined: a child of the engine may hold the pipe open when the engine has long ended.
    thread::Builder::new().name(name.to_owned()).stack_size(256 << 10).spawn(work).map(|_| ())
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

/// The end of what an engine wrote to its error stream.
#[derive(Default)]
struct ErrorStream {
    /// The last bytes, and whether they are the very last.
    kept: Mutex<(Vec<u8>, bool)>,
    ended: Condvar,
}

impl ErrorStream {
    fn lock(&self) -> MutexGuard<'_, (Vec<u8>, bool)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the stream to its end; whole lines are told as they come.
    fn read(&self, mut pipe: impl Read, told: impl Fn(&str)) {
        let mut buffer = [0; 4096];
        let mut line = Vec::new();
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0 {
                break;
            }
            for &byte in &buffer[..count] {
                if byte == b'\n' {
                    told(String::from_utf8_lossy(line.trim_ascii_end()).as_ref());
                    line.clear();
                } else if line.len() < KEPT_ERRORS {
                    line.push(byte);
                }
            }
            let (bytes, _) = &mut *self.lock();
            bytes.extend_from_slice(&buffer[..count]);
            let excess = bytes.len().saturating_sub(KEPT_ERRORS);
            bytes.drain(..excess);
        }
        if !line.is_empty() {
            told(String::from_utf8_lossy(&line).as_ref());
        }
        self.lock().1 = true;
        self.ended.notify_all();
    }

    /// The last line, once the stream has ended or nothing more comes.
    fn last_line(&self) -> Option<String> {
        let patience = Duration::from_millis(500);
        let waited = self.ended.wait_timeout_while(self.lock(), patience, |kept| !kept.1);
        let kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        let text = String::from_utf8_lossy(&kept.0);
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    }
}
