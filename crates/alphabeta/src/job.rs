//! One search from question to answer: whatever happens, it ends with one legal answer.

use crate::analysis::{Memory, Question, Reading};
use crate::counts::Counts;
use crate::deepen::{Goal, final_value, nodes_per_second};
use crate::engine::{WorkerPool, resize_pool};
use crate::options;
use crate::root::{self, RootMove};
use crate::shared::Shared;
use crate::skill;
use crate::values::{self, INFINITE, MAX_PLY};
use crate::vote::{self, Ballot};
use crate::worker::Worker;
use eval::Evaluator;
use play::Forced;
use rules::{Move, Position, Variant};
use seed::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use think::key::universal::{MULTI_PV, PONDER};
use think::{
    Answer, Best, Bound, Control, Info, Limits, MateAnswer, Report, STACK, Score, Settings,
    TimeSource, Timer,
};

/// One search, with all it needs.
pub(crate) struct Job<V: Variant, E: Evaluator<V>> {
    pub(crate) position: Position<V>,
    pub(crate) limits: Limits,
    pub(crate) settings: Settings,
    pub(crate) time: Arc<dyn TimeSource>,
    pub(crate) weights: Arc<E::Weights>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) idle_workers: WorkerPool<V, E>,
    /// In an analysis: what is asked, and what is known.
    pub(crate) analysed: Option<(Question, Arc<Mutex<Memory>>)>,
    pub(crate) last_value: Arc<Mutex<i32>>,
    pub(crate) control: Control,
}

impl<V: Variant, E: Evaluator<V> + 'static> Job<V, E> {
    pub(crate) fn run(self, report: &mut dyn Report) {
        if self.limits.mate.is_some() {
            return self.look_for_mate(report);
        }
        let mut told = LineObserver { report, line: false };
        let best = self.without_search().or_else(|| self.proven_mate(&mut told));
        let best = best.unwrap_or_else(|| {
            let found = catch_unwind(AssertUnwindSafe(|| self.search(&mut told)));
            found.unwrap_or_else(|_| {
                self.shared.stop.store(true, Ordering::Relaxed);
                told.note(
                    "internal error in the search (please report it): playing a legal move without it",
                );
                self.any_move()
            })
        });
        let best = self.checked(best);
        if let Answer::Move(m) = best.answer
            && !told.line
        {
            let score = Some((self.score_at_a_glance(), Bound::Exact));
            told.info(&Info { depth: Some(0), score, pv: vec![m], ..self.figures(0) });
        }
        self.control.wait_until_answerable(self.limits.infinite);
        told.best(&best);
    }

    /// What every line says of the search so far, which has read `beside` nodes that its threads do
    /// not count.
    pub(crate) fn figures(&self, beside: u64) -> Info {
        let elapsed = self.time.now().saturating_sub(self.limits.start);
        let nodes = self.shared.total_nodes() + beside;
        Info {
            nodes: Some(nodes),
            nps: Some(nodes_per_second(nodes, elapsed)),
            hashfull: Some(self.shared.table.permille()),
            time: Some(elapsed),
            ..Info::default()
        }
    }

    /// What is known of the position without a search.
    fn score_at_a_glance(&self) -> Score {
        if let Some(Forced::Try(_)) = self.shared.terms.rules.forced(&self.position) {
            return Score::Mate(Some(1));
        }
        let evaluate = || {
            let mut evaluator = E::new(Arc::clone(&self.weights));
            evaluator.refresh(&self.position);
            evaluator.evaluate(&self.position)
        };
        // Where the evaluation fails the answer is given all the same.
        Score::Cp(values::to_cp(catch_unwind(AssertUnwindSafe(evaluate)).unwrap_or(values::DRAW)))
    }

    /// Answers that need no search: a declared win, no legal move.
    fn without_search(&self) -> Option<Best> {
        let answer = match self.shared.terms.rules.forced(&self.position)? {
            Forced::Try(m) => Answer::Move(m),
            Forced::Declare => Answer::Win,
            Forced::Resign => Answer::Resign,
        };
        Some(Best { answer, ponder: None })
    }

    fn root_moves(&self) -> Vec<RootMove> {
        let mut list = rules::MoveList::new();
        if self.shared.terms.all_moves || !self.limits.searchmoves.is_empty() {
            self.position.generate(rules::Gen::All, &mut list);
        } else {
            self.position.generate_useful(rules::Gen::All, &mut list);
        }
        let asked = &self.limits.searchmoves;
        list.iter()
            .filter(|m| asked.is_empty() || asked.contains(m))
            .map(|&m| RootMove::new(m))
            .collect()
    }

    fn goal(&self, level: u32) -> Goal {
        let limit = self.settings.get(&options::DEPTH_LIMIT);
        let asked = self.limits.depth.map_or(MAX_PLY as i32, |d| d.min(MAX_PLY as u32) as i32);
        let lines = self.settings.get(&MULTI_PV);
        let params = &self.shared.params;
        Goal {
            from: 1,
            nodes_before: 0,
            depth: if limit > 0 { asked.min(limit) } else { asked }.max(1),
            lines: if level < skill::FULL { lines.max(skill::lines(params)) } else { lines },
            interval: Duration::from_millis(self.settings.get(&options::PV_INTERVAL)),
            by_clock: self.limits.clocks.is_some()
                && self.limits.movetime.is_none()
                && !self.limits.infinite,
            mates: self.mate_share(level, lines),
            ends_with_mate: !self.limits.infinite && lines == 1,
            last_value: *self.last_value.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    pub(crate) fn timer(&self, level: u32) -> Timer {
        let mut limits = self.limits.clone();
        let mut cap = |nodes: u64| {
            limits.nodes = Some(limits.nodes.map_or(nodes, |n| n.min(nodes)));
        };
        if let n @ 1.. = self.settings.get(&options::NODES_LIMIT) {
            cap(n);
        }
        if level < skill::FULL {
            cap(skill::nodes(&self.shared.params, level));
        }
        Timer::new(
            Arc::clone(&self.time),
            self.control.clone(),
            &limits,
            options::time_options(&self.settings, &self.shared.params),
            self.position.turn(),
            self.position.ply(),
            self.shared.terms.rules.max_moves,
        )
    }

    /// The workers of this search, the first one with the watch.
    fn workers(&self, timer: Timer) -> Vec<Box<Worker<V, E>>> {
        let mut idle = self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workers = std::mem::take(&mut *idle);
        resize_pool(&mut workers, &self.shared, &self.weights);
        self.shared.common.clear_if_told();
        let moves = self.root_moves();
        for (id, worker) in workers.iter_mut().enumerate() {
            worker.id = id;
            worker.timer = None;
            worker.begin(Arc::clone(&self.shared), self.position.clone(), moves.clone());
        }
        workers[0].timer = Some(timer);
        workers
    }

    fn search(&self, report: &mut dyn Report) -> Best {
        let level = self.settings.get(&options::SKILL_LEVEL);
        let mut goal = self.goal(level);
        let mut timer = self.timer(level);
        let memory = self.analysed.as_ref().filter(|_| level == skill::FULL);
        let mut known = None;
        if let Some((question, memory)) = memory {
            let memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(reading) = memory.settled(question, goal.depth, timer.nodes()) {
                return self.repeat(&reading, &goal, report);
            }
            goal.nodes_before = memory.nodes(question);
            timer.take_off_nodes(goal.nodes_before);
            known = memory.last_complete(question);
        }
        let mut workers = self.workers(timer);
        if let Some(reading) = &known {
            goal.from = reading.depth + 1;
            self.shared.answerable.store(true, Ordering::Relaxed);
            workers.iter_mut().for_each(|worker| worker.root_moves.clone_from(&reading.moves));
            workers[0].report_reading(report, reading, goal.lines);
        }
        if workers[0].root_moves.is_empty() {
            // Only moves left out as pointless remain.
            return self.any_move();
        }
        let (first, others) = workers.split_at_mut(1);
        thread::scope(|scope| {
            for worker in others {
                let builder = thread::Builder::new().stack_size(STACK);
                let goal = &goal;
                // Fewer threads than asked for is no reason not to play.
                let _ = builder.spawn_scoped(scope, move || {
                    let contained = catch_unwind(AssertUnwindSafe(|| worker.deepen(goal, None)));
                    if contained.is_err() {
                        worker.root_moves.clear();
                    }
                });
            }
            // Whatever happens to the first, the others must hear of the end.
            let done = catch_unwind(AssertUnwindSafe(|| first[0].deepen(&goal, Some(report))));
            if self.limits.infinite || self.control.is_pondering() {
                self.control.wait_until_answerable(self.limits.infinite);
            }
            self.shared.stop.store(true, Ordering::Relaxed);
            if done.is_err() {
                first[0].root_moves.clear();
            }
        });
        if let Some((question, memory)) = memory {
            let readings = std::mem::take(&mut workers[0].readings);
            memory.lock().unwrap_or_else(PoisonError::into_inner).add(question, readings);
        }
        if Counts::ON {
            workers.iter().for_each(|worker| report.note(&worker.counts.to_string()));
        }
        let best = self.verdict(&workers, level, report);
        *self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner) = workers;
        best
    }

    /// The answer of a search that was made before.
    fn repeat(&self, reading: &Reading, goal: &Goal, report: &mut dyn Report) -> Best {
        let mut workers = self.workers(self.timer(skill::FULL));
        workers[0].root_moves.clone_from(&reading.moves);
        workers[0].report_reading(report, reading, goal.lines);
        let best = self.verdict(&workers[..1], skill::FULL, report);
        *self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner) = workers;
        self.control.wait_until_answerable(self.limits.infinite);
        best
    }

    /// The answer, and the line that stands for it if another thread than the first is believed.
    fn verdict(&self, workers: &[Box<Worker<V, E>>], level: u32, report: &mut dyn Report) -> Best {
        // A thread that failed has no moves; one that was stopped at once has no values.
        let alive: Vec<&Worker<V, E>> = workers
            .iter()
            .map(|w| &**w)
            .filter(|w| w.root_moves.first().is_some_and(|r| final_value(r) > -INFINITE))
            .collect();
        if workers[0].root_moves.is_empty() {
            report.note("the first search thread failed; using what the others found");
        }
        let one_line = level == skill::FULL && self.settings.get(&MULTI_PV) == 1;
        let Some(elected) = vote::elect(&ballots(&alive), self.shared.params.vote_least) else {
            return self.any_move();
        };
        // Several lines are those of the first thread, unless another has proven a win.
        let proven = final_value(&alive[elected].root_moves[0]) >= values::MATE_BOUND;
        let worker = alive[if one_line || proven { elected } else { 0 }];
        if worker.id != workers[0].id && one_line {
            let info = worker.line_info(&worker.root_moves[0], worker.completed, None);
            if let Some(info) = info {
                report.info(&Info {
                    score: info.score,
                    pv: info.pv,
                    depth: info.depth,
                    seldepth: info.seldepth,
                    ..self.figures(0)
                });
            }
        }
        let moves = &worker.root_moves;
        let chosen = if level < skill::FULL {
            let nanos = self.time.now().as_nanos() as u64;
            let seed = Rng::for_purpose(self.position.key(), &[nanos]).bits();
            skill::choose(moves, &self.shared.params, level, seed)
        } else {
            0
        };
        let line = &moves[chosen];
        let value = final_value(line);
        *self.last_value.lock().unwrap_or_else(PoisonError::into_inner) = value;
        if values::to_cp(value) < -self.settings.get(&options::RESIGN_VALUE) {
            return Best { answer: Answer::Resign, ponder: None };
        }
        let ponder = if self.settings.get(&PONDER) { self.reply(line) } else { None };
        Best { answer: Answer::Move(line.mv()), ponder }
    }

    /// The reply expected: from the line, else from the table.
    fn reply(&self, line: &RootMove) -> Option<Move> {
        line.pv.get(1).copied().or_else(|| {
            let mut after = self.position.clone();
            after.play(line.mv());
            self.shared.table.get(after.key()).map(|e| e.best).filter(|m| m.is_some())
        })
    }

    /// The answer if it can be played, else some move that can.
    fn checked(&self, best: Best) -> Best {
        let Answer::Move(m) = best.answer else { return best };
        if !self.position.is_legal(m) {
            return self.any_move();
        }
        let mut after = self.position.clone();
        after.play(m);
        Best { ponder: best.ponder.filter(|&reply| after.is_legal(reply)), ..best }
    }

    /// The legal move (of those asked for) that looks best at a glance; resignation if there is
    /// none.
    pub(crate) fn any_move(&self) -> Best {
        let asked = &self.limits.searchmoves;
        let mut moves: Vec<RootMove> = self
            .position
            .legal_moves()
            .iter()
            .filter(|m| asked.is_empty() || asked.contains(m))
            .map(|&m| RootMove::new(m))
            .collect();
        for r in &mut moves {
            let m = r.mv();
            let safe = self.position.see_at_least(m, 0, &eval::PIECE_VALUES);
            let taken = eval::PIECE_VALUES[self.position.piece_at(m.to()).kind_index()];
            r.score = if safe { taken } else { -1 };
        }
        root::sort(&mut moves);
        let answer = moves.first().map_or(Answer::Resign, |r| Answer::Move(r.mv()));
        Best { answer, ponder: None }
    }
}

/// What each thread has come to.
fn ballots<V: Variant, E: Evaluator<V>>(workers: &[&Worker<V, E>]) -> Vec<Ballot> {
    let ballot = |w: &&Worker<V, E>| {
        let best = &w.root_moves[0];
        Ballot { m: best.mv(), value: final_value(best), depth: w.completed }
    };
    workers.iter().map(ballot).collect()
}

/// A report that notes whether a whole line has been told: one comes before every move, however
/// quickly that was found.
struct LineObserver<'a> {
    report: &'a mut dyn Report,
    line: bool,
}

impl Report for LineObserver<'_> {
    fn info(&mut self, info: &Info) {
        let whole = info.score.is_some() && info.nps.is_some() && info.hashfull.is_some();
        self.line |= whole && !info.pv.is_empty();
        self.report.info(info);
    }

    fn note(&mut self, text: &str) {
        self.report.note(text);
    }

    fn best(&mut self, best: &Best) {
        self.report.best(best);
    }

    fn mate(&mut self, answer: &MateAnswer) {
        self.report.mate(answer);
    }
}
