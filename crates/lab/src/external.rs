//! A program that ends with us: the trainer in PyTorch, and ours where an entry is repeated.

use crate::error::LabError;
use os::process::Running;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Set for a program whose standard input stays open as long as we live: a program that knows it
/// ends when its input does, even where we were killed and could not end it.
pub const ENDS_WITH_INPUT: &str = "NUE_ENDS_WITH_INPUT";

/// How often it is looked whether the program has ended.
const LOOK: Duration = Duration::from_millis(50);

/// How long it may take to end when asked to.
const FAREWELL: Duration = Duration::from_secs(3);

/// Runs a program to its end; `text` is the command as somebody reads it. Whoever sets `stop` ends
/// it, and so does our own end.
pub fn run(mut start: Command, text: &str, stop: &AtomicBool) -> Result<(), LabError> {
    start.env(ENDS_WITH_INPUT, "1").stdin(Stdio::piped());
    let started = Running::start(&mut start);
    let child = started.map_err(|e| LabError::at(Path::new(start.get_program()), &e))?;
    let mut external = External { child };
    loop {
        if let Some(status) = external.status() {
            let failed = || LabError::Step { status, command: text.to_owned() };
            return if status.success() { Ok(()) } else { Err(failed()) };
        }
        if stop.load(Ordering::Relaxed) {
            return Err(LabError::Interrupted);
        }
        thread::sleep(LOOK);
    }
}

/// A running program, ended when this is dropped.
struct External {
    child: Running,
}

impl External {
    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    fn end(&mut self) {
        if self.child.ask_to_end() && self.ends_within_farewell() {
            return;
        }
        self.child.kill_all();
        self.ends_within_farewell();
    }

    fn ends_within_farewell(&mut self) -> bool {
        let mut waited = Duration::ZERO;
        while waited < FAREWELL {
            if self.status().is_some() {
                return true;
            }
            thread::sleep(LOOK);
            waited += LOOK;
        }
        false
    }
}

impl Drop for External {
    fn drop(&mut self) {
        if self.status().is_none() {
            self.end();
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::Instant;

    fn shell(script: &str, stop: &AtomicBool) -> Result<(), LabError> {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script);
        run(command, script, stop)
    }

    #[test]
    fn how_it_ended_is_known() {
        let stop = AtomicBool::new(false);
        assert!(shell("exit 0", &stop).is_ok());
        let failed = shell("exit 4", &stop).unwrap_err().to_string();
        assert!(failed.contains('4') && failed.contains("exit 4"), "{failed}");
    }

    /// What the program started ends too, even if it does not listen.
    #[test]
    fn whoever_stops_it_stops_all_it_started() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("pid");
        let script = format!("trap '' TERM; sleep 600 & echo $! > '{}'; wait", file.display());
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let running = scope.spawn(|| shell(&script, &stop));
            let began = Instant::now();
            let pid = loop {
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                if let Ok(pid) = text.trim().parse::<i32>() {
                    break pid;
                }
                assert!(began.elapsed() < Duration::from_secs(60));
                thread::sleep(LOOK);
            };
            stop.store(true, Ordering::Relaxed);
            assert!(matches!(running.join().unwrap(), Err(LabError::Interrupted)));
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            let began = Instant::now();
            // The system may take a moment to collect an orphan.
            while rustix::process::test_kill_process(pid).is_ok() && !is_zombie(pid) {
                assert!(began.elapsed() < Duration::from_secs(30), "still there");
                thread::sleep(LOOK);
            }
        });
    }

    /// Dead, and not yet collected by whoever adopted it.
    fn is_zombie(pid: rustix::process::Pid) -> bool {
        let path = format!("/proc/{}/stat", pid.as_raw_nonzero());
        let stat = std::fs::read_to_string(path).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
    }
}
