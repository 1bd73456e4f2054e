//! The ledger: how every net came to be, one entry for each generation.
//!
//! `nue learn` writes entries; nets/ledger.toml has those of the shipped nets, with notes by hand,
//! and `cargo xtask ledger` makes the page of them.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A ledger.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// Nets that are shipped.
    #[serde(default, rename = "net", skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<ShippedNet>,
    #[serde(default, rename = "generation")]
    pub generations: Vec<Generation>,
}

impl FromStr for Ledger {
    type Err = toml::de::Error;

    fn from_str(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}

/// A net that is shipped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedNet {
    pub file: String,
    pub game: String,
    /// Architecture, checksum and length.
    pub net: String,
    pub generation: u32,
    /// What it is worth, and how that was measured.
    pub measured: String,
}

/// One generation: everything needed to repeat it, and what came of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    pub game: String,
    /// Which of several lines of generations, where there is more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    pub generation: u32,
    /// The net that played the games, or what played them.
    #[serde(default)]
    pub parent: String,
    /// The net that was learned.
    #[serde(default)]
    pub net: String,
    pub accepted: bool,
    #[serde(default)]
    pub verdict: String,
    #[serde(default)]
    pub wins: u64,
    #[serde(default)]
    pub draws: u64,
    #[serde(default)]
    pub losses: u64,
    /// Elo against the parent: low, middle and high end of the 95 % interval.
    #[serde(default)]
    pub elo: Vec<f64>,
    /// New games of this generation.
    #[serde(default)]
    pub games: u64,
    #[serde(default)]
    pub positions: u64,
    #[serde(default)]
    pub seed: u64,
    /// The best validation of the training, as its log has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<f64>,
    #[serde(default)]
    pub version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(default)]
    pub machine: String,
    #[serde(default)]
    pub seconds: f64,
    /// Written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default)]
    pub commands: Vec<String>,
}

impl Generation {
    /// Low, middle and high Elo against the parent, where that was measured.
    pub fn elo(&self) -> Option<[f64; 3]> {
        self.elo.as_slice().try_into().ok()
    }

    /// Line and number.
    pub fn name(&self) -> String {
        let line = self.line.as_ref().map_or_else(String::new, |line| format!("{line} "));
        format!("{line}{}", self.generation)
    }

    /// The end of the generation in a sentence.
    pub fn sentence(&self) -> String {
        let elo = self.elo().map_or_else(
            || "no estimate".to_owned(),
            |[low, middle, high]| format!("{middle:+.0} Elo ({low:+.0} to {high:+.0})"),
        );
        format!(
            "generation {}: {} ({}) +{} ={} -{}, {elo} against its parent",
            self.generation,
            if self.accepted { "accepted" } else { "not accepted" },
            self.verdict,
            self.wins,
            self.draws,
            self.losses,
        )
    }
}

/// The entry as a ledger has it.
pub fn to_toml(entry: &Generation) -> Result<String, toml::ser::Error> {
    toml::to_string(&Ledger { nets: Vec::new(), generations: vec![entry.clone()] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let entry = Generation {
            game: "minishogi".into(),
            generation: 3,
            accepted: true,
            verdict: "accepted".into(),
            wins: 60,
            losses: 40,
            elo: vec![1.5, 70.4, 140.0],
            loss: Some(0.4),
            commands: vec!["nue gen".into()],
            ..Generation::default()
        };
        let text = to_toml(&entry).unwrap();
        assert!(!text.contains("note") && !text.contains("[[net]]"), "{text}");
        let ledger: Ledger = text.parse().unwrap();
        assert_eq!(ledger.generations, std::slice::from_ref(&entry));
        let told = entry.sentence();
        assert!(told.ends_with("+60 =0 -40, +70 Elo (+2 to +140) against its parent"), "{told}");
    }

    #[test]
    fn a_misspelled_key_is_no_entry() {
        let text = "[[generation]]\ngame='shogi'\ngeneration=1\naccepted=true\nloses=3\n";
        assert!(text.parse::<Ledger>().is_err());
    }
}
