//! Standard output, a line at a time.

use engines::shell::Output;
use std::io;

/// Standard output. When the interface has gone there is nobody to play for and nobody to tell; other
/// threads may be blocked on input that never comes, so the process ends.
pub(crate) fn stdout() -> Output {
    Output::new(io::stdout(), || std::process::exit(0))
}
