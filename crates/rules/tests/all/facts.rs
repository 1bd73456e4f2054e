//! Single facts of the rules that random games meet too rarely.

use rules::{
    AnyPosition, Bits, Color, Declaration, Game, GameRepetition, Gen, Hand, Handicap, Kind, Kings,
    Minishogi, Move, MoveError, MoveList, Position, Recurrence, Shogi, Square, Variant,
};
use seed::Rng;

fn shogi(sfen: &str) -> Position<Shogi> {
    Position::from_sfen(sfen).unwrap()
}

fn play<V: Variant>(pos: &mut Position<V>, moves: &str) {
    for text in moves.split(' ') {
        let m = pos.parse_usi(text).unwrap();
        pos.play(m);
    }
}

#[test]
fn a_wrong_sfen_names_every_reason() {
    let check = |sfen: &str, wanted: &[&str]| {
        let e = Position::<Shogi>::from_sfen(sfen).unwrap_err();
        let text = e.to_string();
        for w in wanted {
            assert!(text.contains(w), "{text:?} lacks {w:?}");
        }
        assert_eq!(e.reasons.len(), wanted.len(), "{text}");
        assert!(text.contains(&sfen.chars().take(30).collect::<String>()), "{text}");
    };
    check("", &["expected board"]);
    check("4k4/9/9/9/9/9/9/9/4K4 b", &["expected board"]);
    check("4k4/9/9/9/9/9/9/9 b - 1", &["8 ranks, expected 9"]);
    check("4k4/9/9/9/9/9/9/9/4K3 b - 1", &["rank 9 has 8 squares"]);
    check("4k4/9/9/9/9/9/9/9/4K5 b - 1", &["rank 9 has 10 squares"]);
    check("4k4/9/9/9/9/9/9/4x4/4K4 b - 1", &["unknown piece 'x' on rank 8"]);
    check("4k4/9/9/9/9/9/9/4+G4/4K4 b - 1", &["unknown piece '+G'"]);
    check("4k4/9/9/9/9/9/9/8+/4K4 b - 1", &["'+' without a piece", "rank 8 has 8 squares"]);
    check("9/9/9/9/9/9/9/9/4K4 b - 1", &["White has no king"]);
    check("4k4/9/9/9/9/9/9/4K4/4K4 b - 1", &["Black has 2 kings"]);
    check("4k4/9/9/9/9/9/9/9/4K4 x - 1", &["side to move is \"x\""]);
    check("4k4/9/9/9/9/9/9/9/4K4 b 19P3R 1", &["too many pawns: 19", "too many rooks: 3"]);
    check("4k4/9/9/9/9/9/9/9/4K4 b K 1", &["unknown piece 'K' in hand"]);
    check("4k4/9/9/9/9/9/9/9/4K4 b 0P2 1", &["zero of 'P'", "a number without a piece"]);
    check("4k4/9/9/9/9/9/9/9/4K4 b 99999999999999999999P 1", &["too many pawns"]);
    check("4k4/9/9/9/9/9/9/9/4K4 b - -1", &["move number is \"-1\""]);
    check("4k4/9/9/9/9/9/9/9/4K4 b - 99999999999", &["move number"]);
    check("4k4/9/9/9/9/9/9/9/4K4 b - 1 x", &["unexpected \"x\""]);
    check("4k4/9/P8/P8/9/9/9/9/4K4 b - 1", &["Black has 2 unpromoted pawns on file 9"]);
    check(
        "P3k4/1N7/9/9/9/9/9/l8/4K4 b - 1",
        &["Black's pawn on 9a could never move", "Black's knight on 8b could never move"],
    );
    check("4k4/9/9/9/4R4/9/9/9/4K4 b - 1", &["White is in check but it is Black's turn"]);
    assert!(Position::<Minishogi>::from_sfen("rbsgk/4p/5/P4/KGSLR b - 1").is_err());
    assert!(Position::<Minishogi>::from_sfen(Shogi::START).is_err());
    assert!(Position::<Shogi>::from_sfen(Minishogi::START).is_err());
    // A missing number and a zero mean the first move.
    for ok in ["4k4/9/9/9/9/9/9/9/4K4 b -", "4k4/9/9/9/9/9/9/9/4K4 b - 0"] {
        assert_eq!(shogi(ok).sfen(), "4k4/9/9/9/9/9/9/9/4K4 b - 1");
    }
}

#[test]
fn mate_problems_may_lack_kings() {
    let sfen = "7lk/9/8G/9/9/9/9/9/9 b G2r2b2g4s4n3l18p 1";
    assert!(Position::<Shogi>::from_sfen(sfen).is_err());
    let mut pos = Position::<Shogi>::from_sfen_with(sfen, Kings::Any).unwrap();
    assert_eq!(pos.king(Color::Black), None);
    let mut checks = MoveList::new();
    pos.generate(Gen::Checks, &mut checks);
    let texts: Vec<String> = checks.iter().map(|m| m.usi(Game::Shogi)).collect();
    assert!(texts.contains(&"G*1b".to_owned()), "{texts:?}");
    play(&mut pos, "G*1b");
    assert!(pos.is_mated() && pos.in_check());
    // Nobody home at all.
    let bare = "9/9/9/9/4G4/9/9/9/9 b P 1";
    let mut pos = Position::<Shogi>::from_sfen_with(bare, Kings::Any).unwrap();
    for &m in &pos.legal_moves() {
        assert!(!pos.gives_check(m));
        pos.play(m);
        pos.assert_consistent();
        assert!(!pos.in_check() && pos.legal_moves().is_empty());
        pos.undo();
    }
    let e = AnyPosition::from_sfen(Game::Shogi, bare).unwrap_err();
    assert_eq!(e.reasons.len(), 2);
}

#[test]
fn curiosities_can_be_set_up_and_played() {
    // Nine pawns of White on one file, the last of them where it can never move.
    let sfen = "7pk/7p1/7p1/7p1/7p1/7p1/7p1/7p1/7p1 b 2R4L4s4n 1";
    assert!(Position::<Shogi>::from_sfen_with(sfen, Kings::Any).is_err());
    let mut pos = Position::<Shogi>::from_sfen_with(sfen, Kings::Lenient).unwrap();
    assert_eq!(pos.sfen(), sfen);
    for text in "L*1c N*1b 1c1b+ 1a1b L*1d N*1c 1d1c+ 1b1c".split(' ') {
        let m = pos.parse_usi(text).unwrap();
        pos.play(m);
        pos.assert_consistent();
        for &m in &pos.legal_moves() {
            assert!(pos.is_legal(m));
            pos.play(m);
            pos.undo();
        }
    }
    let pos =
        Position::<Shogi>::from_sfen_with("4k3p/8p/9/9/9/9/9/9/4K4 w p 1", Kings::Lenient).unwrap();
    assert!(pos.parse_usi("P*1e").is_err() && pos.parse_usi("P*2e").is_ok());
}

#[test]
fn illegal_moves_say_why() {
    let check = |sfen: &str, text: &str, why: &str| {
        let e = shogi(sfen).parse_usi(text).unwrap_err().to_string();
        assert!(e.contains(why) && e.contains(text), "{e:?} lacks {why:?}");
    };
    let start = Shogi::START;
    check(start, "", "is not a move");
    check(start, "7g7", "is not a move");
    check(start, "7g7f++", "is not a move");
    check(start, "7g7j", "is not a move");
    check(start, "0g7f", "is not a move");
    check(start, "K*5e", "is not a move");
    check(start, "resign", "is not a move");
    check(start, "７g7f", "is not a move");
    check(start, "5e5d", "no piece on the square");
    check(start, "3c3d", "belongs to the opponent");
    check(start, "8h7g", "own piece");
    check(start, "8h2b+", "does not move that way");
    check(start, "7g7f+", "outside the promotion zone");
    check(start, "5i5h+", "cannot promote");
    check(start, "P*5e", "no such piece in hand");
    check("4k4/8P/9/9/9/9/9/9/4K4 b - 1", "1b1a", "must promote");
    check("4k4/9/9/9/9/9/9/9/4K4 b N 1", "N*1b", "could never move");
    check("4k4/9/9/9/9/8P/9/9/4K4 b P 1", "P*1d", "two unpromoted pawns");
    check("4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*5a", "empty square");
    check("4r3k/9/9/9/9/9/9/4G4/4K4 b - 1", "5h4h", "exposed to check");
    check("4r3k/9/9/9/9/9/9/9/4K4 b P 1", "P*1e", "stays in check");
    check("7lk/9/8G/9/9/9/9/9/K8 b P 1", "P*1b", "dropped pawn");
    let long = "x".repeat(1 << 20);
    let MoveError::Syntax(quoted) = shogi(start).parse_usi(&long).unwrap_err() else { panic!() };
    assert!(quoted.len() < 100);
}

#[test]
fn perpetual_check_loses() {
    // Black's rook chases the king between two squares.
    let mut pos = shogi("9/9/9/9/8k/9/9/9/K6R1 b - 1");
    play(&mut pos, "2i1i 1e2e 1i2i 2e1e");
    for round in 0..2 {
        assert_eq!(pos.repetition(), None, "round {round}");
        play(&mut pos, "2i1i 1e2e 1i2i 2e1e");
    }
    assert_eq!(pos.recurrence(100), Some(Recurrence::Loss));
    assert_eq!(pos.occurrences(), 4);
    assert_eq!(pos.repetition(), Some(GameRepetition::Lost(Color::Black)));
    // One quiet move in the cycle and it is a draw.
    let mut pos = shogi("9/9/9/9/8k/9/9/9/K6R1 b - 1");
    for _ in 0..3 {
        play(&mut pos, "2i1i 1e2e 1i8i 2e2d 8i2i 2d1e");
    }
    assert_eq!(pos.repetition(), Some(GameRepetition::Draw));
    assert_eq!(pos.recurrence(100), Some(Recurrence::Draw));
    assert_eq!(pos.recurrence(4), None);
}

#[test]
fn minishogi_repetition_wins_for_white() {
    let mut pos = Position::<Minishogi>::startpos();
    for _ in 0..3 {
        play(&mut pos, "4e4d 2a2b 4d4e 2b2a");
    }
    assert_eq!(pos.repetition(), Some(GameRepetition::Lost(Color::Black)));
    assert_eq!(pos.recurrence(100), Some(Recurrence::Loss));
    // Unless White gave check all the time.
    let mut pos = Position::<Minishogi>::from_sfen("k3r/5/5/5/4K w - 1").unwrap_err();
    assert!(pos.reasons.pop().unwrap().contains("Black is in check"));
    let mut pos = Position::<Minishogi>::from_sfen("k4/3r1/5/5/4K w - 1").unwrap();
    for _ in 0..3 {
        play(&mut pos, "2b1b 1e2e 1b2b 2e1e");
    }
    assert_eq!(pos.repetition(), Some(GameRepetition::Lost(Color::White)));
}

#[test]
fn superior_and_inferior_recurrence() {
    // Black's silver takes a pawn that White drops, and everything else is as it was.
    let mut pos = shogi("4k4/9/9/9/9/9/4S4/9/4K4 b 2p 1");
    play(&mut pos, "5i4i P*4f 5g4f 5a4a 4f5g 4a4b 4i5i 4b5a");
    assert_eq!(pos.recurrence(100), Some(Recurrence::Superior));
    assert_eq!((pos.repetition(), pos.occurrences()), (None, 1));
    let mut pos = shogi("4k4/9/9/9/9/9/4S4/9/4K4 w 2p 1");
    play(&mut pos, "P*4f 5g4f 5a4a 4f5g 4a4b 5i4i 4b5a 4i5i");
    assert_eq!(pos.recurrence(100), Some(Recurrence::Inferior));
}

#[test]
fn null_moves_hide_the_past() {
    let mut pos = Position::<Shogi>::startpos();
    let key = pos.key();
    pos.play_null();
    assert_ne!(pos.key(), key);
    pos.play_null();
    assert_eq!(pos.key(), key);
    assert_eq!(pos.recurrence(100), None);
    assert_eq!(pos.moves_played(), [Move::NULL, Move::NULL]);
    pos.undo();
    pos.undo();
    assert_eq!(pos, Position::startpos());
    pos.undo();
    assert_eq!(pos, Position::startpos(), "nothing to take back is not an error");
}

#[test]
fn hands_compare_kind_by_kind() {
    let hand = |s: &str| shogi(&format!("4k4/9/9/9/9/9/9/9/4K4 b {s} 1")).hand(Color::Black);
    assert!(hand("2P").covers(hand("P")));
    assert!(!hand("P").covers(hand("2P")));
    assert!(hand("18P4L4N4S4G2B2R").covers(hand("18P4L4N4S4G2B2R")));
    assert!(hand("18P4L4N4S4G2B2R").covers(Hand::EMPTY));
    for (a, b) in [("R", "B"), ("17PR", "18P"), ("LN", "LS"), ("4G", "R")] {
        assert!(!hand(a).covers(hand(b)) && !hand(b).covers(hand(a)), "{a} {b}");
    }
}

#[test]
fn handicaps_by_name() {
    for h in Handicap::ALL {
        let pos = shogi(&h.sfen());
        assert_eq!(pos.sfen(), h.sfen());
        assert_eq!(Handicap::from_sfen(&pos.sfen()), Some(h));
        assert_eq!(h.name().parse(), Ok(h));
        assert_eq!(h.kanji().parse(), Ok(h));
        assert_eq!(pos.turn() == Color::White, h != Handicap::Even);
    }
    assert_eq!("Rook Lance".parse(), Ok(Handicap::RookLance));
    assert!("queen".parse::<Handicap>().unwrap_err().to_string().contains("right-lance"));
    assert!(rules::start_sfen(Game::Minishogi, "rook").is_err());
    assert_eq!(rules::start_sfen(Game::Minishogi, "even").unwrap(), Minishogi::START);
}

#[test]
fn declaration_with_handicap_correction() {
    // White, who gave two pieces (10 points), holds 17 points: enough only when they count.
    let sfen = "4k4/9/9/9/9/9/+p+p+p+p+p5+p+p+p/k8/9 w rb7p 100";
    assert!(Position::<Shogi>::from_sfen(sfen).is_err());
    let sfen = "9/9/9/K8/9/9/+p+p+p+p+p4/+p+p+p+p+p4/k8 w 7p2l 100";
    let pos = shogi(sfen);
    let count = pos.declaration_count(Color::White, Declaration::Points27).unwrap();
    assert_eq!((count.pieces, count.points, count.needed), (10, 19, 27));
    assert!(!pos.can_declare(Declaration::Points27) && pos.can_declare(Declaration::Points27H));
    assert!(!pos.can_declare(Declaration::None) && pos.can_declare(Declaration::Points24H));
    for d in Declaration::ALL {
        assert_eq!(d.name().parse(), Ok(d));
    }
    assert!("CSARule99".parse::<Declaration>().is_err());
    // Try: 5a must be free of attack.
    let pos = shogi("9/4K4/9/9/9/9/9/9/4k4 b - 1");
    assert!(pos.can_declare(Declaration::Try));
    assert_eq!(pos.try_move().unwrap().usi(Game::Shogi), "5b5a");
    assert!(!shogi("8l/3sK4/9/9/9/9/9/9/4k4 b - 1").can_declare(Declaration::Try));
}

/// Pawn 1, lance 3, knight 3, silver 5, bishop 8, rook 10, gold 6, king 1000; promoted pieces.
const VALUES: rules::PieceValues = [0, 1, 3, 3, 5, 8, 10, 6, 1000, 6, 6, 6, 6, 12, 14];

#[test]
fn exchanges() {
    let check = |sfen: &str, text: &str, worth: i32| {
        let pos = shogi(sfen);
        let m = pos.parse_usi(text).unwrap();
        assert!(pos.see_at_least(m, worth, &VALUES), "{text} in {sfen} is worth {worth}");
        assert!(!pos.see_at_least(m, worth + 1, &VALUES), "{text} in {sfen} is worth no more");
    };
    // A free pawn; a guarded one taken by a rook; by a pawn with a rook behind.
    check("4k4/9/9/4p4/9/9/9/4R4/4K4 b - 1", "5h5d", 1);
    check("4k4/9/4g4/4p4/9/9/9/4R4/4K4 b - 1", "5h5d", -9);
    check("k8/9/4g4/4p4/4P4/9/9/4R4/4K4 b - 1", "5e5d", 1);
    // A quiet move into an attack, a drop into one, and a lance uncovered behind a rook.
    check("4k4/9/4p4/9/4G4/9/9/9/4K4 b - 1", "5e5d", -6);
    check("4k4/9/4p4/9/9/9/9/9/4K4 b S 1", "S*5d", -5);
    check("4k4/9/4g4/4p4/9/9/4R4/4L4/4K4 b - 1", "5g5d", -3);
    // Promotion counts; the king takes only what is not guarded.
    check("k8/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+", 5);
    check("9/4k4/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+", -1);
    check("9/4k4/9/4P4/4L4/9/9/9/4K4 b - 1", "5d5c+", 5);
}

/// What `side` gains at best by taking a piece of that worth on `to`, read out capture by capture.
fn taken_back<V: Variant>(
    pos: &Position<V>,
    to: Square,
    occupied: V::Bits,
    side: Color,
    worth: i32,
) -> i32 {
    const CHEAPEST_FIRST: [Kind; 14] = [
        Kind::Pawn,
        Kind::Lance,
        Kind::Knight,
        Kind::ProPawn,
        Kind::ProLance,
        Kind::ProKnight,
        Kind::Silver,
        Kind::ProSilver,
        Kind::Gold,
        Kind::Bishop,
        Kind::Rook,
        Kind::Horse,
        Kind::Dragon,
        Kind::King,
    ];
    let own = pos.attackers_of(side, to, occupied) & occupied;
    let Some(kind) = CHEAPEST_FIRST.into_iter().find(|&kind| (own & pos.kind(kind)).any()) else {
        return 0;
    };
    let from = (own & pos.kind(kind)).first();
    if kind == Kind::King && (pos.attackers_of(side.opponent(), to, occupied) & occupied).any() {
        return 0;
    }
    let rest = occupied ^ V::Bits::of(from);
    (worth - taken_back(pos, to, rest, side.opponent(), VALUES[kind.index()])).max(0)
}

#[test]
fn exchanges_agree_with_reading_them_out() {
    fn check<V: Variant>(seed: u64) {
        let mut rng = Rng::new(seed);
        let mut pos = Position::<V>::startpos();
        for _ in 0..160 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            for &m in &moves {
                let to = m.to();
                let mut occupied = pos.occupied() | V::Bits::of(to);
                let mut worth = VALUES[pos.piece_at(to).kind_index()];
                let moved = VALUES[pos.moved_piece(m).kind_index()];
                if !m.is_drop() {
                    occupied ^= V::Bits::of(m.from());
                    worth += moved - VALUES[pos.piece_at(m.from()).kind_index()];
                }
                worth -= taken_back(&pos, to, occupied, pos.turn().opponent(), moved);
                assert!(pos.see_at_least(m, worth, &VALUES), "{m:?} {worth} {pos:?}");
                assert!(!pos.see_at_least(m, worth + 1, &VALUES), "{m:?} {worth} {pos:?}");
            }
            pos.play(moves[rng.below(moves.len())]);
        }
    }
    (0..40).for_each(check::<Shogi>);
    (0..40).for_each(check::<Minishogi>);
}

#[test]
fn squares_and_pieces_translate() {
    let check = |text: &str, index: usize| {
        let sq = Square::from_usi(Game::Shogi, text).unwrap();
        assert_eq!((sq.index(), sq.usi(Game::Shogi).as_str()), (index, text));
        assert_eq!(sq.rotated(Game::Shogi).index(), 80 - index);
    };
    for (text, index) in [("1a", 0), ("1b", 1), ("2a", 9), ("5e", 40), ("5i", 44), ("9i", 80)] {
        check(text, index);
    }
    assert_eq!(Square::from_usi(Game::Minishogi, "6a"), None);
    assert_eq!(Square::from_usi(Game::Minishogi, "5e").unwrap().index(), 24);
    // The published vectors of the 16-bit encoding.
    for (text, bits) in [("7g7f", 7739), ("P*5e", 16552), ("8h2b+", 41738)] {
        assert_eq!(Move::from_usi(Game::Shogi, text).unwrap().bits(), bits);
    }
    for kind in Kind::ALL {
        assert!(kind.promoted().is_none_or(|p| p.unpromoted() == kind && p.is_promoted()));
    }
}

#[test]
fn without_history_is_what_a_position_command_gives() {
    let mut pos = shogi(Shogi::START);
    play(&mut pos, "7g7f 3c3d 8h3c+");
    assert!(pos.in_check());
    let bare = pos.without_history();
    let read = shogi(&pos.sfen());
    assert_eq!((bare.sfen(), bare.key()), (read.sfen(), read.key()));
    assert_eq!(bare.occurrences(), 1);
    assert_eq!(bare.checkers(), read.checkers());
    let mut undone = bare;
    undone.undo();
    assert_eq!(undone.sfen(), pos.sfen(), "there is nothing to take back");
}
