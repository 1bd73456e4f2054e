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
    /// What a score is worth, in hundredths of a pawn, measured after the net was made
    /// (docs/results/learning.md).
    win_rate_scale: f64,
    unpacked: OnceLock<Option<AnyNet>>,
}

impl Shipped {
    const fn new(packed: &'static [u8], win_rate_scale: f64) -> Self {
        Self { packed, win_rate_scale, unpacked: OnceLock::new() }
    }

    fn get(&self) -> Option<&AnyNet> {
        let unpack = || {
            let net = AnyNet::from_bytes(self.packed).ok()?;
            Some(net.with_win_rate_scale(self.win_rate_scale))
        };
        self.unpacked.get_or_init(unpack).as_ref()
    }
}

// Fitted as 808 evaluation units, of which a pawn has 90.
static SHOGI: Shipped = Shipped::new(include_bytes!("../../../nets/shogi.nnz"), 898.0);
static MINISHOGI: Shipped = Shipped::new(include_bytes!("../../../nets/minishogi.nnz"), 532.0);

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
            let value = judge(game, &evaluation)(&AnyPosition::startpos(game)).unwrap();
            assert!(value != 0 && value.abs() < 500, "the start is worth {value}");
        }
    }
}
