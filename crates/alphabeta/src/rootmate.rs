//! Mates at the root, by proof: `go mate`, and a look before every search. A mate that is proven
//! is played, whatever the search would have thought.

use crate::beside::Share;
use crate::job::Job;
use crate::options;
use crate::skill;
use eval::Evaluator;
use mate::{Bounds, Solver, Verdict};
use rules::{Gen, Move, MoveList, Variant};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Duration;
use think::key::universal::{MULTI_PV, PONDER};
use think::{Answer, Best, Bound, Info, Report, Score};

impl<V: Variant, E: Evaluator<V> + 'static> Job<V, E> {
    /// Answers `go mate`.
    pub(crate) fn look_for_mate(&self, report: &mut dyn Report) {
        let Self { position, limits, settings, control, time, .. } = self;
        mate::report_answer(position, limits, settings, control, &**time, report);
    }

    /// A mate proven with a small part of what the search may use.
    pub(crate) fn proven_mate(&self, report: &mut dyn Report) -> Option<Best> {
        let nodes = self.settings.get(&options::ROOT_MATE_NODES);
        let weakened = self.settings.get(&options::SKILL_LEVEL) < skill::FULL;
        if nodes == 0 || weakened || !self.limits.searchmoves.is_empty() || self.shows_lines() {
            return None;
        }
        let mut checks = MoveList::new();
        self.position.generate(Gen::Checks, &mut checks);
        if checks.is_empty() {
            return None;
        }
        let p = &self.shared.params;
        let time = self.timer(skill::FULL).budget().map(|b| b.maximum / p.mate_glance as u32);
        // With less time nothing is found that the search would not find.
        let least = Duration::from_micros(p.mate_glance_least as u64);
        if time.is_some_and(|time| time < least) {
            return None;
        }
        let share = self.limits.nodes.map(|n| n / p.mate_glance as u64);
        let bounds = Bounds {
            time,
            nodes: Some(share.map_or(nodes, |n| nodes.min(n)).max(1)),
            ..Bounds::default()
        };
        let solve = || {
            let memory = self.shared.mates.of(self.position.turn(), time);
            let (control, time) = (&self.control, &*self.time);
            Solver::remembering(&self.position, &bounds, control, time, &memory).solve()
        };
        let solution = catch_unwind(AssertUnwindSafe(solve)).ok()?;
        // The look beside the search goes on from there.
        self.shared.glanced.store(solution.nodes, Ordering::Relaxed);
        if solution.verdict != Verdict::Mate {
            return None;
        }
        let first: Move = *solution.line.first()?;
        let plies = solution.line.len() as u32;
        // The game is drawn before such a mate is on the board.
        let limit = self.settings.get(&options::MAX_MOVES_TO_DRAW);
        if limit > 0 && self.position.ply() + plies - 1 > limit {
            return None;
        }
        report.info(&Info {
            depth: Some(plies),
            seldepth: Some(plies),
            score: Some((Score::Mate(Some(plies)), Bound::Exact)),
            pv: solution.line.clone(),
            ..self.figures(solution.nodes)
        });
        let ponder = self.settings.get(&PONDER).then(|| solution.line.get(1).copied());
        Some(Best { answer: Answer::Move(first), ponder: ponder.flatten() })
    }

    /// How much of the search's work goes into mates beside it; nothing where mates are not wanted.
    pub(crate) fn mate_share(&self, level: u32, lines: usize) -> Option<Share> {
        let p = &self.shared.params;
        let glance = self.settings.get(&options::ROOT_MATE_NODES);
        // Who looks at lines wants to see mates; who plays wants the best move, mate or not.
        let [alone, beside, likely, most] = if self.limits.infinite || lines > 1 {
            [p.mate_share, p.mate_share_beside, p.mate_share_likely, i32::MAX]
        } else {
            [p.mate_play, p.mate_play_beside, p.mate_play_likely, p.mate_likely_most]
        }
        .map(|number| number as u64);
        (level == skill::FULL && glance > 0).then_some(Share { alone, beside, likely, most })
    }

    /// Whether somebody wants to see several lines, or lines until told to stop.
    fn shows_lines(&self) -> bool {
        self.limits.infinite || self.settings.get(&MULTI_PV) > 1
    }
}
