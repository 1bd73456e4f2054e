//! Our own format: sorted by key, in blocks with checksums, read where it lies
//! (docs/formats/nbk.md).

mod fences;
mod write;

use crate::bytes::{ReadAt, Taker, bytes_at};
use crate::codec::{Sources, skip_entry, take_entry};
use crate::{BookError, Entry, Format, Header, Key};
use fences::{Fence, Fences};
use rules::Game;
use std::sync::Arc;
pub(crate) use write::Encoded;
pub use write::Writer;

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

/// A book to be probed or read through. Of its blocks only the table is in memory, and of a large book only some of that.
pub struct NativeBook {
    input: Box<dyn ReadAt>,
    header: Header,
    fences: Fences,
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
        let text_at = fences_at + fences * FENCE as u64;
        let fences = Fences::open(&*input, fences_at, fences, fence_sum)?;
        let text = bytes_at(&*input, text_at, text as usize)?;
        let texts = (crc32fast::hash(&text) == text_sum).then(|| read_texts(&text)).flatten();
        let (sources, pairs) =
            texts.ok_or_else(|| BookError::damaged(text_at, "the texts are damaged"))?;
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
        let Some(fence) = self.fences.of_key(&*self.input, key)? else { return Ok(None) };
        let block = self.block(&fence)?;
        let mut from = Taker::new(&block);
        while !from.is_empty() {
            let at = fence.offset + from.at as u64;
            let (met, start) =
                skip_entry(&mut from).ok_or_else(|| BookError::damaged(at, "not an entry"))?;
            if met == *key {
                let mut from = Taker::new(&block[start..]);
                return self.next_of(&mut from, &fence).map(Some);
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
        let Some((fence, next)) = self.fences.of_block(&*self.input, block)? else {
            return Ok(Vec::new());
        };
        let bytes = self.block(&fence)?;
        let mut from = Taker::new(&bytes);
        let mut entries: Vec<Entry> = Vec::new();
        while !from.is_empty() {
            let entry = self.next_of(&mut from, &fence)?;
            let ascends = entries.last().map_or(entry.key == fence.key, |e| e.key < entry.key)
                && next.is_none_or(|next| entry.key < next);
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
