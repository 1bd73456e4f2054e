//! Where the blocks of a book lie. Of a large book only some of the table is in memory, and the rest is read where it lies.

use super::{FENCE, LARGEST_BLOCK};
use crate::bytes::{ReadAt, Taker, bytes_at};
use crate::{BookError, Key};
use crc32fast::Hasher;

/// Lines of the table that are read at a time.
const GROUP: usize = 64;
/// Groups read at a time where all are.
const GROUPS: usize = 256;
/// Lines up to which all are held: those of half a gigabyte.
const HELD: u64 = 1 << 16;

/// A line of the table: a block by its first key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    pub(super) key: Key,
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) sum: u32,
}

/// The table.
pub(super) struct Fences {
    at: u64,
    count: usize,
    /// The first key and the checksum of each group.
    groups: Vec<(Key, u32)>,
    /// All of a small book.
    held: Vec<Fence>,
}

fn damaged(at: u64) -> BookError {
    BookError::damaged(at, "the table of blocks is damaged")
}

impl Fences {
    /// Reads through a table of so many lines, which lies there and has that checksum.
    pub(super) fn open(
        input: &dyn ReadAt,
        at: u64,
        count: u64,
        sum: u32,
    ) -> Result<Self, BookError> {
        Self::open_holding(input, at, count, sum, HELD)
    }

    /// The same, holding all lines of a table that has no more than so many.
    pub(super) fn open_holding(
        input: &dyn ReadAt,
        at: u64,
        count: u64,
        sum: u32,
        most: u64,
    ) -> Result<Self, BookError> {
        let lines = usize::try_from(count).map_err(|_| damaged(at))?;
        let mut fences = Self { at, count: lines, groups: Vec::new(), held: Vec::new() };
        let mut found = Hasher::new();
        for first in (0..lines).step_by(GROUP * GROUPS) {
            let some = (lines - first).min(GROUP * GROUPS);
            let bytes = bytes_at(input, at + (first * FENCE) as u64, some * FENCE)?;
            found.update(&bytes);
            for group in bytes.chunks(GROUP * FENCE) {
                let read = lines_of(group).ok_or_else(|| damaged(at))?;
                let key = read.first().map_or([0; 32], |fence| fence.key);
                fences.groups.push((key, crc32fast::hash(group)));
                if count <= most {
                    fences.held.extend(read);
                }
            }
        }
        if found.finalize() == sum { Ok(fences) } else { Err(damaged(at)) }
    }

    /// How many blocks there are.
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    /// The lines of a group.
    fn group(&self, input: &dyn ReadAt, group: usize) -> Result<Vec<Fence>, BookError> {
        let Some((_, sum)) = self.groups.get(group) else { return Ok(Vec::new()) };
        let first = group * GROUP;
        let at = self.at + (first * FENCE) as u64;
        let bytes = bytes_at(input, at, (self.count - first).min(GROUP) * FENCE)?;
        let is_whole = crc32fast::hash(&bytes) == *sum;
        is_whole.then(|| lines_of(&bytes)).flatten().ok_or_else(|| damaged(at))
    }

    /// The block in which a key is, if it is in any.
    pub(super) fn of_key(&self, input: &dyn ReadAt, key: &Key) -> Result<Option<Fence>, BookError> {
        let last = |fences: &[Fence]| {
            let after = fences.partition_point(|fence| fence.key <= *key);
            after.checked_sub(1).map(|index| fences[index])
        };
        if !self.held.is_empty() {
            return Ok(last(&self.held));
        }
        let after = self.groups.partition_point(|(first, _)| first <= key);
        let Some(group) = after.checked_sub(1) else { return Ok(None) };
        Ok(last(&self.group(input, group)?))
    }

    /// A block, and the first key of the next.
    pub(super) fn of_block(
        &self,
        input: &dyn ReadAt,
        block: usize,
    ) -> Result<Option<(Fence, Option<Key>)>, BookError> {
        if !self.held.is_empty() {
            let next = self.held.get(block + 1).map(|fence| fence.key);
            return Ok(self.held.get(block).map(|fence| (*fence, next)));
        }
        let lines = self.group(input, block / GROUP)?;
        let next = match lines.get(block % GROUP + 1) {
            Some(fence) => Some(fence.key),
            None => self.groups.get(block / GROUP + 1).map(|(key, _)| *key),
        };
        Ok(lines.get(block % GROUP).map(|fence| (*fence, next)))
    }
}

fn lines_of(bytes: &[u8]) -> Option<Vec<Fence>> {
    let mut from = Taker::new(bytes);
    let mut lines = Vec::with_capacity(bytes.len() / FENCE);
    while !from.is_empty() {
        lines.push(Fence {
            key: from.array()?,
            offset: from.u64()?,
            length: from.u32().filter(|&n| n <= LARGEST_BLOCK)?,
            sum: from.u32()?,
        });
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::leak;

    /// A table of so many lines, whose keys are 2, 4, 6, … in their last bytes.
    fn table(lines: u32) -> (Vec<u8>, u32) {
        let mut bytes = vec![9; 5];
        for line in 0..lines {
            bytes.extend([0; 28]);
            bytes.extend((2 * line + 2).to_be_bytes());
            bytes.extend(u64::from(line).to_le_bytes());
            bytes.extend([100, 0, 0, 0, 7, 0, 0, 0]);
        }
        let sum = crc32fast::hash(&bytes[5..]);
        (bytes, sum)
    }

    fn key(number: u32) -> Key {
        let mut key = [0; 32];
        key[28..].copy_from_slice(&number.to_be_bytes());
        key
    }

    #[test]
    fn what_is_read_where_it_lies_is_what_is_held() {
        for lines in [0, 1, 63, 64, 65, 1000, 20_000] {
            let (bytes, sum) = table(lines);
            let input = leak(&bytes);
            for most in [0, u64::MAX] {
                let fences = Fences::open_holding(&input, 5, u64::from(lines), sum, most).unwrap();
                assert_eq!(fences.len(), lines as usize);
                for number in [0, 1, 2, 3, 4, 127, 128, 129, 130, 131, 2 * lines, 2 * lines + 9] {
                    let found = fences.of_key(&input, &key(number)).unwrap();
                    let expected = (number / 2).min(lines).checked_sub(1);
                    assert_eq!(found.map(|fence| fence.offset), expected.map(u64::from));
                }
                for block in [0, 1, 62, 63, 64, 999, 19_999, 20_000] {
                    let found = fences.of_block(&input, block as usize).unwrap();
                    let next = (block + 1 < lines).then(|| key(2 * block + 4));
                    let expected = (block < lines).then_some((u64::from(block), next));
                    assert_eq!(found.map(|(fence, next)| (fence.offset, next)), expected);
                }
            }
        }
    }

    #[test]
    fn a_table_that_is_damaged_before_or_later_is_told() {
        let (bytes, sum) = table(200);
        let mut broken = bytes.clone();
        broken[500] ^= 1;
        let broken = leak(&broken);
        assert!(Fences::open(&broken, 5, 200, sum).is_err());
        let fences = Fences::open_holding(&leak(&bytes), 5, 200, sum, 0).unwrap();
        assert!(fences.of_key(&broken, &key(4)).is_err(), "written over since");
        assert!(fences.of_key(&broken, &key(400)).is_ok(), "another group");
    }
}
