//! Debug commands that take long (`go perft`, `bench`), in a thread of their own so that the
//! session stays free.

use crate::evaluation::Evaluation;
use crate::output::Output;
use assembly::bench::Bench;
use rules::{AnyPosition, Game, Move};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use think::{TimeSource, WallTime};

/// A command under way.
pub(crate) struct Errand {
    worker: JoinHandle<()>,
    cancel: Box<dyn Fn() + Send>,
}

impl Errand {
    /// Counts move sequences.
    pub(crate) fn perft(mut position: AnyPosition, depth: u8, output: Output) -> io::Result<Self> {
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
        Ok(Self {
            worker: spawn("perft", work)?,
            cancel: Box::new(move || cancelled.store(true, Ordering::Relaxed)),
        })
    }

    /// Searches the bench positions of one game, counting material.
    pub(crate) fn bench(game: Game, depth: Option<u32>, output: Output) -> io::Result<Self> {
        let bench = Bench::new(depth, 1);
        let other = bench.clone();
        let sets = [(game, Evaluation::Material)];
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let work = move || match bench.run(&sets, &time, &mut |line| output.text(line)) {
            Some(total) => output.text(&format!("\nNodes searched: {}", total.nodes)),
            None => output.note("bench stopped before its end"),
        };
        Ok(Self { worker: spawn("bench", work)?, cancel: Box::new(move || other.cancel()) })
    }

    /// Whether it is still under way.
    pub(crate) fn is_running(&self) -> bool {
        !self.worker.is_finished()
    }

    /// Asks it to end.
    pub(crate) fn cancel(&self) {
        (self.cancel)();
    }

    /// Waits for its end.
    pub(crate) fn wait(self) {
        // A failure in a debug command has been printed to the error stream by its thread.
        let _ = self.worker.join();
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}
