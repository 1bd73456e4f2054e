//! A player's clock, by the time elements of the protocol (section 3.2.2).
//!
//! What counts is the time recorded with each move: what passed since the turn began, less the
//! delay, rounded to the unit, at least the least. The remaining time grows by the increment when a
//! turn begins and shrinks by what is recorded when it ends, but not below nothing. A player may
//! think for delay + remaining time + byoyomi; when that has passed, or when the recorded time of a
//! move uses all of it up, the time is over.

use crate::TimeRule;
use play::{ClockRule, Credit, Edge, GameTime, Rounding};
use std::time::Duration;

impl TimeRule {
    /// How a clock counts by these elements.
    pub fn clock_rule(&self) -> ClockRule {
        let span = |units: Option<u64>| self.span(units.unwrap_or(0));
        let game = GameTime {
            main: span(self.total),
            byoyomi: span(self.byoyomi),
            increment: span(self.increment),
            credit: Credit::BeforeMove,
            delay: span(self.delay),
        };
        let rounding = match (self.is_unlimited(), self.roundup) {
            (true, _) => Rounding::Ignored,
            (false, true) => Rounding::Up(self.unit),
            (false, false) => Rounding::Down(self.unit),
        };
        ClockRule {
            game: (!self.is_unlimited()).then_some(game),
            per_move: None,
            rounding,
            least: self.span(self.least),
            edge: Edge::Over,
            margin: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::{Clock, FlagFallen};
    use proptest::prelude::*;

    fn clock_of(rule: &TimeRule) -> Clock {
        Clock::new(rule.clock_rule())
    }

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// The rule of section 3.2.2.1: 300 seconds, byoyomi 10, delay 3, increment 5.
    fn all_elements() -> TimeRule {
        TimeRule {
            total: Some(300),
            byoyomi: Some(10),
            delay: Some(3),
            increment: Some(5),
            ..TimeRule::default()
        }
    }

    /// The clock of Black when move 81 is due: 40 moves made in 320 seconds together.
    fn at_move_81(rule: &TimeRule) -> Clock {
        let mut clock = clock_of(rule);
        for _ in 0..40 {
            assert_eq!(clock.end_turn(s(8 + 3)), Ok(s(8)));
        }
        assert_eq!(clock.left(), s(180), "500 in all, 320 used");
        assert_eq!(clock.left_in_turn(), s(185));
        clock
    }

    #[test]
    fn the_worked_example_of_section_3_2_2_1() {
        for (elapsed, recorded, left, next) in [
            // 1. Within the delay nothing is used, however much of it passed.
            (ms(0), s(0), s(185), s(190)),
            (ms(2_999), s(0), s(185), s(190)),
            // 2. After the delay the rest counts.
            (s(3), s(0), s(185), s(190)),
            (ms(3_999), s(0), s(185), s(190)),
            (s(30), s(27), s(158), s(163)),
            (ms(187_999), s(184), s(1), s(6)),
            // 3. All the remaining time is used and byoyomi runs.
            (s(188), s(185), s(0), s(5)),
            (s(195), s(192), s(0), s(5)),
            (ms(197_999), s(194), s(0), s(5)),
        ] {
            let mut clock = at_move_81(&all_elements());
            assert_eq!(clock.end_turn(elapsed), Ok(recorded), "{elapsed:?}");
            assert_eq!(clock.left(), left, "{elapsed:?}");
            assert_eq!(clock.left_in_turn(), next, "{elapsed:?}");
        }
        // 4. After 198 seconds the time is over.
        let mut clock = at_move_81(&all_elements());
        assert_eq!(clock.limit(), Some(s(198)));
        assert_eq!(clock.end_turn(s(198)), Err(FlagFallen));
    }

    #[test]
    fn the_same_without_byoyomi_ends_at_188() {
        let mut clock = at_move_81(&TimeRule { byoyomi: None, ..all_elements() });
        assert_eq!(clock.limit(), Some(s(188)));
        assert_eq!({ clock }.end_turn(ms(187_999)), Ok(s(184)));
        assert_eq!(clock.end_turn(s(188)), Err(FlagFallen));
    }

    #[test]
    fn least_time_and_rounding() {
        let least = TimeRule { least: 1, ..all_elements() };
        let mut clock = clock_of(&least);
        assert_eq!(clock.end_turn(ms(100)), Ok(s(1)), "also within the delay");
        assert_eq!(clock.end_turn(ms(3_900)), Ok(s(1)));
        let up = TimeRule { roundup: true, ..all_elements() };
        let mut clock = clock_of(&up);
        assert_eq!(clock.end_turn(ms(2_999)), Ok(s(0)));
        assert_eq!(clock.end_turn(ms(3_001)), Ok(s(1)));
        assert_eq!(clock.end_turn(ms(5_000)), Ok(s(2)));
    }

    #[test]
    fn sudden_death_with_a_least_second() {
        let mut clock = clock_of(&TimeRule { least: 1, ..TimeRule::seconds(3, 0) });
        assert_eq!(clock.end_turn(ms(0)), Ok(s(1)));
        assert_eq!(clock.end_turn(ms(0)), Ok(s(1)));
        assert_eq!(clock.end_turn(ms(0)), Err(FlagFallen), "three seconds in all are used up");
    }

    #[test]
    fn three_ways_to_have_ten_seconds_a_move() {
        let rule = |delay, byoyomi| TimeRule { delay, byoyomi, ..TimeRule::default() };
        for (rule, recorded) in
            [(rule(Some(10), None), 0), (rule(Some(5), Some(5)), 4), (rule(None, Some(10)), 9)]
        {
            let mut clock = clock_of(&rule);
            assert_eq!(clock.limit(), Some(s(10)));
            assert_eq!(clock.end_turn(ms(9_900)), Ok(s(recorded)));
            assert_eq!(clock.end_turn(s(10)), Err(FlagFallen));
        }
    }

    #[test]
    fn increment_alone_gives_the_first_move_its_time() {
        let rule = TimeRule { increment: Some(5), ..TimeRule::default() };
        let mut clock = clock_of(&rule);
        assert_eq!(clock.limit(), Some(s(5)));
        assert_eq!(clock.end_turn(s(2)), Ok(s(2)));
        assert_eq!(clock.limit(), Some(s(8)));
    }

    #[test]
    fn the_championship_rule_by_its_own_words() {
        // 15 minutes and 5 seconds: lost when the sum reaches 15 min + 5 n s at the n-th turn.
        let mut clock = clock_of(&TimeRule::fischer(900, 5));
        let mut sum = 0;
        for n in 1..=3 {
            assert_eq!(clock.limit(), Some(s(900 + 5 * n - sum)));
            clock.end_turn(s(100)).unwrap();
            sum += 100;
        }
    }

    #[test]
    fn other_units() {
        let minutes = TimeRule { unit: s(60), ..TimeRule::seconds(10, 1) };
        let mut clock = clock_of(&minutes);
        assert_eq!(clock.end_turn(s(119)), Ok(s(60)));
        assert_eq!(clock.left(), s(540));
        let millis = TimeRule { unit: ms(1), ..TimeRule::fischer(1000, 100) };
        let mut clock = clock_of(&millis);
        assert_eq!(clock.end_turn(Duration::from_micros(250_900)), Ok(ms(250)));
        assert_eq!(clock.left(), ms(850));
    }

    #[test]
    fn nothing_given_is_no_limit() {
        let mut clock = clock_of(&TimeRule::default());
        assert_eq!(clock.limit(), None);
        assert_eq!(clock.end_turn(s(1_000_000)), Ok(s(0)));
    }

    proptest! {
        /// A slow model that counts unit by unit, by the sentences of the protocol.
        #[test]
        fn like_a_model_that_counts_units(
            total in 0u64..20, byoyomi in 0u64..5, delay in 0u64..4, increment in 0u64..4,
            least in 0u64..2, roundup: bool, moves in proptest::collection::vec(0u64..12_000, 1..20),
        ) {
            let some = |n: u64| (n > 0).then_some(n);
            let rule = TimeRule {
                least, roundup, total: Some(total), byoyomi: some(byoyomi), delay: some(delay),
                increment: some(increment), ..TimeRule::default()
            };
            let mut clock = clock_of(&rule);
            let (mut budget, mut used) = (total, 0u64);
            for millis in moves {
                budget += increment;
                let mut units = 0;
                while (units + 1) * 1000 + delay * 1000 <= millis { units += 1; }
                if roundup && units * 1000 + delay * 1000 < millis { units += 1; }
                let units = units.max(least);
                let free = (budget - used.min(budget)) + byoyomi;
                let over = millis >= (delay + free) * 1000 || (least > 0 && least >= free);
                let got = clock.end_turn(ms(millis));
                if over {
                    prop_assert_eq!(got, Err(FlagFallen));
                    break;
                }
                prop_assert_eq!(got, Ok(s(units)));
                used = (used + units).min(budget);
                prop_assert_eq!(clock.left(), s(budget - used));
            }
        }

        #[test]
        fn recorded_times_bring_the_clock_back(
            total in 0u64..100, increment in 0u64..5, moves in proptest::collection::vec(0u64..3_000, 0..20),
        ) {
            let mut clock = clock_of(&TimeRule::fischer(total, increment));
            let mut again = clock;
            for millis in moves {
                let Ok(recorded) = clock.end_turn(ms(millis)) else { return Ok(()) };
                again.replay(recorded);
                prop_assert_eq!(&again, &clock);
            }
        }
    }
}
