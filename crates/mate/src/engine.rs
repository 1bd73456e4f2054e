//! For engines: `go mate` in the terms of [`think`].

use crate::{Bounds, Solution, Verdict, solve};
use rules::{AnyPosition, Position, Variant};
use think::{Control, Limits, MateAnswer, MateLimit, TimeSource};

/// Solves a position of either game for the side to move.
pub fn solve_any(
    position: &AnyPosition,
    bounds: &Bounds,
    control: &Control,
    time: &dyn TimeSource,
) -> Solution {
    match position {
        AnyPosition::Shogi(p) => solve(p, bounds, control, time),
        AnyPosition::Minishogi(p) => solve(p, bounds, control, time),
    }
}

/// Answers `go mate`: the time counts from `limits.start`, `bounds` gives threads and table.
/// Returns within milliseconds of a stop or of the end of the time.
pub fn answer<V: Variant>(
    position: &Position<V>,
    limits: &Limits,
    bounds: &Bounds,
    control: &Control,
    time: &dyn TimeSource,
) -> MateAnswer {
    let mut bounds = bounds.clone();
    if let Some(MateLimit::Time(whole)) = limits.mate {
        let used = time.now().saturating_sub(limits.start);
        bounds.time = Some(whole.saturating_sub(used));
    }
    bounds.nodes = limits.nodes.or(bounds.nodes);
    let solution = solve(position, &bounds, control, time);
    match solution.verdict {
        Verdict::Mate => MateAnswer::Mate(solution.line),
        Verdict::NoMate => MateAnswer::NoMate,
        Verdict::Unknown(_) => MateAnswer::Timeout,
    }
}
