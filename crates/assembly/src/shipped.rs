//! The nets inside the executable: it plays at once, offline.
//!
//! How each came to be is in nets/LEDGER.md. They are unpacked when first asked for, which is not
//! before `isready`.

use crate::evaluation::Evaluation;
use nnue::AnyNet;
use rules::Game;
use std::sync::OnceLock;

static MINISHOGI: &[u8] = include_bytes!("../../../nets/minishogi.nnz");

/// The evaluation shipped for a game; piece values alone where no net has earned its place yet.
pub fn shipped(game: Game) -> Evaluation {
    static UNPACKED: OnceLock<Option<AnyNet>> = OnceLock::new();
    let net = match game {
        Game::Shogi => None,
        Game::Minishogi => UNPACKED.get_or_init(|| AnyNet::from_bytes(MINISHOGI).ok()).as_ref(),
    };
    net.map_or(Evaluation::Material, |net| Evaluation::Net(net.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::judge;
    use rules::AnyPosition;

    #[test]
    fn the_net_of_minishogi_can_be_used() {
        let game = Game::Minishogi;
        let evaluation = shipped(game);
        assert_eq!(evaluation.game(), Some(game));
        let value = judge(game, &evaluation)(&AnyPosition::startpos(game)).unwrap();
        assert!(value != 0 && value.abs() < 500, "the start is worth {value}");
    }
}
