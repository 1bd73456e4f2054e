//! Which processors a thread, and what it starts, may run on. Without meaning where the system
//! has no such thing.
//!
//! On Linux threads and processes inherit it from the thread that starts them. On Windows only processes
//! do, and only those [`crate::process::Running`] starts; processors are those of one group, at most 64.

/// The processors this thread may run on; empty where that cannot be told.
pub fn available() -> Vec<usize> {
    imp::available()
}

/// Does something with this thread confined to some processors; processes and threads it starts
/// stay confined. With none named nothing changes.
pub fn on<T>(cpus: &[usize], work: impl FnOnce() -> T) -> T {
    if cpus.is_empty() {
        return work();
    }
    let before = available();
    imp::confine(cpus);
    let result = work();
    imp::confine(&before);
    result
}

/// Confines this thread, and what it starts, for good. Whether that was possible.
pub fn confine(cpus: &[usize]) -> bool {
    cpus.is_empty() || imp::confine(cpus)
}

#[cfg(target_os = "linux")]
mod imp {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    pub(super) fn available() -> Vec<usize> {
        let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
        (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect()
    }

    pub(super) fn confine(cpus: &[usize]) -> bool {
        let mut set = CpuSet::new();
        for &cpu in cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU) {
            set.set(cpu);
        }
        sched_setaffinity(None, &set).is_ok()
    }
}

#[cfg(windows)]
pub(crate) mod imp {
    #![allow(unsafe_code)]

    use windows_sys::Win32::Foundation::HANDLE;
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, SetProcessAffinityMask,
        SetThreadAffinityMask,
    };

    pub(super) fn available() -> Vec<usize> {
        let mask = of_this_thread();
        (0..usize::BITS as usize).filter(|&cpu| mask >> cpu & 1 == 1).collect()
    }

    pub(super) fn confine(cpus: &[usize]) -> bool {
        let mask = mask_of(cpus);
        // SAFETY: the pseudo handle of this thread is always valid.
        mask != 0 && unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) } != 0
    }

    /// Gives a process the processors of this thread.
    pub(crate) fn hand_on(process: HANDLE) {
        let mask = of_this_thread();
        if mask != 0 && mask != of_this_process() {
            // SAFETY: the caller's handle of a process that it started. Refused, it runs anywhere.
            unsafe { SetProcessAffinityMask(process, mask) };
        }
    }

    fn mask_of(cpus: &[usize]) -> usize {
        let bits = cpus.iter().filter(|&&cpu| cpu < usize::BITS as usize);
        bits.fold(0, |mask, &cpu| mask | 1 << cpu)
    }

    fn of_this_process() -> usize {
        let (mut own, mut system) = (0, 0);
        // SAFETY: both point at numbers of ours, and the pseudo handle is always valid.
        let told = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &mut own, &mut system) };
        if told == 0 { 0 } else { own }
    }

    /// The system tells it only in exchange for another one.
    fn of_this_thread() -> usize {
        let all = of_this_process();
        if all == 0 {
            return 0;
        }
        // SAFETY: the pseudo handle of this thread is always valid.
        let before = unsafe { SetThreadAffinityMask(GetCurrentThread(), all) };
        if before != 0 && before != all {
            // SAFETY: as above.
            unsafe { SetThreadAffinityMask(GetCurrentThread(), before) };
        }
        before
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod imp {
    pub(super) fn available() -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn confine(_: &[usize]) -> bool {
        false
    }
}

#[cfg(all(test, any(target_os = "linux", windows)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_confined_and_set_free_again() {
        let all = available();
        let first = vec![all[0]];
        assert_eq!(on(&first, available), first);
        assert_eq!(available(), all);
        assert_eq!(on(&[], available), all);
    }
}
