//! SSE4.1, which every x86-64 machine since about 2009 has: for those, and for virtual machines that
//! hide AVX2.

use crate::kernels::boards::instantiate_boards;
use crate::kernels::instantiate;
use crate::vector::{PACKED, Vector};
use std::arch::x86_64::*;

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

struct Sse41;

impl Vector for Sse41 {
    type Reg = __m128i;
    const BYTES: usize = 16;
    const DENSE: usize = 0;
    const CHAINS: usize = 4;

    operations! {
        fn load(p: *const u8) -> __m128i = _mm_loadu_si128(p.cast());
        fn store(p: *mut u8, x: __m128i) -> () = _mm_storeu_si128(p.cast(), x);
        fn zero() -> __m128i = _mm_setzero_si128();
        fn add16(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi16(a, b);
        fn sub16(a: __m128i, b: __m128i) -> __m128i = _mm_sub_epi16(a, b);
        fn add32(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi32(a, b);
        fn clip16(a: __m128i, b: __m128i) -> __m128i =
            // Signed saturation bounds at 127.
            _mm_max_epi8(_mm_packs_epi16(a, b), _mm_setzero_si128());
        fn splat(p: *const u8) -> __m128i = _mm_set1_epi32(p.cast::<i32>().read_unaligned());
        fn dot(acc: __m128i, x: __m128i, w: __m128i) -> __m128i = {
            // x is at most 127, so a pair of products fits 16 bits and nothing saturates.
            let pairs = _mm_maddubs_epi16(x, w);
            _mm_add_epi32(acc, _mm_madd_epi16(pairs, _mm_set1_epi16(1)))
        };
        fn clip32(p: *mut u8, x: __m128i) -> () = {
            let x = _mm_srai_epi32::<6>(x);
            let words = _mm_packs_epi32(x, x);
            let bytes = _mm_max_epi8(_mm_packs_epi16(words, words), _mm_setzero_si128());
            p.cast::<i32>().write_unaligned(_mm_cvtsi128_si32(bytes));
        };
        fn sum32(x: __m128i) -> i32 = {
            let x = _mm_add_epi32(x, _mm_shuffle_epi32::<0b01_00_11_10>(x));
            let x = _mm_add_epi32(x, _mm_shuffle_epi32::<0b10_11_00_01>(x));
            _mm_cvtsi128_si32(x)
        };
        fn nonzero(p: *mut u16, base: usize, x: __m128i) -> usize = {
            // Bytes are at most 127, so a lane that is not zero is positive.
            let positive = _mm_cmpgt_epi32(x, _mm_setzero_si128());
            let mask = _mm_movemask_ps(_mm_castsi128_ps(positive)) as usize;
            let lanes = _mm_loadl_epi64(PACKED[mask & 15].as_ptr().cast());
            _mm_storel_epi64(p.cast(), _mm_add_epi16(lanes, _mm_set1_epi16(base as i16)));
            mask.count_ones() as usize
        };
    }
}

instantiate!(Sse41, "sse4.1,ssse3,popcnt");
instantiate_boards!(Sse41, 1, "sse4.1,ssse3");
