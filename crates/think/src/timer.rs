//! The watch on clock, node limit and ponder hit, kept by one thread of a search.

use crate::budget::{Budget, TimeOptions};
use crate::{Clocks, Control, Limits, Moment, TimeSource};
use rules::Color;
use std::sync::Arc;
use std::time::Duration;

/// Decides when the search ends.
pub struct Timer {
    time: Arc<dyn TimeSource>,
    control: Control,
    options: TimeOptions,
    us: Color,
    ply: u32,
    max_moves: u32,
    /// Thinking time counts from here; the ponder hit moves it.
    start: Moment,
    clocks: Option<Clocks>,
    budget: Option<Budget>,
    nodes: Option<u64>,
    infinite: bool,
    pondering: bool,
    /// Decided while pondering: answer as soon as the opponent has moved.
    done: bool,
    /// Decided: end at this moment, to use the whole second.
    end: Option<Duration>,
}

impl Timer {
    /// The watch of a search for the side `us` at move `ply`.
    pub fn new(
        time: Arc<dyn TimeSource>,
        control: Control,
        limits: &Limits,
        options: TimeOptions,
        us: Color,
        ply: u32,
        max_moves: u32,
    ) -> Self {
        let mut timer = Self {
            time,
            control,
            options,
            us,
            ply,
            max_moves,
            start: limits.start,
            clocks: limits.clocks,
            budget: None,
            nodes: limits.nodes,
            infinite: limits.infinite,
            pondering: limits.ponder,
            done: false,
            end: None,
        };
        // With an extra of up to the same again, drawn by the moment the question came.
        let random =
            limits.random_time.map(|t| t + t * (limits.start.subsec_nanos() % 1000) / 1000);
        if let Some(fixed) = limits.movetime.or(random) {
            timer.budget = Some(Budget::fixed(fixed, options));
        } else {
            timer.plan();
        }
        timer
    }

    fn plan(&mut self) {
        if let Some(clocks) = &self.clocks {
            let budget =
                Budget::for_clocks(clocks, self.us, self.ply, self.max_moves, self.options);
            self.budget = Some(budget);
        }
    }

    /// Since the start of thinking on our own time.
    pub fn elapsed(&self) -> Duration {
        self.time.now().saturating_sub(self.start)
    }

    /// Nodes until the limit.
    pub fn nodes_left(&self, nodes: u64) -> u64 {
        self.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(nodes))
    }

    /// The limit of nodes.
    pub fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// So many of them have been read already.
    pub fn take_off_nodes(&mut self, nodes: u64) {
        self.nodes = self.nodes.map(|limit| limit.saturating_sub(nodes));
    }

    /// The moment at which the search must end as things stand, in nanoseconds of the time source;
    /// the end of time if there is none.
    pub fn deadline(&self) -> u64 {
        if self.pondering || self.infinite {
            return u64::MAX;
        }
        let latest = self.budget.map(|b| b.maximum);
        let end = self.end.into_iter().chain(latest).min().map(|end| self.start + end);
        end.map_or(u64::MAX, |end| u64::try_from(end.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The plan, if the search runs by the clock.
    pub fn budget(&self) -> Option<Budget> {
        self.budget
    }

    /// Whether there are only milliseconds.
    pub fn is_hurried(&self) -> bool {
        self.budget.is_some_and(|b| b.maximum < Duration::from_millis(20))
    }

    fn follow_ponder(&mut self) {
        if !self.pondering || self.control.is_pondering() {
            return;
        }
        self.pondering = false;
        if let Some(hit) = self.control.hit() {
            self.start = hit.at;
            if hit.clocks.is_some() {
                self.clocks = hit.clocks;
                self.plan();
            }
        }
        if self.done {
            self.end = Some(Duration::ZERO);
        }
    }

    /// Whether the search must end now; time ends it only where it may answer.
    pub fn must_stop(&mut self, nodes: u64, may_answer: bool) -> bool {
        if self.nodes.is_some_and(|limit| nodes >= limit) {
            return true;
        }
        self.follow_ponder();
        if self.pondering || self.infinite || !may_answer {
            return false;
        }
        let elapsed = self.elapsed();
        self.end.is_some_and(|end| elapsed >= end)
            || self.budget.is_some_and(|b| elapsed >= b.maximum)
    }

    /// Nothing more to find out for this move: end now, or at the end of the second.
    pub fn enough(&mut self, at_once: bool) {
        self.follow_ponder();
        if self.pondering {
            self.done = true;
        } else if self.end.is_none() {
            let elapsed = self.elapsed();
            let end = self.budget.map_or(elapsed, |b| b.end(elapsed));
            self.end = Some(if at_once { Duration::ZERO } else { end });
        }
    }

    /// Whether `enough` has been said.
    pub fn decided(&self) -> bool {
        self.done || self.end.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::TimePlan;
    use crate::{ManualTime, PonderHit};

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    const OPTIONS: TimeOptions = TimeOptions {
        delay: ms(0),
        worst_delay: ms(100),
        minimum: ms(0),
        slow_mover: 100,
        whole_seconds: false,
        plan: TimePlan::USUAL,
    };

    fn timer(limits: &Limits) -> (Arc<ManualTime>, Control, Timer) {
        let time = Arc::new(ManualTime::new());
        let control = Control::new(limits.ponder);
        let timer = Timer::new(time.clone(), control.clone(), limits, OPTIONS, Color::Black, 1, 0);
        (time, control, timer)
    }

    #[test]
    fn movetime_nodes_and_infinite() {
        let (time, _, mut t) = timer(&Limits { movetime: Some(ms(50)), ..Limits::default() });
        assert!(!t.must_stop(1, true));
        time.advance(ms(50));
        assert!(t.must_stop(1, true));
        let (time, _, mut t) = timer(&Limits { movetime: Some(ms(50)), ..Limits::default() });
        assert_eq!(t.deadline(), 50_000_000);
        time.advance(ms(900));
        assert!(!t.must_stop(1, false), "nothing has been read yet");
        let (time, _, mut t) = timer(&Limits { nodes: Some(100), ..Limits::default() });
        time.advance(ms(100_000));
        assert!(!t.must_stop(99, true) && t.must_stop(100, true) && t.must_stop(100, false));
        assert_eq!(t.deadline(), u64::MAX);
        assert_eq!((t.nodes_left(90), t.nodes_left(190)), (10, 0));
        let (time, _, mut t) = timer(&Limits { infinite: true, ..Limits::default() });
        t.enough(true);
        time.advance(ms(100_000));
        assert!(!t.must_stop(u64::MAX, true));
    }

    #[test]
    fn a_ponder_hit_starts_the_clock() {
        let clocks = Clocks { byoyomi: ms(1000), ..Clocks::default() };
        let limits = Limits { ponder: true, clocks: Some(clocks), ..Limits::default() };
        let (time, control, mut t) = timer(&limits);
        time.advance(ms(60_000));
        assert!(!t.must_stop(1, true));
        assert!(control.ponderhit(PonderHit { at: time.now(), clocks: None }));
        assert!(!t.must_stop(1, true));
        time.advance(ms(899));
        assert!(!t.must_stop(1, true));
        time.advance(ms(2));
        assert!(t.must_stop(1, true));
        // Done before the hit: answer at the hit.
        let (time, control, mut t) = timer(&limits);
        t.enough(false);
        time.advance(ms(5000));
        assert!(!t.must_stop(1, true) && t.decided());
        assert!(control.ponderhit(PonderHit { at: time.now(), clocks: None }));
        assert!(t.must_stop(1, true));
        // New clocks with the hit.
        let (time, control, mut t) = timer(&limits);
        let clocks = Some(Clocks { byoyomi: ms(10_000), ..Clocks::default() });
        assert!(control.ponderhit(PonderHit { at: time.now(), clocks }));
        time.advance(ms(5000));
        assert!(!t.must_stop(1, true));
        time.advance(ms(4900));
        assert!(t.must_stop(1, true));
    }
}
