//! How long to think, decided before the search begins. Pure arithmetic: no clock is read here.

use crate::params::Params;
use rules::Color;
use std::time::Duration;
use think::Clocks;

/// The options that bear on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeOptions {
    /// What a move usually loses on its way to the server and back.
    pub(crate) delay: Duration,
    /// The most it may lose: kept back wherever overstepping would lose the game.
    pub(crate) worst_delay: Duration,
    /// Think at least this long when there is time.
    pub(crate) minimum: Duration,
    /// Percent of the usual share of time.
    pub(crate) slow_mover: u32,
    /// The server counts whole seconds and forgives the rest: use them.
    pub(crate) whole_seconds: bool,
    pub(crate) plan: TimePlan,
}

/// Moments to end at, counted from the start of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    /// Not before this, unless the move is forced.
    pub(crate) minimum: Duration,
    /// End about here if nothing is alarming.
    pub(crate) optimum: Duration,
    /// End here whatever happens.
    pub(crate) maximum: Duration,
    options: TimeOptions,
    /// What may be used at most without losing on time, worst delay kept back.
    hard: Duration,
}

/// How a clock is shared out: the numbers of [`Params`] that say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimePlan {
    /// Plies of a usual game, and how many are planned for at least.
    game: u32,
    game_rest: u32,
    /// A hard decision may take this many shares of the clock, but no more than this fraction.
    shares: u32,
    clock: u32,
    /// Percent above the byoyomi at which the clock counts as used up.
    byoyomi: u32,
}

impl TimePlan {
    pub(crate) const fn of(p: &Params) -> Self {
        Self {
            game: p.time_game as u32,
            game_rest: p.time_game_rest as u32,
            shares: p.time_shares as u32,
            clock: p.time_clock as u32,
            byoyomi: p.time_byoyomi as u32,
        }
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
    pub(crate) fn for_clocks(
        clocks: &Clocks,
        us: Color,
        ply: u32,
        max_moves: u32,
        options: TimeOptions,
    ) -> Self {
        let plan = options.plan;
        let time = clocks.time(us);
        let increment = clocks.increment(us);
        let byoyomi = clocks.byoyomi;
        let hard = safe(time + byoyomi + increment, options.worst_delay);
        let moves = plan.moves(ply, max_moves);
        // What there is to share out: the clock and what it will gain, delays taken off.
        let gain = increment + byoyomi;
        let gained = gain.saturating_sub(options.delay) * moves.saturating_sub(1);
        let to_share = time + gain + gained;
        let even = to_share / moves;
        let scale = |d: Duration| d * options.slow_mover.clamp(1, 1000) / 100;
        let minimum = options.minimum.saturating_sub(options.delay);
        let mut optimum = scale(even).max(minimum);
        let most = time / plan.clock + gain;
        let mut maximum = scale(even * plan.shares).min(most).max(optimum);
        if byoyomi > Duration::ZERO && time < byoyomi + byoyomi * plan.byoyomi / 100 {
            // Into byoyomi: it is lost if not used.
            optimum = hard;
            maximum = hard;
        }
        let budget = Self { minimum, optimum, maximum, options, hard };
        budget.bounded()
    }

    /// Exactly this long.
    pub(crate) fn fixed(movetime: Duration, options: TimeOptions) -> Self {
        let time = movetime.max(Duration::from_millis(1));
        Self { minimum: time, optimum: time, maximum: time, options, hard: time }
    }

    fn bounded(mut self) -> Self {
        let least = Duration::from_millis(1);
        self.maximum = self.round_up(self.maximum).min(self.hard).max(least);
        self.optimum = self.optimum.min(self.maximum);
        self.minimum = self.minimum.min(self.maximum);
        self
    }

    /// Where to end, having decided to after `elapsed`: at the end of the second that a server
    /// counting whole seconds charges anyway.
    pub(crate) fn end(&self, elapsed: Duration) -> Duration {
        let end = self.round_up(elapsed.max(self.minimum));
        end.clamp(elapsed.min(self.hard), self.hard)
    }

    fn round_up(&self, t: Duration) -> Duration {
        if !self.options.whole_seconds || self.hard < Duration::from_secs(1) {
            return t;
        }
        let whole = (t + self.options.delay).as_millis().div_ceil(1000).max(1) as u64;
        Duration::from_millis(whole * 1000).saturating_sub(self.options.delay)
    }
}

/// What may be used of `available` so that `delay` is left. A delay that takes most of the clock is
/// not believed: below a second nobody plays over a network, above it some time must be left to
/// think.
fn safe(available: Duration, delay: Duration) -> Duration {
    let most = if available < Duration::from_secs(1) { 0.33 } else { 0.6 };
    let delay = delay.min(available.mul_f64(most)).max(available / 50);
    available.saturating_sub(delay).max(Duration::from_millis(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use seed::Rng;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    const USUAL: TimeOptions = TimeOptions {
        delay: ms(120),
        worst_delay: ms(1120),
        minimum: ms(2000),
        slow_mover: 100,
        whole_seconds: true,
        plan: TimePlan::of(&Params::SHOGI),
    };
    const QUICK: TimeOptions = TimeOptions {
        delay: ms(0),
        worst_delay: ms(10),
        minimum: ms(0),
        slow_mover: 100,
        whole_seconds: false,
        plan: TimePlan::of(&Params::SHOGI),
    };

    fn clocks(time: u64, increment: u64, byoyomi: u64) -> Clocks {
        Clocks { time: [ms(time); 2], increment: [ms(increment); 2], byoyomi: ms(byoyomi) }
    }

    #[test]
    fn every_budget_is_ordered_and_safe() {
        for options in [USUAL, QUICK] {
            for time in [0, 1, 10, 200, 1000, 5000, 60_000, 900_000, 86_400_000] {
                for (increment, byoyomi) in [(0, 0), (2, 0), (5000, 0), (0, 100), (0, 10_000)] {
                    for ply in [1, 60, 200, 511, 5000] {
                        for max_moves in [0, 256, 512] {
                            let c = clocks(time, increment, byoyomi);
                            let b = Budget::for_clocks(&c, Color::Black, ply, max_moves, options);
                            let all = ms(time + increment + byoyomi);
                            assert!(b.minimum <= b.maximum && b.optimum <= b.maximum, "{b:?}");
                            assert!(b.maximum >= ms(1), "{b:?}");
                            assert!(b.maximum < all.max(ms(2)), "{b:?} of {c:?}");
                            for elapsed in [ms(0), b.optimum, b.maximum] {
                                assert!(b.end(elapsed) <= b.hard.max(elapsed), "{b:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn whole_seconds_are_used() {
        let b = Budget::for_clocks(&clocks(0, 0, 10_000), Color::White, 30, 0, USUAL);
        assert_eq!(b.optimum, ms(10_000 - 1120));
        let b = Budget::for_clocks(&clocks(900_000, 5000, 0), Color::White, 30, 0, USUAL);
        assert_eq!(b.end(ms(3200)), ms(3880));
        assert_eq!(b.end(ms(10)), ms(1880));
        assert!(b.optimum > ms(9_000) && b.optimum < ms(30_000), "{b:?}");
        assert_eq!(Budget::fixed(ms(200), USUAL).maximum, ms(200));
    }

    /// Thousands of moves with a network that loses time at random: the clock never runs out.
    #[test]
    fn a_jittery_network_never_costs_the_game() {
        let mut rng = Rng::new(1);
        let mut moves = 0;
        for game in 0..400 {
            let increment = [0, 0, 2000, 5000, 10_000][game % 5];
            let byoyomi = if increment == 0 { [0, 4000, 10_000, 60_000][game % 4] } else { 0 };
            let mut left = [900_000u64, 300_000, 60_000, 10_000][game % 4].max(30_000);
            for ply in (1..600).step_by(2) {
                let c = clocks(left, increment, byoyomi);
                let b = Budget::for_clocks(&c, Color::Black, ply, 512, USUAL);
                // The search ends anywhere between its earliest and latest moment; polling is up
                // to 5 ms late, the network takes up to a second.
                let range = (b.maximum - b.minimum).as_millis() as u64 + 1;
                let decided = b.minimum + ms(rng.below(range as usize) as u64);
                let end = if rng.below(2) == 0 { b.maximum } else { b.end(decided) };
                let used =
                    end.min(b.maximum).as_millis() as u64 + (rng.below(6) + rng.below(1000)) as u64;
                let charged = used / 1000 * 1000;
                let available = left + increment + byoyomi;
                assert!(charged < available.max(1), "{charged} of {available}: {b:?} {c:?}");
                left = (left + increment).saturating_sub(charged).min(left + increment);
                moves += 1;
                // A sudden-death clock below the worst delay cannot be defended by anybody.
                if left <= 4000 && byoyomi + increment == 0 {
                    break;
                }
            }
        }
        assert!(moves > 20_000, "{moves}");
    }
}
