//! Random numbers behind position keys, fixed for all time (they end up in files).

use crate::{Color, Hand, Kind, Piece, Square};
use seed::Rng;

struct Keys {
    board: [[u64; 81]; 32],
    hand: [[u64; 8]; 2],
    turn: u64,
}

static KEYS: Keys = {
    // "Nue" in ASCII, three times over.
    let mut rng = Rng::new(0x4e75_654e_7565_4e75);
    let mut k = Keys { board: [[0; 81]; 32], hand: [[0; 8]; 2], turn: 0 };
    let mut p = 0;
    while p < 32 {
        let mut sq = 0;
        while sq < 81 {
            k.board[p][sq] = rng.bits();
            sq += 1;
        }
        p += 1;
    }
    let mut c = 0;
    while c < 2 {
        let mut kind = 1;
        while kind < 8 {
            k.hand[c][kind] = rng.bits();
            kind += 1;
        }
        c += 1;
    }
    k.turn = rng.bits();
    k
};

/// The number of a piece on a square; keys combine by exclusive or.
#[inline]
pub(crate) fn board(piece: Piece, sq: Square) -> u64 {
    KEYS.board[piece.index()][sq.index()]
}

/// The number of one piece in hand; hand keys are sums, so that the n-th copy needs no table.
#[inline]
pub(crate) fn hand(color: Color, kind: Kind) -> u64 {
    KEYS.hand[color.index()][kind.index()]
}

/// The number of both hands.
pub(crate) fn hands(hands: [Hand; 2]) -> u64 {
    let mut key = 0u64;
    for (color, held) in Color::BOTH.into_iter().zip(hands) {
        for kind in Kind::HAND {
            key = key.wrapping_add(hand(color, kind).wrapping_mul(held.count(kind) as u64));
        }
    }
    key
}

/// The number for White to move, part of the board key.
#[inline]
pub(crate) fn turn() -> u64 {
    KEYS.turn
}
