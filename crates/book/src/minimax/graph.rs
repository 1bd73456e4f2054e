//! A book as a graph: one node for a position and its twin, edges to whatever is in the book too.

use crate::BookError;
use crate::bytes::ReadAt;
use rules::Move;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};

/// No node: the move leads out of the book.
pub(crate) const OUTSIDE: u32 = u32::MAX;
/// No value: nobody has looked at the move.
pub(crate) const UNKNOWN: i16 = i16::MIN;

/// A move of a node, always from Black's side of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    /// The node it leads to, or [`OUTSIDE`].
    pub(crate) to: u32,
    pub(crate) mv: Move,
    /// The value somebody gave it, for the side to move, or [`UNKNOWN`].
    pub(crate) value: i16,
}

impl Edge {
    /// Bytes of an edge in a file.
    pub(crate) const SIZE: usize = 8;

    pub(crate) fn bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..4].copy_from_slice(&self.to.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.mv.bits().to_le_bytes());
        bytes[6..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    pub(crate) fn of_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        let [a, b, c, d, e, f, g, h] = *bytes;
        Self {
            to: u32::from_le_bytes([a, b, c, d]),
            mv: Move::from_bits_unchecked(u16::from_le_bytes([e, f])),
            value: i16::from_le_bytes([g, h]),
        }
    }
}

/// Where edges are.
#[derive(Debug)]
enum Store {
    Memory(Vec<Edge>),
    /// Too many for memory: read where they lie. What went wrong in reading is kept until somebody asks.
    File(File, Mutex<Option<io::Error>>),
}

/// Nodes with their edges, in one list.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Where the edges of each node begin; one more than there are nodes. In a file edges are counted as if they stood
    /// one after the other; [`Self::HEAD`] bytes stand before those of each node.
    starts: Vec<u64>,
    edges: Store,
    /// Whether the side to move is in check, a bit a node.
    checks: Vec<u64>,
    /// Whether it is mated.
    mates: Vec<u64>,
}

impl Graph {
    /// Bytes before the edges of a node in a file.
    pub(crate) const HEAD: usize = 2;

    pub(crate) const fn new() -> Self {
        Self::with(Vec::new(), Store::Memory(Vec::new()))
    }

    /// A graph whose edges lie in a file; its nodes are told by [`Self::note`].
    pub(crate) fn in_file(file: File) -> Self {
        Self::with(Vec::new(), Store::File(file, Mutex::new(None)))
    }

    const fn with(starts: Vec<u64>, edges: Store) -> Self {
        Self { starts, edges, checks: Vec::new(), mates: Vec::new() }
    }

    /// There will be so many: no memory is asked for twice.
    pub(crate) fn reserve(&mut self, nodes: usize, edges: usize) {
        self.starts.reserve_exact(nodes + 1);
        if let Store::Memory(list) = &mut self.edges {
            list.reserve_exact(edges);
        }
    }

    /// Adds a node; they are numbered from 0.
    pub(crate) fn push(&mut self, edges: &[Edge], in_check: bool, mated: bool) {
        self.note(edges.len(), in_check, mated);
        if let Store::Memory(list) = &mut self.edges {
            list.extend(edges);
        }
    }

    /// Adds a node whose edges are in the file.
    pub(crate) fn note(&mut self, edges: usize, in_check: bool, mated: bool) {
        let node = self.len();
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        if node.is_multiple_of(64) {
            self.checks.push(0);
            self.mates.push(0);
        }
        self.checks[node / 64] |= u64::from(in_check) << (node % 64);
        self.mates[node / 64] |= u64::from(mated) << (node % 64);
        self.starts.push(self.edge_count() as u64 + edges as u64);
    }

    pub(crate) const fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0) as usize
    }

    pub(crate) fn edges(&self, node: u32) -> Cow<'_, [Edge]> {
        let index = node as usize;
        let (start, end) = (self.starts[index] as usize, self.starts[index + 1] as usize);
        match &self.edges {
            Store::Memory(edges) => Cow::Borrowed(&edges[start..end]),
            Store::File(file, failed) => {
                let mut bytes = vec![0; (end - start) * Edge::SIZE];
                let at = start * Edge::SIZE + (index + 1) * Self::HEAD;
                if let Err(error) = file.read_at(at as u64, &mut bytes) {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    return Cow::Owned(Vec::new());
                }
                Cow::Owned(bytes.as_chunks().0.iter().map(Edge::of_bytes).collect())
            }
        }
    }

    /// What went wrong in reading edges, if anything did.
    pub(crate) fn check(&self) -> Result<(), BookError> {
        match &self.edges {
            Store::Memory(_) => Ok(()),
            Store::File(_, failed) => {
                let failed = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
                failed.map_or(Ok(()), |error| Err(error.into()))
            }
        }
    }

    pub(crate) fn in_check(&self, node: u32) -> bool {
        self.checks[node as usize / 64] >> (node % 64) & 1 == 1
    }

    pub(crate) fn is_mated(&self, node: u32) -> bool {
        self.mates[node as usize / 64] >> (node % 64) & 1 == 1
    }
}

/// Strongly connected components: sets of nodes that can all reach each other, those that are reached
/// before those that reach them. Tarjan's algorithm, with a stack of its own.
pub(crate) struct Components {
    /// The nodes, component by component.
    order: Vec<u32>,
    /// Where each component begins; one more than there are components.
    starts: Vec<u32>,
}

impl Components {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut tarjan = Tarjan {
            graph,
            number: vec![0; graph.len()],
            low: vec![0; graph.len()],
            count: 0,
            stack: Vec::new(),
            path: Vec::new(),
            found: Self { order: Vec::with_capacity(graph.len()), starts: vec![0] },
        };
        for node in 0..graph.len() as u32 {
            if tarjan.number[node as usize] == 0 {
                tarjan.visit(node);
            }
        }
        tarjan.found
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|w| &self.order[w[0] as usize..w[1] as usize])
    }
}

struct Tarjan<'a> {
    graph: &'a Graph,
    /// When a node was met, from 1; [`DONE`] once its component is known.
    number: Vec<u32>,
    low: Vec<u32>,
    count: u32,
    stack: Vec<u32>,
    /// Nodes being visited, with how many of their edges have been followed.
    path: Vec<(u32, u32)>,
    found: Components,
}

/// In a component that is complete.
const DONE: u32 = u32::MAX;

impl Tarjan<'_> {
    fn enter(&mut self, node: u32) {
        self.count += 1;
        self.number[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.stack.push(node);
        self.path.push((node, 0));
    }

    fn visit(&mut self, root: u32) {
        self.enter(root);
        let graph = self.graph;
        // Edges in a file are read once for each time one comes to a node.
        let mut held = (root, graph.edges(root));
        while let Some(&mut (node, ref mut followed)) = self.path.last_mut() {
            if held.0 != node {
                held = (node, graph.edges(node));
            }
            let edge = held.1.get(*followed as usize);
            *followed += 1;
            match edge.map(|edge| edge.to) {
                None => self.leave(node),
                Some(OUTSIDE) => {}
                Some(to) => match self.number[to as usize] {
                    0 => self.enter(to),
                    DONE => {}
                    met => self.low[node as usize] = self.low[node as usize].min(met),
                },
            }
        }
    }

    fn leave(&mut self, node: u32) {
        self.path.pop();
        let low = self.low[node as usize];
        if let Some(&(parent, _)) = self.path.last() {
            self.low[parent as usize] = self.low[parent as usize].min(low);
        }
        if low != self.number[node as usize] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.number[member as usize] = DONE;
            self.found.order.push(member);
            if member == node {
                break;
            }
        }
        self.found.starts.push(self.found.order.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[u32]]) -> Graph {
        let mut graph = Graph::new();
        for list in edges {
            let edge = |&to: &u32| Edge { to, mv: Move::NONE, value: UNKNOWN };
            graph.push(&list.iter().map(edge).collect::<Vec<_>>(), false, false);
        }
        graph
    }

    #[test]
    fn components_come_after_what_they_reach() {
        let graph = graph(&[&[1, 3], &[2, OUTSIDE], &[1], &[4], &[0, 5], &[]]);
        let found = Components::of(&graph);
        let found: Vec<Vec<u32>> = found
            .iter()
            .map(|component| {
                let mut component = component.to_vec();
                component.sort_unstable();
                component
            })
            .collect();
        assert_eq!(found, [vec![1, 2], vec![5], vec![0, 3, 4]]);
    }

    #[test]
    fn a_line_of_a_million_plies_needs_no_deep_stack() {
        let mut graph = Graph::new();
        for node in 0..1_000_000u32 {
            let to = if node == 999_999 { 0 } else { node + 1 };
            graph.push(&[Edge { to, mv: Move::NONE, value: UNKNOWN }], false, false);
        }
        assert_eq!(Components::of(&graph).iter().count(), 1);
    }
}
