//! A cluster: the page its master writes while it plays.

use super::written_page;
use board::error::ApiError;
use std::path::Path;

/// The page as it was last written.
pub(super) fn page(file: Option<&Path>) -> Result<String, ApiError> {
    let Some(file) = file else { return Err(ApiError::missing("no cluster is watched")) };
    written_page::read(file, "nue cluster writes it where its file says page")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_lies_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("team.html");
        assert!(page(None).is_err());
        let error = page(Some(&path)).unwrap_err().to_string();
        assert!(error.contains("team.html") && error.contains("nue cluster"), "{error}");
        std::fs::write(&path, "<p>x</p>").unwrap();
        assert_eq!(page(Some(&path)).unwrap(), "<p>x</p>");
    }
}
