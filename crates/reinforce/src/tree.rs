//! A small tree, of one move of one game: thousands of them are in memory at once.
//!
//! What is known of a move stands in its link, beside those of the other moves, so that choosing
//! touches one stretch of memory. The formula and its numbers are room `mcts`'.

use mcts::constants::Exploration;
use mcts::{Bounds, Edge, GameValue};
use rules::Move;

/// A position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Number of its first link.
    first: u32,
    count: u16,
    pub(crate) state: State,
    pub(crate) bounds: Bounds,
    pub(crate) visits: u32,
    /// Sum of the values of its visits, to the side to move.
    total: f32,
    /// Priors chosen, counted at every visit.
    chosen: f32,
}

/// How far a position is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    New,
    /// It has its links.
    Open,
    /// The line repeats itself here: nothing is proven, and nothing is gained by reading on.
    Ended(GameValue),
}

/// A move, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) mv: Move,
    /// What the position behind it is proven to be, to the side to move there.
    pub(crate) outcome: Option<GameValue>,
    pub(crate) prior: f32,
    /// The position behind it; 0 until it is visited.
    child: u32,
    pub(crate) visits: u32,
    /// Sum of the values of its visits, to the side that plays it.
    total: f32,
}

impl Link {
    /// Value to the side that plays it, if it was visited.
    pub(crate) fn value(&self) -> Option<f32> {
        match self.outcome {
            Some(GameValue::Win) => Some(0.0),
            Some(GameValue::Draw) => Some(0.5),
            Some(GameValue::Loss) => Some(1.0),
            None => (self.visits > 0).then(|| self.total / self.visits as f32),
        }
    }

    /// Whether it is proven to lose.
    pub(crate) fn loses(&self) -> bool {
        self.outcome == Some(GameValue::Win)
    }
}

/// A step of a playout: the position, and the number of the move played in it.
pub(crate) type Step = (u32, u16);

/// The root is the first node.
pub(crate) const ROOT: u32 = 0;

/// A tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    links: Vec<Link>,
}

impl Tree {
    /// Begins anew with a root nobody knows.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.links.clear();
        self.add();
    }

    fn add(&mut self) -> u32 {
        self.nodes.push(Node {
            first: 0,
            count: 0,
            state: State::New,
            bounds: Bounds::OPEN,
            visits: 0,
            total: 0.0,
            chosen: 0.0,
        });
        self.nodes.len() as u32 - 1
    }

    pub(crate) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    pub(crate) fn set_state(&mut self, index: u32, state: State) {
        self.nodes[index as usize].state = state;
    }

    /// The moves of a node, likeliest first (at the root as they were before noise).
    pub(crate) fn links(&self, index: u32) -> &[Link] {
        let node = self.node(index);
        &self.links[node.first as usize..][..usize::from(node.count)]
    }

    pub(crate) fn root_links_mut(&mut self) -> &mut [Link] {
        let node = self.nodes[ROOT as usize];
        &mut self.links[node.first as usize..][..usize::from(node.count)]
    }

    /// Value of a node to the side to move.
    pub(crate) fn value(&self, index: u32) -> f32 {
        let node = self.node(index);
        if node.visits == 0 { 0.5 } else { node.total / node.visits as f32 }
    }

    /// Gives a node its moves.
    pub(crate) fn open(&mut self, index: u32, edges: &[Edge]) {
        let first = self.links.len() as u32;
        self.links.extend(edges.iter().map(|edge| Link {
            mv: edge.mv,
            outcome: None,
            prior: edge.prior,
            child: 0,
            visits: 0,
            total: 0.0,
        }));
        let node = &mut self.nodes[index as usize];
        (node.first, node.count, node.state) = (first, edges.len() as u16, State::Open);
    }

    /// The move a playout goes on with below the root, where the visited moves come first: Q + c·P·√N /
    /// (1 + n). `None` if every move is proven to lose.
    pub(crate) fn select(&self, index: u32, exploration: &Exploration) -> Option<u16> {
        self.choose(index, exploration, false)
    }

    /// The same at the root, where any move may have been visited.
    pub(crate) fn select_at_root(&self, exploration: &Exploration) -> Option<u16> {
        self.choose(ROOT, exploration, true)
    }

    fn choose(&self, index: u32, exploration: &Exploration, all: bool) -> Option<u16> {
        let node = self.node(index);
        let visits = node.visits.saturating_sub(1);
        let scale = exploration.at(f64::from(visits)) * (visits as f32).sqrt();
        let links = self.links(index);
        let value = self.value(index);
        let mut visited = if all { visited_prior(links) } else { 0.0 };
        let (mut best, mut most) = (None, f32::NEG_INFINITY);
        for (number, link) in links.iter().enumerate() {
            let worth = if link.visits == 0 {
                exploration.fpu.unvisited(value, visited, node.chosen) + scale * link.prior
            } else {
                if !all {
                    visited += link.prior;
                }
                if link.loses() {
                    continue;
                }
                link.value().unwrap_or(0.0) + scale * link.prior / (1 + link.visits) as f32
            };
            if worth > most {
                (best, most) = (Some(number as u16), worth);
            }
            if link.visits == 0 && !all {
                break;
            }
        }
        best
    }

    /// Goes along a move; a position nobody has seen is made.
    pub(crate) fn follow(&mut self, index: u32, number: u16) -> u32 {
        let at = self.nodes[index as usize].first as usize + usize::from(number);
        let prior = self.links[at].prior;
        self.nodes[index as usize].chosen += prior;
        if self.links[at].child == 0 {
            self.links[at].child = self.add();
        }
        self.links[at].child
    }

    /// Adds the value of a leaf, to the side to move there, to all positions and moves of a path.
    pub(crate) fn back_up(&mut self, path: &[Step], leaf: u32, mut value: f32) {
        let node = &mut self.nodes[leaf as usize];
        node.visits += 1;
        node.total += value;
        for &(index, number) in path.iter().rev() {
            value = 1.0 - value;
            let node = &mut self.nodes[index as usize];
            node.visits += 1;
            node.total += value;
            let link = &mut self.links[node.first as usize + usize::from(number)];
            link.visits += 1;
            link.total += value;
        }
    }

    /// Something is proven about a leaf: what follows for the positions before it.
    pub(crate) fn prove(&mut self, path: &[Step], leaf: u32, bounds: Bounds) {
        self.nodes[leaf as usize].bounds = bounds;
        let mut outcome = bounds.outcome();
        for &(index, number) in path.iter().rev() {
            if outcome.is_none() {
                return;
            }
            let node = self.nodes[index as usize];
            self.links[node.first as usize + usize::from(number)].outcome = outcome;
            let links = self.links(index);
            let known = |link: &Link| match link.child {
                0 => Bounds::OPEN,
                child => self.node(child).bounds,
            };
            let all = links.iter().all(|link| link.child != 0);
            let followed = node.bounds.and(Bounds::of_moves(links.iter().map(known), all));
            self.nodes[index as usize].bounds = followed;
            outcome = followed.outcome();
        }
    }

    /// The plies to the end behind a move, where that is proven.
    pub(crate) fn plies(&self, link: &Link) -> u16 {
        if link.child == 0 { 0 } else { self.node(link.child).bounds.plies }
    }

    /// Makes the position behind a move of the root the new root; everything else goes. Where that
    /// position has no moves yet the tree begins anew.
    pub(crate) fn go_on(&mut self, number: u16, spare: &mut Self) {
        let child = self.links(ROOT)[usize::from(number)].child;
        if child == 0 || self.node(child).state != State::Open {
            return self.clear();
        }
        spare.nodes.clear();
        spare.links.clear();
        spare.nodes.push(*self.node(child));
        let mut done = 0;
        // Breadth first: a node that was copied still points at the old links until its turn.
        while done < spare.nodes.len() {
            let node = spare.nodes[done];
            let first = spare.links.len() as u32;
            let old = &self.links[node.first as usize..][..usize::from(node.count)];
            for link in old {
                let mut link = *link;
                if link.child != 0 {
                    spare.nodes.push(*self.node(link.child));
                    link.child = spare.nodes.len() as u32 - 1;
                }
                spare.links.push(link);
            }
            spare.nodes[done].first = first;
            done += 1;
        }
        std::mem::swap(self, spare);
    }
}

fn visited_prior(links: &[Link]) -> f32 {
    links.iter().filter(|link| link.visits > 0).map(|link| link.prior).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcts::Constants;
    use rules::{Kind, Square};

    fn edges(priors: &[f32]) -> Vec<Edge> {
        let mv = |at| Move::drop(Kind::Gold, Square::new(at));
        priors.iter().enumerate().map(|(at, &prior)| Edge { mv: mv(at), prior }).collect()
    }

    /// One playout whose leaf is worth so much by the square its first move goes to.
    fn playout(tree: &mut Tree, worth: impl Fn(usize) -> f32) {
        let exploration = Constants::LC0.inner;
        let (mut index, mut path): (u32, Vec<Step>) = (ROOT, Vec::new());
        while tree.node(index).state == State::Open {
            let number = tree.select(index, &exploration).unwrap();
            path.push((index, number));
            index = tree.follow(index, number);
        }
        let first = path.first().map_or(0, |&(_, number)| usize::from(number));
        let value = worth(first);
        tree.open(index, &edges(&[0.5, 0.3, 0.2]));
        let value = if path.len() % 2 == 1 { 1.0 - value } else { value };
        tree.back_up(&path, index, value);
    }

    fn grown(playouts: usize) -> Tree {
        let mut tree = Tree::default();
        tree.clear();
        for _ in 0..playouts {
            playout(&mut tree, |first| [0.4, 0.9, 0.1][first]);
        }
        tree
    }

    /// Visits = one for its own evaluation + those of its moves, everywhere.
    fn check(tree: &Tree) {
        for index in 0..tree.nodes.len() as u32 {
            let node = tree.node(index);
            let below: u32 = tree.links(index).iter().map(|link| link.visits).sum();
            assert_eq!(node.visits, below + 1, "node {index}");
            for link in tree.links(index).iter().filter(|link| link.child != 0) {
                assert_eq!(tree.node(link.child).visits, link.visits);
                let both = tree.value(link.child) + link.value().unwrap();
                assert!((both - 1.0).abs() < 1e-5, "{both}");
            }
        }
    }

    #[test]
    fn visits_add_up_and_go_to_the_better_move() {
        let tree = grown(200);
        check(&tree);
        let visits: Vec<u32> = tree.links(ROOT).iter().map(|link| link.visits).collect();
        assert!(visits[1] > visits[0] && visits[0] > visits[2], "{visits:?}");
        assert_eq!(visits.iter().sum::<u32>(), 199);
    }

    #[test]
    fn the_next_move_keeps_what_was_read_below_it() {
        let (mut tree, mut spare) = (grown(200), Tree::default());
        let visits = tree.links(ROOT)[1].visits;
        let reply: Vec<u32> = {
            let child = tree.links(ROOT)[1].child;
            tree.links(child).iter().map(|link| link.visits).collect()
        };
        tree.go_on(1, &mut spare);
        check(&tree);
        assert_eq!(tree.node(ROOT).visits, visits);
        let kept: Vec<u32> = tree.links(ROOT).iter().map(|link| link.visits).collect();
        assert_eq!(kept, reply);
        assert!(tree.nodes.len() < 200);
        // What was never visited has nothing to keep.
        let mut fresh = grown(1);
        fresh.go_on(0, &mut spare);
        assert_eq!((fresh.nodes.len(), fresh.node(ROOT).visits), (1, 0));
    }

    #[test]
    fn proofs_go_up_and_lost_moves_are_left_out() {
        let mut tree = grown(1);
        let second = tree.follow(ROOT, 1);
        tree.prove(&[(ROOT, 1)], second, Bounds::win(1));
        tree.back_up(&[(ROOT, 1)], second, 1.0);
        assert!(tree.links(ROOT)[1].loses() && tree.node(ROOT).bounds.outcome().is_none());
        for _ in 0..50 {
            playout(&mut tree, |_| 0.0);
        }
        assert_eq!(tree.links(ROOT)[1].visits, 1, "nobody tries it again");
        let first = tree.follow(ROOT, 0);
        tree.prove(&[(ROOT, 0)], first, Bounds::loss(2));
        assert_eq!(tree.node(ROOT).bounds, Bounds::win(3));
        assert_eq!(tree.plies(&tree.links(ROOT)[0]), 2);
    }
}
