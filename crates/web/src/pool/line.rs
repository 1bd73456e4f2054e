//! Who thinks next: seats shared fairly among visitors. No threads here, and time comes in.
//!
//! A seat is a thread that may search. Quick questions (a move of a weak player) go first, then moves
//! that take their time, then long questions (analysis). Where no seat is free for one, somebody of
//! a lower class is sent back to the line at once. Among moves the one due first goes first, also in
//! place of one that runs and is due later, and who has several waiting is due later with each. Long questions take as many free seats as they like;
//! where others wait they give them up after a slice of time; the visitor served longest ago goes
//! first.

use std::collections::HashMap;
use std::time::Duration;
use think::Moment;

/// How long a long question keeps its seats while others wait.
pub(super) const SLICE: Duration = Duration::from_millis(400);

/// How long seats stand empty before a long question with too few is started anew with more.
const EMPTY: Duration = Duration::from_secs(2);

/// By how much each further question of a visitor is due later.
const MANNERS: Duration = Duration::from_millis(250);

/// Names a question.
pub(super) type Id = u64;

/// What kind of question it is, the most urgent first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Answered in a moment.
    Quick,
    /// Takes its time, but somebody waits for the move.
    Heavy,
    /// Goes on until it is stopped.
    Long,
}

/// A question.
#[derive(Clone, Debug)]
struct Member {
    id: Id,
    visitor: String,
    class: Class,
    wish: usize,
    due: Moment,
}

#[derive(Clone, Debug)]
struct Running {
    member: Member,
    seats: usize,
    since: Moment,
    parking: bool,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// Begin, with that many seats.
    Start(Id, usize),
    /// Stop for now; it joins the line again by [`Line::parked`].
    Park(Id),
}

/// The line.
#[derive(Debug)]
pub(super) struct Line {
    seats: usize,
    waiting: Vec<Member>,
    running: Vec<Running>,
    /// When each visitor was last served, as a count.
    served: HashMap<String, u64>,
    count: u64,
    /// Since when seats stand empty while nobody waits.
    empty: Option<Moment>,
}

impl Line {
    pub(super) fn new(seats: usize) -> Self {
        Self {
            seats: seats.max(1),
            waiting: Vec::new(),
            running: Vec::new(),
            served: HashMap::new(),
            count: 0,
            empty: None,
        }
    }

    fn members(&self) -> impl Iterator<Item = &Member> {
        self.waiting.iter().chain(self.running.iter().map(|r| &r.member))
    }

    /// How many questions of that class or a more urgent one wait or run.
    pub(super) fn crowd(&self, class: Class) -> usize {
        self.members().filter(|m| m.class <= class && m.class != Class::Long).count()
    }

    /// Whether nothing needs to be decided as time passes.
    pub(super) fn is_quiet(&self) -> bool {
        self.waiting.is_empty()
            && !self
                .running
                .iter()
                .any(|r| r.member.class == Class::Long && r.seats < r.member.wish)
    }

    /// A question joins; `due` is when its answer is wanted.
    pub(super) fn join(&mut self, id: Id, visitor: &str, class: Class, wish: usize, due: Moment) {
        let earlier = self.members().filter(|m| m.visitor == visitor).count();
        let due = due + MANNERS * u32::try_from(earlier).unwrap_or(u32::MAX).min(1000);
        let wish = wish.clamp(1, self.seats);
        self.waiting.push(Member { id, visitor: visitor.to_owned(), class, wish, due });
    }

    /// A question is answered or given up; it leaves wherever it is.
    pub(super) fn leave(&mut self, id: Id) {
        self.waiting.retain(|m| m.id != id);
        self.running.retain(|r| r.member.id != id);
        let here = |v: &String| {
            self.waiting.iter().any(|m| m.visitor == *v)
                || self.running.iter().any(|r| r.member.visitor == *v)
        };
        // Who has gone is forgotten once there are many: the line does not grow for ever.
        if self.served.len() > 1000 {
            let gone: Vec<String> = self.served.keys().filter(|v| !here(v)).cloned().collect();
            gone.iter().for_each(|v| {
                self.served.remove(v);
            });
        }
    }

    /// A question that was to be parked has stopped: it waits again.
    pub(super) fn parked(&mut self, id: Id) {
        if let Some(place) = self.running.iter().position(|r| r.member.id == id) {
            let running = self.running.remove(place);
            self.waiting.push(running.member);
        }
    }

    fn free(&self) -> usize {
        self.seats.saturating_sub(self.running.iter().map(|r| r.seats).sum())
    }

    /// The place in the line of who goes next in a class.
    fn next(&self, class: Class) -> Option<usize> {
        let served = |member: &Member| self.served.get(&member.visitor).copied().unwrap_or(0);
        let order = |i: usize| match class {
            Class::Long => (Duration::ZERO, served(&self.waiting[i]), i),
            _ => (self.waiting[i].due, 0, i),
        };
        (0..self.waiting.len())
            .filter(|&i| self.waiting[i].class == class)
            .min_by_key(|&i| order(i))
    }

    /// How many wait before that one.
    pub(super) fn ahead(&self, id: Id) -> Option<usize> {
        self.waiting.iter().position(|m| m.id == id)
    }

    /// What is to be done now.
    pub(super) fn decide(&mut self, now: Moment) -> Vec<Decision> {
        let mut decisions = Vec::new();
        for class in [Class::Quick, Class::Heavy, Class::Long] {
            while self.free() > 0
                && let Some(place) = self.next(class)
            {
                let rivals = self.waiting.iter().filter(|m| m.class == class).count();
                let share = (self.free() / rivals.max(1)).max(1);
                let seats = share.min(self.waiting[place].wish);
                decisions.push(self.start(place, seats, now));
            }
            let left = self.waiting.iter().filter(|m| m.class == class).count();
            if left > 0 {
                let least = if class == Class::Long { SLICE } else { Duration::ZERO };
                self.park(class, left, now, least, &mut decisions);
                if class == Class::Heavy {
                    self.give_way(now, &mut decisions);
                }
                return decisions;
            }
        }
        self.spread(now, &mut decisions);
        decisions
    }

    fn start(&mut self, place: usize, seats: usize, now: Moment) -> Decision {
        let member = self.waiting.remove(place);
        self.count += 1;
        self.served.insert(member.visitor.clone(), self.count);
        let id = member.id;
        self.running.push(Running { member, seats, since: now, parking: false });
        Decision::Start(id, seats)
    }

    /// Sends questions of lower classes (long ones also for others of their kind) that have run for
    /// `least` back to the line until `wanted` seats will be free: the lowest class first, and in it
    /// those of whoever holds most.
    fn park(
        &mut self,
        class: Class,
        wanted: usize,
        now: Moment,
        least: Duration,
        out: &mut Vec<Decision>,
    ) {
        let coming: usize = self.running.iter().filter(|r| r.parking).map(|r| r.seats).sum();
        let mut missing = wanted.saturating_sub(coming);
        let yields = |r: &Running| {
            let lower = r.member.class > class || class == Class::Long;
            lower && r.member.class != Class::Quick && !r.parking
        };
        while missing > 0 {
            let mut held: HashMap<&str, usize> = HashMap::new();
            for running in self.running.iter().filter(|r| yields(r)) {
                *held.entry(&running.member.visitor).or_default() += running.seats;
            }
            let age = |r: &Running| now.saturating_sub(r.since);
            let candidate = (0..self.running.len())
                .filter(|&i| {
                    let r = &self.running[i];
                    yields(r)
                        && age(r) >= least
                        && (class != Class::Long || r.member.class == class)
                })
                .max_by_key(|&i| {
                    let r = &self.running[i];
                    (r.member.class, held.get(r.member.visitor.as_str()).copied(), age(r))
                });
            let Some(place) = candidate else { return };
            let running = &mut self.running[place];
            running.parking = true;
            missing = missing.saturating_sub(running.seats);
            out.push(Decision::Park(running.member.id));
        }
    }

    /// A move that is due later gives way to one that is due sooner, after a while.
    fn give_way(&mut self, now: Moment, out: &mut Vec<Decision>) {
        if self.running.iter().any(|r| r.parking) {
            return;
        }
        let Some(sooner) = self.next(Class::Heavy).map(|place| self.waiting[place].due) else {
            return;
        };
        let later = self
            .running
            .iter_mut()
            .filter(|r| r.member.class == Class::Heavy && r.member.due > sooner)
            .filter(|r| now.saturating_sub(r.since) >= SLICE / 2)
            .max_by_key(|r| r.member.due);
        if let Some(running) = later {
            running.parking = true;
            out.push(Decision::Park(running.member.id));
        }
    }

    /// Gives seats that stand empty to a long question that wished for more.
    fn spread(&mut self, now: Moment, out: &mut Vec<Decision>) {
        if self.free() == 0 {
            self.empty = None;
            return;
        }
        let since = *self.empty.get_or_insert(now);
        if now.saturating_sub(since) < EMPTY {
            return;
        }
        let wants = |r: &&mut Running| {
            r.member.class == Class::Long && !r.parking && r.seats < r.member.wish
        };
        if let Some(running) = self.running.iter_mut().find(wants) {
            running.parking = true;
            self.empty = None;
            out.push(Decision::Park(running.member.id));
        }
    }
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
