//! The nets inside the executable: it plays at once, offline.
//!
//! How each came to be is in nets/LEDGER.md. They are unpacked when first asked for, which is not
//! before `isready`.

use crate::evaluation::Evaluation;
use nnue::AnyNet;
use rules::Game;
use std::sync::OnceLock;

/// A net of the executable: packed, and unpacked once. What its scores are worth its file says.
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

const fn of(game: Game) -> &'static Shipped {
    match game {
        Game::Shogi => &SHOGI,
        Game::Minishogi => &MINISHOGI,
    }
}

/// The file of the net shipped for a game, packed as it lies in nets/.
pub const fn shipped_file(game: Game) -> &'static [u8] {
    of(game).packed
}

/// The evaluation shipped for a game.
pub fn shipped(game: Game) -> Evaluation {
    let net = of(game);
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
            let net = if game == Game::Shogi { &SHOGI } else { &MINISHOGI };
            let said = net.get().unwrap().win_rate_scale();
            assert_eq!(
                said,
                Some(evaluation.win_rate_scale()),
                "its file says what scores are worth"
            );
            // How it came to be is in the ledger.
            let entry = format!("net = \"{}\"\ngeneration", evaluation.fingerprint().unwrap());
            assert!(include_str!("../../../nets/ledger.toml").contains(&entry), "{entry}");
            let value = judge(game, &evaluation)(&AnyPosition::startpos(game)).unwrap();
            assert!(value != 0 && value.abs() < 500, "the start is worth {value}");
        }
    }

    /// A net that says its scale is believed; any other has the usual one.
    #[test]
    fn the_scale_of_a_net_is_its_files_or_the_usual_one() {
        let net = AnyNet::from_bytes(SHOGI.packed).unwrap();
        let bytes = |net: &AnyNet| {
            let mut bytes = Vec::new();
            net.write(&mut bytes).unwrap();
            bytes
        };
        let scale =
            |bytes: &[u8]| Evaluation::Net(AnyNet::from_bytes(bytes).unwrap()).win_rate_scale();
        assert_eq!(Some(scale(&bytes(&net))), net.win_rate_scale());
        assert_eq!(scale(&bytes(&net.with_win_rate_scale(1234.5))), 1234.5);
        let mut silent = bytes(&net);
        let word = b"WinRateScale=";
        let at = silent.windows(word.len()).position(|found| found == word).unwrap();
        silent[at] = b'X';
        assert_eq!(scale(&silent), play::USUAL_SCALE);
    }
}
