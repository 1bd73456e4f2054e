//! What was refused to whom, counted.

use fleet::WorkerId;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Different things that are counted apart; more are counted together, without a name.
const KINDS: usize = 10_000;

/// Why a request had no effect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// No token, or nobody's.
    Token,
    /// Too many connections.
    Connections,
    /// Too many requests, or too many bytes.
    Rate,
    /// Not understood.
    Malformed,
    /// More bytes than allowed.
    TooLarge,
    /// Spoken in another worker's name.
    AnothersName,
    /// A call only the coordinator may make.
    CoordinatorsCall,
    /// A task it does not hold.
    NotHeld,
    /// A result that was there already.
    Repeated,
    /// A batch the task does not have.
    NoSuchBatch,
    /// A barred worker.
    Barred,
    /// Bytes that are not what their hash says.
    WrongHash,
}

impl Reason {
    /// In a word, for metrics and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Connections => "connections",
            Self::Rate => "rate",
            Self::Malformed => "malformed",
            Self::TooLarge => "too-large",
            Self::AnothersName => "anothers-name",
            Self::CoordinatorsCall => "coordinators-call",
            Self::NotHeld => "not-held",
            Self::Repeated => "repeated",
            Self::NoSuchBatch => "no-such-batch",
            Self::Barred => "barred",
            Self::WrongHash => "wrong-hash",
        }
    }
}

/// One request that was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Whose token it came with, if it was somebody's.
    pub worker: Option<WorkerId>,
    pub address: IpAddr,
    pub reason: Reason,
    /// What it said, in words.
    pub said: String,
}

/// Who is told of every refusal.
pub type Log = Arc<dyn Fn(&Refusal) + Send + Sync>;

/// All refusals.
pub struct Refusals {
    counts: Mutex<BTreeMap<(Option<WorkerId>, Reason), u64>>,
    log: Log,
}

impl std::fmt::Debug for Refusals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refusals").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl Refusals {
    pub(crate) fn new(log: Log) -> Self {
        Self { counts: Mutex::default(), log }
    }

    pub(crate) fn note(&self, refusal: &Refusal) {
        {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            let mut key = (refusal.worker.clone(), refusal.reason);
            if counts.len() >= KINDS && !counts.contains_key(&key) {
                key.0 = None;
            }
            *counts.entry(key).or_default() += 1;
        }
        (self.log)(refusal);
    }

    /// How often a worker (`None` for nobody known) was refused something for a reason.
    pub fn count(&self, worker: Option<&WorkerId>, reason: Reason) -> u64 {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(&(worker.cloned(), reason)).copied().unwrap_or(0)
    }

    /// All counts, by worker and reason.
    pub fn all(&self) -> Vec<(Option<WorkerId>, Reason, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|((worker, reason), count)| (worker.clone(), *reason, *count)).collect()
    }
}
