//! The kernels, written once over [`crate::vector::Vector`]. Everything here is inlined into the
//! `#[target_feature]` functions made by [`instantiate`], where the sizes of the common nets
//! are constants and the loops unroll.
//!
//! Loops over registers are `while` loops: everything here is compiled some three hundred times, and
//! ranges and iterators, gone without a trace in the end, were a quarter of the time it took.

mod affine;
pub(crate) mod boards;
mod forward;
mod update;

pub(crate) use forward::{Stored, advance, forward};
pub(crate) use update::update;

use crate::layers::Layers;

/// `dst = src + Σ rows[adds] − Σ rows[subs]`: first layer, dst, src, rows, adds, subs.
pub(crate) type UpdateFn = unsafe fn(usize, *mut i16, *const i16, *const i16, &[u32], &[u32]);
/// The layers after the transformer, on two accumulators.
pub(crate) type ForwardFn = unsafe fn(&Layers, us: *const i16, them: *const i16) -> i32;
/// Both at once.
pub(crate) type AdvanceFn = unsafe fn(&Layers, &Step) -> i32;

/// What a net's shape and instruction set choose.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    pub(crate) update: UpdateFn,
    pub(crate) forward: ForwardFn,
    pub(crate) advance: AdvanceFn,
}

/// An ordinary move: for both sides (the side to move first) as many rows go as come.
pub(crate) struct Step {
    pub(crate) dst: [*mut i16; 2],
    pub(crate) src: [*const i16; 2],
    pub(crate) rows: *const i16,
    pub(crate) added: [[u32; 2]; 2],
    pub(crate) removed: [[u32; 2]; 2],
    /// Whether both rows of each count, or only the first.
    pub(crate) two: bool,
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
            unsafe {
                let (us, them) = ($crate::kernels::Stored(us), $crate::kernels::Stored(them));
                $crate::kernels::forward::<$vector, L0>((L0, O1, O2), layers, &us, &them)
            }
        }

        #[target_feature(enable = $features)]
        unsafe fn advance<const L0: usize, const O1: usize, const O2: usize>(
            layers: &$crate::Layers,
            step: &$crate::kernels::Step,
        ) -> i32 {
            // SAFETY: passed on from the caller, who has the instruction set.
            unsafe { $crate::kernels::advance::<$vector, L0>((L0, O1, O2), layers, step) }
        }

        #[target_feature(enable = $features)]
        unsafe fn forward_any(layers: &$crate::Layers, us: *const i16, them: *const i16) -> i32 {
            const MOST: usize = $crate::Shape::MAX_L0;
            let sizes = layers.padded();
            // SAFETY: passed on from the caller, who has the instruction set.
            unsafe {
                let (us, them) = ($crate::kernels::Stored(us), $crate::kernels::Stored(them));
                $crate::kernels::forward::<$vector, MOST>(sizes, layers, &us, &them)
            }
        }

        #[target_feature(enable = $features)]
        unsafe fn advance_any(layers: &$crate::Layers, step: &$crate::kernels::Step) -> i32 {
            const MOST: usize = $crate::Shape::MAX_L0;
            let sizes = layers.padded();
            // SAFETY: passed on from the caller, who has the instruction set.
            unsafe { $crate::kernels::advance::<$vector, MOST>(sizes, layers, step) }
        }

        /// The kernels for one shape (outputs of the hidden layers padded).
        pub(crate) fn kernels(sizes: (usize, usize, usize)) -> $crate::kernels::Kernels {
            macro_rules! sized {
                ($l0:literal, $o1:literal, $o2:literal) => {
                    $crate::kernels::Kernels {
                        update: update::<$l0>,
                        forward: forward::<$l0, $o1, $o2>,
                        advance: advance::<$l0, $o1, $o2>,
                    }
                };
            }
            let any = $crate::kernels::Kernels {
                update: update::<0>,
                forward: forward_any,
                advance: advance_any,
            };
            $crate::kernels::by_shape!(sizes, sized, any)
        }
    };
}
pub(crate) use instantiate;

/// The shapes compiled with constant sizes: `(first layer, hidden, hidden)`, padded. Any other
/// shape runs through the same code with its sizes as variables.
macro_rules! by_shape {
    ($sizes:expr, $sized:ident, $any:expr) => {
        match $sizes {
            (256, 32, 32) => $sized!(256, 32, 32),
            (512, 16, 32) => $sized!(512, 16, 32),
            (512, 16, 64) => $sized!(512, 16, 64),
            (512, 16, 96) => $sized!(512, 16, 96),
            (512, 32, 32) => $sized!(512, 32, 32),
            (768, 16, 64) => $sized!(768, 16, 64),
            (768, 16, 96) => $sized!(768, 16, 96),
            (1024, 16, 32) => $sized!(1024, 16, 32),
            (1024, 16, 64) => $sized!(1024, 16, 64),
            (1024, 16, 96) => $sized!(1024, 16, 96),
            _ => $any,
        }
    };
}
pub(crate) use by_shape;
