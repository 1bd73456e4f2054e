//! Which processors a thread, and what it starts, may run on. Without meaning where the system
//! has no such thing.

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

#[cfg(not(target_os = "linux"))]
mod imp {
    pub(super) fn available() -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn confine(_: &[usize]) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
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
