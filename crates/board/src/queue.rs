//! Who thinks next: slots shared fairly among visitors. No threads here, and time comes in.
//!
//! A slot is a thread that may search. Moves go first, the one due first before the others; where no
//! slot is free, an analysis is sent back to the queue at once, and so is a heavy move that is due later.
//! Who has several waiting is due later with each. Long questions take as many free slots as they
//! like; where others wait they give them up after a slice of time; the visitor served longest ago
//! goes first.

use std::collections::HashMap;
use std::time::Duration;
use think::Moment;

/// How long a long question keeps its slots while others wait.
pub const SLICE: Duration = Duration::from_millis(400);

/// How long slots stand empty before a long question with too few is started anew with more.
const EMPTY: Duration = Duration::from_secs(2);

/// By how much each further question of a visitor is due later.
const MANNERS: Duration = Duration::from_millis(250);

/// Names a question.
pub type Id = u64;

/// What kind of question it is, the most urgent first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Priority {
    /// Answered in a moment.
    Quick,
    /// Takes its time, but somebody waits for the move.
    Heavy,
    /// Goes on until it is stopped.
    Long,
}

/// A question.
#[derive(Clone, Debug)]
struct Entry {
    id: Id,
    visitor: String,
    priority: Priority,
    wanted: usize,
    due: Moment,
}

#[derive(Clone, Debug)]
struct Running {
    entry: Entry,
    slots: usize,
    since: Moment,
    pausing: bool,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Begin, with that many slots.
    Start(Id, usize),
    /// Stop for now; it joins the queue again by [`Queue::paused`].
    Pause(Id),
}

/// Questions that wait for an engine, the most urgent first.
#[derive(Debug)]
pub struct Queue {
    slots: usize,
    waiting: Vec<Entry>,
    running: Vec<Running>,
    /// When each visitor was last served, as a count.
    served: HashMap<String, u64>,
    count: u64,
    /// Since when slots stand empty while nobody waits.
    empty: Option<Moment>,
}

impl Queue {
    /// An empty queue.
    pub fn new(slots: usize) -> Self {
        Self {
            slots: slots.max(1),
            waiting: Vec::new(),
            running: Vec::new(),
            served: HashMap::new(),
            count: 0,
            empty: None,
        }
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.waiting.iter().chain(self.running.iter().map(|r| &r.entry))
    }

    /// How many questions of that priority or a more urgent one wait or run.
    pub fn contenders(&self, priority: Priority) -> usize {
        self.entries().filter(|m| m.priority <= priority && m.priority != Priority::Long).count()
    }

    /// Whether nothing needs to be decided as time passes.
    pub fn is_quiet(&self) -> bool {
        self.waiting.is_empty()
            && !self
                .running
                .iter()
                .any(|r| r.entry.priority == Priority::Long && r.slots < r.entry.wanted)
    }

    /// A question joins; `due` is when its answer is wanted.
    pub fn join(&mut self, id: Id, visitor: &str, priority: Priority, wanted: usize, due: Moment) {
        let earlier = self.entries().filter(|m| m.visitor == visitor).count();
        let due = due + MANNERS * u32::try_from(earlier).unwrap_or(u32::MAX).min(1000);
        let wanted = wanted.clamp(1, self.slots);
        self.waiting.push(Entry { id, visitor: visitor.to_owned(), priority, wanted, due });
    }

    /// A question is answered or given up; it leaves wherever it is.
    pub fn leave(&mut self, id: Id) {
        self.waiting.retain(|m| m.id != id);
        self.running.retain(|r| r.entry.id != id);
        let here = |v: &String| {
            self.waiting.iter().any(|m| m.visitor == *v)
                || self.running.iter().any(|r| r.entry.visitor == *v)
        };
        // Who has gone is forgotten once there are many: the queue does not grow for ever.
        if self.served.len() > 1000 {
            let gone: Vec<String> = self.served.keys().filter(|v| !here(v)).cloned().collect();
            gone.iter().for_each(|v| {
                self.served.remove(v);
            });
        }
    }

    /// A question that was to be paused has stopped: it waits again.
    pub fn paused(&mut self, id: Id) {
        if let Some(place) = self.running.iter().position(|r| r.entry.id == id) {
            let running = self.running.remove(place);
            self.waiting.push(running.entry);
        }
    }

    fn free(&self) -> usize {
        self.slots.saturating_sub(self.running.iter().map(|r| r.slots).sum())
    }

    /// The place in the queue of the move that is due first.
    fn next_move(&self) -> Option<usize> {
        (0..self.waiting.len())
            .filter(|&i| self.waiting[i].priority != Priority::Long)
            .min_by_key(|&i| (self.waiting[i].due, i))
    }

    /// The place in the queue of the long question that goes next.
    fn next_long(&self) -> Option<usize> {
        let served = |entry: &Entry| self.served.get(&entry.visitor).copied().unwrap_or(0);
        (0..self.waiting.len())
            .filter(|&i| self.waiting[i].priority == Priority::Long)
            .min_by_key(|&i| (served(&self.waiting[i]), i))
    }

    /// How many wait before that one.
    pub fn ahead(&self, id: Id) -> Option<usize> {
        self.waiting.iter().position(|m| m.id == id)
    }

    /// What is to be done now.
    pub fn decide(&mut self, now: Moment) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while self.free() > 0
            && let Some(place) = self.next_move()
        {
            let slots = self.share(place);
            decisions.push(self.start(place, slots, now));
        }
        let moves = self.waiting.iter().filter(|m| m.priority != Priority::Long).count();
        if moves > 0 {
            self.pause_longs(moves, now, Duration::ZERO, &mut decisions);
            self.give_way(now, &mut decisions);
            return decisions;
        }
        while self.free() > 0
            && let Some(place) = self.next_long()
        {
            let slots = self.share(place);
            decisions.push(self.start(place, slots, now));
        }
        match self.waiting.len() {
            0 => self.spread(now, &mut decisions),
            longs => self.pause_longs(longs, now, SLICE, &mut decisions),
        }
        decisions
    }

    /// Seats for somebody who waits: what is free, divided among those of its priority.
    fn share(&self, place: usize) -> usize {
        let entry = &self.waiting[place];
        let rivals = self.waiting.iter().filter(|m| m.priority == entry.priority).count();
        (self.free() / rivals.max(1)).max(1).min(entry.wanted)
    }

    fn start(&mut self, place: usize, slots: usize, now: Moment) -> Decision {
        let entry = self.waiting.remove(place);
        self.count += 1;
        self.served.insert(entry.visitor.clone(), self.count);
        let id = entry.id;
        self.running.push(Running { entry, slots, since: now, pausing: false });
        Decision::Start(id, slots)
    }

    /// Sends long questions that have run for `least` back to the queue until `wanted` slots will be
    /// free: first those of whoever holds most.
    fn pause_longs(
        &mut self,
        wanted: usize,
        now: Moment,
        least: Duration,
        out: &mut Vec<Decision>,
    ) {
        let coming: usize = self.running.iter().filter(|r| r.pausing).map(|r| r.slots).sum();
        let mut missing = wanted.saturating_sub(coming);
        let yields = |r: &Running| r.entry.priority == Priority::Long && !r.pausing;
        while missing > 0 {
            let mut held: HashMap<&str, usize> = HashMap::new();
            for running in self.running.iter().filter(|r| yields(r)) {
                *held.entry(&running.entry.visitor).or_default() += running.slots;
            }
            let age = |r: &Running| now.saturating_sub(r.since);
            let candidate = (0..self.running.len())
                .filter(|&i| yields(&self.running[i]) && age(&self.running[i]) >= least)
                .max_by_key(|&i| {
                    let r = &self.running[i];
                    (held.get(r.entry.visitor.as_str()).copied(), age(r))
                });
            let Some(place) = candidate else { return };
            let running = &mut self.running[place];
            running.pausing = true;
            missing = missing.saturating_sub(running.slots);
            out.push(Decision::Pause(running.entry.id));
        }
    }

    /// A heavy move gives way to one that is due sooner: to a quick one at once, to another heavy one
    /// after a while.
    fn give_way(&mut self, now: Moment, out: &mut Vec<Decision>) {
        if self.running.iter().any(|r| r.pausing) {
            return;
        }
        let Some(first) = self.next_move() else { return };
        let (due, quick) =
            (self.waiting[first].due, self.waiting[first].priority == Priority::Quick);
        let least = if quick { Duration::ZERO } else { SLICE / 2 };
        let later = self
            .running
            .iter_mut()
            .filter(|r| r.entry.priority == Priority::Heavy && r.entry.due > due)
            .filter(|r| now.saturating_sub(r.since) >= least)
            .max_by_key(|r| r.entry.due);
        if let Some(running) = later {
            running.pausing = true;
            out.push(Decision::Pause(running.entry.id));
        }
    }

    /// Gives slots that stand empty to a long question that asked for more.
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
            r.entry.priority == Priority::Long && !r.pausing && r.slots < r.entry.wanted
        };
        if let Some(running) = self.running.iter_mut().find(wants) {
            running.pausing = true;
            self.empty = None;
            out.push(Decision::Pause(running.entry.id));
        }
    }
}

#[cfg(test)]
mod tests;
