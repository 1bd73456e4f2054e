//! The one way to standard output while USI is spoken: whole lines, one at a time, flushed.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use usi::Reply;

/// Longest remark, in characters: whatever was typed, an error stays a line one can read.
const LONGEST_NOTE: usize = 1000;

/// Where lines go; clones write to the same place.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        Self::to(io::stdout())
    }

    /// Anything else.
    pub(crate) fn to(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(writer))))
    }

    /// Says one line of the protocol.
    pub(crate) fn say(&self, reply: &Reply) {
        self.text(&reply.to_string());
    }

    /// Says a remark, made fit for one line.
    pub(crate) fn note(&self, text: &str) {
        let clean = |c: char| if c.is_control() { ' ' } else { c };
        let mut line: String = text.chars().take(LONGEST_NOTE).map(clean).collect();
        if line.len() < text.len() {
            line.push('…');
        }
        self.say(&Reply::note(line));
    }

    /// Writes text as it is, and ends the line.
    pub(crate) fn text(&self, text: &str) {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{text}\n");
        if writer.write_all(line.as_bytes()).and_then(|()| writer.flush()).is_err() {
            // The interface has gone: there is nobody to play for and nobody to tell. Other
            // threads may be blocked on input that never comes, so the process ends here.
            std::process::exit(0);
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
    fn a_remark_is_always_one_bounded_line() {
        let memory = Memory::default();
        Output::to(memory.clone()).note(&format!("bad\r\nmove {}", "x".repeat(1_000_000)));
        let text = memory.text();
        assert!(text.starts_with("info string bad  move x"));
        assert_eq!(text.lines().count(), 1);
        assert!(text.chars().count() < 1030);
    }
}
