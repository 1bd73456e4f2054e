//! The log of a tuning: a line of JSON for every iteration, from which it goes on.

use crate::runner::Plan;
use crate::spsa::Spsa;
use crate::tuning::Step;
use durable::{Journal, JournalError};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a tuning cannot be logged or resumed.
#[derive(Debug, Error)]
pub enum TuningLogError {
    /// There is a tuning in that file.
    #[error("{0}: --resume continues it, --force replaces it, --out chooses another file")]
    Exists(JournalError),
    /// The file cannot be used.
    #[error("{0}")]
    Journal(JournalError),
    /// Its iterations are not in order.
    #[error("{}: iteration {found} stands where {expected} should", path.display())]
    Order { path: PathBuf, found: u64, expected: u64 },
    /// The old file cannot be removed.
    #[error("{}: {source}", path.display())]
    Remove { path: PathBuf, source: io::Error },
}

impl From<JournalError> for TuningLogError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Exists(_) => Self::Exists(error),
            other => Self::Journal(other),
        }
    }
}

/// Everything that decides what an iteration is.
fn identity(plan: &Plan, seed: u64, pairs: u64, spsa: &Spsa) -> Value {
    let gains = spsa.gains();
    let parameters: Vec<Value> = spsa
        .parameters()
        .iter()
        .map(|p| json!([p.name, p.start, p.min, p.max, p.c_end, p.r_end]))
        .collect();
    let mut identity = plan.identity(seed);
    identity["params"] = json!(parameters);
    identity["iterations"] = json!(gains.iterations);
    identity["gains"] = json!([gains.stability, gains.alpha, gains.gamma]);
    identity["pairs"] = json!(pairs);
    identity
}

/// Begins a log; with `force` it replaces an old one.
pub fn create(
    path: &Path,
    force: bool,
    plan: &Plan,
    seed: u64,
    pairs: u64,
    spsa: &Spsa,
) -> Result<Journal, TuningLogError> {
    if force
        && let Err(source) = std::fs::remove_file(path)
        && source.kind() != io::ErrorKind::NotFound
    {
        return Err(TuningLogError::Remove { path: path.to_owned(), source });
    }
    Ok(Journal::create(path, &identity(plan, seed, pairs, spsa), 0)?)
}

/// Goes on with a log: what it holds is applied.
pub fn resume(
    path: &Path,
    plan: &Plan,
    seed: u64,
    pairs: u64,
    spsa: &mut Spsa,
) -> Result<Journal, TuningLogError> {
    let identity = identity(plan, seed, pairs, spsa);
    let (journal, held) = Journal::resume::<Step>(path, &identity, 0)?;
    for (step, _) in held.map_or_else(Vec::new, |held| held.entries) {
        let expected = spsa.applied();
        if step.iteration != expected || expected >= spsa.gains().iterations {
            let (path, found) = (path.to_owned(), step.iteration);
            return Err(TuningLogError::Order { path, found, expected });
        }
        spsa.apply(step.result());
    }
    Ok(journal)
}
