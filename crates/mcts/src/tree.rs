//! The tree: nodes from the root down, kept from move to move.

use crate::arena::{Arena, Index, Magazine};
use crate::bounds::{Bounds, GameValue};
use crate::edges::{Edge, Edges};
use crate::node::{Credit, Gain, News, Node, ONE};
use rules::{Color, Move};

/// The tree of a search.
pub(crate) struct Tree {
    pub(crate) arena: Arena,
}

/// Nodes of a line, from the root on, for which credits are held back.
const HELD: usize = 3;

/// What playouts bring the first nodes of one line, held back by a thread that has several of them to write.
/// Lines have their beginnings in common, and the nodes there are everybody's: all threads wait for their
/// turn to write them, so that each does it once for several playouts.
#[derive(Default)]
pub(crate) struct Credits(Vec<(Index, Credit)>);

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
    /// there, which is `turn`. That is written when the next line has left the node, or with
    /// [`Tree::settle`].
    pub(crate) fn back_up(
        &self,
        credits: &mut Credits,
        path: &[Index],
        turn: Color,
        (win, draw): (f32, f32),
        draw_scores: DrawScores,
    ) {
        let (mut turn, mut win) = (turn, win);
        let Some(&last) = path.last() else { return };
        self.node(last).count_end();
        let mut gain = || {
            // A node counts for the side that moved there.
            (turn, win) = (turn.opponent(), (1.0 - win - draw).max(0.0));
            Gain { win, draw, score: win + draw * draw_scores[turn.index()] }
        };
        let (first, rest) = path.split_at(path.len().min(HELD));
        for &index in rest.iter().rev() {
            self.node(index).credit(Credit::of(gain()));
        }
        let shared = credits.0.iter().zip(first).take_while(|((node, _), index)| node == *index);
        let shared = shared.count();
        self.write(credits, shared);
        credits.0.extend(first[shared..].iter().map(|&index| (index, Credit::default())));
        for (_, credit) in credits.0.iter_mut().rev() {
            credit.add(gain());
        }
    }

    /// Writes everything that is held back.
    pub(crate) fn settle(&self, credits: &mut Credits) {
        self.write(credits, 0);
    }

    /// Writes what is held back beyond the first nodes of the line.
    fn write(&self, credits: &mut Credits, kept: usize) {
        for (index, credit) in credits.0.drain(kept..).rev() {
            self.node(index).credit(credit);
        }
    }

    /// A playout came to nothing.
    pub(crate) fn back_out(&self, path: &[Index]) {
        for &index in path.iter().rev() {
            self.node(index).leave();
        }
    }

    /// Something is proven about the last node of a path; says whether that is new.
    pub(crate) fn prove(&self, path: &[Index], found: Bounds) -> bool {
        let Some(&last) = path.last() else { return false };
        let news = self.node(last).prove(found);
        if news == News::Settled {
            self.correct(path);
        }
        if news != News::None {
            self.propagate(path);
        }
        news != News::None
    }

    /// Something was proven about the last node of a path: what follows for those above?
    pub(crate) fn propagate(&self, path: &[Index]) {
        for end in (1..path.len()).rev() {
            let node = self.node(path[end - 1]);
            let (_, moves) = node.moves();
            let mut seen = 0;
            let children = self.arena.children(node).map(|(_, child)| {
                seen += 1;
                self.node(child).bounds()
            });
            let children: Vec<Bounds> = children.collect();
            match node.prove(Bounds::of_moves(children.into_iter(), seen == moves)) {
                News::None => return,
                News::Tighter => {}
                News::Settled => self.correct(&path[..end]),
            }
        }
    }

    /// The last node of a path is settled: its visits count as what is proven, and those above are
    /// corrected by the difference. A move that loses is not played: there its visits count as what
    /// its siblings are worth in the mean, or as they did if it has none.
    fn correct(&self, path: &[Index]) {
        let Some((&last, above)) = path.split_last() else { return };
        let node = self.node(last);
        let (stats, Some(outcome)) = (node.stats(), node.bounds().outcome()) else { return };
        if stats.visits == 0 {
            return;
        }
        // A node counts for the side that moved there.
        let (win, draw) = outcome.reversed().chances();
        let difference = |win: f64, draw: f64| {
            let whole = stats.visits as f64 * ONE;
            ((win * whole) as i64 - stats.wins, (draw * whole) as i64 - stats.draws)
        };
        let (mut wins, mut draws) = difference(f64::from(win), f64::from(draw));
        node.correct(wins, draws);
        if outcome == GameValue::Win {
            let Some(mean) = above.last().and_then(|&parent| self.mean_of_others(parent, last))
            else {
                return;
            };
            (wins, draws) = difference(mean.0, mean.1);
        }
        for &index in above.iter().rev() {
            (wins, draws) = (-(wins + draws), draws);
            let node = self.node(index);
            if node.bounds().outcome().is_some() {
                return;
            }
            node.correct(wins, draws);
        }
    }

    /// Chances to win and to draw of a node's moves, but for one and those that lose.
    fn mean_of_others(&self, parent: Index, but: Index) -> Option<(f64, f64)> {
        let (mut visits, mut wins, mut draws) = (0, 0, 0);
        for (_, child) in self.arena.children(self.node(parent)) {
            let node = self.node(child);
            if child != but && node.bounds().outcome() != Some(GameValue::Win) {
                let stats = node.stats();
                visits += stats.visits;
                wins += stats.wins;
                draws += stats.draws;
            }
        }
        let whole = visits as f64 * ONE;
        (visits > 0).then(|| (wins as f64 / whole, draws as f64 / whole))
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
            let won = (stats.wins as f64 / ONE, stats.draws as f64 / ONE);
            let (most, rounding) = (stats.visits as f64, 1e-3);
            if won.0 < -rounding || won.1 < -rounding || won.0 + won.1 > most + rounding {
                return Err(format!("{index}: {won:?} won and drawn of {} visits", stats.visits));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges;
    use rules::{Kind, Square};

    /// A tree of one root with three moves, each visited so often with this value to the root.
    fn tree(children: &[(u64, f32)]) -> (Tree, Vec<Index>) {
        let tree = Tree::new(1 << 20);
        let root = tree.ensure_root();
        let mut magazine = Magazine::default();
        tree.arena.ensure(&mut magazine, 20);
        let mv = |number| Move::drop(Kind::Pawn, Square::new(number));
        let all: Vec<Edge> = (0..3).map(|n| Edge { mv: mv(n), prior: 0.3 }).collect();
        let first = edges::write(&tree.arena, &mut magazine, &all).unwrap();
        tree.node(root).set_moves(first, 3);
        let (mut found, mut credits) = (Vec::new(), Credits::default());
        for (number, &(visits, value)) in children.iter().enumerate() {
            let child = magazine.pop(&tree.arena).unwrap();
            tree.node(child).create();
            assert!(tree.arena.adopt(tree.node(root), number, child, &mut magazine));
            for _ in 0..visits {
                tree.node(root).enter();
                tree.node(child).enter();
                let lost = (1.0 - value, 0.0);
                tree.back_up(&mut credits, &[root, child], Color::White, lost, [0.5; 2]);
            }
            found.push(child);
        }
        tree.settle(&mut credits);
        tree.arena.take_back(&mut magazine);
        (tree, found)
    }

    /// What the root is worth to the side to move there.
    fn value(tree: &Tree) -> f64 {
        1.0 - tree.node(tree.root()).stats().mean(0.5).unwrap()
    }

    #[test]
    fn what_is_held_back_adds_up_to_what_is_written_at_once() {
        let lines: [(&[usize], f32); 5] =
            [(&[0, 1], 0.75), (&[0, 1], 0.3), (&[0, 2], 0.1), (&[0], 0.5), (&[0, 3], 0.9)];
        let played = |hold: bool| {
            let (tree, children) = tree(&[(0, 0.0), (0, 0.0), (0, 0.0)]);
            let nodes = [&[tree.root()], children.as_slice()].concat();
            let mut credits = Credits::default();
            for (line, value) in lines {
                let path: Vec<Index> = line.iter().map(|&n| nodes[n]).collect();
                path.iter().for_each(|&index| {
                    tree.node(index).enter();
                });
                let turn = if path.len() == 1 { Color::Black } else { Color::White };
                tree.back_up(&mut credits, &path, turn, (value, 0.05), [0.4, 0.6]);
                if !hold {
                    tree.settle(&mut credits);
                }
            }
            // All lines have the root in common: what it gets is held back until the end.
            let root = tree.node(tree.root()).visits();
            assert_eq!(root, if hold { 0 } else { 5 });
            tree.settle(&mut credits);
            tree.check().unwrap();
            nodes.iter().map(|&index| tree.node(index).stats()).collect::<Vec<_>>()
        };
        assert_eq!(played(true), played(false));
        assert_eq!(played(true)[0].visits, 5);
    }

    #[test]
    fn visits_of_a_move_that_loses_count_as_its_siblings() {
        let (tree, children) = tree(&[(6, 0.75), (2, 0.5), (2, 0.25)]);
        assert!((value(&tree) - 0.6).abs() < 1e-6);
        let path = [tree.root(), children[0]];
        assert!(tree.prove(&path, Bounds::win(5)));
        assert_eq!(tree.node(children[0]).stats().mean(0.5), Some(0.0));
        assert!((value(&tree) - 0.375).abs() < 1e-6, "{}", value(&tree));
        assert!(!tree.prove(&path, Bounds::win(5)), "no news");
        // One that draws counts as that.
        assert!(tree.prove(&[tree.root(), children[1]], Bounds::draw(3)));
        assert!((value(&tree) - (0.375 * 10.0) / 10.0).abs() < 1e-6, "it was even already");
        tree.check().unwrap();
        // And where all lose, the node does.
        assert!(tree.prove(&[tree.root(), children[2]], Bounds::win(9)));
        assert!(tree.node(tree.root()).bounds().outcome() == Some(GameValue::Draw));
        assert!((value(&tree) - 0.5).abs() < 1e-6, "{}", value(&tree));
    }

    #[test]
    fn a_move_that_wins_makes_every_visit_of_its_node_a_win() {
        let (tree, children) = tree(&[(6, 0.75), (2, 0.5), (2, 0.25)]);
        assert!(tree.prove(&[tree.root(), children[2]], Bounds::loss(4)));
        assert_eq!(tree.node(tree.root()).bounds(), Bounds::win(5));
        assert!((value(&tree) - 1.0).abs() < 1e-6);
        tree.check().unwrap();
    }
}
