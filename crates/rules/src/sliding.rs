//! Attacks of lance, bishop and rook without tables of occupancies.
//!
//! 9×9: Qugiy's method. On a ray of growing square numbers, `o ^ (o - 1)` for the occupied
//! squares `o` of the ray sets every bit up to and including the first piece. A ray of falling
//! numbers becomes a growing one when the bytes of the board are reversed: no two squares of a
//! rank or diagonal ray share a byte, so the order inside a byte does not matter. Along a file
//! the squares are neighbours in one word, and the nearest piece below is found by counting
//! leading zeros.
//!
//! 5×5: squares of a ray may share a byte, so falling rays count leading zeros too.

use crate::bits::{Bits25, Bits81, LOW};
use crate::geometry::ray;
use crate::{Color, Square};

/// Squares between the origin and the first piece, that piece's square included, on a ray of
/// growing numbers.
#[inline]
const fn growing(ray: u128, occupied: u128) -> u128 {
    let o = occupied & ray;
    (o ^ o.wrapping_sub(1)) & ray
}

#[inline]
const fn growing_64(ray: u64, occupied: u64) -> u64 {
    let o = occupied & ray;
    (o ^ o.wrapping_sub(1)) & ray
}

#[inline]
const fn falling_64(ray: u64, occupied: u64) -> u64 {
    // Bit 0 as a sentinel: with no piece in the way the ray goes to its end.
    let nearest = 63 - (occupied & ray | 1).leading_zeros();
    ray & (u64::MAX << nearest)
}

#[inline]
const fn growing_32(ray: u32, occupied: u32) -> u32 {
    let o = occupied & ray;
    (o ^ o.wrapping_sub(1)) & ray
}

#[inline]
const fn falling_32(ray: u32, occupied: u32) -> u32 {
    let nearest = 31 - (occupied & ray | 1).leading_zeros();
    ray & (u32::MAX << nearest)
}

/// The rays of one square of the 9×9 board; falling ones with their bytes reversed.
#[derive(Clone, Copy)]
struct Rays {
    bishop_growing: [u128; 2],
    bishop_falling: [u128; 2],
    rook_growing: u128,
    rook_falling: u128,
    /// Along the file, inside the square's own half: towards rank 1 and towards rank 9.
    file_up: u64,
    file_down: u64,
}

static RAYS_81: [Rays; 81] = {
    let zero = Rays {
        bishop_growing: [0; 2],
        bishop_falling: [0; 2],
        rook_growing: 0,
        rook_falling: 0,
        file_up: 0,
        file_down: 0,
    };
    let mut t = [zero; 81];
    let mut sq = 0;
    while sq < 81 {
        let (up, down) = (ray(9, sq, 0, -1), ray(9, sq, 0, 1));
        let half = if sq < LOW { 0 } else { 64 };
        t[sq] = Rays {
            bishop_growing: [ray(9, sq, 1, -1), ray(9, sq, 1, 1)],
            bishop_falling: [ray(9, sq, -1, -1).swap_bytes(), ray(9, sq, -1, 1).swap_bytes()],
            rook_growing: ray(9, sq, 1, 0),
            rook_falling: ray(9, sq, -1, 0).swap_bytes(),
            file_up: (up >> half) as u64,
            file_down: (down >> half) as u64,
        };
        sq += 1;
    }
    t
};

/// The half of the board that holds the square.
#[inline]
const fn half(sq: Square, set: Bits81) -> u64 {
    if sq.index() < LOW { set.lo } else { set.hi }
}

/// The set that has `bits` in the half of the square.
#[inline]
const fn in_half(sq: Square, bits: u64) -> Bits81 {
    if sq.index() < LOW { Bits81 { lo: bits, hi: 0 } } else { Bits81 { lo: 0, hi: bits } }
}

#[inline]
pub(crate) fn lance_81(color: Color, sq: Square, occupied: Bits81) -> Bits81 {
    let rays = &RAYS_81[sq.index()];
    let occupied = half(sq, occupied);
    in_half(
        sq,
        match color {
            Color::Black => falling_64(rays.file_up, occupied),
            Color::White => growing_64(rays.file_down, occupied),
        },
    )
}

#[inline]
pub(crate) fn bishop_81(sq: Square, occupied: Bits81) -> Bits81 {
    let rays = &RAYS_81[sq.index()];
    let o = occupied.raw();
    let r = o.swap_bytes();
    let up = growing(rays.bishop_growing[0], o) | growing(rays.bishop_growing[1], o);
    let down = growing(rays.bishop_falling[0], r) | growing(rays.bishop_falling[1], r);
    Bits81::from_raw(up | down.swap_bytes())
}

#[inline]
pub(crate) fn rook_81(sq: Square, occupied: Bits81) -> Bits81 {
    let rays = &RAYS_81[sq.index()];
    let o = occupied.raw();
    let side =
        growing(rays.rook_growing, o) | growing(rays.rook_falling, o.swap_bytes()).swap_bytes();
    let own = half(sq, occupied);
    let file = in_half(sq, falling_64(rays.file_up, own) | growing_64(rays.file_down, own));
    Bits81::from_raw(side | file.raw())
}

/// The rays of one square of the 5×5 board.
#[derive(Clone, Copy)]
struct Rays25 {
    bishop_growing: [u32; 2],
    bishop_falling: [u32; 2],
    rook_growing: [u32; 2],
    rook_falling: [u32; 2],
}

static RAYS_25: [Rays25; 25] = {
    let zero = Rays25 {
        bishop_growing: [0; 2],
        bishop_falling: [0; 2],
        rook_growing: [0; 2],
        rook_falling: [0; 2],
    };
    let mut t = [zero; 25];
    let mut sq = 0;
    while sq < 25 {
        t[sq] = Rays25 {
            bishop_growing: [ray(5, sq, 1, -1) as u32, ray(5, sq, 1, 1) as u32],
            bishop_falling: [ray(5, sq, -1, -1) as u32, ray(5, sq, -1, 1) as u32],
            rook_growing: [ray(5, sq, 1, 0) as u32, ray(5, sq, 0, 1) as u32],
            rook_falling: [ray(5, sq, -1, 0) as u32, ray(5, sq, 0, -1) as u32],
        };
        sq += 1;
    }
    t
};

#[inline]
pub(crate) fn lance_25(color: Color, sq: Square, occupied: Bits25) -> Bits25 {
    let rays = &RAYS_25[sq.index()];
    Bits25(match color {
        Color::Black => falling_32(rays.rook_falling[1], occupied.0),
        Color::White => growing_32(rays.rook_growing[1], occupied.0),
    })
}

#[inline]
pub(crate) fn bishop_25(sq: Square, occupied: Bits25) -> Bits25 {
    let rays = &RAYS_25[sq.index()];
    let o = occupied.0;
    Bits25(
        growing_32(rays.bishop_growing[0], o)
            | growing_32(rays.bishop_growing[1], o)
            | falling_32(rays.bishop_falling[0], o)
            | falling_32(rays.bishop_falling[1], o),
    )
}

#[inline]
pub(crate) fn rook_25(sq: Square, occupied: Bits25) -> Bits25 {
    let rays = &RAYS_25[sq.index()];
    let o = occupied.0;
    Bits25(
        growing_32(rays.rook_growing[0], o)
            | growing_32(rays.rook_growing[1], o)
            | falling_32(rays.rook_falling[0], o)
            | falling_32(rays.rook_falling[1], o),
    )
}
