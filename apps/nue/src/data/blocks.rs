//! Blocks worked on by several threads, their results taken in the order of the file.

use super::desks::Desks;
use super::input::Source;
use super::progress::Progress;
use super::tally::Tally;
use crate::failure::Failure;
use std::thread;
use teacher::{Block, TeacherError};

/// Gives every block of a file to a worker and every result to `take`, in order. `worker` makes
/// one worker per thread.
pub(super) fn in_order<T: Send, W: FnMut(&Block) -> T>(
    source: &Source,
    progress: &Progress,
    tally: &mut Tally,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(T, &mut Tally) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut reader = source.teacher(progress)?;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(16);
    let worker = || {
        let mut work = worker();
        move |block: Block| work(&block)
    };
    thread::scope(|scope| {
        let mut desks = Desks::open(scope, threads, &worker)?;
        loop {
            let mut block = Block::new();
            match reader.next_block(&mut block) {
                Ok(true) => {}
                Ok(false) => break,
                Err(e @ TeacherError::Io(_)) => return Err(source.failed(&e)),
                Err(e) => {
                    tally.problem(format!("{}: {e}", source.name()));
                    break;
                }
            }
            progress.positions(u64::from(block.positions()));
            desks.give(block, &mut |result| take(result, tally))?;
        }
        desks.finish(&mut |result| take(result, tally))
    })
}
