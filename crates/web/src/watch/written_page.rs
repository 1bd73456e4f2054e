//! A page that another program of ours writes, whole each time.

use board::error::ApiError;
use std::path::Path;

/// Bytes of a page that is shown.
const MOST: u64 = 16 << 20;

/// The page as it was last written; `hint` says who writes it.
pub(super) fn read(path: &Path, hint: &str) -> Result<String, ApiError> {
    let missing = |why: &dyn std::fmt::Display| {
        ApiError::missing(format!("{}: {why}; {hint}", path.display()))
    };
    let length = std::fs::metadata(path).map_err(|e| missing(&e))?.len();
    if length > MOST {
        return Err(missing(&format_args!("{length} bytes are too many")));
    }
    std::fs::read_to_string(path).map_err(|e| missing(&e))
}
