//! The kernels, written once over [`Vector`]. Everything here is inlined into the
//! `#[target_feature]` functions made by [`instantiate`], where the sizes of the common nets
//! are constants and the loops unroll.

use crate::layers::Layers;
use crate::vector::Vector;

/// Registers of the accumulator held at once. Eight 512-bit ones are a whole side of 256.
const TILE: usize = 8;

/// What a kernel adds and subtracts: row numbers into one matrix.
pub(crate) type UpdateFn =
    unsafe fn(l0: usize, dst: *mut i16, src: *const i16, rows: *const i16, &[u32], &[u32]);
/// The layers after the transformer, on two accumulators.
pub(crate) type ForwardFn = unsafe fn(&Layers, us: *const i16, them: *const i16) -> i32;

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
        for (i, reg) in acc.iter_mut().enumerate() {
            *reg = S::load(src.add(at).cast::<u8>().add(i * S::BYTES));
        }
        for &row in subs {
            let row = rows.add(row as usize * l0 + at).cast::<u8>();
            for (i, reg) in acc.iter_mut().enumerate() {
                *reg = S::sub16(*reg, S::load(row.add(i * S::BYTES)));
            }
        }
        for &row in adds {
            let row = rows.add(row as usize * l0 + at).cast::<u8>();
            for (i, reg) in acc.iter_mut().enumerate() {
                *reg = S::add16(*reg, S::load(row.add(i * S::BYTES)));
            }
        }
        for (i, reg) in acc.iter().enumerate() {
            S::store(dst.add(at).cast::<u8>().add(i * S::BYTES), *reg);
        }
    }
}

/// Room for the inputs of the second layer, and for the list of those that are not zero.
#[repr(C, align(64))]
pub(crate) struct Scratch<const N: usize> {
    /// Clipped accumulators; four more bytes stay zero for `pad` below.
    pub(crate) x: [[u8; N]; 2],
    pub(crate) pad: [u8; 64],
    /// Numbers of the groups of four that are not zero: at most `N / 2`, and room for a
    /// register of excess.
    pub(crate) list: [u16; N],
}

/// Room for the activations of a hidden layer.
#[repr(C, align(64))]
struct Hidden([u8; Layers::MAX_HIDDEN]);

/// The layers after the transformer: clip, three affine layers, two clips.
///
/// The second layer is almost all of the work. Its weights lie in groups of four inputs, so
/// that an input group broadcast to all lanes meets the weights of every output. Groups that
/// are zero (nets clip half of their first layer to zero and more) are skipped where that pays.
///
/// # Safety
/// See [`Vector`]; both accumulators have `l0` elements, a multiple of the register.
#[inline(always)]
pub(crate) unsafe fn forward<S: Vector, const N: usize>(
    (l0, o1, o2): (usize, usize, usize),
    layers: &Layers,
    us: *const i16,
    them: *const i16,
) -> i32 {
    // SAFETY: N is l0 or larger, so the scratch holds both halves; the hidden buffers hold the
    // padded widths (checked when the layers were made); weights were laid out for them.
    unsafe {
        let mut scratch = std::mem::MaybeUninit::<Scratch<N>>::uninit();
        let room = scratch.as_mut_ptr();
        let x = (&raw mut (*room).x).cast::<u8>();
        let list = (&raw mut (*room).list).cast::<u16>();
        let mut h1 = Hidden([0; Layers::MAX_HIDDEN]);
        let h1 = h1.0.as_mut_ptr();
        let every = |i: usize| i;
        let (b1, w1) = (layers.b1.as_ptr(), layers.w1.as_ptr());
        if l0 <= S::DENSE {
            clip::<S>(l0, us, x);
            clip::<S>(l0, them, x.add(l0));
            affine::<S>(x, l0 / 2, every, b1, w1, o1, h1);
        } else {
            let mut count = clip_and_list::<S>(l0, us, x, list, 0);
            count += clip_and_list::<S>(l0, them, x.add(l0), list.add(count), l0 / 4);
            // Round up to whole batches with a group that is zero.
            x.add(2 * l0).cast::<u32>().write_unaligned(0);
            for i in 0..8 {
                list.add(count + i).write((2 * l0 / 4) as u16);
            }
            let listed = |i: usize| *list.add(i) as usize;
            affine::<S>(x, count, listed, b1, w1, o1, h1);
        }

        let mut h2 = Hidden([0; Layers::MAX_HIDDEN]);
        let h2 = h2.0.as_mut_ptr();
        affine::<S>(h1, o1 / 4, every, layers.b2.as_ptr(), layers.w2.as_ptr(), o2, h2);

        let mut sum = S::zero();
        let mut at = 0;
        while at < o2 {
            let w = S::load(layers.w3.as_ptr().cast::<u8>().add(at));
            sum = S::dot(sum, S::load(h2.add(at)), w);
            at += S::BYTES;
        }
        S::sum32(sum).wrapping_add(layers.b3)
    }
}

/// Clips one accumulator to bytes.
#[inline(always)]
unsafe fn clip<S: Vector>(l0: usize, acc: *const i16, x: *mut u8) {
    let mut at = 0;
    while at < l0 {
        // SAFETY: `at + BYTES <= l0`.
        unsafe {
            let a = S::load(acc.add(at).cast());
            let b = S::load(acc.add(at).cast::<u8>().add(S::BYTES));
            S::store(x.add(at), S::clip16(a, b));
        }
        at += S::BYTES;
    }
}

/// Clips one accumulator to bytes and lists the groups of four that are not zero.
#[inline(always)]
unsafe fn clip_and_list<S: Vector>(
    l0: usize,
    acc: *const i16,
    x: *mut u8,
    list: *mut u16,
    first: usize,
) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < l0 {
        // SAFETY: `at + BYTES <= l0`; the list has room for every group and one register more.
        unsafe {
            let a = S::load(acc.add(at).cast());
            let b = S::load(acc.add(at).cast::<u8>().add(S::BYTES));
            let bytes = S::clip16(a, b);
            S::store(x.add(at), bytes);
            count += S::nonzero(list.add(count), first + at / 4, bytes);
        }
        at += S::BYTES;
    }
    count
}

/// One affine layer and its clip: `out = clip(bias + Σ group · weights)`.
#[inline(always)]
unsafe fn affine<S: Vector>(
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

/// The entry points of one instruction set: functions compiled with its features, with the
/// sizes of common nets as constants and one pair for every other size.
macro_rules! instantiate {
    ($vector:ty, $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn update<const L0: usize>(
            l0: usize,
            dst: *mut i16,
            src: *const i16,
            rows: *const i16,
            adds: &[u32],
            subs: &[u32],
        ) {
            let l0 = if L0 == 0 { l0 } else { L0 };
            // SAFETY: passed on from the caller, who has the instruction set.
            unsafe { $crate::kernels::update::<$vector>(l0, dst, src, rows, adds, subs) }
        }

        #[target_feature(enable = $features)]
        unsafe fn forward<const L0: usize, const O1: usize, const O2: usize>(
            layers: &$crate::Layers,
            us: *const i16,
            them: *const i16,
        ) -> i32 {
            // SAFETY: passed on from the caller, who has the instruction set.
            unsafe { $crate::kernels::forward::<$vector, L0>((L0, O1, O2), layers, us, them) }
        }

        #[target_feature(enable = $features)]
        unsafe fn forward_any(layers: &$crate::Layers, us: *const i16, them: *const i16) -> i32 {
            const MOST: usize = $crate::Shape::MAX_L0;
            let sizes = layers.padded();
            // SAFETY: passed on from the caller, who has the instruction set.
            unsafe { $crate::kernels::forward::<$vector, MOST>(sizes, layers, us, them) }
        }

        /// The kernels for one shape (outputs of the hidden layers padded).
        pub(crate) fn kernels(
            sizes: (usize, usize, usize),
        ) -> ($crate::kernels::UpdateFn, $crate::kernels::ForwardFn) {
            $crate::kernels::by_shape!(sizes, update, forward, forward_any)
        }
    };
}
pub(crate) use instantiate;

/// The shapes compiled with constant sizes: `(first layer, hidden, hidden)`, padded. Any other
/// shape runs through the same code with its sizes as variables.
macro_rules! by_shape {
    ($sizes:expr, $update:ident, $forward:ident, $any:ident) => {
        match $sizes {
            (256, 32, 32) => ($update::<256>, $forward::<256, 32, 32>),
            (512, 16, 32) => ($update::<512>, $forward::<512, 16, 32>),
            (512, 16, 64) => ($update::<512>, $forward::<512, 16, 64>),
            (512, 16, 96) => ($update::<512>, $forward::<512, 16, 96>),
            (512, 32, 32) => ($update::<512>, $forward::<512, 32, 32>),
            (768, 16, 64) => ($update::<768>, $forward::<768, 16, 64>),
            (768, 16, 96) => ($update::<768>, $forward::<768, 16, 96>),
            (1024, 16, 32) => ($update::<1024>, $forward::<1024, 16, 32>),
            (1024, 16, 64) => ($update::<1024>, $forward::<1024, 16, 64>),
            (1024, 16, 96) => ($update::<1024>, $forward::<1024, 16, 96>),
            _ => ($update::<0>, $any),
        }
    };
}
pub(crate) use by_shape;
