//! How long to think, decided before the search begins: the same for every search of ours. Pure
//! arithmetic: no clock is read here.

use crate::Clocks;
use rules::Color;
use std::time::Duration;

/// The options that bear on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOptions {
    /// What a move usually loses on its way to the server and back.
    pub delay: Duration,
    /// The most it may lose: kept back wherever overstepping would lose the game.
    pub worst_delay: Duration,
    /// Think at least this long when there is time.
    pub minimum: Duration,
    /// Percent of the usual share of time.
    pub slow_mover: u32,
    /// The server counts whole seconds and forgives the rest: use them.
    pub whole_seconds: bool,
    /// How the clock is shared out.
    pub plan: TimePlan,
}

/// Moments to end at, counted from the start of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Not before this, unless the move is forced.
    pub minimum: Duration,
    /// End about here if nothing is alarming.
    pub optimum: Duration,
    /// End here whatever happens.
    pub maximum: Duration,
    options: TimeOptions,
    /// What every move could take if all took the same.
    share: Duration,
    /// What may be used at most without losing on time, worst delay kept back.
    hard: Duration,
}

/// The worst delay of who has not said otherwise: that of a network with hiccups.
pub const USUAL_WORST_DELAY: Duration = Duration::from_millis(1120);

/// The shortest time that is planned for.
const LEAST: Duration = Duration::from_micros(100);

/// Moves a side of a game that must not be lost on time, and how many beyond.
const LONG_GAME: u32 = 500;
const BEYOND: u32 = 50;
/// What a move of such a game costs, half of it for the way to the engine and back: where a clock
/// is long enough, and where it never was.
const RATION: Duration = Duration::from_millis(4);
const LEAST_RATION: Duration = Duration::from_millis(1);
/// What one move may come late on a busy machine.
const LATE: Duration = Duration::from_millis(100);
/// The same for a move of a few milliseconds, where that would be most of it.
const LOCAL_LATE: Duration = Duration::from_millis(15);

/// How a clock is shared out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimePlan {
    /// Plies of a usual game, and how many are planned for at least.
    pub game: u32,
    pub game_rest: u32,
    /// A hard decision may take this many shares of the clock, but no more than this fraction.
    pub shares: u32,
    pub clock: u32,
    /// Percent above the byoyomi at which the clock counts as used up.
    pub byoyomi: u32,
}

impl TimePlan {
    /// As nobody has tuned it.
    pub const USUAL: Self = Self { game: 160, game_rest: 40, shares: 5, clock: 3, byoyomi: 20 };

    /// What is kept back of a clock without byoyomi so that a very long game does not end on time,
    /// and what a move may use of it.
    fn reserve(
        &self,
        time: Duration,
        gain: Duration,
        ply: u32,
        max_moves: u32,
    ) -> (Duration, Duration) {
        let longest = if max_moves > 0 { max_moves.min(2 * LONG_GAME) } else { 2 * LONG_GAME };
        let rest = (longest + 2 * BEYOND).saturating_sub(ply).max(2 * BEYOND) / 2;
        let enough = RATION.saturating_sub(gain) * rest;
        let kept = if ply < self.game {
            // A short clock early in the game is a short game's, and two fifths of it are for this
            // phase; the later, the less.
            let least = LEAST_RATION.saturating_sub(gain) * rest;
            enough.min(time * (3 * self.game + 2 * ply) / (5 * self.game)).max(least)
        } else {
            enough
        };
        let reserve = kept.max(LATE).min(time);
        (reserve, kept.min(time) / rest / 2)
    }

    /// Moves the rest of a game takes, as a plan: games are shorter than their move limit.
    fn moves(&self, ply: u32, max_moves: u32) -> u32 {
        let usual = self.game.saturating_sub(ply).max(self.game_rest);
        let left =
            if max_moves > 0 { (max_moves + 2).saturating_sub(ply).max(2) } else { u32::MAX };
        usual.min(left).div_ceil(2).max(1)
    }
}

impl Budget {
    /// A share of the clock for the move `ply` of the game (from 1); `max_moves` is 0 without a
    /// limit.
    pub fn for_clocks(
        clocks: &Clocks,
        us: Color,
        ply: u32,
        max_moves: u32,
        options: TimeOptions,
    ) -> Self {
        let plan = options.plan;
        let (byoyomi, increment) = (clocks.byoyomi, clocks.increment(us));
        // An increment is not there before it is credited, unless nothing else is.
        let told = clocks.time(us);
        let time = if (told + byoyomi).is_zero() { increment } else { told };
        let hard = safe(time + byoyomi, options.worst_delay);
        let moves = plan.moves(ply, max_moves);
        let gain = increment + byoyomi;
        let (reserve, ration) = if byoyomi.is_zero() {
            plan.reserve(time, gain, ply, max_moves)
        } else {
            Default::default()
        };
        let stock = time.saturating_sub(reserve);
        // What there is to share out: the clock and what it will gain, delays taken off. A delay
        // that takes most of the gain is not believed.
        let gained = gain.saturating_sub(options.delay.min(gain / 10)) * moves.saturating_sub(1);
        let share = (stock + byoyomi + gained) / moves + ration;
        let scale = |d: Duration| d * options.slow_mover.clamp(1, 1000) / 100;
        let minimum = options.minimum.saturating_sub(options.delay).min(share);
        let mut optimum = scale(share).max(minimum);
        let most = stock / plan.clock + gain + ration;
        let mut maximum = scale(share * plan.shares).min(most).max(optimum);
        if byoyomi > Duration::ZERO && time < byoyomi + byoyomi * plan.byoyomi / 100 {
            // Into byoyomi: it is lost if not used.
            optimum = hard;
            maximum = hard;
        }
        let budget = Self { minimum, optimum, maximum, options, share, hard };
        budget.bounded()
    }

    /// Exactly this long.
    pub fn fixed(movetime: Duration, options: TimeOptions) -> Self {
        let time = movetime.max(Duration::from_millis(1));
        Self { minimum: time, optimum: time, maximum: time, options, share: time, hard: time }
    }

    fn bounded(mut self) -> Self {
        self.maximum = self.round_up(self.maximum).min(self.hard).max(LEAST);
        self.optimum = self.optimum.min(self.maximum);
        self.minimum = self.minimum.min(self.maximum);
        self
    }

    /// Where to end, having decided to after `elapsed`: at the end of the second that a server
    /// counting whole seconds charges anyway.
    pub fn end(&self, elapsed: Duration) -> Duration {
        let end = self.round_up(elapsed.max(self.minimum));
        end.clamp(elapsed.min(self.hard), self.hard)
    }

    fn round_up(&self, t: Duration) -> Duration {
        if !self.options.whole_seconds || self.hard < Duration::from_secs(1) {
            return t;
        }
        let whole = (t + self.options.delay).as_millis().div_ceil(1000).max(1) as u64;
        let end = Duration::from_millis(whole * 1000).saturating_sub(self.options.delay);
        // Not every clock forgives the rest of a second: it must not be much more than a share.
        if end > t.max(self.share) * 3 / 2 { t } else { end }
    }
}

/// What may be used of `available` so that `delay` is left. A delay that takes most of the clock is
/// not believed, and the usual one, which nobody has chosen for this clock, less: below a second
/// nobody plays over a network, above it some time must be left to think.
fn safe(available: Duration, delay: Duration) -> Duration {
    let usual = delay == USUAL_WORST_DELAY;
    let most = match (available < Duration::from_secs(1), usual) {
        (true, true) => (available / 10).max(LOCAL_LATE).min(available / 3),
        (true, false) | (false, true) => available / 3,
        (false, false) => available * 3 / 5,
    };
    let delay = delay.min(most).max(available / 50);
    available.saturating_sub(delay).max(LEAST)
}

#[cfg(test)]
mod tests;
