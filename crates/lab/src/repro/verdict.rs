//! The net that was made beside the one in the ledger.

use crate::error::LabError;
use serde_json::Value;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// How a repetition ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// The file has the checksum and the length of the ledger.
    SameBytes(PathBuf),
    /// Another net. Low, middle and high Elo against the parent as recorded, and as measured now.
    Measured { recorded: [f64; 3], now: [f64; 3] },
    /// Another net, and nothing says how strong it is.
    Another(String),
}

impl Verdict {
    /// Whether the entry holds: the same net, or one whose measured strength the recorded one
    /// does not contradict.
    pub fn holds(&self) -> bool {
        match self {
            Self::SameBytes(_) => true,
            Self::Measured { recorded, now } => are_compatible(*recorded, *now),
            Self::Another(_) => false,
        }
    }
}

/// Whether two measurements differ by no more than both errors explain, at 95 %.
fn are_compatible(one: [f64; 3], other: [f64; 3]) -> bool {
    let error = |[low, _, high]: [f64; 3]| (high - low) / 2.0;
    (one[1] - other[1]).abs() <= error(one).hypot(error(other))
}

/// Whether a file is the net that an entry names: by checksum and length, where it has them.
pub(super) fn is_recorded(path: &Path, net: &str) -> Result<bool, LabError> {
    let bytes = fs::read(path).map_err(|e| LabError::at(path, &e))?;
    // The file of a policy-value net to play with ends with its checksum, which is the one of the
    // ledger; one to train with does not.
    let plays = path.extension().is_none_or(|end| end != "nuedf");
    let checksum = match bytes.last_chunk() {
        Some(end) if plays && net.starts_with("policy-value ") => u32::from_le_bytes(*end),
        _ => crc32fast::hash(&bytes),
    };
    let own = format!("{checksum:08x} {}", bytes.len());
    Ok(net == own || net.ends_with(&format!(" {own}")))
}

/// Low, middle and high Elo of a player, from what `nue match --json` said last.
pub(super) fn elo(told: &str, player: &str) -> Option<[f64; 3]> {
    let last = told.lines().rev().find(|line| !line.trim().is_empty())?;
    let found: Value = serde_json::from_str(last).ok()?;
    let pairing = &found["pairings"][0];
    let mut bounds = [0.0; 3];
    for (bound, value) in bounds.iter_mut().zip(pairing["elo"].as_array()?) {
        *bound = value.as_f64()?;
    }
    match pairing["engines"][0].as_str()? {
        first if first == player => Some(bounds),
        _ => Some([-bounds[2], -bounds[1], -bounds[0]]),
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown =
            |[low, middle, high]: [f64; 3]| format!("{middle:+.0} ({low:+.0} to {high:+.0})");
        match self {
            Self::SameBytes(path) => write!(f, "the same bytes: {}", path.display()),
            Self::Measured { recorded, now } => {
                let verdict = if self.holds() { "as strong" } else { "not as strong or stronger" };
                let (recorded, now) = (shown(*recorded), shown(*now));
                write!(
                    f,
                    "another net, {verdict}: {now} Elo against its parent, recorded {recorded}"
                )
            }
            Self::Another(why) => write!(f, "another net: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_compared_with_both_errors() {
        let recorded = [40.0, 70.0, 100.0];
        for (now, holds) in [
            ([50.0, 90.0, 130.0], true),
            ([75.0, 120.0, 165.0], true),
            ([80.0, 130.0, 180.0], false),
        ] {
            assert_eq!(Verdict::Measured { recorded, now }.holds(), holds, "{now:?}");
        }
        let weaker = Verdict::Measured { recorded, now: [-40.0, -10.0, 20.0] };
        assert!(!weaker.holds() && weaker.to_string().contains("not as strong"), "{weaker}");
    }

    #[test]
    fn the_player_is_found_on_either_side() {
        let told =
            "{\"game\":1}\n{\"pairings\":[{\"engines\":[\"a\",\"b\"],\"elo\":[10.0,20.0,30.0]}]}\n";
        assert_eq!(elo(told, "a"), Some([10.0, 20.0, 30.0]));
        assert_eq!(elo(told, "b"), Some([-30.0, -20.0, -10.0]));
        // All games won: there is no upper end.
        assert_eq!(
            elo("{\"pairings\":[{\"engines\":[\"a\",\"b\"],\"elo\":[null,null,null]}]}", "a"),
            None
        );
        assert_eq!(elo("", "a"), None);
    }

    #[test]
    fn a_net_is_known_by_checksum_and_length() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("net");
        fs::write(&path, b"123456789").unwrap();
        assert!(is_recorded(&path, "K+P 256x2-32-32 (shogi) cbf43926 9").unwrap());
        assert!(!is_recorded(&path, "K+P 256x2-32-32 (shogi) cbf43926 8").unwrap());
        assert!(!is_recorded(&path, "K+P 256x2-32-32, not kept").unwrap());
        assert!(is_recorded(&place.path().join("none"), "").is_err());
    }
}
