//! Ctrl-C for commands that can be resumed: the first asks for an orderly end, the second ends the
//! program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag the first interrupt sets, and whether it will: where it will not, an interrupt ends the
/// program at once.
pub(crate) fn flag() -> (Arc<AtomicBool>, bool) {
    let interrupted = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&interrupted);
    let handler = move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    let heard = ctrlc::set_handler(handler).is_ok();
    (interrupted, heard)
}
