//! One game as a tree of moves.
//!
//! A [`Record`] owns its nodes in one vector; a node is named by a [`NodeId`]. The first child of
//! a node continues the main line, the others are variations. Endings are nodes too: they have
//! their own time and comments, and a variation may end where the game went on.

use crate::evaluation::Evaluation;
use crate::headers::Headers;
use crate::termination::Termination;
use play::Outcome;
use rules::{AnyPosition, Color, Game, Handicap, Move};
use std::time::Duration;

/// Names a node of one record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The start position.
    pub const ROOT: Self = Self(0);

    /// The place in [`Record::ids`]: for tables beside a record.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// The start position: the root and nothing else.
    Start,
    /// A legal move.
    Move(Move),
    /// The end of the line; such a node has no children.
    End(Termination),
}

/// A move or an ending with everything said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    pub step: Step,
    pub time: Option<Duration>,
    /// Comments, a line each.
    pub comments: Vec<String>,
    /// Lines programs are told to skip (`'…` in CSA, `#…` in KIF), and lines that could not be
    /// understood.
    pub remarks: Vec<String>,
    /// Name of a bookmark set here.
    pub bookmark: Option<String>,
    /// What an engine thought.
    pub eval: Option<Evaluation>,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    ply: u32,
}

impl Node {
    fn new(step: Step, parent: Option<NodeId>, ply: u32) -> Self {
        Self {
            step,
            time: None,
            comments: Vec::new(),
            remarks: Vec::new(),
            bookmark: None,
            eval: None,
            parent,
            children: Vec::new(),
            ply,
        }
    }

    /// The node before; `None` for the root.
    pub const fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// What may follow: the main continuation first.
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }

    /// Steps from the start position: 0 for the root, 1 for the first move.
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// The move, if this is one.
    pub const fn played(&self) -> Option<Move> {
        match self.step {
            Step::Move(m) => Some(m),
            _ => None,
        }
    }

    /// The ending, if this is one.
    pub const fn ending(&self) -> Option<&Termination> {
        match &self.step {
            Step::End(ending) => Some(ending),
            _ => None,
        }
    }

    /// Whether two nodes say the same, apart from where they stand in their trees.
    fn says_the_same(&self, other: &Self) -> bool {
        self.step == other.step
            && self.time == other.time
            && self.comments == other.comments
            && self.remarks == other.remarks
            && self.bookmark == other.bookmark
            && self.eval == other.eval
            && self.children.len() == other.children.len()
    }
}

/// One game (or one problem, or a bare position) with everything its file said.
///
/// Equality compares the trees, not the order in which they were built.
#[derive(Clone, Debug)]
pub struct Record {
    /// Players, event, dates and so on.
    pub headers: Headers,
    start: AnyPosition,
    nodes: Vec<Node>,
}

impl Record {
    /// A record without moves. Only the position itself is taken, not the history in it.
    pub fn new(start: AnyPosition) -> Self {
        let start = match start {
            AnyPosition::Shogi(p) => p.without_history().into(),
            AnyPosition::Minishogi(p) => p.without_history().into(),
        };
        Self { headers: Headers::new(), start, nodes: vec![Node::new(Step::Start, None, 0)] }
    }

    /// The start position.
    pub const fn start(&self) -> &AnyPosition {
        &self.start
    }

    /// Which game is played.
    pub fn game(&self) -> Game {
        self.start.game()
    }

    /// The handicap, if the start position is one of the usual ones (9×9 only).
    pub fn handicap(&self) -> Option<Handicap> {
        if self.game() != Game::Shogi {
            return None;
        }
        Handicap::from_sfen(&self.start.sfen())
    }

    /// A node. The id must come from this record.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A node, to be changed.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// Adds a step after `parent`, as the main continuation if it is the first. A step already
    /// there is not doubled: its node is returned. Nothing can follow an ending: then it is added
    /// beside it.
    ///
    /// Legality is the caller's concern (see [`crate::Replay`]).
    pub fn add(&mut self, parent: NodeId, step: Step) -> NodeId {
        let parent = match (&self.node(parent).step, self.node(parent).parent) {
            (Step::End(_), Some(before)) => before,
            _ => parent,
        };
        // No position has this many moves; a file with more alternatives is not worth the search.
        let siblings = self.node(parent).children.iter().take(1024);
        if let Some(&same) = siblings.into_iter().find(|&&id| self.node(id).step == step) {
            return same;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let ply = self.node(parent).ply + 1;
        self.nodes.push(Node::new(step, Some(parent), ply));
        self.node_mut(parent).children.push(id);
        id
    }

    /// Number of nodes, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the start position.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// All node ids, parents before children.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// The node and its main continuation to the end.
    pub fn line_from(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(id), |&at| self.node(at).children.first().copied())
    }

    /// The moves of the main line.
    pub fn moves(&self) -> Vec<Move> {
        self.line_from(NodeId::ROOT).filter_map(|id| self.node(id).played()).collect()
    }

    /// The side to move before the step of this node (at the root: in the start position).
    pub fn turn_at(&self, id: NodeId) -> Color {
        let before = self.node(id).ply.saturating_sub(1);
        if before.is_multiple_of(2) { self.start.turn() } else { self.start.turn().opponent() }
    }

    /// How the main line ended, where the record says so.
    pub fn ending(&self) -> Option<&Termination> {
        self.line_from(NodeId::ROOT).last().and_then(|id| self.node(id).ending())
    }

    /// Who won the main line.
    pub fn outcome(&self) -> Outcome {
        let Some(last) = self.line_from(NodeId::ROOT).last() else { return Outcome::Unknown };
        match self.node(last).ending() {
            Some(ending) => ending.outcome(self.turn_at(last)),
            None => Outcome::Unknown,
        }
    }

    /// Number of variations: lines besides the main one.
    pub fn variations(&self) -> usize {
        self.nodes.iter().map(|n| n.children.len().saturating_sub(1)).sum()
    }

    /// The lines of the tree in the order KIF lists them: the main line (from the root) first,
    /// then the variations, those that branch off later first, each followed by its own.
    pub fn lines(&self) -> Lines<'_> {
        Lines { record: self, waiting: vec![NodeId::ROOT] }
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        if self.headers != other.headers
            || self.game() != other.game()
            || self.start.sfen() != other.start.sfen()
            || self.len() != other.len()
        {
            return false;
        }
        let mut pairs = vec![(NodeId::ROOT, NodeId::ROOT)];
        while let Some((a, b)) = pairs.pop() {
            let (a, b) = (self.node(a), other.node(b));
            if !a.says_the_same(b) {
                return false;
            }
            pairs.extend(a.children.iter().copied().zip(b.children.iter().copied()));
        }
        true
    }
}

/// First nodes of the lines of a record; see [`Record::lines`].
pub struct Lines<'a> {
    record: &'a Record,
    waiting: Vec<NodeId>,
}

impl Iterator for Lines<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let first = self.waiting.pop()?;
        for id in self.record.line_from(first) {
            let others = self.record.node(id).children.iter().skip(1);
            self.waiting.extend(others.rev());
        }
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usi(s: &str) -> Step {
        Step::Move(Move::from_usi(Game::Shogi, s).unwrap())
    }

    #[test]
    fn the_tree_keeps_main_line_and_variations_apart() {
        let mut r = Record::new(AnyPosition::startpos(Game::Shogi));
        let a = r.add(NodeId::ROOT, usi("7g7f"));
        let b = r.add(a, usi("3c3d"));
        let c = r.add(a, usi("8c8d"));
        let d = r.add(NodeId::ROOT, usi("2g2f"));
        assert_eq!(r.add(a, usi("8c8d")), c, "not doubled");
        let end = r.add(b, Step::End(Termination::Resign));
        assert_eq!(r.moves().len(), 2);
        assert_eq!(r.lines().collect::<Vec<_>>(), [NodeId::ROOT, c, d]);
        assert_eq!(r.variations(), 2);
        assert_eq!(r.outcome(), Outcome::Won(Color::White));
        assert_eq!(r.node(end).ply(), 3);
        let beside = r.add(end, usi("2g2f"));
        assert_eq!(r.node(beside).parent(), Some(b), "nothing follows an ending");
    }

    #[test]
    fn equality_ignores_the_order_of_building() {
        let build = |main_first: bool| {
            let mut r = Record::new(AnyPosition::startpos(Game::Shogi));
            let a = r.add(NodeId::ROOT, usi("7g7f"));
            if main_first {
                r.add(a, usi("3c3d"));
                r.add(NodeId::ROOT, usi("2g2f"));
            } else {
                r.add(NodeId::ROOT, usi("2g2f"));
                r.add(a, usi("3c3d"));
            }
            r
        };
        assert_eq!(build(true), build(false));
        let mut other = build(true);
        other.node_mut(NodeId::ROOT).comments.push("x".to_owned());
        assert_ne!(build(true), other);
    }
}
