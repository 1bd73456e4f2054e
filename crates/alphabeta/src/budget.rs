//! How much time a move may take. Simple and safe rather than clever: what is certain to be ours
//! is never exceeded, and a bad clock gives a quick move, never a slow one.

use rules::Color;
use std::time::Duration;
use think::{Clocks, Limits};

/// Time for one move, counted from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    /// No new iteration after this.
    pub(crate) soft: Duration,
    /// Whatever is being read is dropped after this.
    pub(crate) hard: Duration,
}

impl Budget {
    /// All of `time`, less a little for the way back.
    fn fixed(time: Duration) -> Self {
        let all = time - (time / 10).min(Duration::from_millis(20));
        Self { soft: all, hard: all }
    }

    /// A share of a game's clock. `delay` is what the way to the server and back may cost.
    fn of_clocks(clocks: &Clocks, us: Color, delay: Duration) -> Self {
        let (time, increment) = (clocks.time(us), clocks.increment(us));
        // The increment is not counted while there is anything else: some interfaces have added
        // it to the time already. On its own, half of it is taken as real.
        let ours = match time + clocks.byoyomi {
            Duration::ZERO => increment / 2,
            ours => ours,
        };
        let hard = ours.saturating_sub(delay).max(ours / 2);
        let goal = time / 40 + increment * 3 / 4 + clocks.byoyomi * 3 / 4;
        Self { soft: (goal / 2).min(hard), hard: (goal * 2).min(hard) }
    }

    /// What the limits allow; `None` if they do not limit time. `clocks` are those in force,
    /// `chance` any number, for a time to be drawn at random.
    pub(crate) fn new(
        limits: &Limits,
        clocks: Option<&Clocks>,
        us: Color,
        delay: Duration,
        chance: u32,
    ) -> Option<Self> {
        if limits.infinite {
            return None;
        }
        if let Some(time) = limits.movetime {
            return Some(Self::fixed(time));
        }
        if let Some(time) = limits.random_time {
            return Some(Self::fixed(time + time.mul_f64(f64::from(chance % 1000) / 1000.0)));
        }
        clocks.map(|clocks| Self::of_clocks(clocks, us, delay))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DELAY: Duration = Duration::from_millis(120);

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn clocks(time: u64, increment: u64, byoyomi: u64) -> Clocks {
        Clocks {
            time: [ms(time), Duration::ZERO],
            increment: [ms(increment), Duration::ZERO],
            byoyomi: ms(byoyomi),
        }
    }

    #[test]
    fn without_time_limits_there_is_no_budget() {
        let none = |limits: &Limits| Budget::new(limits, None, Color::Black, DELAY, 0);
        assert_eq!(none(&Limits::to_depth(4)), None);
        assert_eq!(
            none(&Limits { infinite: true, movetime: Some(ms(5)), ..Limits::default() }),
            None
        );
    }

    #[test]
    fn fixed_times_are_used_up() {
        let fixed = |limits: &Limits| Budget::new(limits, None, Color::Black, DELAY, 500).unwrap();
        let hard = |limits: &Limits| fixed(limits).hard;
        assert_eq!(hard(&Limits { movetime: Some(ms(1000)), ..Limits::default() }), ms(980));
        assert_eq!(hard(&Limits { movetime: Some(ms(10)), ..Limits::default() }), ms(9));
        assert_eq!(hard(&Limits { movetime: Some(ms(0)), ..Limits::default() }), ms(0));
        assert_eq!(hard(&Limits { random_time: Some(ms(1000)), ..Limits::default() }), ms(1480));
    }

    #[test]
    fn byoyomi_alone_is_mostly_used_and_never_exceeded() {
        let budget = Budget::of_clocks(&clocks(0, 0, 10_000), Color::Black, DELAY);
        assert!(budget.soft >= ms(3000) && budget.hard == ms(9880), "{budget:?}");
    }

    #[test]
    fn only_the_own_clock_counts() {
        let budget = Budget::of_clocks(&clocks(600_000, 0, 0), Color::White, DELAY);
        assert_eq!(budget, Budget { soft: ms(0), hard: ms(0) });
    }

    proptest! {
        #[test]
        fn no_clock_is_ever_exceeded(
            time in 0u64..=1_000_000_000_000, increment in 0u64..=1_000_000_000_000,
            byoyomi in 0u64..=1_000_000_000_000, delay in 0u64..=10_000,
        ) {
            let clocks = clocks(time, increment, byoyomi);
            let budget = Budget::of_clocks(&clocks, Color::Black, ms(delay));
            let ours = ms(time + byoyomi).max(ms(increment / 2));
            prop_assert!(budget.soft <= budget.hard && budget.hard <= ours);
            if time + byoyomi > 2 * delay {
                prop_assert!(budget.hard <= ms(time + byoyomi - delay));
            }
        }
    }
}
