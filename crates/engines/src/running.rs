//! A program that runs: ended with everything it started, and what is known about its end.

use os::names::text_of;
use os::process::Running;
use std::io::{self, Read};
use std::process::{Child, ExitStatus};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use think::quote;

/// Bytes of the error stream that are kept.
const KEPT_ERRORS: usize = 2 << 10;

/// How long a killed process may take to be gone.
const KILLED: Duration = Duration::from_secs(2);

/// Kills a process and all it started.
pub(crate) fn kill(program: &mut Running) {
    program.kill_all();
    wait(program, KILLED);
}

/// Waits for the end of a process.
pub(crate) fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let step = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if waited >= patience {
            return None;
        }
        thread::sleep(step);
        waited += step;
    }
}

/// How a process ended whose pipes are closed.
pub(crate) fn end_in_words(status: Option<ExitStatus>, last_words: Option<String>) -> String {
    let mut told = match status {
        Some(status) => format!("the process ended ({status})"),
        None => "the process closed its pipes".to_owned(),
    };
    if let Some(words) = last_words {
        told += &format!(", last words {}", quote(&words));
    }
    told
}

/// Work that is not joined: a child of the engine may hold a pipe open when the engine has long ended.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(256 << 10).spawn(work).map(|_| ())
}

/// The end of what an engine wrote to its error stream.
#[derive(Default)]
pub(crate) struct ErrorStream {
    /// The last bytes, and whether they are the very last.
    kept: Mutex<(Vec<u8>, bool)>,
    ended: Condvar,
}

impl ErrorStream {
    fn lock(&self) -> MutexGuard<'_, (Vec<u8>, bool)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the stream to its end; whole lines are told as they come.
    pub(crate) fn read(&self, mut pipe: impl Read, told: impl Fn(&str)) {
        let mut buffer = [0; 4096];
        let mut line = Vec::new();
        while let Ok(count) = pipe.read(&mut buffer) {
            if count == 0 {
                break;
            }
            for &byte in &buffer[..count] {
                if byte == b'\n' {
                    told(&text_of(line.trim_ascii_end()));
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
            told(&text_of(&line));
        }
        self.lock().1 = true;
        self.ended.notify_all();
    }

    /// The last line, once the stream has ended or nothing more comes.
    pub(crate) fn last_line(&self) -> Option<String> {
        let patience = Duration::from_millis(500);
        let waited = self.ended.wait_timeout_while(self.lock(), patience, |kept| !kept.1);
        let kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        let text = text_of(&kept.0);
        text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    }
}
