//! The opponent's replies and who ponders on which.

use super::decision::Vote;
use super::{Master, is_same};
use crate::child::{Child, Purpose, Task};
use crate::config::{By, Miss, Role};
use crate::replies::{Reply, allot, by_rank, by_score};
use engines::GameLine;
use rules::{AnyPosition, Move};
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
    /// Until when a player predicts before it ponders, when it does so again, and how long after that.
    predicting: Option<Moment>,
    again: Option<Moment>,
    pause: Duration,
    /// Positions after other moves we may play and a likely reply to each: for groups to spare.
    others: Vec<Aside>,
    /// Answers given while pondering, by children that do not wait.
    early: Vec<(usize, Arc<GameLine>, Vote)>,
}

/// What a group ponders on.
struct Held {
    /// The game before the reply.
    base: Arc<GameLine>,
    reply: Move,
    line: Arc<GameLine>,
    since: Moment,
}

/// A move we may play besides the likeliest, and a reply to it.
struct Aside {
    base: Arc<GameLine>,
    reply: Move,
}

/// Pauses between predictions of a player, as multiples of how long it predicts: first this one, then
/// always twice as long.
const FIRST_PAUSE: u32 = 10;

impl Foresight {
    /// Likely replies, likeliest first.
    pub(super) fn replies(&self) -> &[Reply] {
        &self.replies
    }

    /// The position the replies are to.
    pub(super) fn position(&self) -> &AnyPosition {
        self.base.position()
    }

    /// The position before the reply that a group ponders on as that line, and the reply.
    pub(super) fn held_as(&self, line: &Arc<GameLine>) -> Option<(&AnyPosition, Move)> {
        let held = self.held.iter().flatten().find(|held| Arc::ptr_eq(&held.line, line))?;
        Some((held.base.position(), held.reply))
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
        let unforeseen = match self.config.ponder.as_ref().map(|ponder| ponder.miss) {
            Some(Miss::Last) if self.can_think(self.last_group) => self.last_group,
            _ => 0,
        };
        let miss = (unforeseen, self.groups[unforeseen].clone(), false, Vec::new());
        let Some(foresight) = &self.foresight else { return miss };
        let fits = |held: &Held| is_same(held.line.position(), line.position());
        let groups: Vec<usize> = (0..self.groups.len())
            .filter(|&group| foresight.held[group].as_ref().is_some_and(fits))
            .filter(|&group| self.can_think(group))
            .collect();
        let Some(&first) = groups.first() else { return miss };
        let voters: Vec<usize> = groups.iter().flat_map(|&g| self.groups[g].clone()).collect();
        let early = foresight.early.iter().filter(|(child, at, _)| {
            voters.contains(child) && is_same(at.position(), line.position())
        });
        let early = early.map(|(child, _, vote)| (*child, vote.clone())).collect();
        (first, voters, true, early)
    }

    fn can_think(&self, group: usize) -> bool {
        self.groups[group].iter().any(|&index| self.children[index].is_ready())
    }

    /// The opponent is to move after `base`, or will be if we play what we may.
    pub(super) fn begin_foresight(&mut self, base: Arc<GameLine>, reply: Option<Move>) {
        let mut kept: Vec<Option<Held>> = self.groups.iter().map(|_| None).collect();
        if let Some(foresight) = &mut self.foresight {
            if is_same(foresight.base.position(), base.position()) {
                foresight.others.clear();
                return;
            }
            // Who had pondered on a reply to this very move goes on with it.
            for (place, held) in foresight.held.iter_mut().enumerate() {
                kept[place] = held.take_if(|held| is_same(held.base.position(), base.position()));
            }
            self.end_foresight_but(&kept);
        }
        if base.position().is_mated() || base.position().repetition().is_some() {
            return;
        }
        let likely = reply.filter(|&reply| base.position().is_legal(reply));
        let busy = self.search.as_ref().map(|search| search.voters.clone()).unwrap_or_default();
        let ponder = self.config.ponder.as_ref();
        let predict = Duration::from_millis(ponder.map_or(0, |ponder| ponder.predict));
        let pause = FIRST_PAUSE * predict;
        let shared = ponder.and_then(|ponder| self.config.child(&ponder.predictor));
        let shared = shared.filter(|&index| self.children[index].role() == Role::Player);
        // A player that thinks about our move predicts when it has.
        let free = shared.filter(|index| !busy.contains(index));
        let predicting = free.map(|_| self.now + predict);
        let again = shared.map(|_| predicting.map_or(self.now, |until| until + pause));
        self.foresight = Some(Foresight {
            base,
            since: self.now,
            replies: likely.map(|reply| Reply { reply, chance: 1.0 }).into_iter().collect(),
            held: kept,
            predicting,
            again,
            pause,
            others: Vec::new(),
            early: Vec::new(),
        });
    }

    pub(super) fn end_foresight(&mut self) {
        self.end_foresight_but(&[]);
    }

    /// Ends it for all but the groups that keep what they hold.
    fn end_foresight_but(&mut self, kept: &[Option<Held>]) {
        if self.foresight.take().is_none() {
            return;
        }
        let goes_on = |child: &Child| {
            let lines = kept.iter().flatten().map(|held| &held.line);
            let task = child.current().map(|question| &question.task).or(child.next.as_ref());
            task.is_some_and(|task| lines.into_iter().any(|line| Arc::ptr_eq(line, &task.line)))
        };
        for index in 0..self.children.len() {
            if goes_on(&self.children[index]) {
                continue;
            }
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
        // What everybody would play, and what would be replied: the first voter's move is the likeliest.
        let mut lines: Vec<(Move, Option<Move>)> = Vec::new();
        for &index in &search.voters {
            let Some(question) = self.children[index].current() else { continue };
            let Some(pv) = question.lines.first().map(|info| &info.pv) else { continue };
            if let (true, Some(&own)) = (question.task.search == search.number, pv.first())
                && !lines.iter().any(|(known, _)| *known == own)
            {
                lines.push((own, pv.get(1).copied()));
            }
        }
        let Some(&(own, reply)) = lines.first() else { return };
        let after = |own: Move| {
            let mut base = (*search.line).clone();
            base.play(own);
            Arc::new(base)
        };
        let asides = lines[1..].iter().filter_map(|&(own, reply)| Some((after(own), reply?)));
        let asides: Vec<Aside> = asides
            .filter(|(base, reply)| line_after(base, *reply).is_some())
            .map(|(base, reply)| Aside { base, reply })
            .collect();
        let base = after(own);
        let changed = match &self.foresight {
            None => true,
            Some(foresight) => {
                let same = is_same(foresight.base.position(), base.position());
                !same && self.now >= foresight.since + dwell
            }
        };
        if changed {
            self.begin_foresight(base, reply);
        }
        if let Some(foresight) = &mut self.foresight {
            foresight.others = asides;
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
        // A long think of the opponent's: the predictor looks again, ever more seldom.
        let busy = self.search.as_ref().is_some_and(|search| search.voters.contains(&index));
        if !busy && foresight.again.is_some_and(|again| again <= self.now) {
            let until = self.now + Duration::from_millis(ponder.predict);
            foresight.pause *= 2;
            foresight.predicting = Some(until);
            foresight.again = Some(until + foresight.pause);
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
            !members.iter().any(taken) && self.can_think(*group)
        };
        // Whoever thought last is given the likeliest reply: its hash table knows the way there.
        let last = self.last_group;
        let others = (0..self.groups.len()).filter(|&group| group != last);
        let free: Vec<usize> = std::iter::once(last).chain(others).filter(is_free).collect();
        let playable: Vec<Reply> = foresight
            .replies
            .iter()
            .copied()
            .filter(|reply| line_after(&foresight.base, reply.reply).is_some())
            .collect();
        // Half of the groups at most, and not the first of them, are for other moves of ours.
        let spare = foresight.others.len().min(free.len() / 2);
        let wanted = allot(&playable, free.len() - spare);
        let mut wanted: Vec<(Arc<GameLine>, Move)> =
            wanted.into_iter().map(|reply| (Arc::clone(&foresight.base), reply)).collect();
        let asides = foresight.others.iter().take(spare);
        wanted.extend(asides.map(|aside| (Arc::clone(&aside.base), aside.reply)));
        let dwell = self.config.ponder.as_ref().map_or(0, |ponder| ponder.dwell);
        let (mut open, mut staying): (Vec<usize>, Vec<&Held>) = (Vec::new(), Vec::new());
        for &group in &free {
            let held = foresight.held[group].as_ref();
            let is_it = |held: &Held, (base, reply): &(Arc<GameLine>, Move)| {
                *reply == held.reply && is_same(base.position(), held.base.position())
            };
            let place = held.and_then(|held| wanted.iter().position(|want| is_it(held, want)));
            // A reply that another group stays with can be left at once: nothing is lost with it.
            let is_alone = |held: &Held| {
                !staying.iter().any(|other| is_it(held, &(Arc::clone(&other.base), other.reply)))
            };
            match (held, place) {
                (Some(held), Some(place)) => {
                    wanted.remove(place);
                    staying.push(held);
                }
                (Some(held), None)
                    if self.now < held.since + Duration::from_millis(dwell) && is_alone(held) =>
                {
                    staying.push(held);
                }
                _ => open.push(group),
            }
        }
        for (group, (base, reply)) in open.into_iter().zip(wanted) {
            if let Some(foresight) = &mut self.foresight
                && let Some(line) = line_after(&base, reply)
            {
                foresight.held[group] = Some(Held { base, reply, line, since: self.now });
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
