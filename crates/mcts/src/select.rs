//! Which move a playout goes on with: PUCT.
//!
//! A move is worth Q + c·P·√N / (1 + n): its value, and more the likelier the net thinks it and the
//! less it was visited. Moves are kept likeliest first, and all that were never visited have the
//! same value, so the next new move is always the first of them: below the root the visited ones
//! are a prefix, and one walk over the children and one more edge decide.

use crate::arena::Index;
use crate::bounds::Outcome;
use crate::constants::{Constants, Exploration, Fpu, VirtualLoss};
use crate::edges::Edge;
use crate::node::Node;
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
    /// The last of the children there were; 0 if none.
    pub(crate) last: Index,
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
    draw: f64,
}

impl Terms {
    fn new(node: Node<'_>, exploration: Exploration, constants: &Constants, draw: f32) -> Self {
        let stats = node.stats();
        let draw = f64::from(draw);
        // Visits of the children; this playout itself does not count yet.
        let visits = (stats.visits + stats.in_flight).saturating_sub(1 + node.ends()) as f64;
        let value = 1.0 - stats.mean(1.0 - draw).unwrap_or(0.5);
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
        match self.exploration.fpu {
            Fpu::Loss => 0.0,
            Fpu::Visited { reduction } => self.value - reduction * visited.sqrt(),
            Fpu::Chosen { reduction } => (self.value - reduction * self.chosen.sqrt()).max(0.0),
        }
    }

    /// What a visited move is worth; `None` if it is proven to lose.
    #[inline]
    fn of_child(&self, child: Node<'_>, prior: f32, visited: f32) -> Option<f32> {
        let stats = child.stats();
        let all = stats.visits + stats.in_flight;
        let explore = self.scale * prior / (1 + all) as f32;
        let value = match child.bounds().outcome() {
            Some(Outcome::Win) => return None,
            Some(Outcome::Draw) => self.draw as f32,
            Some(Outcome::Loss) => 1.0,
            None => match self.virtual_loss {
                VirtualLoss::Loss if all > 0 => (stats.total(self.draw) / all as f64) as f32,
                VirtualLoss::VisitOnly if stats.visits > 0 => {
                    (stats.total(self.draw) / stats.visits as f64) as f32
                }
                _ => self.unvisited(visited),
            },
        };
        Some(value + explore)
    }
}

/// The best so far; the first of equals stays.
struct Best(Option<(f32, Pick)>);

impl Best {
    #[inline]
    fn offer(&mut self, worth: f32, pick: Pick) {
        if self.0.is_none_or(|(best, _)| worth > best) {
            self.0 = Some((worth, pick));
        }
    }
}

impl Tree {
    /// The move a playout goes on with below the root; `None` if every move is proven to lose.
    /// `draw` is what a draw is worth to the side to move.
    pub(crate) fn select(&self, node: Node<'_>, constants: &Constants, draw: f32) -> Option<Pick> {
        let terms = Terms::new(node, constants.inner, constants, draw);
        let mut best = Best(None);
        let mut edges = self.edges(node);
        let (mut child, mut last, mut visited, mut number) = (node.first_child(), 0, 0.0, 0);
        while child != 0 {
            let Some(edge) = edges.next() else { break };
            let node = self.node(child);
            debug_assert_eq!(node.edge(), number, "moves are visited in order");
            visited += edge.prior;
            if let Some(worth) = terms.of_child(node, edge.prior, visited) {
                best.offer(worth, Pick { edge, number, child, last: 0 });
            }
            (last, child, number) = (child, node.next_sibling(), number + 1);
        }
        if let Some(edge) = edges.next() {
            let worth = terms.unvisited(visited) + terms.scale * edge.prior;
            best.offer(worth, Pick { edge, number, child: 0, last });
        }
        best.0.map(|(_, pick)| pick)
    }

    /// The same at the root, where some moves may be left out and priors may be others.
    pub(crate) fn select_at_root(
        &self,
        node: Node<'_>,
        constants: &Constants,
        draw: f32,
        policy: &RootPolicy,
        scratch: &mut Vec<Index>,
    ) -> Option<Pick> {
        if let Some(gumbel) = &policy.gumbel {
            return self.select_by_gumbel(node, gumbel, draw);
        }
        let terms = Terms::new(node, constants.root, constants, draw);
        let count = node.moves().1;
        scratch.clear();
        scratch.resize(count, 0);
        let mut last = 0;
        let mut visited = 0.0;
        for child in self.children(node) {
            last = child;
            let number = self.node(child).edge();
            if let Some(place) = scratch.get_mut(number) {
                *place = child;
                visited += policy.prior(number);
            }
        }
        let mut best = Best(None);
        let mut lost = Best(None);
        for (number, edge) in self.edges(node).enumerate() {
            if !policy.allows(number) {
                continue;
            }
            let (child, prior) = (scratch[number], policy.playout_prior(number));
            let pick = Pick { edge: Edge { prior, ..edge }, number, child, last };
            let worth = if child == 0 {
                Some(terms.unvisited(visited) + terms.scale * prior)
            } else {
                terms.of_child(self.node(child), prior, visited)
            };
            match worth {
                Some(worth) => best.offer(worth, pick),
                None => lost.offer(0.0, pick),
            }
        }
        best.0.or(lost.0).map(|(_, pick)| pick)
    }
}
