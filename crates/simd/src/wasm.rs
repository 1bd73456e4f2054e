//! SIMD128, the vectors of WebAssembly: what a browser runs.
//!
//! There is nothing to detect: a module that has one such instruction is refused whole by a browser
//! without them, so the file is compiled where the target has the feature and nowhere else.

use crate::kernels::boards::instantiate_boards;
use crate::kernels::instantiate;
use crate::vector::{PACKED, Vector};
use std::arch::wasm32::*;

macro_rules! operations {
    ($(fn $name:ident($($arg:ident: $t:ty),*) -> $r:ty = $e:expr;)*) => {$(
        #[inline(always)]
        // Some operations are safe on this target, and `unsafe` in the trait all the same.
        #[allow(unused_unsafe)]
        unsafe fn $name($($arg: $t),*) -> $r {
            // SAFETY: see `Vector`: called only where the instruction set is enabled, with
            // pointers the caller vouches for.
            unsafe { $e }
        }
    )*};
}

struct Simd128;

impl Vector for Simd128 {
    type Reg = v128;
    const BYTES: usize = 16;
    const DENSE: usize = 0;
    const CHAINS: usize = 4;

    operations! {
        fn load(p: *const u8) -> v128 = v128_load(p.cast());
        fn store(p: *mut u8, x: v128) -> () = v128_store(p.cast(), x);
        fn zero() -> v128 = i32x4_splat(0);
        fn add16(a: v128, b: v128) -> v128 = i16x8_add(a, b);
        fn sub16(a: v128, b: v128) -> v128 = i16x8_sub(a, b);
        fn add32(a: v128, b: v128) -> v128 = i32x4_add(a, b);
        fn clip16(a: v128, b: v128) -> v128 =
            // Signed saturation bounds at 127.
            i8x16_max(i8x16_narrow_i16x8(a, b), i8x16_splat(0));
        fn splat(p: *const u8) -> v128 = i32x4_splat(p.cast::<i32>().read_unaligned());
        fn dot(acc: v128, x: v128, w: v128) -> v128 = {
            // There is no product of unsigned with signed bytes. Bytes at even and at odd places are
            // widened to 16 bits where they stand, which costs shifts and no shuffles; those of `x`
            // are the same for a whole row of weights.
            let even = i32x4_dot_i16x8(v128_and(x, i16x8_splat(0xff)), i16x8_shr(i16x8_shl(w, 8), 8));
            let odd = i32x4_dot_i16x8(u16x8_shr(x, 8), i16x8_shr(w, 8));
            i32x4_add(i32x4_add(acc, even), odd)
        };
        fn clip32(p: *mut u8, x: v128) -> () = {
            let x = i32x4_shr(x, 6);
            let words = i16x8_narrow_i32x4(x, x);
            let bytes = i8x16_max(i8x16_narrow_i16x8(words, words), i8x16_splat(0));
            p.cast::<u32>().write_unaligned(u32x4_extract_lane::<0>(bytes));
        };
        fn sum32(x: v128) -> i32 = {
            let x = i32x4_add(x, i32x4_shuffle::<2, 3, 0, 1>(x, x));
            let x = i32x4_add(x, i32x4_shuffle::<1, 0, 3, 2>(x, x));
            i32x4_extract_lane::<0>(x)
        };
        fn nonzero(p: *mut u16, base: usize, x: v128) -> usize = {
            // Bytes are at most 127, so a lane that is not zero is positive.
            let mask = usize::from(i32x4_bitmask(i32x4_gt(x, i32x4_splat(0))));
            let lanes = v128_load64_zero(PACKED[mask & 15].as_ptr().cast());
            let numbers = i16x8_add(lanes, i16x8_splat(base as i16));
            p.cast::<u64>().write_unaligned(u64x2_extract_lane::<0>(numbers));
            mask.count_ones() as usize
        };
    }
}

instantiate!(Simd128, "simd128");
instantiate_boards!(Simd128, 2, "simd128");
