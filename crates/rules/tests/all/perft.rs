//! Known counts of move sequences.

use rules::{AnyPosition, Game, Minishogi, Position, Shogi, Variant, perft};

fn check<V: Variant>(sfen: &str, counts: &[u64]) {
    let mut pos = Position::<V>::from_sfen(sfen).unwrap();
    for (i, &expected) in counts.iter().enumerate() {
        let depth = i + 1;
        assert_eq!(perft(&mut pos, depth, true), expected, "{sfen} depth {depth}");
        if expected < 5_000_000 {
            assert_eq!(perft(&mut pos, depth, false), expected, "{sfen} depth {depth}, no bulk");
        }
    }
    pos.assert_consistent();
}

#[test]
fn start_position() {
    check::<Shogi>(Shogi::START, &[30, 900, 25470, 719_731, 19_861_490]);
}

/// The sixth ply: half a billion leaves.
#[test]
fn start_position_to_six_plies() {
    check::<Shogi>(Shogi::START, &[30, 900, 25470, 719_731, 19_861_490, 547_581_517]);
}

#[test]
fn many_captures_and_drops() {
    check::<Shogi>(
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        &[207, 28684, 4_809_015, 516_925_165],
    );
}

#[test]
fn the_most_moves_known() {
    check::<Shogi>(
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        &[593, 105_677, 53_393_368],
    );
}

#[test]
fn minishogi_start_position() {
    check::<Minishogi>(Minishogi::START, &[14, 181, 2512, 35401, 533_203, 8_276_188]);
}

#[test]
fn the_count_that_can_be_given_up_is_the_same_count() {
    for (game, depth, expected) in [(Game::Shogi, 3, 25_470), (Game::Minishogi, 4, 35_401)] {
        let mut position = AnyPosition::startpos(game);
        let mut lines = Vec::new();
        let total =
            position.perft_while(depth, &mut || true, &mut |m, count| lines.push((m, count)));
        assert_eq!(total, Some(expected));
        assert_eq!(lines, position.divide(depth, true));
        assert_eq!(position.perft_while(depth, &mut || false, &mut |_, _| ()), None);
        assert_eq!(position.perft_while(0, &mut || false, &mut |_, _| ()), Some(1));
    }
}
