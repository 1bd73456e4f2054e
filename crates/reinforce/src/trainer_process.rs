//! The trainer in a process that stays: PyTorch and a device are started once for all generations.
//!
//! What is said is in docs/deep-trainer.md: an order is a line, the words of a training in JSON, and so is its
//! answer. The process ends with its input, so that nothing goes on where we were killed.

use crate::error::RunError;
use lab::LabError;
use os::process::Running;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// What both sides must speak.
const PROTOCOL: (&str, u64) = ("nue-orders", 1);
/// How often it is looked whether somebody wants an end.
const LOOK: Duration = Duration::from_millis(20);
/// How long a process that has closed its output may take to end.
const FAREWELL: Duration = Duration::from_secs(3);

/// A trainer that waits for orders.
pub(crate) struct TrainerProcess {
    child: Running,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl TrainerProcess {
    /// Starts it, for a training that somebody reads as `shown`.
    pub(crate) fn start(
        mut command: Command,
        shown: &str,
        stop: &AtomicBool,
    ) -> Result<Self, RunError> {
        let program = command.get_program().to_owned();
        let failed = |e: &dyn ToString| LabError::at(Path::new(&program), &e.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Running::start(&mut command).map_err(|e| failed(&e))?;
        let output = child.stdout.take().ok_or_else(|| failed(&"it has no output"))?;
        let input = child.stdin.take();
        let (sender, lines) = channel();
        let read = move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        };
        let mut process = Self { child, input, lines };
        thread::Builder::new().name("trainer".to_owned()).spawn(read).map_err(|e| failed(&e))?;
        let told = process.answer(shown, stop)?;
        let (name, version) = PROTOCOL;
        if told["protocol"] != name || told["version"] != version {
            let reason = format!("it began with {told}, not with {name} {version}");
            return Err(RunError::Training { command: shown.to_owned(), reason });
        }
        Ok(process)
    }

    /// One training, by its words; `command` is the same as somebody reads it. After an error the process is
    /// not to be asked again.
    pub(crate) fn train(
        &mut self,
        words: &[String],
        command: &str,
        stop: &AtomicBool,
    ) -> Result<(), RunError> {
        let order = serde_json::to_string(words).unwrap_or_default();
        if let Some(input) = &mut self.input {
            // That it is gone is noticed where its answer is read.
            let _ = writeln!(input, "{order}").and_then(|()| input.flush());
        }
        let told = self.answer(command, stop)?;
        match (&told["done"], told["error"].as_str()) {
            (Value::Object(_), None) => Ok(()),
            (_, error) => {
                let reason = error.map_or_else(|| format!("it said {told}"), str::to_owned);
                Err(RunError::Training { command: command.to_owned(), reason })
            }
        }
    }

    fn answer(&mut self, command: &str, stop: &AtomicBool) -> Result<Value, RunError> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => {
                    return serde_json::from_str(&line).map_err(|_| RunError::Training {
                        command: command.to_owned(),
                        reason: format!("it said {line:?}"),
                    });
                }
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(RunError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let command = command.to_owned();
                    return Err(match self.status() {
                        Some(status) => LabError::Step { status, command }.into(),
                        None => {
                            let reason = "it says nothing more".to_owned();
                            RunError::Training { command, reason }
                        }
                    });
                }
            }
        }
    }

    /// How it ended, if it does soon.
    fn status(&mut self) -> Option<ExitStatus> {
        let mut waited = Duration::ZERO;
        while waited < FAREWELL {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(LOOK);
            waited += LOOK;
        }
        None
    }
}

impl Drop for TrainerProcess {
    fn drop(&mut self) {
        // It ends with its input, whatever it is doing; killed if it does not.
        self.input = None;
        if self.status().is_none() {
            self.child.kill_all();
            let _ = self.child.wait();
        }
    }
}
