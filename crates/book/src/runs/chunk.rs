//! The bytes of some entries, in order.

use crate::codec::put_entry;
use crate::{BookError, Entry, Format, Key};
use rules::Game;
use std::cmp::Ordering;
use std::sync::Arc;

/// An entry as bytes, and what it is sorted by; the key decides among equals.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) order: &'a [u8],
    pub(crate) entry: &'a [u8],
}

impl Record<'_> {
    fn key(&self) -> &[u8] {
        self.entry.get(..size_of::<Key>()).unwrap_or(self.entry)
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.order.cmp(other.order).then_with(|| self.key().cmp(other.key()))
    }
}

/// Where a record lies among the bytes of its chunk.
#[derive(Clone, Copy)]
struct Span {
    at: usize,
    length: u32,
    /// Bytes that it is sorted by: at the beginning.
    order: u16,
    /// Bytes before the entry: those it is sorted by, or none where these are its key.
    skip: u16,
}

/// Entries as bytes, in order; equal ones as they came.
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl Chunk {
    pub(super) fn of<'a>(
        entries: impl Iterator<Item = &'a Entry>,
        format: Format,
        game: Game,
        number: &mut dyn FnMut(&Arc<str>) -> u64,
    ) -> Result<Self, BookError> {
        let (mut bytes, mut spans) = (Vec::new(), Vec::new());
        for entry in entries {
            let at = bytes.len();
            format.put_order(&mut bytes, entry, game)?;
            let skip = (bytes.len() - at) as u16;
            put_entry(&mut bytes, entry, number)?;
            let order = if skip == 0 { size_of::<Key>() as u16 } else { skip };
            let length = u32::try_from(bytes.len() - at)
                .map_err(|_| BookError::Unfit("a position with comments of 4 GiB".to_owned()))?;
            spans.push(Span { at, length, order, skip });
        }
        bytes.shrink_to_fit();
        let record = |span: &Span| record(&bytes, *span);
        spans.sort_by(|a, b| record(a).compare(&record(b)));
        Ok(Self { bytes, spans })
    }

    /// Bytes of memory.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.spans.len() * size_of::<Span>()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(super) fn record(&self, index: usize) -> Record<'_> {
        record(&self.bytes, self.spans[index])
    }

    /// How many records are sorted before that.
    pub(super) fn before(&self, order: &[u8]) -> usize {
        self.spans.partition_point(|span| record(&self.bytes, *span).order < order)
    }
}

fn record(bytes: &[u8], span: Span) -> Record<'_> {
    let bytes = &bytes[span.at..span.at + span.length as usize];
    Record { order: &bytes[..usize::from(span.order)], entry: &bytes[usize::from(span.skip)..] }
}
