//! Rays and steps on an empty board, computed at compile time for both boards.
//!
//! Everything here works on a wide `u128` form: bit `n` is square `n`, except that the 9×9 board
//! leaves bit 63 free (see [`crate::bits`]).

use crate::bits::LOW;
use crate::{Color, Kind};

/// The bit of a square.
pub(crate) const fn bit(size: usize, sq: usize) -> u128 {
    if size == 9 && sq >= LOW { 1 << (sq + 1) } else { 1 << sq }
}

/// The bit `df` files and `dr` ranks away, or 0 off the board.
const fn at(size: usize, sq: usize, df: i32, dr: i32) -> u128 {
    let file = (sq / size) as i32 + df;
    let rank = (sq % size) as i32 + dr;
    if file < 0 || rank < 0 || file >= size as i32 || rank >= size as i32 {
        return 0;
    }
    bit(size, file as usize * size + rank as usize)
}

/// All squares from `sq` in one direction to the edge.
pub(crate) const fn ray(size: usize, sq: usize, df: i32, dr: i32) -> u128 {
    let mut set = 0;
    let mut n = 1;
    while n < size as i32 {
        set |= at(size, sq, df * n, dr * n);
        n += 1;
    }
    set
}

/// Squares of one rank, counted from 0.
pub(crate) const fn rank(size: usize, rank: usize) -> u128 {
    let mut set = 0;
    let mut file = 0;
    while file < size {
        set |= bit(size, file * size + rank);
        file += 1;
    }
    set
}

const fn diagonals(size: usize, sq: usize) -> u128 {
    ray(size, sq, 1, 1) | ray(size, sq, 1, -1) | ray(size, sq, -1, 1) | ray(size, sq, -1, -1)
}

const fn straights(size: usize, sq: usize) -> u128 {
    ray(size, sq, 1, 0) | ray(size, sq, -1, 0) | ray(size, sq, 0, 1) | ray(size, sq, 0, -1)
}

/// Where a piece of that colour and kind goes from `sq` on an empty board.
pub(crate) const fn reach(size: usize, color: Color, kind: Kind, sq: usize) -> u128 {
    // Black moves towards rank 1.
    let f = if matches!(color, Color::Black) { -1 } else { 1 };
    let diagonal_steps =
        at(size, sq, 1, 1) | at(size, sq, 1, -1) | at(size, sq, -1, 1) | at(size, sq, -1, -1);
    let straight_steps =
        at(size, sq, 1, 0) | at(size, sq, -1, 0) | at(size, sq, 0, 1) | at(size, sq, 0, -1);
    match kind {
        Kind::Pawn => at(size, sq, 0, f),
        Kind::Lance => ray(size, sq, 0, f),
        Kind::Knight => at(size, sq, 1, 2 * f) | at(size, sq, -1, 2 * f),
        Kind::Silver => diagonal_steps | at(size, sq, 0, f),
        Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => {
            straight_steps | at(size, sq, 1, f) | at(size, sq, -1, f)
        }
        Kind::King => diagonal_steps | straight_steps,
        Kind::Bishop => diagonals(size, sq),
        Kind::Rook => straights(size, sq),
        Kind::Horse => diagonals(size, sq) | straight_steps,
        Kind::Dragon => straights(size, sq) | diagonal_steps,
    }
}

/// Squares at most two king's steps from `sq`, itself left out.
pub(crate) const fn near(size: usize, sq: usize) -> u128 {
    let mut set = 0;
    let mut df = -2;
    while df <= 2 {
        let mut dr = -2;
        while dr <= 2 {
            set |= at(size, sq, df, dr);
            dr += 1;
        }
        df += 1;
    }
    set & !bit(size, sq)
}

/// From where pieces of one colour attack one of the squares around the one asked about (the ring
/// around a king), on an empty board.
#[derive(Clone, Copy, Debug)]
pub struct RingAttackers<B> {
    pub lance: B,
    pub knight: B,
    /// Bishops and horses.
    pub bishop: B,
    /// Rooks and dragons.
    pub rook: B,
}

/// Squares from which a piece attacks a square next to `sq`: those the other colour's piece would
/// reach from there.
pub(crate) const fn attackers_of_ring(size: usize, color: Color, kind: Kind, sq: usize) -> u128 {
    let other = if matches!(color, Color::Black) { Color::White } else { Color::Black };
    let ring = reach(size, color, Kind::King, sq);
    let mut set = 0;
    let mut to = 0;
    while to < size * size {
        if ring & bit(size, to) != 0 {
            set |= reach(size, other, kind, to);
        }
        to += 1;
    }
    set
}

/// Direction from one square to another if they share a line, else (0, 0).
const fn direction(size: usize, a: usize, b: usize) -> (i32, i32) {
    let df = (b / size) as i32 - (a / size) as i32;
    let dr = (b % size) as i32 - (a % size) as i32;
    if df == 0 || dr == 0 || df == dr || df == -dr { (df.signum(), dr.signum()) } else { (0, 0) }
}

/// Squares strictly between two squares of one line; empty otherwise.
pub(crate) const fn between(size: usize, a: usize, b: usize) -> u128 {
    let (df, dr) = direction(size, a, b);
    if df == 0 && dr == 0 {
        return 0;
    }
    ray(size, a, df, dr) & ray(size, b, -df, -dr)
}

/// The whole line through two squares, both included; empty if they share none.
pub(crate) const fn line(size: usize, a: usize, b: usize) -> u128 {
    let (df, dr) = direction(size, a, b);
    if df == 0 && dr == 0 {
        return 0;
    }
    ray(size, a, df, dr) | ray(size, a, -df, -dr) | bit(size, a)
}

/// The tables of one board.
pub(crate) struct Tables<B: 'static, const N: usize> {
    /// `reach` by colour, kind number and square.
    pub(crate) reach: [[[B; N]; 15]; 2],
    /// `between` by two squares.
    pub(crate) between: [[B; N]; N],
    /// `line` by two squares.
    pub(crate) line: [[B; N]; N],
    /// `near` by square.
    pub(crate) near: [B; N],
    /// [`RingAttackers`] by colour and square.
    pub(crate) ring: [[RingAttackers<B>; N]; 2],
}

/// Builds [`Tables`] for a set type with a `const fn from_raw`. A macro because trait functions
/// cannot run at compile time.
macro_rules! tables {
    ($bits:ident, $size:literal, $squares:literal) => {{
        const EMPTY: $bits = $bits::from_raw(0);
        const NOWHERE: $crate::geometry::RingAttackers<$bits> = $crate::geometry::RingAttackers {
            lance: EMPTY,
            knight: EMPTY,
            bishop: EMPTY,
            rook: EMPTY,
        };
        let mut t = $crate::geometry::Tables::<$bits, $squares> {
            reach: [[[EMPTY; $squares]; 15]; 2],
            between: [[EMPTY; $squares]; $squares],
            line: [[EMPTY; $squares]; $squares],
            near: [EMPTY; $squares],
            ring: [[NOWHERE; $squares]; 2],
        };
        let mut a = 0;
        while a < $squares {
            let mut k = 1;
            while k < 15 {
                let kind = $crate::Kind::ALL[k - 1];
                let mut c = 0;
                while c < 2 {
                    let color = $crate::Color::BOTH[c];
                    t.reach[c][k][a] =
                        $bits::from_raw($crate::geometry::reach($size, color, kind, a));
                    c += 1;
                }
                k += 1;
            }
            t.near[a] = $bits::from_raw($crate::geometry::near($size, a));
            let mut c = 0;
            while c < 2 {
                macro_rules! from {
                    ($kind:ident) => {
                        $bits::from_raw($crate::geometry::attackers_of_ring(
                            $size,
                            $crate::Color::BOTH[c],
                            $crate::Kind::$kind,
                            a,
                        ))
                    };
                }
                t.ring[c][a] = $crate::geometry::RingAttackers {
                    lance: from!(Lance),
                    knight: from!(Knight),
                    bishop: from!(Horse),
                    rook: from!(Dragon),
                };
                c += 1;
            }
            let mut b = 0;
            while b < $squares {
                t.between[a][b] = $bits::from_raw($crate::geometry::between($size, a, b));
                t.line[a][b] = $bits::from_raw($crate::geometry::line($size, a, b));
                b += 1;
            }
            a += 1;
        }
        t
    }};
}
pub(crate) use tables;
