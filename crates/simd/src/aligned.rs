//! Vectors of plain integers at addresses that suit vector loads, on huge pages where the
//! system gives them.
//!
//! A HalfKP transformer is 64 MB of rows read in no order: with 4 KiB pages nearly every row
//! costs a page walk besides the cache miss.

use os::memory::HUGE_PAGE as HUGE;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// A cache line and the widest vector.
const LINE: usize = 64;

/// Integers for which every bit pattern is a value and which have no padding.
///
/// # Safety
/// Implementors are primitive integers.
pub unsafe trait Plain: Copy + Default + Send + Sync + 'static {}

// SAFETY: primitive integers.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i8 {}
// SAFETY: as above.
unsafe impl Plain for i16 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}

/// A vector of fixed length aligned to a cache line (to a huge page when it fills one).
pub struct AlignedVec<T: Plain> {
    data: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its memory and T is a plain integer.
unsafe impl<T: Plain> Send for AlignedVec<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for AlignedVec<T> {}

impl<T: Plain> AlignedVec<T> {
    fn layout(len: usize) -> Layout {
        let bytes = len.checked_mul(size_of::<T>()).expect("more elements than memory has bytes");
        let align = if bytes >= HUGE { HUGE } else { LINE };
        Layout::from_size_align(bytes.max(LINE), align)
            .expect("more bytes than an address can hold")
    }

    /// A vector of zeros. Memory nobody writes to is not taken from the system.
    pub fn zeroed(len: usize) -> Self {
        let layout = Self::layout(len);
        // SAFETY: the size of the layout is not zero.
        let raw = unsafe { alloc_zeroed(layout) };
        let Some(data) = NonNull::new(raw.cast::<T>()) else { handle_alloc_error(layout) };
        if layout.align() == HUGE {
            os::memory::ask_for_huge_pages(data.cast(), layout.size());
        }
        Self { data, len }
    }

    /// A copy of a slice.
    pub fn from_slice(values: &[T]) -> Self {
        let mut vec = Self::zeroed(values.len());
        vec.copy_from_slice(values);
        vec
    }

    /// The memory as bytes, in the byte order of the machine.
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the allocation holds that many initialised bytes, and any byte is a valid
        // part of a plain integer.
        unsafe {
            std::slice::from_raw_parts_mut(self.data.as_ptr().cast(), self.len * size_of::<T>())
        }
    }

    /// The memory as bytes, in the byte order of the machine.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast(), self.len * size_of::<T>()) }
    }
}

impl<T: Plain> Deref for AlignedVec<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the allocation holds `len` initialised values.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.len) }
    }
}

impl<T: Plain> DerefMut for AlignedVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.len) }
    }
}

impl<T: Plain> Clone for AlignedVec<T> {
    fn clone(&self) -> Self {
        Self::from_slice(self)
    }
}

impl<T: Plain + PartialEq> PartialEq for AlignedVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Plain> std::fmt::Debug for AlignedVec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AlignedVec({} × {} bytes)", self.len, size_of::<T>())
    }
}

impl<T: Plain> Drop for AlignedVec<T> {
    fn drop(&mut self) {
        // SAFETY: allocated in `zeroed` with the same layout.
        unsafe { dealloc(self.data.as_ptr().cast(), Self::layout(self.len)) };
    }
}
