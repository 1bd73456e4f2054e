//! How far a piece of work is.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes after which the watch is called again: drawing is not free.
const STEP: u64 = 1 << 18;

/// How far it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Bytes of input read.
    pub bytes: u64,
    /// Bytes of input in all.
    pub total: u64,
    /// Positions worked on.
    pub positions: u64,
}

/// Whoever is told how far it is: now and then, and at the end.
pub type Watch<'a> = dyn Fn(Progress) + 'a;

/// Counts what is read and tells the watch.
pub(crate) struct Meter<'a> {
    progress: Cell<Progress>,
    pending: Cell<u64>,
    watch: &'a Watch<'a>,
}

impl<'a> Meter<'a> {
    /// Nothing done of so many bytes of input.
    pub(crate) fn new(total: u64, watch: &'a Watch<'a>) -> Self {
        let progress = Cell::new(Progress { total, ..Progress::default() });
        Self { progress, pending: Cell::new(0), watch }
    }

    /// Some bytes of input are done.
    pub(crate) fn bytes(&self, count: u64) {
        let mut progress = self.progress.get();
        progress.bytes += count;
        self.progress.set(progress);
        self.pending.set(self.pending.get() + count);
        if self.pending.get() >= STEP {
            self.pending.set(0);
            (self.watch)(progress);
        }
    }

    /// Some positions are done.
    pub(crate) fn positions(&self, count: u64) {
        let mut progress = self.progress.get();
        progress.positions += count;
        self.progress.set(progress);
    }

    /// All is done.
    pub(crate) fn finish(&self) {
        (self.watch)(self.progress.get());
    }
}

/// A file whose bytes count as progress when they are read; `None`: they do not.
pub(crate) struct MeteredFile<'m> {
    pub(crate) file: File,
    pub(crate) meter: Option<&'m Meter<'m>>,
}

impl Read for MeteredFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        if let Some(meter) = self.meter {
            meter.bytes(n as u64);
        }
        Ok(n)
    }
}

impl Seek for MeteredFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
