//! What lies between two cuts, of all chunks.

use super::chunk::{Chunk, Record};
use super::stream::CHANGED;
use crate::bytes::Taker;
use crate::codec::{Sources, take_entry};
use crate::combine::Combine;
use crate::{BookError, Entry, Key};
use rules::Game;

/// Records of a chunk between two that are looked at to find cuts.
const STEP: usize = 64;

/// From one cut to before the next; no cut is the beginning, or the end, of everything.
pub(super) struct Range {
    from: Option<Box<[u8]>>,
    to: Option<Box<[u8]>>,
}

/// Cuts everything into ranges of about so many bytes.
pub(super) fn cuts(chunks: &[Chunk], size: usize) -> Vec<Range> {
    let mut marks: Vec<(&[u8], u64)> = Vec::new();
    for chunk in chunks {
        let weight = (chunk.size() * STEP / chunk.len().max(1)) as u64;
        marks.extend((0..chunk.len()).step_by(STEP).map(|i| (chunk.record(i).order, weight)));
    }
    marks.sort_unstable();
    let mut ranges = Vec::new();
    let (mut from, mut held) = (None, 0);
    for (order, weight) in marks {
        if held >= size as u64 {
            let cut: Box<[u8]> = order.into();
            ranges.push(Range { from: from.replace(cut.clone()), to: Some(cut) });
            held = 0;
        }
        held += weight;
    }
    ranges.push(Range { from, to: None });
    ranges
}

impl Range {
    /// The records of the range, in order; equal ones as they came.
    pub(super) fn records<'a>(&self, chunks: &'a [Chunk]) -> Vec<Record<'a>> {
        let mut records = Vec::new();
        for chunk in chunks {
            let from = self.from.as_deref().map_or(0, |from| chunk.before(from));
            let to = self.to.as_deref().map_or(chunk.len(), |to| chunk.before(to));
            records.extend((from..to).map(|index| chunk.record(index)));
        }
        records.sort_by(Record::compare);
        records
    }
}

/// The entries of a range in order, every position once.
pub(crate) struct Merged<'a> {
    records: std::iter::Peekable<std::vec::IntoIter<Record<'a>>>,
    game: Game,
    sources: &'a Sources,
    combine: Combine,
}

/// An entry: its bytes where nothing had to be done to it and they mean the same anywhere.
pub(crate) enum Item<'a> {
    Bytes(&'a [u8]),
    Entry(Entry),
}

impl<'a> Merged<'a> {
    pub(super) fn new(
        records: Vec<Record<'a>>,
        game: Game,
        sources: &'a Sources,
        combine: Combine,
    ) -> Self {
        Self { records: records.into_iter().peekable(), game, sources, combine }
    }

    fn decoded(&self, entry: &[u8]) -> Result<Entry, BookError> {
        take_entry(&mut Taker::new(entry), self.game, self.sources)
            .ok_or_else(|| BookError::damaged(0, CHANGED))
    }

    fn next(&mut self) -> Result<Option<(Record<'a>, Option<Entry>)>, BookError> {
        let Some(first) = self.records.next() else { return Ok(None) };
        let mut combined: Option<Entry> = None;
        while let Some(next) = self.records.next_if(|next| next.compare(&first).is_eq()) {
            let mut entry = match combined.take() {
                Some(entry) => entry,
                None => self.decoded(first.entry)?,
            };
            self.combine.add(&mut entry, self.decoded(next.entry)?);
            combined = Some(entry);
        }
        Ok(Some((first, combined)))
    }

    /// Gives every entry, with what it is sorted by.
    pub(crate) fn each(
        mut self,
        mut take: impl FnMut(&[u8], Entry) -> Result<(), BookError>,
    ) -> Result<(), BookError> {
        while let Some((record, combined)) = self.next()? {
            let entry = match combined {
                Some(entry) => entry,
                None => self.decoded(record.entry)?,
            };
            take(record.order, entry)?;
        }
        Ok(())
    }

    /// Gives the key of every entry.
    pub(crate) fn each_key(
        mut self,
        mut take: impl FnMut(&Key) -> Result<(), BookError>,
    ) -> Result<(), BookError> {
        while let Some(first) = self.records.next() {
            while self.records.next_if(|next| next.compare(&first).is_eq()).is_some() {}
            let key = first.entry.first_chunk();
            take(key.ok_or_else(|| BookError::damaged(0, CHANGED))?)?;
        }
        Ok(())
    }

    /// Gives every entry, as bytes where they have no numbers of sources in them.
    pub(crate) fn each_item(
        mut self,
        mut take: impl FnMut(Item<'_>) -> Result<(), BookError>,
    ) -> Result<(), BookError> {
        let is_free = self.sources.list().is_empty();
        while let Some((record, combined)) = self.next()? {
            take(match combined {
                Some(entry) => Item::Entry(entry),
                None if is_free => Item::Bytes(record.entry),
                None => Item::Entry(self.decoded(record.entry)?),
            })?;
        }
        Ok(())
    }
}
