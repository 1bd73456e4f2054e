//! One child as its master knows it.

use crate::config::{ChildConfig, Role};
use crate::deadline::Delays;
use crate::event::Incarnation;
use engines::GameLine;
use rules::Move;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use think::{Info, Moment, OptionSpec};

/// How long a child may take to answer `usi` and `isready`.
pub(crate) const STARTUP: Duration = Duration::from_secs(120);

/// How long after `stop` a child counts as hung.
pub(crate) const STALL: Duration = Duration::from_secs(5);

/// The first pause before a child is started again; it doubles with every fault.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Faults in one game after which a child stays out until the next.
const MOST_FAULTS: u32 = 8;

/// Lines a child may say between two answers, and more of them for every second.
const FLOOD: u64 = 20_000;
const FLOOD_PER_SECOND: u64 = 2_000;

/// Where a child stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Not running; to be started then.
    Down {
        until: Moment,
    },
    /// Asked to start, not heard of yet.
    Starting {
        since: Moment,
    },
    /// `usi` is sent.
    Introducing {
        since: Moment,
    },
    /// `isready` is sent.
    Preparing {
        since: Moment,
    },
    Ready,
    /// Out for the rest of the game.
    Out,
}

/// What a child is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Our move.
    Think,
    /// Our move should the opponent reply as expected.
    Ponder,
    /// The opponent's likely moves.
    Predict,
    /// A mate.
    Mate,
    /// Which of these candidates is best.
    Arbitrate(Vec<Move>),
    /// What somebody else's move is worth; the position is the one after it.
    Value(Move),
}

/// A question to a child.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) purpose: Purpose,
    pub(crate) line: Arc<GameLine>,
    /// The search it belongs to; 0 for those about the opponent's reply.
    pub(crate) search: u64,
}

/// A question that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) task: Task,
    pub(crate) sent: Moment,
    pub(crate) stopped: Option<Moment>,
    /// The latest line of thought by rank.
    pub(crate) lines: Vec<Info>,
    /// The score of the first as it was told.
    pub(crate) score: Option<String>,
}

/// The child.
pub(crate) struct Child {
    pub(crate) config: ChildConfig,
    pub(crate) incarnation: Incarnation,
    pub(crate) state: State,
    pub(crate) name: Option<String>,
    pub(crate) options: Vec<OptionSpec>,
    /// Options the interface set, for every start.
    pub(crate) set: Vec<(String, String)>,
    /// Unanswered questions, oldest first. An answer is to the oldest, whatever it says.
    pub(crate) questions: VecDeque<Question>,
    /// To be asked when the last question is answered.
    pub(crate) next: Option<Task>,
    /// To be said when it is not thinking.
    pub(crate) later: Vec<String>,
    pub(crate) delays: Delays,
    pub(crate) multipv: usize,
    /// What a score is worth, as it says itself.
    pub(crate) told_scale: Option<f64>,
    faults: u32,
    pause: Duration,
    said: u64,
    said_since: Moment,
    /// When it last said anything.
    heard: Moment,
}

impl Child {
    pub(crate) fn new(index: usize, config: ChildConfig, options: Vec<OptionSpec>) -> Self {
        Self {
            config,
            incarnation: Incarnation { child: index, number: 0 },
            state: State::Down { until: Moment::ZERO },
            name: None,
            options,
            set: Vec::new(),
            questions: VecDeque::new(),
            next: None,
            later: Vec::new(),
            delays: Delays::default(),
            multipv: 1,
            told_scale: None,
            faults: 0,
            pause: FIRST_PAUSE,
            said: 0,
            said_since: Moment::ZERO,
            heard: Moment::ZERO,
        }
    }

    /// What a score of it is worth: as the file says, as it says, as is usual.
    pub(crate) fn scale(&self) -> f64 {
        self.config.scale.or(self.told_scale).unwrap_or(play::USUAL_SCALE)
    }

    pub(crate) fn role(&self) -> Role {
        self.config.role
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    /// Whether it declares an option.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.is_called(name))
    }

    /// Whether `ponderhit` may tell it the clocks: ours understands them.
    pub(crate) fn understands_clocks_at_hit(&self) -> bool {
        self.name.as_deref().is_some_and(|name| name.starts_with("Nue"))
    }

    /// The question it is at, if it has not been told to stop.
    pub(crate) fn current(&self) -> Option<&Question> {
        self.questions.back().filter(|question| question.stopped.is_none())
    }

    /// The same, to be changed.
    pub(crate) fn current_mut(&mut self) -> Option<&mut Question> {
        self.questions.back_mut().filter(|question| question.stopped.is_none())
    }

    /// Whether it is at work for a search, or about to be.
    pub(crate) fn works_for(&self, search: u64) -> bool {
        let asked = self.questions.iter().any(|q| q.task.search == search);
        asked || self.next.as_ref().is_some_and(|task| task.search == search)
    }

    /// The moment at which something is to be done about it, if nothing happens.
    pub(crate) fn wake(&self) -> Option<Moment> {
        match self.state {
            State::Down { until } => Some(until),
            State::Starting { since }
            | State::Introducing { since }
            | State::Preparing { since } => Some(since + STARTUP),
            State::Ready => {
                self.questions.front().and_then(|q| q.stopped).map(|stopped| stopped + STALL)
            }
            State::Out => None,
        }
    }

    /// Since when it has been thinking without a word.
    pub(crate) fn silent_since(&self) -> Option<Moment> {
        self.questions.front().map(|question| question.sent.max(self.heard))
    }

    /// Counts a line; whether they are too many.
    pub(crate) fn floods(&mut self, now: Moment) -> bool {
        self.said += 1;
        self.heard = now;
        let seconds = now.saturating_sub(self.said_since).as_secs();
        self.said > FLOOD + seconds.saturating_mul(FLOOD_PER_SECOND)
    }

    /// It has answered a question as it should.
    pub(crate) fn answered(&mut self, now: Moment) {
        (self.said, self.said_since) = (0, now);
        self.pause = FIRST_PAUSE;
    }

    /// It begins anew.
    pub(crate) fn begin(&mut self, now: Moment) -> Incarnation {
        self.incarnation.number += 1;
        self.state = State::Starting { since: now };
        self.multipv = 1;
        (self.said, self.said_since) = (0, now);
        self.incarnation
    }

    /// It did something wrong: it is started again after a pause, or stays out.
    pub(crate) fn fail(&mut self, now: Moment) {
        self.faults += 1;
        self.questions.clear();
        self.next = None;
        self.later.clear();
        self.state = if self.faults > MOST_FAULTS {
            State::Out
        } else {
            State::Down { until: now + self.pause }
        };
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    /// A game begins: what it did in earlier ones is forgiven.
    pub(crate) fn forgive(&mut self, now: Moment) {
        self.faults = 0;
        if self.state == State::Out {
            self.pause = FIRST_PAUSE;
            self.state = State::Down { until: now };
        }
    }
}
