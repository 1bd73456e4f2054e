//! Sums of table entries picked by a list of numbers, as three-piece evaluations need them.

use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::isa::Level;

type PairsFn = unsafe fn(*const i16, &[u32]) -> [i32; 2];
type SinglesFn = unsafe fn(*const i16, &[u32]) -> i32;

/// Gather-and-sum for one instruction set. Sums are exact: a list is short and entries have 16
/// bits.
#[derive(Clone, Copy)]
pub struct Gather {
    pairs: PairsFn,
    singles: SinglesFn,
}

impl Gather {
    /// The kernels of an instruction set.
    pub fn new(isa: Isa) -> Self {
        match isa.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::AvxVnni => Self { pairs: x86::pairs, singles: x86::singles },
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 | Level::Avx512Vnni => {
                Self { pairs: x86::pairs_512, singles: x86::singles_512 }
            }
            _ => Self { pairs, singles },
        }
    }

    /// `Σ (row[2n], row[2n + 1])` over the numbers `n` of the list.
    ///
    /// # Panics
    /// If a number is outside the row.
    #[inline]
    pub fn pairs(self, row: &[i16], list: &[u32]) -> [i32; 2] {
        check(row.len() / 2, list);
        // SAFETY: every pair is inside the row; the instruction set is on this machine.
        unsafe { (self.pairs)(row.as_ptr(), list) }
    }

    /// `Σ row[n]` over the numbers `n` of the list. The last element of `row` cannot be asked
    /// for: kernels load two elements at a time.
    ///
    /// # Panics
    /// If a number is outside the row less its last element.
    #[inline]
    pub fn singles(self, row: &[i16], list: &[u32]) -> i32 {
        check(row.len().saturating_sub(1), list);
        // SAFETY: every number and the one after it are inside the row; the instruction set is
        // on this machine.
        unsafe { (self.singles)(row.as_ptr(), list) }
    }
}

impl std::fmt::Debug for Gather {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gather")
    }
}

#[inline]
fn check(count: usize, list: &[u32]) {
    let largest = list.iter().fold(0, |a, &b| a.max(b)) as usize;
    assert!(list.is_empty() || largest < count, "entry {largest} of {count}");
}

unsafe fn pairs(row: *const i16, list: &[u32]) -> [i32; 2] {
    let mut sum = [0; 2];
    for &n in list {
        // SAFETY: the caller vouches for the numbers.
        let (a, b) = unsafe { (*row.add(2 * n as usize), *row.add(2 * n as usize + 1)) };
        sum[0] += i32::from(a);
        sum[1] += i32::from(b);
    }
    sum
}

unsafe fn singles(row: *const i16, list: &[u32]) -> i32 {
    // SAFETY: the caller vouches for the numbers.
    list.iter().map(|&n| i32::from(unsafe { *row.add(n as usize) })).sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// Picks the first of every pair of 16-bit lanes in a multiply-add.
    const FIRST: i32 = 1;
    /// Picks the second.
    const SECOND: i32 = 1 << 16;

    #[target_feature(enable = "avx2")]
    fn sum(x: __m256i) -> i32 {
        let x = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
        let x = _mm_add_epi32(x, _mm_shuffle_epi32::<0b01_00_11_10>(x));
        _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32::<0b10_11_00_01>(x)))
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn pairs(row: *const i16, list: &[u32]) -> [i32; 2] {
        let mut first = _mm256_setzero_si256();
        let mut second = _mm256_setzero_si256();
        let mut chunks = list.chunks_exact(8);
        for chunk in &mut chunks {
            // SAFETY: eight numbers are loaded from a chunk of eight; the caller vouches that
            // each is inside the row.
            let x = unsafe {
                let n = _mm256_loadu_si256(chunk.as_ptr().cast());
                _mm256_i32gather_epi32::<4>(row.cast(), n)
            };
            first = _mm256_add_epi32(first, _mm256_madd_epi16(x, _mm256_set1_epi32(FIRST)));
            second = _mm256_add_epi32(second, _mm256_madd_epi16(x, _mm256_set1_epi32(SECOND)));
        }
        // SAFETY: as above.
        let rest = unsafe { super::pairs(row, chunks.remainder()) };
        [sum(first) + rest[0], sum(second) + rest[1]]
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn singles(row: *const i16, list: &[u32]) -> i32 {
        let mut total = _mm256_setzero_si256();
        let mut chunks = list.chunks_exact(8);
        for chunk in &mut chunks {
            // SAFETY: as above; the element after each number is inside the row too.
            let x = unsafe {
                let n = _mm256_loadu_si256(chunk.as_ptr().cast());
                _mm256_i32gather_epi32::<2>(row.cast(), n)
            };
            total = _mm256_add_epi32(total, _mm256_madd_epi16(x, _mm256_set1_epi32(FIRST)));
        }
        // SAFETY: as above.
        sum(total) + unsafe { super::singles(row, chunks.remainder()) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn pairs_512(row: *const i16, list: &[u32]) -> [i32; 2] {
        let mut first = _mm512_setzero_si512();
        let mut second = _mm512_setzero_si512();
        for chunk in list.chunks(16) {
            let mask = ((1u32 << chunk.len()) - 1) as u16;
            // SAFETY: only as many numbers are loaded and followed as the chunk has; the caller
            // vouches that each is inside the row.
            let x = unsafe {
                let n = _mm512_maskz_loadu_epi32(mask, chunk.as_ptr().cast());
                _mm512_mask_i32gather_epi32::<4>(_mm512_setzero_si512(), mask, n, row.cast())
            };
            first = _mm512_add_epi32(first, _mm512_madd_epi16(x, _mm512_set1_epi32(FIRST)));
            second = _mm512_add_epi32(second, _mm512_madd_epi16(x, _mm512_set1_epi32(SECOND)));
        }
        [_mm512_reduce_add_epi32(first), _mm512_reduce_add_epi32(second)]
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn singles_512(row: *const i16, list: &[u32]) -> i32 {
        let mut total = _mm512_setzero_si512();
        for chunk in list.chunks(16) {
            let mask = ((1u32 << chunk.len()) - 1) as u16;
            // SAFETY: as above; the element after each number is inside the row too.
            let x = unsafe {
                let n = _mm512_maskz_loadu_epi32(mask, chunk.as_ptr().cast());
                _mm512_mask_i32gather_epi32::<2>(_mm512_setzero_si512(), mask, n, row.cast())
            };
            total = _mm512_add_epi32(total, _mm512_madd_epi16(x, _mm512_set1_epi32(FIRST)));
        }
        _mm512_reduce_add_epi32(total)
    }
}
