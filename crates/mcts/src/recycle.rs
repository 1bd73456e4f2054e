//! Memory that comes back: where cells are taken from when there are none left.
//!
//! First cells that are free. Then garbage: subtrees cut off when the game went on, taken apart a
//! node at a time as their cells are needed, so that cutting them off costs nothing. Then cells
//! never used. Then the tree itself: a hand goes round the arena and gives up the subtree of every
//! node that no playout has passed since it came by the last time (the CLOCK rule for pages). Such
//! a node keeps its visits and its value and becomes a leaf again; only the moves below it are
//! forgotten. So the search goes on for ever within its cap.
//!
//! Who is inside a subtree is counted by `in_flight` in all nodes above him, and he looks at the
//! state after he has counted himself; the hand sets the state before it looks at the count. One of
//! the two sees the other, so that no node is freed under anybody.

use crate::arena::{Arena, Index, Magazine, Store};
use crate::node::{Node, State};

/// Cells a thread takes at once.
const MAGAZINE: u32 = 128;
/// Cells the hand ages ahead for every cell handed out, once half of the arena is in use.
const AGE_AHEAD: u32 = 2;

impl Arena {
    #[inline]
    pub(crate) fn node(&self, index: Index) -> Node<'_> {
        Node(self.cell(index))
    }

    /// Sees to it that a magazine has so many cells; says whether it has.
    #[inline]
    pub(crate) fn ensure(&self, magazine: &mut Magazine, cells: usize) -> bool {
        magazine.count as usize >= cells || self.refill(magazine, cells as u32)
    }

    #[cold]
    fn refill(&self, magazine: &mut Magazine, cells: u32) -> bool {
        // Small arenas must not end up in the magazines of many threads.
        let usual = MAGAZINE.min(self.capacity() / 512);
        let want = cells.max(usual).saturating_sub(magazine.count);
        let mut locked = self.lock();
        let store = &mut *locked;
        self.drain(store, want);
        self.age(store, want);
        if self.hand_out(store, magazine, want) < want && magazine.count < cells {
            let lacking = cells - magazine.count;
            self.sweep(store, lacking.max(usual));
            self.hand_out(store, magazine, lacking.max(usual));
        }
        let fresh = store.fresh;
        drop(locked);
        self.prepare_ahead(fresh);
        magazine.count >= cells
    }

    /// Adds a node, with all below it, to the garbage.
    pub(crate) fn discard(&self, store: &mut Store, index: Index) {
        self.cell(index).set_word(0, u64::from(store.garbage));
        store.garbage = index;
    }

    /// Cuts a node's children off and adds them to the garbage, but for one that is kept.
    pub(crate) fn discard_children(&self, store: &mut Store, node: Node<'_>, kept: Index) {
        let first = node.take_children();
        for (_, child) in self.children_from(first) {
            if child != kept {
                self.discard(store, child);
            }
        }
        if first != 0 {
            self.free_chain(store, first);
        }
    }

    /// Takes garbage apart until so many cells are free.
    fn drain(&self, store: &mut Store, want: u32) {
        while store.garbage != 0 && store.free_count < want {
            let index = store.garbage;
            let node = self.node(index);
            store.garbage = self.cell(index).word(0) as u32;
            self.discard_children(store, node, 0);
            self.free_moves(store, node);
            self.cell(index).set_link(0);
            self.free_chain(store, index);
        }
    }

    fn free_moves(&self, store: &mut Store, node: Node<'_>) {
        let (first, _) = node.moves();
        if first != 0 {
            self.free_chain(store, first);
        }
    }

    /// Lets the hand go ahead while there is still room, so that it need not go all the way round
    /// when there is none.
    fn age(&self, store: &mut Store, cells: u32) {
        if store.fresh < self.capacity() / 2 || store.fresh >= self.capacity() {
            return;
        }
        for _ in 0..AGE_AHEAD * cells {
            let node = self.advance(store);
            if node.is_node() {
                node.was_recent();
            }
        }
    }

    /// The next cell that was ever used.
    fn advance(&self, store: &mut Store) -> Node<'_> {
        store.hand = if store.hand + 1 < store.fresh { store.hand + 1 } else { 1 };
        self.node(store.hand)
    }

    /// Gives up subtrees until so many cells are free. Goes round twice at most: after that only
    /// what is in use is left.
    fn sweep(&self, store: &mut Store, want: u32) {
        let mut left = 2 * u64::from(store.fresh);
        while store.free_count < want && left > 0 {
            left -= 1;
            let node = self.advance(store);
            if node.is_node()
                && store.hand != store.root
                && node.state() == State::Expanded
                && !node.was_recent()
                && self.collapse(store, node)
            {
                self.drain(store, want);
            }
        }
    }

    /// Makes a node a leaf again, unless somebody is there.
    fn collapse(&self, store: &mut Store, node: Node<'_>) -> bool {
        if node.in_flight() > 0 || !node.change(State::Expanded, State::Collapsing) {
            return false;
        }
        if node.in_flight() > 0 {
            node.change(State::Collapsing, State::Expanded);
            return false;
        }
        self.discard_children(store, node, 0);
        self.free_moves(store, node);
        node.set_moves(0, 0);
        node.forget_priors();
        node.adopt_visits();
        node.change(State::Collapsing, State::New);
        store.recycled += 1;
        true
    }
}
