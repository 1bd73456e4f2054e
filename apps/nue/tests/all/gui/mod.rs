//! A graphical interface as far as an engine can tell: starts the built executable, sends lines,
//! waits for lines.

pub(crate) mod weights;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything may take, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The engine's process and the conversation with it.
pub(crate) struct Gui {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// The executable with these arguments.
pub(crate) fn nue(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.args(arguments);
    command
}

impl Gui {
    /// Starts the engine.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = nue(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            // What the engine evaluates with depends on the files at hand: not heard here.
            let told = output.lines().map(Result::unwrap);
            for line in told.filter(|line| !line.starts_with("info string evaluation: ")) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let mut gui = Self { child, input, lines };
        // Tests are many and short: the usual table would take longer to clear than they think.
        gui.send("setoption name USI_Hash value 16");
        gui
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends lines.
    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    /// The next line.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// The next line that begins so, and the lines before it.
    pub(crate) fn until(&self, prefix: &str) -> (Vec<String>, String) {
        let mut before = Vec::new();
        loop {
            let line = self.line();
            if line.starts_with(prefix) {
                return (before, line);
            }
            before.push(line);
        }
    }

    /// Sends lines and returns all that is said up to the answer to `isready` after them.
    pub(crate) fn ask(&mut self, text: &str) -> Vec<String> {
        self.send(text);
        self.send("isready");
        self.until("readyok").0
    }

    /// The move answered to `go …`.
    pub(crate) fn best(&mut self, go: &str) -> String {
        self.send(go);
        self.until("bestmove ").1["bestmove ".len()..].to_owned()
    }

    /// Whether nothing at all is said for a while.
    pub(crate) fn is_silent(&self, duration: Duration) -> bool {
        self.lines.recv_timeout(duration) == Err(RecvTimeoutError::Timeout)
    }

    /// Whether no answer comes for a while, whatever else is said.
    pub(crate) fn holds_answer(&self, duration: Duration) -> bool {
        let end = Instant::now() + duration;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if let Ok(line) = self.lines.recv_timeout(left)
                && line.starts_with("bestmove")
            {
                return false;
            }
        }
        true
    }

    /// Closes the input: all that is still said, and the exit code.
    pub(crate) fn close(mut self) -> (Vec<String>, i32) {
        self.input = None;
        self.rest()
    }

    /// Sends `quit`: all that is still said, and the exit code.
    pub(crate) fn quit(mut self) -> (Vec<String>, i32) {
        self.send("quit");
        self.rest()
    }

    /// All that is still said, and the exit code.
    fn rest(&mut self) -> (Vec<String>, i32) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "the engine does not end");
            thread::sleep(Duration::from_millis(2));
        };
        (self.lines.iter().collect(), status.code().unwrap())
    }
}

impl Drop for Gui {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
