//! Memory mapped straight from the system: pages are zero and cost nothing until touched.

#![allow(unsafe_code)]

use super::{Figures, HUGE_PAGE, HugePages};
#[cfg(target_os = "linux")]
use rustix::mm::{Advice, madvise};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ptr::{NonNull, null_mut};

/// Bytes the system takes back at a time.
#[cfg(target_os = "linux")]
const AT_A_TIME: usize = 8 << 20;

pub(super) struct Block {
    mapped: NonNull<u8>,
    mapped_bytes: usize,
    start: NonNull<u8>,
}

impl Block {
    pub(super) fn zeroed(bytes: usize) -> Option<Self> {
        // Whole huge pages where they would be half full, and room to begin at one.
        let bytes =
            bytes.checked_next_multiple_of(if bytes < HUGE_PAGE / 2 { 1 } else { HUGE_PAGE })?;
        let mapped_bytes = bytes.checked_add(HUGE_PAGE)?;
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh anonymous mapping touches no memory of ours.
        let mapped = unsafe { mmap_anonymous(null_mut(), mapped_bytes, rights, MapFlags::PRIVATE) };
        let mapped = NonNull::new(mapped.ok()?.cast::<u8>())?;
        let offset = mapped.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        // SAFETY: the offset is at most the extra room mapped above.
        let start = unsafe { mapped.add(offset) };
        ask_for_huge_pages(start, bytes);
        Some(Self { mapped, mapped_bytes, start })
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
        // A little at a time: nobody can map or touch memory while the system takes pages away.
        #[cfg(target_os = "linux")]
        for at in (0..self.mapped_bytes).step_by(AT_A_TIME) {
            let bytes = AT_A_TIME.min(self.mapped_bytes - at);
            // SAFETY: within the mapping, which nobody refers to any more (see below). Failure is
            // harmless: the mapping goes as a whole.
            let _ = unsafe {
                madvise(self.mapped.add(at).as_ptr().cast(), bytes, Advice::LinuxDontNeed)
            };
        }
        // SAFETY: mapped in `zeroed` with this very size; who refers to it keeps the block.
        let _ = unsafe { munmap(self.mapped.as_ptr().cast(), self.mapped_bytes) };
    }
}

#[cfg(target_os = "linux")]
pub(super) fn ask_for_huge_pages(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the advice changes nothing about contents, whatever is there, and the system may
    // ignore it.
    let _ = unsafe { madvise(start.as_ptr().cast(), bytes, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_huge_pages(_: NonNull<u8>, _: usize) {}

pub(super) fn figures() -> Option<Figures> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let group = read("/sys/fs/cgroup/memory.max").zip(read("/sys/fs/cgroup/memory.current"));
    figures_in(
        &read("/proc/meminfo")?,
        group.as_ref().map(|(max, now)| (max.as_str(), now.as_str())),
    )
}

/// The same, from the text of `/proc/meminfo` and from limit and use of the group of processes.
fn figures_in(meminfo: &str, group: Option<(&str, &str)>) -> Option<Figures> {
    let kib = |name: &str| -> Option<u64> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    };
    let (total, free) = (kib("MemTotal")?, kib("MemAvailable")?);
    let bytes = |text: &str| text.trim().parse::<u64>().ok();
    let in_group =
        group.and_then(|(limit, used)| Some(bytes(limit)?.saturating_sub(bytes(used)?) / 1024));
    let free = in_group.map_or(free, |left| left.min(free));
    Some(Figures { total_mib: total / 1024, free_mib: free / 1024 })
}

pub(super) fn huge_pages() -> HugePages {
    if !cfg!(target_os = "linux") {
        return HugePages::Unknown;
    }
    let switch = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    switched(switch.ok().as_deref())
}

/// By the text of the kernel's switch, which has the choice in brackets.
fn switched(switch: Option<&str>) -> HugePages {
    match switch.and_then(|text| text.split(['[', ']']).nth(1)) {
        Some(word @ ("always" | "madvise")) => HugePages::Given(word.to_owned()),
        Some(word) => HugePages::Off(
            word.to_owned(),
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        None => HugePages::Off(
            "this kernel has none".to_owned(),
            "nothing that Nue could do; a kernel with CONFIG_TRANSPARENT_HUGEPAGE gives them",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_what_the_machine_and_the_group_have() {
        let text = "MemTotal: 8000000 kB\nMemFree: 10 kB\nMemAvailable:   2097152 kB\n";
        let free = |group| figures_in(text, group).map(|all| (all.free_mib, all.total_mib));
        assert_eq!(free(None), Some((2048, 7812)));
        assert_eq!(free(Some(("max\n", "5\n"))), Some((2048, 7812)));
        assert_eq!(free(Some(("1073741824\n", "536870912\n"))), Some((512, 7812)));
        assert_eq!(free(Some(("5", "7"))), Some((0, 7812)));
        assert_eq!(figures_in("", None), None);
        assert_eq!(figures_in("MemTotal: x\nMemAvailable: y\n", None), None);
    }

    #[test]
    fn huge_pages_by_the_kernel_s_switch() {
        for (text, given, part) in [
            (Some("[always] madvise never\n"), true, "always"),
            (Some("always [madvise] never\n"), true, "madvise"),
            (Some("always madvise [never]\n"), false, "sudo tee"),
            (Some("nonsense"), false, "kernel"),
            (None, false, "kernel"),
        ] {
            let (is_given, told) = match switched(text) {
                HugePages::Given(word) => (true, word),
                HugePages::Off(word, advice) => (false, format!("{word} {advice}")),
                HugePages::Unknown => panic!("{text:?}"),
            };
            assert!(is_given == given && told.contains(part), "{text:?}: {told}");
        }
    }
}
