//! The clocks of a game. Time comes in as a value; a clock nobody looks at stands still.

use crate::error::ApiError;
use crate::words::{self, millis};
use play::{ClockRule, Credit, Edge, FlagFallen, GameTime};
use rules::Color;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use think::{Clocks, Moment};

/// What both players have, in seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ClockRule"))]
pub struct ClockSettings {
    /// For the whole game.
    #[serde(default)]
    pub main: u32,
    /// For each move when that is used up.
    #[serde(default)]
    pub byoyomi: u32,
    /// Added after each move.
    #[serde(default)]
    pub increment: u32,
}

impl ClockSettings {
    /// How a clock at the board counts: exactly, and who has used all of its time has lost.
    fn rule(&self) -> ClockRule {
        ClockRule {
            game: Some(GameTime {
                main: seconds(self.main),
                byoyomi: seconds(self.byoyomi),
                increment: seconds(self.increment),
                credit: Credit::AfterMove,
                delay: Duration::ZERO,
            }),
            edge: Edge::Over,
            ..ClockRule::default()
        }
    }

    /// Whether anybody can play by it.
    pub fn check(&self) -> Result<(), ApiError> {
        if self.main > 86_400 || self.byoyomi > 3600 || self.increment > 600 {
            return Err(ApiError::bad(
                "main is at most 86400, byoyomi 3600, increment 600 seconds",
            ));
        }
        if self.main == 0 && self.byoyomi == 0 {
            return Err(ApiError::bad("a clock needs main time or byoyomi"));
        }
        Ok(())
    }
}

/// What is left on one clock now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClockFace {
    /// Of the main time, or of the byoyomi period.
    pub ms: u64,
    /// Whether the main time is used up.
    pub byoyomi: bool,
}

/// Both clocks now. The page counts down by itself from the moment the message came; the server
/// alone decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClockFaces {
    /// Nobody's at the end, and while no connection of the visitor has the game open.
    pub running: Option<words::Color>,
    pub black: ClockFace,
    pub white: ClockFace,
}

/// Both clocks; without a time control they only measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameClock {
    control: Option<ClockSettings>,
    sides: [play::Clock; 2],
    /// Used of the present turn before it was last set going.
    used: Duration,
    /// Since when it runs.
    since: Option<Moment>,
}

const fn seconds(n: u32) -> Duration {
    Duration::from_secs(n as u64)
}

impl GameClock {
    /// Clocks before the first move, standing still.
    pub fn new(control: Option<ClockSettings>) -> Self {
        let rule = control.map_or_else(ClockRule::default, |control| control.rule());
        Self { control, sides: [play::Clock::new(rule); 2], used: Duration::ZERO, since: None }
    }

    fn byoyomi(&self) -> Duration {
        seconds(self.control.map_or(0, |c| c.byoyomi))
    }

    /// What both had by colour at the beginning of the present turn.
    pub fn left(&self) -> [Duration; 2] {
        self.sides.map(|side| side.left())
    }

    /// Sets what both have at the beginning of a turn: a game taken up again.
    pub fn set(&mut self, left: [Duration; 2]) {
        for (side, left) in self.sides.iter_mut().zip(left) {
            side.set_left(left);
        }
        self.used = Duration::ZERO;
        self.since = None;
    }

    /// Whether it runs.
    pub const fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// The turn runs from now on.
    pub fn run(&mut self, now: Moment) {
        if self.since.is_none() {
            self.since = Some(now);
        }
    }

    /// The turn stands still from now on.
    pub fn pause(&mut self, now: Moment) {
        self.used = self.elapsed(now);
        self.since = None;
    }

    /// Used of the present turn.
    pub fn elapsed(&self, now: Moment) -> Duration {
        self.used + self.since.map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }

    /// What the side has for this turn in all; nothing limits it without a time control.
    pub fn allowed(&self, color: Color) -> Option<Duration> {
        self.sides[color.index()].limit()
    }

    /// Whether the time of the side to move is over.
    pub fn is_over(&self, color: Color, now: Moment) -> bool {
        self.sides[color.index()].is_over(self.elapsed(now))
    }

    /// The side has moved after that time of its turn; the next turn begins, standing still.
    pub fn turn(&mut self, color: Color, spent: Duration) -> Result<(), FlagFallen> {
        self.sides[color.index()].end_turn(spent)?;
        self.used = Duration::ZERO;
        self.since = None;
        Ok(())
    }

    /// The clocks as an engine counts them.
    pub fn for_engine(&self) -> Option<Clocks> {
        let control = self.control?;
        let increment = [seconds(control.increment); 2];
        Some(Clocks { time: self.left(), increment, byoyomi: self.byoyomi() })
    }

    /// As the page sees it; `None` without a time control.
    pub fn view(&self, turn: Color, now: Moment, over: bool) -> Option<ClockFaces> {
        self.control?;
        let side = |color: Color| {
            let used = if color == turn && !over { self.elapsed(now) } else { Duration::ZERO };
            let left = self.sides[color.index()].left();
            let byoyomi = used >= left && !self.byoyomi().is_zero();
            let end = if byoyomi { left + self.byoyomi() } else { left };
            ClockFace { ms: millis(end.saturating_sub(used)), byoyomi }
        };
        Some(ClockFaces {
            running: (self.is_running() && !over).then(|| turn.into()),
            black: side(Color::Black),
            white: side(Color::White),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn main_time_then_byoyomi() {
        let mut clock = GameClock::new(Some(ClockSettings { main: 10, byoyomi: 5, increment: 0 }));
        clock.run(s(100));
        assert_eq!(
            clock.view(Color::Black, s(104), false).unwrap().black,
            ClockFace { ms: 6000, byoyomi: false }
        );
        assert_eq!(
            clock.view(Color::Black, s(112), false).unwrap().black,
            ClockFace { ms: 3000, byoyomi: true }
        );
        assert!(!clock.is_over(Color::Black, s(114)) && clock.is_over(Color::Black, s(115)));
        assert_eq!(clock.turn(Color::Black, s(12)), Ok(()));
        assert_eq!(clock.left(), [s(0), s(10)]);
        assert_eq!(
            clock.view(Color::White, s(200), false).unwrap().black,
            ClockFace { ms: 5000, byoyomi: true }
        );
        assert_eq!(clock.turn(Color::Black, s(5)), Err(FlagFallen));
    }

    #[test]
    fn increments_come_after_the_move() {
        let mut clock = GameClock::new(Some(ClockSettings { main: 10, byoyomi: 0, increment: 3 }));
        assert_eq!(clock.turn(Color::White, s(4)), Ok(()));
        assert_eq!(clock.left(), [s(10), s(9)]);
        assert_eq!(clock.turn(Color::White, s(9)), Err(FlagFallen));
    }

    #[test]
    fn a_clock_nobody_looks_at_stands_still() {
        let mut clock = GameClock::new(Some(ClockSettings { main: 10, byoyomi: 0, increment: 0 }));
        assert_eq!(clock.elapsed(s(50)), s(0));
        clock.run(s(50));
        clock.pause(s(52));
        assert_eq!(clock.elapsed(s(90)), s(2));
        clock.run(s(90));
        clock.run(s(95));
        assert_eq!(clock.elapsed(s(96)), s(8));
        let running = |over| clock.view(Color::Black, s(96), over).unwrap().running;
        assert_eq!((running(false), running(true)), (Some(words::Color::Black), None));
    }

    #[test]
    fn controls_nobody_can_play_by() {
        for (main, byoyomi, increment) in [(0, 0, 5), (100_000, 0, 0), (1, 4000, 0), (1, 0, 601)] {
            assert!(ClockSettings { main, byoyomi, increment }.check().is_err());
        }
        assert!(ClockSettings { main: 0, byoyomi: 10, increment: 0 }.check().is_ok());
    }
}
