//! One search from question to answer: whatever happens, it ends with one legal answer.
//!
//! The thread of the job watches the clock and tells what is found; others search. So the answer
//! is given in time even while a net computes, and what is under way then comes back after it.

use crate::constants::Constants;
use crate::flight::Usage;
use crate::lines::{self, Line};
use crate::options;
use crate::search::{Plan, Search, lock};
use crate::stop::{Moment, Stopper};
use crate::tree::Tree;
use crate::worker::Worker;
use infer::Backend;
use play::Forced;
use rules::{Move, Position, Variant};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use think::key::universal::PONDER;
use think::usual::{NODES_LIMIT, PV_INTERVAL, RESIGN_VALUE};
use think::{
    Answer, Best, Bound, Control, Info, Limits, Report, STACK, Score, Settings, TimeSource, Timer,
};

/// How often the watch looks around.
const TICK: Duration = Duration::from_millis(1);
/// Ticks between two thoughts about ending early.
const TICKS_A_THOUGHT: u32 = 4;
/// Ticks that an answer of the net is waited for after a stop, where none has come yet.
const GRACE: u32 = 12;

/// One search, with all it needs.
pub(crate) struct Job<V: Variant> {
    pub(crate) position: Position<V>,
    pub(crate) limits: Limits,
    pub(crate) settings: Settings,
    pub(crate) time: Arc<dyn TimeSource>,
    pub(crate) tree: Arc<Tree>,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) control: Control,
    pub(crate) workers: usize,
    /// Cores that the workers do not use.
    pub(crate) spare: usize,
    /// Lines to tell; may change meanwhile.
    pub(crate) multi_pv: Arc<AtomicUsize>,
}

/// A mate found beside the search, and verified.
pub(crate) type FoundMate = Mutex<Option<Vec<Move>>>;

impl<V: Variant> Job<V> {
    pub(crate) fn run(self, report: &mut dyn Report) {
        if self.limits.mate.is_some() {
            return self.look_for_mate(report);
        }
        let forced = self.without_search();
        if let Some(Best { answer: Answer::Move(m), .. }) = forced {
            // It wins by the try rule.
            report.info(&self.mate_info(&[m]));
        }
        if let Some(best) = forced.or_else(|| self.mate_before(report)) {
            self.control.wait_until_answerable(self.limits.infinite);
            return report.best(&self.checked(best));
        }
        let mut answered = false;
        let searched = catch_unwind(AssertUnwindSafe(|| self.search(report, &mut answered)));
        if searched.is_err() {
            self.tree.clear();
        }
        if !answered {
            report.note(
                "internal error in the search (please report it): playing a legal move without it",
            );
            self.control.wait_until_answerable(self.limits.infinite);
            report.best(&self.any_move());
        }
    }

    /// Answers that need no search: a declared win, no legal move.
    fn without_search(&self) -> Option<Best> {
        let rules = options::leaf_rules(&self.settings).game;
        let answer = match rules.forced(&self.position)? {
            Forced::Try(m) => Answer::Move(m),
            Forced::Declare => Answer::Win,
            Forced::Resign => Answer::Resign,
        };
        Some(Best { answer, ponder: None })
    }

    fn scale(&self) -> f64 {
        f64::from(self.settings.get(&options::EVAL_COEF))
    }

    fn constants(&self) -> Constants {
        options::constants(&self.settings, V::GAME)
    }

    fn plan(&self) -> Plan {
        let settings = &self.settings;
        let limit = match settings.get(&NODES_LIMIT) {
            0 => self.limits.nodes,
            most => Some(self.limits.nodes.map_or(most, |nodes| nodes.min(most))),
        };
        let batch = match settings.get(&options::DNN_BATCH_SIZE) {
            0 => self.backend.pace().batch,
            size => size,
        };
        let gain = settings.get(&options::LEAST_GAIN);
        let constants = self.constants();
        Plan {
            constants,
            rules: options::leaf_rules(settings),
            draw_scores: options::draw_scores(settings, self.position.turn()),
            noise: options::noise(settings, &constants, self.position.key()),
            searchmoves: self.limits.searchmoves.clone(),
            playouts: limit,
            batch,
            workers: self.workers,
            leaf_mates: settings.get(&options::LEAF_MATES),
            leaf_mate_nodes: settings.get(&options::LEAF_MATE_NODES),
            least_gain: (gain > 0).then(|| gain as f64 / 1e9),
        }
    }

    pub(crate) fn timer(&self) -> Timer {
        // Playouts are counted by those who make them.
        let limits = Limits { nodes: None, ..self.limits.clone() };
        Timer::new(
            Arc::clone(&self.time),
            self.control.clone(),
            &limits,
            think::usual::time_options(&self.settings, self.constants().time),
            self.position.turn(),
            self.position.ply(),
            options::leaf_rules(&self.settings).game.max_moves,
        )
    }

    fn search(&self, report: &mut dyn Report, answered: &mut bool) {
        let search = Search::new(
            Arc::clone(&self.tree),
            Arc::clone(&self.backend),
            self.position.clone(),
            self.plan(),
        );
        let mate = FoundMate::default();
        // Those who look for mates are told by a handle of their own when to end.
        let helpers = Control::new(false);
        thread::scope(|scope| {
            let mut searching = 0;
            for number in 0..self.workers {
                let search = &search;
                // Fewer threads than asked for is no reason not to play.
                let started = spawn(scope, "puct", move || work(search, number));
                searching += usize::from(started);
            }
            if searching == 0 {
                report.note("could not start a thread for the search: not reading ahead");
                search.finish();
            }
            self.spawn_mate_searches(scope, &search, &mate, &helpers);
            // Whatever happens here, the others must hear of the end.
            let best = catch_unwind(AssertUnwindSafe(|| self.watch(&search, &mate, &mut *report)));
            search.stop();
            helpers.stop();
            if let Ok(best) = best {
                self.control.wait_until_answerable(self.limits.infinite);
                report.best(&self.checked(best));
                *answered = true;
            }
        });
        if search.is_broken() {
            self.tree.clear();
        }
    }

    /// Watches the search until it is to end, and chooses.
    fn watch(&self, search: &Search<V>, mate: &FoundMate, report: &mut dyn Report) -> Best {
        let mut timer = self.timer();
        let mut stopper = Stopper::new(self.constants().patience);
        let by_clock =
            self.limits.clocks.is_some() && self.limits.movetime.is_none() && !self.limits.infinite;
        let interval = Duration::from_millis(self.settings.get(&PV_INTERVAL));
        let (mut ticks, mut late, mut told) = (0u32, 0, Duration::ZERO);
        loop {
            for fault in search.flight.take_faults() {
                report.note(&fault);
            }
            let playouts = search.playouts();
            let found = lock(mate).is_some();
            if search.is_over() || found {
                self.control.wait_until_answerable(self.limits.infinite);
                break;
            }
            // The root itself is the first playout.
            let ready = playouts > 1 || self.control.is_quitting() || late > GRACE;
            let stopped = self.control.is_stopped();
            if stopped && ready || timer.must_stop(playouts, ready) {
                break;
            }
            late += u32::from(stopped || timer.deadline() <= nanos(self.time.now()));
            if ticks % TICKS_A_THOUGHT == 0 && playouts > 1 {
                let elapsed = timer.elapsed();
                if elapsed >= told + interval {
                    told = elapsed;
                    self.tell(search, elapsed, report);
                }
                if by_clock && !timer.decided() {
                    let at = Moment { elapsed, playouts, ply: self.position.ply() };
                    let (lines, budget) = (search.lines(), timer.budget());
                    if budget.is_some_and(|budget| stopper.is_enough(&lines, &budget, at)) {
                        timer.enough(lines.len() == 1);
                    }
                }
                if self.is_deep_enough(search, playouts) {
                    break;
                }
            }
            ticks = ticks.wrapping_add(1);
            thread::sleep(TICK);
        }
        for fault in search.flight.take_faults() {
            report.note(&fault);
        }
        if self.settings.get(&options::REPORT_USAGE) {
            report.note(&usage(search, timer.elapsed()));
        }
        if let Some(line) = lock(mate).take() {
            return self.play_mate(&line, search, timer.elapsed(), report);
        }
        self.tell(search, timer.elapsed(), report);
        self.verdict(search)
    }

    /// Whether the best line is as long as was asked for.
    fn is_deep_enough(&self, search: &Search<V>, playouts: u64) -> bool {
        let Some(depth) = self.limits.depth else { return false };
        let first = || search.lines().first().map_or(0, |line| search.pv(line).len());
        playouts >= self.constants().patience.least_new && first() >= depth as usize
    }

    /// Tells the best lines.
    fn tell(&self, search: &Search<V>, elapsed: Duration, report: &mut dyn Report) {
        let lines = search.lines();
        let many = self.multi_pv.load(Ordering::Relaxed).max(1);
        let by_bound = self.settings.get(&options::LCB);
        let shows_wdl = self.settings.get(&options::SHOW_WDL);
        let chosen = search.choice(&lines, by_bound).copied();
        let others = lines.iter().copied().filter(|line| Some(line.mv) != chosen.map(|c| c.mv));
        for (index, line) in chosen.into_iter().chain(others).take(many).enumerate() {
            if line.value.is_none() {
                break;
            }
            let pv = search.pv(&line);
            let playouts = search.playouts();
            report.info(&Info {
                depth: Some(pv.len() as u32),
                seldepth: Some(search.deepest().max(pv.len() as u32)),
                multipv: (many > 1).then_some(index as u32 + 1),
                score: Some((search.score(&line, self.scale()), Bound::Exact)),
                wdl: shows_wdl.then(|| Search::<V>::wdl(&line)).flatten(),
                nodes: Some(playouts),
                nps: Some((playouts as f64 / elapsed.as_secs_f64().max(1e-6)) as u64),
                hashfull: Some(self.tree.arena.permille()),
                time: Some(elapsed),
                pv,
            });
        }
    }

    fn verdict(&self, search: &Search<V>) -> Best {
        let lines = search.lines();
        let Some(line) = search.choice(&lines, self.settings.get(&options::LCB)) else {
            return self.any_move();
        };
        if self.is_hopeless(line, search) {
            return Best { answer: Answer::Resign, ponder: None };
        }
        let ponder = self.settings.get(&PONDER).then(|| search.pv(line).get(1).copied());
        Best { answer: Answer::Move(line.mv), ponder: ponder.flatten() }
    }

    fn is_hopeless(&self, line: &Line, search: &Search<V>) -> bool {
        let least = -self.settings.get(&RESIGN_VALUE);
        match search.score(line, self.scale()) {
            Score::Cp(_) => {
                line.value.is_some_and(|value| lines::centipawns(value, self.scale()) < least)
            }
            // As the other search counts: a mate is worth more than any value.
            Score::Mated(_) => least > -30_000,
            Score::Mate(_) => false,
        }
    }

    /// The answer if it can be played, else some move that can.
    pub(crate) fn checked(&self, best: Best) -> Best {
        let Answer::Move(m) = best.answer else { return best };
        if !self.position.is_legal(m) {
            return self.any_move();
        }
        let mut after = self.position.clone();
        after.play(m);
        Best { ponder: best.ponder.filter(|&reply| after.is_legal(reply)), ..best }
    }

    /// A legal move (of those asked for) where nothing was read: a mate, or what takes most;
    /// resignation if there is none.
    pub(crate) fn any_move(&self) -> Best {
        let asked = &self.limits.searchmoves;
        let legal = self.position.legal_moves();
        let allowed = |m: &Move| asked.is_empty() || asked.contains(m);
        let taken = |m: &Move| self.position.piece_at(m.to()).kind_index();
        let mating = mate::mate_in_one(&self.position).filter(allowed);
        // The first of equals, so that the choice does not depend on how lists are searched.
        let most = legal.iter().copied().filter(allowed).rev().max_by_key(taken);
        let answer = mating.or(most).map_or(Answer::Resign, Answer::Move);
        Best { answer, ponder: None }
    }
}

/// Starts a thread; says whether it could.
pub(crate) fn spawn<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: &str,
    run: impl FnOnce() + Send + 'scope,
) -> bool {
    let builder = thread::Builder::new().name(name.to_owned()).stack_size(STACK);
    builder.spawn_scoped(scope, run).is_ok()
}

/// One thread of a search; what goes wrong in it ends the search, not the program.
fn work<V: Variant>(search: &Search<V>, number: usize) {
    let run = AssertUnwindSafe(|| Worker::new(search, number).run());
    if catch_unwind(run).is_err() {
        search.give_up();
    }
}

/// How the net was used, in a sentence.
fn usage<V: Variant>(search: &Search<V>, elapsed: Duration) -> String {
    let Usage { batches, positions, room } = search.flight.usage();
    let (playouts, collisions) = (search.playouts(), search.collisions());
    let rate = |count: u64| (count as f64 / elapsed.as_secs_f64().max(1e-6)) as u64;
    let full = 100.0 * positions as f64 / room.max(1) as f64;
    format!(
        "{playouts} playouts ({} a second), {batches} batches {full:.0} % full ({} positions a \
         second), {collisions} collisions",
        rate(playouts),
        rate(positions)
    )
}

fn nanos(moment: Duration) -> u64 {
    u64::try_from(moment.as_nanos()).unwrap_or(u64::MAX)
}
