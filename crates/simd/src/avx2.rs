//! AVX2; a second set of kernels where the machine has the neural-network instructions without
//! AVX-512 (AVX-VNNI).

use crate::kernels::boards::instantiate_boards;
use crate::kernels::instantiate;
use crate::vector::{Vector, packed};
use std::arch::x86_64::*;

/// For every set of eight lanes, their numbers packed to the front.
static PACKED: [[u16; 8]; 256] = packed();

/// The operations both kinds share.
macro_rules! shared {
    () => {
        type Reg = __m256i;
        const BYTES: usize = 32;
        const DENSE: usize = 0;

        shared! {
            // Not `loadu`: compiled for any x86-64, that becomes two loads and a merge.
            fn load(p: *const u8) -> __m256i = _mm256_lddqu_si256(p.cast());
            fn store(p: *mut u8, x: __m256i) -> () = _mm256_storeu_si256(p.cast(), x);
            fn zero() -> __m256i = _mm256_setzero_si256();
            fn add16(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi16(a, b);
            fn sub16(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi16(a, b);
            fn add32(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
            fn clip16(a: __m256i, b: __m256i) -> __m256i = {
                // Signed saturation bounds at 127; the order of 128-bit lanes is put right.
                let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b));
                _mm256_max_epi8(bytes, _mm256_setzero_si256())
            };
            fn splat(p: *const u8) -> __m256i = _mm256_set1_epi32(p.cast::<i32>().read_unaligned());
            fn clip32(p: *mut u8, x: __m256i) -> () = {
                let x = _mm256_srai_epi32::<6>(x);
                let (low, high) = (_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
                let words = _mm_packs_epi32(low, high);
                let bytes = _mm_max_epi8(_mm_packs_epi16(words, words), _mm_setzero_si128());
                _mm_storel_epi64(p.cast(), bytes);
            };
            fn sum32(x: __m256i) -> i32 = {
                let x = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
                let x = _mm_add_epi32(x, _mm_shuffle_epi32::<0b01_00_11_10>(x));
                let x = _mm_add_epi32(x, _mm_shuffle_epi32::<0b10_11_00_01>(x));
                _mm_cvtsi128_si32(x)
            };
            fn nonzero(p: *mut u16, base: usize, x: __m256i) -> usize = {
                // Bytes are at most 127, so a lane that is not zero is positive.
                let positive = _mm256_cmpgt_epi32(x, _mm256_setzero_si256());
                let mask = _mm256_movemask_ps(_mm256_castsi256_ps(positive)) as usize;
                let lanes = _mm_loadu_si128(PACKED[mask & 255].as_ptr().cast());
                _mm_storeu_si128(p.cast(), _mm_add_epi16(lanes, _mm_set1_epi16(base as i16)));
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

struct Avx2;

impl Vector for Avx2 {
    const CHAINS: usize = 4;

    shared!();
    shared! {
        fn dot(acc: __m256i, x: __m256i, w: __m256i) -> __m256i = {
            // x is at most 127, so a pair of products fits 16 bits and nothing saturates.
            let pairs = _mm256_maddubs_epi16(x, w);
            _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        };
    }
}

struct Vnni;

impl Vector for Vnni {
    const CHAINS: usize = 8;

    shared!();
    shared! {
        fn dot(acc: __m256i, x: __m256i, w: __m256i) -> __m256i =
            _mm256_dpbusd_avx_epi32(acc, x, w);
    }
}

/// Without VNNI.
pub(crate) mod plain {
    use super::{Avx2, instantiate, instantiate_boards};
    instantiate!(Avx2, "avx2,bmi1,popcnt");
    instantiate_boards!(Avx2, 1, "avx2");
}

/// With VNNI.
pub(crate) mod vnni {
    use super::{Vnni, instantiate, instantiate_boards};
    instantiate!(Vnni, "avx2,avxvnni,bmi1,popcnt");
    instantiate_boards!(Vnni, 1, "avx2,avxvnni");
}
