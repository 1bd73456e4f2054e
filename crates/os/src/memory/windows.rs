//! Memory from `VirtualAlloc`: large pages where the user has the right to them.

#![allow(unsafe_code)]

use super::{Figures, HUGE_PAGE, HugePages};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{NonNull, null, null_mut};
use windows_sys::Win32::Foundation::{ERROR_SUCCESS, GetLastError, LUID};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME,
    SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES, TOKEN_QUERY,
};
use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE,
    VIRTUAL_ALLOCATION_TYPE, VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

pub(super) struct Block(NonNull<u8>);

impl Block {
    pub(super) fn zeroed(bytes: usize) -> Option<Self> {
        let large = if bytes < HUGE_PAGE { None } else { large_page() };
        let on_large =
            large.and_then(|page| Self::of(bytes.checked_next_multiple_of(page)?, MEM_LARGE_PAGES));
        // There may be the right but no room that is not in pieces.
        on_large.or_else(|| Self::of(bytes, 0))
    }

    fn of(bytes: usize, kind: VIRTUAL_ALLOCATION_TYPE) -> Option<Self> {
        let kind = MEM_RESERVE | MEM_COMMIT | kind;
        // SAFETY: fresh memory wherever the system likes; it touches none of ours.
        let start = unsafe { VirtualAlloc(null(), bytes, kind, PAGE_READWRITE) };
        NonNull::new(start.cast()).map(Self)
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.0
    }
}

// SAFETY: a range of memory that belongs to whoever has this; no thread is special to it.
unsafe impl Send for Block {}
// SAFETY: as above; sharing it gives out nothing but the address.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: from `VirtualAlloc`, given back whole; who refers to it keeps the block.
        unsafe { VirtualFree(self.0.as_ptr().cast(), 0, MEM_RELEASE) };
    }
}

/// Memory that is there already keeps its pages.
pub(super) fn ask_for_huge_pages(_: NonNull<u8>, _: usize) {}

/// The size of a large page, where this user may have some: the right to them has to be switched on.
fn large_page() -> Option<usize> {
    // SAFETY: asks for a number; 0 where there are none.
    let size = Some(unsafe { GetLargePageMinimum() }).filter(|&size| size > 0)?;
    let mut token = null_mut();
    // SAFETY: the pseudo handle of this process is always valid, and `token` is ours to write to.
    let opened = unsafe {
        OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &mut token)
    };
    if opened == 0 {
        return None;
    }
    // SAFETY: a handle that was just opened, and is nobody else's.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut right = LUID::default();
    // SAFETY: a text that ends with zero, and room for the answer.
    if unsafe { LookupPrivilegeValueW(null(), SE_LOCK_MEMORY_NAME, &mut right) } == 0 {
        return None;
    }
    let wanted = TOKEN_PRIVILEGES {
        PrivilegeCount: 1,
        Privileges: [LUID_AND_ATTRIBUTES { Luid: right, Attributes: SE_PRIVILEGE_ENABLED }],
    };
    // SAFETY: `wanted` holds as many rights as it says; nothing is written back.
    let granted = unsafe {
        AdjustTokenPrivileges(token.as_raw_handle(), 0, &wanted, 0, null_mut(), null_mut()) != 0
            // It succeeds without giving any; then the last error says so.
            && GetLastError() == ERROR_SUCCESS
    };
    granted.then_some(size)
}

pub(super) fn figures() -> Option<Figures> {
    let length = size_of::<MEMORYSTATUSEX>() as u32;
    let mut status = MEMORYSTATUSEX { dwLength: length, ..MEMORYSTATUSEX::default() };
    // SAFETY: the length says how much may be written.
    if unsafe { GlobalMemoryStatusEx(&mut status) } == 0 {
        return None;
    }
    let mib = |bytes: u64| bytes >> 20;
    // Memory must be free, and the system must be able to promise it.
    let free = status.ullAvailPhys.min(status.ullAvailPageFile);
    Some(Figures { total_mib: mib(status.ullTotalPhys), free_mib: mib(free) })
}

pub(super) fn huge_pages() -> HugePages {
    match large_page() {
        Some(_) => HugePages::Given("large pages".to_owned()),
        None => HugePages::Off(
            "no right to lock pages in memory".to_owned(),
            "secpol.msc, Local Policies, User Rights Assignment: give your user \"Lock pages in \
             memory\", and log in again",
        ),
    }
}
