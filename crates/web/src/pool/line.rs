//! Who thinks next: seats shared fairly among visitors. No threads here, and time comes in.
//!
//! A seat is a thread that may search. Short questions (a move in a game, a hint) go first, mostly with
//! one seat; if none is free, a long one is sent back to the line at once. Long questions (analysis)
//! take as many free seats as they like; where others wait they give them up after a slice of time
//! and join the line again. Among those who wait, the visitor served longest ago goes first.

use std::collections::HashMap;
use std::time::Duration;
use think::Moment;

/// How long a long question keeps its seats while others wait.
pub(super) const SLICE: Duration = Duration::from_millis(400);

/// How long seats stand empty before a long question with too few is started anew with more.
const EMPTY: Duration = Duration::from_secs(2);

/// Names a question.
pub(super) type Id = u64;

/// A question.
#[derive(Clone, Debug)]
struct Member {
    id: Id,
    visitor: String,
    short: bool,
    wish: usize,
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

    /// How many short questions wait or run.
    pub(super) fn shorts(&self) -> usize {
        let running = self.running.iter().filter(|r| r.member.short).count();
        running + self.waiting.iter().filter(|m| m.short).count()
    }

    /// Whether nothing needs to be decided as time passes.
    pub(super) fn is_quiet(&self) -> bool {
        self.waiting.is_empty()
            && !self.running.iter().any(|r| !r.member.short && r.seats < r.member.wish)
    }

    /// A question joins.
    pub(super) fn join(&mut self, id: Id, visitor: &str, short: bool, wish: usize) {
        let wish = wish.clamp(1, self.seats);
        self.waiting.push(Member { id, visitor: visitor.to_owned(), short, wish });
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

    /// The place in the line of who goes next among short or long questions.
    fn next(&self, short: bool) -> Option<usize> {
        let key = |member: &Member| self.served.get(&member.visitor).copied().unwrap_or(0);
        (0..self.waiting.len())
            .filter(|&i| self.waiting[i].short == short)
            .min_by_key(|&i| (key(&self.waiting[i]), i))
    }

    /// How many wait before that one.
    pub(super) fn ahead(&self, id: Id) -> Option<usize> {
        self.waiting.iter().position(|m| m.id == id)
    }

    /// What is to be done now.
    pub(super) fn decide(&mut self, now: Moment) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while self.free() > 0
            && let Some(place) = self.next(true)
        {
            let share = self.free() / self.waiting.iter().filter(|m| m.short).count().max(1);
            let seats = share.max(1).min(self.waiting[place].wish);
            decisions.push(self.start(place, seats, now));
        }
        let shorts = self.waiting.iter().filter(|m| m.short).count();
        if shorts > 0 {
            self.park(shorts, now, Duration::ZERO, &mut decisions);
            return decisions;
        }
        while self.free() > 0
            && let Some(place) = self.next(false)
        {
            let share = (self.free() / self.waiting.len()).max(1);
            let seats = share.min(self.waiting[place].wish);
            decisions.push(self.start(place, seats, now));
        }
        let longs = self.waiting.len();
        if longs > 0 {
            self.park(longs, now, SLICE, &mut decisions);
        } else {
            self.spread(now, &mut decisions);
        }
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

    /// Sends long questions that have run for `least` back to the line until `wanted` seats will be
    /// free: first those of whoever holds most.
    fn park(&mut self, wanted: usize, now: Moment, least: Duration, out: &mut Vec<Decision>) {
        let coming: usize = self.running.iter().filter(|r| r.parking).map(|r| r.seats).sum();
        let mut missing = wanted.saturating_sub(coming);
        while missing > 0 {
            let mut held: HashMap<&str, usize> = HashMap::new();
            for running in self.running.iter().filter(|r| !r.member.short && !r.parking) {
                *held.entry(&running.member.visitor).or_default() += running.seats;
            }
            let candidate = (0..self.running.len())
                .filter(|&i| {
                    let r = &self.running[i];
                    !r.member.short && !r.parking && now.saturating_sub(r.since) >= least
                })
                .max_by_key(|&i| {
                    let r = &self.running[i];
                    (held.get(r.member.visitor.as_str()).copied(), now.saturating_sub(r.since))
                });
            let Some(place) = candidate else { return };
            let running = &mut self.running[place];
            running.parking = true;
            missing = missing.saturating_sub(running.seats);
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
        let wants = |r: &&mut Running| !r.member.short && !r.parking && r.seats < r.member.wish;
        if let Some(running) = self.running.iter_mut().find(wants) {
            running.parking = true;
            self.empty = None;
            out.push(Decision::Park(running.member.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decision::{Park, Start};
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn short_questions_are_served_in_turn_of_visitors() {
        let mut line = Line::new(1);
        for id in 1..=3 {
            line.join(id, "greedy", true, 1);
        }
        line.join(4, "modest", true, 1);
        assert_eq!(line.decide(ms(0)), [Start(1, 1)]);
        assert_eq!(line.decide(ms(1)), []);
        line.leave(1);
        assert_eq!(line.decide(ms(2)), [Start(4, 1)], "who was not served yet goes first");
        line.leave(4);
        assert_eq!(line.decide(ms(3)), [Start(2, 1)]);
        assert_eq!((line.ahead(3), line.ahead(2)), (Some(0), None));
    }

    #[test]
    fn a_game_does_not_wait_for_an_analysis() {
        let mut line = Line::new(2);
        line.join(1, "a", false, 8);
        assert_eq!(line.decide(ms(0)), [Start(1, 2)], "all there are");
        line.join(2, "b", true, 1);
        assert_eq!(line.decide(ms(1)), [Park(1)]);
        assert_eq!(line.decide(ms(2)), [], "one request is enough");
        line.parked(1);
        assert_eq!(line.decide(ms(3)), [Start(2, 1), Start(1, 1)]);
    }

    #[test]
    fn analyses_share_the_seats() {
        let mut line = Line::new(2);
        line.join(1, "a", false, 2);
        assert_eq!(line.decide(ms(0)), [Start(1, 2)]);
        line.join(2, "b", false, 2);
        assert_eq!(line.decide(ms(10)), [], "its slice is not over");
        assert_eq!(line.decide(SLICE), [Park(1)]);
        line.parked(1);
        assert_eq!(line.decide(SLICE), [Start(2, 1), Start(1, 1)]);
        assert_eq!(line.decide(SLICE * 9), [], "nobody waits");
    }

    #[test]
    fn three_on_one_seat_take_turns() {
        let mut line = Line::new(1);
        for (id, visitor) in [(1, "a"), (2, "b"), (3, "c")] {
            line.join(id, visitor, false, 1);
        }
        let mut order = Vec::new();
        let mut now = ms(0);
        for _ in 0..30 {
            for decision in line.decide(now) {
                match decision {
                    Start(id, 1) => order.push(id),
                    Start(..) => panic!("there is one seat"),
                    Park(id) => line.parked(id),
                }
            }
            now += SLICE / 2;
        }
        assert_eq!(order[..6], [1, 2, 3, 1, 2, 3]);
    }

    #[test]
    fn empty_seats_are_found_a_use() {
        let mut line = Line::new(2);
        line.join(1, "a", false, 2);
        line.join(2, "b", false, 2);
        assert_eq!(line.decide(ms(0)), [Start(1, 1), Start(2, 1)]);
        line.leave(2);
        assert_eq!(line.decide(ms(10)), []);
        assert!(!line.is_quiet());
        assert_eq!(line.decide(ms(10) + EMPTY), [Park(1)]);
        line.parked(1);
        assert_eq!(line.decide(ms(20) + EMPTY), [Start(1, 2)]);
        assert!(line.is_quiet());
    }

    #[test]
    fn who_leaves_the_line_is_gone() {
        let mut line = Line::new(1);
        line.join(1, "a", true, 1);
        line.join(2, "a", true, 1);
        line.leave(2);
        assert_eq!(line.decide(ms(0)), [Start(1, 1)]);
        line.leave(1);
        line.parked(1);
        assert_eq!(line.decide(ms(0)), []);
        assert_eq!(line.shorts(), 0);
    }
}
