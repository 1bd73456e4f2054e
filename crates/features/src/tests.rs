use crate::*;
use rules::{Color, Game, Handicap, Kind, Minishogi, Piece, Position, Shogi, Square, Variant};

fn features<V: Variant, F: FeatureSet<V>>(pos: &Position<V>, side: Color) -> Vec<u32> {
    let mut list = List::new();
    active::<V, F>(pos, side, &mut list);
    let mut found = list.to_vec();
    found.sort_unstable();
    found
}

/// Published bases of the 9×9 table: own, enemy.
#[test]
fn numbers_of_the_field() {
    let n = Numbering::of(Game::Shogi);
    let sq0 = Square::new(0);
    let (b, w) = (Color::Black, Color::White);
    let hands = [
        (Kind::Pawn, 1, 20),
        (Kind::Lance, 39, 44),
        (Kind::Knight, 49, 54),
        (Kind::Silver, 59, 64),
        (Kind::Gold, 69, 74),
        (Kind::Bishop, 79, 82),
        (Kind::Rook, 85, 88),
    ];
    for (kind, own, enemy) in hands {
        assert_eq!((n.hand(b, b, kind, 1), n.hand(b, w, kind, 1)), (own, enemy));
        assert_eq!((n.hand(w, w, kind, 2), n.hand(w, b, kind, 2)), (own + 1, enemy + 1));
    }
    let boards = [
        (Kind::Pawn, 90, 171),
        (Kind::Lance, 252, 333),
        (Kind::Knight, 414, 495),
        (Kind::Silver, 576, 657),
        (Kind::Gold, 738, 819),
        (Kind::ProPawn, 738, 819),
        (Kind::ProLance, 738, 819),
        (Kind::ProKnight, 738, 819),
        (Kind::ProSilver, 738, 819),
        (Kind::Bishop, 900, 981),
        (Kind::Horse, 1062, 1143),
        (Kind::Rook, 1224, 1305),
        (Kind::Dragon, 1386, 1467),
        (Kind::King, 1548, 1629),
    ];
    for (kind, own, enemy) in boards {
        assert_eq!(n.board(b, Piece::new(b, kind), sq0), own);
        assert_eq!(n.board(b, Piece::new(w, kind), sq0), enemy);
        assert_eq!(n.board(w, Piece::new(w, kind), sq0), own + 80);
        assert_eq!(n.board(w, Piece::new(b, kind), sq0), enemy + 80);
    }
    assert_eq!((n.hand_end(), n.end(), n.kings_end()), (90, 1548, 1710));
    let n = Numbering::of(Game::Minishogi);
    assert_eq!((n.hand_end(), n.end(), n.kings_end()), (30, 380, 430));
    assert_eq!(n.board(b, Piece::new(b, Kind::ProSilver), sq0), 30 + 4 * 25);
}

#[test]
fn sizes_of_the_sets() {
    assert_eq!(<HalfKp as FeatureSet<Shogi>>::INPUTS, 125_388);
    assert_eq!(<HalfKp as FeatureSet<Minishogi>>::INPUTS, 9_500);
    assert_eq!(<KP as FeatureSet<Shogi>>::INPUTS, 1_710);
    assert_eq!(<HalfKpE9 as FeatureSet<Shogi>>::INPUTS, 1_128_492);
    assert_eq!(<HalfKpKrank as FeatureSet<Shogi>>::INPUTS, 1_128_492);
    // The transformer hash of the published K-P net of 256.
    assert_eq!(<KP as FeatureSet<Shogi>>::HASH ^ 512, 0x3F57_15FF);
}

#[test]
fn start_position() {
    let pos = Position::<Shogi>::startpos();
    for side in Color::BOTH {
        let half = features::<Shogi, HalfKp>(&pos, side);
        assert_eq!(half.len(), 38);
        assert!(half.contains(&68_262), "the own pawn on 7g (3c) with the king at home");
        assert_eq!(half, features::<Shogi, HalfKp>(&pos, Color::Black));
        let kp = features::<Shogi, KP>(&pos, side);
        assert_eq!(kp.len(), 40);
        assert!(kp.contains(&(1548 + 44)) && kp.contains(&(1629 + 36)));
        let krank = features::<Shogi, HalfKpKrank>(&pos, side);
        assert_eq!(krank, half, "the other king is on the far rank, the first");
        // 7g: attacked by nobody of the enemy, by bishop and knight of its own side.
        let e9 = features::<Shogi, HalfKpE9>(&pos, side);
        assert!(e9.contains(&(68_262 + 6 * 125_388)), "{e9:?}");
    }
    assert_eq!(features::<Minishogi, HalfKp>(&Position::startpos(), Color::Black).len(), 10);
}

/// It is the other king's rank that chooses the matrix, as the owner of the features sees it.
#[test]
fn the_other_kings_rank_chooses() {
    // White's king has come to Black's second rank; Black's is at home.
    let pos = Position::<Shogi>::from_sfen("9/9/9/9/9/9/9/k8/4K4 b - 1").unwrap();
    for (side, rank) in [(Color::Black, 7), (Color::White, 0)] {
        let half = features::<Shogi, HalfKp>(&pos, side);
        let krank = features::<Shogi, HalfKpKrank>(&pos, side);
        assert!(krank.iter().zip(&half).all(|(&a, &b)| a == b + rank * 125_388), "{side}");
    }
}

#[test]
fn absent_pieces_count() {
    for (handicap, missing) in [(Handicap::Even, 0), (Handicap::Two, 2), (Handicap::Ten, 10)] {
        let pos = Position::<Shogi>::from_sfen(&handicap.sfen()).unwrap();
        for side in Color::BOTH {
            let half = features::<Shogi, HalfKp>(&pos, side);
            assert_eq!(half.len(), 38);
            assert_eq!(half.iter().filter(|&&f| f == 44 * 1548).count(), missing);
            let kp = features::<Shogi, KP>(&pos, side);
            assert_eq!(kp.iter().filter(|&&f| f == 0).count(), missing);
        }
    }
}

/// Along random games: features stay inside the set, the changes of a move lead from the
/// features before to those after, and a turned position has the other side's features.
fn follow<V: Variant, F: FeatureSet<V>>(start: &str, seed: u64) {
    let mut rng = seed::Rng::new(seed);
    let mut pos = Position::<V>::from_sfen(start).unwrap();
    for _ in 0..300 {
        let moves = pos.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[rng.below(moves.len())];
        let before = Color::BOTH.map(|side| features::<V, F>(&pos, side));
        let view =
            |pos: &Position<V>, side| View::new::<V, F>(side, Color::BOTH.map(|c| pos.king(c)));
        let views = Color::BOTH.map(|side| view(&pos, side));
        let delta = pos.play(m);
        let king_moved = delta.placed.kind_index() == Kind::King.index();
        for side in Color::BOTH {
            let after = features::<V, F>(&pos, side);
            assert!(after.iter().all(|&f| (f as usize) < F::INPUTS));
            let view = view(&pos, side);
            if F::EFFECT_STRIDE > 0 || view != views[side.index()] {
                assert!(F::EFFECT_STRIDE > 0 || king_moved);
                assert!(F::EFFECT_STRIDE > 0 || F::BY_OTHER_KING || delta.color == side);
                continue;
            }
            let c = changed::<V, F>(view, &delta);
            let mut found = before[side.index()].clone();
            for f in c.removed() {
                let at = found.iter().position(|x| x == f).expect("removed what was not there");
                found.swap_remove(at);
            }
            found.extend_from_slice(c.added());
            found.sort_unstable();
            assert_eq!(found, after, "{} {side}", pos.sfen());
        }
    }
}

#[test]
fn changes_follow_games() {
    for seed in 0..10 {
        follow::<Shogi, HalfKp>(Shogi::START, seed);
        follow::<Shogi, KP>(Shogi::START, seed);
        follow::<Shogi, KPHm>(Shogi::START, seed);
        follow::<Shogi, HalfKpKrank>(&Handicap::Six.sfen(), seed);
        follow::<Shogi, HalfKpE9>(Shogi::START, seed);
        follow::<Minishogi, HalfKp>(Minishogi::START, seed);
        follow::<Minishogi, KP>(Minishogi::START, seed);
    }
}

#[test]
fn attacks_count_to_two() {
    let pos = Position::<Shogi>::startpos();
    let e = Effects::of(&pos);
    let count = |color, usi| e.count(color, Square::from_usi(Game::Shogi, usi).unwrap());
    assert_eq!(count(Color::Black, "5h"), 2); // king, two golds and the rook
    assert_eq!(count(Color::Black, "7f"), 1);
    assert_eq!(count(Color::Black, "5e"), 0);
    assert_eq!(count(Color::White, "8c"), 1);
    assert_eq!(count(Color::White, "9a"), 0);
}

#[test]
fn numbers_mirror_and_turn_like_the_pieces_they_stand_for() {
    for game in Game::ALL {
        let n = Numbering::of(game);
        let pieces = |color| Kind::ALL.into_iter().map(move |kind| Piece::new(color, kind));
        for piece in Color::BOTH.into_iter().flat_map(pieces) {
            let kind = piece.kind().unwrap().unpromoted();
            let absent = game == Game::Minishogi && matches!(kind, Kind::Lance | Kind::Knight);
            for sq in Square::all(game).filter(|_| !absent) {
                let [black, white] = Color::BOTH.map(|side| n.board(side, piece, sq));
                assert_eq!([n.turned(black), n.turned(white)], [white, black]);
                let mirrored = n.board(Color::Black, piece, sq.mirrored(game));
                assert_eq!([n.mirrored(black), n.mirrored(mirrored)], [mirrored, black]);
            }
            if kind != Kind::King && !absent {
                for owner in Color::BOTH {
                    let [black, white] = Color::BOTH.map(|side| n.hand(side, owner, kind, 2));
                    assert_eq!([n.turned(black), n.turned(white)], [white, black]);
                    assert_eq!(n.mirrored(black), black);
                }
            }
        }
        assert_eq!([n.mirrored(0), n.turned(0)], [0, 0]);
        for number in 0..n.kings_end() {
            assert_eq!(n.turned(n.turned(number)), number);
            assert_eq!(n.mirrored(n.mirrored(number)), number);
            assert_eq!(n.turned(n.mirrored(number)), n.mirrored(n.turned(number)));
        }
    }
}

#[test]
fn a_king_on_the_other_half_sees_the_mirrored_board() {
    let sfen = |board: &str| format!("{board} b BSbs 1");
    let left = sfen("ln4knl/1r2g1gs1/p1ppppppp/1p7/9/2P6/PP1PPPPPP/1KG4R1/LNSG3NL");
    let right = sfen("lnk4nl/1sg1g2r1/ppppppp1p/7p1/9/6P2/PPPPPP1PP/1R4GK1/LN3GSNL");
    let [left, right] = [left, right].map(|s| Position::<Shogi>::from_sfen(&s).unwrap());
    for side in Color::BOTH {
        assert_eq!(features::<Shogi, KPHm>(&left, side), features::<Shogi, KPHm>(&right, side));
        assert_ne!(features::<Shogi, KP>(&left, side), features::<Shogi, KP>(&right, side));
    }
    // Each side sees one of the two as it is.
    let plain = [&left, &right].map(|p| features::<Shogi, KP>(p, Color::Black));
    assert!(plain.contains(&features::<Shogi, KPHm>(&left, Color::Black)));
    // A king in the middle mirrors nothing.
    let start = Position::<Shogi>::startpos();
    for side in Color::BOTH {
        assert_eq!(features::<Shogi, KPHm>(&start, side), features::<Shogi, KP>(&start, side));
    }
}
