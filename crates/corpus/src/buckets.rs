//! Piles of bytes that go to temporary files when they grow too large for memory.

use crate::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Least bytes of a bucket before it is written out: smaller writes are slow.
const LEAST: usize = 64 << 10;

/// Numbered buckets.
pub(crate) struct Buckets {
    buckets: Vec<Bucket>,
    /// A bucket larger than this is written out.
    spill: usize,
    /// Where temporary files go, and what they are called.
    folder: PathBuf,
    name: String,
}

#[derive(Default)]
struct Bucket {
    buffer: Vec<u8>,
    file: Option<Scratch>,
}

/// A temporary file, gone when it is dropped, and where possible before.
struct Scratch {
    file: File,
    /// `None` once it has no name any more.
    path: Option<PathBuf>,
    written: u64,
}

impl Buckets {
    /// So many empty buckets that together keep at most `memory` bytes in memory.
    pub(crate) fn new(folder: &Path, name: &str, count: usize, memory: u64) -> Self {
        let share = usize::try_from(memory).unwrap_or(usize::MAX) / count.max(1);
        let buckets = (0..count).map(|_| Bucket::default()).collect();
        let name = format!(".nue-{name}-{}", std::process::id());
        Self { buckets, spill: share.max(LEAST), folder: folder.to_owned(), name }
    }

    /// Adds to a bucket.
    #[inline]
    pub(crate) fn put(&mut self, number: usize, bytes: &[u8]) -> Result<(), Error> {
        let bucket = &mut self.buckets[number];
        bucket.buffer.extend_from_slice(bytes);
        if bucket.buffer.len() >= self.spill { self.write_out(number) } else { Ok(()) }
    }

    fn write_out(&mut self, number: usize) -> Result<(), Error> {
        let path = self.folder.join(format!("{}-{number}.tmp", self.name));
        let failed = |e: std::io::Error| {
            Error::file(&path, &format_args!("cannot write a temporary file: {e}"))
        };
        let bucket = &mut self.buckets[number];
        let scratch = match bucket.file.take() {
            Some(scratch) => scratch,
            None => Scratch::new(&path).map_err(failed)?,
        };
        let scratch = bucket.file.insert(scratch);
        scratch.file.write_all(&bucket.buffer).map_err(failed)?;
        scratch.written += bucket.buffer.len() as u64;
        bucket.buffer.clear();
        Ok(())
    }

    /// How many buckets.
    pub(crate) fn len(&self) -> usize {
        self.buckets.len()
    }

    /// Takes a bucket away.
    pub(crate) fn take(&mut self, number: usize) -> Result<Vec<u8>, Error> {
        let bucket = std::mem::take(&mut self.buckets[number]);
        let Some(mut scratch) = bucket.file else { return Ok(bucket.buffer) };
        let mut all = Vec::with_capacity(scratch.written as usize + bucket.buffer.len());
        scratch
            .file
            .seek(SeekFrom::Start(0))
            .and_then(|_| scratch.file.read_to_end(&mut all))
            .map_err(|e| Error::Failed(format!("cannot read a temporary file back: {e}")))?;
        all.extend(bucket.buffer);
        Ok(all)
    }
}

impl Scratch {
    fn new(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        // Where an open file can lose its name, nothing is left behind whatever happens.
        let path = fs::remove_file(path).is_err().then(|| path.to_owned());
        Ok(Self { file, path, written: 0 })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // If it cannot be removed there is nothing better to do.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piles_come_back_whether_or_not_they_fit() {
        let folder = tempfile::tempdir().unwrap();
        for memory in [0, 1 << 30] {
            let mut buckets = Buckets::new(folder.path(), "buckets-test", 3, memory);
            for n in 0..60_000u32 {
                buckets.put(n as usize % 3, &n.to_le_bytes()).unwrap();
            }
            for bucket in 0..buckets.len() {
                let all = buckets.take(bucket).unwrap();
                let numbers = all.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b));
                assert!(numbers.eq((0..60_000).filter(|n| *n as usize % 3 == bucket)));
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
