//! How often somebody may ask: a bucket of permissions that fills with time.

use std::time::Duration;
use think::Moment;

/// A bucket.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: f64,
    most: f64,
    has: f64,
    at: Moment,
}

impl Bucket {
    /// A full bucket that fills at so many a second.
    pub const fn new(rate: f64, most: f64, now: Moment) -> Self {
        Self { rate, most, has: most, at: now }
    }

    /// Takes one; whether there was one.
    pub fn take(&mut self, now: Moment) -> bool {
        let passed: Duration = now.saturating_sub(self.at);
        self.at = self.at.max(now);
        self.has = passed.as_secs_f64().mul_add(self.rate, self.has).min(self.most);
        let allowed = self.has >= 1.0;
        if allowed {
            self.has -= 1.0;
        }
        allowed
    }

    /// Whether it is full: nobody has asked for a while.
    pub fn is_full(&self, now: Moment) -> bool {
        let passed = now.saturating_sub(self.at).as_secs_f64();
        passed.mul_add(self.rate, self.has) >= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_allowed_and_floods_are_not() {
        let s = Duration::from_secs;
        let mut bucket = Bucket::new(2.0, 5.0, s(0));
        assert_eq!((0..9).filter(|_| bucket.take(s(0))).count(), 5);
        assert!(!bucket.is_full(s(1)));
        assert_eq!((0..9).filter(|_| bucket.take(s(1))).count(), 2);
        assert!(bucket.is_full(s(100)));
        assert_eq!((0..99).filter(|_| bucket.take(s(100))).count(), 5);
        assert!(!bucket.take(s(50)), "time never goes back");
    }
}
