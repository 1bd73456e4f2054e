//! A fleet: the page its coordinator writes into its folder.

use super::written_page;
use board::error::ApiError;
use std::path::Path;

/// The page as it was last written.
pub(super) fn page(folder: Option<&Path>) -> Result<String, ApiError> {
    let Some(folder) = folder else { return Err(ApiError::missing("no fleet is watched")) };
    written_page::read(&folder.join("fleet.html"), "nue fleet serve writes it")
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
