//! Memory from the allocator, where there is nothing else.

#![allow(unsafe_code)]

use super::{Figures, HugePages};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

pub(super) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

impl Block {
    pub(super) fn zeroed(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes, 64).ok()?;
        // SAFETY: the layout has a size of at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { start, layout })
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

// SAFETY: a range of memory that belongs to whoever has this; no thread is special to it.
unsafe impl Send for Block {}
// SAFETY: as above; sharing it gives out nothing but the address.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `zeroed` with this very layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

pub(super) fn ask_for_huge_pages(_: NonNull<u8>, _: usize) {}

pub(super) fn figures() -> Option<Figures> {
    None
}

pub(super) fn huge_pages() -> HugePages {
    HugePages::Unknown
}
