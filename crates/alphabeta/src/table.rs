//! The transposition table, shared by all threads without locks.
//!
//! A cluster is 32 bytes, half a cache line: three data words and one word with three 21-bit
//! keys. Each key is mixed with its data word, so that a read that falls between another
//! thread's two writes does not match: a torn entry is a miss, never a lie (up to the 21 bits).

use crate::memory::Words;
use crate::values;
use rules::Move;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

const WORDS: usize = 4;
const ENTRIES: usize = 3;
const KEY_BITS: u32 = 21;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;
/// Generations wrap here; ages are differences modulo this.
const GENERATIONS: u8 = 32;
/// Depths from -7 (quiescence) up are stored as 1 and up: 0 is an empty entry.
const DEPTH_OFFSET: i32 = -8;

/// What a stored value says about the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Bound {
    None = 0,
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl Bound {
    #[inline]
    pub(crate) fn is_lower(self) -> bool {
        self as u8 & 2 != 0
    }

    #[inline]
    pub(crate) fn is_upper(self) -> bool {
        self as u8 & 1 != 0
    }
}

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) best: Move,
    /// As searched; mates counted from the node (see `values`).
    pub(crate) value: i32,
    /// Static evaluation.
    pub(crate) eval: i32,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// Whether the node was on a principal variation.
    pub(crate) pv: bool,
}

#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn pack(e: &Entry, generation: u8) -> Self {
        let value = e.value as i16 as u16;
        let eval = e.eval as i16 as u16;
        let depth = (e.depth - DEPTH_OFFSET).clamp(1, 255) as u8;
        let flags = e.bound as u8 | u8::from(e.pv) << 2 | generation << 3;
        Self(
            u64::from(e.best.bits())
                | u64::from(value) << 16
                | u64::from(eval) << 32
                | u64::from(depth) << 48
                | u64::from(flags) << 56,
        )
    }

    #[inline]
    fn unpack(self) -> Entry {
        let flags = (self.0 >> 56) as u8;
        Entry {
            best: Move::from_bits_unchecked(self.0 as u16),
            value: i32::from((self.0 >> 16) as u16 as i16),
            eval: i32::from((self.0 >> 32) as u16 as i16),
            depth: self.depth(),
            bound: match flags & 3 {
                0 => Bound::None,
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
            pv: flags & 4 != 0,
        }
    }

    #[inline]
    fn depth(self) -> i32 {
        i32::from((self.0 >> 48) as u8) + DEPTH_OFFSET
    }

    #[inline]
    fn is_empty(self) -> bool {
        (self.0 >> 48) as u8 == 0
    }

    #[inline]
    fn generation(self) -> u8 {
        (self.0 >> 59) as u8
    }

    /// Folds the word into key bits.
    #[inline]
    fn fold(self) -> u64 {
        (self.0 ^ self.0 >> 21 ^ self.0 >> 42) & KEY_MASK
    }
}

/// The table.
pub(crate) struct Table {
    words: Words,
    clusters: usize,
    /// MiB that were asked for.
    asked: usize,
    generation: AtomicU8,
}

impl Table {
    /// A table of that many MiB, or the largest the system has room for below it.
    pub(crate) fn new(mib: usize) -> Self {
        let mut clusters = (mib.max(1) << 20) / (WORDS * 8);
        loop {
            if let Some(words) = Words::zeroed(clusters * WORDS) {
                let generation = AtomicU8::new(0);
                return Self { words, clusters, asked: mib, generation };
            }
            assert!(clusters > 1024, "not even a few kilobytes of memory");
            clusters /= 2;
        }
    }

    /// Its size in MiB.
    pub(crate) fn mib(&self) -> usize {
        (self.clusters * WORDS * 8) >> 20
    }

    /// The size asked for, which the system may not have had room for.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// Forgets everything.
    pub(crate) fn clear(&self, threads: usize) {
        self.generation.store(0, Relaxed);
        self.words.clear(threads);
    }

    /// A new search begins: older entries are the first to go.
    pub(crate) fn age(&self) {
        self.generation.store((self.now() + 1) % GENERATIONS, Relaxed);
    }

    #[inline]
    fn now(&self) -> u8 {
        self.generation.load(Relaxed)
    }

    #[inline]
    fn cluster(&self, key: u64) -> usize {
        // The high bits choose the cluster, the low bits are the key.
        ((u128::from(key) * self.clusters as u128) >> 64) as usize * WORDS
    }

    /// Asks for a position's cluster ahead of its use.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        self.words.prefetch(self.cluster(key));
    }

    /// What is known about the position with this key.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        let at = self.cluster(key);
        let cluster = &self.words.as_slice()[at..at + WORDS];
        let keys = cluster[ENTRIES].load(Relaxed);
        for (i, word) in cluster[..ENTRIES].iter().enumerate() {
            let data = Data(word.load(Relaxed));
            let stored = keys >> (i as u32 * KEY_BITS) & KEY_MASK;
            if stored ^ data.fold() == key & KEY_MASK && !data.is_empty() {
                return Some(data.unpack());
            }
        }
        None
    }

    /// Remembers. An entry of another position gives way if it is old or shallow; one of the same
    /// position only to something better.
    pub(crate) fn put(&self, key: u64, mut entry: Entry) {
        let at = self.cluster(key);
        let cluster = &self.words.as_slice()[at..at + WORDS];
        let keys = cluster[ENTRIES].load(Relaxed);
        let mut victim = 0;
        let mut worth = i32::MAX;
        let mut same = None;
        for (i, word) in cluster[..ENTRIES].iter().enumerate() {
            let data = Data(word.load(Relaxed));
            let stored = keys >> (i as u32 * KEY_BITS) & KEY_MASK;
            if data.is_empty() || stored ^ data.fold() == key & KEY_MASK {
                victim = i;
                same = (!data.is_empty()).then_some(data);
                break;
            }
            let value = data.depth() - 4 * i32::from(self.years(data));
            if value < worth {
                worth = value;
                victim = i;
            }
        }
        if let Some(old) = same {
            if entry.best == Move::NONE {
                entry.best = old.unpack().best;
            }
            let better = entry.bound == Bound::Exact
                || entry.depth + 2 * i32::from(entry.pv) > old.depth() - 4
                || self.years(old) > 0;
            if !better {
                return;
            }
        }
        let data = Data::pack(&entry, self.now());
        let shift = victim as u32 * KEY_BITS;
        let keys = keys & !(KEY_MASK << shift) | (key & KEY_MASK ^ data.fold()) << shift;
        cluster[victim].store(data.0, Relaxed);
        cluster[ENTRIES].store(keys, Relaxed);
    }

    /// How many searches ago the entry was written.
    #[inline]
    fn years(&self, data: Data) -> u8 {
        (GENERATIONS + self.now() - data.generation()) % GENERATIONS
    }

    /// Thousandths of a sample that this search has written.
    pub(crate) fn permille(&self) -> u32 {
        let sample = self.clusters.min(1000);
        let now = self.now();
        let words = self.words.as_slice();
        let used = (0..sample)
            .flat_map(|c| &words[c * WORDS..c * WORDS + ENTRIES])
            .map(|w| Data(w.load(Relaxed)))
            .filter(|d| !d.is_empty() && d.generation() == now)
            .count();
        (used * 1000 / (sample * ENTRIES)) as u32
    }
}

impl Entry {
    /// An entry with only a static evaluation.
    pub(crate) fn eval_only(eval: i32, pv: bool) -> Self {
        Self {
            best: Move::NONE,
            value: values::NONE,
            eval,
            depth: DEPTH_OFFSET + 1,
            bound: Bound::None,
            pv,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Kind, Square};

    fn entry(depth: i32, value: i32) -> Entry {
        let best = Move::drop(Kind::Gold, Square::new(40));
        Entry { best, value, eval: -77, depth, bound: Bound::Lower, pv: true }
    }

    fn key(n: u64) -> u64 {
        n.wrapping_mul(seed::GAMMA) ^ n << 3
    }

    #[test]
    fn entries_come_back_as_they_went() {
        let table = Table::new(1);
        for (i, value) in [0, 31_999, -31_999, values::NONE, -1].into_iter().enumerate() {
            let e = entry(i as i32 * 20 - 7, value);
            table.put(key(i as u64), e);
            assert_eq!(table.get(key(i as u64)), Some(e));
        }
        assert_eq!(table.get(key(999)), None);
    }

    #[test]
    fn deeper_and_newer_entries_stay() {
        let table = Table::new(1);
        table.put(key(1), entry(20, 5));
        table.put(key(1), Entry { best: Move::NONE, ..entry(3, 6) });
        assert_eq!(table.get(key(1)).map(|e| e.depth), Some(20), "shallower does not replace");
        table.put(key(1), Entry { best: Move::NONE, ..entry(21, 7) });
        let e = table.get(key(1)).unwrap();
        assert_eq!((e.value, e.best), (7, entry(0, 0).best), "the best move is kept");
        table.age();
        table.put(key(1), entry(2, 8));
        assert_eq!(table.get(key(1)).map(|e| e.depth), Some(2), "an old entry gives way");
        table.clear(2);
        assert_eq!(table.get(key(1)), None);
    }

    #[test]
    fn a_full_table_goes_on_working() {
        let table = Table::new(1);
        for n in 0..300_000 {
            table.put(key(n), entry((n % 30) as i32, (n % 1000) as i32));
        }
        let found = (0..300_000).filter(|&n| table.get(key(n)).is_some()).count();
        assert!(found > 60_000, "{found}");
        assert!(table.permille() > 900);
    }

    #[test]
    fn threads_never_see_torn_entries() {
        let table = Table::new(1);
        std::thread::scope(|scope| {
            for t in 0..2u64 {
                let table = &table;
                scope.spawn(move || {
                    for n in 0..200_000u64 {
                        // Few keys, many writers: the value must belong to the key.
                        let k = key(n * 7 % 50 + t * 1000);
                        let value = (n * 7 % 50 + t * 1000) as i32;
                        table.put(k, Entry { bound: Bound::Exact, ..entry(5, value) });
                        if let Some(e) = table.get(k) {
                            assert_eq!(e.value, value);
                        }
                    }
                });
            }
        });
    }
}
