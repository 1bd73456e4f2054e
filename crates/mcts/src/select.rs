//! Which move a playout goes on with: PUCT.
//!
//! A move is worth Q + c·P·√N / (1 + n): its value, and more the likelier the net thinks it and the
//! less it was visited. Moves are kept likeliest first, and all that were never visited have the
//! same value, so the next new move is always the first of them: below the root the visited ones
//! are a prefix, and one walk over the children and one more edge decide.
//!
//! This is where most of a playout's time goes. Cells of moves and of children are read in rows of
//! fifteen: what a row needs of its nodes is gathered first, each node independent of the others,
//! then all worths of the row are computed at once.

use crate::arena::{Cell, Index};
use crate::bounds::GameValue;
use crate::children;
use crate::constants::{Constants, Exploration, Fpu, VirtualLoss};
use crate::edges::{self, Edge, PER_CELL};
use crate::node::{Node, ONE};
use crate::root::RootPolicy;
use crate::tree::Tree;

/// Where a playout goes on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pick {
    pub(crate) edge: Edge,
    /// Number of the edge.
    pub(crate) number: usize,
    /// Where it leads, if it was visited; 0 if not.
    pub(crate) child: Index,
}

/// The terms of the formula that are the same for all moves of a node.
struct Terms {
    exploration: Exploration,
    virtual_loss: VirtualLoss,
    /// c·√N.
    scale: f32,
    /// Value of the node to the side to move.
    value: f32,
    /// Priors chosen so far, counted at every visit.
    chosen: f32,
    /// What a draw is worth to the side to move.
    draw: f32,
}

impl Terms {
    fn new(node: Node<'_>, exploration: Exploration, constants: &Constants, draw: f32) -> Self {
        let stats = node.stats();
        // Visits of the children; this playout itself does not count yet.
        let visits = (stats.visits + stats.in_flight).saturating_sub(1 + node.ends()) as f64;
        let value = 1.0 - stats.mean(1.0 - f64::from(draw)).unwrap_or(0.5);
        Self {
            exploration,
            virtual_loss: constants.virtual_loss,
            scale: exploration.at(visits) * (visits as f32).sqrt(),
            value: value as f32,
            chosen: node.priors(),
            draw,
        }
    }

    /// The value of a move never visited, where moves with so much prior were.
    fn unvisited(&self, visited: f32) -> f32 {
        self.exploration.fpu.unvisited(self.value, visited, self.chosen)
    }

    /// Puts a visited move into a row.
    #[inline]
    fn put_child(&self, row: &mut Row, at: usize, child: Node<'_>, prior: f32, visited: f32) {
        let seen = child.glance();
        let all = (seen.visits + seen.in_flight) as f32;
        (row.explore[at], row.tries[at]) = (self.scale * prior, 1.0 + all);
        let weight = match self.virtual_loss {
            VirtualLoss::Loss => all,
            VirtualLoss::VisitOnly => seen.visits as f32,
        };
        (row.value[at], row.weight[at]) = if let Some(outcome) = seen.outcome {
            let value = match outcome {
                GameValue::Win => LOSES,
                GameValue::Draw => self.draw,
                GameValue::Loss => 1.0,
            };
            (value, 1.0)
        } else if weight > 0.0 {
            let total = seen.wins as f32 + self.draw * seen.draws as f32;
            (total * (1.0 / ONE as f32), weight)
        } else {
            (self.unvisited(visited), 1.0)
        };
    }

    /// Puts a move never visited into a row.
    #[inline]
    fn put_new(&self, row: &mut Row, at: usize, prior: f32, visited: f32) {
        (row.value[at], row.weight[at]) = (self.unvisited(visited), 1.0);
        (row.explore[at], row.tries[at]) = (self.scale * prior, 1.0);
    }
}

/// The value of a move that is proven to lose, or is not there.
const LOSES: f32 = f32::NEG_INFINITY;
/// Places of a row: a power of two, so that it is computed without a rest.
const PLACES: usize = PER_CELL + 1;

/// What the worths of the moves of one cell are computed from: value / weight + explore / tries.
struct Row {
    value: [f32; PLACES],
    weight: [f32; PLACES],
    explore: [f32; PLACES],
    tries: [f32; PLACES],
}

impl Row {
    const EMPTY: Self = Self {
        value: [LOSES; PLACES],
        weight: [1.0; PLACES],
        explore: [0.0; PLACES],
        tries: [1.0; PLACES],
    };

    /// The greatest worth and the first place that has it.
    #[inline]
    fn best(&self) -> (f32, usize) {
        let mut worths = [0.0; PLACES];
        for (at, worth) in worths.iter_mut().enumerate() {
            *worth = self.value[at] / self.weight[at] + self.explore[at] / self.tries[at];
        }
        let mut most = [LOSES; 4];
        for four in worths.chunks_exact(4) {
            for (most, &worth) in most.iter_mut().zip(four) {
                *most = if worth > *most { worth } else { *most };
            }
        }
        let most = most.into_iter().fold(LOSES, f32::max);
        (most, worths.iter().position(|&worth| worth == most).unwrap_or(0))
    }
}

/// The best move so far: its worth, its number, the cell and the place where it stands.
#[derive(Clone, Copy)]
struct Best {
    worth: f32,
    number: usize,
    moves: Index,
    child: Index,
}

impl Best {
    const NONE: Self = Self { worth: LOSES, number: 0, moves: 0, child: 0 };
}

impl Tree {
    /// The move a playout goes on with below the root; `None` if every move is proven to lose.
    /// `draw` is what a draw is worth to the side to move.
    pub(crate) fn select(&self, node: Node<'_>, constants: &Constants, draw: f32) -> Option<Pick> {
        let terms = Terms::new(node, constants.inner, constants, draw);
        let (mut moves, count) = node.moves();
        let mut places = node.first_children();
        let (mut best, mut visited, mut number) = (Best::NONE, 0.0, 0);
        while number < count {
            let edges = self.arena.cell(moves);
            let many = PER_CELL.min(count - number);
            let next_moves = edges.link();
            let (mut row, mut seen, mut fetched) = (Row::EMPTY, [0; PLACES], 0);
            if places != 0 {
                let cell = self.arena.cell(places);
                places = children::next(cell);
                fetched = self.fetch(cell, many, &mut seen, &mut row);
                for (at, &child) in seen.iter().enumerate().take(fetched) {
                    let prior = edges::prior(edges, at);
                    visited += prior;
                    terms.put_child(&mut row, at, self.node(child), prior, visited);
                }
            }
            if fetched < many {
                terms.put_new(&mut row, fetched, edges::prior(edges, fetched), visited);
            }
            let (worth, first) = row.best();
            // The first of equals stays.
            if worth > best.worth {
                best = Best { worth, number: number + first, moves, child: seen[first] };
            }
            if fetched < many {
                break;
            }
            number += many;
            moves = next_moves;
        }
        self.pick(best)
    }

    /// Reads which children a cell has, up to the first that is missing, and of each the number of
    /// tries. Nothing else is done in this loop, so that the processor has all fifteen on their way
    /// from memory before it needs the first. (To ask for the row after it as well was slower on sixteen threads.)
    #[inline]
    fn fetch(&self, cell: &Cell, many: usize, seen: &mut [Index; PLACES], row: &mut Row) -> usize {
        for (at, (child, tries)) in seen.iter_mut().zip(&mut row.tries).enumerate().take(many) {
            *child = children::get(cell, at);
            if *child == 0 {
                return at;
            }
            *tries = self.node(*child).tries() as f32;
        }
        many
    }

    fn pick(&self, best: Best) -> Option<Pick> {
        let Best { number, moves, child, .. } = best;
        let edge = || edges::get(self.arena.cell(moves), number % PER_CELL);
        (moves != 0).then(|| Pick { edge: edge(), number, child })
    }

    /// The same at the root, where some moves may be left out and priors may be others. A move that
    /// is proven to lose is taken if there is no other.
    pub(crate) fn select_at_root(
        &self,
        node: Node<'_>,
        constants: &Constants,
        draw: f32,
        policy: &RootPolicy,
    ) -> Option<Pick> {
        if let Some(gumbel) = &policy.gumbel {
            return self.select_by_gumbel(node, gumbel, draw);
        }
        let terms = Terms::new(node, constants.root, constants, draw);
        let visited = match constants.root.fpu {
            Fpu::Visited { .. } => {
                self.arena.children(node).map(|(number, _)| policy.prior(number)).sum()
            }
            Fpu::Loss | Fpu::Chosen { .. } => 0.0,
        };
        let (mut moves, count) = node.moves();
        let mut places = node.first_children();
        let (mut best, mut lost, mut number) = (Best::NONE, Best::NONE, 0);
        while number < count {
            let cell = (places != 0).then(|| self.arena.cell(places));
            let (mut row, mut seen) = (Row::EMPTY, [0; PLACES]);
            for (at, child) in seen.iter_mut().enumerate().take(PER_CELL.min(count - number)) {
                if !policy.allows(number + at) {
                    continue;
                }
                let prior = policy.playout_prior(number + at);
                *child = cell.map_or(0, |cell| children::get(cell, at));
                if *child == 0 {
                    terms.put_new(&mut row, at, prior, visited);
                } else {
                    terms.put_child(&mut row, at, self.node(*child), prior, visited);
                }
                if lost.moves == 0 {
                    lost = Best { worth: LOSES, number: number + at, moves, child: *child };
                }
            }
            let (worth, first) = row.best();
            if worth > best.worth {
                best = Best { worth, number: number + first, moves, child: seen[first] };
            }
            number += PER_CELL;
            moves = self.arena.cell(moves).link();
            places = cell.map_or(0, children::next);
        }
        let mut pick = self.pick(if best.moves == 0 { lost } else { best })?;
        pick.edge.prior = policy.prior(pick.number);
        Some(pick)
    }
}
