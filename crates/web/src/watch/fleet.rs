//! A fleet: the page its coordinator writes into its folder.

use board::error::ApiError;
use std::path::Path;

/// Bytes of a page that is shown.
const MOST: u64 = 16 << 20;

/// The page as it was last written.
pub(super) fn page(folder: Option<&Path>) -> Result<String, ApiError> {
    let Some(folder) = folder else { return Err(ApiError::missing("no fleet is watched")) };
    let path = folder.join("fleet.html");
    let missing = |why: &dyn std::fmt::Display| {
        ApiError::missing(format!("{}: {why}; nue fleet serve writes it", path.display()))
    };
    let length = std::fs::metadata(&path).map_err(|e| missing(&e))?.len();
    if length > MOST {
        return Err(missing(&format_args!("{length} bytes are too many")));
    }
    std::fs::read_to_string(&path).map_err(|e| missing(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_lies_there() {
        let folder = tempfile::tempdir().unwrap();
        assert!(page(None).is_err() && page(Some(folder.path())).is_err());
        std::fs::write(folder.path().join("fleet.html"), "<p>x</p>").unwrap();
        assert_eq!(page(Some(folder.path())).unwrap(), "<p>x</p>");
    }
}
