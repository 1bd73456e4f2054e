//! The match that decides whether a new net replaces the current one.

use crate::error::LabError;
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// What the gate found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Gate {
    pub accepted: bool,
    pub verdict: String,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Elo against the parent: low, middle and high end of the 95 % interval; empty where there is
    /// no estimate.
    pub elo: Vec<f64>,
}

/// The last line of `nue match --json`.
#[derive(Deserialize)]
struct MatchResult {
    pairings: Vec<Pairing>,
    sprt: SprtResult,
}

#[derive(Deserialize)]
struct Pairing {
    wins: u64,
    draws: u64,
    losses: u64,
    /// A bound that does not exist is null.
    elo: Option<Vec<Option<f64>>>,
}

#[derive(Deserialize)]
struct SprtResult {
    verdict: String,
}

impl Gate {
    /// There is nothing to judge: training found nothing better than what it began with.
    pub fn without_candidate() -> Self {
        let verdict = "no candidate: training found nothing better than the current net";
        Self { verdict: verdict.to_owned(), ..Self::default() }
    }

    /// From what the match wrote.
    pub fn read(path: &Path) -> Result<Self, LabError> {
        let text = fs::read_to_string(path).map_err(|e| LabError::at(path, &e))?;
        let none = || LabError::at(path, &"no result of a match in it");
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).ok_or_else(none)?;
        let result: MatchResult = serde_json::from_str(last).map_err(|e| LabError::at(path, &e))?;
        let Pairing { wins, draws, losses, elo } =
            result.pairings.into_iter().next().ok_or_else(none)?;
        let verdict = result.sprt.verdict;
        // Where the games ran out before a decision, there is none: the current net stays.
        let accepted = verdict == "accepted";
        let rounded = |elo: f64| (elo * 10.0).round() / 10.0;
        let elo = elo.into_iter().flatten().flatten().map(rounded).collect();
        Ok(Self { accepted, verdict, wins, draws, losses, elo })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_match_decides() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("gate.json");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            Gate::read(&path)
        };
        let result = |verdict: &str, elo: &str| {
            format!(
                "{{\"id\":0}}\n{{\"games\":3,\"pairings\":[{{\"wins\":2,\"draws\":0,\"losses\":1,\
                 \"elo\":{elo}}}],\"sprt\":{{\"llr\":3.0,\"verdict\":\"{verdict}\"}}}}\n\n"
            )
        };
        let gate = read(&result("accepted", "[1.26,70.0,null]")).unwrap();
        assert!(gate.accepted);
        assert_eq!((gate.wins, gate.draws, gate.losses, &*gate.elo), (2, 0, 1, &[1.3, 70.0][..]));
        assert!(!read(&result("undecided", "null")).unwrap().accepted);
        assert!(read("").is_err());
        assert!(read("{\"pairings\":[],\"sprt\":{\"verdict\":\"accepted\"}}").is_err());
    }
}
