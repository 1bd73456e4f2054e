//! Bytes by their hash, in memory or in a folder.

use crate::names::BlobHash;
use crate::queue::QueueError;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A store of bytes with limits.
#[derive(Debug)]
pub struct Blobs {
    place: Place,
    /// Bytes of one, and of all.
    limits: (u64, u64),
    /// Bytes there are. Held while something is put, so that no limit is passed by two at once.
    stored: Mutex<u64>,
}

#[derive(Debug)]
enum Place {
    Memory(Mutex<HashMap<BlobHash, Arc<[u8]>>>),
    Folder(PathBuf),
}

fn unavailable(path: &Path, error: &io::Error) -> QueueError {
    QueueError::Unavailable { reason: format!("{}: {error}", path.display()) }
}

impl Blobs {
    /// A store that ends with the process.
    pub fn in_memory(max_blob: u64, max_store: u64) -> Self {
        let place = Place::Memory(Mutex::default());
        Self { place, limits: (max_blob, max_store), stored: Mutex::new(0) }
    }

    /// A store in a folder, which is made if need be: a file for each blob, named by its hash.
    pub fn in_folder(folder: &Path, max_blob: u64, max_store: u64) -> Result<Self, QueueError> {
        let failed = |e: io::Error| unavailable(folder, &e);
        fs::create_dir_all(folder).map_err(failed)?;
        let mut stored = 0;
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let is_blob = entry.file_name().to_str().is_some_and(|n| n.parse::<BlobHash>().is_ok());
            if is_blob {
                stored += entry.metadata().map_err(failed)?.len();
            }
        }
        let place = Place::Folder(folder.to_owned());
        Ok(Self { place, limits: (max_blob, max_store), stored: Mutex::new(stored) })
    }

    /// Bytes in it.
    pub fn stored(&self) -> u64 {
        *self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps bytes.
    pub fn put(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
        let length = bytes.len() as u64;
        let (most, all) = self.limits;
        if length > most {
            return Err(QueueError::TooLarge { bytes: length, most });
        }
        let hash = BlobHash::of(bytes);
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if self.length(&hash)?.is_some() {
            return Ok(hash);
        }
        if *stored + length > all {
            return Err(QueueError::Full { what: "bytes of blobs".to_owned(), bound: all });
        }
        match &self.place {
            Place::Memory(blobs) => {
                let mut blobs = blobs.lock().unwrap_or_else(PoisonError::into_inner);
                blobs.insert(hash, bytes.into());
            }
            Place::Folder(folder) => {
                let path = folder.join(hash.to_string());
                let written = durable::write_whole(&path, bytes, true);
                written.map_err(|e| unavailable(&path, &e))?;
            }
        }
        *stored += length;
        Ok(hash)
    }

    /// Length of one; `None` if it is not there.
    pub fn length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        match &self.place {
            Place::Memory(blobs) => {
                let blobs = blobs.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(blobs.get(hash).map(|bytes| bytes.len() as u64))
            }
            Place::Folder(folder) => {
                let path = folder.join(hash.to_string());
                match fs::metadata(&path) {
                    Ok(metadata) => Ok(Some(metadata.len())),
                    Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
                    Err(e) => Err(unavailable(&path, &e)),
                }
            }
        }
    }

    /// A part of one, cut at its end.
    pub fn get(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
        let length = self.length(hash)?.ok_or(QueueError::NoBlob { hash: *hash })?;
        let (start, end) = (range.start.min(length), range.end.min(length));
        let count = end.saturating_sub(start);
        match &self.place {
            Place::Memory(blobs) => {
                let blobs = blobs.lock().unwrap_or_else(PoisonError::into_inner);
                let bytes = blobs.get(hash).ok_or(QueueError::NoBlob { hash: *hash })?;
                Ok(bytes[start as usize..(start + count) as usize].to_vec())
            }
            Place::Folder(folder) => {
                let path = folder.join(hash.to_string());
                read_part(&path, start, count).map_err(|e| unavailable(&path, &e))
            }
        }
    }

    /// The file a blob lies in, where the store is a folder and it is there.
    pub fn file(&self, hash: &BlobHash) -> Option<PathBuf> {
        match &self.place {
            Place::Memory(_) => None,
            Place::Folder(folder) => {
                Some(folder.join(hash.to_string())).filter(|path| path.is_file())
            }
        }
    }
}

fn read_part(path: &Path, start: u64, count: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_counted_when_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Blobs::in_folder(folder.path(), 100, 150).unwrap();
        let hash = open().put(&[7; 100]).unwrap();
        fs::write(folder.path().join("something-else"), [0; 1000]).unwrap();
        let again = open();
        assert_eq!(again.stored(), 100);
        assert_eq!(again.put(&[7; 100]), Ok(hash), "putting it again costs nothing");
        assert!(matches!(again.put(&[8; 60]), Err(QueueError::Full { bound: 150, .. })));
        assert_eq!(again.get(&hash, 98..1000).unwrap(), [7; 2]);
        assert!(again.file(&hash).is_some());
    }
}
