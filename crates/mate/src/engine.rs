//! For engines: `go mate` in the terms of [`think`].

use crate::{Bounds, Solution, Solver, Verdict, solve};
use rules::{AnyPosition, Position, Variant};
use std::panic::{AssertUnwindSafe, catch_unwind};
use think::key::universal::{HASH, THREADS};
use think::{Control, Limits, MateAnswer, MateLimit, Report, Settings, TimeSource};

/// Solves a position of either game for the side to move.
pub fn solve_any(
    position: &AnyPosition,
    bounds: &Bounds,
    control: &Control,
    time: &dyn TimeSource,
) -> Solution {
    Solver::of(position.without_history(), bounds, control, time).solve()
}

/// Answers `go mate` with the threads and the memory of an engine's settings. What goes wrong in the
/// solver is told, and ends the question, not the program.
pub fn report_answer<V: Variant>(
    position: &Position<V>,
    limits: &Limits,
    settings: &Settings,
    control: &Control,
    time: &dyn TimeSource,
    report: &mut dyn Report,
) {
    let bounds = Bounds {
        time: None,
        nodes: None,
        hash: settings.get(&HASH) << 20,
        threads: settings.get(&THREADS),
        shortest: false,
    };
    let solve = || answer(position, limits, &bounds, control, time);
    let answer = catch_unwind(AssertUnwindSafe(solve)).unwrap_or_else(|_| {
        report.note("internal error in the mate search (please report it): going on without it");
        MateAnswer::Timeout
    });
    report.mate(&answer);
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
