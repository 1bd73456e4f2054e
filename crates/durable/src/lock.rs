//! Locks on files: advisory, released by the system however the process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use thiserror::Error;

/// Another process, or another handle of this one, holds the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("in use by another process")]
pub struct InUse;

/// A lock on a file, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
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
        Ok(lock(&file).map(|()| Self { _file: file }))
    }

    /// Whether somebody holds the lock of that file right now. No if there is no such file.
    pub fn is_held(path: &Path) -> bool {
        File::open(path).is_ok_and(|file| lock(&file).is_err())
    }
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
        std::fs::write(&path, "contents").unwrap();
        let held = Lock::exclusive(&path).unwrap().unwrap();
        assert!(Lock::is_held(&path));
        assert_eq!(Lock::exclusive(&path).unwrap().unwrap_err(), InUse);
        drop(held);
        assert!(!Lock::is_held(&path));
        assert!(Lock::exclusive(&path).unwrap().is_ok());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "contents");
    }

    #[test]
    fn a_folder_cannot_be_locked() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Lock::exclusive(folder.path()).is_err());
        assert!(Lock::exclusive(&folder.path().join("no/such/folder")).is_err());
    }
}
