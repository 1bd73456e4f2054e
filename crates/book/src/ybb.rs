//! YaneuraOu's binary books (docs/formats/book-ybb.md): an index sorted by packed position, then moves.

use crate::bytes::{ReadAt, Taker, bytes_at};
use crate::losses::Losses;
use crate::model::{key_of, position_of};
use crate::{BookError, BookMove, Entry, Format, Key};
use rules::{Game, Move};
use std::fs::File;
use std::io::{BufWriter, IntoInnerError, Read, Seek, Write};
use std::path::Path;

pub(crate) const MAGIC: [u8; 16] = *b"YANE-BINBOOK-V1\0";
const HEAD: u64 = 32;
const RECORD: u64 = 44;
/// The flag: moves carry depths.
const DEPTHS: u64 = 1;

/// Positions read at a time.
const PART: u64 = 1024;
/// Moves of so many bytes are read at once.
const LARGEST_WINDOW: u64 = 4 << 20;

/// A book to be probed or read through where it lies.
pub struct YbbBook {
    input: Box<dyn ReadAt>,
    game: Game,
    positions: u64,
    has_depths: bool,
    length: u64,
}

struct Record {
    key: Key,
    offset: u64,
    ply: u16,
    moves: u16,
}

impl Record {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = Taker::new(bytes);
        let (key, offset) = (from.array()?, from.u64()?);
        Some(Self { key, offset, ply: from.u16()?, moves: from.u16()? })
    }
}

impl YbbBook {
    /// Opens a book. The format does not say of which game: the caller does.
    pub fn open(input: Box<dyn ReadAt>, game: Game) -> Result<Self, BookError> {
        let not = |why: String| BookError::not(Format::Ybb, why);
        let length = input.length()?;
        if length < HEAD {
            return Err(not("shorter than an empty book".to_owned()));
        }
        let head = bytes_at(&*input, 0, HEAD as usize)?;
        if head[..16] != MAGIC {
            return Err(not("it begins otherwise".to_owned()));
        }
        let mut from = Taker::new(&head[16..]);
        let (positions, flags) = (from.u64().unwrap_or(0), from.u64().unwrap_or(0));
        if flags & !DEPTHS != 0 {
            return Err(not(format!("unknown flags {flags:#x}")));
        }
        let index = positions.checked_mul(RECORD).and_then(|n| n.checked_add(HEAD));
        if index.is_none_or(|end| end > length) {
            return Err(BookError::damaged(
                length,
                format!("the index of {positions} positions is cut off"),
            ));
        }
        Ok(Self { input, game, positions, has_depths: flags & DEPTHS != 0, length })
    }

    /// Shogi or minishogi.
    pub const fn game(&self) -> Game {
        self.game
    }

    /// How many positions there are.
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    fn record(&self, index: u64) -> Result<Record, BookError> {
        let offset = HEAD + index * RECORD;
        let bytes = bytes_at(&*self.input, offset, RECORD as usize)?;
        Record::read(&bytes).ok_or_else(|| BookError::damaged(offset, "not a position"))
    }

    /// The entry of a position.
    pub fn find(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        let (mut low, mut high) = (0, self.positions);
        while low < high {
            let middle = low.midpoint(high);
            let record = self.record(middle)?;
            match record.key.cmp(key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let (offset, length) = self.place(&record)?;
                    let bytes = bytes_at(&*self.input, offset, length)?;
                    return self.entry(&record, offset, &bytes).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Where the moves of a position lie, and how many bytes they have.
    fn place(&self, record: &Record) -> Result<(u64, usize), BookError> {
        let size = if self.has_depths { 6 } else { 4 };
        let start = HEAD + self.positions * RECORD;
        let length = usize::from(record.moves) * size;
        let offset = start
            .checked_add(record.offset)
            .filter(|&at| at.checked_add(length as u64).is_some_and(|end| end <= self.length));
        let offset = offset.ok_or_else(|| {
            BookError::damaged(self.length, "the moves of a position lie beyond the end")
        })?;
        Ok((offset, length))
    }

    /// The entry of a record with these bytes of moves, which lie there.
    fn entry(&self, record: &Record, offset: u64, bytes: &[u8]) -> Result<Entry, BookError> {
        let mut from = Taker::new(bytes);
        let mut moves: Vec<BookMove> = Vec::with_capacity(usize::from(record.moves));
        while let Some(bits) = from.u16() {
            let value = from.u16().map(|bits| i32::from(bits as i16));
            let depth = if self.has_depths { from.u16().unwrap_or(0) } else { 0 };
            let Some(mv) =
                Move::from_bits(self.game, bits).filter(|mv| moves.iter().all(|m| m.mv != *mv))
            else {
                return Err(BookError::damaged(
                    offset,
                    format!("{bits:#06x} is not a move, or was there before"),
                ));
            };
            moves.push(BookMove { value, depth: u32::from(depth), count: 1, ..BookMove::new(mv) });
        }
        Ok(Entry { key: record.key, ply: u32::from(record.ply), comment: None, moves })
    }

    /// How many parts [`Self::part`] knows.
    pub(crate) const fn parts(&self) -> u64 {
        self.positions.div_ceil(PART)
    }

    /// The entries of a part in the order of the file, which must ascend. Their positions are checked, and
    /// packed as we pack them: older writers put pieces in hand in another order.
    pub(crate) fn part(&self, part: u64) -> Result<Vec<Entry>, BookError> {
        let (first, end) = (part * PART, ((part + 1) * PART).min(self.positions));
        // With the last one of the part before, to see that they ascend.
        let from = first.saturating_sub(1);
        let length = (end - from) * RECORD;
        let index = bytes_at(&*self.input, HEAD + from * RECORD, length as usize)?;
        let mut records: Vec<Record> = Vec::with_capacity(PART as usize);
        for (number, bytes) in (from..).zip(index.chunks(RECORD as usize)) {
            let damaged = |why: String| BookError::damaged(HEAD + number * RECORD, why);
            let record = Record::read(bytes).ok_or_else(|| damaged("not a position".to_owned()))?;
            if records.last().is_some_and(|last| last.key >= record.key) {
                return Err(damaged(format!("position {number} is not above the one before")));
            }
            records.push(record);
        }
        records.drain(..(first - from) as usize);
        let places = records.iter().map(|record| self.place(record));
        let places: Vec<(u64, usize)> = places.collect::<Result<_, _>>()?;
        // Moves of neighbours lie together, unless somebody wrote them otherwise.
        let low = places.iter().map(|&(offset, _)| offset).min().unwrap_or(0);
        let high = places.iter().map(|&(offset, length)| offset + length as u64).max().unwrap_or(0);
        let window = match high - low {
            size @ 0..=LARGEST_WINDOW => Some(bytes_at(&*self.input, low, size as usize)?),
            _ => None,
        };
        let mut entries = Vec::with_capacity(records.len());
        for (number, (record, (offset, length))) in (first..).zip(records.iter().zip(places)) {
            let mut entry = match &window {
                Some(window) => {
                    let start = (offset - low) as usize;
                    self.entry(record, offset, &window[start..start + length])?
                }
                None => self.entry(record, offset, &bytes_at(&*self.input, offset, length)?)?,
            };
            let position = position_of(self.game, &record.key, entry.ply.max(1))
                .map_err(|error| BookError::damaged(HEAD + number * RECORD, error.to_string()))?;
            entry.key = key_of(&position)?;
            entry.moves.retain(|m| position.is_legal(m.mv));
            entries.push(entry);
        }
        Ok(entries)
    }

    /// All entries in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = Result<Entry, BookError>> + '_ {
        (0..self.parts()).flat_map(|part| match self.part(part) {
            Ok(entries) => entries.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    }
}

/// Entries as they stand in a file, made on any thread: the index, and the moves, whose places count from the first of these.
#[derive(Default)]
pub(crate) struct Encoded {
    index: Vec<u8>,
    moves: Vec<u8>,
    losses: Losses,
}

impl Encoded {
    /// The next entry.
    pub(crate) fn push(&mut self, entry: &Entry) {
        let losses = &mut self.losses;
        let ply = u16::try_from(entry.ply).unwrap_or(u16::MAX);
        losses.cut_numbers += u64::from(u32::from(ply) != entry.ply);
        losses.comments += u64::from(entry.comment.is_some());
        self.index.extend(entry.key);
        self.index.extend((self.moves.len() as u64).to_le_bytes());
        self.index.extend(ply.to_le_bytes());
        self.index.extend((entry.moves.len() as u16).to_le_bytes());
        for m in &entry.moves {
            let value = m.value.unwrap_or(0);
            let stored = value.clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
            let depth = u16::try_from(m.depth).unwrap_or(u16::MAX);
            losses.cut_numbers += u64::from(i32::from(stored) != value);
            losses.cut_numbers += u64::from(u32::from(depth) != m.depth);
            losses.unknown_values += u64::from(m.value.is_none());
            losses.replies += u64::from(m.reply.is_some());
            losses.counts += u64::from(m.count > 1);
            losses.results += u64::from(m.wins > 0 || m.draws > 0);
            losses.comments += u64::from(m.comment.is_some());
            losses.sources += u64::from(m.source.is_some());
            self.moves.extend(m.mv.bits().to_le_bytes());
            self.moves.extend(stored.to_le_bytes());
            self.moves.extend(depth.to_le_bytes());
        }
    }
}

/// Writes a book: entries in the order of their keys. Index and moves wait in temporary files, because
/// the number of positions comes first.
pub struct Writer<W> {
    output: W,
    index: BufWriter<File>,
    moves: BufWriter<File>,
    moves_length: u64,
    positions: u64,
    last: Option<Key>,
    losses: Losses,
}

impl<W: Write> Writer<W> {
    /// Begins a book; the temporary files have no names and lie in that folder.
    pub fn new(output: W, folder: &Path) -> Result<Self, BookError> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let temporary = || tempfile::tempfile_in(folder).map(BufWriter::new);
        let (index, moves, losses) = (temporary()?, temporary()?, Losses::default());
        Ok(Self { output, index, moves, moves_length: 0, positions: 0, last: None, losses })
    }

    /// Writes the next entry.
    pub fn write(&mut self, entry: &Entry) -> Result<(), BookError> {
        let mut encoded = Encoded::default();
        encoded.push(entry);
        self.write_encoded(encoded)
    }

    /// Writes the next entries.
    pub(crate) fn write_encoded(&mut self, mut encoded: Encoded) -> Result<(), BookError> {
        for record in encoded.index.as_chunks_mut::<{ RECORD as usize }>().0 {
            let Some((key, rest)) = record.split_first_chunk_mut::<32>() else { continue };
            if self.last.is_some_and(|last| last >= *key) {
                return Err(BookError::Unfit("positions out of order".to_owned()));
            }
            self.last = Some(*key);
            if let Some(offset) = rest.first_chunk_mut() {
                *offset = (u64::from_le_bytes(*offset) + self.moves_length).to_le_bytes();
            }
            self.positions += 1;
        }
        self.index.write_all(&encoded.index)?;
        self.moves.write_all(&encoded.moves)?;
        self.moves_length += encoded.moves.len() as u64;
        self.losses.add(encoded.losses);
        Ok(())
    }

    /// Ends the book, and says what had no place in it.
    pub fn finish(mut self) -> Result<(W, Losses), BookError> {
        self.output.write_all(&MAGIC)?;
        self.output.write_all(&self.positions.to_le_bytes())?;
        self.output.write_all(&DEPTHS.to_le_bytes())?;
        for (part, length) in
            [(self.index, self.positions * RECORD), (self.moves, self.moves_length)]
        {
            let mut part = part.into_inner().map_err(IntoInnerError::into_error)?;
            part.rewind()?;
            let copied = std::io::copy(&mut part.take(length), &mut self.output)?;
            if copied != length {
                return Err(BookError::damaged(
                    copied,
                    "a temporary file changed while it was read",
                ));
            }
        }
        self.output.flush()?;
        Ok((self.output, self.losses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{leak, random_entries};

    fn written(entries: &[Entry]) -> (Vec<u8>, Losses) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::new(Vec::new(), folder.path()).unwrap();
        for entry in entries {
            writer.write(entry).unwrap();
        }
        writer.finish().unwrap()
    }

    fn open(bytes: &[u8]) -> Result<YbbBook, BookError> {
        YbbBook::open(Box::new(leak(bytes)), Game::Shogi)
    }

    #[test]
    fn what_is_written_is_read() {
        let entries = random_entries(Game::Shogi, 300, 31);
        let (bytes, losses) = written(&entries);
        assert!(losses.unknown_values > 0 && losses.replies > 0 && losses.counts > 0);
        let book = open(&bytes).unwrap();
        let read: Vec<Entry> = book.entries().collect::<Result<_, _>>().unwrap();
        assert_eq!(read.len(), entries.len());
        for (read, entry) in read.iter().zip(&entries) {
            assert_eq!((read.key, read.ply), (entry.key, entry.ply));
            let facts = |e: &Entry| -> Vec<_> {
                e.moves.iter().map(|m| (m.mv, m.value.unwrap_or(0), m.depth)).collect()
            };
            assert_eq!(facts(read), facts(entry));
            assert_eq!(book.find(&entry.key).unwrap().as_ref(), Some(read));
        }
        assert_eq!(book.find(&[0; 32]).unwrap(), None);
    }

    #[test]
    fn the_layout_is_that_of_the_field() {
        let entries = random_entries(Game::Shogi, 1, 32);
        let (bytes, _) = written(&entries);
        assert_eq!(&bytes[..16], b"YANE-BINBOOK-V1\0");
        assert_eq!(bytes[16..32], [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[32..64], entries[0].key);
        assert_eq!(bytes[72..74], (entries[0].ply as u16).to_le_bytes());
        assert_eq!(bytes.len(), 76 + 6 * entries[0].moves.len());
        assert_eq!(bytes[76..78], entries[0].moves[0].mv.bits().to_le_bytes());
    }

    #[test]
    fn large_numbers_are_cut_and_counted() {
        let mut entries = random_entries(Game::Shogi, 1, 33);
        entries[0].moves[0].value = Some(70_000);
        entries[0].moves[0].depth = 70_000;
        let (bytes, losses) = written(&entries);
        assert_eq!(losses.cut_numbers, 2);
        let read = open(&bytes).unwrap().find(&entries[0].key).unwrap().unwrap();
        assert_eq!((read.moves[0].value, read.moves[0].depth), (Some(32_767), 65_535));
    }

    #[test]
    fn damaged_files_are_refused() {
        let entries = random_entries(Game::Shogi, 20, 34);
        let (good, _) = written(&entries);
        let all =
            |bytes: &[u8]| open(bytes).and_then(|b| b.entries().collect::<Result<Vec<_>, _>>());
        for cut in [0, 10, 31, 40, 300, good.len() - 1] {
            assert!(all(&good[..cut]).is_err(), "cut at {cut}");
        }
        let with = |at: usize, byte: u8| {
            let mut bad = good.clone();
            bad[at] = byte;
            bad
        };
        assert!(all(&with(0, b'X')).is_err());
        assert!(all(&with(24, 2)).unwrap_err().to_string().contains("flags"));
        assert!(all(&with(23, 255)).is_err(), "a count that overflows");
        assert!(all(&with(32 + 39, 255)).is_err(), "an offset that overflows");
        let mut swapped = good.clone();
        swapped.copy_within(32..76, 76);
        assert!(all(&swapped).unwrap_err().to_string().contains("not above"));
        let mut rng = seed::Rng::new(1);
        for _ in 0..300 {
            let _ = all(&with(rng.below(good.len()), rng.below(256) as u8));
        }
    }
}
