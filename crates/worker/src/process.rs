//! The program: started, fed by a thread of its own, its last words kept.

use os::process::Running;
use std::io::{self, Read, Write};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes of its error output that are kept.
const LAST_WORDS: usize = 2 << 10;

/// How long the rest of its error output is waited for. One that has ended is heard at once.
const PATIENCE: Duration = Duration::from_millis(500);

/// A program that runs.
pub(crate) struct Process {
    child: Arc<Mutex<Running>>,
    requests: Sender<Vec<u8>>,
    last_words: Arc<Mutex<Vec<u8>>>,
    /// Nothing is ever sent; it ends with the program's error output.
    errors: Receiver<()>,
}

impl Process {
    /// Starts a program; its output comes beside it.
    pub(crate) fn start(line: &[String]) -> io::Result<(Self, ChildStdout)> {
        let Some((program, arguments)) = line.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program is named"));
        };
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Running::start(&mut command)?;
        let missing = || io::Error::other("a pipe is missing");
        let mut input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;
        // Writing blocks while the program does not read; nobody else shall wait for that.
        let (requests, queue) = channel::<Vec<u8>>();
        spawn("worker input", move || {
            while let Ok(request) = queue.recv() {
                if input.write_all(&request).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        })?;
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&last_words);
        let (open, ended) = channel();
        spawn("worker errors", move || {
            keep(errors, &kept);
            drop(open);
        })?;
        let child = Arc::new(Mutex::new(child));
        Ok((Self { child, requests, last_words, errors: ended }, output))
    }

    /// Queues bytes. That the program is gone is noticed where its answers are read.
    pub(crate) fn send(&self, request: Vec<u8>) {
        let _ = self.requests.send(request);
    }

    /// What ends the program, whoever holds it.
    pub(crate) fn killer(&self) -> impl Fn() + Send + 'static {
        let child = Arc::clone(&self.child);
        move || {
            let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
            child.kill_all();
            let _ = child.wait();
        }
    }

    /// The end of its error output, in one line.
    pub(crate) fn last_words(&self) -> String {
        // That it ended is seen in its output, perhaps before its last words were read.
        let _ = self.errors.recv_timeout(PATIENCE);
        let bytes = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let last: Vec<&str> = lines.rev().take(3).collect();
        let words = last.into_iter().rev().collect::<Vec<_>>().join(" / ");
        words.chars().filter(|c| !c.is_control()).collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        (self.killer())();
    }
}

pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(|_| ())
}

fn keep(mut from: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut some = [0; 512];
    while let Ok(count) = from.read(&mut some) {
        if count == 0 {
            break;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&some[..count]);
        let excess = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..excess);
    }
}
