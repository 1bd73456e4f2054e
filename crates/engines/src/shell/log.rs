//! The conversation as a file: every line, with the time and who said it.

use crate::traffic::entry;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::Arc;
use think::{Moment, TimeSource};

/// A log under way.
pub(crate) struct TrafficLog {
    file: File,
    time: Arc<dyn TimeSource>,
}

impl TrafficLog {
    /// Appends to that file.
    pub(crate) fn open(path: &str, time: Arc<dyn TimeSource>) -> io::Result<Self> {
        Ok(Self { file: OpenOptions::new().create(true).append(true).open(path)?, time })
    }

    /// A line that was read at that moment.
    pub(crate) fn heard(&mut self, line: &str, at: Moment) -> io::Result<()> {
        self.write(at, '<', line)
    }

    /// What is said now.
    pub(crate) fn said(&mut self, text: &str) -> io::Result<()> {
        let now = self.time.now();
        text.lines().try_for_each(|line| self.write(now, '>', line))
    }

    fn write(&mut self, at: Moment, who: char, line: &str) -> io::Result<()> {
        // Whole lines at once: the program may end, or be ended, at any time.
        self.file.write_all(entry(at, who, line).as_bytes())
    }
}
