//! The tree: nodes from the root down, kept from move to move.

use crate::arena::{Arena, Index, Magazine};
use crate::bounds::Bounds;
use crate::edges::{Edge, Edges};
use crate::node::{Gain, Node};
use rules::{Color, Move};

/// The tree of a search.
pub(crate) struct Tree {
    pub(crate) arena: Arena,
}

/// What a draw is worth, by colour: both together are worth a game.
pub(crate) type DrawScores = [f32; 2];

impl Tree {
    /// A tree that never takes more than so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { arena: Arena::new(bytes) }
    }

    #[inline]
    pub(crate) fn node(&self, index: Index) -> Node<'_> {
        self.arena.node(index)
    }

    /// The root; 0 if there is none.
    pub(crate) fn root(&self) -> Index {
        self.arena.lock().root
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.arena.clear();
    }

    /// Sees to it that there is a root and says which.
    pub(crate) fn ensure_root(&self) -> Index {
        let root = self.root();
        if root != 0 {
            return root;
        }
        let mut magazine = Magazine::default();
        self.arena.ensure(&mut magazine, 1);
        let root = magazine.pop(&self.arena).expect("an empty arena has cells");
        self.node(root).create();
        self.arena.take_back(&mut magazine);
        self.arena.lock().root = root;
        root
    }

    /// Goes on from the root by moves that were played and makes where they lead the root. What is
    /// not below it becomes garbage. If the moves were never visited everything is forgotten.
    pub(crate) fn follow(&self, moves: &[Move]) -> bool {
        for &mv in moves {
            let root = self.root();
            let Some(child) = (root != 0).then(|| self.child(root, mv)).flatten() else {
                self.clear();
                return false;
            };
            let mut store = self.arena.lock();
            self.arena.discard_children(&mut store, self.node(root), child);
            self.arena.discard(&mut store, root);
            store.root = child;
        }
        true
    }

    /// The moves of a node, likeliest first.
    #[inline]
    pub(crate) fn edges(&self, node: Node<'_>) -> Edges<'_> {
        Edges::new(&self.arena, node.moves())
    }

    /// Where a move leads, if it was visited.
    fn child(&self, index: Index, mv: Move) -> Option<Index> {
        let node = self.node(index);
        let number = self.edges(node).position(|edge| edge.mv == mv)?;
        Some(self.arena.child(node, number)).filter(|&child| child != 0)
    }

    /// The children of a node with their edges.
    pub(crate) fn visited(&self, index: Index) -> Vec<(Edge, Index)> {
        let node = self.node(index);
        let edges: Vec<Edge> = self.edges(node).collect();
        let pair = |(number, child): (usize, Index)| Some((*edges.get(number)?, child));
        self.arena.children(node).filter_map(pair).collect()
    }

    /// A playout is back: every node of its path learns what the last was worth to the side to move
    /// there, which is `turn`.
    pub(crate) fn back_up(
        &self,
        path: &[Index],
        turn: Color,
        (win, draw): (f32, f32),
        draw_scores: DrawScores,
    ) {
        let (mut turn, mut win) = (turn, win);
        if let Some(&last) = path.last() {
            self.node(last).count_end();
        }
        for &index in path.iter().rev() {
            // A node counts for the side that moved there.
            (turn, win) = (turn.opponent(), (1.0 - win - draw).max(0.0));
            let score = win + draw * draw_scores[turn.index()];
            self.node(index).credit(Gain { win, draw, score });
        }
    }

    /// A playout came to nothing.
    pub(crate) fn back_out(&self, path: &[Index]) {
        for &index in path.iter().rev() {
            self.node(index).leave();
        }
    }

    /// Something was proven about the last node of a path: what follows for those above?
    pub(crate) fn propagate(&self, path: &[Index]) {
        for &index in path.iter().rev().skip(1) {
            let node = self.node(index);
            let (_, moves) = node.moves();
            let mut seen = 0;
            let children = self.arena.children(node).map(|(_, child)| {
                seen += 1;
                self.node(child).bounds()
            });
            let children: Vec<Bounds> = children.collect();
            if !node.prove(Bounds::of_moves(children.into_iter(), seen == moves)) {
                return;
            }
        }
    }

    /// What must hold whenever nobody searches: how many nodes there are, or what is wrong.
    #[cfg(test)]
    pub(crate) fn check(&self) -> Result<usize, String> {
        let root = self.root();
        let mut nodes = 0;
        let mut open = if root == 0 { Vec::new() } else { vec![root] };
        while let Some(index) = open.pop() {
            nodes += 1;
            let node = self.node(index);
            let children: Vec<Index> = self.arena.children(node).map(|(_, child)| child).collect();
            let below: u64 = children.iter().map(|&child| self.node(child).visits()).sum();
            let stats = node.stats();
            if below + node.ends() != stats.visits {
                let ends = node.ends();
                return Err(format!("{index}: {ends} + {below} visits of {}", stats.visits));
            }
            if stats.in_flight != 0 {
                return Err(format!("{index}: {} in flight", stats.in_flight));
            }
            let state = node.state();
            if matches!(state, crate::node::State::Pending | crate::node::State::Collapsing) {
                return Err(format!("{index}: {state:?}"));
            }
            open.extend(children);
        }
        Ok(nodes)
    }
}
