//! Iterative deepening: one thread's loop from depth 1 to the end.

use crate::analysis::Reading;
use crate::beside::Share;
use crate::node::Root;
use crate::root::{self, RootMove};
use crate::values::{self, INFINITE, MAX_PLY, NONE, is_mate, to_cp};
use crate::worker::Worker;
use eval::Evaluator;
use rules::{Move, Variant};
use std::sync::atomic::Ordering;
use std::time::Duration;
use think::{Bound, Info, Report, Score, Timer};

/// What the loop is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// The first iteration: those before it were read in an earlier search, with so many nodes.
    pub(crate) from: i32,
    pub(crate) nodes_before: u64,
    pub(crate) depth: i32,
    pub(crate) lines: usize,
    /// Least time between two reports of the same kind.
    pub(crate) interval: Duration,
    /// Answer even when there is only one move: a game clock runs.
    pub(crate) by_clock: bool,
    /// Look for mates beside the search, with one node of the solver for so many of the search.
    pub(crate) mates: Option<Share>,
    /// A proven mate ends the search: nobody wants to see more.
    pub(crate) ends_with_mate: bool,
    /// Value of the last move of the game, for judging whether things go wrong.
    pub(crate) last_value: i32,
}

/// What the first thread remembers between iterations to divide its time.
struct Stability {
    /// Depth since which the best move is the same.
    stable_since: i32,
    changes: f64,
    last_best: Move,
}

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// Reads deeper and deeper until stopped. The first thread brings a report.
    pub(crate) fn deepen(&mut self, goal: &Goal, mut report: Option<&mut dyn Report>) {
        self.clear_if_told();
        let lines = goal.lines.clamp(1, self.root_moves.len().max(1));
        let mut stability =
            Stability { stable_since: 0, changes: 0.0, last_best: self.root_moves[0].mv() };
        let mut last_report = Duration::ZERO;
        let mut untold = None;
        let threads = self.shared.nodes.len();
        let is_last = self.id + 1 == threads;
        if let Some(share) = goal.mates.filter(|_| report.is_some() || is_last) {
            self.begin_beside(share, is_last);
        }
        let (mut depth, mut again) = (goal.from, false);
        while depth <= goal.depth.min(MAX_PLY as i32 - 1) {
            self.root_depth = depth;
            self.changes = 0;
            for r in self.root_moves.iter_mut().filter(|_| !again) {
                r.previous = r.score;
            }
            for line in 0..lines {
                self.pv_index = line;
                self.sel_depth = 0;
                self.read_line(depth);
                root::sort(&mut self.root_moves[..=line]);
                if self.is_halted() {
                    break;
                }
            }
            self.shared.nodes[self.id].store(self.nodes, Ordering::Relaxed);
            let mut stopped = self.shared.stopped();
            // A mate was proven meanwhile: it is told, and the iteration begun again.
            again = std::mem::take(&mut self.unwinding) && !stopped;
            if !stopped && !again {
                self.completed = depth;
                if report.is_some() {
                    self.look_along(depth, lines);
                }
            }
            if self.beside.is_some() && self.take_proven() && goal.ends_with_mate {
                self.shared.answerable.store(true, Ordering::Relaxed);
                self.shared.stop.store(true, Ordering::Relaxed);
                stopped = true;
            }
            if report.is_some() {
                self.note_reading(goal, depth, !stopped && !again);
                self.shared.answerable.store(true, Ordering::Relaxed);
            }
            if let Some(report) = report.as_deref_mut() {
                let elapsed = self.timer.as_ref().map_or(Duration::ZERO, Timer::elapsed);
                let last = stopped || again || depth == goal.depth;
                // Early iterations follow each other too quickly to be read.
                if last || depth == goal.from || elapsed >= last_report + goal.interval {
                    last_report = elapsed;
                    if let Some(told) = untold.take().filter(|_| self.ends_in_bound()) {
                        report.info(&told);
                    }
                    self.report_lines(report, goal, depth, lines, elapsed);
                } else {
                    untold = Some(self.first_line(goal, depth, lines, elapsed));
                }
            }
            if stopped {
                break;
            }
            if !again {
                self.consider_ending(goal, depth, &mut stability);
                depth += 1;
            }
        }
        self.beside = None;
        self.shared.nodes[self.id].store(self.nodes, Ordering::Relaxed);
    }

    /// One line of one iteration, with a window around what is expected.
    fn read_line(&mut self, depth: i32) {
        let p = self.params.clone();
        let average = self.root_moves[self.pv_index].average;
        let mut delta = p.window(if average == NONE { 0 } else { average }, self.id);
        if p.line_followed != 0 {
            self.last_line.clone_from(&self.root_moves[self.pv_index].pv);
        }
        let open = depth < p.aspiration_from || average == NONE || values::is_decided(average);
        let (mut alpha, mut beta) = if open {
            (-INFINITE, INFINITE)
        } else {
            ((average - delta).max(-INFINITE), (average + delta).min(INFINITE))
        };
        let mut failed_high = 0;
        loop {
            self.root_delta = beta - alpha;
            let adjusted = (depth - failed_high).max(1);
            let best = self.search::<Root>(0, alpha, beta, adjusted, false);
            let index = self.pv_index;
            root::sort(&mut self.root_moves[index..]);
            if self.is_halted() {
                return;
            }
            if best <= alpha && alpha > -INFINITE {
                beta = (p.aspiration_low * alpha + (4 - p.aspiration_low) * beta) / 4;
                alpha = (best - delta).max(-INFINITE);
                failed_high = 0;
            } else if best >= beta && beta < INFINITE {
                if p.aspiration_high != 0 {
                    alpha = alpha.max(beta - delta);
                }
                beta = (best + delta).min(INFINITE);
                failed_high += 1;
            } else {
                return;
            }
            delta += delta * p.aspiration_growth / 100;
            if values::is_decided(best) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Records how a root move fared.
    pub(crate) fn note_root_move(
        &mut self,
        m: Move,
        value: i32,
        alpha: i32,
        beta: i32,
        move_count: u32,
        effort: u64,
    ) {
        let line = self.frame(1).pv.clone();
        let sel_depth = self.sel_depth;
        let changed = move_count > 1 && self.pv_index == 0;
        let latest = self.params.average_latest;
        let Some(r) = self.root_moves.iter_mut().find(|r| r.mv() == m) else { return };
        r.effort += effort;
        r.average =
            if r.average == NONE { value } else { (latest * value + r.average) / (latest + 1) };
        if move_count == 1 || value > alpha {
            r.score = value;
            r.lower = value >= beta;
            r.upper = value <= alpha;
            r.shown = value.clamp(alpha, beta);
            r.sel_depth = sel_depth;
            r.pv.truncate(1);
            r.pv.extend_from_slice(&line);
            if changed {
                self.changes += 1;
            }
        } else {
            // Not read with an open window: its value is only known to be no better.
            r.score = -INFINITE;
        }
    }

    /// Whether another iteration is worth its time. Only the first thread has a say.
    fn consider_ending(&mut self, goal: &Goal, depth: i32, stability: &mut Stability) {
        let best = &self.root_moves[0];
        let (score, effort) = (best.score, best.effort);
        if best.mv() != stability.last_best {
            stability.last_best = best.mv();
            stability.stable_since = depth;
        }
        let p = &self.params;
        let percent = |number: i32| f64::from(number) / 100.0;
        stability.changes =
            stability.changes * percent(p.time_changes_kept) + f64::from(self.changes);
        let Some(timer) = &mut self.timer else { return };
        // A mate found and read well beyond its length will not get shorter.
        let proven = is_mate(score) && depth > (values::MATE - score.abs()) + p.time_mate;
        let only_move = self.root_moves.len() == 1 && goal.by_clock;
        if proven && goal.by_clock || only_move && depth >= p.time_only_move {
            timer.enough(true);
        } else if let Some(budget) = timer.budget()
            && goal.by_clock
            && !timer.decided()
        {
            // Longer when the value falls or the best move keeps changing, shorter when it is
            // settled and most nodes go into it anyway.
            let fall = (goal.last_value - score).clamp(-p.time_fall, p.time_fall);
            let fall = f64::from(fall) / f64::from(p.time_fall);
            let falling = if goal.last_value == NONE {
                1.0
            } else {
                (1.0 + fall).clamp(percent(p.time_fall_least), percent(p.time_fall_most))
            };
            let unstable =
                1.0 + percent(p.time_unstable) * stability.changes.min(f64::from(p.time_changes));
            let is_settled = stability.stable_since + p.time_settled_after < depth;
            let settled = if is_settled { percent(p.time_settled) } else { 1.0 };
            let share = effort as f64 / self.nodes.max(1) as f64;
            let is_obvious = depth >= p.time_obvious_depth && share > percent(p.time_obvious_share);
            let obvious = if is_obvious { percent(p.time_obvious) } else { 1.0 };
            let total = budget.optimum.mul_f64(falling * unstable * settled * obvious);
            let elapsed = timer.elapsed();
            if elapsed >= total.min(budget.maximum) && budget.optimum < budget.maximum {
                timer.enough(false);
            }
        }
    }

    /// Notes how far an analysis has come.
    fn note_reading(&mut self, goal: &Goal, depth: i32, complete: bool) {
        if self.shared.terms.analysis {
            // A limit of nodes may be overstepped by the last few.
            let limit = self.timer.as_ref().and_then(Timer::nodes).unwrap_or(u64::MAX);
            let now = self.shared.total_nodes().max(self.nodes).min(limit);
            let nodes = goal.nodes_before + now;
            let moves = self.root_moves.clone();
            self.readings.push(Reading { depth, nodes, complete, moves });
        }
    }

    /// Tells what an earlier search found.
    pub(crate) fn report_reading(&self, report: &mut dyn Report, reading: &Reading, lines: usize) {
        let elapsed = self.timer.as_ref().map_or(Duration::ZERO, Timer::elapsed);
        // Those of this search, which may not have read any yet.
        let nps = Some(nodes_per_second(self.shared.total_nodes(), elapsed));
        for (index, line) in reading.moves.iter().take(lines).enumerate() {
            let info = self.line_info(line, reading.depth, (lines > 1).then_some(index));
            if let Some(info) = info {
                let nodes = Some(reading.nodes);
                report.info(&Info { nodes, nps, time: Some(elapsed), ..info });
            }
        }
    }

    /// Whether all that is known of the best move's value is a bound: the search was stopped
    /// while its window was being widened.
    fn ends_in_bound(&self) -> bool {
        let best = &self.root_moves[0];
        best.score != -INFINITE && (best.lower || best.upper)
    }

    /// The best line of an iteration that was read to its end. It is told after all where the
    /// search ends in a bound, so that whoever listens has an exact value.
    fn first_line(&self, goal: &Goal, depth: i32, lines: usize, elapsed: Duration) -> Info {
        let best = &self.root_moves[0];
        let now = self.shared.total_nodes().max(self.nodes);
        Info {
            nodes: Some(goal.nodes_before + now),
            nps: Some(nodes_per_second(now, elapsed)),
            hashfull: Some(self.shared.table.permille()),
            time: Some(elapsed),
            depth: Some(depth as u32),
            seldepth: Some(best.sel_depth as u32),
            multipv: (lines > 1).then_some(1),
            score: Some((score(best.shown), Bound::Exact)),
            pv: best.pv.clone(),
            ..Info::default()
        }
    }

    /// Tells all lines of an iteration.
    fn report_lines(
        &self,
        report: &mut dyn Report,
        goal: &Goal,
        depth: i32,
        lines: usize,
        elapsed: Duration,
    ) {
        let now = self.shared.total_nodes().max(self.nodes);
        let nps = nodes_per_second(now, elapsed);
        let nodes = goal.nodes_before + now;
        for (index, line) in self.root_moves.iter().take(lines).enumerate() {
            if let Some(info) = self.line_info(line, depth, (lines > 1).then_some(index)) {
                report.info(&Info {
                    nodes: Some(nodes),
                    nps: Some(nps),
                    time: Some(elapsed),
                    ..info
                });
            }
        }
    }

    /// A line of an iteration; nothing if it was never read.
    pub(crate) fn line_info(
        &self,
        line: &RootMove,
        depth: i32,
        rank: Option<usize>,
    ) -> Option<Info> {
        let unread = line.score == -INFINITE;
        let value = if unread { line.previous } else { line.shown };
        if value == -INFINITE {
            return None;
        }
        let bound = match (unread, line.lower, line.upper) {
            (false, true, _) => Bound::Lower,
            (false, _, true) => Bound::Upper,
            _ => Bound::Exact,
        };
        Some(Info {
            depth: Some((depth - i32::from(unread)).max(1) as u32),
            seldepth: Some(line.sel_depth as u32),
            multipv: rank.map(|index| index as u32 + 1),
            score: Some((score(value), bound)),
            hashfull: Some(self.shared.table.permille()),
            pv: line.pv.clone(),
            ..Info::default()
        })
    }
}

/// Nodes a second.
pub(crate) fn nodes_per_second(nodes: u64, elapsed: Duration) -> u64 {
    (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64
}

/// A value as the world writes it.
pub(crate) fn score(value: i32) -> Score {
    if !is_mate(value) {
        return Score::Cp(to_cp(value));
    }
    let plies = (values::MATE - value.abs()) as u32;
    if value > 0 { Score::Mate(Some(plies)) } else { Score::Mated(Some(plies)) }
}

/// The value a root move ended with.
pub(crate) fn final_value(r: &RootMove) -> i32 {
    if r.score == -INFINITE { r.previous } else { r.score }
}
