//! Walking through a record with the position at hand.

use crate::record::{Node, NodeId, Record, Step};
use crate::termination::Termination;
use rules::{AnyPosition, Move};

/// A place in a record and the position there. Going from place to place costs as many moves as
/// lie between them.
#[derive(Clone, Debug)]
pub struct Replay {
    position: AnyPosition,
    /// Nodes of the moves played from the root, the root included.
    path: Vec<NodeId>,
}

impl Replay {
    /// At the start of the record.
    pub fn new(record: &Record) -> Self {
        Self { position: record.start().clone(), path: vec![NodeId::ROOT] }
    }

    /// The position here.
    pub const fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// Where we are: the root or a move (never an ending).
    pub fn at(&self) -> NodeId {
        self.path.last().copied().unwrap_or(NodeId::ROOT)
    }

    /// The last move played, if any.
    pub fn last_move(&self, record: &Record) -> Option<Move> {
        record.node(self.at()).played()
    }

    /// Goes to a node; for an ending, to the position it ended in.
    pub fn go_to(&mut self, record: &Record, target: NodeId) {
        let mut steps = Vec::new();
        let mut at = target;
        while self.path.get(record.node(at).ply() as usize) != Some(&at) {
            steps.push(at);
            let Some(parent) = record.node(at).parent() else { break };
            at = parent;
        }
        while self.path.len() > record.node(at).ply() as usize + 1 {
            self.position.undo();
            self.path.pop();
        }
        for id in steps.into_iter().rev() {
            if let Some(m) = record.node(id).played() {
                self.position.play(m);
                self.path.push(id);
            }
        }
    }
}

/// A record being read: a place in it where the next move is added.
pub(crate) struct Builder {
    pub(crate) record: Record,
    replay: Replay,
    /// The node last added: a move, an ending or the root. Comments go here.
    at: NodeId,
}

impl Builder {
    pub(crate) fn new(record: Record) -> Self {
        let replay = Replay::new(&record);
        Self { record, replay, at: NodeId::ROOT }
    }

    pub(crate) const fn position(&self) -> &AnyPosition {
        self.replay.position()
    }

    pub(crate) const fn at(&self) -> NodeId {
        self.at
    }

    pub(crate) fn last_move(&self) -> Option<Move> {
        self.replay.last_move(&self.record)
    }

    /// Whether the line has ended: nothing can be played here.
    pub(crate) fn is_over(&self) -> bool {
        self.record.node(self.at).ending().is_some()
    }

    pub(crate) fn node(&mut self) -> &mut Node {
        let at = self.at;
        self.record.node_mut(at)
    }

    /// Adds a move that is legal here.
    pub(crate) fn play(&mut self, m: Move) {
        let here = self.replay.at();
        self.at = self.record.add(here, Step::Move(m));
        self.replay.go_to(&self.record, self.at);
    }

    /// Ends the line.
    pub(crate) fn end(&mut self, ending: Termination) {
        let here = self.replay.at();
        self.at = self.record.add(here, Step::End(ending));
    }

    pub(crate) fn go_to(&mut self, id: NodeId) {
        self.replay.go_to(&self.record, id);
        self.at = id;
    }

    /// The record, with what its comments say about endings and evaluations understood.
    pub(crate) fn finish(mut self) -> Record {
        for id in self.record.ids() {
            let node = self.record.node_mut(id);
            if node.ending().is_none() {
                continue;
            }
            let named = node.comments.iter().find_map(|c| Termination::from_comment(c));
            if let Some(ending) = named {
                node.comments.retain(|c| Termination::from_comment(c).is_none());
                node.step = Step::End(ending);
            }
        }
        crate::analysis::lift(&mut self.record);
        self.record
    }
}
