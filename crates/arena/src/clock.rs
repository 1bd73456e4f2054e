//! Time controls and the clock of one player. Time comes in as a value; nothing here waits.

use std::fmt;
use std::time::Duration;

/// How much one player may think. Several limits may be set; each bounds every move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeControl {
    /// A game clock.
    pub clock: Option<ClockRule>,
    /// Time for each move.
    pub movetime: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies for each move.
    pub depth: Option<u32>,
}

/// A game clock: sudden death if increment and byoyomi are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockRule {
    /// For the whole game.
    pub main: Duration,
    /// Added for every move (Fischer).
    pub increment: Duration,
    /// For every move once the rest is used up.
    pub byoyomi: Duration,
}

impl TimeControl {
    /// Whether anything bounds a move.
    pub fn is_bounded(&self) -> bool {
        *self != Self::default()
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
        f.write_str(if parts.is_empty() { "no limit" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// One player's clock during a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
}

impl Clock {
    /// At the beginning of a game.
    pub fn new(control: TimeControl) -> Self {
        Self { control, left: control.clock.map_or(Duration::ZERO, |c| c.main) }
    }

    /// The control it runs by.
    pub const fn control(&self) -> &TimeControl {
        &self.control
    }

    /// Time left, without byoyomi and without the increment of the move now due.
    pub const fn left(&self) -> Duration {
        self.left
    }

    /// How long the move now due may take; `None` for as long as it likes.
    pub fn allowed(&self) -> Option<Duration> {
        let clock = self
            .control
            .clock
            .map(|c| self.left.saturating_add(c.increment).saturating_add(c.byoyomi));
        match (clock, self.control.movetime) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Charges a move. Whether it was in time: up to `margin` more than allowed is forgiven, not
    /// owed.
    pub fn spend(&mut self, used: Duration, margin: Duration) -> bool {
        let in_time = self.allowed().is_none_or(|allowed| used <= allowed.saturating_add(margin));
        if let Some(rule) = self.control.clock {
            self.left = self.left.saturating_add(rule.increment).saturating_sub(used);
        }
        in_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn clock(main: u64, increment: u64, byoyomi: u64) -> Clock {
        let rule = ClockRule { main: ms(main), increment: ms(increment), byoyomi: ms(byoyomi) };
        Clock::new(TimeControl { clock: Some(rule), ..TimeControl::default() })
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
            let mut clock = clock(rule.0, rule.1, rule.2);
            for (used, in_time, left) in moves {
                assert_eq!(clock.spend(ms(used), Duration::ZERO), in_time, "{rule:?} {used}");
                assert_eq!(clock.left(), ms(left), "{rule:?} {used}");
            }
        }
    }

    #[test]
    fn the_margin_is_forgiven_and_not_owed() {
        let mut clock = clock(100, 10, 0);
        assert!(clock.spend(ms(150), ms(50)));
        assert_eq!(clock.left(), ms(0));
        assert!(clock.spend(ms(60), ms(50)));
        assert!(!clock.spend(ms(61), ms(50)));
    }

    #[test]
    fn a_move_is_bounded_by_the_tightest_limit() {
        let mut control = *clock(1000, 0, 0).control();
        control.movetime = Some(ms(300));
        assert_eq!(Clock::new(control).allowed(), Some(ms(300)));
        control.clock = None;
        assert_eq!(Clock::new(control).allowed(), Some(ms(300)));
        control.movetime = None;
        assert_eq!(Clock::new(control).allowed(), None);
        assert!(!control.is_bounded());
    }

    #[test]
    fn controls_in_words() {
        let control = TimeControl { nodes: Some(5000), ..*clock(10_000, 100, 0).control() };
        assert_eq!(control.to_string(), "10 s + 0.1 s a move, 5000 nodes");
        assert_eq!(clock(0, 0, 1500).control().to_string(), "0 s, byoyomi 1.5 s");
        assert_eq!(TimeControl::default().to_string(), "no limit");
    }
}
