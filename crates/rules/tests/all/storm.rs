//! Whatever text arrives, the readers answer: they never panic and never accept nonsense.

use proptest::prelude::*;
use rules::{AnyPosition, Game, Handicap, Kings, Move};

fn games() -> impl Strategy<Value = Game> {
    prop_oneof![Just(Game::Shogi), Just(Game::Minishogi)]
}

/// Text that looks like SFEN more often than chance would have it.
fn sfen_like() -> impl Strategy<Value = String> {
    let board = "[1-9+PLNSGBRKplnsgbrk/]{0,90}";
    let hands = "[0-9RBGSNLPrbgsnlp-]{0,20}";
    (board, "[bwx]", hands, "[0-9-]{0,12}").prop_map(|(b, t, h, n)| format!("{b} {t} {h} {n}"))
}

/// A handicap's SFEN with one character changed, removed or doubled.
fn damaged() -> impl Strategy<Value = String> {
    (0usize..16, any::<prop::sample::Index>(), "[ -~あ]{0,2}").prop_map(|(h, at, with)| {
        let mut chars: Vec<char> = Handicap::ALL[h].sfen().chars().collect();
        let at = at.index(chars.len());
        chars.splice(at..=at, with.chars());
        chars.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn positions(
        game in games(),
        text in prop_oneof![sfen_like(), damaged(), any::<String>()],
        any_kings in any::<bool>(),
    ) {
        let kings = if any_kings { Kings::Any } else { Kings::Both };
        match AnyPosition::from_sfen_with(game, &text, kings) {
            Ok(pos) => {
                let again = AnyPosition::from_sfen_with(game, &pos.sfen(), kings).unwrap();
                prop_assert_eq!(&again, &pos);
                for &m in &pos.legal_moves() {
                    let mut next = pos.clone();
                    next.play(m);
                    prop_assert!(AnyPosition::from_sfen_with(game, &next.sfen(), kings).is_ok());
                }
            }
            Err(e) => prop_assert!(!e.reasons.is_empty() && e.to_string().len() < 10_000),
        }
    }

    #[test]
    fn moves(game in games(), text in prop_oneof!["[1-9a-iPK*+]{0,6}", any::<String>()]) {
        if let Some(m) = Move::from_usi(game, &text) {
            prop_assert_eq!(m.usi(game), text.clone());
        }
        let _ = AnyPosition::startpos(game).parse_usi(&text);
        let _ = text.parse::<Handicap>();
        let _ = text.parse::<Game>();
    }
}
