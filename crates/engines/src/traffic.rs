//! Conversations with engines as files: every line, with the time and who said it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use think::Moment;

/// A line of a log: seconds, who spoke, what was said.
pub(crate) fn entry(at: Moment, who: char, line: &str) -> String {
    format!("{:.3} {who} {line}\n", at.as_secs_f64())
}

/// The conversation with one engine, appended to a file.
#[derive(Debug)]
pub struct TrafficLog {
    path: PathBuf,
    /// The file, or why it takes no more: a log that ended is no reason to end the game.
    file: Mutex<Result<File, String>>,
}

impl TrafficLog {
    /// Appends to that file.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(Ok(file)) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why it ended before the conversation did.
    pub fn failure(&self) -> Option<String> {
        self.lock().as_ref().err().cloned()
    }

    /// Something about the conversation.
    pub fn remark(&self, at: Moment, text: &str) {
        self.write(at, '#', text);
    }

    /// Lines that are sent.
    pub(crate) fn sent(&self, at: Moment, text: &str) {
        self.write(at, '>', text);
    }

    /// A line that arrived at that moment.
    pub(crate) fn received(&self, at: Moment, line: &str) {
        self.write(at, '<', line);
    }

    /// A line of the error stream.
    pub(crate) fn complained(&self, at: Moment, line: &str) {
        self.write(at, '!', line);
    }

    fn lock(&self) -> MutexGuard<'_, Result<File, String>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, at: Moment, who: char, text: &str) {
        let mut file = self.lock();
        // Whole lines at once: the program may end, or be ended, at any time.
        let entries: String = text.lines().map(|line| entry(at, who, line)).collect();
        if let Ok(open) = &mut *file
            && let Err(error) = open.write_all(entries.as_bytes())
        {
            *file = Err(error.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_line_has_its_time_and_its_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let log = TrafficLog::open(&path).unwrap();
        let at = Duration::from_millis;
        log.remark(at(0), "game 1");
        log.sent(at(1500), "position startpos\ngo nodes 1\n");
        log.received(at(1501), "bestmove 7g7f");
        log.complained(at(1502), "oh");
        let again = TrafficLog::open(&path).unwrap();
        again.sent(at(2000), "quit\n");
        let text = std::fs::read_to_string(&path).unwrap();
        let wanted = "0.000 # game 1\n1.500 > position startpos\n1.500 > go nodes 1\n\
                      1.501 < bestmove 7g7f\n1.502 ! oh\n2.000 > quit\n";
        assert_eq!(text, wanted);
        assert_eq!(log.failure(), None);
    }

    /// The game goes on without its log, and the log says that it did not.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_ends_the_log_and_is_remembered() {
        let log = TrafficLog::open(Path::new("/dev/full")).unwrap();
        log.sent(Duration::ZERO, "usi\n");
        log.sent(Duration::ZERO, "quit\n");
        assert!(log.failure().is_some_and(|why| why.contains("space")), "{:?}", log.failure());
    }
}
