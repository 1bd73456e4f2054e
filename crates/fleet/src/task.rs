//! What is to be done.

use crate::names::{BlobHash, Pool, RunId, TaskId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a run is: the same for all of its tasks. A queue does not look into it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Spec {
    /// A sum everybody computes alike, for drills and tests of the fleet itself: the last of so many
    /// numbers of the task's seed.
    Checksum { rounds: u64 },
}

impl Spec {
    /// The kind in a word.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Checksum { .. } => "checksum",
        }
    }
}

/// Which part of a run a task is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Unit {
    /// The first game, record or position.
    pub first: u64,
    /// How many.
    pub count: u64,
}

/// How soon: a task of a higher class goes before all tasks of lower ones.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
}

impl Priority {
    /// All of them, the most urgent first.
    pub const ALL: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

impl std::str::FromStr for Priority {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|priority| priority.name() == text);
        found.ok_or_else(|| format!("expected high, normal or low, not {text:?}"))
    }
}

impl std::fmt::Display for Priority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What must be the same wherever a task is done.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pins {
    /// What the executable's bench computes; `None` where any executable will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    /// The executable itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<BlobHash>,
    /// Files the spec names (nets, openings, inputs), by that name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, BlobHash>,
}

/// What a task asks of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Needs {
    /// Where it waits.
    pub pool: Pool,
    /// Processors.
    pub cores: u32,
    pub memory_mib: u64,
}

impl Default for Needs {
    fn default() -> Self {
        Self { pool: Pool::any(), cores: 1, memory_mib: 0 }
    }
}

/// What one worker is given at a time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// Its number, never used again.
    pub id: TaskId,
    pub run: RunId,
    /// Its results come in so many batches, numbered from 0; at least 1.
    pub batches: u32,
    #[serde(with = "shared")]
    pub spec: Arc<Spec>,
    pub unit: Unit,
    /// Every random choice of the task comes from it.
    pub seed: u64,
    #[serde(with = "shared")]
    pub pins: Arc<Pins>,
    pub needs: Needs,
    pub priority: Priority,
}

/// A value that many tasks share, written as if each had its own.
mod shared {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (**value).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}
