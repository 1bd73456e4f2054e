//! When lines arrived, on the thread that reads, decides, stores and writes.
//!
//! While that thread stores, lines come in that it reads only afterwards. Its own slowness is not
//! a player's: a line is taken to have arrived as early as it can have, and a flag falls only when
//! everything that had arrived by then has been heard.

use crate::server_loop::ServerClock;
use server::room::Moment;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Whoever waits less than this for the sockets found something that had been there before.
const AT_ONCE: Duration = Duration::from_micros(50);

/// How far back an arrival is dated at most.
const FARTHEST: Duration = Duration::from_millis(100);

/// How long flags wait, at most, for a thread that never comes to rest.
const RESTLESS: Duration = Duration::from_secs(1);

/// What the thread has noted about its looks at the sockets. It alone writes here.
pub(crate) struct ArrivalTimes {
    clock: ServerClock,
    /// When it last went to wait.
    waited: AtomicU64,
    /// When it last came back from waiting, and the time before.
    back: AtomicU64,
    before: AtomicU64,
    /// No line read now arrived earlier than this.
    earliest: AtomicU64,
}

fn nanos(at: Moment) -> u64 {
    u64::try_from(at.as_nanos()).unwrap_or(u64::MAX)
}

fn read(cell: &AtomicU64) -> Moment {
    Duration::from_nanos(cell.load(Ordering::Relaxed))
}

impl ArrivalTimes {
    pub(crate) fn new(clock: ServerClock) -> Arc<Self> {
        let now = nanos(clock.now());
        let cell = || AtomicU64::new(now);
        Arc::new(Self { clock, waited: cell(), back: cell(), before: cell(), earliest: cell() })
    }

    /// The thread has nothing more to do and waits for the sockets.
    pub(crate) fn wait(&self, now: Moment) {
        self.waited.store(nanos(now), Ordering::Relaxed);
    }

    /// The thread has something to do.
    pub(crate) fn come_back(&self, now: Moment) {
        let before = read(&self.back);
        let was_there = now.saturating_sub(read(&self.waited)) < AT_ONCE;
        let earliest = if was_there { before } else { now };
        self.earliest.store(nanos(earliest), Ordering::Relaxed);
        self.before.store(nanos(before), Ordering::Relaxed);
        self.back.store(nanos(now), Ordering::Relaxed);
    }

    /// When a line that was read just now arrived.
    pub(crate) fn of_line(&self, now: Moment) -> Moment {
        read(&self.earliest).max(now.saturating_sub(FARTHEST)).min(now)
    }

    /// Until when everything that arrived has been heard.
    pub(crate) fn heard_until(&self, now: Moment) -> Moment {
        read(&self.before).max(now.saturating_sub(RESTLESS)).min(now)
    }

    /// A runtime of one thread that keeps these notes.
    pub(crate) fn runtime(self: &Arc<Self>) -> std::io::Result<tokio::runtime::Runtime> {
        let (waiting, back) = (Arc::clone(self), Arc::clone(self));
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || waiting.wait(waiting.clock.now()))
            .on_thread_unpark(move || back.come_back(back.clock.now()))
            .build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_waited_for_us_is_dated_back() {
        let ms = Duration::from_millis;
        let arrivals = ArrivalTimes::new(ServerClock::start());
        let start = arrivals.clock.now();
        // Slept until something came: it came when we woke.
        arrivals.wait(start);
        arrivals.come_back(start + ms(500));
        assert_eq!(arrivals.of_line(start + ms(501)), start + ms(500));
        // Stored for 30 ms, and found something at once: it may have come any time since.
        arrivals.wait(start + ms(531));
        arrivals.come_back(start + ms(531));
        assert_eq!(arrivals.of_line(start + ms(532)), start + ms(500));
        assert_eq!(arrivals.heard_until(start + ms(532)), start + ms(500));
        // Slept again.
        arrivals.wait(start + ms(533));
        arrivals.come_back(start + ms(700));
        assert_eq!(arrivals.of_line(start + ms(700)), start + ms(700));
        assert_eq!(arrivals.heard_until(start + ms(700)), start + ms(531));
        // Never at rest: neither arrivals nor flags are put off for ever.
        assert_eq!(arrivals.of_line(start + ms(5000)), start + ms(4900));
        assert_eq!(arrivals.heard_until(start + ms(5000)), start + ms(4000));
    }
}
