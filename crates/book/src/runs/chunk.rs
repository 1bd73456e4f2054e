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
    /// The first bytes of the order, which decide most comparisons without a look at where the others lie.
    first: u128,
}

impl<'a> Record<'a> {
    pub(super) fn new(order: &'a [u8], entry: &'a [u8]) -> Self {
        let first = order.first_chunk().copied().unwrap_or_else(|| {
            let mut first = [0; 16];
            first[..order.len()].copy_from_slice(order);
            first
        });
        Self { order, entry, first: u128::from_be_bytes(first) }
    }

    fn key(&self) -> &[u8] {
        self.entry.get(..size_of::<Key>()).unwrap_or(self.entry)
    }

    #[inline]
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let first = self.first.cmp(&other.first);
        first.then_with(|| self.order.cmp(other.order)).then_with(|| self.key().cmp(other.key()))
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
        let mut records: Vec<(Record<'_>, Span)> =
            spans.iter().map(|&span| (record(&bytes, span), span)).collect();
        if !records.is_sorted_by(|(a, _), (b, _)| a.compare(b).is_le()) {
            records.sort_by(|(a, _), (b, _)| a.compare(b));
            spans = records.into_iter().map(|(_, span)| span).collect();
        }
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
    Record::new(&bytes[..usize::from(span.order)], &bytes[usize::from(span.skip)..])
}
