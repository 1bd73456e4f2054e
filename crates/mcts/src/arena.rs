//! The memory of the tree: cells of 64 bytes under a hard cap.
//!
//! A node is one cell, its moves a chain of them, so nothing is ever too large or too small for a
//! freed place: there is no fragmentation, and the cap is a number of cells. Cells are reached by
//! 32-bit index; 0 is none. Memory is taken from the system a slab at a time, when first needed.
//!
//! Everything is a safe atomic. Who may free what is the business of `recycle`.

use os::memory::HUGE_PAGE;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A place in the arena; 0 is none.
pub(crate) type Index = u32;

/// Bytes of a cell.
pub(crate) const CELL: usize = 64;
/// Cells of a slab: 16 MiB, most of which lies on huge pages where the system gives them; and the table
/// of slabs stays in the processor's nearest memory.
const SLAB_BITS: u32 = 18;
const SLAB: usize = 1 << SLAB_BITS;
/// Bit of the last word's lower half that tells a node from moves and free cells.
pub(crate) const IS_NODE: u64 = 1 << 31;
/// So many cells can be told apart: links must not look like [`IS_NODE`].
const MOST_CELLS: usize = 1 << 31;

/// 64 bytes of tree.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Cell(pub(crate) [AtomicU64; 8]);

impl Cell {
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        self.0[index].load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_word(&self, index: usize, value: u64) {
        self.0[index].store(value, Ordering::Relaxed);
    }

    /// The next cell of a chain of moves or of free cells.
    #[inline]
    pub(crate) fn link(&self) -> Index {
        self.word(7) as u32
    }

    /// Makes this a free cell, or the last cell of a chain.
    #[inline]
    pub(crate) fn set_link(&self, next: Index) {
        self.set_word(7, u64::from(next));
    }
}

/// Cells in order of use. Whoever frees or takes cells holds its lock.
#[derive(Default)]
pub(crate) struct Store {
    /// The first cell never used; all after it are not either.
    pub(crate) fresh: Index,
    /// Free cells, chained.
    pub(crate) free: Index,
    pub(crate) free_count: u32,
    /// Nodes no longer part of the tree, chained: see `recycle`.
    pub(crate) garbage: Index,
    /// Where the search for cells to recycle goes on.
    pub(crate) hand: Index,
    /// The root, which is never recycled.
    pub(crate) root: Index,
    /// Subtrees given up for want of memory.
    pub(crate) recycled: u64,
}

/// A few free cells for one thread, so that it seldom needs the lock.
#[derive(Default)]
pub(crate) struct Magazine {
    head: Index,
    pub(crate) count: u32,
}

impl Magazine {
    /// Takes a cell.
    #[inline]
    pub(crate) fn pop(&mut self, arena: &Arena) -> Option<Index> {
        let taken = self.head;
        if taken == 0 {
            return None;
        }
        self.head = arena.cell(taken).link();
        self.count -= 1;
        Some(taken)
    }

    /// Gives a cell back.
    #[inline]
    pub(crate) fn push(&mut self, arena: &Arena, index: Index) {
        arena.cell(index).set_link(self.head);
        self.head = index;
        self.count += 1;
    }
}

/// The memory of one tree.
pub(crate) struct Arena {
    slabs: Box<[OnceLock<Box<[Cell]>>]>,
    /// Cells there may be, the one of index 0 included.
    cells: u32,
    store: Mutex<Store>,
    /// Cells out of the store: in the tree, as garbage, or in magazines.
    used: AtomicU32,
    /// A thread takes the next slab from the system.
    preparing: AtomicBool,
}

impl Arena {
    /// The least there can be, enough for a line of moves: half of the smallest `USI_Hash`.
    pub(crate) const LEAST: usize = 1 << 19;

    /// An arena that never takes more than so many bytes (at least [`Arena::LEAST`]), its own
    /// table included.
    pub(crate) fn new(bytes: usize) -> Self {
        let bytes = bytes.max(Self::LEAST);
        let slabs = bytes.div_ceil(SLAB * CELL).min(MOST_CELLS / SLAB);
        let table = slabs * size_of::<OnceLock<Box<[Cell]>>>() + size_of::<Self>();
        let cells = ((bytes - table) / CELL).min(slabs * SLAB).min(MOST_CELLS - 1) as u32;
        let slabs = (0..slabs).map(|_| OnceLock::new()).collect();
        let store = Store { fresh: 1, hand: 1, ..Store::default() };
        let preparing = AtomicBool::new(false);
        Self { slabs, cells, store: Mutex::new(store), used: AtomicU32::new(1), preparing }
    }

    /// Forgets everything; the memory stays.
    pub(crate) fn clear(&self) {
        *self.lock() = Store { fresh: 1, hand: 1, ..Store::default() };
        self.used.store(1, Ordering::Relaxed);
    }

    /// A cell that was handed out.
    #[inline]
    pub(crate) fn cell(&self, index: Index) -> &Cell {
        let slab = self.slabs[(index >> SLAB_BITS) as usize].get();
        &slab.expect("handed out with its slab")[index as usize & (SLAB - 1)]
    }

    /// Cells there may be.
    pub(crate) fn capacity(&self) -> u32 {
        self.cells
    }

    /// Bytes taken from the system so far.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let slabs = self.slabs.iter().filter_map(OnceLock::get).map(|slab| slab.len() * CELL);
        slabs.sum::<usize>() + size_of_val(&*self.slabs) + size_of::<Self>()
    }

    /// Cells in use, in thousandths of all.
    pub(crate) fn permille(&self) -> u32 {
        (u64::from(self.used.load(Ordering::Relaxed)) * 1000 / u64::from(self.cells)) as u32
    }

    /// Nothing is freed or handed out while this is held.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Store> {
        // Links are written one at a time, each whole.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves cells from the store to a magazine: free ones first, then fresh ones. Says how many.
    pub(crate) fn hand_out(&self, store: &mut Store, magazine: &mut Magazine, want: u32) -> u32 {
        let mut taken = 0;
        while taken < want {
            let index = if store.free != 0 {
                let index = store.free;
                store.free = self.cell(index).link();
                store.free_count -= 1;
                index
            } else if store.fresh < self.cells {
                let index = store.fresh;
                store.fresh += 1;
                self.prepare(index);
                index
            } else {
                break;
            };
            magazine.push(self, index);
            taken += 1;
        }
        self.used.fetch_add(taken, Ordering::Relaxed);
        taken
    }

    /// Takes the slab of a fresh cell from the system.
    fn prepare(&self, index: Index) {
        let slab = (index >> SLAB_BITS) as usize;
        self.slabs[slab].get_or_init(|| {
            let left = self.cells as usize - slab * SLAB;
            taken(left.min(SLAB))
        });
    }

    /// Takes the next slab from the system when half of the one in use is gone: that takes milliseconds,
    /// in which nobody should wait for the lock.
    pub(crate) fn prepare_ahead(&self, fresh: Index) {
        let next = ((fresh >> SLAB_BITS) + 1) << SLAB_BITS;
        let slab = self.slabs.get((next >> SLAB_BITS) as usize);
        if fresh as usize % SLAB >= SLAB / 2
            && next < self.cells
            && slab.is_some_and(|slab| slab.get().is_none())
            && !self.preparing.swap(true, Ordering::Acquire)
        {
            self.prepare(next);
            self.preparing.store(false, Ordering::Release);
        }
    }

    /// Puts a chain of cells, all linked, back into the store.
    pub(crate) fn free_chain(&self, store: &mut Store, head: Index) {
        let (mut last, mut count) = (head, 1);
        while self.cell(last).link() != 0 {
            last = self.cell(last).link();
            count += 1;
        }
        // The tail's upper half may hold a move: a free cell holds nothing but its link.
        self.cell(last).set_link(store.free);
        store.free = head;
        store.free_count += count;
        self.used.fetch_sub(count, Ordering::Relaxed);
    }

    /// Puts what a thread did not use back into the store.
    pub(crate) fn take_back(&self, magazine: &mut Magazine) {
        if magazine.head != 0 {
            self.free_chain(&mut self.lock(), magazine.head);
            *magazine = Magazine::default();
        }
    }
}

/// So many cells from the system. A playout reads hundreds of nodes in no order: on small pages nearly every
/// one costs a walk through the page table besides the cache miss.
fn taken(count: usize) -> Box<[Cell]> {
    let mut cells = Vec::<Cell>::with_capacity(count);
    let start = cells.as_mut_ptr().cast::<u8>();
    // Advice is about whole pages.
    let ahead = start.align_offset(HUGE_PAGE);
    let bytes = (count * CELL).saturating_sub(ahead) / HUGE_PAGE * HUGE_PAGE;
    if let (Some(first), true) = (NonNull::new(start.wrapping_add(ahead)), bytes > 0) {
        os::memory::ask_for_huge_pages(first, bytes);
    }
    cells.resize_with(count, Cell::default);
    cells.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_cache_line() {
        const { assert!(size_of::<Cell>() == CELL && align_of::<Cell>() == CELL) };
    }

    #[test]
    fn the_cap_is_never_exceeded_and_freed_cells_are_used_again() {
        for mib in [1, 2, 3] {
            let bytes = mib << 20;
            let arena = Arena::new(bytes);
            let mut magazine = Magazine::default();
            let all = arena.hand_out(&mut arena.lock(), &mut magazine, u32::MAX);
            assert_eq!(all, arena.capacity() - 1, "cell 0 is none");
            assert!(arena.bytes() <= bytes && arena.bytes() > bytes - 4096, "{}", arena.bytes());
            assert_eq!((magazine.count, arena.permille()), (all, 1000));
            assert_eq!(arena.hand_out(&mut arena.lock(), &mut Magazine::default(), 1), 0);
            arena.take_back(&mut magazine);
            assert_eq!(arena.lock().free_count, all);
            assert_eq!(arena.hand_out(&mut arena.lock(), &mut magazine, 5), 5);
            let first = magazine.pop(&arena).unwrap();
            magazine.push(&arena, first);
            assert_eq!(magazine.pop(&arena), Some(first));
        }
    }

    #[test]
    fn memory_is_taken_when_it_is_needed() {
        let arena = Arena::new(64 << 20);
        let before = arena.bytes();
        arena.hand_out(&mut arena.lock(), &mut Magazine::default(), 100);
        assert!(before < 1 << 16 && arena.bytes() <= before + SLAB * CELL);
        // The next slab is there before it is needed, not long before.
        let slabs = |arena: &Arena| (arena.bytes() - before) / (SLAB * CELL);
        for (fresh, there) in [(SLAB / 2 - 1, 1), (SLAB / 2, 2), (SLAB, 2), (2 * SLAB - 1, 3)] {
            arena.prepare_ahead(fresh as Index);
            assert_eq!(slabs(&arena), there, "{fresh}");
        }
        let small = Arena::new(1 << 20);
        small.hand_out(&mut small.lock(), &mut Magazine::default(), u32::MAX);
        small.prepare_ahead(small.capacity() - 1);
        assert!(small.bytes() <= 1 << 20);
    }
}
