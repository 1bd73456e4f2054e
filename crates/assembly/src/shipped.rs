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
    unpacked: OnceLock<Option<AnyNet>>,
}

impl Shipped {
    const fn new(packed: &'static [u8]) -> Self {
        Self { packed, unpacked: OnceLock::new() }
    }

    fn get(&self) -> Option<&AnyNet> {
        self.unpacked.get_or_init(|| AnyNet::from_bytes(self.packed).ok()).as_ref()
    }
}

static SHOGI: Shipped = Shipped::new(include_bytes!("../../../nets/shogi.nnz"));
static MINISHOGI: Shipped = Shipped::new(include_bytes!("../../../nets/minishogi.nnz"));

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
            let value = judge(game, &evaluation)(&AnyPosition::startpos(game)).unwrap();
            assert!(value != 0 && value.abs() < 500, "the start is worth {value}");
        }
    }
}
