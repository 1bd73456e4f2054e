//! How long a thread has waited for a processor while it had something to do.
//!
//! On a busy machine an engine wakes some time after it was asked, and the thread that reads its
//! answer some time after the answer has arrived. Linux counts that time for every thread, so it
//! can be taken off again. Elsewhere it is not known and counts as nothing.

use std::time::Duration;

/// The count of one thread.
pub(crate) struct RunDelay(imp::Source);

impl RunDelay {
    /// For the thread that calls this.
    pub(crate) fn of_this_thread() -> Self {
        Self(imp::Source::open("thread-self"))
    }

    /// For the first thread of a process.
    pub(crate) fn of_process(id: u32) -> Self {
        Self(imp::Source::open(&id.to_string()))
    }

    /// All of it until now.
    pub(crate) fn total(&self) -> Duration {
        self.0.total().unwrap_or_default()
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

    pub(super) struct Source(Option<File>);

    impl Source {
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

    pub(super) struct Source;

    impl Source {
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
    }
}
