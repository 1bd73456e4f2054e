//! The memory of a search: bounded, shared by threads without locks.
//!
//! An entry is four words; the first is the key folded with the other three, so that an entry
//! torn by two writers belongs to no position and is ignored. Entries of one board stand in one
//! window whatever the hands, so that a look-up sees every hand that dominates. When a window is
//! full the entry that cost least is given up: what is lost costs time, never the answer.

#![allow(unsafe_code)] // zeroed memory not written again, and prefetching

use rules::{Hand, Move};
use std::sync::atomic::{AtomicU64, Ordering};

/// Larger than every number of an open node.
pub(crate) const INFINITE: u32 = u32::MAX / 4;
/// Plies of a search without a limit.
pub(crate) const UNLIMITED: u16 = u16::MAX;

/// Slots an entry may stand in.
const WINDOW: usize = 24;

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Attacker's hand; for a proof the smallest, for a disproof the largest it holds for.
    pub(crate) hand: Hand,
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    /// Proof: mated within that many plies. Disproof: not mated within that many. Open: the
    /// number of plies asked about.
    pub(crate) plies: u16,
    /// The attacker's move of a proof.
    pub(crate) best: Move,
    /// Smallest depth the position was visited at.
    pub(crate) depth: u16,
    /// Nodes spent below.
    pub(crate) amount: u32,
}

impl Entry {
    fn pack(&self) -> [u64; 3] {
        [
            u64::from(self.hand.bits()) << 32 | u64::from(self.pn),
            u64::from(self.dn) << 32 | u64::from(self.best.bits()) << 16 | u64::from(self.plies),
            u64::from(self.depth) << 32 | u64::from(self.amount),
        ]
    }

    fn unpack(w: [u64; 3]) -> Self {
        Self {
            hand: Hand::from_bits_unchecked((w[0] >> 32) as u32),
            pn: w[0] as u32,
            dn: (w[1] >> 32) as u32,
            plies: w[1] as u16,
            best: Move::from_bits_unchecked((w[1] >> 16) as u16),
            depth: (w[2] >> 32) as u16,
            amount: w[2] as u32,
        }
    }

    fn is_final(&self) -> bool {
        self.pn == 0 || self.dn == 0
    }
}

/// Zeroed words, without writing the zeros: a table of gigabytes is there at once.
fn zeros<const N: usize>(n: usize) -> Box<[[AtomicU64; N]]> {
    // SAFETY: an `AtomicU64` of all zero bits is a valid value, and so is an array of them.
    unsafe { Box::<[[AtomicU64; N]]>::new_zeroed_slice(n).assume_init() }
}

pub(crate) struct Table {
    slots: Box<[[AtomicU64; 4]]>,
    /// Disproofs that hold on one path only: key of path and position, depth of the position on
    /// the path that recurs.
    loops: Box<[[AtomicU64; 2]]>,
    lost: AtomicU64,
    /// Bytes asked for.
    bytes: usize,
}

/// Tables larger than that are given back by a thread of their own.
const LARGE: usize = 16 << 20;

impl Drop for Table {
    /// Giving gigabytes back to the system takes most of a second; the answer to a stop must not
    /// wait for it.
    fn drop(&mut self) {
        let (slots, loops) = (std::mem::take(&mut self.slots), std::mem::take(&mut self.loops));
        if slots.len() * size_of::<[AtomicU64; 4]>() > LARGE {
            // Without a thread to spare it is done here: the closure is dropped with the error.
            let _ = std::thread::Builder::new().spawn(move || drop((slots, loops)));
        }
    }
}

impl Table {
    /// A table of about that many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let slots = (bytes / 17 * 16 / 32).max(WINDOW * 2);
        let loops = (bytes / 17 / 16).max(64);
        let lost = AtomicU64::new(0);
        Self { slots: zeros(slots + WINDOW), loops: zeros(loops), lost, bytes }
    }

    /// About how many bytes were asked for.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Hands everything but the loops, which are found again, to another table.
    pub(crate) fn copy_to(&self, other: &Self) {
        for (key, words) in (0..self.slots.len()).filter_map(|slot| self.read(slot)) {
            other.store(key, &Entry::unpack(words));
        }
        other.begin();
    }

    /// Counts from now how often entries are given up.
    pub(crate) fn begin(&self) {
        self.lost.store(0, Ordering::Relaxed);
    }

    /// How often an entry was given up for another, in multiples of the table's size.
    pub(crate) fn turnover(&self) -> f64 {
        self.lost.load(Ordering::Relaxed) as f64 / self.slots.len() as f64
    }

    #[inline]
    fn start(&self, key: u64) -> usize {
        let n = (self.slots.len() - WINDOW) as u128;
        ((u128::from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * n) >> 64) as usize
    }

    /// The entry in a slot and its key; `None` if the slot is empty.
    #[inline]
    fn read(&self, slot: usize) -> Option<(u64, [u64; 3])> {
        let s = &self.slots[slot];
        let k = s[0].load(Ordering::Relaxed);
        if k == 0 {
            return None;
        }
        let w = [1, 2, 3].map(|i| s[i].load(Ordering::Relaxed));
        Some((k ^ w[0] ^ w[1].rotate_left(21) ^ w[2].rotate_left(42), w))
    }

    fn write(&self, slot: usize, key: u64, entry: &Entry) {
        let w = entry.pack();
        let s = &self.slots[slot];
        s[0].store(key ^ w[0] ^ w[1].rotate_left(21) ^ w[2].rotate_left(42), Ordering::Relaxed);
        for i in 0..3 {
            s[i + 1].store(w[i], Ordering::Relaxed);
        }
    }

    /// Asks for the memory of a position that will be looked up soon.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let slot = (&raw const self.slots[self.start(key)]).cast::<i8>();
            // SAFETY: a prefetch of any address has no effect on the program's meaning.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(slot) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known about a position when `plies` are left: a proof or disproof that covers it,
    /// else the open entry, else bounds from comparable hands and plies (with `amount` 0).
    #[inline]
    pub(crate) fn look(&self, key: u64, hand: Hand, plies: u16) -> Option<Entry> {
        let start = self.start(key);
        let mut open: Option<Entry> = None;
        let (mut pn, mut dn) = (0, 0);
        for slot in start..start + WINDOW {
            let Some((k, w)) = self.read(slot) else { break };
            if k != key {
                continue;
            }
            let e = Entry::unpack(w);
            if e.pn == 0 {
                if e.plies <= plies && hand.covers(e.hand) {
                    return Some(e);
                }
            } else if e.dn == 0 {
                if e.plies >= plies && e.hand.covers(hand) {
                    return Some(e);
                }
            } else if e.plies == plies && e.hand == hand {
                open = Some(e);
            } else if e.plies >= plies && e.hand.covers(hand) {
                // With more plies and more in hand it was that hard to prove.
                pn = pn.max(e.pn);
            } else if e.plies <= plies && hand.covers(e.hand) {
                dn = dn.max(e.dn);
            }
        }
        if let Some(mut e) = open {
            e.pn = e.pn.max(pn);
            e.dn = e.dn.max(dn);
            return Some(e);
        }
        let (best, depth) = (Move::NONE, u16::MAX);
        let bound = Entry { hand, pn: pn.max(1), dn: dn.max(1), plies, best, depth, amount: 0 };
        (pn > 0 || dn > 0).then_some(bound)
    }

    /// The proof of fewest plies that covers the position, of at most `plies`.
    pub(crate) fn shortest(&self, key: u64, hand: Hand, plies: u16) -> Option<Entry> {
        let start = self.start(key);
        (start..start + WINDOW)
            .map_while(|slot| self.read(slot))
            .filter(|&(k, _)| k == key)
            .map(|(_, w)| Entry::unpack(w))
            .filter(|e| e.pn == 0 && e.plies <= plies && hand.covers(e.hand))
            .min_by_key(|e| e.plies)
    }

    /// Remembers. A proof or disproof takes the place of what it makes superfluous.
    pub(crate) fn store(&self, key: u64, entry: &Entry) {
        let start = self.start(key);
        let mut cheapest = (u64::MAX, start);
        for slot in start..start + WINDOW {
            let Some((k, w)) = self.read(slot) else {
                self.write(slot, key, entry);
                return;
            };
            let e = Entry::unpack(w);
            if k == key && replaces(entry, &e) {
                self.write(slot, key, entry);
                return;
            }
            // What is settled is worth more than what is open.
            let worth = u64::from(e.amount) << (u32::from(e.is_final()) * 2);
            if worth < cheapest.0 {
                cheapest = (worth, slot);
            }
        }
        self.lost.fetch_add(1, Ordering::Relaxed);
        self.write(cheapest.1, key, entry);
    }

    /// The depth that recurs, if this position on this path is known to be lost in a loop.
    pub(crate) fn look_loop(&self, key: u64) -> Option<u32> {
        let s = &self.loops[self.loop_slot(key)];
        let depth = s[1].load(Ordering::Relaxed);
        (s[0].load(Ordering::Relaxed) == key ^ depth && depth != 0).then(|| depth as u32 - 1)
    }

    pub(crate) fn store_loop(&self, key: u64, depth: u32) {
        let s = &self.loops[self.loop_slot(key)];
        let depth = u64::from(depth) + 1;
        s[0].store(key ^ depth, Ordering::Relaxed);
        s[1].store(depth, Ordering::Relaxed);
    }

    fn loop_slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.loops.len() as u128) >> 64) as usize
    }
}

/// Whether `new` says everything `old` says, of the same board.
fn replaces(new: &Entry, old: &Entry) -> bool {
    if new.pn == 0 {
        return old.hand.covers(new.hand) && (old.pn == 0 && old.plies >= new.plies)
            || old.hand == new.hand && !old.is_final() && old.plies >= new.plies;
    }
    if new.dn == 0 {
        return new.hand.covers(old.hand) && (old.dn == 0 && old.plies <= new.plies)
            || old.hand == new.hand && !old.is_final() && old.plies <= new.plies;
    }
    !old.is_final() && old.hand == new.hand && old.plies == new.plies
}
