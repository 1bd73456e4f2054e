//! Positions from boards and hands, without text.

use rules::{
    Color, Hand, Handicap, Kind, Kings, Minishogi, Piece, Position, Shogi, Square, Variant,
};

fn again<V: Variant>(sfen: &str, kings: Kings) {
    let told = Position::<V>::from_sfen_with(sfen, kings).unwrap();
    let board: Vec<Piece> = (0..V::SQUARES).map(|i| told.piece_at(Square::new(i))).collect();
    let hands = Color::BOTH.map(|c| told.hand(c));
    let placed =
        Position::<V>::from_placement(&board, hands, told.turn(), told.ply(), kings).unwrap();
    assert_eq!(placed, told);
    assert_eq!((placed.sfen(), placed.key()), (told.sfen(), told.key()));
    placed.assert_consistent();
    assert_eq!(Position::<V>::key_of_placement(&board, hands, told.turn()), told.key());
}

#[test]
fn a_position_is_the_same_whichever_way_it_is_told() {
    for handicap in Handicap::ALL {
        again::<Shogi>(&handicap.sfen(), Kings::Both);
    }
    again::<Shogi>(
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 77",
        Kings::Both,
    );
    again::<Shogi>("4k4/9/4P4/9/9/9/9/9/9 b 2G 1", Kings::Any);
    again::<Minishogi>(Minishogi::START, Kings::Both);
    again::<Minishogi>("r2gk/1b2p/5/P2B1/KGS1R w s 9", Kings::Both);
}

#[test]
fn what_sfen_would_refuse_is_refused() {
    let square = |file: usize, rank: usize| (file - 1) * 9 + rank - 1;
    let king = |color| Piece::new(color, Kind::King);
    let try_with = |more: &[(usize, Piece)], turn, hand: &[(Kind, usize)]| {
        let mut board = vec![Piece::NONE; 81];
        board[square(5, 9)] = king(Color::Black);
        board[square(5, 1)] = king(Color::White);
        for &(at, piece) in more {
            board[at] = piece;
        }
        let mut hands = [Hand::EMPTY; 2];
        for &(kind, count) in hand {
            hands[0].set(kind, count);
        }
        Position::<Shogi>::from_placement(&board, hands, turn, 1, Kings::Both)
    };
    let pawn = Piece::new(Color::Black, Kind::Pawn);
    let rook = Piece::new(Color::Black, Kind::Rook);
    assert!(try_with(&[], Color::Black, &[(Kind::Rook, 2)]).is_ok());
    for (more, turn, hand, why) in [
        (vec![(square(5, 1), pawn)], Color::Black, vec![], "White has no king"),
        (vec![(square(4, 1), king(Color::Black))], Color::Black, vec![], "2 kings"),
        (vec![(square(1, 1), pawn)], Color::Black, vec![], "could never move"),
        (vec![(square(1, 5), pawn), (square(1, 6), pawn)], Color::Black, vec![], "on file 1"),
        (vec![(square(5, 5), rook)], Color::Black, vec![], "in check"),
        (vec![(square(4, 5), rook)], Color::Black, vec![(Kind::Rook, 2)], "too many rooks"),
    ] {
        let reasons = try_with(&more, turn, &hand).unwrap_err().join("; ");
        assert!(reasons.contains(why), "{reasons}");
    }
    let small = Position::<Shogi>::from_placement(
        &[Piece::NONE; 25],
        [Hand::EMPTY; 2],
        Color::Black,
        1,
        Kings::Any,
    );
    assert!(small.is_err());
    let lance = [Piece::NONE; 25];
    let mut hands = [Hand::EMPTY; 2];
    hands[0].set(Kind::Lance, 1);
    let lance = Position::<Minishogi>::from_placement(&lance, hands, Color::Black, 1, Kings::Any);
    assert!(lance.unwrap_err().join("; ").contains("lance"));
}
