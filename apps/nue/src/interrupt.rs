//! Ctrl-C for long commands: the first asks to end after what is under way, the second ends the
//! program at once. Either way the exit code is 130.

use crate::failure::{CommandResult, Failure};
use lab::ENDS_WITH_INPUT;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag the first interrupt sets, and whether it will: where it will not, an interrupt ends the
/// program at once.
pub(crate) fn flag() -> (Arc<AtomicBool>, bool) {
    let interrupted = Arc::new(AtomicBool::new(false));
    let heard = hear(&interrupted, || ());
    (interrupted, heard)
}

/// A flag the first interrupt sets, after which it does something more.
pub(crate) fn and_then(first: impl Fn() + Send + 'static) -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    hear(&interrupted, first);
    interrupted
}

fn hear(interrupted: &Arc<AtomicBool>, first: impl Fn() + Send + 'static) -> bool {
    let set = Arc::clone(interrupted);
    let handler = move || {
        if set.swap(true, Ordering::SeqCst) {
            end_now();
        }
        // Where nobody reads it there is nobody to tell.
        let _ = writeln!(
            io::stderr(),
            "interrupted: finishing cleanly; interrupt again to stop at once"
        );
        first();
    };
    os::signals::on_interrupt(handler).is_ok()
}

/// Ends the program as after a second interrupt.
pub(crate) fn end_now() {
    std::process::exit(i32::from(Failure::INTERRUPTED));
}

/// Whether the work was done, or how far it was when it was interrupted.
pub(crate) fn check(interrupted: &AtomicBool, told: &str) -> CommandResult {
    match interrupted.load(Ordering::Relaxed) {
        true => Err(Failure::Interrupted(format!("interrupted{told}"))),
        false => Ok(()),
    }
}

/// Ends this process when standard input does, where whoever started it asked for that: its other
/// end is closed when they are gone, however they went.
pub(crate) fn end_with_input() {
    if std::env::var_os(ENDS_WITH_INPUT).is_none_or(|asked| asked != "1") {
        return;
    }
    std::thread::spawn(|| {
        // Nothing is ever sent; where it cannot be read nobody is there.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(143)
    });
}
