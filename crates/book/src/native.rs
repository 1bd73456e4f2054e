//! Our own format: sorted by key, in blocks with checksums, read where it lies
//! (docs/formats/nbk.md).

use crate::bytes::{ReadAt, Taker, bytes_at, put_number, put_text};
use crate::codec::{Sources, move_count, put_entry, skip_entry, take_entry};
use crate::runs::{Item, Merged};
use crate::{BookError, Entry, Format, Header, Key};
use rules::Game;
use std::io::Write;
use std::sync::Arc;

/// First bytes. The high bit and the line ends show what a transfer as text would have broken.
pub(crate) const MAGIC: [u8; 8] = *b"\x89NueB\r\n\x1A";
const END: [u8; 8] = *b"NueBend\n";
const VERSION: u16 = 1;
const HEAD: usize = 16;
const FOOT: usize = 56;
/// Bytes of a block's line in the table: first key, offset, length, checksum.
const FENCE: usize = 48;
/// A block is closed when it has reached this: one probe reads one block.
const BLOCK: usize = 8 << 10;
/// More than a block can have, whatever its last entry is.
const LARGEST_BLOCK: u32 = 1 << 30;

/// Writes a book, entry by entry in the order of their keys.
pub struct Writer<W> {
    output: W,
    header: Header,
    at: u64,
    block: Vec<u8>,
    first: Key,
    last: Option<Key>,
    fences: Vec<u8>,
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
            fences: Vec::new(),
            sources: Arc::default(),
            positions: 0,
            moves: 0,
        })
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
        self.fences.extend(self.first);
        self.fences.extend(self.at.to_le_bytes());
        self.fences.extend((self.block.len() as u32).to_le_bytes());
        self.fences.extend(crc32fast::hash(&self.block).to_le_bytes());
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
        for number in [self.positions, self.moves, self.at, (self.fences.len() / FENCE) as u64] {
            foot.extend(number.to_le_bytes());
        }
        foot.extend((text.len() as u32).to_le_bytes());
        foot.extend(crc32fast::hash(&self.fences).to_le_bytes());
        foot.extend(crc32fast::hash(&text).to_le_bytes());
        foot.extend(crc32fast::hash(&foot).to_le_bytes());
        foot.extend(END);
        self.output.write_all(&self.fences)?;
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

#[derive(Clone, Copy, Debug)]
struct Fence {
    key: Key,
    offset: u64,
    length: u32,
    sum: u32,
}

/// A book to be probed or read through. Only the table of its blocks is held in memory.
pub struct NativeBook {
    input: Box<dyn ReadAt>,
    header: Header,
    fences: Vec<Fence>,
    sources: Sources,
    positions: u64,
    moves: u64,
    /// Of the end, which has the checksum of the table, which has those of the blocks.
    sum: u32,
}

impl NativeBook {
    /// Opens a book: what holds it together is checked, its blocks are when they are read.
    pub fn open(input: Box<dyn ReadAt>) -> Result<Self, BookError> {
        let not = |why: &str| BookError::not(Format::Native, why);
        let length = input.length()?;
        if length < (HEAD + FOOT) as u64 {
            return Err(not("shorter than an empty book"));
        }
        let head = bytes_at(&*input, 0, HEAD)?;
        if head[..8] != MAGIC {
            return Err(not("it begins otherwise"));
        }
        let game = read_head(&head)?;
        let foot = bytes_at(&*input, length - FOOT as u64, FOOT)?;
        if foot[FOOT - 8..] != END {
            return Err(BookError::damaged(
                length,
                "the end is missing: cut off, or still being written",
            ));
        }
        let mut from = Taker::new(&foot);
        let damaged = || BookError::damaged(length - FOOT as u64, "the end is damaged");
        let mut number = || from.u64().ok_or_else(damaged);
        let (positions, moves, fences_at, fences) = (number()?, number()?, number()?, number()?);
        let mut number = || from.u32().ok_or_else(damaged);
        let (text, fence_sum, text_sum, sum) = (number()?, number()?, number()?, number()?);
        let layout = fences
            .checked_mul(FENCE as u64)
            .and_then(|n| n.checked_add(fences_at))
            .and_then(|n| n.checked_add(u64::from(text) + FOOT as u64));
        if sum != crc32fast::hash(&foot[..FOOT - 12]) || layout != Some(length) {
            return Err(damaged());
        }
        let table = bytes_at(&*input, fences_at, fences as usize * FENCE)?;
        let text_at = fences_at + table.len() as u64;
        let text = bytes_at(&*input, text_at, text as usize)?;
        if crc32fast::hash(&table) != fence_sum {
            return Err(BookError::damaged(fences_at, "the table of blocks is damaged"));
        }
        let texts = (crc32fast::hash(&text) == text_sum).then(|| read_texts(&text)).flatten();
        let (sources, pairs) =
            texts.ok_or_else(|| BookError::damaged(text_at, "the texts are damaged"))?;
        let fences = table
            .as_chunks::<FENCE>()
            .0
            .iter()
            .map(|line| read_fence(line))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| BookError::damaged(fences_at, "the table of blocks is damaged"))?;
        let header = Header { game, pairs };
        Ok(Self { input, header, fences, sources, positions, moves, sum })
    }

    /// Opens a file.
    pub fn open_file(path: &std::path::Path) -> Result<Self, BookError> {
        Self::open(Box::new(std::fs::File::open(path)?))
    }

    /// What the book says about itself.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// A number that another book is unlikely to have.
    pub const fn fingerprint(&self) -> u32 {
        self.sum
    }

    /// Positions and moves.
    pub const fn size(&self) -> (u64, u64) {
        (self.positions, self.moves)
    }

    /// Where moves come from, as the book names it.
    pub fn sources(&self) -> &[Arc<str>] {
        self.sources.list()
    }

    /// The entry of a position.
    pub fn find(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        let after = self.fences.partition_point(|fence| fence.key <= *key);
        let Some(fence) = after.checked_sub(1).and_then(|index| self.fences.get(index)) else {
            return Ok(None);
        };
        let block = self.block(fence)?;
        let mut from = Taker::new(&block);
        while !from.is_empty() {
            let at = fence.offset + from.at as u64;
            let (met, start) =
                skip_entry(&mut from).ok_or_else(|| BookError::damaged(at, "not an entry"))?;
            if met == *key {
                let mut from = Taker::new(&block[start..]);
                return self.next_of(&mut from, fence).map(Some);
            }
            if met > *key {
                break;
            }
        }
        Ok(None)
    }

    fn block(&self, fence: &Fence) -> Result<Vec<u8>, BookError> {
        let block = bytes_at(&*self.input, fence.offset, fence.length as usize)?;
        if crc32fast::hash(&block) == fence.sum {
            Ok(block)
        } else {
            Err(BookError::damaged(fence.offset, "the checksum of a block is wrong"))
        }
    }

    fn next_of(&self, from: &mut Taker<'_>, fence: &Fence) -> Result<Entry, BookError> {
        let at = fence.offset + from.at as u64;
        take_entry(from, self.header.game, &self.sources)
            .ok_or_else(|| BookError::damaged(at, "not an entry"))
    }

    /// How many blocks there are.
    pub const fn blocks(&self) -> usize {
        self.fences.len()
    }

    /// The entries of one block, which must ascend.
    pub fn entries_of(&self, block: usize) -> Result<Vec<Entry>, BookError> {
        let Some(fence) = self.fences.get(block) else { return Ok(Vec::new()) };
        let bytes = self.block(fence)?;
        let mut from = Taker::new(&bytes);
        let mut entries: Vec<Entry> = Vec::new();
        while !from.is_empty() {
            let entry = self.next_of(&mut from, fence)?;
            let ascends = entries.last().map_or(entry.key == fence.key, |e| e.key < entry.key)
                && self.fences.get(block + 1).is_none_or(|next| entry.key < next.key);
            if !ascends {
                return Err(BookError::damaged(fence.offset, "positions out of order"));
            }
            entries.push(entry);
        }
        Ok(entries)
    }

    /// All entries in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = Result<Entry, BookError>> + '_ {
        (0..self.blocks()).flat_map(|block| match self.entries_of(block) {
            Ok(entries) => entries.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    }
}

fn read_head(head: &[u8]) -> Result<Game, BookError> {
    if head[12..16] != crc32fast::hash(&head[..12]).to_le_bytes() {
        return Err(BookError::damaged(0, "the first bytes are damaged"));
    }
    let version = u16::from_le_bytes([head[8], head[9]]);
    if version != VERSION {
        let why = format!("version {version} is not known (this program reads version {VERSION})");
        return Err(BookError::not(Format::Native, why));
    }
    let games = [Game::Shogi, Game::Minishogi];
    let game = games.into_iter().find(|&game| game as u8 == head[10]);
    game.ok_or_else(|| BookError::not(Format::Native, format!("unknown game {}", head[10])))
}

fn read_fence(line: &[u8]) -> Option<Fence> {
    let mut from = Taker::new(line);
    let fence = Fence {
        key: from.array()?,
        offset: from.u64()?,
        length: from.u32().filter(|&n| n <= LARGEST_BLOCK)?,
        sum: from.u32()?,
    };
    Some(fence)
}

fn read_texts(text: &[u8]) -> Option<(Sources, Vec<(String, String)>)> {
    let mut from = Taker::new(text);
    let mut sources = Sources::default();
    for _ in 0..from.number()? {
        sources.number(&from.text()?.into());
    }
    let mut pairs = Vec::new();
    for _ in 0..from.number()? {
        pairs.push((from.text()?.to_owned(), from.text()?.to_owned()));
    }
    Some((sources, pairs))
}

#[cfg(test)]
mod tests;
