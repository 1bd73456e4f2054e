//! Random numbers behind position keys, fixed for all time (they end up in files).

use crate::{Color, Kind, Piece, Square};

const fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

struct Keys {
    board: [[u64; 81]; 32],
    hand: [[u64; 8]; 2],
    turn: u64,
}

static KEYS: Keys = {
    // "Nue" in ASCII, three times over.
    let mut s = 0x4e75_654e_7565_4e75;
    let mut k = Keys { board: [[0; 81]; 32], hand: [[0; 8]; 2], turn: 0 };
    let mut p = 0;
    while p < 32 {
        let mut sq = 0;
        while sq < 81 {
            k.board[p][sq] = splitmix(&mut s);
            sq += 1;
        }
        p += 1;
    }
    let mut c = 0;
    while c < 2 {
        let mut kind = 1;
        while kind < 8 {
            k.hand[c][kind] = splitmix(&mut s);
            kind += 1;
        }
        c += 1;
    }
    k.turn = splitmix(&mut s);
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

/// The number for White to move, part of the board key.
#[inline]
pub(crate) fn turn() -> u64 {
    KEYS.turn
}
