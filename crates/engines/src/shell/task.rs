//! Debug commands that take long (`go perft`, `bench`), on a thread of their own so that the session
//! stays free.

use super::output::Output;
use rules::{AnyPosition, Move};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A command under way.
pub struct Task {
    worker: JoinHandle<()>,
    cancel: Box<dyn Fn() + Send>,
}

impl Task {
    /// Does something on a thread of its own; `cancel` asks it to end.
    pub fn spawn(
        name: &str,
        work: impl FnOnce() + Send + 'static,
        cancel: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let worker = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { worker, cancel: Box::new(cancel) })
    }

    /// Counts move sequences.
    pub fn perft(mut position: AnyPosition, depth: u8, output: Output) -> io::Result<Self> {
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        let work = move || {
            let game = position.game();
            let each = &mut |m: Move, count| output.text(&format!("{} {count}", m.usi(game)));
            let go_on = &mut || !flag.load(Ordering::Relaxed);
            let total = position.perft_while(usize::from(depth), go_on, each);
            match total {
                Some(total) => output.text(&format!("\nNodes searched: {total}")),
                None => output.note("perft stopped before its end"),
            }
        };
        Self::spawn("perft", work, move || cancelled.store(true, Ordering::Relaxed))
    }

    /// Whether it is still under way.
    pub fn is_running(&self) -> bool {
        !self.worker.is_finished()
    }

    /// Asks it to end.
    pub fn cancel(&self) {
        (self.cancel)();
    }

    /// Waits for its end.
    pub fn wait(self) {
        // A failure in a debug command has been printed to the error stream by its thread.
        let _ = self.worker.join();
    }
}
