//! Blocks worked on by several threads, their results taken in the order of the file.

use crate::counts::Counts;
use crate::error::Error;
use crate::progress::Meter;
use crate::read::next_block;
use crate::source::Source;
use crate::workers::WorkerPool;
use std::thread;
use teacher::Block;

/// Gives every block of a file to a worker and every result to `take`, in order. `worker` makes
/// one worker per thread.
pub(crate) fn in_order<T: Send, W: FnMut(&Block) -> T>(
    source: &Source,
    meter: &Meter<'_>,
    counts: &mut Counts,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(T, &mut Counts) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut reader = source.teacher(Some(meter))?;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(16);
    let worker = || {
        let mut work = worker();
        move |block: Block| work(&block)
    };
    thread::scope(|scope| {
        let mut pool = WorkerPool::start(scope, threads, &worker)?;
        loop {
            let mut block = Block::new();
            if !next_block(source, &mut reader, &mut block, counts)? {
                break;
            }
            meter.positions(u64::from(block.positions()));
            pool.give(block, &mut |result| take(result, counts))?;
        }
        pool.finish(&mut |result| take(result, counts))
    })
}
