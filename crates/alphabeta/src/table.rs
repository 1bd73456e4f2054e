//! The transposition table, shared by all threads without locks.
//!
//! A cluster is 32 bytes, half a cache line: three data words and one word with three 19-bit
//! keys. Each key is mixed with its data word, so that a read that falls between another
//! thread's two writes does not match: a torn entry is a miss, never a lie (up to the 19 bits).
//!
//! The seven bits left are the cluster's epoch. A cluster of another epoch than the present one is
//! empty to whoever looks, and is emptied by whoever writes: to forget everything is to begin an
//! epoch, which takes no time however large the table is, and a search then reads the same nodes as
//! with a table of zeros. Memory is touched, and numbers of epochs are made free again, in
//! [`Table::sweep`], where nobody's clock runs.

use crate::memory::Words;
use crate::params::Params;
use crate::values;
use rules::Move;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

const WORDS: usize = 4;
const ENTRIES: usize = 3;
const KEY_BITS: u32 = 19;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;
/// Above the keys of a cluster: its epoch.
const EPOCH_SHIFT: u32 = ENTRIES as u32 * KEY_BITS;
/// Epochs are numbers below this; 0 is that of memory never written.
const EPOCHS: u64 = 1 << (64 - EPOCH_SHIFT);
/// Epochs after which a sweep is due.
const SWEEP_AFTER: u64 = EPOCHS / 2;
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
        (self.0 ^ self.0 >> KEY_BITS ^ self.0 >> (2 * KEY_BITS) ^ self.0 >> EPOCH_SHIFT) & KEY_MASK
    }
}

/// A time between two forgettings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Epoch(u64);

/// The table.
pub(crate) struct Table {
    words: Words,
    clusters: usize,
    /// MiB that were asked for.
    asked: usize,
    generation: AtomicU8,
    /// The epoch now, the one begun last, and how many have begun since the last sweep.
    epoch: AtomicU64,
    newest: AtomicU64,
    begun: AtomicU64,
    /// Whether all memory has been touched.
    touched: AtomicBool,
}

impl Table {
    /// A table of that many MiB, or the largest the system has room for below it.
    pub(crate) fn new(mib: usize) -> Self {
        let mut clusters = (mib.max(1) << 20) / (WORDS * 8);
        loop {
            if let Some(words) = Words::zeroed(clusters * WORDS) {
                return Self {
                    words,
                    clusters,
                    asked: mib,
                    generation: AtomicU8::new(0),
                    epoch: AtomicU64::new(0),
                    newest: AtomicU64::new(0),
                    begun: AtomicU64::new(0),
                    touched: AtomicBool::new(false),
                };
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

    /// Forgets everything, at once: an epoch begins. `None` where their numbers are used up: only
    /// another table has forgotten everything then.
    pub(crate) fn forget(&self) -> Option<Epoch> {
        if self.begun.load(Relaxed) + 2 >= EPOCHS {
            return None;
        }
        self.begun.fetch_add(1, Relaxed);
        let next = self.newest.load(Relaxed) % (EPOCHS - 1) + 1;
        self.newest.store(next, Relaxed);
        self.epoch.store(next, Relaxed);
        self.generation.store(0, Relaxed);
        Some(Epoch(next))
    }

    /// The epoch now.
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch(self.epoch.load(Relaxed))
    }

    /// Goes back to an epoch begun since the last sweep: what it wrote is known again, as far as it
    /// was not written over.
    pub(crate) fn go_back(&self, epoch: Epoch) {
        self.epoch.store(epoch.0, Relaxed);
    }

    /// Whether memory has to be touched, or many epochs have left their traces.
    pub(crate) fn needs_sweep(&self) -> bool {
        !self.touched.load(Relaxed) || self.begun.load(Relaxed) >= SWEEP_AFTER
    }

    /// Touches all memory and empties what is not of the present epoch, with several threads;
    /// `progress` is told the percent done.
    pub(crate) fn sweep(&self, threads: usize, progress: &mut dyn FnMut(usize)) {
        let epoch = self.epoch.load(Relaxed);
        // Memory never written has epoch 0 too, and must be touched.
        let keep = (epoch != 0 || self.touched.load(Relaxed)).then_some(epoch);
        self.words.sweep(threads, WORDS, progress, |cluster| {
            if keep.is_none_or(|epoch| cluster[ENTRIES].load(Relaxed) >> EPOCH_SHIFT != epoch) {
                cluster.iter().for_each(|word| word.store(0, Relaxed));
            }
        });
        self.begun.store(0, Relaxed);
        self.touched.store(true, Relaxed);
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
        if keys >> EPOCH_SHIFT != self.epoch.load(Relaxed) {
            return None;
        }
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
    pub(crate) fn put(&self, key: u64, mut entry: Entry, p: &Params) {
        let at = self.cluster(key);
        let cluster = &self.words.as_slice()[at..at + WORDS];
        let mut keys = cluster[ENTRIES].load(Relaxed);
        let epoch = self.epoch.load(Relaxed);
        if keys >> EPOCH_SHIFT != epoch {
            cluster[..ENTRIES].iter().for_each(|word| word.store(0, Relaxed));
            keys = epoch << EPOCH_SHIFT;
        }
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
            let value = data.depth() - p.table_age * i32::from(self.years(data));
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
                || entry.depth + p.table_pv * i32::from(entry.pv) > old.depth() - p.table_shallower
                || self.years(old) > 0;
            if !better {
                if p.table_move_kept == 0 || entry.best == old.unpack().best {
                    return;
                }
                entry = Entry { best: entry.best, ..old.unpack() };
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
        let epoch = self.epoch.load(Relaxed);
        let used = self.words.as_slice()[..sample * WORDS]
            .chunks_exact(WORDS)
            .filter(|cluster| cluster[ENTRIES].load(Relaxed) >> EPOCH_SHIFT == epoch)
            .flat_map(|cluster| &cluster[..ENTRIES])
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

    const P: Params = Params::SHOGI;

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
            table.put(key(i as u64), e, &P);
            assert_eq!(table.get(key(i as u64)), Some(e));
        }
        assert_eq!(table.get(key(999)), None);
    }

    #[test]
    fn deeper_and_newer_entries_stay() {
        let table = Table::new(1);
        table.put(key(1), entry(20, 5), &P);
        table.put(key(1), Entry { best: Move::NONE, ..entry(3, 6) }, &P);
        assert_eq!(table.get(key(1)).map(|e| e.depth), Some(20), "shallower does not replace");
        table.put(key(1), Entry { best: Move::NONE, ..entry(21, 7) }, &P);
        let e = table.get(key(1)).unwrap();
        assert_eq!((e.value, e.best), (7, entry(0, 0).best), "the best move is kept");
        table.age();
        table.put(key(1), entry(2, 8), &P);
        assert_eq!(table.get(key(1)).map(|e| e.depth), Some(2), "an old entry gives way");
        table.forget().unwrap();
        assert_eq!(table.get(key(1)), None);
    }

    #[test]
    fn an_entry_that_stays_takes_a_newer_move_if_asked_to() {
        let other = Move::drop(Kind::Pawn, Square::new(7));
        let newer = Entry { best: other, ..entry(3, 6) };
        for (kept, best) in [(0, entry(0, 0).best), (1, other)] {
            let table = Table::new(1);
            table.put(key(1), entry(20, 5), &P);
            table.put(key(1), newer, &Params { table_move_kept: kept, ..P });
            assert_eq!(table.get(key(1)), Some(Entry { best, ..entry(20, 5) }));
        }
    }

    #[test]
    fn forgetting_takes_no_time_and_leaves_nothing() {
        let table = Table::new(1);
        let fill = |value| (0..50_000).for_each(|n| table.put(key(n), entry(9, value), &P));
        let found = |value| {
            let known = |n: &u64| table.get(key(*n)).is_some_and(|e| e.value == value);
            (0..50_000).filter(known).count()
        };
        fill(1);
        let first = table.epoch();
        assert!(found(1) > 30_000 && table.permille() > 100);
        table.forget().unwrap();
        assert_eq!((found(1), table.permille()), (0, 0));
        // Back again, nothing was lost: nothing was written in between.
        let second = table.epoch();
        table.go_back(first);
        assert!(found(1) > 30_000);
        // What another epoch writes over is gone for good, and no entry changes its epoch.
        table.go_back(second);
        fill(2);
        assert!(found(1) == 0 && found(2) > 30_000);
        table.go_back(first);
        assert!(found(1) < 10_000 && found(2) == 0);
    }

    #[test]
    fn epochs_end_only_where_nobody_sweeps() {
        let table = Table::new(1);
        assert!(table.needs_sweep());
        let mut told = Vec::new();
        table.sweep(3, &mut |percent| told.push(percent));
        assert!(!table.needs_sweep() && told.is_sorted() && told.last() == Some(&100), "{told:?}");
        for game in 0..500 {
            assert_eq!(table.get(key(7)), None, "game {game}");
            table.put(key(7), entry(9, game), &P);
            assert_eq!(table.get(key(7)).map(|e| e.value), Some(game));
            if table.needs_sweep() {
                table.sweep(2, &mut |_| ());
                assert_eq!(table.get(key(7)).map(|e| e.value), Some(game), "the present stays");
            }
            table.forget().unwrap();
        }
        let without = (0..1000).take_while(|_| table.forget().is_some()).count();
        assert!((SWEEP_AFTER as usize..EPOCHS as usize).contains(&without), "{without}");
    }

    #[test]
    fn a_full_table_goes_on_working() {
        let table = Table::new(1);
        for n in 0..300_000 {
            table.put(key(n), entry((n % 30) as i32, (n % 1000) as i32), &P);
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
                        table.put(k, Entry { bound: Bound::Exact, ..entry(5, value) }, &P);
                        if let Some(e) = table.get(k) {
                            assert_eq!(e.value, value);
                        }
                    }
                });
            }
        });
    }
}
