//! Who does it.

use crate::names::{OwnerName, Pool, TaskId, WorkerId};
use serde::{Deserialize, Serialize};

/// A worker as it introduces itself. Nothing of it is believed that can be measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Worker {
    pub id: WorkerId,
    pub owner: OwnerName,
    /// Processors it lends.
    pub cores: u32,
    pub memory_mib: u64,
    /// Nodes a second of one thread, by its bench.
    pub speed: u64,
    /// What its bench computed: the same for every right executable of one version.
    pub bench: u64,
    /// The executable, by version.
    pub version: String,
    /// Where it looks for tasks, besides its own pool.
    pub pools: Vec<Pool>,
    /// The tasks it has, when it says so; `None` says nothing. What else is leased to it is not with it any more: it
    /// was started anew, or never heard of the lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holding: Option<Vec<TaskId>>,
}

/// MiB of this machine that are free, three quarters of them; 0 where the system does not say.
pub fn memory_mib() -> u64 {
    os::memory::figures().map_or(0, |memory| memory.free_mib * 3 / 4)
}

/// What a worker may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// New: tasks of its own pool only, whose answers are known.
    #[default]
    Probation,
    /// Every pool.
    Admitted,
    /// Nothing; what it holds is taken from it.
    Barred,
}

impl Standing {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Probation => "probation",
            Self::Admitted => "admitted",
            Self::Barred => "barred",
        }
    }
}
