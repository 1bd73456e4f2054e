//! An engine's process: started, spoken to, listened to, ended.

use crate::affinity;
use crate::delay::RunDelay;
use crate::ear::{Ear, Heard};
use crate::fault::{Cause, Fault};
use crate::spec::Command;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use think::{TimeSource, quote};

/// Bytes that may lie unread in the pipe without a write blocking, on any system.
const ROOM_IN_PIPE: usize = 4 << 10;

/// How long an engine may leave its input unread.
const DEAF: Duration = Duration::from_secs(5);

/// How long an engine may take to end when asked to.
const FAREWELL: Duration = Duration::from_secs(2);

/// Bytes of the error stream that are kept.
const COMPLAINT: usize = 2 << 10;

/// A running engine.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    ear: Arc<Ear>,
    complaints: Arc<Complaints>,
    /// Bytes sent since the engine last answered something.
    unread: usize,
    delay: RunDelay,
}

impl Process {
    /// Starts the process, on those processors if any are named.
    pub(crate) fn start(
        command: &Command,
        cpus: &[usize],
        time: &Arc<dyn TimeSource>,
    ) -> io::Result<Self> {
        let mut start = std::process::Command::new(program(command));
        start.args(&command.args).envs(command.env.iter().map(|(k, v)| (k, v)));
        if let Some(folder) = &command.dir {
            start.current_dir(folder);
        }
        start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            // An interrupt typed at the terminal is meant for the runner, which ends its engines;
            // and a script is ended together with what it started.
            std::os::unix::process::CommandExt::process_group(&mut start, 0);
        }
        let mut child = affinity::on(cpus, || start.spawn())?;
        let ear = Arc::new(Ear::default());
        let complaints = Arc::new(Complaints::default());
        if let Some(output) = child.stdout.take() {
            let (ear, time) = (Arc::clone(&ear), Arc::clone(time));
            spawn("ear", move || ear.listen(output, &*time))?;
        }
        if let Some(errors) = child.stderr.take() {
            let kept = Arc::clone(&complaints);
            spawn("errors", move || kept.read(errors))?;
        }
        let input = child.stdin.take();
        let delay = RunDelay::of_process(child.id());
        Ok(Self { child, input, ear, complaints, unread: 0, delay })
    }

    /// The listening side.
    pub(crate) fn ear(&self) -> &Ear {
        &self.ear
    }

    /// How long the engine has waited for a processor until now.
    pub(crate) fn delay(&self) -> Duration {
        self.delay.total()
    }

    /// The engine has answered: it has read what was sent before.
    pub(crate) fn answered(&mut self) {
        self.unread = 0;
    }

    /// Sends lines, each with its end.
    pub(crate) fn send(&mut self, text: &str) -> Result<(), Fault> {
        self.unread = self.unread.saturating_add(text.len());
        let Some(mut input) = self.input.take() else { return Err(self.crash()) };
        let bytes = text.as_bytes();
        let sent = if self.unread <= ROOM_IN_PIPE {
            let sent = input.write_all(bytes).and_then(|()| input.flush());
            sent.map(|()| input)
        } else {
            // More than surely fits: an engine that does not read must not hold us up.
            match write_aside(input, bytes.to_vec()) {
                Some(sent) => sent,
                None => {
                    let detail = format!("does not read its input ({} bytes)", self.unread);
                    return Err(Fault::new(Cause::Stall, detail));
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
    pub(crate) fn crash(&mut self) -> Fault {
        let status = self.wait(Duration::from_millis(500));
        let mut detail = match status {
            Some(status) => format!("the process ended ({status})"),
            None => "the process closed its pipes".to_owned(),
        };
        let complaint = self.complaints.last_line().or_else(|| self.ear.last_words().pop());
        if let Some(words) = complaint {
            detail += &format!(", last words {}", quote(&words));
        }
        Fault::new(Cause::Crash, detail)
    }

    /// Waits for the next answer; faults are those of a broken or mad engine.
    pub(crate) fn next(&mut self, patience: Duration) -> Result<Option<Answered>, Fault> {
        match self.ear.next(patience) {
            Heard::Line(at, line) => Ok(Some(Answered { at, line })),
            Heard::Nothing => Ok(None),
            Heard::Closed => Err(self.crash()),
            Heard::Flood => Err(Fault::protocol("floods its output")),
        }
    }

    /// Ends the process, politely if `polite` and it listens.
    pub(crate) fn end(&mut self, polite: bool) {
        if polite && self.unread <= ROOM_IN_PIPE && self.send("quit\n").is_ok() {
            // Closed input tells it too, should it not know the word.
            self.input = None;
            if self.wait(FAREWELL).is_some() {
                return;
            }
        }
        self.input = None;
        self.kill();
        self.wait(FAREWELL);
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

impl Drop for Process {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.end(true);
        }
    }
}

/// An answer and when it arrived.
pub(crate) struct Answered {
    pub(crate) at: think::Moment,
    pub(crate) line: String,
}

/// A relative path is meant from here, not from the folder the engine runs in.
fn program(command: &Command) -> PathBuf {
    let path = Path::new(&command.program);
    let names_a_file = path.components().count() > 1 && path.is_relative();
    match std::path::absolute(path) {
        Ok(absolute) if names_a_file && absolute.exists() => absolute,
        _ => path.to_owned(),
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // Not joined: a child of the engine may hold the pipe open when the engine has long ended.
    thread::Builder::new().name(name.to_owned()).stack_size(256 << 10).spawn(work).map(|_| ())
}

/// Writes in a thread of its own; `None` if the reader does not read.
fn write_aside(mut input: ChildStdin, bytes: Vec<u8>) -> Option<io::Result<ChildStdin>> {
    let (done, outcome) = sync_channel(1);
    let work = move || {
        let sent = input.write_all(&bytes).and_then(|()| input.flush());
        // Nobody waits any more if it took too long.
        let _ = done.send(sent.map(|()| input));
    };
    if let Err(error) = spawn("voice", work) {
        return Some(Err(error));
    }
    outcome.recv_timeout(DEAF).ok()
}

/// The end of what an engine wrote to its error stream.
#[derive(Default)]
struct Complaints {
    /// The last bytes, and whether they are the very last.
    kept: Mutex<(Vec<u8>, bool)>,
    ended: Condvar,
}

impl Complaints {
    fn lock(&self) -> MutexGuard<'_, (Vec<u8>, bool)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the stream to its end.
    fn read(&self, mut pipe: impl Read) {
        let mut buffer = [0; 4096];
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0 {
                break;
            }
            let (bytes, _) = &mut *self.lock();
            bytes.extend_from_slice(&buffer[..count]);
            let excess = bytes.len().saturating_sub(COMPLAINT);
            bytes.drain(..excess);
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
