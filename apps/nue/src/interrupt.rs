//! Ctrl-C for long commands: the first asks to end after what is under way, the second ends the
//! program at once. Either way the exit code is 130.

use crate::failure::Failure;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag the first interrupt sets, and whether it will: where it will not, an interrupt ends the
/// program at once.
pub(crate) fn flag() -> (Arc<AtomicBool>, bool) {
    let interrupted = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&interrupted);
    let handler = move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Failure::INTERRUPTED));
        }
        // Where nobody reads it there is nobody to tell.
        let _ = writeln!(io::stderr(), "interrupted: ending in good order; once more ends at once");
    };
    let heard = ctrlc::set_handler(handler).is_ok();
    (interrupted, heard)
}
