//! How much a player may think.

use play::{ClockRule, GameTime};
use std::fmt;
use std::time::Duration;

/// How much one player may think. Several limits may be set; each bounds every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeControl {
    /// A game clock.
    pub clock: Option<GameTime>,
    /// Time for each move.
    pub movetime: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies for each move.
    pub depth: Option<u32>,
    /// How much it may overstep its time, if not as much as everybody.
    pub margin: Option<Duration>,
}

impl TimeControl {
    /// Whether anything bounds a move.
    pub fn is_bounded(&self) -> bool {
        Self { margin: None, ..*self } != Self::default()
    }

    /// Whether a move is bounded by time.
    pub fn is_timed(&self) -> bool {
        self.clock.is_some() || self.movetime.is_some()
    }

    /// The same for a machine on which everything takes that many times as long. Nodes and depth stay.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let factor = if factor.is_finite() { factor.clamp(0.01, 100.0) } else { 1.0 };
        let clock = self.clock.map(|clock| GameTime {
            main: clock.main.mul_f64(factor),
            increment: clock.increment.mul_f64(factor),
            byoyomi: clock.byoyomi.mul_f64(factor),
            ..clock
        });
        Self { clock, movetime: self.movetime.map(|time| time.mul_f64(factor)), ..*self }
    }

    /// How the player's clock counts, with so much forgiven beyond the limit if it has no margin of
    /// its own.
    pub fn clock_rule(&self, margin: Duration) -> ClockRule {
        let margin = self.margin.unwrap_or(margin);
        ClockRule { game: self.clock, per_move: self.movetime, margin, ..ClockRule::default() }
    }
}

/// Seconds without needless zeros.
fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(clock) = self.clock {
            let mut text = seconds(clock.main);
            if !clock.increment.is_zero() {
                text += &format!(" + {} a move", seconds(clock.increment));
            }
            if !clock.byoyomi.is_zero() {
                text += &format!(", byoyomi {}", seconds(clock.byoyomi));
            }
            parts.push(text);
        }
        if let Some(time) = self.movetime {
            parts.push(format!("{} a move", seconds(time)));
        }
        if let Some(nodes) = self.nodes {
            parts.push(format!("{nodes} nodes"));
        }
        if let Some(depth) = self.depth {
            parts.push(format!("depth {depth}"));
        }
        if let Some(margin) = self.margin.filter(|_| !parts.is_empty()) {
            parts.push(format!("margin {}", seconds(margin)));
        }
        f.write_str(if parts.is_empty() { "no limit" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Clock;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn control(main: u64, increment: u64, byoyomi: u64) -> TimeControl {
        let (main, increment, byoyomi) = (ms(main), ms(increment), ms(byoyomi));
        let clock = GameTime { main, increment, byoyomi, ..GameTime::default() };
        TimeControl { clock: Some(clock), ..TimeControl::default() }
    }

    fn clock(main: u64, increment: u64, byoyomi: u64, margin: u64) -> Clock {
        Clock::new(control(main, increment, byoyomi).clock_rule(ms(margin)))
    }

    #[test]
    fn each_kind_of_clock_counts_as_its_rule_says() {
        // (main, increment, byoyomi), moves as (used, in time, left afterwards)
        for (rule, moves) in [
            ((1000, 0, 0), vec![(400, true, 600), (600, true, 0), (1, false, 0)]),
            ((1000, 100, 0), vec![(50, true, 1050), (1150, true, 0), (101, false, 0)]),
            ((1000, 0, 500), vec![(1200, true, 0), (500, true, 0), (501, false, 0)]),
            ((0, 0, 100), vec![(100, true, 0), (101, false, 0)]),
        ] {
            let mut clock = clock(rule.0, rule.1, rule.2, 0);
            for (used, in_time, left) in moves {
                assert_eq!(!clock.is_over(ms(used)), in_time, "{rule:?} {used}");
                clock.replay(clock.charge(ms(used)));
                assert_eq!(clock.left(), ms(left), "{rule:?} {used}");
            }
        }
    }

    #[test]
    fn a_slower_machine_gets_more_time_and_as_many_nodes() {
        let twice = TimeControl { nodes: Some(100), ..control(1000, 100, 10) }.scaled(2.0);
        assert_eq!(twice, TimeControl { nodes: Some(100), ..control(2000, 200, 20) });
        assert_eq!(control(1000, 0, 0).scaled(f64::INFINITY), control(1000, 0, 0));
        let movetime = TimeControl { movetime: Some(ms(10)), ..TimeControl::default() };
        assert_eq!(movetime.scaled(0.5).movetime, Some(ms(5)));
    }

    #[test]
    fn the_margin_is_forgiven_and_not_owed() {
        let mut clock = clock(100, 10, 0, 50);
        assert!(clock.end_turn(ms(150)).is_ok());
        assert_eq!(clock.left(), ms(0));
        assert!(clock.end_turn(ms(60)).is_ok());
        assert!(clock.end_turn(ms(61)).is_err());
    }

    #[test]
    fn a_move_is_bounded_by_the_tightest_limit() {
        let limit = |control: TimeControl| Clock::new(control.clock_rule(ms(0))).limit();
        let mut control = control(1000, 0, 0);
        control.movetime = Some(ms(300));
        assert_eq!(limit(control), Some(ms(300)));
        control.clock = None;
        assert_eq!(limit(control), Some(ms(300)));
        control.movetime = None;
        assert_eq!(limit(control), None);
        assert!(!control.is_bounded());
    }

    #[test]
    fn controls_in_words() {
        let both = TimeControl { nodes: Some(5000), ..control(10_000, 100, 0) };
        assert_eq!(both.to_string(), "10 s + 0.1 s a move, 5000 nodes");
        assert_eq!(control(0, 0, 1500).to_string(), "0 s, byoyomi 1.5 s");
        assert_eq!(TimeControl::default().to_string(), "no limit");
    }

    #[test]
    fn a_margin_of_its_own_goes_before_everybodys_and_bounds_nothing() {
        let own = TimeControl { margin: Some(ms(300)), ..control(1000, 0, 0) };
        assert_eq!(own.clock_rule(ms(50)).margin, ms(300));
        assert_eq!(control(1000, 0, 0).clock_rule(ms(50)).margin, ms(50));
        assert_eq!(own.to_string(), "1 s, margin 0.3 s");
        assert!(own.is_bounded());
        assert!(!TimeControl { margin: Some(ms(300)), ..TimeControl::default() }.is_bounded());
    }
}
