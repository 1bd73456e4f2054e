//! How long a thread has waited for a processor while it had something to do. Linux counts that time for
//! every thread; elsewhere it is not known.

use std::time::Duration;

/// The threads of a process that can be asked about, by number.
pub fn threads_of(process: u32) -> Vec<String> {
    imp::threads_of(process)
}

/// The count of one thread.
pub struct RunDelay(imp::Count);

impl RunDelay {
    /// For the thread that calls this.
    pub fn of_this_thread() -> Self {
        Self(imp::Count::open("thread-self"))
    }

    /// For the first thread of a process.
    pub fn of_process(id: u32) -> Self {
        Self(imp::Count::open(&id.to_string()))
    }

    /// For one of [`threads_of`] a process.
    pub fn of_thread(process: u32, thread: &str) -> Self {
        Self(imp::Count::open(&format!("{process}/task/{thread}")))
    }

    /// All of it until now; `None` where it is not known or the thread has ended.
    pub fn total(&self) -> Option<Duration> {
        self.0.total()
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

    pub(super) fn threads_of(id: u32) -> Vec<String> {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { return Vec::new() };
        threads.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    pub(super) struct Count(Option<File>);

    impl Count {
        pub(super) fn open(whose: &str) -> Self {
            Self(File::open(format!("/proc/{whose}/schedstat")).ok())
        }

        /// The file says: nanoseconds run, nanoseconds waited, times run.
        pub(super) fn total(&self) -> Option<Duration> {
            let mut buffer = [0; 96];
            let count = self.0.as_ref()?.read_at(&mut buffer, 0).ok()?;
            let text = std::str::from_utf8(&buffer[..count]).ok()?;
            let waited = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
            Some(Duration::from_nanos(waited))
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use std::time::Duration;

    pub(super) fn threads_of(_: u32) -> Vec<String> {
        Vec::new()
    }

    pub(super) struct Count;

    impl Count {
        pub(super) fn open(_: &str) -> Self {
            Self
        }

        pub(super) fn total(&self) -> Option<Duration> {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_never_falls() {
        let delay = RunDelay::of_this_thread();
        let mut last = delay.total();
        for _ in 0..100 {
            std::thread::yield_now();
            let now = delay.total();
            assert!(now >= last);
            last = now;
        }
        let own = threads_of(std::process::id());
        assert_eq!(own.is_empty(), !cfg!(target_os = "linux"));
        let first = RunDelay::of_process(std::process::id()).total();
        assert_eq!(first.is_some(), cfg!(target_os = "linux"));
        assert_eq!(RunDelay::of_thread(std::process::id(), "no number").total(), None);
    }
}
