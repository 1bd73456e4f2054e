//! How long an answer may take: the master's own deadline, whatever the children think.

use rules::Color;
use std::collections::VecDeque;
use std::time::Duration;
use think::{Budget, Clocks, TimeOptions, TimePlan};
use usi::{Go, Times};

/// Delays remembered of every child.
const REMEMBERED: usize = 64;

/// What a child may need to answer `stop` before anything was measured.
const USUAL_DELAY: Duration = Duration::from_millis(20);

/// The most that is kept back for a slow child: one slower than this is not waited for.
const SLOWEST: Duration = Duration::from_secs(2);

/// How long a child took to answer `stop`, of late.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delays(VecDeque<Duration>);

impl Delays {
    pub(crate) fn learn(&mut self, delay: Duration) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(delay);
    }

    /// The slow end: of so few the slowest is the best guess at one in a thousand.
    pub(crate) fn slow_end(&self) -> Duration {
        self.0.iter().copied().max().unwrap_or(USUAL_DELAY).clamp(Duration::from_millis(5), SLOWEST)
    }
}

/// What is kept back of the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reserve {
    /// For the way to the interface and for ourselves.
    pub(crate) margin: Duration,
    /// For the children to answer `stop`.
    pub(crate) slow: Duration,
}

impl Reserve {
    fn whole(&self) -> Duration {
        self.margin + self.slow
    }

    /// The same for a move with those clocks: a slow child is waited for no longer than half as long as a move
    /// usually takes. One that is cut off would use up a short clock within a few moves.
    fn for_clocks(self, clocks: &Clocks, turn: Color, ply: u32) -> Self {
        let quick = Self { slow: USUAL_DELAY, ..self };
        let usual = quick.budget(clocks, turn, ply).optimum;
        Self { slow: self.slow.min((usual / 2).max(USUAL_DELAY)), ..self }
    }

    fn budget(&self, clocks: &Clocks, turn: Color, ply: u32) -> Budget {
        let options = TimeOptions {
            delay: self.slow,
            worst_delay: self.whole(),
            minimum: Duration::ZERO,
            slow_mover: 100,
            whole_seconds: false,
            plan: TimePlan::USUAL,
        };
        Budget::for_clocks(clocks, turn, ply, 0, options)
    }

    /// The same for that much time: never most of it.
    fn within(self, available: Duration) -> Self {
        let most = available.mul_f64(0.6);
        // The way to the interface comes first: a slow child can be left behind.
        let margin = self.margin.min(most);
        Self { margin, slow: self.slow.min(most - margin) }
    }
}

/// When to stop the children and when to answer, counted from the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Deadline {
    pub(crate) stop: Duration,
    pub(crate) answer: Duration,
    /// What a move usually takes: shared out where a decision has several stages.
    pub(crate) usual: Duration,
    /// How long a child that is told to stop is waited for.
    pub(crate) slow: Duration,
}

impl Deadline {
    /// For a question with clocks or a time for the move; `None` if nothing but the search itself
    /// ends it.
    pub(crate) fn of(go: &Go, turn: Color, ply: u32, reserve: Reserve) -> Option<Self> {
        if let Some(movetime) = go.movetime {
            // A time for the move is no clock that could fall: the margin is not kept back.
            let whole = Duration::from_millis(movetime.max(1));
            let slow = reserve.slow.min(whole / 5);
            let stop = whole - slow;
            return Some(Self { stop, answer: whole, usual: stop, slow });
        }
        let clocks = go.times.clocks()?;
        let reserve = reserve.for_clocks(&clocks, turn, ply);
        let whole = available(&clocks, turn);
        let kept = reserve.within(whole);
        let answer = whole.saturating_sub(kept.margin);
        // What is spent of a clock that does not come back is missed by every later move.
        let is_spent = clocks.byoyomi.is_zero() && !clocks.time(turn).is_zero();
        let cushion = if is_spent { 3 * reserve.margin } else { Duration::ZERO };
        let answer = answer.saturating_sub(cushion.min(whole / 4));
        let hard = answer.saturating_sub(kept.slow);
        let budget = reserve.budget(&clocks, turn, ply);
        let stop = hard.min(budget.maximum);
        let (answer, usual) = (answer.min(stop + kept.slow), budget.optimum.min(stop));
        Some(Self { stop, answer, usual, slow: kept.slow })
    }
}

/// What is surely there for a move. An increment is not, unless there is nothing else.
fn available(clocks: &Clocks, turn: Color) -> Duration {
    let sure = clocks.time(turn) + clocks.byoyomi;
    if sure.is_zero() { clocks.increment(turn) } else { sure }
}

/// The clocks as children are told them: `used` has passed, and the reserve is not theirs.
pub(crate) fn told(
    times: &Times,
    (turn, ply): (Color, u32),
    used: Duration,
    reserve: Reserve,
) -> Times {
    let Some(clocks) = times.clocks() else { return *times };
    let kept = reserve.for_clocks(&clocks, turn, ply).within(available(&clocks, turn));
    let mut owed = used + kept.whole();
    let mut clocks = clocks;
    let own = &mut clocks.time[turn.index()];
    let paid = owed.min(*own);
    *own -= paid;
    owed -= paid;
    // Something is left in any case: a clock of nothing means another thing to some.
    clocks.byoyomi -= owed.min(clocks.byoyomi.mul_f64(0.9));
    let told = Times::of(&clocks);
    Times {
        byoyomi: times.byoyomi.and(told.byoyomi.or(Some(0))),
        binc: times.binc.and(told.binc.or(Some(0))),
        winc: times.winc.and(told.winc.or(Some(0))),
        ..told
    }
}

/// The clocks after a move of ours that took so long: rounded against us, as servers count.
pub(crate) fn after_move(times: &Times, turn: Color, used: Duration) -> Times {
    let charged = used.as_millis().div_ceil(1000) as u64 * 1000;
    let mut times = *times;
    let (own, increment) = match turn {
        Color::Black => (&mut times.btime, times.binc),
        Color::White => (&mut times.wtime, times.winc),
    };
    if let Some(left) = own {
        *left = left.saturating_sub(charged).saturating_add(increment.unwrap_or(0));
    }
    times
}

/// A part of what a question allows, for one stage of several.
pub(crate) fn share(go: &Go, deadline: Option<Deadline>, part: f64) -> Go {
    let scaled = |count: u64| ((count as f64 * part) as u64).max(1);
    let mut stage = Go { nodes: go.nodes.map(scaled), depth: go.depth, ..Go::default() };
    if let Some(deadline) = deadline {
        let millis = deadline.usual.mul_f64(part).as_millis();
        stage.movetime = Some(u64::try_from(millis).unwrap_or(u64::MAX).max(1));
    }
    stage.infinite = go.infinite && stage == Go { infinite: false, ..Go::default() };
    stage
}

/// The win rate of a score told in hundredths of a pawn.
pub(crate) fn win_rate(centipawns: i32, scale: f64) -> f64 {
    play::win_rate(f64::from(centipawns), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESERVE: Reserve =
        Reserve { margin: Duration::from_millis(200), slow: Duration::from_millis(50) };

    fn go(text: &str) -> Go {
        Go::parse(text).unwrap()
    }

    fn deadline(text: &str) -> Option<Deadline> {
        Deadline::of(&go(text), Color::Black, 1, RESERVE)
    }

    #[test]
    fn the_answer_leaves_before_the_clock_falls() {
        for (text, whole) in [
            ("btime 0 wtime 0 byoyomi 10000", 10_000),
            ("btime 0 wtime 0 byoyomi 1000", 1000),
            ("btime 0 wtime 0 byoyomi 100", 100),
            ("btime 3000 wtime 0 byoyomi 0", 3000),
            ("btime 500 wtime 0 binc 100 winc 100", 500),
            ("btime 0 wtime 0 binc 100 winc 100", 100),
        ] {
            let deadline = deadline(text).unwrap();
            let whole = Duration::from_millis(whole);
            assert!(deadline.stop <= deadline.answer, "{text}");
            let kept = RESERVE.margin.min(whole / 10);
            assert!(deadline.answer <= whole - kept, "{text} {deadline:?}");
            assert!(deadline.stop >= Duration::from_millis(1), "{text} {deadline:?}");
            assert!(deadline.usual <= deadline.stop, "{text}");
        }
        assert_eq!(deadline("nodes 100"), None);
        assert_eq!(deadline("infinite"), None);
        let fixed = deadline("movetime 1000").unwrap();
        assert_eq!((fixed.stop.as_millis(), fixed.answer.as_millis()), (950, 1000));
    }

    /// A child that is cut off answers two seconds late, always: a short clock must not be spent on it.
    #[test]
    fn a_child_that_is_far_too_slow_does_not_use_up_the_clock() {
        let reserve = Reserve { slow: SLOWEST, ..RESERVE };
        let mut left = 2000;
        for ply in 1..60 {
            let question = go(&format!("btime {left} wtime 2000 binc 200 winc 200"));
            let deadline = Deadline::of(&question, Color::Black, ply, reserve).unwrap();
            assert!(deadline.answer.as_millis() <= 1300, "{left} {deadline:?}");
            assert!(deadline.slow <= deadline.usual.max(Duration::from_millis(40)), "{deadline:?}");
            left = left - deadline.answer.as_millis() + 200;
            assert!(left > 450, "ply {ply}: {left} ms left, {deadline:?}");
        }
        let fixed = Deadline::of(&go("movetime 1000"), Color::Black, 1, reserve).unwrap();
        assert_eq!(fixed.stop.as_millis(), 800);
    }

    #[test]
    fn a_move_of_a_long_game_does_not_take_the_whole_clock() {
        let deadline = deadline("btime 600000 wtime 600000 byoyomi 0").unwrap();
        assert!(deadline.answer < Duration::from_secs(120), "{deadline:?}");
    }

    #[test]
    fn children_are_told_less_than_there_is_and_never_nothing() {
        let told = |text: &str, used| {
            let used = Duration::from_millis(used);
            told(&go(text).times, (Color::Black, 1), used, RESERVE).to_string()
        };
        let all = told("btime 10000 wtime 9000 byoyomi 1000", 100);
        assert_eq!(all, " btime 9650 wtime 9000 byoyomi 1000");
        assert_eq!(told("btime 0 wtime 0 byoyomi 10000", 0), " btime 0 wtime 0 byoyomi 9750");
        assert_eq!(told("btime 0 wtime 0 byoyomi 100", 5000), " btime 0 wtime 0 byoyomi 10");
        let fischer = told("btime 5000 wtime 5000 binc 1000 winc 1000", 0);
        assert_eq!(fischer, " btime 4750 wtime 5000 binc 1000 winc 1000");
    }

    #[test]
    fn own_time_is_charged_in_whole_seconds_for_pondering() {
        let times = go("btime 10000 wtime 9000 binc 500 winc 500").times;
        let after = after_move(&times, Color::Black, Duration::from_millis(1200));
        assert_eq!((after.btime, after.wtime), (Some(8500), Some(9000)));
    }

    #[test]
    fn stages_share_what_there_is() {
        assert_eq!(share(&go("nodes 1000"), None, 0.5), go("nodes 500"));
        assert_eq!(share(&go("depth 9"), None, 0.5), go("depth 9"));
        assert_eq!(share(&go("infinite"), None, 0.5), go("infinite"));
        let stage = share(&go("movetime 1000"), deadline("movetime 1000"), 0.4);
        assert_eq!(stage, go("movetime 380"));
    }

    #[test]
    fn the_slow_end_is_the_slowest_of_late() {
        let mut delays = Delays::default();
        assert_eq!(delays.slow_end(), USUAL_DELAY);
        delays.learn(Duration::from_secs(60));
        assert_eq!(delays.slow_end(), SLOWEST);
        for _ in 0..REMEMBERED {
            delays.learn(Duration::from_millis(30));
        }
        assert_eq!(delays.slow_end(), Duration::from_millis(30));
    }
}
