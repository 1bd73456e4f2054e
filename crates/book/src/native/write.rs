//! Entries as a file, in the order of their keys.

use super::{BLOCK, END, FENCE, FOOT, HEAD, MAGIC, VERSION};
use crate::bytes::{Taker, put_number, put_text};
use crate::codec::{Sources, move_count, put_entry, take_entry};
use crate::runs::{Item, Merged};
use crate::{BookError, Entry, Header, Key};
use crc32fast::Hasher;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;
use tempfile::SpooledTempFile;

/// Bytes of a table that stay in memory.
const HELD: usize = 1 << 20;

/// Writes a book, entry by entry in the order of their keys.
pub struct Writer<W> {
    output: W,
    header: Header,
    at: u64,
    block: Vec<u8>,
    first: Key,
    last: Option<Key>,
    /// A line for each block: in memory while it is small, then in a file without a name.
    table: SpooledTempFile,
    table_sum: Hasher,
    blocks: u64,
    sources: Arc<Sources>,
    positions: u64,
    moves: u64,
}

/// Entries as they stand in a file, made on any thread. Sources have numbers by when a file names them first: those that
/// were known when this was made, then those it adds.
pub(crate) struct Encoded {
    bytes: Vec<u8>,
    /// How long each entry is.
    lengths: Vec<u32>,
    moves: u64,
    known: Arc<Sources>,
    added: Vec<Arc<str>>,
}

impl Encoded {
    pub(crate) fn new(known: Arc<Sources>) -> Self {
        let (bytes, lengths, added) = (Vec::new(), Vec::new(), Vec::new());
        Self { bytes, lengths, moves: 0, known, added }
    }

    /// All of a range.
    pub(crate) fn of(merged: Merged<'_>, known: Arc<Sources>) -> Result<Self, BookError> {
        let mut encoded = Self::new(known);
        merged.each_item(|item| match item {
            Item::Bytes(bytes) => {
                let moves = move_count(bytes)
                    .ok_or_else(|| BookError::damaged(0, "a temporary file changed"))?;
                encoded.bytes.extend(bytes);
                encoded.note(bytes.len(), moves);
                Ok(())
            }
            Item::Entry(entry) => encoded.push(&entry),
        })?;
        Ok(encoded)
    }

    fn note(&mut self, length: usize, moves: u64) {
        self.lengths.push(length as u32);
        self.moves += moves;
    }

    /// The next entry.
    pub(crate) fn push(&mut self, entry: &Entry) -> Result<(), BookError> {
        let (before, known, added) = (self.bytes.len(), &self.known, &mut self.added);
        put_entry(&mut self.bytes, entry, &mut |source| {
            known.known(source).unwrap_or_else(|| {
                let place = added.iter().position(|s| s == source).unwrap_or_else(|| {
                    added.push(Arc::clone(source));
                    added.len() - 1
                });
                (known.list().len() + place) as u64
            })
        })?;
        self.note(self.bytes.len() - before, entry.moves.len() as u64);
        Ok(())
    }

    /// The numbers of its sources as it has them.
    fn sources(&self) -> Sources {
        let mut sources = Sources::clone(&self.known);
        self.added.iter().for_each(|source| _ = sources.number(source));
        sources
    }
}

impl<W: Write> Writer<W> {
    /// Begins a book.
    pub fn new(mut output: W, header: Header) -> Result<Self, BookError> {
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        head.extend([header.game as u8, 0]);
        head.extend(crc32fast::hash(&head).to_le_bytes());
        output.write_all(&head)?;
        Ok(Self {
            output,
            header,
            at: HEAD as u64,
            block: Vec::with_capacity(2 * BLOCK),
            first: [0; 32],
            last: None,
            table: SpooledTempFile::new(usize::MAX),
            table_sum: Hasher::new(),
            blocks: 0,
            sources: Arc::default(),
            positions: 0,
            moves: 0,
        })
    }

    /// The same, with a table that grows large in a file in that folder.
    #[must_use]
    pub fn with_table_in(mut self, folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        self.table = tempfile::spooled_tempfile_in(HELD, folder);
        self
    }

    /// Writes the next entry; its key must be above the last one.
    pub fn write(&mut self, entry: &Entry) -> Result<(), BookError> {
        self.begin_entry(entry.key)?;
        let sources = &mut self.sources;
        put_entry(&mut self.block, entry, &mut |source| {
            sources.known(source).unwrap_or_else(|| Arc::make_mut(sources).number(source))
        })?;
        self.moves += entry.moves.len() as u64;
        self.end_entry()
    }

    fn begin_entry(&mut self, key: Key) -> Result<(), BookError> {
        if self.last.is_some_and(|last| last >= key) {
            return Err(BookError::Unfit("positions out of order".to_owned()));
        }
        self.last = Some(key);
        if self.block.is_empty() {
            self.first = key;
        }
        Ok(())
    }

    fn end_entry(&mut self) -> Result<(), BookError> {
        self.positions += 1;
        if self.block.len() >= BLOCK { self.close_block() } else { Ok(()) }
    }

    /// The sources that have numbers so far.
    pub(crate) const fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// Writes the next entries. Where others were written since their sources got numbers, and named sources too, the
    /// numbers may have to be changed.
    pub(crate) fn write_encoded(&mut self, encoded: &Encoded) -> Result<(), BookError> {
        let game = self.header.game;
        let known = encoded.known.list().len();
        let fits = encoded.added.iter().zip(known..).all(|(source, place)| {
            match self.sources.list().get(place) {
                Some(other) => other == source,
                None => {
                    let sources = Arc::make_mut(&mut self.sources);
                    sources.known(source).is_none() && sources.number(source) == place as u64
                }
            }
        });
        if !fits {
            let sources = encoded.sources();
            let mut from = Taker::new(&encoded.bytes);
            while !from.is_empty() {
                let entry = take_entry(&mut from, game, &sources);
                self.write(&entry.ok_or_else(|| BookError::Unfit("not an entry".to_owned()))?)?;
            }
            return Ok(());
        }
        let mut from = Taker::new(&encoded.bytes);
        for &length in &encoded.lengths {
            let bytes = from.take(length as usize).unwrap_or_default();
            let key = bytes.first_chunk().copied();
            self.begin_entry(key.ok_or_else(|| BookError::Unfit("not an entry".to_owned()))?)?;
            self.block.extend(bytes);
            self.end_entry()?;
        }
        self.moves += encoded.moves;
        Ok(())
    }

    fn close_block(&mut self) -> Result<(), BookError> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.output.write_all(&self.block)?;
        let mut line = Vec::with_capacity(FENCE);
        line.extend(self.first);
        line.extend(self.at.to_le_bytes());
        line.extend((self.block.len() as u32).to_le_bytes());
        line.extend(crc32fast::hash(&self.block).to_le_bytes());
        self.table.write_all(&line)?;
        self.table_sum.update(&line);
        self.blocks += 1;
        self.at += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Ends the book: without this it cannot be read.
    pub fn finish(mut self) -> Result<W, BookError> {
        self.close_block()?;
        let mut text = Vec::new();
        put_number(&mut text, self.sources.list().len() as u64);
        for source in self.sources.list() {
            put_text(&mut text, source)?;
        }
        put_number(&mut text, self.header.pairs.len() as u64);
        for (key, value) in &self.header.pairs {
            put_text(&mut text, key)?;
            put_text(&mut text, value)?;
        }
        let mut foot = Vec::with_capacity(FOOT);
        for number in [self.positions, self.moves, self.at, self.blocks] {
            foot.extend(number.to_le_bytes());
        }
        foot.extend((text.len() as u32).to_le_bytes());
        foot.extend(self.table_sum.finalize().to_le_bytes());
        foot.extend(crc32fast::hash(&text).to_le_bytes());
        foot.extend(crc32fast::hash(&foot).to_le_bytes());
        foot.extend(END);
        self.table.rewind()?;
        std::io::copy(&mut self.table, &mut self.output)?;
        self.output.write_all(&text)?;
        self.output.write_all(&foot)?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Positions and moves written.
    pub const fn written(&self) -> (u64, u64) {
        (self.positions, self.moves)
    }
}
