//! Positions being computed on several threads.

use crate::Live;
use std::sync::Mutex;

/// How many of the positions are done.
pub struct PositionsBar {
    live: Mutex<Live>,
    all: usize,
}

impl PositionsBar {
    pub fn new(all: usize) -> Self {
        Self { live: Mutex::new(Live::new(all as u64, 0)), all }
    }

    /// So many are done, whichever thread says so.
    pub fn show(&self, done: usize) {
        // Another thread is about to show more than this one could.
        if let Ok(mut live) = self.live.try_lock() {
            let left = format!("{} left", live.time_left(done as u64));
            let line = || format!("{done} of {} positions, {left}", self.all);
            live.show(done as u64, &left, || "positions computed in real numbers".to_owned(), line);
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Ok(live) = self.live.lock() {
            live.finish();
        }
    }
}
