//! What came of a task.

use crate::bytes::Bytes;
use crate::game_record::GameRecord;
use crate::leaves::LeafRecord;
use crate::mates::MateRecord;
use crate::names::BlobHash;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A part of the results of a task. Task and number together are its name: of two with the same
/// name the first counts, whoever sent them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// From 0; below the task's `batches`.
    pub number: u32,
    pub product: Product,
    #[serde(default)]
    pub usage: Usage,
}

/// What was made. A queue does not look into it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Product {
    /// The sum of [`crate::Spec::Checksum`].
    Checksum { sum: u64 },
    /// Games of a match or a tuning.
    Games { games: Vec<GameRecord> },
    /// Games of self-play, as a teacher file, with how much was read for each.
    Teacher { bytes: Bytes, made: Vec<Made> },
    /// A piece scored anew.
    Rescored { bytes: Bytes, kept: u64, problems: Vec<(usize, String)> },
    /// What candidates for openings are worth; nothing where one is none.
    Values { values: Vec<Option<i32>> },
    /// Answers to problems of mate.
    Mates { answers: Vec<MateRecord> },
    /// What was found in leaves of books.
    Leaves { leaves: Vec<LeafRecord> },
    /// A report in words.
    Text { text: String },
    /// Bytes that were put into the queue's store before.
    Blob { hash: BlobHash, length: u64 },
}

/// What a game of self-play took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Made {
    pub nodes: u64,
    pub searches: u64,
}

impl Product {
    /// Whether two are the same apart from the time they took.
    pub fn is_same_work(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Games { games }, Self::Games { games: others }) => {
                games.len() == others.len()
                    && games.iter().zip(others).all(|(one, other)| one.is_same_game(other))
            }
            (Self::Mates { answers }, Self::Mates { answers: others }) => {
                answers.len() == others.len()
                    && answers.iter().zip(others).all(|(one, other)| one.is_same(other))
            }
            (one, other) => one == other,
        }
    }
}

/// What a batch took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    pub millis: u64,
    pub nodes: u64,
}

/// Why a task was not done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    /// What happened, with names and values.
    pub reason: String,
}

/// Whose fault it is, as far as the one who tells it can know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The machine: no memory, no disk, a blob that does not arrive.
    Machine,
    /// What was to be run: it does not start, crashes, computes another bench.
    Executable,
    /// What was asked for makes no sense.
    Spec,
    /// The worker is leaving and gives the task back.
    Leaving,
    /// The lease ran out.
    Expired,
    /// What came back is not what it says it is.
    Dishonest,
}

impl FaultKind {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Executable => "executable",
            Self::Spec => "spec",
            Self::Leaving => "leaving",
            Self::Expired => "expired",
            Self::Dishonest => "dishonest",
        }
    }
}

impl Fault {
    pub fn new(kind: FaultKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.reason)
    }
}
