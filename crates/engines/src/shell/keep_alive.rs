//! Signs of life while something takes long: an interface that hears nothing for some seconds
//! after `isready` kills the engine.

use super::output::Output;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two signs of life.
pub(crate) const INTERVAL: Duration = Duration::from_secs(5);

/// Does the work, printing an empty line every `interval` until it is done.
pub(crate) fn keep_alive<T>(output: &Output, interval: Duration, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while waiting.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                output.text("");
            }
        });
        let result = work();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::output::tests::Memory;

    #[test]
    fn slow_work_gives_signs_of_life_and_quick_work_none() {
        let (memory, tick) = (Memory::default(), Duration::from_millis(5));
        let output = Output::new(memory.clone(), || ());
        assert_eq!(keep_alive(&output, INTERVAL, || 7), 7);
        assert_eq!(memory.text(), "");
        keep_alive(&output, tick, || {
            while memory.text().len() < 2 {
                thread::sleep(tick);
            }
        });
        assert!(memory.text().starts_with("\n\n"));
    }
}
