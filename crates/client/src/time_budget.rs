//! Time: the server's clocks as an engine is told them, and the margin kept for the way there and
//! back.

use csa::Times;
use play::{Clock, GameTime};
use rules::Color;
use std::collections::VecDeque;
use std::time::Duration;
use think::Clocks;

/// Delays remembered.
const REMEMBERED: usize = 30;

/// The least margin.
const LEAST: Duration = Duration::from_millis(20);

/// What an engine is left with at least, whatever the margin.
const CRUMB: Duration = Duration::from_millis(10);

/// The margin, learned from how long our own moves took to come back.
#[derive(Clone, Debug)]
pub(crate) struct NetworkMargin {
    first: Duration,
    delays: VecDeque<Duration>,
}

impl NetworkMargin {
    /// The margin before anything was measured.
    pub(crate) const fn new(first: Duration) -> Self {
        Self { first, delays: VecDeque::new() }
    }

    /// A move came back so long after it was sent.
    pub(crate) fn learn(&mut self, delay: Duration) {
        if self.delays.len() == REMEMBERED {
            self.delays.pop_front();
        }
        self.delays.push_back(delay);
    }

    /// What to keep: half as much again as the worst of late, so that one hiccup does not lose the
    /// game; never less than the least.
    pub(crate) fn now(&self) -> Duration {
        match self.delays.iter().max() {
            // A few moves do not tell enough to be bold.
            Some(&worst) if self.delays.len() >= 5 => (worst * 3 / 2 + LEAST).max(LEAST),
            Some(&worst) => (worst * 3 / 2 + LEAST).max(self.first),
            None => self.first,
        }
    }
}

/// Both clocks as the server's lines tell them.
#[derive(Clone, Debug)]
pub(crate) struct TimeBudget {
    clocks: [Clock; 2],
}

impl TimeBudget {
    pub(crate) fn new(times: &Times) -> Self {
        Self { clocks: Color::BOTH.map(|c| Clock::new(times.of(c).clock_rule())) }
    }

    /// A move of a side with its recorded time.
    pub(crate) fn played(&mut self, side: Color, time: Duration) {
        self.clocks[side.index()].replay(time);
    }

    /// Time left before the increment of the turn that comes or runs.
    pub(crate) fn remaining(&self, side: Color) -> Duration {
        self.clocks[side.index()].left()
    }

    /// How long a side may think from the beginning of its turn; `None` if nothing limits it.
    pub(crate) fn available(&self, side: Color) -> Option<Duration> {
        self.clocks[side.index()].limit()
    }

    /// The clocks for an engine that plays one side, with a margin and what has passed already
    /// taken off. The delay is told as byoyomi: it is there with every move. `None` if nothing
    /// limits the time.
    pub(crate) fn clocks(&self, us: Color, margin: Duration, passed: Duration) -> Option<Clocks> {
        let GameTime { byoyomi, delay, .. } = self.clocks[us.index()].rule().game?;
        let mut byoyomi = byoyomi.saturating_add(delay);
        let mut time = Color::BOTH.map(|c| self.remaining(c));
        let mut increment = Color::BOTH.map(|c| {
            let game = self.clocks[c.index()].rule().game;
            game.map_or(Duration::ZERO, |game| game.increment)
        });
        let own = us.index();
        let mut owed = margin + passed;
        // What is owed comes off where it is certain to be noticed: first what is there with
        // every move, then the rest of the time, then the increment.
        for pot in [&mut byoyomi, &mut time[own], &mut increment[own]] {
            let taken = owed.min(*pot);
            *pot -= taken;
            owed -= taken;
        }
        if byoyomi + time[own] + increment[own] < CRUMB {
            (byoyomi, time[own], increment[own]) = (CRUMB, Duration::ZERO, Duration::ZERO);
        }
        Some(Clocks { time, increment, byoyomi })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use csa::TimeRule;
    use proptest::prelude::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn budget(rule: TimeRule) -> TimeBudget {
        TimeBudget::new(&Times::Both(rule))
    }

    #[test]
    fn the_rule_of_the_example_as_an_engine_is_told_it() {
        let rule = TimeRule { delay: Some(3), increment: Some(5), ..TimeRule::seconds(300, 10) };
        let mut budget = budget(rule);
        for _ in 0..40 {
            budget.played(Color::Black, ms(8000));
        }
        let clocks = budget.clocks(Color::Black, ms(100), ms(0)).unwrap();
        assert_eq!(clocks.time(Color::Black), ms(180_000));
        assert_eq!(clocks.increment(Color::Black), ms(5000));
        assert_eq!(clocks.byoyomi, ms(12_900));
        assert_eq!(budget.available(Color::Black), Some(ms(198_000)));
    }

    #[test]
    fn a_margin_is_kept_also_when_the_time_is_used_up() {
        let mut budget = budget(TimeRule::fischer(10, 5));
        budget.played(Color::White, ms(15_000));
        let clocks = budget.clocks(Color::White, ms(300), ms(0)).unwrap();
        assert_eq!((clocks.time(Color::White), clocks.increment(Color::White)), (ms(0), ms(4700)));
        assert_eq!(clocks.time(Color::Black), ms(10_000));
        let clocks = budget.clocks(Color::White, ms(300), ms(9000)).unwrap();
        assert_eq!(clocks.byoyomi, CRUMB, "nothing is left, but a move must be made");
        let clocks = budget.clocks(Color::White, ms(4991), ms(0)).unwrap();
        assert_eq!((clocks.byoyomi, clocks.increment(Color::White)), (CRUMB, ms(0)), "not 19 ms");
        assert!(TimeBudget::new(&Times::Unlimited).clocks(Color::Black, ms(1), ms(0)).is_none());
    }

    #[test]
    fn margins_are_learned() {
        let mut margin = NetworkMargin::new(ms(300));
        assert_eq!(margin.now(), ms(300));
        margin.learn(ms(10));
        assert_eq!(margin.now(), ms(300), "not bold yet");
        for _ in 0..5 {
            margin.learn(ms(10));
        }
        assert_eq!(margin.now(), ms(35));
        margin.learn(ms(1000));
        assert_eq!(margin.now(), ms(1520));
        for _ in 0..REMEMBERED {
            margin.learn(ms(2));
        }
        assert_eq!(margin.now(), ms(23), "a hiccup is forgotten in time");
    }

    proptest! {
        #[test]
        fn an_engine_that_uses_all_it_is_told_is_never_late(
            total in 0u64..60, byoyomi in 0u64..10, increment in 0u64..10, delay in 0u64..5,
            moves in proptest::collection::vec(0u64..20_000, 0..20), margin in 0u64..2_000,
        ) {
            let some = |n: u64| (n > 0).then_some(n);
            let rule = TimeRule {
                total: Some(total), byoyomi: some(byoyomi), increment: some(increment),
                delay: some(delay), ..TimeRule::default()
            };
            let mut budget = budget(rule);
            for millis in moves {
                budget.played(Color::Black, ms(millis / 1000 * 1000));
            }
            let available = budget.available(Color::Black).unwrap();
            let clocks = budget.clocks(Color::Black, ms(margin), ms(0)).unwrap();
            let told = clocks.time(Color::Black) + clocks.increment(Color::Black) + clocks.byoyomi;
            prop_assert!(told == CRUMB || told + ms(margin) <= available);
        }
    }
}
