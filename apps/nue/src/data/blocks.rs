//! Blocks worked on by several threads, their results taken in the order of the file.

use super::input::Source;
use super::progress::Progress;
use super::tally::Tally;
use crate::failure::Failure;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use teacher::{Block, TeacherError};

/// Blocks that wait for a thread, and results that wait to be taken, per thread.
const WAITING: usize = 2;

/// Gives every block of a file to a worker and every result to `take`, in order. `worker` makes
/// one worker per thread.
pub(super) fn in_order<T: Send, W: FnMut(&Block) -> T + Send>(
    source: &Source,
    progress: &Progress,
    tally: &mut Tally,
    worker: impl Fn() -> W,
    mut take: impl FnMut(T, &mut Tally) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut reader = source.teacher(progress)?;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(16);
    thread::scope(|scope| {
        let desks: Vec<(SyncSender<Block>, Receiver<T>)> = (0..threads)
            .map(|_| {
                let (give, jobs) = sync_channel::<Block>(WAITING);
                let (done, results) = sync_channel(WAITING);
                let mut work = worker();
                scope.spawn(move || {
                    for block in jobs {
                        // Nobody takes results after an error: then there is nothing to do.
                        if done.send(work(&block)).is_err() {
                            break;
                        }
                    }
                });
                (give, results)
            })
            .collect();
        let (mut given, mut taken, mut more) = (0, 0, true);
        while more || taken < given {
            if more && given - taken < threads * WAITING {
                let mut block = Block::new();
                more = match reader.next_block(&mut block) {
                    Ok(more) => more,
                    Err(e @ TeacherError::Io(_)) => return Err(source.failed(&e)),
                    Err(e) => {
                        tally.problem(format!("{}: {e}", source.name()));
                        false
                    }
                };
                if more {
                    progress.positions(u64::from(block.positions()));
                    desks[given % threads].0.send(block).map_err(|_| stopped())?;
                    given += 1;
                }
            } else {
                take(desks[taken % threads].1.recv().map_err(|_| stopped())?, tally)?;
                taken += 1;
            }
        }
        Ok(())
    })
}

fn stopped() -> Failure {
    Failure::failed("a thread stopped unexpectedly")
}
