//! Positions by their hashes, in little memory.

use crate::BookError;
use crate::parallel::in_order;

/// Numbers by the hashes of positions: open addressing, with half of a hash beside the number.
pub(crate) struct Table {
    /// Hash in the upper half, number in the lower; all ones if free.
    slots: Vec<u64>,
    mask: u64,
}

const FREE: u64 = u64::MAX;

impl Table {
    pub(crate) fn new(count: usize) -> Self {
        let size = (2 * count).next_power_of_two().max(16);
        Self { slots: vec![FREE; size], mask: size as u64 - 1 }
    }

    /// A table of so many hashes by their places, made on several threads: each has a part of the slots.
    pub(crate) fn of(hashes: &[u64], threads: usize) -> Result<Self, BookError> {
        let mut table = Self::new(hashes.len());
        let size = table.slots.len() / threads.next_power_of_two().min(table.slots.len());
        let parts = table.slots.chunks_mut(size).enumerate().map(Ok);
        let (mask, mut left) = (table.mask, Vec::new());
        let fill = |(part, slots): (usize, &mut [u64])| Ok(fill(slots, part * size, mask, hashes));
        in_order(threads, parts, fill, |over| {
            left.extend(over);
            Ok(())
        })?;
        // What had no room up to the end of its part goes on in the next.
        left.into_iter().for_each(|number| table.insert(hashes[number as usize], number));
        Ok(table)
    }

    /// Looks where a hash would be, so that it is in the processor's cache when it is looked for.
    #[inline]
    pub(crate) fn touch(&self, hash: u64) -> bool {
        self.slots[(hash & self.mask) as usize] != FREE
    }

    /// The number that this hash may mean, if `is_it` says so.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut at = hash & self.mask;
        loop {
            let slot = self.slots[at as usize];
            if slot == FREE {
                return None;
            }
            if slot >> 32 == hash >> 32 && is_it(slot as u32) {
                return Some(slot as u32);
            }
            at = (at + 1) & self.mask;
        }
    }

    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        let mut at = hash & self.mask;
        while self.slots[at as usize] != FREE {
            at = (at + 1) & self.mask;
        }
        self.slots[at as usize] = hash >> 32 << 32 | u64::from(number);
    }
}

/// Puts the hashes that belong to some slots, which begin at that one, into them, and says for which there was no room.
fn fill(slots: &mut [u64], first: usize, mask: u64, hashes: &[u64]) -> Vec<u32> {
    let mut left = Vec::new();
    for (number, &hash) in (0..).zip(hashes) {
        let at = ((hash & mask) as usize).wrapping_sub(first);
        if at >= slots.len() {
            continue;
        }
        match slots[at..].iter_mut().find(|slot| **slot == FREE) {
            Some(slot) => *slot = hash >> 32 << 32 | u64::from(number),
            None => left.push(number),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_found_on_however_many_threads() {
        let mut rng = seed::Rng::new(3);
        // Every fourth wants the last slot of all, so that rows go on in other parts, and at the beginning.
        let hash = |n: u64, bits: u64| if n.is_multiple_of(4) { bits | 0xffff_ffff } else { bits };
        let hashes: Vec<u64> = (0..3000).map(|n| hash(n, rng.bits())).collect();
        for threads in [1, 2, 3, 8] {
            let table = Table::of(&hashes, threads).unwrap();
            for (number, &hash) in (0..).zip(&hashes) {
                assert!(table.touch(hash));
                assert_eq!(table.find(hash, |found| found == number), Some(number), "{threads}");
            }
            assert_eq!(table.find(hashes[1] ^ 1 << 40, |_| true), None);
        }
        assert_eq!(Table::of(&[], 2).unwrap().find(7, |_| true), None);
    }
}
