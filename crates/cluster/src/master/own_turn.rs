//! A search for our move: who is asked what, and when it ends.

use super::decision::Vote;
use super::{Master, is_same};
use crate::child::{Purpose, Question, State};
use crate::config::{Consult, Role, Switch};
use crate::consult::is_settled;
use crate::deadline::{Deadline, told};
use crate::event::Action;
use engines::GameLine;
use rules::Move;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use think::{Answer, MateAnswer, Moment};
use usi::{Checkmate, Command, Go, Reply, Times};

/// How long others are waited for when one has answered, as a multiple of what it took: with a
/// clock, where all were told the same time, and without, where engines differ tenfold.
const PATIENCE: f64 = 1.5;
const PATIENCE_UNTIMED: f64 = 20.0;

/// How long children that load are waited for where no clock says so.
const JOIN: Duration = Duration::from_secs(10);

/// How long children may think without a word where no clock says so.
const SILENCE: Duration = Duration::from_secs(60);

/// The least of it.
const LEAST_PATIENCE: Duration = Duration::from_millis(100);

/// How far a decision is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Stage {
    /// Everybody thinks.
    Opinions,
    /// Everybody values the others' moves; what each has still to value.
    Exchange(BTreeMap<usize, Vec<Move>>),
    /// The arbiter thinks.
    Arbiter(usize),
}

/// A search.
pub(super) struct Search {
    pub(super) number: u64,
    pub(super) line: Arc<GameLine>,
    pub(super) go: Go,
    /// When our time began.
    pub(super) asked: Moment,
    pub(super) deadline: Option<Deadline>,
    /// Whether the answer must wait for `ponderhit` or `stop`.
    pub(super) pondering: bool,
    pub(super) group: usize,
    pub(super) voters: Vec<usize>,
    pub(super) hit: bool,
    pub(super) stage: Stage,
    pub(super) votes: BTreeMap<usize, Vote>,
    pub(super) values: Vec<(usize, Move, f64)>,
    /// When the first vote came.
    pub(super) first_vote: Option<Moment>,
    /// When the children were told to stop for good; answered a little later.
    pub(super) stopping: Option<Moment>,
    pub(super) proven: Option<Move>,
    pub(super) asked_mate: BTreeSet<usize>,
    /// How long a stopped child is waited for.
    pub(super) grace: Duration,
}

impl Search {
    /// Whether an answer may be given before `stop`.
    pub(super) fn may_end(&self) -> bool {
        !self.pondering && !self.go.infinite
    }

    pub(super) fn elapsed(&self, now: Moment) -> Duration {
        now.saturating_sub(self.asked)
    }

    /// When the children are to be told to stop, if nothing else happens.
    fn stop_time(&self) -> Option<Moment> {
        if !self.may_end() {
            return None;
        }
        let by_clock = self.deadline.map(|deadline| self.asked + deadline.stop);
        let factor = if self.deadline.is_some() { PATIENCE } else { PATIENCE_UNTIMED };
        let by_first = self.first_vote.filter(|_| self.stage == Stage::Opinions).map(|first| {
            let took = first.saturating_sub(self.asked);
            self.asked + took.mul_f64(factor).max(took + LEAST_PATIENCE)
        });
        match (by_clock, by_first) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// When to answer with what there is.
    pub(super) fn answer_time(&self) -> Option<Moment> {
        let after_stop = self.stopping.map(|stopped| stopped + self.grace);
        let by_clock = self.deadline.filter(|_| self.may_end()).map(|d| self.asked + d.answer);
        match (after_stop, by_clock) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    pub(super) fn wake(&self, now: Moment) -> Option<Moment> {
        let stop = if self.stopping.is_some() { None } else { self.stop_time() };
        // Without a clock somebody has to look whether anybody is still there.
        let untimed = (self.deadline.is_none() && self.may_end()).then(|| now + JOIN / 2);
        stop.into_iter().chain(self.answer_time()).chain(untimed).min()
    }
}

impl Master {
    pub(super) fn begin_search(&mut self, go: &Go) {
        self.searches += 1;
        let number = self.searches;
        let line = Arc::clone(&self.line);
        let reserve = self.reserve();
        let deadline = Deadline::of(go, line.position().turn(), line.position().ply(), reserve);
        let (group, voters, hit, early) = self.who_foresaw(&line);
        self.last_group = group;
        let slow = deadline.map_or(reserve.slow, |deadline| deadline.slow);
        let grace = slow.max(Duration::from_millis(20)) + Duration::from_millis(10);
        self.search = Some(Search {
            number,
            asked: self.now,
            deadline,
            pondering: go.ponder,
            group,
            hit,
            voters: self.chosen(group, voters, &line),
            go: go.clone(),
            line,
            stage: Stage::Opinions,
            votes: BTreeMap::new(),
            values: Vec::new(),
            first_vote: None,
            stopping: None,
            proven: None,
            asked_mate: BTreeSet::new(),
            grace,
        });
        self.claims.clear();
        self.take_over(number, go.ponder);
        for (child, vote) in early {
            self.vote(child, vote);
        }
        self.end_foresight();
    }

    /// Of a group that switches, the one who plays; of another, all.
    fn chosen(&self, group: usize, voters: Vec<usize>, line: &GameLine) -> Vec<usize> {
        let config = &self.config.groups[group];
        if config.consult != Consult::Switch {
            return voters;
        }
        let fits = |rule: &&Switch| rule.is_met(line.position(), self.win_rate);
        let chosen =
            config.switches.iter().find(fits).and_then(|rule| self.config.child(&rule.child));
        chosen.or(voters.first().copied()).into_iter().collect()
    }

    /// Children that ponder on this very position go on with it; the others are freed.
    fn take_over(&mut self, number: u64, pondering: bool) {
        let Some(search) = &self.search else { return };
        let (line, go, voters) =
            (Arc::clone(&search.line), search.go.clone(), search.voters.clone());
        let staged = self.is_staged();
        for index in 0..self.children.len() {
            let child = &mut self.children[index];
            let clocks = child.understands_clocks_at_hit();
            let goes_on = voters.contains(&index)
                && !staged
                && child.current_mut().is_some_and(|question| {
                    let same = question.task.purpose == Purpose::Ponder
                        && is_same(question.task.line.position(), line.position());
                    if same {
                        question.task.search = number;
                        if !pondering {
                            question.task.purpose = Purpose::Think;
                            question.sent = self.now;
                        }
                    }
                    same
                });
            if goes_on && !pondering {
                self.tell_hit(index, &go, clocks);
            } else if !goes_on {
                self.release(index);
            }
        }
    }

    fn tell_hit(&mut self, index: usize, go: &Go, clocks: bool) {
        let position = self.line.position();
        let times = if clocks && go.times.clocks().is_some() {
            let at = (position.turn(), position.ply());
            told(&go.times, at, Duration::ZERO, self.reserve())
        } else {
            Times::default()
        };
        self.send(index, &Command::PonderHit(times));
    }

    /// The interface says that what it had pondered on was played.
    pub(super) fn hit_of_interface(&mut self, times: &Times) -> bool {
        let reserve = self.reserve();
        let now = self.now;
        let Some(search) = self.search.as_mut().filter(|search| search.pondering) else {
            return false;
        };
        if times.clocks().is_some() {
            search.go.times = *times;
        }
        search.go.ponder = false;
        (search.pondering, search.asked) = (false, now);
        let position = search.line.position();
        search.deadline = Deadline::of(&search.go, position.turn(), position.ply(), reserve);
        search.grace = search.deadline.map_or(search.grace, |deadline| {
            deadline.slow.max(Duration::from_millis(20)) + Duration::from_millis(10)
        });
        search.hit = true;
        search.first_vote = (!search.votes.is_empty()).then_some(now);
        let (number, go) = (search.number, search.go.clone());
        for index in 0..self.children.len() {
            let child = &mut self.children[index];
            let clocks = child.understands_clocks_at_hit();
            let ponders = child.current_mut().is_some_and(|question| {
                let ours =
                    question.task.search == number && question.task.purpose == Purpose::Ponder;
                if ours {
                    question.task.purpose = Purpose::Think;
                }
                ours
            });
            if ponders {
                self.tell_hit(index, &go, clocks);
            }
        }
        true
    }

    /// Looks at the search: asks, stops, decides.
    pub(super) fn step_search(&mut self) {
        self.staff_search();
        let Some(search) = &self.search else { return };
        let now = self.now;
        if search.go.mate.is_none()
            && search.proven.is_some()
            && (search.may_end() || search.stopping.is_some())
        {
            return self.decide_now();
        }
        if search.answer_time().is_some_and(|time| time <= now) {
            return self.decide_now();
        }
        let ending = search.may_end() || search.stopping.is_some();
        if search.go.mate.is_some() {
            return;
        }
        let is_open = |index: &usize| self.children[*index].works_for(search.number);
        let open: Vec<usize> = search.voters.iter().copied().filter(is_open).collect();
        let stage_done = match &search.stage {
            Stage::Opinions => open.is_empty() || self.is_majority(&open),
            Stage::Exchange(_) => open.is_empty(),
            Stage::Arbiter(index) => !is_open(index),
        };
        let voted = search.voters.iter().any(|index| search.votes.contains_key(index));
        let guarded = self.with_role(Role::Guard).iter().any(is_open);
        let waits = !voted && (guarded || (search.stopping.is_none() && self.anybody_joins()));
        if ending && stage_done && !waits {
            if search.stopping.is_some() || !self.next_stage() {
                self.decide_now();
            }
            return;
        }
        let silent = |&index: &usize| {
            self.children[index].silent_since().is_some_and(|since| since + SILENCE <= now)
        };
        let hung = search.deadline.is_none() && search.may_end();
        let hung = hung && !open.is_empty() && open.iter().all(silent);
        let over = hung || search.stop_time().is_some_and(|time| time <= now);
        if search.stopping.is_none() && over {
            let more = self.first_stage_is_over();
            if !more {
                self.stop_search();
            }
        }
    }

    /// Whether somebody who may vote, or the guard, is about to be ready.
    fn anybody_joins(&self) -> bool {
        let Some(search) = &self.search else { return false };
        let patient = search.deadline.is_some() || search.elapsed(self.now) < JOIN;
        let guards = self.with_role(Role::Guard);
        let joins = |&index: &usize| match self.children[index].state {
            State::Starting { .. } | State::Introducing { .. } | State::Preparing { .. } => true,
            State::Down { until } => search.deadline.is_some_and(|d| until < search.asked + d.stop),
            State::Ready | State::Out => false,
        };
        patient && search.voters.iter().chain(&guards).any(joins)
    }

    fn is_majority(&self, open: &[usize]) -> bool {
        let Some(search) = &self.search else { return false };
        let group = &self.config.groups[search.group];
        if group.consult != Consult::Majority || search.voters.len() < 3 {
            return false;
        }
        let waiting: f64 = open.iter().map(|&i| self.children[i].config.weight).sum();
        is_settled(&self.opinions(), waiting)
    }

    /// One has waited long enough for the others: whether a second stage begins with what there is.
    fn first_stage_is_over(&mut self) -> bool {
        let Some(search) = &self.search else { return false };
        let hard = search.deadline.is_some_and(|d| search.asked + d.stop <= self.now);
        search.stage == Stage::Opinions && !hard && self.is_staged() && self.next_stage()
    }

    /// The interface, or the clock, wants an answer.
    pub(super) fn stop_search(&mut self) {
        let now = self.now;
        let Some(search) = &mut self.search else { return };
        if search.stopping.is_some() {
            return;
        }
        search.stopping = Some(now);
        let number = search.number;
        for index in 0..self.children.len() {
            if self.children[index].works_for(number) {
                self.stop_child(index);
            }
        }
        let open = (0..self.children.len()).any(|i| self.children[i].works_for(number));
        if !open {
            self.decide_now();
        }
    }

    /// A mate engine has answered.
    pub(super) fn mate_answered(
        &mut self,
        index: usize,
        question: &Question,
        answer: &MateAnswer,
        text: &str,
    ) {
        let Some(search) = self.search.as_ref().filter(|s| s.number == question.task.search) else {
            return;
        };
        let (number, for_interface) = (search.number, search.go.mate.is_some());
        if for_interface {
            // The first answer is as good as any; who cannot say leaves it to the others.
            let others =
                (0..self.children.len()).any(|i| i != index && self.children[i].works_for(number));
            let known = matches!(answer, MateAnswer::Mate(_) | MateAnswer::NoMate);
            if known || !others {
                self.search = None;
                self.actions.push(Action::Up(text.trim().to_owned()));
                (0..self.children.len()).for_each(|i| self.release(i));
            }
        } else if let MateAnswer::Mate(line) = answer
            && let Some(&first) = line.first()
        {
            self.verify(number, first);
        }
    }

    /// Ends a search for a mate without one.
    pub(super) fn give_up_mate(&mut self) {
        self.search = None;
        self.up(&Reply::Checkmate(Checkmate::Timeout));
        (0..self.children.len()).for_each(|i| self.release(i));
    }

    /// What `answer` is called.
    pub(super) fn text_of(&self, answer: Answer) -> String {
        match answer {
            Answer::Move(m) => m.usi(self.game),
            Answer::Resign => "resign".to_owned(),
            Answer::Win => "win".to_owned(),
        }
    }
}
