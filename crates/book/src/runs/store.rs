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
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
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

/// Bytes between two marks.
const BETWEEN: usize = 32 << 10;
/// Bytes before a record: its length, how many of it it is sorted by, and how many of these stand before the entry.
const HEAD: usize = 8;

/// A run: where it lies, and some of its records by what they are sorted by.
#[derive(Debug)]
pub(super) struct Run {
    start: u64,
    end: u64,
    marks: Vec<(Box<[u8]>, u64)>,
}

impl Run {
    pub(super) const fn length(&self) -> u64 {
        self.end - self.start
    }

    /// The marks with how many bytes follow before the next.
    pub(super) fn marks(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let ends = self.marks.iter().skip(1).map(|(_, at)| *at).chain([self.end]);
        self.marks.iter().zip(ends).map(|((order, at), end)| (&**order, end - at))
    }
}

/// Records ready to be written, with the marks among them.
pub(super) struct Block {
    bytes: Vec<u8>,
    marks: Vec<(Box<[u8]>, u64)>,
}

pub(super) fn block_of(records: &[Record<'_>]) -> Block {
    let size = records.iter().map(|r| HEAD + r.order.len() + r.entry.len()).sum();
    let mut block = Block { bytes: Vec::with_capacity(size), marks: Vec::new() };
    let mut last = None;
    for record in records {
        let at = block.bytes.len();
        if last.is_none_or(|last| at - last >= BETWEEN) {
            block.marks.push((record.order.into(), at as u64));
            last = Some(at);
        }
        put_record(&mut block.bytes, record);
    }
    block
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
fn next_record<'a>(from: &mut Taker<'a>) -> Option<Record<'a>> {
    let (length, order, skip) = (from.u32()?, from.u16()?, from.u16()?);
    let bytes = from.take(length as usize)?;
    Some(Record { order: bytes.get(..usize::from(order))?, entry: bytes.get(usize::from(skip)..)? })
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
    /// Where each run ends.
    ends: Vec<u64>,
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
        let Some((runs, sum)) = runs_of(&file, &reached.ends).ok().flatten() else {
            return Ok(None);
        };
        if sum.clone().finalize() != reached.sum {
            return Ok(None);
        }
        let mut sources = Sources::default();
        for source in &reached.sources {
            sources.number(&Arc::from(source.as_str()));
        }
        let length = resumable.kept();
        let named = Some(Named { resumable, sum });
        Ok(Some((Self { file, length, runs, named }, sources, reached.place)))
    }

    pub(super) fn runs(&self) -> &[Run] {
        &self.runs
    }

    pub(super) const fn begin(&self) -> Run {
        Run { start: self.length, end: self.length, marks: Vec::new() }
    }

    /// Adds to a run what comes next in it.
    pub(super) fn write(&mut self, run: &mut Run, block: Block) -> Result<(), BookError> {
        self.file.write_all(&block.bytes)?;
        if let Some(named) = &mut self.named {
            named.sum.update(&block.bytes);
        }
        run.marks.extend(block.marks.into_iter().map(|(order, at)| (order, run.end + at)));
        run.end += block.bytes.len() as u64;
        self.length = run.end;
        Ok(())
    }

    /// A run is done: a process that is ended now goes on after it.
    pub(super) fn end(
        &mut self,
        run: Run,
        sources: &Sources,
        place: Place,
    ) -> Result<(), BookError> {
        self.runs.push(run);
        let Some(named) = &mut self.named else { return Ok(()) };
        let reached = Reached {
            place,
            ends: self.runs.iter().map(|run| run.end).collect(),
            sources: sources.list().iter().map(|source| source.as_ref().to_owned()).collect(),
            sum: named.sum.clone().finalize(),
        };
        named.resumable.checkpoint(self.length, &reached).map_err(other)
    }

    /// The bytes of a run in which everything lies that is sorted from there to there. They begin with a record.
    pub(super) fn read(
        &self,
        run: &Run,
        from: Option<&[u8]>,
        to: Option<&[u8]>,
    ) -> Result<Vec<u8>, BookError> {
        // What equals a mark may begin before it.
        let first = from.map_or(0, |from| run.marks.partition_point(|(order, _)| **order < *from));
        let last =
            to.map_or(run.marks.len(), |to| run.marks.partition_point(|(order, _)| **order < *to));
        let start = run.marks.get(first.saturating_sub(1)).map_or(run.start, |(_, at)| *at);
        let end = run.marks.get(last).map_or(run.end, |(_, at)| *at);
        let mut bytes = vec![0; end.saturating_sub(start) as usize];
        self.file.read_at(start, &mut bytes)?;
        Ok(bytes)
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

/// Finds the marks of runs that end there, and the sum of all bytes; nothing where they are not whole.
fn runs_of(file: &File, ends: &[u64]) -> std::io::Result<Option<(Vec<Run>, Hasher)>> {
    let mut input = BufReader::with_capacity(1 << 20, file);
    input.rewind()?;
    let (mut sum, mut runs, mut at, mut bytes) = (Hasher::new(), Vec::new(), 0u64, Vec::new());
    for &end in ends {
        let mut run = Run { start: at, end, marks: Vec::new() };
        let mut marked: Option<u64> = None;
        while at < end {
            let mut head = [0; HEAD];
            input.read_exact(&mut head)?;
            let length = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
            if length > end - at {
                return Ok(None);
            }
            bytes.clear();
            bytes.extend(head);
            input.by_ref().take(length).read_to_end(&mut bytes)?;
            sum.update(&bytes);
            let Some(record) = next_record(&mut Taker::new(&bytes)) else { return Ok(None) };
            if marked.is_none_or(|marked| at - marked >= BETWEEN as u64) {
                run.marks.push((record.order.into(), at));
                marked = Some(at);
            }
            at += bytes.len() as u64;
        }
        runs.push(run);
    }
    input.seek(SeekFrom::Start(at))?;
    Ok(Some((runs, sum)))
}
