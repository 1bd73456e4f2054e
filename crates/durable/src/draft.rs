//! Files that appear whole or not at all: written under a temporary name, then renamed.

use crate::name::beside;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file being written. Dropped without [`Draft::publish`] it leaves nothing behind.
///
/// Errors are those of the file system; [`io::ErrorKind::AlreadyExists`] is a file that is in the
/// way.
#[derive(Debug)]
pub struct Draft {
    target: PathBuf,
    temporary: PathBuf,
    /// `None` once published or given up.
    output: Option<BufWriter<File>>,
}

impl Draft {
    /// Starts a file beside its final place, making the folders it is to lie in.
    pub fn new(target: &Path) -> io::Result<Self> {
        if let Some(folder) = target.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        for attempt in 0..100 {
            let temporary = beside(target, &format!(".{}-{attempt}.tmp", std::process::id()))
                .ok_or_else(|| io::Error::other(format!("{target:?} is not the name of a file")))?;
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let output = Some(BufWriter::new(file));
                    return Ok(Self { target: target.to_owned(), temporary, output });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::other(format!("no free temporary name beside {target:?}")))
    }

    /// Puts the file in its place. Without `force` an existing file stays and this fails.
    pub fn publish(mut self, force: bool) -> io::Result<()> {
        let Some(output) = self.output.take() else { return Ok(()) };
        let result = output
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .and_then(|file| file.sync_all())
            .and_then(|()| place(&self.temporary, &self.target, force));
        if result.is_err() {
            // Nothing else refers to it, and the error matters more than this one.
            let _ = fs::remove_file(&self.temporary);
        }
        result
    }
}

/// Gives a finished file its name. Without `force` an existing file stays and this fails.
pub fn place(temporary: &Path, target: &Path, force: bool) -> io::Result<()> {
    if force { os::files::replace(temporary, target) } else { place_if_free(temporary, target) }
}

/// A hard link is refused where a file exists, in one step; a file system without links gets a
/// check and a rename.
fn place_if_free(temporary: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, target) {
        Ok(()) => fs::remove_file(temporary),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(e),
        Err(_) if target.exists() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => os::files::replace(temporary, target),
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.as_mut().map_or(Ok(0), |o| o.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.output.take().is_some() {
            // Given up: if it cannot be removed there is nothing better to do.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes a file that appears whole or not at all; over another only with `force`.
pub fn write_whole(path: &Path, bytes: &[u8], force: bool) -> io::Result<()> {
    let mut draft = Draft::new(path)?;
    draft.write_all(bytes)?;
    draft.publish(force)
}

#[cfg(test)]
mod tests;
