//! A large block of zeroed words: pages come from the system when first touched, huge ones where
//! it gives them. They are touched by several threads in [`Words::sweep`], and given back aside:
//! both take seconds for many gigabytes.

#![allow(unsafe_code)]

use os::memory::Block;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI16, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// Words that all threads may read and write.
pub(crate) struct Words {
    start: NonNull<AtomicU64>,
    len: usize,
    /// There until it is dropped.
    block: Option<Block>,
}

// SAFETY: the block is owned, never moves, and is only reached through atomics.
unsafe impl Send for Words {}
// SAFETY: as above; shared access is to `AtomicU64`.
unsafe impl Sync for Words {}

impl Words {
    /// That many zero words; `None` if the system has no room for them.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        let block = Block::zeroed(len.checked_mul(8)?.max(8))?;
        Some(Self { start: block.start().cast(), len, block: Some(block) })
    }

    /// All words.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[AtomicU64] {
        // SAFETY: `start` points at `len` initialised words (zero is a valid `AtomicU64`) that
        // live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The same memory as small numbers, four for each word. Whoever reads it so never reads it as words:
    /// an atomic is always of one size.
    #[inline]
    pub(crate) fn as_numbers(&self) -> &[AtomicI16] {
        // SAFETY: as above, with four valid `AtomicI16` in every word, which need no larger alignment.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), 4 * self.len) }
    }

    /// Asks for the cache line of a word ahead of its use. Any index is harmless.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        ask_for(self.start.as_ptr().wrapping_add(index).cast());
    }

    /// Hands out everything in groups of so many words, in that many threads; `progress` is told
    /// the percent done, on this thread.
    pub(crate) fn sweep(
        &self,
        threads: usize,
        group: usize,
        progress: &mut dyn FnMut(usize),
        work: impl Fn(&[AtomicU64]) + Sync,
    ) {
        let parts: Vec<&[AtomicU64]> = self.as_slice().chunks(PART / 8 / group * group).collect();
        let next = AtomicUsize::new(0);
        let (done, finished) = channel();
        let run = |done: Sender<()>| {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                part.chunks(group).for_each(&work);
                // Somebody listens as long as there is something to do.
                let _ = done.send(());
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.clamp(1, parts.len().max(1)) {
                let (run, done) = (&run, done.clone());
                let builder = std::thread::Builder::new().name("table".to_owned());
                // Without more threads it takes longer.
                let _ = builder.spawn_scoped(scope, move || run(done));
            }
            // One more than this thread, which tells how far the others are.
            let last = done.clone();
            let alone = std::thread::Builder::new().spawn_scoped(scope, || run(last)).is_err();
            if alone {
                run(done.clone());
            }
            drop(done);
            let mut told = 0;
            for (index, ()) in finished.iter().enumerate() {
                let percent = 100 * (index + 1) / parts.len();
                if percent > told {
                    told = percent;
                    progress(percent);
                }
            }
        });
    }
}

/// Asks for the cache line of an address. Any address is harmless.
#[inline]
fn ask_for(address: *const i8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Zeroed numbers of one thread, in huge pages where the system gives them: tables that are read all
/// over would else need thousands of pages, of which a processor remembers where they are for some.
pub(crate) struct Numbers {
    start: NonNull<i16>,
    len: usize,
    _block: Block,
}

// SAFETY: the block is owned and never moves; references to it follow the usual rules (below).
unsafe impl Send for Numbers {}
// SAFETY: as above.
unsafe impl Sync for Numbers {}

impl Numbers {
    /// That many zeros. As with any other memory, the program ends where the system has none.
    pub(crate) fn zeroed(len: usize) -> Self {
        let Some(block) = Block::zeroed((2 * len).max(8)) else {
            let layout = std::alloc::Layout::array::<i16>(len);
            std::alloc::handle_alloc_error(layout.unwrap_or(std::alloc::Layout::new::<i16>()));
        };
        Self { start: block.start().cast(), len, _block: block }
    }
}

impl std::ops::Deref for Numbers {
    type Target = [i16];

    #[inline]
    fn deref(&self) -> &[i16] {
        // SAFETY: `start` points at `len` initialised numbers (zero is a valid `i16`) that live as
        // long as `self`, and only `deref_mut`, which borrows `self` alone, changes them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl std::ops::DerefMut for Numbers {
    #[inline]
    fn deref_mut(&mut self) -> &mut [i16] {
        // SAFETY: as above; `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// Bytes one thread sweeps at a time.
const PART: usize = 8 << 20;
/// Bytes from which memory is given back by a thread of its own.
const LARGE: usize = 64 << 20;

/// MiB of memory that are free, as far as the system tells.
pub(crate) fn free_mib() -> Option<usize> {
    usize::try_from(os::memory::figures()?.free_mib).ok()
}

impl Drop for Words {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else { return };
        if self.len * 8 < LARGE {
            return drop(block);
        }
        // Whoever asks for another table must not wait until the system has taken this one back.
        // Where no thread can be started the closure is dropped, and the block with it.
        let builder = std::thread::Builder::new().name("free table".to_owned());
        let _ = builder.spawn(move || drop(block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_start_at_zero_and_keep_what_is_written() {
        for len in [1, 3, 3 << 20] {
            let mut numbers = Numbers::zeroed(len);
            assert!(numbers.len() == len && numbers.iter().all(|&n| n == 0));
            numbers[len - 1] = -7;
            assert_eq!((numbers[len - 1], numbers.iter().filter(|&&n| n != 0).count()), (-7, 1));
        }
    }

    #[test]
    fn words_start_at_zero_and_every_one_is_swept_once() {
        for (len, threads) in [(4, 1), (8, 3), (100_000, 2), (3 << 20, 3)] {
            let words = Words::zeroed(len).unwrap();
            assert_eq!(words.as_slice().len(), len);
            assert!(words.as_slice().iter().all(|w| w.load(Ordering::Relaxed) == 0));
            words.prefetch(usize::MAX / 16);
            let mut told = Vec::new();
            words.sweep(threads, 4, &mut |percent| told.push(percent), |group| {
                assert_eq!(group.len(), 4);
                group
                    .iter()
                    .for_each(|w| w.store(w.load(Ordering::Relaxed) + 7, Ordering::Relaxed));
            });
            assert!(words.as_slice().iter().all(|w| w.load(Ordering::Relaxed) == 7));
            assert!(told.is_sorted() && told.last() == Some(&100), "{told:?}");
        }
        assert!(Words::zeroed(usize::MAX / 4).is_none());
    }
}
