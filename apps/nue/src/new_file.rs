//! A small file the user names: written whole or not at all, and never over another unasked.

use crate::failure::{CommandResult, Failure};
use durable::Draft;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file that is about to be written.
pub(crate) struct NewFile {
    path: PathBuf,
    draft: Draft,
    force: bool,
}

impl NewFile {
    /// Begins it: a file that cannot be written is better known before the work than after it.
    pub(crate) fn begin(path: &Path, force: bool) -> Result<Self, Failure> {
        if path.exists() && !force {
            return Err(in_the_way(path));
        }
        let draft = Draft::new(path).map_err(|e| cannot_write(path, &e))?;
        Ok(Self { path: path.to_owned(), draft, force })
    }

    /// Writes it, and says so.
    pub(crate) fn finish(mut self, bytes: &[u8]) -> CommandResult {
        let written = self.draft.write_all(bytes).and_then(|()| self.draft.publish(self.force));
        written.map_err(|e| cannot_write(&self.path, &e))?;
        writeln!(io::stderr(), "{}: written", self.path.display())?;
        Ok(())
    }
}

pub(crate) fn in_the_way(path: &Path) -> Failure {
    Failure::usage(format!("{}: exists; --force replaces it", path.display()))
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        ErrorKind::AlreadyExists => in_the_way(path),
        _ => Failure::failed(format!("{}: cannot write: {error}", path.display())),
    }
}
