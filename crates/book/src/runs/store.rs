//! The file of the runs: without a name, so that nothing is left behind however the process ends; or with one, so that a later
//! process goes on from its last run.

use super::chunk::Record;
use crate::BookError;
use crate::bytes::{ReadAt, Taker};
use crate::codec::Sources;
use crc32fast::Hasher;
use durable::{Mode, Opened, Resumable, ResumableError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// How far an input has been read: which of several, the next part or byte of it, and the number of the next line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) input: usize,
    pub(crate) at: u64,
    pub(crate) line: u64,
    /// Positions read.
    pub(crate) positions: u64,
}

/// Runs of a level that are put together to one of the next, so that there are never many.
pub(super) const MOST_RUNS: usize = 128;
/// Bytes read at a time where all are.
const PIECE: usize = 1 << 20;
/// Bytes before a record: its length, how many of it it is sorted by, and how many of these stand before the entry.
const HEAD: usize = 8;

/// A run: where it lies, and how often what is in it was put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) records: u64,
    level: u32,
}

/// Records as a run has them, and how many.
pub(super) struct Block {
    bytes: Vec<u8>,
    records: u64,
}

pub(super) fn block_of(records: &[Record<'_>]) -> Block {
    let size = records.iter().map(|r| HEAD + r.order.len() + r.entry.len()).sum();
    let mut bytes = Vec::with_capacity(size);
    records.iter().for_each(|record| put_record(&mut bytes, record));
    Block { bytes, records: records.len() as u64 }
}

fn put_record(out: &mut Vec<u8>, record: &Record<'_>) {
    // An entry begins with its key: what is sorted by that is not written twice.
    let is_key = record.entry.starts_with(record.order);
    let skip = if is_key { 0 } else { record.order.len() };
    out.extend(((skip + record.entry.len()) as u32).to_le_bytes());
    out.extend((record.order.len() as u16).to_le_bytes());
    out.extend((skip as u16).to_le_bytes());
    if !is_key {
        out.extend(record.order);
    }
    out.extend(record.entry);
}

/// The next record.
pub(super) fn next_record<'a>(from: &mut Taker<'a>) -> Option<Record<'a>> {
    let (length, order, skip) = (from.u32()?, from.u16()?, from.u16()?);
    let bytes = from.take(length as usize)?;
    Some(Record::new(bytes.get(..usize::from(order))?, bytes.get(usize::from(skip)..)?))
}

/// The records of bytes that begin with one.
pub(super) fn records_of(bytes: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut from = Taker::new(bytes);
    std::iter::from_fn(move || next_record(&mut from))
}

/// What is known at the end of a run.
#[derive(Default, Serialize, Deserialize)]
struct Reached {
    place: Place,
    runs: Vec<Run>,
    sources: Vec<String>,
    /// Of everything in the file.
    sum: u32,
}

/// The file.
pub(super) struct Store {
    file: File,
    length: u64,
    runs: Vec<Run>,
    named: Option<Named>,
}

struct Named {
    resumable: Resumable,
    sum: Hasher,
}

impl Drop for Store {
    /// Ended early: what is done stays, if it is anything.
    fn drop(&mut self) {
        if let Some(named) = self.named.take() {
            named.resumable.give_up();
        }
    }
}

fn other(error: ResumableError) -> BookError {
    std::io::Error::other(error).into()
}

impl Store {
    pub(super) fn unnamed(folder: &Path) -> Result<Self, BookError> {
        let file = tempfile::tempfile_in(folder)?;
        Ok(Self { file, length: 0, runs: Vec::new(), named: None })
    }

    /// Opens a file by name: what an earlier process left of the same plan is taken over, anything else is removed.
    pub(super) fn named(path: &Path, plan: &Value) -> Result<(Self, Sources, Place), BookError> {
        let found = match Self::attached(path, plan, Mode::Resume) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) | Err(ResumableError::Journal(_)) => {
                Self::attached(path, plan, Mode::Restart).map_err(other)?
            }
            Err(error) => return Err(other(error)),
        };
        found.ok_or_else(|| std::io::Error::from(ErrorKind::InvalidData).into())
    }

    /// What is there, if it is what was written.
    fn attached(
        path: &Path,
        plan: &Value,
        mode: Mode,
    ) -> Result<Option<(Self, Sources, Place)>, ResumableError> {
        let attach = |mut file: File, length: u64| {
            file.seek(SeekFrom::Start(length))?;
            Ok((file, length))
        };
        let opened: Opened<File, Reached> = Resumable::open(path, plan, mode, attach)?;
        let Opened { resumable, output: file, state } = opened;
        let reached = state.unwrap_or_default();
        let length = resumable.kept();
        let sum = sum_of(&file, length).ok();
        let Some(sum) = sum.filter(|sum| sum.clone().finalize() == reached.sum) else {
            return Ok(None);
        };
        let mut sources = Sources::default();
        for source in &reached.sources {
            sources.number(&Arc::from(source.as_str()));
        }
        let (runs, named) = (reached.runs, Some(Named { resumable, sum }));
        Ok(Some((Self { file, length, runs, named }, sources, reached.place)))
    }

    pub(super) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Where runs are read.
    pub(super) fn file(&self) -> &dyn ReadAt {
        &self.file
    }

    /// A second handle, to read runs while another is written.
    pub(super) fn reader(&self) -> Result<File, BookError> {
        Ok(self.file.try_clone()?)
    }

    /// A run of entries that came in.
    pub(super) const fn begin(&self) -> Run {
        Run { start: self.length, end: self.length, records: 0, level: 0 }
    }

    /// The last runs, if they are as many of one level as are put together, and the run that is begun for them.
    pub(super) fn begin_level(&self, most: usize) -> Option<(Vec<Run>, Run)> {
        let last = self.runs.get(self.runs.len().checked_sub(most)?..)?;
        let level = last.first()?.level;
        let run = Run { level: level + 1, ..self.begin() };
        last.iter().all(|run| run.level == level).then(|| (last.to_vec(), run))
    }

    /// Adds to a run what comes next in it.
    pub(super) fn write(&mut self, run: &mut Run, block: &Block) -> Result<(), BookError> {
        // Where a system reads at a place, it may leave the file there.
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(&block.bytes)?;
        if let Some(named) = &mut self.named {
            named.sum.update(&block.bytes);
        }
        run.end += block.bytes.len() as u64;
        run.records += block.records;
        self.length = run.end;
        Ok(())
    }

    /// A run is done, which has taken the place of so many: a process that is ended now goes on after it.
    pub(super) fn end(
        &mut self,
        run: Run,
        replaced: usize,
        sources: &Sources,
        place: Place,
    ) -> Result<(), BookError> {
        self.runs.truncate(self.runs.len().saturating_sub(replaced));
        self.runs.push(run);
        let Some(named) = &mut self.named else { return Ok(()) };
        let reached = Reached {
            place,
            runs: self.runs.clone(),
            sources: sources.list().iter().map(|source| source.as_ref().to_owned()).collect(),
            sum: named.sum.clone().finalize(),
        };
        named.resumable.checkpoint(self.length, &reached).map_err(other)
    }

    /// Everything is done: the file goes.
    pub(super) fn remove(mut self) -> Result<(), BookError> {
        if let Some(named) = self.named.take() {
            // A second handle: the file itself goes with this.
            named.resumable.discard(self.file.try_clone()?);
        }
        Ok(())
    }
}

/// The sum of so many bytes of a file.
fn sum_of(file: &File, length: u64) -> std::io::Result<Hasher> {
    let mut sum = Hasher::new();
    let mut bytes = vec![0; PIECE];
    for at in (0..length).step_by(PIECE) {
        let part = &mut bytes[..usize::try_from(length - at).unwrap_or(PIECE).min(PIECE)];
        file.read_at(at, part)?;
        sum.update(part);
    }
    Ok(sum)
}
