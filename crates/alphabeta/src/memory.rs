//! A large block of zeroed words: pages come from the system when first touched, huge ones where
//! it gives them.

#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words that all threads may read and write.
pub(crate) struct Words {
    start: NonNull<AtomicU64>,
    len: usize,
    block: system::Block,
}

// SAFETY: the block is owned, never moves, and is only reached through atomics.
unsafe impl Send for Words {}
// SAFETY: as above; shared access is to `AtomicU64`.
unsafe impl Sync for Words {}

impl Words {
    /// That many zero words; `None` if the system has no room for them.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        let block = system::Block::zeroed(len.checked_mul(8)?.max(8))?;
        Some(Self { start: block.start().cast(), len, block })
    }

    /// All words.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[AtomicU64] {
        // SAFETY: `start` points at `len` initialised words (zero is a valid `AtomicU64`) that
        // live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Asks for the cache line of a word ahead of its use. Any index is harmless.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let address = self.start.as_ptr().wrapping_add(index).cast::<i8>();
            // SAFETY: a prefetch never faults, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = index;
    }

    /// Zeroes everything, in that many threads.
    pub(crate) fn clear(&self, threads: usize) {
        let words = self.as_slice();
        let share = words.len().div_ceil(threads.max(1)).max(1 << 16);
        std::thread::scope(|scope| {
            for part in words.chunks(share) {
                scope.spawn(move || part.iter().for_each(|w| w.store(0, Ordering::Relaxed)));
            }
        });
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.block.release();
    }
}

/// Memory mapped straight from the system: pages are zero and cost nothing until touched.
#[cfg(unix)]
mod system {
    use std::ptr::{NonNull, null_mut};

    /// Size of a huge page on x86-64 and most ARM systems.
    const HUGE: usize = 2 << 20;

    pub(super) struct Block {
        mapped: NonNull<u8>,
        mapped_bytes: usize,
        start: NonNull<u8>,
    }

    impl Block {
        pub(super) fn zeroed(bytes: usize) -> Option<Self> {
            // Room to begin at a huge page.
            let mapped_bytes = bytes.checked_add(HUGE)?;
            // SAFETY: a fresh anonymous mapping touches no memory of ours.
            let mapped = unsafe {
                libc::mmap(
                    null_mut(),
                    mapped_bytes,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0,
                )
            };
            if mapped == libc::MAP_FAILED {
                return None;
            }
            let mapped = NonNull::new(mapped.cast::<u8>())?;
            let offset = mapped.as_ptr().align_offset(HUGE).min(HUGE);
            // SAFETY: the offset is at most the extra room mapped above.
            let start = unsafe { mapped.add(offset) };
            #[cfg(target_os = "linux")]
            // SAFETY: the range is ours; the advice changes nothing about its contents and the
            // system may ignore it.
            unsafe {
                libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
            }
            Some(Self { mapped, mapped_bytes, start })
        }

        pub(super) fn start(&self) -> NonNull<u8> {
            self.start
        }

        pub(super) fn release(&mut self) {
            // SAFETY: mapped in `zeroed` with this very size; nobody holds a reference any more,
            // `Words` calls this once, when dropped.
            unsafe { libc::munmap(self.mapped.as_ptr().cast(), self.mapped_bytes) };
        }
    }
}

/// Memory from the allocator, where there is no `mmap`.
#[cfg(not(unix))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    pub(super) struct Block {
        start: NonNull<u8>,
        layout: Layout,
    }

    impl Block {
        pub(super) fn zeroed(bytes: usize) -> Option<Self> {
            let layout = Layout::from_size_align(bytes, 64).ok()?;
            // SAFETY: the layout has a size of at least eight bytes.
            let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
            Some(Self { start, layout })
        }

        pub(super) fn start(&self) -> NonNull<u8> {
            self.start
        }

        pub(super) fn release(&mut self) {
            // SAFETY: allocated in `zeroed` with this very layout; called once.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_start_at_zero_and_clear_to_zero() {
        for len in [1, 8, 100_000, 1 << 19] {
            let words = Words::zeroed(len).unwrap();
            assert_eq!(words.as_slice().len(), len);
            assert!(words.as_slice().iter().all(|w| w.load(Ordering::Relaxed) == 0));
            words.as_slice().iter().for_each(|w| w.store(7, Ordering::Relaxed));
            words.prefetch(usize::MAX / 16);
            words.clear(3);
            assert!(words.as_slice().iter().all(|w| w.load(Ordering::Relaxed) == 0));
        }
        assert!(Words::zeroed(usize::MAX / 4).is_none());
    }
}
