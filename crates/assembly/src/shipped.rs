//! The nets inside the executable: it plays at once, offline.
//!
//! How each came to be is in nets/LEDGER.md. They are unpacked when first asked for, which is not
//! before `isready`.

use crate::evaluation::Evaluation;
use nnue::AnyNet;
use rules::Game;
use std::sync::OnceLock;

/// A net of the executable: packed, and unpacked once.
struct Shipped {
    packed: &'static [u8],
    /// As [`Evaluation::fingerprint`] gives it: a file that says no scale is known by it, stays as
    /// it is, and has its scale here.
    fingerprint: &'static str,
    /// What a score is worth, in hundredths of a pawn, measured after the net was made
    /// (docs/results/learning.md); what the file says, where it says something.
    win_rate_scale: f64,
    unpacked: OnceLock<Option<AnyNet>>,
}

impl Shipped {
    const fn new(packed: &'static [u8], fingerprint: &'static str, win_rate_scale: f64) -> Self {
        Self { packed, fingerprint, win_rate_scale, unpacked: OnceLock::new() }
    }

    fn get(&self) -> Option<&AnyNet> {
        let unpack = || {
            let net = AnyNet::from_bytes(self.packed).ok()?;
            Some(net.assuming_win_rate_scale(self.win_rate_scale))
        };
        self.unpacked.get_or_init(unpack).as_ref()
    }
}

// Trained with 750 evaluation units, of which a pawn has 90: the fit of its parent's games.
static SHOGI: Shipped = Shipped::new(
    include_bytes!("../../../nets/shogi.nnz"),
    "K+P 512x2-32-32 (shogi) 896fca55 1786353",
    833.0,
);
// Trained with 580 of them: the fit of generation 2's games.
static MINISHOGI: Shipped = Shipped::new(
    include_bytes!("../../../nets/minishogi.nnz"),
    "HalfKP 256x2-32-32 (minishogi) 8749c364 4882425",
    644.0,
);

/// A net whose file says no scale, with the measured one if it is a net of the executable.
pub(crate) fn with_known_scale(net: AnyNet) -> AnyNet {
    let entry = match net.game() {
        Game::Shogi => &SHOGI,
        Game::Minishogi => &MINISHOGI,
    };
    // The checksum is only taken of nets of the same kind.
    let kind = format!("{} ", net.architecture());
    if net.win_rate_scale().is_some() || !entry.fingerprint.starts_with(&kind) {
        return net;
    }
    match Evaluation::Net(net.clone()).fingerprint() {
        Ok(found) if found == entry.fingerprint => {
            net.assuming_win_rate_scale(entry.win_rate_scale)
        }
        _ => net,
    }
}

/// The evaluation shipped for a game.
pub fn shipped(game: Game) -> Evaluation {
    let net = match game {
        Game::Shogi => &SHOGI,
        Game::Minishogi => &MINISHOGI,
    };
    // A test holds that both can be unpacked; piece values are there all the same.
    net.get().map_or(Evaluation::Material, |net| Evaluation::Net(net.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::judge;
    use rules::AnyPosition;

    #[test]
    fn the_nets_can_be_used() {
        for game in [Game::Shogi, Game::Minishogi] {
            let evaluation = shipped(game);
            assert!(matches!(evaluation, Evaluation::Net(_)));
            assert_eq!(evaluation.game(), Some(game));
            assert_ne!(evaluation.win_rate_scale(), play::USUAL_SCALE, "measured");
            let entry = if game == Game::Shogi { &SHOGI } else { &MINISHOGI };
            assert_eq!(evaluation.fingerprint().unwrap(), entry.fingerprint);
            let value = judge(game, &evaluation)(&AnyPosition::startpos(game)).unwrap();
            assert!(value != 0 && value.abs() < 500, "the start is worth {value}");
        }
    }

    /// A net taken out of the executable keeps its scale; one that says its own is believed; any
    /// other has the usual one.
    #[test]
    fn the_scale_of_a_net_is_its_files_or_its_entrys_or_the_usual_one() {
        let unpacked = AnyNet::from_bytes(SHOGI.packed).unwrap();
        let mini = AnyNet::from_bytes(MINISHOGI.packed).unwrap();
        // One of each kind: a file with a scale, and one without.
        assert!(unpacked.win_rate_scale().is_some() && mini.win_rate_scale().is_none());
        let bytes = |net: &AnyNet| {
            let mut bytes = Vec::new();
            net.write(&mut bytes).unwrap();
            bytes
        };
        let scale = |bytes: &[u8]| {
            let read = with_known_scale(AnyNet::from_bytes(bytes).unwrap());
            Evaluation::Net(read).win_rate_scale()
        };
        assert_eq!(scale(&bytes(&unpacked)), SHOGI.win_rate_scale);
        assert_eq!(scale(&bytes(&unpacked.with_win_rate_scale(1234.5))), 1234.5);
        assert_eq!(scale(&bytes(&mini)), MINISHOGI.win_rate_scale);
        let mut other = bytes(&mini);
        let middle = other.len() / 2;
        other[middle] ^= 1;
        assert_eq!(scale(&other), play::USUAL_SCALE);
    }
}
