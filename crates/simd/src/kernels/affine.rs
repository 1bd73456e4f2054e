//! One affine layer with its clip.

use crate::vector::Vector;

/// One affine layer and its clip: `out = clip(bias + Σ group · weights)`.
#[inline(always)]
pub(super) unsafe fn affine<S: Vector>(
    x: *const u8,
    count: usize,
    group: impl Fn(usize) -> usize + Copy,
    bias: *const i32,
    weights: *const i8,
    outputs: usize,
    out: *mut u8,
) {
    let mut at = 0;
    while at < outputs {
        let left = (outputs - at) / S::LANES;
        let o = (at, outputs);
        // SAFETY: outputs are padded to whole registers of the widest set.
        unsafe {
            if left >= 4 {
                if S::CHAINS >= 8 {
                    block::<S, 4, 2>(x, count, group, bias, weights, o, out);
                } else {
                    block::<S, 4, 1>(x, count, group, bias, weights, o, out);
                }
                at += 4 * S::LANES;
            } else if left >= 2 {
                if S::CHAINS >= 8 {
                    block::<S, 2, 4>(x, count, group, bias, weights, o, out);
                } else {
                    block::<S, 2, 2>(x, count, group, bias, weights, o, out);
                }
                at += 2 * S::LANES;
            } else {
                block::<S, 1, 4>(x, count, group, bias, weights, o, out);
                at += S::LANES;
            }
        }
    }
}

/// `K` registers of outputs, with `SETS` sums in flight for each.
#[inline(always)]
unsafe fn block<S: Vector, const K: usize, const SETS: usize>(
    x: *const u8,
    count: usize,
    group: impl Fn(usize) -> usize,
    bias: *const i32,
    weights: *const i8,
    (at, outputs): (usize, usize),
    out: *mut u8,
) {
    // SAFETY: as in `affine`; a list is filled up to whole batches (8 or less).
    unsafe {
        let mut sums = [[S::zero(); K]; SETS];
        let mut k = 0;
        while k < K {
            sums[0][k] = S::load(bias.add(at + k * S::LANES).cast());
            k += 1;
        }
        let weights = weights.cast::<u8>().add(at * 4);
        let mut i = 0;
        while i < count {
            let mut s = 0;
            while s < SETS {
                let g = group(i + s);
                let input = S::splat(x.add(g * 4));
                let row = weights.add(g * outputs * 4);
                let mut k = 0;
                while k < K {
                    sums[s][k] = S::dot(sums[s][k], input, S::load(row.add(k * S::BYTES)));
                    k += 1;
                }
                s += 1;
            }
            i += SETS;
        }
        let mut k = 0;
        while k < K {
            let mut sum = sums[0][k];
            let mut s = 1;
            while s < SETS {
                sum = S::add32(sum, sums[s][k]);
                s += 1;
            }
            S::clip32(out.add(at + k * S::LANES), sum);
            k += 1;
        }
    }
}
