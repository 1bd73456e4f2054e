//! The numbers of rows, as wide as their encoder writes them.

use std::ops::Range;

/// Rows one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Numbers {
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
}

/// A row to be written.
#[derive(Debug)]
pub enum RowMut<'a> {
    Bytes(&'a mut [u8]),
    Shorts(&'a mut [u16]),
    Words(&'a mut [u32]),
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    Bytes(&'a [u8]),
    Shorts(&'a [u16]),
    Words(&'a [u32]),
}

/// The same for numbers of any width.
macro_rules! each {
    ($numbers:expr, $list:ident => $answer:expr) => {
        match $numbers {
            Numbers::Bytes($list) => $answer,
            Numbers::Shorts($list) => $answer,
            Numbers::Words($list) => $answer,
        }
    };
}

impl Numbers {
    pub(super) fn len(&self) -> usize {
        each!(self, list => list.len())
    }

    pub(super) fn reserve(&mut self, more: usize) {
        each!(self, list => list.reserve(more));
    }

    /// Adds zeros.
    pub(super) fn grow(&mut self, more: usize) {
        each!(self, list => list.resize(list.len() + more, 0));
    }

    pub(super) fn truncate(&mut self, len: usize) {
        each!(self, list => list.truncate(len));
    }

    /// Adds others, which are as wide, after these.
    pub(super) fn append(&mut self, other: &mut Self) {
        match (self, other) {
            (Self::Bytes(list), Self::Bytes(other)) => list.append(other),
            (Self::Shorts(list), Self::Shorts(other)) => list.append(other),
            (Self::Words(list), Self::Words(other)) => list.append(other),
            _ => debug_assert!(false, "an encoder writes numbers of one width"),
        }
    }

    /// Adds a row, which is as wide.
    pub(super) fn push(&mut self, row: Row<'_>) {
        match (self, row) {
            (Self::Bytes(list), Row::Bytes(row)) => list.extend_from_slice(row),
            (Self::Shorts(list), Row::Shorts(row)) => list.extend_from_slice(row),
            (Self::Words(list), Row::Words(row)) => list.extend_from_slice(row),
            _ => debug_assert!(false, "an encoder writes numbers of one width"),
        }
    }

    pub(super) fn row(&self, range: Range<usize>) -> Row<'_> {
        match self {
            Self::Bytes(list) => Row::Bytes(&list[range]),
            Self::Shorts(list) => Row::Shorts(&list[range]),
            Self::Words(list) => Row::Words(&list[range]),
        }
    }

    /// All from there on.
    pub(super) fn row_mut(&mut self, begin: usize) -> RowMut<'_> {
        match self {
            Self::Bytes(list) => RowMut::Bytes(&mut list[begin..]),
            Self::Shorts(list) => RowMut::Shorts(&mut list[begin..]),
            Self::Words(list) => RowMut::Words(&mut list[begin..]),
        }
    }

    /// The words, where they are words.
    pub fn into_words(self) -> Vec<u32> {
        match self {
            Self::Words(words) => words,
            Self::Bytes(_) | Self::Shorts(_) => Vec::new(),
        }
    }
}

impl<'a> Row<'a> {
    /// The bytes, where they are bytes.
    pub const fn bytes(self) -> &'a [u8] {
        if let Row::Bytes(row) = self { row } else { &[] }
    }

    /// The 16-bit numbers, where they are such.
    pub const fn shorts(self) -> &'a [u16] {
        if let Row::Shorts(row) = self { row } else { &[] }
    }

    /// The words, where they are words.
    pub const fn words(self) -> &'a [u32] {
        if let Row::Words(row) = self { row } else { &[] }
    }
}
