//! The trait, and the small values it speaks in.

use crate::batch::Batch;
use features::{Labels, Planes};
use rules::Game;
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// What a net sees and says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    pub game: Game,
    pub planes: Planes,
    pub labels: Labels,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (planes, labels) = (self.planes.name(), self.labels.name());
        write!(f, "{}, planes {planes}, labels {labels}", self.game)
    }
}

/// The number of a batch that was submitted: never the same twice for one back-end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ticket(pub u64);

impl Ticket {
    /// Of a batch that was answered without being submitted.
    pub const NONE: Self = Self(u64::MAX);
}

/// What keeps a back-end busy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Positions in a batch: more cost latency, fewer cost throughput.
    pub batch: usize,
    /// Batches submitted and not finished. More are taken, and wait.
    pub in_flight: usize,
    /// Threads that should submit: as many as there are cores to use where the back-end computes on
    /// the thread that submits, and one or two where it waits for a device.
    pub threads: usize,
}

/// Why there is no answer. A back-end that reported [`Fault::Ended`] answers nothing more.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// The batch was made for another net: it was not taken.
    #[error("a batch for {found} was given to a net for {expected}")]
    Shape { found: Shape, expected: Shape },
    /// The net answered something that is no answer: the batch is lost, others go on.
    #[error("the net answered nonsense for position {key:016x}: {what}")]
    Nonsense { ticket: Ticket, key: u64, what: String },
    /// Two nets that should agree do not: the batch is lost, others go on.
    #[error("two back-ends disagree about position {key:016x}: {what}")]
    Disagreement { ticket: Ticket, key: u64, what: String },
    /// The back-end is gone, and with it every batch in flight.
    #[error("{0}")]
    Ended(String),
}

impl Fault {
    /// The one batch that is lost by this fault; `None` if that is all of them, or none.
    pub const fn ticket(&self) -> Option<Ticket> {
        match *self {
            Self::Nonsense { ticket, .. } | Self::Disagreement { ticket, .. } => Some(ticket),
            Self::Shape { .. } | Self::Ended(_) => None,
        }
    }
}

/// A net that answers batches.
///
/// Any thread may submit and any thread may poll; whoever polls gets whatever is finished, so two searches that do not know
/// each other's tickets need a back-end each. A back-end that computes on the CPU computes
/// inside `submit`, on the caller's thread. A batch that comes back has been answered in every
/// position with finite logits and a value within bounds; anything else is a [`Fault`].
pub trait Backend: Send + Sync {
    fn shape(&self) -> Shape;

    /// One line for people: the net and what computes it.
    fn describe(&self) -> String;

    fn pace(&self) -> Pace;

    /// Answers a batch where it lies, where the back-end computes on the caller's thread: no ticket, and
    /// nothing that threads wait for each other for. What is answered is checked as what is polled.
    /// `None`, and the batch as it was, if it has to be submitted.
    fn answer(&self, _batch: &mut Batch) -> Option<Result<(), Fault>> {
        None
    }

    /// Takes a batch. The ticket comes back with it.
    fn submit(&self, batch: Batch) -> Result<Ticket, Fault>;

    /// A finished batch, in any order; waits for one as long as `wait` if there is something to
    /// wait for. `None` at once if nothing is in flight.
    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault>;

    /// Batches submitted and not yet handed back, finished or not.
    fn in_flight(&self) -> usize;
}
