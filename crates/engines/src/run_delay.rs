//! How long a thread has waited for a processor while it had something to do.
//!
//! On a busy machine an engine wakes some time after it was asked, and the thread that reads its
//! answer some time after the answer has arrived. Where the system counts that time ([`os::delay`]) it
//! can be taken off again. Elsewhere it is not known and counts as nothing.

use os::delay;
use std::collections::HashMap;
use std::time::Duration;
use think::{Moment, TimeSource};

/// The counts of all threads of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadDelays(HashMap<String, Duration>);

impl ThreadDelays {
    /// Of the threads a process has now.
    pub(crate) fn of_process(id: u32) -> Self {
        let threads = delay::threads_of(id).into_iter();
        let count = |thread: String| {
            let total = delay::RunDelay::of_thread(id, &thread).total()?;
            Some((thread, total))
        };
        Self(threads.filter_map(count).collect())
    }

    /// How long the thread that waited most has waited since then.
    pub(crate) fn most_since(&self, before: &Self) -> Duration {
        let since = |(thread, total): (&String, &Duration)| {
            total.saturating_sub(before.0.get(thread).copied().unwrap_or_default())
        };
        self.0.iter().map(since).max().unwrap_or_default()
    }
}

/// The count of one thread.
pub(crate) struct RunDelay(delay::RunDelay);

impl RunDelay {
    /// For the thread that calls this.
    pub(crate) fn of_this_thread() -> Self {
        Self(delay::RunDelay::of_this_thread())
    }

    /// For the first thread of a process.
    pub(crate) fn of_process(id: u32) -> Self {
        Self(delay::RunDelay::of_process(id))
    }

    /// All of it until now.
    pub(crate) fn total(&self) -> Duration {
        self.0.total().unwrap_or_default()
    }
}

/// Something that this thread does for others, who may run on it before this thread does again: a
/// question is answered from the moment it is in the pipe, not from when we get a processor back.
pub(crate) struct TimedAction {
    delay: RunDelay,
    begun: Moment,
    before: Duration,
}

impl TimedAction {
    /// It begins.
    pub(crate) fn begin(time: &dyn TimeSource) -> Self {
        let delay = RunDelay::of_this_thread();
        let before = delay.total();
        Self { delay, begun: time.now(), before }
    }

    /// It is done: when that was, without what this thread waited for a processor meanwhile.
    pub(crate) fn done(&self, time: &dyn TimeSource) -> Moment {
        let waited = || self.delay.total().saturating_sub(self.before);
        done_at(&mut || time.now(), &mut { waited }).max(self.begun)
    }
}

/// The present moment less what was waited until then. Where more was waited while both were read it is
/// not known how much of it came before, and they are read again.
fn done_at(now: &mut dyn FnMut() -> Moment, waited: &mut dyn FnMut() -> Duration) -> Moment {
    let mut before = waited();
    for _ in 0..8 {
        let (moment, after) = (now(), waited());
        if after == before {
            return moment.saturating_sub(after);
        }
        before = after;
    }
    now().saturating_sub(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_began_later_counts_from_its_beginning() {
        let delays = |list: &[(&str, u64)]| {
            let count =
                |&(thread, ms): &(&str, u64)| (thread.to_owned(), Duration::from_millis(ms));
            ThreadDelays(list.iter().map(count).collect())
        };
        let before = delays(&[("1", 500), ("2", 90)]);
        let now = delays(&[("1", 510), ("3", 40)]);
        assert_eq!(now.most_since(&before), Duration::from_millis(40));
        assert_eq!(before.most_since(&before), Duration::ZERO);
        let own = ThreadDelays::of_process(std::process::id());
        assert_eq!(own.0.is_empty(), delay::threads_of(std::process::id()).is_empty());
    }

    #[test]
    fn a_question_counts_from_when_it_was_asked_not_from_when_we_run_again() {
        let ms = Duration::from_millis;
        // Asked at 10, then the engine had the only processor until 14.
        assert_eq!(done_at(&mut || ms(14), &mut || ms(4)), ms(10));
        // It takes the processor once more, between the looks at clock and count.
        let (mut times, mut counts) = ([14, 17, 18].into_iter(), [4, 6, 6].into_iter());
        let found = done_at(&mut || ms(times.next().unwrap()), &mut || ms(counts.next().unwrap()));
        assert_eq!(found, ms(11));
        // Nothing is ever asked before it was begun.
        let time = think::WallTime::start();
        let action = TimedAction::begin(&time);
        let done = action.done(&time);
        assert!(action.begun <= done && done <= time.now());
    }
}
