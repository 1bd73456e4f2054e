//! Locks on files: advisory, released by the system however the process ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Another process, or another handle of this one, holds the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("in use by another process")]
pub struct InUse;

/// A lock on a file, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    /// What is removed with the lock.
    hidden: Option<PathBuf>,
}

impl Lock {
    /// Locks the file of that name, which is made if there is none and keeps its contents. The
    /// inner error says that somebody else has it.
    ///
    /// The file stays when the lock goes: removing it would let two processes hold locks on two
    /// files of the same name.
    pub fn exclusive(path: &Path) -> io::Result<Result<Self, InUse>> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(lock(&file).map(|()| Self { file, hidden: None }))
    }

    /// Locks an output that is replaced as a whole and so cannot be locked itself: by a hidden
    /// file beside it, which goes with the lock. Folders on the way are made.
    pub fn beside(output: &Path) -> io::Result<Result<Self, InUse>> {
        if let Some(folder) = output.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let hidden = hidden_beside(output)
            .ok_or_else(|| io::Error::other(format!("{} names no file", output.display())))?;
        loop {
            let Ok(mut found) = Self::exclusive(&hidden)? else { return Ok(Err(InUse)) };
            // Whoever held it before may have removed the file between its opening and its lock:
            // then somebody else can lock another file of that name.
            if os::files::is_named(&found.file, &hidden) {
                found.hidden = Some(hidden);
                return Ok(Ok(found));
            }
        }
    }

    /// Whether somebody has locked that output by [`Lock::beside`] right now.
    pub fn is_held_beside(output: &Path) -> bool {
        hidden_beside(output).is_some_and(|hidden| Self::is_held(&hidden))
    }

    /// Whether somebody holds the lock of that file right now. No if there is no such file.
    pub fn is_held(path: &Path) -> bool {
        File::open(path).is_ok_and(|file| lock(&file).is_err())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Only on systems where its absence can be told from another file of the same name.
        if let Some(hidden) = self.hidden.take().filter(|_| os::files::TELLS_APART) {
            // Left behind it does no harm.
            let _ = fs::remove_file(hidden);
        }
    }
}

/// The hidden file whose lock is that of an output; none if it names no file.
fn hidden_beside(output: &Path) -> Option<PathBuf> {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(output.file_name()?);
    hidden.push(".lock");
    Some(output.with_file_name(hidden))
}

/// Locks an open file. A file system without locks is used without.
pub(crate) fn lock(file: &File) -> Result<(), InUse> {
    match file.try_lock() {
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(InUse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_keeps_others_away_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.db.lock");
        assert!(!Lock::is_held(&path), "there is no file");
        fs::write(&path, "contents").unwrap();
        let held = Lock::exclusive(&path).unwrap().unwrap();
        assert!(Lock::is_held(&path));
        assert_eq!(Lock::exclusive(&path).unwrap().unwrap_err(), InUse);
        drop(held);
        assert!(!Lock::is_held(&path));
        assert!(Lock::exclusive(&path).unwrap().is_ok());
        assert_eq!(fs::read_to_string(&path).unwrap(), "contents");
    }

    #[test]
    fn an_output_is_locked_beside_it_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/nn.bin");
        let held = Lock::beside(&path).unwrap().unwrap();
        assert_eq!(Lock::beside(&path).unwrap().unwrap_err(), InUse);
        // The output may come and go meanwhile.
        fs::write(&path, "net").unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(Lock::beside(&path).unwrap().unwrap_err(), InUse);
        drop(held);
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, usize::from(!os::files::TELLS_APART));
        assert!(Lock::beside(&path).unwrap().is_ok());
    }

    #[test]
    fn a_folder_cannot_be_locked() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Lock::exclusive(folder.path()).is_err());
        assert!(Lock::exclusive(&folder.path().join("no/such/folder")).is_err());
    }
}
