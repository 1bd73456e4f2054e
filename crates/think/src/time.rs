//! Where "now" comes from. An engine is given a source; it never reads a clock of its own, so a
//! test can run a whole game in virtual time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// A moment, as the time passed since the source's origin. Only differences mean anything.
pub type Moment = Duration;

/// A clock that never goes back.
pub trait TimeSource: Send + Sync {
    fn now(&self) -> Moment;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct WallTime(Instant);

impl WallTime {
    /// A source whose origin is this moment.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl TimeSource for WallTime {
    fn now(&self) -> Moment {
        self.0.elapsed()
    }
}

/// The time passed since 1970 by the machine's calendar; nothing if the calendar is set before. For dates
/// that are stored and shown: it may go back, so nothing is measured by it.
pub fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Seconds of [`since_1970`], as files and protocols have them.
pub fn seconds_since_1970() -> i64 {
    i64::try_from(since_1970().as_secs()).unwrap_or(i64::MAX)
}

/// Virtual time that passes only when told to.
#[derive(Debug, Default)]
pub struct ManualTime(AtomicU64);

impl ManualTime {
    /// A source standing at its origin.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets time pass (whole nanoseconds; stops at the end of a `u64` of them).
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let now = self.0.load(Ordering::SeqCst);
        self.0.store(now.saturating_add(by), Ordering::SeqCst);
    }
}

impl TimeSource for ManualTime {
    fn now(&self) -> Moment {
        Duration::from_nanos(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_time_passes_only_when_told() {
        let time = ManualTime::new();
        assert_eq!(time.now(), Duration::ZERO);
        time.advance(Duration::from_millis(1500));
        assert_eq!(time.now(), Duration::from_millis(1500));
        time.advance(Duration::MAX);
        time.advance(Duration::MAX);
        assert_eq!(time.now(), Duration::from_nanos(u64::MAX));
    }

    #[test]
    fn wall_time_never_goes_back() {
        let time = WallTime::start();
        let before = time.now();
        assert!(time.now() >= before);
    }
}
