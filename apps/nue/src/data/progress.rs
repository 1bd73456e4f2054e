//! How far a long command is: share of the input, positions per second, time left.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on the error stream; clones are the same bar.
#[derive(Clone)]
pub(crate) struct Progress(Rc<Inner>);

struct Inner {
    bar: ProgressBar,
    started: Instant,
    positions: Cell<u64>,
    /// Bytes not yet shown.
    pending: Cell<u64>,
}

impl Progress {
    /// Nothing done of so many bytes of input.
    pub(super) fn new(bytes: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::hidden());
        let template = "{bar:30} {percent:>3}% {eta:>4} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let (positions, pending) = (Cell::new(0), Cell::new(0));
        Self(Rc::new(Inner { bar, started: Instant::now(), positions, pending }))
    }

    /// Some bytes of input are done.
    pub(super) fn bytes(&self, count: u64) {
        let pending = self.0.pending.get() + count;
        self.0.pending.set(pending);
        // Drawing is asked for now and then only: the clock is not free.
        if pending >= 1 << 18 {
            self.show();
        }
    }

    /// Some positions are done.
    pub(super) fn positions(&self, count: u64) {
        self.0.positions.set(self.0.positions.get() + count);
    }

    fn show(&self) {
        let inner = &*self.0;
        inner.bar.inc(inner.pending.replace(0));
        let elapsed = inner.started.elapsed();
        if inner.bar.is_hidden() && elapsed > PATIENCE {
            inner.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let rate = inner.positions.get() as f64 / elapsed.as_secs_f64().max(1e-9);
        let done = super::count(inner.positions.get());
        inner.bar.set_message(format!("{done} positions, {}/s", super::count(rate as u64)));
    }

    /// Done, or given up: the bar goes.
    pub(super) fn clear(&self) {
        self.0.bar.finish_and_clear();
    }

    /// How many positions were done in how much time.
    pub(super) fn rate(&self) -> String {
        let (positions, elapsed) = (self.0.positions.get(), self.0.started.elapsed());
        let rate = positions as f64 / elapsed.as_secs_f64().max(1e-9);
        format!("{:.1} s, {} positions/s", elapsed.as_secs_f64(), super::count(rate as u64))
    }
}

/// A file whose bytes count as progress when they are read.
pub(super) struct Counted {
    pub(super) file: File,
    pub(super) progress: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.progress.bytes(n as u64);
        Ok(n)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
