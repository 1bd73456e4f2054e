//! When there is nothing left to gain by thinking on, judged by the visits at the root.

use crate::constants::Patience;
use crate::lines::Line;
use std::time::Duration;
use think::Budget;

/// What is known when it is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) elapsed: Duration,
    /// New playouts.
    pub(crate) playouts: u64,
    pub(crate) ply: u32,
}

/// Decides once whether the usual time is to be doubled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopper {
    patience: Patience,
    extended: bool,
}

impl Stopper {
    pub(crate) const fn new(patience: Patience) -> Self {
        Self { patience, extended: false }
    }

    /// Whether the search has found out enough. `lines` are the moves of the root, best first.
    pub(crate) fn is_enough(&mut self, lines: &[Line], budget: &Budget, at: Moment) -> bool {
        if lines.len() == 1 {
            return true;
        }
        let patience = self.patience;
        let [best, second, ..] = lines else { return false };
        if at.playouts < patience.least_new || budget.optimum >= budget.maximum {
            return false;
        }
        let planned = budget.optimum.mul_f64(surprise(lines, &patience)).min(budget.maximum);
        let planned = if self.extended { (planned * 2).min(budget.maximum) } else { planned };
        if at.elapsed < budget.optimum.mul_f64(patience.early) {
            return false;
        }
        let ahead = best.stats.visits.saturating_sub(second.stats.visits) as f64;
        if at.elapsed < planned {
            let rate = at.playouts as f64 / at.elapsed.as_secs_f64().max(1e-6);
            let left = rate * (planned - at.elapsed).as_secs_f64();
            return ahead > left * patience.overtaking;
        }
        let unclear = (best.stats.visits as f64) < patience.clearly * second.stats.visits as f64
            || best.value < second.value;
        if !self.extended && at.ply > patience.opening && unclear {
            self.extended = true;
            return false;
        }
        true
    }
}

/// How much longer to think than usual, by how far the visits have left the net's policy.
fn surprise(lines: &[Line], patience: &Patience) -> f64 {
    let visits: f64 = lines.iter().map(|line| line.stats.visits as f64).sum();
    let priors: f64 = lines.iter().map(|line| f64::from(line.prior)).sum();
    if visits < 1.0 || priors <= 0.0 {
        return 1.0;
    }
    let part = |line: &Line| {
        let (p, v) = (f64::from(line.prior) / priors, line.stats.visits as f64 / visits);
        if v == 0.0 { 0.0 } else { v * (v / p.max(1e-9)).ln() }
    };
    let [least, most] = patience.surprise_bounds;
    (patience.surprise * lines.iter().map(part).sum::<f64>()).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bounds;
    use crate::constants::Constants;
    use crate::node::Stats;
    use rules::{Color, Kind, Move, Square};
    use think::{Clocks, TimeOptions, TimePlan};

    fn line(visits: u64, prior: f32, value: f64) -> Line {
        let stats = Stats { visits, ..Stats::default() };
        let mv = Move::drop(Kind::Pawn, Square::new(3));
        Line { mv, prior, child: 1, stats, bounds: Bounds::OPEN, value: Some(value) }
    }

    fn fresh() -> Stopper {
        Stopper::new(Constants::SHOGI.patience)
    }

    fn budget() -> Budget {
        let options = TimeOptions {
            delay: Duration::ZERO,
            worst_delay: Duration::ZERO,
            minimum: Duration::ZERO,
            slow_mover: 100,
            whole_seconds: false,
            plan: TimePlan::USUAL,
        };
        let clocks = Clocks { time: [Duration::from_secs(600); 2], ..Clocks::default() };
        Budget::for_clocks(&clocks, Color::Black, 41, 0, options)
    }

    fn at(budget: &Budget, part: f64, ply: u32) -> Moment {
        Moment { elapsed: budget.optimum.mul_f64(part), playouts: 10_000, ply }
    }

    #[test]
    fn it_ends_when_the_second_cannot_overtake() {
        let b = budget();
        let clear = [line(9000, 0.6, 0.6), line(500, 0.3, 0.4)];
        let close = [line(5100, 0.5, 0.6), line(4900, 0.5, 0.5)];
        assert!(!fresh().is_enough(&clear, &b, at(&b, 0.05, 41)), "too early");
        assert!(!fresh().is_enough(&clear, &b, at(&b, 0.2, 41)), "it could overtake");
        assert!(fresh().is_enough(&clear, &b, at(&b, 0.6, 41)));
        assert!(!fresh().is_enough(&close, &b, at(&b, 0.4, 41)));
        assert!(fresh().is_enough(&clear[..1], &b, at(&b, 0.0, 41)), "one move");
        let few = Moment { playouts: 3, ..at(&b, 0.9, 41) };
        assert!(!fresh().is_enough(&clear, &b, few), "all of it reused");
    }

    #[test]
    fn time_is_added_once_where_the_choice_is_unclear() {
        let b = budget();
        let close = [line(5100, 0.9, 0.6), line(4900, 0.1, 0.5)];
        let mut stopper = fresh();
        assert!(!stopper.is_enough(&close, &b, at(&b, 2.1, 41)) && stopper.extended);
        assert!(stopper.is_enough(&close, &b, at(&b, 4.2, 41)));
        let mut stopper = fresh();
        assert!(stopper.is_enough(&close, &b, at(&b, 2.1, 5)), "not in the opening");
    }

    #[test]
    fn surprise_is_bounded() {
        let surprise = |lines: &[Line]| surprise(lines, &Constants::SHOGI.patience);
        assert_eq!(surprise(&[line(90, 0.9, 0.5), line(10, 0.1, 0.5)]), 0.5);
        assert_eq!(surprise(&[line(100, 0.01, 0.5), line(0, 0.99, 0.5)]), 2.0);
        assert_eq!(surprise(&[]), 1.0);
    }
}
