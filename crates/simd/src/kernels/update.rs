//! Accumulators: sums of rows.

use crate::vector::Vector;

/// Registers of the accumulator held at once. Eight 512-bit ones are a whole side of 256.
const TILE: usize = 8;

/// `dst = src + Σ rows[adds] − Σ rows[subs]` in wrapping 16 bits; `dst` may be `src`.
///
/// # Safety
/// See [`Vector`]; `dst` and `src` have `l0` elements, every row number is below the number of
/// rows, `l0` is a multiple of the register.
#[inline(always)]
pub(crate) unsafe fn update<S: Vector>(
    l0: usize,
    dst: *mut i16,
    src: *const i16,
    rows: *const i16,
    adds: &[u32],
    subs: &[u32],
) {
    // SAFETY: passed on from the caller.
    unsafe {
        match (adds, subs) {
            // A move or drop, and a capture: nearly every update there is.
            (&[a], &[s]) => in_tiles::<S>(l0, dst, src, rows, &[a], &[s]),
            (&[a, b], &[s, t]) => in_tiles::<S>(l0, dst, src, rows, &[a, b], &[s, t]),
            _ => in_tiles::<S>(l0, dst, src, rows, adds, subs),
        }
    }
}

#[inline(always)]
unsafe fn in_tiles<S: Vector>(
    l0: usize,
    dst: *mut i16,
    src: *const i16,
    rows: *const i16,
    adds: &[u32],
    subs: &[u32],
) {
    let per = S::BYTES / 2;
    let mut at = 0;
    while at < l0 {
        let left = (l0 - at) / per;
        // SAFETY: `at` stays inside the row by at least the registers of the tile.
        unsafe {
            if left >= TILE {
                tile::<S, TILE>(l0, at, dst, src, rows, adds, subs);
                at += TILE * per;
            } else {
                tile::<S, 1>(l0, at, dst, src, rows, adds, subs);
                at += per;
            }
        }
    }
}

#[inline(always)]
unsafe fn tile<S: Vector, const N: usize>(
    l0: usize,
    at: usize,
    dst: *mut i16,
    src: *const i16,
    rows: *const i16,
    adds: &[u32],
    subs: &[u32],
) {
    // SAFETY: as in `update`.
    unsafe {
        let mut acc = [S::zero(); N];
        let from = src.add(at).cast::<u8>();
        let mut i = 0;
        while i < N {
            acc[i] = S::load(from.add(i * S::BYTES));
            i += 1;
        }
        for &row in subs {
            let row = rows.add(row as usize * l0 + at).cast::<u8>();
            let mut i = 0;
            while i < N {
                acc[i] = S::sub16(acc[i], S::load(row.add(i * S::BYTES)));
                i += 1;
            }
        }
        for &row in adds {
            let row = rows.add(row as usize * l0 + at).cast::<u8>();
            let mut i = 0;
            while i < N {
                acc[i] = S::add16(acc[i], S::load(row.add(i * S::BYTES)));
                i += 1;
            }
        }
        let to = dst.add(at).cast::<u8>();
        let mut i = 0;
        while i < N {
            S::store(to.add(i * S::BYTES), acc[i]);
            i += 1;
        }
    }
}
