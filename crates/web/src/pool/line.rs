//! Who thinks next: seats shared fairly among visitors. No threads here, and time comes in.
//!
//! A seat is a thread that may search. Moves go first, the one due first before the others; where no
//! seat is free, an analysis is sent back to the line at once, and so is a heavy move that is due later.
//! Who has several waiting is due later with each. Long questions take as many free seats as they
//! like; where others wait they give them up after a slice of time; the visitor served longest ago
//! goes first.

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

    /// The place in the line of the move that is due first.
    fn next_move(&self) -> Option<usize> {
        (0..self.waiting.len())
            .filter(|&i| self.waiting[i].class != Class::Long)
            .min_by_key(|&i| (self.waiting[i].due, i))
    }

    /// The place in the line of the long question that goes next.
    fn next_long(&self) -> Option<usize> {
        let served = |member: &Member| self.served.get(&member.visitor).copied().unwrap_or(0);
        (0..self.waiting.len())
            .filter(|&i| self.waiting[i].class == Class::Long)
            .min_by_key(|&i| (served(&self.waiting[i]), i))
    }

    /// How many wait before that one.
    pub(super) fn ahead(&self, id: Id) -> Option<usize> {
        self.waiting.iter().position(|m| m.id == id)
    }

    /// What is to be done now.
    pub(super) fn decide(&mut self, now: Moment) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while self.free() > 0
            && let Some(place) = self.next_move()
        {
            let seats = self.share(place);
            decisions.push(self.start(place, seats, now));
        }
        let moves = self.waiting.iter().filter(|m| m.class != Class::Long).count();
        if moves > 0 {
            self.park_longs(moves, now, Duration::ZERO, &mut decisions);
            self.give_way(now, &mut decisions);
            return decisions;
        }
        while self.free() > 0
            && let Some(place) = self.next_long()
        {
            let seats = self.share(place);
            decisions.push(self.start(place, seats, now));
        }
        match self.waiting.len() {
            0 => self.spread(now, &mut decisions),
            longs => self.park_longs(longs, now, SLICE, &mut decisions),
        }
        decisions
    }

    /// Seats for somebody who waits: what is free, divided among those of its class.
    fn share(&self, place: usize) -> usize {
        let member = &self.waiting[place];
        let rivals = self.waiting.iter().filter(|m| m.class == member.class).count();
        (self.free() / rivals.max(1)).max(1).min(member.wish)
    }

    fn start(&mut self, place: usize, seats: usize, now: Moment) -> Decision {
        let member = self.waiting.remove(place);
        self.count += 1;
        self.served.insert(member.visitor.clone(), self.count);
        let id = member.id;
        self.running.push(Running { member, seats, since: now, parking: false });
        Decision::Start(id, seats)
    }

    /// Sends long questions that have run for `least` back to the line until `wanted` seats will be
    /// free: first those of whoever holds most.
    fn park_longs(&mut self, wanted: usize, now: Moment, least: Duration, out: &mut Vec<Decision>) {
        let coming: usize = self.running.iter().filter(|r| r.parking).map(|r| r.seats).sum();
        let mut missing = wanted.saturating_sub(coming);
        let yields = |r: &Running| r.member.class == Class::Long && !r.parking;
        while missing > 0 {
            let mut held: HashMap<&str, usize> = HashMap::new();
            for running in self.running.iter().filter(|r| yields(r)) {
                *held.entry(&running.member.visitor).or_default() += running.seats;
            }
            let age = |r: &Running| now.saturating_sub(r.since);
            let candidate = (0..self.running.len())
                .filter(|&i| yields(&self.running[i]) && age(&self.running[i]) >= least)
                .max_by_key(|&i| {
                    let r = &self.running[i];
                    (held.get(r.member.visitor.as_str()).copied(), age(r))
                });
            let Some(place) = candidate else { return };
            let running = &mut self.running[place];
            running.parking = true;
            missing = missing.saturating_sub(running.seats);
            out.push(Decision::Park(running.member.id));
        }
    }

    /// A heavy move gives way to one that is due sooner: to a quick one at once, to another heavy one
    /// after a while.
    fn give_way(&mut self, now: Moment, out: &mut Vec<Decision>) {
        if self.running.iter().any(|r| r.parking) {
            return;
        }
        let Some(first) = self.next_move() else { return };
        let (due, quick) = (self.waiting[first].due, self.waiting[first].class == Class::Quick);
        let least = if quick { Duration::ZERO } else { SLICE / 2 };
        let later = self
            .running
            .iter_mut()
            .filter(|r| r.member.class == Class::Heavy && r.member.due > due)
            .filter(|r| now.saturating_sub(r.since) >= least)
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
