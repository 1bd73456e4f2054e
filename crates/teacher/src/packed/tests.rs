//! Published vectors, every direction, and junk.

use super::*;
use proptest::prelude::*;
use rules::{AnyPosition, Handicap, Kings, Minishogi, Position, Shogi};

fn bytes(hex: &str) -> [u8; 32] {
    assert_eq!(hex.len(), 64);
    std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
}

fn placement(game: Game, sfen: &str) -> Placement {
    Placement::of_any(&AnyPosition::from_sfen_with(game, sfen, Kings::Any).unwrap())
}

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const MIDDLE: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
const TWO: &str = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
const LATE: &str = "5g3/1+P1g1ks2/2p1pp1+P+L/3p2p2/1PP3s2/R8/B1NS1PP2/L4GS1K/2L4N1 w RB2NL7Pg 1";

#[test]
fn published_vectors_both_ways() {
    use Scheme::{Apery, YaneuraOu};
    for (scheme, sfen, hex) in [
        (YaneuraOu, START, "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c"),
        (
            YaneuraOu,
            "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
            "582400000000000000000000000000000000104208a59432c618e79cf3787c3e",
        ),
        (
            YaneuraOu,
            "4k4/9/9/9/9/9/9/9/4K4 b - 1",
            "58240000000000000000008024499224499294524aadb5b6d65a7beffd7afd7e",
        ),
        (
            YaneuraOu,
            "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "592412615825e2673925c2f14a844722bc12e13925c2b14ac4c742220c29bd7e",
        ),
        (YaneuraOu, LATE, "0f1c264081c5294f717813f12001afe4801416832200fc7c0c00004028e5f1b9"),
        (YaneuraOu, MIDDLE, "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc"),
        (Apery, START, "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c"),
        (Apery, MIDDLE, "2381490986eb1565014b3cbee40200a0c417b84a0004c744113fc3f9912467bd"),
        (Apery, TWO, "59a449210c9742fc1c9b42585e85f0288457213c9b42582e85f8382685303c5e"),
    ] {
        let placed = placement(Game::Shogi, sfen);
        assert_eq!(pack(scheme, &placed).unwrap(), bytes(hex), "{scheme:?} {sfen}");
        assert_eq!(unpack(scheme, Game::Shogi, &bytes(hex)).unwrap(), placed, "{scheme:?} {sfen}");
    }
}

#[test]
fn the_old_order_of_hands_is_read() {
    let old = bytes("2381510a86f515e900473c3ed5010020c52758530004cb48123fc3e79024ebbc");
    let read = unpack(Scheme::YaneuraOu, Game::Shogi, &old).unwrap();
    assert_eq!(read, placement(Game::Shogi, MIDDLE));
}

/// Older writers leave the piece box out. The bytes are those cshogi once wrote for two pieces.
#[test]
fn handicaps_without_a_box_gain_no_pawns() {
    let old = bytes("59a449210c9742fc1c9b42585e85f0288457213c9b42582e85f8382685300000");
    let read = unpack(Scheme::Apery, Game::Shogi, &old).unwrap();
    assert_eq!(read, placement(Game::Shogi, TWO));
    for scheme in [Scheme::YaneuraOu, Scheme::Apery] {
        for handicap in Handicap::ALL {
            let placed = placement(Game::Shogi, &handicap.sfen());
            let full = pack(scheme, &placed).unwrap();
            assert_eq!(unpack(scheme, Game::Shogi, &full).unwrap(), placed, "{handicap}");
            let unboxed = without_box(scheme, &placed);
            assert_eq!(unpack(scheme, Game::Shogi, &unboxed).unwrap(), placed, "{handicap}");
        }
    }
}

/// What a writer without a box writes.
fn without_box(scheme: Scheme, placed: &Placement) -> [u8; 32] {
    let table = table(scheme);
    let missing = placed.missing();
    let boxed: usize = ORDER
        .iter()
        .map(|k| missing[k.index()] as usize * usize::from(table.boxed[k.index()].length))
        .sum();
    let mut bytes = pack(scheme, placed).unwrap();
    for bit in 256 - boxed..256 {
        bytes[bit / 8] &= !(1 << (bit % 8));
    }
    bytes
}

#[test]
fn without_a_king_there_is_no_room_on_81_squares() {
    let tsume = placement(Game::Shogi, "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1");
    for scheme in [Scheme::YaneuraOu, Scheme::Apery] {
        assert!(matches!(pack(scheme, &tsume), Err(PackError::Unfit(_))));
        let mini = placement(Game::Minishogi, "4k/5/5/5/5 b G 1");
        let packed = pack(scheme, &mini).unwrap();
        assert_eq!(unpack(scheme, Game::Minishogi, &packed).unwrap(), mini);
    }
}

#[test]
fn wrong_bits_are_refused_with_a_reason() {
    let start = bytes("58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c");
    let with = |f: &dyn Fn(&mut [u8; 32])| {
        let mut changed = start;
        f(&mut changed);
        unpack(Scheme::YaneuraOu, Game::Shogi, &changed).unwrap_err().to_string()
    };
    assert!(with(&|b| *b = [0xFF; 32]).contains("king on square 127"));
    assert!(with(&|b| *b = [0; 32]).contains("both kings on square 0"));
    assert!(with(&|b| b[8..].fill(0x11)).contains("too many pawns"));
    assert!(with(&|b| b[31] = 0xFF).contains("too many"));
}

/// Moves pieces between board, hands and box at random, then checks both schemes.
fn scatter(game: Game, draws: &[u8], kings: (usize, usize)) -> Placement {
    let squares = game.squares();
    let mut placed = Placement::empty(game);
    placed.board[kings.0 % squares] = Piece::new(Color::Black, Kind::King);
    let white = if kings.1 % squares == kings.0 % squares { kings.1 + 1 } else { kings.1 };
    placed.board[white % squares] = Piece::new(Color::White, Kind::King);
    let mut draws = draws.iter().cycle().enumerate();
    for kind in ORDER {
        for _ in 0..set(game)[kind.index()] {
            let (i, &draw) = draws.next().unwrap();
            // Every other time no pawn goes to the box, as in all handicaps.
            let draw =
                if kind == Kind::Pawn && kings.0.is_multiple_of(2) { draw & !6 | 2 } else { draw };
            let color = if draw & 1 == 0 { Color::Black } else { Color::White };
            let square = (usize::from(draw) * 7 + i * 13) % squares;
            match draw >> 1 & 3 {
                0 => {}
                1 => placed.hands[color.index()].add(kind),
                _ if placed.board[square].is_some() => {}
                _ => {
                    let piece = Piece::new(color, kind);
                    placed.board[square] = if draw & 8 == 0 { piece } else { piece.promoted() };
                }
            }
        }
    }
    placed.turn = if draws.next().unwrap().1 & 1 == 0 { Color::Black } else { Color::White };
    placed
}

proptest! {
    #[test]
    fn any_material_reads_back(
        draws in prop::collection::vec(any::<u8>(), 1..60),
        kings in (0usize..81, 0usize..81),
    ) {
        for game in Game::ALL {
            let placed = scatter(game, &draws, kings);
            for scheme in [Scheme::YaneuraOu, Scheme::Apery] {
                let packed = pack(scheme, &placed).unwrap();
                let read = unpack(scheme, game, &packed).unwrap();
                prop_assert_eq!(&read, &placed);
                if game == Game::Shogi && placed.missing()[Kind::Pawn.index()] == 0 {
                    let read = unpack(scheme, game, &without_box(scheme, &placed)).unwrap();
                    prop_assert_eq!(&read, &placed);
                }
            }
        }
    }

    #[test]
    fn positions_of_games_read_back(choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let mut shogi = Position::<Shogi>::startpos();
        let mut mini = Position::<Minishogi>::startpos();
        for choice in choices {
            let (a, b) = (shogi.legal_moves(), mini.legal_moves());
            if a.is_empty() || b.is_empty() {
                break;
            }
            shogi.play(a[usize::from(choice) % a.len()]);
            mini.play(b[usize::from(choice) % b.len()]);
        }
        for scheme in [Scheme::YaneuraOu, Scheme::Apery] {
            let packed = pack(scheme, &Placement::of(&shogi)).unwrap();
            let read = unpack(scheme, Game::Shogi, &packed).unwrap().position(shogi.ply()).unwrap();
            prop_assert_eq!(read, AnyPosition::from(shogi.clone()));
            let packed = pack(scheme, &Placement::of(&mini)).unwrap();
            let read = unpack(scheme, Game::Minishogi, &packed).unwrap();
            prop_assert_eq!(read.position(mini.ply()).unwrap(), AnyPosition::from(mini.clone()));
        }
    }

    #[test]
    fn junk_is_refused_or_packs_again(junk in prop::array::uniform32(any::<u8>()), low in any::<bool>()) {
        // Low kings and few pieces are rare in junk: help it along.
        let mut junk = junk;
        if low {
            junk[0] &= 0x3F;
            junk[1] &= 0x1F;
            junk[8..].iter_mut().for_each(|b| *b &= 0x11);
        }
        for game in Game::ALL {
            for scheme in [Scheme::YaneuraOu, Scheme::Apery] {
                if let Ok(placed) = unpack(scheme, game, &junk) {
                    if let Ok(again) = pack(scheme, &placed) {
                        prop_assert_eq!(unpack(scheme, game, &again).unwrap(), placed.clone());
                    }
                    let _ = placed.position(1);
                }
            }
        }
    }
}
