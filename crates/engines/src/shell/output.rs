//! The one way out while USI is spoken: whole lines, one at a time, flushed.

use super::log::TrafficLog;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use think::{Moment, TimeSource};
use usi::Reply;

/// Longest remark, in characters: whatever was typed, an error stays a line one can read.
const LONGEST_NOTE: usize = 1000;

/// Where lines go; clones write to the same place.
#[derive(Clone)]
pub struct Output {
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    /// What to do when nothing can be written any more.
    closed: fn(),
    log: Arc<Mutex<Option<TrafficLog>>>,
}

impl Output {
    /// Lines go to the writer; `closed` is called when it takes no more.
    pub fn new(writer: impl Write + Send + 'static, closed: fn()) -> Self {
        Self { writer: Arc::new(Mutex::new(Box::new(writer))), closed, log: Arc::default() }
    }

    /// From now on everything is also appended to that file; to none if the path is empty.
    pub(crate) fn log_to(&self, path: &str, time: &Arc<dyn TimeSource>) -> io::Result<()> {
        let log = match path {
            "" => None,
            path => Some(TrafficLog::open(path, Arc::clone(time))?),
        };
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = log;
        Ok(())
    }

    /// Writes a line that was read into the log.
    pub(crate) fn log_input(&self, line: &str, at: Moment) {
        self.log(|log| log.heard(line, at));
    }

    /// Writes something into the log if there is one. A log that cannot be written ends with a
    /// remark; the game goes on.
    fn log(&self, write: impl FnOnce(&mut TrafficLog) -> io::Result<()>) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(error)) = log.as_mut().map(write) {
            *log = None;
            drop(log);
            self.note(&format!("the log cannot be written any more: {error}"));
        }
    }

    /// Says one line of the protocol.
    pub fn say(&self, reply: &Reply) {
        self.text(&reply.to_string());
    }

    /// Says a remark, made fit for one line.
    pub fn note(&self, text: &str) {
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        let mut line: String = text.chars().take(LONGEST_NOTE).map(clean).collect();
        if line.len() < text.len() {
            line.push('…');
        }
        self.say(&Reply::note(line));
    }

    /// Writes text as it is, and ends the line.
    pub fn text(&self, text: &str) {
        self.log(|log| log.said(text));
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{text}\n");
        let written = writer.write_all(line.as_bytes()).and_then(|()| writer.flush());
        drop(writer);
        if written.is_err() {
            (self.closed)();
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A writer that can be read.
    #[derive(Clone, Default)]
    pub(crate) struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Memory {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_has_both_sides_of_the_conversation() {
        let memory = Memory::default();
        let output = Output::new(memory.clone(), || ());
        let time = Arc::new(think::ManualTime::new());
        let source: Arc<dyn TimeSource> = time.clone();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.txt");
        let name = path.to_str().unwrap();
        assert!(output.log_to("/nowhere/at/all.txt", &source).is_err());
        output.text("before");
        output.log_to(name, &source).unwrap();
        output.log_input("usi", Moment::from_millis(1500));
        time.advance(std::time::Duration::from_millis(1501));
        output.text("id name X\nusiok");
        output.log_to("", &source).unwrap();
        output.text("after");
        let log = std::fs::read_to_string(&path).unwrap();
        assert_eq!(log, "1.500 < usi\n1.501 > id name X\n1.501 > usiok\n");
        assert_eq!(memory.text(), "before\nid name X\nusiok\nafter\n");
    }

    #[test]
    fn a_remark_is_always_one_bounded_line() {
        let memory = Memory::default();
        Output::new(memory.clone(), || ()).note(&format!("bad\r\nmove {}", "x".repeat(1_000_000)));
        let text = memory.text();
        assert!(text.starts_with("info string bad  move x"));
        assert_eq!(text.lines().count(), 1);
        assert!(text.chars().count() < 1030);
    }
}
