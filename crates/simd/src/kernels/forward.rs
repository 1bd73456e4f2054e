//! The layers after the transformer, from accumulators that exist or are made on the way.

use super::Step;
use super::affine::affine;
use crate::layers::Layers;
use crate::vector::Vector;

/// Where the inputs of the second layer come from.
pub(crate) trait Source {
    /// Two registers of the accumulator, from element `at` on.
    ///
    /// # Safety
    /// See [`Vector`]; `at` plus two registers is inside the accumulator.
    unsafe fn pair<S: Vector>(&self, at: usize) -> (S::Reg, S::Reg);
}

/// An accumulator that exists.
pub(crate) struct Stored(pub(crate) *const i16);

impl Source for Stored {
    #[inline(always)]
    unsafe fn pair<S: Vector>(&self, at: usize) -> (S::Reg, S::Reg) {
        // SAFETY: the caller vouches for `at`.
        unsafe {
            let p = self.0.add(at).cast::<u8>();
            (S::load(p), S::load(p.add(S::BYTES)))
        }
    }
}

/// An accumulator that is made from another by adding and removing `K` rows, and stored.
struct Moved<'a, const K: usize> {
    l0: usize,
    step: &'a Step,
    /// 0 for the side to move, 1 for the other.
    side: usize,
}

impl<const K: usize> Source for Moved<'_, K> {
    #[inline(always)]
    unsafe fn pair<S: Vector>(&self, at: usize) -> (S::Reg, S::Reg) {
        let (step, side) = (self.step, self.side);
        // SAFETY: the caller vouches for `at`, whoever made the step for its pointers and rows.
        unsafe {
            let src = step.src[side].add(at).cast::<u8>();
            let (mut a, mut b) = (S::load(src), S::load(src.add(S::BYTES)));
            let mut k = 0;
            while k < K {
                let row = step.removed[side][k] as usize * self.l0 + at;
                let row = step.rows.add(row).cast::<u8>();
                a = S::sub16(a, S::load(row));
                b = S::sub16(b, S::load(row.add(S::BYTES)));
                let row = step.added[side][k] as usize * self.l0 + at;
                let row = step.rows.add(row).cast::<u8>();
                a = S::add16(a, S::load(row));
                b = S::add16(b, S::load(row.add(S::BYTES)));
                k += 1;
            }
            let dst = step.dst[side].add(at).cast::<u8>();
            S::store(dst, a);
            S::store(dst.add(S::BYTES), b);
            (a, b)
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

/// Makes both accumulators of a step and runs the layers on them.
///
/// # Safety
/// As [`forward`]; the step's pointers have `l0` elements each and its rows exist.
#[inline(always)]
pub(crate) unsafe fn advance<S: Vector, const N: usize>(
    sizes: (usize, usize, usize),
    layers: &Layers,
    step: &Step,
) -> i32 {
    let l0 = sizes.0;
    // SAFETY: passed on from the caller.
    unsafe {
        if step.two {
            let (us, them) = (Moved::<2> { l0, step, side: 0 }, Moved::<2> { l0, step, side: 1 });
            forward::<S, N>(sizes, layers, &us, &them)
        } else {
            let (us, them) = (Moved::<1> { l0, step, side: 0 }, Moved::<1> { l0, step, side: 1 });
            forward::<S, N>(sizes, layers, &us, &them)
        }
    }
}

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
    us: &impl Source,
    them: &impl Source,
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
            let mut i = 0;
            while i < 8 {
                list.add(count + i).write((2 * l0 / 4) as u16);
                i += 1;
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
unsafe fn clip<S: Vector>(l0: usize, from: &impl Source, x: *mut u8) {
    let mut at = 0;
    while at < l0 {
        // SAFETY: `at + BYTES <= l0`: two registers of 16-bit numbers make one of bytes.
        unsafe {
            let (a, b) = from.pair::<S>(at);
            S::store(x.add(at), S::clip16(a, b));
        }
        at += S::BYTES;
    }
}

/// Clips one accumulator to bytes and lists the groups of four that are not zero.
#[inline(always)]
unsafe fn clip_and_list<S: Vector>(
    l0: usize,
    from: &impl Source,
    x: *mut u8,
    list: *mut u16,
    first: usize,
) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < l0 {
        // SAFETY: as in `clip`; the list has room for every group and one register more.
        unsafe {
            let (a, b) = from.pair::<S>(at);
            let bytes = S::clip16(a, b);
            S::store(x.add(at), bytes);
            count += S::nonzero(list.add(count), first + at / 4, bytes);
        }
        at += S::BYTES;
    }
    count
}
