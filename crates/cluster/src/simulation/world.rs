//! Virtual time: everything that is on its way, in order.

use crate::event::{Action, Event, Incarnation};
use crate::journal::Entry;
use crate::master::Master;
use crate::verify::begins_mate;
use std::collections::BTreeMap;
use std::time::Duration;
use think::{Control, ManualTime, Moment};

/// Nodes of a verification: false mates are told, so that few suffice.
const NODES: u64 = 300;

/// What comes of a line, or of time.
pub(super) enum Effect {
    /// A line for the master, so long from now.
    Send(Duration, String),
    /// The child is to be asked about the question of that number, so long from now.
    Answer(Duration, u64),
    /// The process ends, so long from now.
    Die(Duration),
}

/// A child in virtual time.
pub(super) trait Actor {
    /// It is started anew.
    fn restart(&mut self);

    /// It is told a line.
    fn hear(&mut self, line: &str, now: Moment) -> Vec<Effect>;

    /// The moment it named in an [`Effect::Answer`] has come.
    fn due(&mut self, question: u64, now: Moment) -> Vec<Effect>;

    /// What a line takes on its way.
    fn lag(&self) -> Duration;
}

/// Something on its way.
enum Transit {
    ToMaster(Event),
    ToChild(Incarnation, String),
    Answer(Incarnation, u64),
    Dies(Incarnation),
}

/// A master and its children.
pub(super) struct World<A> {
    pub(super) now: Moment,
    master: Master,
    transit: BTreeMap<(Moment, u64), Transit>,
    sequence: u64,
    pub(super) actors: Vec<A>,
    incarnations: Vec<Option<Incarnation>>,
    /// When the latest line each way arrives: lines do not overtake each other.
    latest: Vec<[Moment; 2]>,
    /// Lines for the interface not yet read.
    pub(super) up: Vec<String>,
    pub(super) log: Vec<Entry>,
}

impl<A: Actor> World<A> {
    pub(super) fn new(master: Master, actors: Vec<A>) -> Self {
        let count = actors.len();
        Self {
            now: Moment::ZERO,
            master,
            transit: BTreeMap::new(),
            sequence: 0,
            actors,
            incarnations: vec![None; count],
            latest: vec![[Moment::ZERO; 2]; count],
            up: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Says a line to the master.
    pub(super) fn say(&mut self, line: &str) {
        self.give(Event::Gui(line.to_owned()));
    }

    /// Lets everything happen until that moment, or until `done`.
    pub(super) fn run(&mut self, until: Moment, done: impl Fn(&[String]) -> bool) {
        while !done(&self.up) {
            let wake = self.master.wake().map(|wake| wake.max(self.now));
            let next = self.transit.keys().next().map(|key| key.0);
            let at = match (wake, next) {
                (Some(wake), Some(next)) => wake.min(next),
                (wake, next) => match wake.or(next) {
                    Some(at) => at,
                    None => break,
                },
            };
            if at > until {
                break;
            }
            self.now = self.now.max(at);
            match self.transit.first_entry().filter(|entry| entry.key().0 <= self.now) {
                Some(entry) => {
                    let event = entry.remove();
                    self.happen(event);
                }
                None => self.give(Event::Time),
            }
        }
        if !done(&self.up) {
            self.now = self.now.max(until);
        }
    }

    fn happen(&mut self, transit: Transit) {
        match transit {
            Transit::ToMaster(event) => self.give(event),
            Transit::ToChild(incarnation, line) => {
                if self.incarnations[incarnation.child] == Some(incarnation) {
                    let effects = self.actors[incarnation.child].hear(&line, self.now);
                    self.perform(incarnation, effects);
                }
            }
            Transit::Answer(incarnation, number) => {
                if self.incarnations[incarnation.child] == Some(incarnation) {
                    let effects = self.actors[incarnation.child].due(number, self.now);
                    self.perform(incarnation, effects);
                }
            }
            Transit::Dies(incarnation) => {
                if self.incarnations[incarnation.child] == Some(incarnation) {
                    self.incarnations[incarnation.child] = None;
                    self.give(Event::Lost(incarnation, "the process ended".to_owned()));
                }
            }
        }
    }

    fn perform(&mut self, incarnation: Incarnation, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(after, line) => self.child_says(incarnation, after, line),
                Effect::Answer(after, number) => {
                    self.later(self.now + after, Transit::Answer(incarnation, number));
                }
                Effect::Die(after) => self.later(self.now + after, Transit::Dies(incarnation)),
            }
        }
    }

    fn child_says(&mut self, incarnation: Incarnation, after: Duration, line: String) {
        let at = self.now + after + self.actors[incarnation.child].lag();
        let latest = &mut self.latest[incarnation.child][1];
        *latest = (*latest).max(at);
        let at = *latest;
        self.later(at, Transit::ToMaster(Event::Line(incarnation, line)));
    }

    fn later(&mut self, at: Moment, transit: Transit) {
        self.sequence += 1;
        self.transit.insert((at, self.sequence), transit);
    }

    fn give(&mut self, event: Event) {
        for action in self.master.handle(event, self.now) {
            match action {
                Action::Up(line) => self.up.push(line),
                Action::Log(entry) => self.log.push(entry),
                Action::Start(incarnation) => {
                    self.incarnations[incarnation.child] = Some(incarnation);
                    self.actors[incarnation.child].restart();
                    let at = self.now + Duration::from_millis(5);
                    self.later(at, Transit::ToMaster(Event::Started(incarnation)));
                }
                Action::End(incarnation) => {
                    if self.incarnations[incarnation.child] == Some(incarnation) {
                        self.incarnations[incarnation.child] = None;
                    }
                }
                Action::Send(incarnation, line) => {
                    let at = self.now + self.actors[incarnation.child].lag();
                    let latest = &mut self.latest[incarnation.child][0];
                    *latest = (*latest).max(at);
                    let at = *latest;
                    self.later(at, Transit::ToChild(incarnation, line));
                }
                Action::Verify { number, position, first } => {
                    let time = ManualTime::new();
                    let mates = begins_mate(&position, first, NODES, &Control::new(false), &time);
                    let at = self.now + Duration::from_millis(3);
                    self.later(at, Transit::ToMaster(Event::Verified { number, mates }));
                }
                Action::Quit | Action::Know { .. } => {}
            }
        }
    }
}
