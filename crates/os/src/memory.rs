//! Large blocks of memory on huge pages, and how much memory there is.

use std::ptr::NonNull;

#[cfg(not(any(unix, windows)))]
mod other;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(not(any(unix, windows)))]
use other as imp;
#[cfg(unix)]
use unix as imp;
#[cfg(windows)]
use windows as imp;

/// Size of a huge page on x86-64 and most ARM systems.
pub const HUGE_PAGE: usize = 2 << 20;

/// Zeroed memory straight from the system, on huge pages where it gives them; where it can, pages cost
/// nothing until touched. It begins at a cache line at least.
pub struct Block(imp::Block);

impl Block {
    /// That many zero bytes, at least one; `None` if the system has no room for them.
    pub fn zeroed(bytes: usize) -> Option<Self> {
        imp::Block::zeroed(bytes.max(1)).map(Self)
    }

    /// The first byte. The memory is there as long as this block.
    pub fn start(&self) -> NonNull<u8> {
        self.0.start()
    }
}

/// Tells the system that this range would do well on huge pages. Advice only, about memory of whoever
/// calls: no byte changes, and failure is harmless.
pub fn ask_for_huge_pages(start: NonNull<u8>, bytes: usize) {
    imp::ask_for_huge_pages(start, bytes);
}

/// How much memory there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    pub total_mib: u64,
    /// What programs could have without others losing theirs.
    pub free_mib: u64,
}

/// How much memory there is, as far as the system tells.
pub fn figures() -> Option<Figures> {
    imp::figures()
}

/// Whether large tables get huge pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HugePages {
    /// They are given; how the system calls that.
    Given(String),
    /// They are not given, as that setting has it; what the user can do about it.
    Off(String, &'static str),
    /// This system has none, or does not say.
    Unknown,
}

/// Whether large tables get huge pages.
pub fn huge_pages() -> HugePages {
    imp::huge_pages()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_what_was_asked_for() {
        for bytes in [0, 1, 100, HUGE_PAGE, 3 * HUGE_PAGE + 1] {
            let block = Block::zeroed(bytes).unwrap();
            assert_eq!(block.start().as_ptr() as usize % 64, 0);
            ask_for_huge_pages(block.start(), bytes);
        }
        assert!(Block::zeroed(usize::MAX).is_none());
        assert!(Block::zeroed(usize::MAX / 4).is_none());
    }

    #[test]
    fn the_free_part_is_no_more_than_all() {
        let known = figures();
        assert_eq!(known.is_some(), cfg!(any(target_os = "linux", windows)));
        assert!(known.is_none_or(|all| 0 < all.total_mib && all.free_mib <= all.total_mib));
    }
}
