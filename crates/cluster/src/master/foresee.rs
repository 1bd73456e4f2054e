//! The opponent's replies and who ponders on which.

use super::decision::Vote;
use super::{Master, is_same};
use crate::child::{Purpose, Task};
use crate::config::{By, Role};
use crate::replies::{Reply, allot, by_rank, by_score};
use engines::GameLine;
use rules::Move;
use std::sync::Arc;
use std::time::Duration;
use think::{Moment, Score};

/// What the opponent may do.
pub(super) struct Foresight {
    /// The game with the opponent to move.
    base: Arc<GameLine>,
    since: Moment,
    /// Likely replies, likeliest first.
    replies: Vec<Reply>,
    /// What each group ponders on.
    held: Vec<Option<Held>>,
    /// Until when a player predicts before it ponders.
    predicting: Option<Moment>,
    /// Answers given while pondering, by children that do not wait.
    early: Vec<(usize, Arc<GameLine>, Vote)>,
}

/// What a group ponders on.
struct Held {
    reply: Move,
    line: Arc<GameLine>,
    since: Moment,
}

impl Foresight {
    /// Likely replies, likeliest first.
    pub(super) fn replies(&self) -> &[Reply] {
        &self.replies
    }

    /// What a group ponders on.
    pub(super) fn held_by(&self, group: usize) -> Option<Move> {
        self.held.get(group)?.as_ref().map(|held| held.reply)
    }

    /// A child has answered before it was asked to.
    pub(super) fn early(&mut self, child: usize, line: &Arc<GameLine>, vote: Vote) {
        self.early.push((child, Arc::clone(line), vote));
    }

    /// A child has ended: what it had answered does not count.
    pub(super) fn forget_child(&mut self, child: usize) {
        self.early.retain(|(early, ..)| *early != child);
    }
}

/// Who thinks about a position: the group in charge, the voters, whether it was foreseen, and what
/// has been answered already.
type Foreseen = (usize, Vec<usize>, bool, Vec<(usize, Vote)>);

impl Master {
    /// The groups that ponder on this position, else the first.
    pub(super) fn who_foresaw(&self, line: &GameLine) -> Foreseen {
        let miss = (0, self.groups[0].clone(), false, Vec::new());
        let Some(foresight) = &self.foresight else { return miss };
        let fits = |held: &Held| is_same(held.line.position(), line.position());
        let groups: Vec<usize> = (0..self.groups.len())
            .filter(|&group| foresight.held[group].as_ref().is_some_and(fits))
            .filter(|&group| self.groups[group].iter().any(|&i| self.children[i].is_ready()))
            .collect();
        let Some(&first) = groups.first() else { return miss };
        let voters: Vec<usize> = groups.iter().flat_map(|&g| self.groups[g].clone()).collect();
        let early = foresight.early.iter().filter(|(child, at, _)| {
            voters.contains(child) && is_same(at.position(), line.position())
        });
        let early = early.map(|(child, _, vote)| (*child, vote.clone())).collect();
        (first, voters, true, early)
    }

    /// The opponent is to move after `base`, or will be if we play what we may.
    pub(super) fn begin_foresight(&mut self, base: Arc<GameLine>, reply: Option<Move>) {
        if let Some(foresight) = &self.foresight {
            if is_same(foresight.base.position(), base.position()) {
                return;
            }
            self.end_foresight();
        }
        if base.position().is_mated() || base.position().repetition().is_some() {
            return;
        }
        let likely = reply.filter(|&reply| base.position().is_legal(reply));
        let busy = self.search.as_ref().map(|search| search.voters.clone()).unwrap_or_default();
        let predicting = self.config.ponder.as_ref().and_then(|ponder| {
            let index = self.config.child(&ponder.predictor)?;
            let shared = self.children[index].role() == Role::Player && !busy.contains(&index);
            shared.then(|| self.now + Duration::from_millis(ponder.predict))
        });
        self.foresight = Some(Foresight {
            base,
            since: self.now,
            replies: likely.map(|reply| Reply { reply, chance: 1.0 }).into_iter().collect(),
            held: self.groups.iter().map(|_| None).collect(),
            predicting,
            early: Vec::new(),
        });
    }

    pub(super) fn end_foresight(&mut self) {
        if self.foresight.take().is_none() {
            return;
        }
        for index in 0..self.children.len() {
            let child = &mut self.children[index];
            child.next = child.next.take().filter(|task| task.search != 0);
            if child.current().is_some_and(|question| question.task.search == 0) {
                let next = child.next.take();
                self.stop_child(index);
                self.children[index].next = next;
            }
        }
    }

    /// The predictor has something to say: the replies by its scores.
    pub(super) fn predicted(&mut self, index: usize) {
        let Some(foresight) = &mut self.foresight else { return };
        let Some(question) = self.children[index].current() else { return };
        if !is_same(question.task.line.position(), foresight.base.position()) {
            return;
        }
        let scored = question.lines.iter().filter_map(|info| {
            let value = match info.score?.0 {
                Score::Cp(cp) => f64::from(cp),
                Score::Mate(_) => 30_000.0,
                Score::Mated(plies) => -30_000.0 + f64::from(plies.unwrap_or(0)),
            };
            Some((*info.pv.first()?, value))
        });
        let scored: Vec<(Move, f64)> = scored.collect();
        if scored.is_empty() {
            return;
        }
        let ordered = self.config.ponder.as_ref().is_some_and(|ponder| ponder.by == By::Rank);
        foresight.replies = if ordered {
            by_rank(&scored.iter().map(|line| line.0).collect::<Vec<Move>>())
        } else {
            by_score(&scored)
        };
    }

    /// Looks at who ponders on what.
    pub(super) fn step_foresight(&mut self) {
        self.look_ahead();
        self.predict();
        self.allot_groups();
    }

    /// While we think: those who do not, ponder on replies to the move we may play.
    fn look_ahead(&mut self) {
        let Some(ponder) = self.config.ponder.as_ref().filter(|p| p.ahead && self.ponders) else {
            return;
        };
        let dwell = Duration::from_millis(ponder.dwell);
        let Some(search) = &self.search else { return };
        if search.pondering
            || search.elapsed(self.now) < dwell
            || search.voters.len() == self.players()
        {
            return;
        }
        let line = search.voters.iter().find_map(|&index| {
            let question = self.children[index].current()?;
            let pv = &question.lines.first()?.pv;
            (question.task.search == search.number)
                .then(|| (pv.first().copied(), pv.get(1).copied()))
        });
        let Some((Some(own), reply)) = line else { return };
        let mut base = (*search.line).clone();
        base.play(own);
        let changed = match &self.foresight {
            None => true,
            Some(foresight) => {
                let same = is_same(foresight.base.position(), base.position());
                !same && self.now >= foresight.since + dwell
            }
        };
        if changed {
            self.begin_foresight(Arc::new(base), reply);
        }
    }

    fn players(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// Has the predictor predict.
    fn predict(&mut self) {
        let Some(foresight) = &mut self.foresight else { return };
        let Some(ponder) = &self.config.ponder else { return };
        let Some(index) = self.config.child(&ponder.predictor) else { return };
        let dedicated = self.children[index].role() == Role::Predictor;
        if foresight.predicting.is_some_and(|until| until <= self.now) {
            foresight.predicting = None;
        }
        if !dedicated && foresight.predicting.is_none() {
            return;
        }
        let base = Arc::clone(&foresight.base);
        let child = &self.children[index];
        let mut tasks = child.current().map(|q| &q.task).into_iter().chain(&child.next);
        let at_it = tasks.any(|task| {
            task.purpose == Purpose::Predict && is_same(task.line.position(), base.position())
        });
        if !at_it {
            self.assign(index, Task { purpose: Purpose::Predict, line: base, search: 0 });
        }
    }

    /// Gives every free group a reply to ponder on.
    fn allot_groups(&mut self) {
        let Some(foresight) = &self.foresight else { return };
        let busy = self.search.as_ref().map(|search| search.voters.clone()).unwrap_or_default();
        let predictor = foresight.predicting.and(self.config.ponder.as_ref());
        let predictor = predictor.and_then(|ponder| self.config.child(&ponder.predictor));
        let is_free = |group: &usize| {
            let members = &self.groups[*group];
            let taken = |i: &usize| busy.contains(i) || Some(*i) == predictor;
            !members.iter().any(taken) && members.iter().any(|&i| self.children[i].is_ready())
        };
        let free: Vec<usize> = (0..self.groups.len()).filter(is_free).collect();
        let playable: Vec<Reply> = foresight
            .replies
            .iter()
            .copied()
            .filter(|reply| line_after(&foresight.base, reply.reply).is_some())
            .collect();
        let mut wanted = allot(&playable, free.len());
        let dwell = self.config.ponder.as_ref().map_or(0, |ponder| ponder.dwell);
        let mut open = Vec::new();
        for &group in &free {
            let held = foresight.held[group].as_ref();
            let place = held.and_then(|held| wanted.iter().position(|&m| m == held.reply));
            match (held, place) {
                (_, Some(place)) => {
                    wanted.remove(place);
                }
                (Some(held), None) if self.now < held.since + Duration::from_millis(dwell) => {}
                _ => open.push(group),
            }
        }
        for (group, reply) in open.into_iter().zip(wanted) {
            if let Some(foresight) = &mut self.foresight
                && let Some(line) = line_after(&foresight.base, reply)
            {
                foresight.held[group] = Some(Held { reply, line, since: self.now });
            }
        }
        for group in free {
            self.staff_group(group);
        }
    }

    /// Has the members of a group ponder on what it holds.
    fn staff_group(&mut self, group: usize) {
        let Some(foresight) = &self.foresight else { return };
        let Some(held) = &foresight.held[group] else { return };
        let line = Arc::clone(&held.line);
        for index in self.groups[group].clone() {
            let child = &self.children[index];
            let mut tasks = child.current().map(|q| &q.task).into_iter().chain(&child.next);
            let at_it =
                tasks.any(|task| task.purpose == Purpose::Ponder && Arc::ptr_eq(&task.line, &line));
            let done = self.foresight.as_ref().is_some_and(|foresight| {
                foresight
                    .early
                    .iter()
                    .any(|(early, at, _)| *early == index && Arc::ptr_eq(at, &line))
            });
            if !at_it && !done {
                let line = Arc::clone(&line);
                self.assign(index, Task { purpose: Purpose::Ponder, line, search: 0 });
            }
        }
    }
}

/// The game after a reply; `None` where it cannot be played or leaves nothing to think about.
fn line_after(base: &GameLine, reply: Move) -> Option<Arc<GameLine>> {
    if !base.position().is_legal(reply) {
        return None;
    }
    let mut line = base.clone();
    line.play(reply);
    let over = line.position().is_mated() || line.position().repetition().is_some();
    (!over).then(|| Arc::new(line))
}
