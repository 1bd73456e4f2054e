//! How much and how often.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

/// What one worker, and everybody together, may do.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits {
    /// Connections at the same time, of everybody.
    pub connections: usize,
    /// Connections at the same time of one address that is not this machine's.
    pub connections_per_address: usize,
    /// How long a connection may go without an answer or progress.
    pub idle: Duration,
    /// Requests of one worker, a second, in the long run.
    pub requests_per_second: f64,
    /// Requests it may make at once.
    pub requests_burst: f64,
    /// Bytes of blobs one worker may put, a second, in the long run.
    pub upload_per_second: f64,
    /// Bytes it may put at once; also the largest blob.
    pub upload_burst: f64,
    /// Wrong tokens from one address, a minute, before it is answered nothing else.
    pub wrong_tokens_per_minute: f64,
    /// Blobs that are being put at the same time, by everybody: each is in memory.
    pub uploads_at_once: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4000,
            connections_per_address: 64,
            idle: Duration::from_secs(60),
            requests_per_second: 20.0,
            requests_burst: 100.0,
            upload_per_second: 1024.0 * 1024.0,
            upload_burst: 64.0 * 1024.0 * 1024.0,
            wrong_tokens_per_minute: 10.0,
            uploads_at_once: 4,
        }
    }
}

/// An allowance that fills up with time: what many have each of.
#[derive(Debug)]
pub(crate) struct Allowance<K> {
    per_second: f64,
    burst: f64,
    left: HashMap<K, (f64, Duration)>,
}

/// Those of whom something is known, before those with a full allowance are forgotten.
const MANY: usize = 10_000;

impl<K: Eq + Hash + Clone> Allowance<K> {
    pub(crate) fn new(per_second: f64, burst: f64) -> Self {
        Self { per_second, burst, left: HashMap::new() }
    }

    fn now(&self, key: &K, now: Duration) -> f64 {
        let (left, since) = self.left.get(key).copied().unwrap_or((self.burst, now));
        (left + now.saturating_sub(since).as_secs_f64() * self.per_second).min(self.burst)
    }

    /// Takes so much; otherwise how long until there will be enough.
    pub(crate) fn take(&mut self, key: &K, much: f64, now: Duration) -> Result<(), Duration> {
        let left = self.now(key, now);
        if left < much {
            let seconds = (much - left) / self.per_second.max(f64::MIN_POSITIVE);
            return Err(Duration::from_secs_f64(seconds.min(3600.0)));
        }
        if self.left.len() >= MANY {
            let (per_second, burst) = (self.per_second, self.burst);
            self.left.retain(|_, (left, since)| {
                *left + now.saturating_sub(*since).as_secs_f64() * per_second < burst
            });
        }
        self.left.insert(key.clone(), (left - much, now));
        Ok(())
    }

    /// Whether there is so much.
    pub(crate) fn has(&self, key: &K, much: f64, now: Duration) -> bool {
        self.now(key, now) >= much
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_fills_up() {
        let second = Duration::from_secs(1);
        let mut allowance = Allowance::new(2.0, 3.0);
        for _ in 0..3 {
            assert_eq!(allowance.take(&"a", 1.0, second), Ok(()));
        }
        assert_eq!(allowance.take(&"a", 1.0, second), Err(second / 2));
        assert!(!allowance.has(&"a", 1.0, second) && allowance.has(&"b", 3.0, second));
        assert_eq!(allowance.take(&"b", 3.0, second), Ok(()), "another's");
        assert_eq!(allowance.take(&"a", 2.0, 2 * second), Ok(()));
        assert_eq!(allowance.take(&"a", 3.0, 1000 * second), Ok(()), "full again");
        assert!(allowance.take(&"a", 4.0, 5000 * second).is_err(), "more than there ever is");
    }

    #[test]
    fn those_who_rest_are_forgotten() {
        let mut allowance = Allowance::new(1.0, 1.0);
        for key in 0..3 * MANY {
            let now = Duration::from_millis(key as u64);
            assert_eq!(allowance.take(&key, 1.0, now), Ok(()));
        }
        assert!(allowance.left.len() <= MANY + 1);
    }
}
