//! One player's clock, and how it counts.
//!
//! Houses differ: a match between engines forgives a move that takes all of its time exactly and a
//! margin on top, a CSA server counts whole seconds and calls time when the limit is reached, some
//! add the increment before the move and some after it. All of that is [`ClockRule`]; the clock
//! itself only adds and subtracts. Time comes in as a value: nothing here reads it or waits.

use std::time::Duration;

/// How a clock counts. The default has no limit and measures exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ClockRule {
    /// Time for the game; `None` if the game as a whole is not limited.
    pub game: Option<GameTime>,
    /// Time for each move, whatever else is left.
    pub per_move: Option<Duration>,
    /// How the time of a move is counted.
    pub rounding: Rounding,
    /// What a move is charged at least.
    pub least: Duration,
    /// Whether a move that takes exactly all the time is in time.
    pub edge: Edge,
    /// Forgiven beyond the limit, and not owed afterwards.
    pub margin: Duration,
}

/// Time for a game: sudden death if increment, byoyomi and delay are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct GameTime {
    /// For the whole game.
    pub main: Duration,
    /// For every move once the main time is used up (秒読み).
    pub byoyomi: Duration,
    /// Added for every move (Fischer).
    pub increment: Duration,
    pub credit: Credit,
    /// Free at the beginning of every turn (Bronstein's delay).
    pub delay: Duration,
}

/// When the increment of a move is added.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Credit {
    /// When the turn begins: the move itself may use it.
    #[default]
    BeforeMove,
    /// When the move is made: the next one may use it.
    AfterMove,
}

/// How the time of a move is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rounding {
    #[default]
    Exact,
    /// In whole units, parts of one dropped.
    Down(Duration),
    /// In whole units, parts of one counted as one.
    Up(Duration),
    /// Not at all: every move is charged the least.
    Ignored,
}

/// What happens when exactly all the time is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Edge {
    /// The move is in time.
    #[default]
    InTime,
    /// The time is over.
    Over,
}

/// The time was over before the move came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlagFallen;

impl std::fmt::Display for FlagFallen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("out of time")
    }
}

impl std::error::Error for FlagFallen {}

impl ClockRule {
    /// Whether anything bounds the time.
    pub const fn is_limited(&self) -> bool {
        self.game.is_some() || self.per_move.is_some()
    }
}

/// One player's clock during a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    rule: ClockRule,
    left: Duration,
}

impl Clock {
    /// At the beginning of a game.
    pub fn new(rule: ClockRule) -> Self {
        Self { left: rule.game.map_or(Duration::ZERO, |game| game.main), rule }
    }

    /// The rule it counts by.
    pub const fn rule(&self) -> &ClockRule {
        &self.rule
    }

    /// Main time left between two turns: without byoyomi, and without the increment that the next
    /// turn begins with.
    pub const fn left(&self) -> Duration {
        self.left
    }

    /// Main time left when the turn has begun: with its increment, if that comes before the move.
    pub fn left_in_turn(&self) -> Duration {
        match self.rule.game {
            Some(GameTime { increment, credit: Credit::BeforeMove, .. }) => {
                self.left.saturating_add(increment)
            }
            _ => self.left,
        }
    }

    /// Sets the main time left between two turns: a game that is continued.
    pub const fn set_left(&mut self, left: Duration) {
        self.left = left;
    }

    /// How long the move now due may take, the margin not counted; `None` for as long as it
    /// likes.
    pub fn limit(&self) -> Option<Duration> {
        let game = self.rule.game.map(|game| self.room(game).saturating_add(game.delay));
        match (game, self.rule.per_move) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// What the move now due may be charged.
    fn room(&self, game: GameTime) -> Duration {
        self.left_in_turn().saturating_add(game.byoyomi)
    }

    /// Whether the time is over so long after the turn began.
    pub fn is_over(&self, elapsed: Duration) -> bool {
        let reached = |time: Duration, limit: Duration| match self.rule.edge {
            Edge::InTime => time > limit,
            Edge::Over => time >= limit,
        };
        let late = self
            .limit()
            .is_some_and(|limit| reached(elapsed, limit.saturating_add(self.rule.margin)));
        // Rounding alone costs nobody the game; the least charge does.
        let least = self.rule.least;
        let charged = |game: GameTime| !least.is_zero() && reached(least, self.room(game));
        late || self.rule.game.is_some_and(charged)
    }

    /// What a move that came so long after the turn began is charged, and recorded with.
    pub fn charge(&self, elapsed: Duration) -> Duration {
        let delay = self.rule.game.map_or(Duration::ZERO, |game| game.delay);
        let counted = elapsed.saturating_sub(delay);
        let whole = |unit: Duration, up: bool| {
            let (counted, unit) = (counted.as_nanos(), unit.as_nanos().max(1));
            let units = if up { counted.div_ceil(unit) } else { counted / unit };
            duration(units.saturating_mul(unit))
        };
        let counted = match self.rule.rounding {
            Rounding::Exact => counted,
            Rounding::Down(unit) => whole(unit, false),
            Rounding::Up(unit) => whole(unit, true),
            Rounding::Ignored => Duration::ZERO,
        };
        counted.max(self.rule.least)
    }

    /// A move came so long after the turn began: what it is charged, unless it came too late, in
    /// which case the clock stays as it was.
    pub fn end_turn(&mut self, elapsed: Duration) -> Result<Duration, FlagFallen> {
        if self.is_over(elapsed) {
            return Err(FlagFallen);
        }
        let charge = self.charge(elapsed);
        self.replay(charge);
        Ok(charge)
    }

    /// A whole turn of which the charge is known: a game that is continued.
    pub fn replay(&mut self, charge: Duration) {
        let Some(game) = self.rule.game else { return };
        self.left = self.left_in_turn().saturating_sub(charge);
        if game.credit == Credit::AfterMove {
            self.left = self.left.saturating_add(game.increment);
        }
    }
}

fn duration(nanos: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    u64::try_from(nanos / SECOND)
        .map_or(Duration::MAX, |seconds| Duration::new(seconds, (nanos % SECOND) as u32))
}

#[cfg(test)]
mod tests;
