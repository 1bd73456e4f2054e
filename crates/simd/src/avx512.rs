//! AVX-512 with byte and word instructions; a second set of kernels where the machine has the
//! neural-network instructions (VNNI), which do a dot product of four bytes in one step.

use crate::kernels::boards::instantiate_boards;
use crate::kernels::instantiate;
use crate::vector::Vector;
use std::arch::x86_64::*;

/// The operations both kinds share.
macro_rules! shared {
    () => {
        type Reg = __m512i;
        const BYTES: usize = 64;

        shared! {
            fn load(p: *const u8) -> __m512i = _mm512_loadu_si512(p.cast());
            fn store(p: *mut u8, x: __m512i) -> () = _mm512_storeu_si512(p.cast(), x);
            fn zero() -> __m512i = _mm512_setzero_si512();
            fn add16(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi16(a, b);
            fn sub16(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi16(a, b);
            fn add32(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
            fn clip16(a: __m512i, b: __m512i) -> __m512i = {
                // Signed saturation bounds at 127; the order of 128-bit lanes is put right.
                let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
                let bytes = _mm512_permutexvar_epi64(order, _mm512_packs_epi16(a, b));
                _mm512_max_epi8(bytes, _mm512_setzero_si512())
            };
            fn splat(p: *const u8) -> __m512i = _mm512_set1_epi32(p.cast::<i32>().read_unaligned());
            fn clip32(p: *mut u8, x: __m512i) -> () = {
                let bytes = _mm512_cvtsepi32_epi8(_mm512_srai_epi32::<6>(x));
                _mm_storeu_si128(p.cast(), _mm_max_epi8(bytes, _mm_setzero_si128()));
            };
            fn sum32(x: __m512i) -> i32 = _mm512_reduce_add_epi32(x);
            fn nonzero(p: *mut u16, base: usize, x: __m512i) -> usize = {
                let lanes =
                    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                let mask = _mm512_test_epi32_mask(x, x);
                let numbers = _mm512_add_epi32(lanes, _mm512_set1_epi32(base as i32));
                let packed = _mm512_maskz_compress_epi32(mask, numbers);
                _mm256_storeu_si256(p.cast(), _mm512_cvtepi32_epi16(packed));
                mask.count_ones() as usize
            };
        }
    };
    ($(fn $name:ident($($arg:ident: $t:ty),*) -> $r:ty = $e:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($arg: $t),*) -> $r {
            // SAFETY: see `Vector`: called only where the instruction set is enabled, with
            // pointers the caller vouches for.
            unsafe { $e }
        }
    )*};
}

struct Bw;

impl Vector for Bw {
    const DENSE: usize = 0;
    const CHAINS: usize = 4;

    shared!();
    shared! {
        fn dot(acc: __m512i, x: __m512i, w: __m512i) -> __m512i = {
            // x is at most 127, so a pair of products fits 16 bits and nothing saturates.
            let pairs = _mm512_maddubs_epi16(x, w);
            _mm512_add_epi32(acc, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        };
    }
}

struct Vnni;

impl Vector for Vnni {
    const DENSE: usize = 256;
    const CHAINS: usize = 8;

    shared!();
    shared! {
        fn dot(acc: __m512i, x: __m512i, w: __m512i) -> __m512i = _mm512_dpbusd_epi32(acc, x, w);
    }
}

/// Without VNNI.
pub(crate) mod bw {
    use super::{Bw, instantiate, instantiate_boards};
    instantiate!(Bw, "avx512f,avx512bw,avx512vl,avx512dq,bmi1,popcnt");
    instantiate_boards!(Bw, 2, "avx512f,avx512bw,avx512vl,avx512dq");
}

/// With VNNI.
pub(crate) mod vnni {
    use super::{Vnni, instantiate, instantiate_boards};
    instantiate!(Vnni, "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,bmi1,popcnt");
    instantiate_boards!(Vnni, 2, "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni");
}
