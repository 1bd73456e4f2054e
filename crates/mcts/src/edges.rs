//! The moves of a node: a chain of cells, fifteen moves in each, likeliest first.
//!
//! An edge is 32 bits: the move, and its prior as a small float (5 bits of exponent, 11 of
//! fraction: priors down to 2⁻³¹ keep four digits). Children are not named: the n-th child visited
//! says which edge it belongs to.

use crate::arena::{Arena, Cell, Index, Magazine};
use rules::Move;

/// Edges in a cell.
pub(crate) const PER_CELL: usize = 15;

/// A move and how likely the net thinks it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Edge {
    pub mv: Move,
    pub prior: f32,
}

/// The packed edge at a place of a cell of moves.
#[inline]
fn packed(cell: &Cell, at: usize) -> u32 {
    let (word, shift) = if at + 1 == PER_CELL { (7, 32) } else { (at / 2, at as u32 % 2 * 32) };
    (cell.word(word) >> shift) as u32
}

/// The edge at a place of a cell of moves.
#[inline]
pub(crate) fn get(cell: &Cell, at: usize) -> Edge {
    Edge::unpack(packed(cell, at))
}

/// The prior at a place of a cell of moves.
#[inline]
pub(crate) fn prior(cell: &Cell, at: usize) -> f32 {
    unpack_prior(packed(cell, at))
}

#[inline]
fn unpack_prior(bits: u32) -> f32 {
    let small = bits & 0xffff;
    if small == 0 { 0.0 } else { f32::from_bits((small << SHIFT) + EXPONENT) }
}

/// The exponent that the small float counts from: that of 2⁻³¹, in place.
const EXPONENT: u32 = 96 << 23;
const SHIFT: u32 = 12;

impl Edge {
    fn pack(self) -> u32 {
        let bits = self.prior.clamp(0.0, 1.0).to_bits() + (1 << (SHIFT - 1));
        u32::from(self.mv.bits()) << 16 | bits.saturating_sub(EXPONENT) >> SHIFT
    }

    #[inline]
    fn unpack(bits: u32) -> Self {
        let mv = Move::from_bits_unchecked((bits >> 16) as u16);
        Self { mv, prior: unpack_prior(bits) }
    }
}

/// Puts the moves of a position in order; its buffers are used again.
#[derive(Debug, Default)]
pub struct MoveOrder {
    weights: Vec<f32>,
    keys: Vec<u64>,
    edges: Vec<Edge>,
}

impl MoveOrder {
    /// Moves with their priors, likeliest first: a softmax of the logits.
    pub fn order(&mut self, logits: &[f32], moves: &[Move], temperature: f32) -> &[Edge] {
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        self.weights.clear();
        self.weights.extend(logits.iter().map(|logit| ((logit - most) / temperature).exp()));
        let part = 1.0 / self.weights.iter().sum::<f32>();
        self.keys.clear();
        // Positive floats are ordered as their bits are; of equals the first move stays first.
        self.keys.extend(
            self.weights.iter().enumerate().map(|(number, weight)| {
                u64::from(!(weight * part).to_bits()) << 32 | number as u64
            }),
        );
        self.keys.sort_unstable();
        self.edges.clear();
        self.edges.extend(self.keys.iter().map(|&key| Edge {
            mv: moves[key as u32 as usize],
            prior: f32::from_bits(!((key >> 32) as u32)),
        }));
        &self.edges
    }
}

/// Cells that so many moves take.
pub(crate) const fn cells(moves: usize) -> usize {
    moves.div_ceil(PER_CELL)
}

/// Writes moves into cells of the magazine; `None` if it has too few.
pub(crate) fn write(arena: &Arena, magazine: &mut Magazine, edges: &[Edge]) -> Option<Index> {
    if (magazine.count as usize) < cells(edges.len()) {
        return None;
    }
    let mut next = 0;
    for chunk in edges.chunks(PER_CELL).rev() {
        let index = magazine.pop(arena)?;
        let cell = arena.cell(index);
        let mut packed = [0; PER_CELL + 1];
        for (place, edge) in packed.iter_mut().zip(chunk) {
            *place = edge.pack();
        }
        for (word, pair) in packed.chunks(2).enumerate().take(7) {
            cell.set_word(word, u64::from(pair[0]) | u64::from(pair[1]) << 32);
        }
        cell.set_word(7, u64::from(next) | u64::from(packed[PER_CELL - 1]) << 32);
        next = index;
    }
    Some(next)
}

/// The moves of a node, in order.
pub(crate) struct Edges<'a> {
    arena: &'a Arena,
    cell: Index,
    at: usize,
    left: usize,
}

impl<'a> Edges<'a> {
    /// From what [`crate::node::Node::moves`] says.
    #[inline]
    pub(crate) fn new(arena: &'a Arena, (cell, count): (Index, usize)) -> Self {
        Self { arena, cell, at: 0, left: count }
    }
}

impl Iterator for Edges<'_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        if self.left == 0 {
            return None;
        }
        let cell = self.arena.cell(self.cell);
        let edge = get(cell, self.at);
        self.at += 1;
        if self.at == PER_CELL {
            self.at = 0;
            self.cell = cell.link();
        }
        self.left -= 1;
        Some(edge)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Kind, Square};

    #[test]
    fn priors_keep_four_digits() {
        let mv = Move::drop(Kind::Pawn, Square::new(44));
        for prior in [1.0, 0.9999, 0.5, 0.123_456, 1e-3, 7.7e-6, 1e-9] {
            let back = Edge::unpack(Edge { mv, prior }.pack());
            assert!((back.prior - prior).abs() <= prior * 3e-4, "{prior} is {}", back.prior);
            assert_eq!(back.mv, mv);
        }
        assert_eq!(Edge::unpack(Edge { mv, prior: 0.0 }.pack()).prior, 0.0);
        assert_eq!(Edge::unpack(Edge { mv, prior: 7.0 }.pack()).prior, 1.0);
    }

    #[test]
    fn chains_of_any_length_are_read_as_written() {
        let arena = Arena::new(1 << 20);
        for count in [0, 1, 14, 15, 16, 30, 31, 593] {
            let mut magazine = Magazine::default();
            arena.hand_out(&mut arena.lock(), &mut magazine, cells(count) as u32);
            let edge = |i: usize| Edge {
                mv: Move::board(Square::new(i % 81), Square::new(i / 81), i % 2 == 1),
                prior: 1.0 / (1 << (i % 16)) as f32,
            };
            let all: Vec<Edge> = (0..count).map(edge).collect();
            let first = write(&arena, &mut magazine, &all).unwrap();
            assert_eq!(magazine.count, 0);
            let read: Vec<Edge> = Edges::new(&arena, (first, count)).collect();
            assert_eq!(read, all);
            if first != 0 {
                arena.free_chain(&mut arena.lock(), first);
            }
            let store = arena.lock();
            assert_eq!(store.free_count, store.fresh - 1, "everything is free again");
        }
    }
}
