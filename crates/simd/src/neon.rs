//! NEON, which every 64-bit ARM has.

use crate::kernels::boards::instantiate_boards;
use crate::kernels::instantiate;
use crate::vector::Vector;
use std::arch::aarch64::*;

macro_rules! operations {
    ($(fn $name:ident($($arg:ident: $t:ty),*) -> $r:ty = $e:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($arg: $t),*) -> $r {
            // SAFETY: see `Vector`: called only where the instruction set is enabled, with
            // pointers the caller vouches for.
            unsafe { $e }
        }
    )*};
}

struct Neon;

impl Vector for Neon {
    type Reg = int8x16_t;
    const BYTES: usize = 16;
    const DENSE: usize = 0;
    const CHAINS: usize = 4;

    operations! {
        fn load(p: *const u8) -> int8x16_t = vld1q_s8(p.cast());
        fn store(p: *mut u8, x: int8x16_t) -> () = vst1q_s8(p.cast(), x);
        fn zero() -> int8x16_t = vdupq_n_s8(0);
        fn add16(a: int8x16_t, b: int8x16_t) -> int8x16_t =
            vreinterpretq_s8_s16(vaddq_s16(vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b)));
        fn sub16(a: int8x16_t, b: int8x16_t) -> int8x16_t =
            vreinterpretq_s8_s16(vsubq_s16(vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b)));
        fn add32(a: int8x16_t, b: int8x16_t) -> int8x16_t =
            vreinterpretq_s8_s32(vaddq_s32(vreinterpretq_s32_s8(a), vreinterpretq_s32_s8(b)));
        fn clip16(a: int8x16_t, b: int8x16_t) -> int8x16_t = {
            let low = vqmovn_s16(vreinterpretq_s16_s8(a));
            let high = vqmovn_s16(vreinterpretq_s16_s8(b));
            vmaxq_s8(vcombine_s8(low, high), vdupq_n_s8(0))
        };
        fn splat(p: *const u8) -> int8x16_t =
            vreinterpretq_s8_s32(vdupq_n_s32(p.cast::<i32>().read_unaligned()));
        fn dot(acc: int8x16_t, x: int8x16_t, w: int8x16_t) -> int8x16_t = {
            // x is at most 127, so it is also a signed byte; the pairwise sums of products are
            // widened before the second addition.
            let low = vmull_s8(vget_low_s8(x), vget_low_s8(w));
            let high = vmull_high_s8(x, w);
            let pairs = vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high));
            vreinterpretq_s8_s32(vaddq_s32(vreinterpretq_s32_s8(acc), pairs))
        };
        fn clip32(p: *mut u8, x: int8x16_t) -> () = {
            let words = vqmovn_s32(vshrq_n_s32::<6>(vreinterpretq_s32_s8(x)));
            let bytes = vqmovn_s16(vcombine_s16(words, words));
            let bytes = vreinterpret_u32_s8(vmax_s8(bytes, vdup_n_s8(0)));
            p.cast::<u32>().write_unaligned(vget_lane_u32::<0>(bytes));
        };
        fn sum32(x: int8x16_t) -> i32 = vaddvq_s32(vreinterpretq_s32_s8(x));
        fn nonzero(p: *mut u16, base: usize, x: int8x16_t) -> usize = {
            let x = vreinterpretq_u32_s8(x);
            let lanes = [
                vgetq_lane_u32::<0>(x),
                vgetq_lane_u32::<1>(x),
                vgetq_lane_u32::<2>(x),
                vgetq_lane_u32::<3>(x),
            ];
            let mut count = 0;
            for (lane, &value) in lanes.iter().enumerate() {
                p.add(count).write((base + lane) as u16);
                count += usize::from(value != 0);
            }
            count
        };
    }
}

instantiate!(Neon, "neon");
instantiate_boards!(Neon, 2, "neon");
