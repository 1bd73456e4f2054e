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
        for (k, sum) in sums[0].iter_mut().enumerate() {
            *sum = S::load(bias.add(at + k * S::LANES).cast());
        }
        let weights = weights.cast::<u8>().add(at * 4);
        let mut i = 0;
        while i < count {
            for (s, set) in sums.iter_mut().enumerate() {
                let g = group(i + s);
                let input = S::splat(x.add(g * 4));
                let row = weights.add(g * outputs * 4);
                for (k, sum) in set.iter_mut().enumerate() {
                    *sum = S::dot(*sum, input, S::load(row.add(k * S::BYTES)));
                }
            }
            i += SETS;
        }
        for k in 0..K {
            let mut sum = sums[0][k];
            for set in sums.iter().skip(1) {
                sum = S::add32(sum, set[k]);
            }
            S::clip32(out.add(at + k * S::LANES), sum);
        }
    }
}
