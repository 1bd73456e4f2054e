//! The one way out while USI is spoken: whole lines, one at a time, flushed.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use usi::Reply;

/// Longest remark, in characters: whatever was typed, an error stays a line one can read.
const LONGEST_NOTE: usize = 1000;

/// Where lines go; clones write to the same place.
#[derive(Clone)]
pub struct Output {
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    /// What to do when nothing can be written any more.
    closed: fn(),
}

impl Output {
    /// Lines go to the writer; `closed` is called when it takes no more.
    pub fn new(writer: impl Write + Send + 'static, closed: fn()) -> Self {
        Self { writer: Arc::new(Mutex::new(Box::new(writer))), closed }
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
    use std::io;

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
    fn a_remark_is_always_one_bounded_line() {
        let memory = Memory::default();
        Output::new(memory.clone(), || ()).note(&format!("bad\r\nmove {}", "x".repeat(1_000_000)));
        let text = memory.text();
        assert!(text.starts_with("info string bad  move x"));
        assert_eq!(text.lines().count(), 1);
        assert!(text.chars().count() < 1030);
    }
}
