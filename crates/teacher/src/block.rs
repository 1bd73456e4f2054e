//! Blocks: whole games, column by column, with a length and a checksum.
//!
//! A block stands for itself: it can be copied, skipped, checked and decoded without any other.

use crate::builder::Builder;
use crate::bytes::{Bytes, ColumnReader, put_varint};
use crate::error::TeacherError;
use crate::game::Game;
use crate::header::fill;
use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output,
    create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::decompress_slice_iter_to_slice;
use std::io::Read;

/// First bytes of every block.
const MAGIC: [u8; 4] = *b"NTbk";
/// Bytes before the payload: magic, length, checksum, games, positions.
pub(crate) const FIXED: usize = 20;
/// Most bytes of a payload, and of all columns of a block together: what bounds the memory of a
/// reader.
pub(crate) const LARGEST: usize = 64 << 20;

/// The columns of a block, in the order they are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Column {
    /// What every game begins with.
    Heads,
    /// Start positions as text.
    Starts,
    /// First numbers of moves.
    Slots,
    /// Second numbers of moves; two more columns of the same follow.
    Targets,
    Scores = 6,
    /// Candidates of tree searches.
    Candidates = 7,
}

/// How many columns there are.
pub(crate) const COLUMNS: usize = 8;

/// A block as it stands in a file; its checksum is right.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Header and payload.
    bytes: Vec<u8>,
    offset: u64,
}

impl Block {
    /// An empty block to read into: its memory is used again and again.
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), offset: 0 }
    }

    fn number(&self, at: usize) -> u32 {
        let bytes = self.bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    }

    /// Games in it.
    pub fn games(&self) -> u32 {
        self.number(12)
    }

    /// Positions in it (see [`crate::Game::positions`]).
    pub fn positions(&self) -> u32 {
        self.number(16)
    }

    /// Where it began in its file.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The whole block as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A block that [`Block::as_bytes`] gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TeacherError> {
        let (mut block, mut rest) = (Self::new(), bytes);
        if !block.read(&mut rest, 0)? || !rest.is_empty() {
            let reason = "not one whole block".to_owned();
            return Err(TeacherError::Damaged { offset: 0, reason });
        }
        Ok(block)
    }

    /// A block of a few games, for whoever reads blocks; not squeezed.
    pub fn of_games(games: &[Game]) -> Result<Self, TeacherError> {
        let mut builder = Builder::default();
        for game in games {
            builder.add(game).map_err(TeacherError::Refused)?;
        }
        Ok(builder.raw())
    }

    /// Packs columns into a block; `squeezed` takes less room and more time.
    pub(crate) fn pack(
        columns: &[Vec<u8>; COLUMNS],
        games: u32,
        positions: u32,
        squeezed: bool,
    ) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.resize(12, 0);
        bytes.extend(games.to_le_bytes());
        bytes.extend(positions.to_le_bytes());
        let packed: [Option<Vec<u8>>; COLUMNS] =
            std::array::from_fn(|i| squeezed.then(|| deflate(&columns[i], i)).flatten());
        for (raw, packed) in columns.iter().zip(&packed) {
            put_varint(&mut bytes, raw.len() as u32);
            put_varint(&mut bytes, packed.as_ref().map_or(raw.len(), Vec::len) as u32);
        }
        for (raw, packed) in columns.iter().zip(&packed) {
            bytes.extend(packed.as_ref().unwrap_or(raw));
        }
        let length = (bytes.len() - FIXED) as u32;
        let sum = crc32fast::hash(&bytes[12..]);
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        bytes[8..12].copy_from_slice(&sum.to_le_bytes());
        Self { bytes, offset: 0 }
    }

    /// Reads the next block, which begins at `offset` of its file. `Ok(false)`: the file ends
    /// properly here. An error gives the reason why what is there is no whole block.
    pub(crate) fn read(
        &mut self,
        input: &mut impl Read,
        offset: u64,
    ) -> Result<bool, TeacherError> {
        self.offset = offset;
        self.bytes.clear();
        self.bytes.resize(FIXED, 0);
        let had = fill(input, &mut self.bytes)?;
        if had == 0 {
            return Ok(false);
        }
        let damaged = |reason: &str| TeacherError::Damaged { offset, reason: reason.to_owned() };
        let cut = || damaged("the file ends inside a block");
        if self.bytes[..had.min(4)] != MAGIC[..had.min(4)] {
            return Err(damaged("no block begins here"));
        }
        if had < FIXED {
            return Err(cut());
        }
        let length = self.number(4) as usize;
        if length > LARGEST {
            return Err(damaged("a block says it is longer than any block"));
        }
        // A wrong length must not cost memory: grow with what is really there.
        let end = FIXED + length;
        while self.bytes.len() < end {
            let from = self.bytes.len();
            self.bytes.resize(end.min(from + (1 << 20)), 0);
            let wanted = self.bytes.len() - from;
            if fill(input, &mut self.bytes[from..])? < wanted {
                return Err(cut());
            }
        }
        if crc32fast::hash(&self.bytes[12..]) != self.number(8) {
            return Err(damaged("the checksum of a block is wrong"));
        }
        Ok(true)
    }

    /// Unpacks the columns. `None`: the payload is not what a writer writes.
    pub(crate) fn unpack(&self, columns: &mut [ColumnReader; COLUMNS]) -> Option<()> {
        let mut bytes = Bytes(self.bytes.get(FIXED..)?);
        let mut sizes = [(0, 0); COLUMNS];
        let mut total = 0;
        for size in &mut sizes {
            *size = (bytes.varint()? as usize, bytes.varint()? as usize);
            total += size.0;
        }
        if total > LARGEST {
            return None;
        }
        for (column, (raw, packed)) in columns.iter_mut().zip(sizes) {
            column.at = 0;
            let column = &mut column.bytes;
            let part = bytes.take(packed)?;
            column.clear();
            if raw == packed {
                column.extend(part);
                continue;
            }
            column.resize(raw, 0);
            let inflated = decompress_slice_iter_to_slice(column, [part].into_iter(), false, true);
            if inflated != Ok(raw) {
                return None;
            }
        }
        bytes.0.is_empty().then_some(())
    }
}

/// A column in less room, if there is a way. Numbers of moves and scores do not repeat in longer
/// runs: Huffman codes alone are smaller and faster than looking for repeats. (That strategy is
/// why this calls miniz_oxide itself: flate2 does not offer it.)
fn deflate(raw: &[u8], column: usize) -> Option<Vec<u8>> {
    let repeats = column == Column::Starts as usize || column == Column::Heads as usize;
    let (level, strategy) = if repeats {
        (6, CompressionStrategy::Default)
    } else {
        (1, CompressionStrategy::HuffmanOnly)
    };
    let flags = create_comp_flags_from_zip_params(level, 0, strategy as i32);
    let mut compressor = CompressorOxide::new(flags);
    let mut out = Vec::with_capacity(raw.len());
    let (status, read) = compress_to_output(&mut compressor, raw, TDEFLFlush::Finish, |bytes| {
        out.extend_from_slice(bytes);
        true
    });
    let done = status == TDEFLStatus::Done && read == raw.len();
    (done && out.len() < raw.len()).then_some(out)
}
