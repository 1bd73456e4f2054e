//! What an analysis remembers of the positions it has read, so that each has one value, however and
//! whenever it was reached.
//!
//! A position's search sees nothing that another position's search has left: it has an epoch of the
//! table and clean statistics to itself. What it found is kept, and a search asked for again goes
//! on where it ended; asked for no more than is known, it answers from here.

use crate::root::RootMove;
use crate::table::Epoch;
use rules::Move;

/// What was asked, apart from how long to think.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Question {
    /// Key of the position, and its move number where a limit of moves makes that matter.
    pub(crate) key: u64,
    pub(crate) ply: Option<u32>,
    pub(crate) lines: usize,
    pub(crate) searchmoves: Vec<Move>,
}

/// How far a position has been read at some moment.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) depth: i32,
    /// Nodes read for this question until then.
    pub(crate) nodes: u64,
    /// Whether this depth was read to its end.
    pub(crate) complete: bool,
    /// The moves of the root, best first: all of them in the last reading, the lines asked for in
    /// those before.
    pub(crate) moves: Vec<RootMove>,
}

/// All that is known about one question.
#[derive(Debug)]
struct Known {
    question: Question,
    epoch: Epoch,
    readings: Vec<Reading>,
}

/// What is known about the questions asked so far.
#[derive(Debug, Default)]
pub(crate) struct Memory(Vec<Known>);

impl Memory {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The epoch of a question asked before.
    pub(crate) fn epoch(&self, question: &Question) -> Option<Epoch> {
        self.0.iter().find(|known| known.question == *question).map(|known| known.epoch)
    }

    /// A question is asked for the first time.
    pub(crate) fn begin(&mut self, question: Question, epoch: Epoch) {
        self.0.push(Known { question, epoch, readings: Vec::new() });
    }

    fn readings(&self, question: &Question) -> &[Reading] {
        let known = self.0.iter().find(|known| known.question == *question);
        known.map_or(&[], |known| &known.readings)
    }

    /// The reading that a search to this depth, of so many nodes, ended with; `None` if it has to
    /// read on.
    pub(crate) fn settled(
        &self,
        question: &Question,
        depth: i32,
        nodes: Option<u64>,
    ) -> Option<Reading> {
        let readings = self.readings(question);
        let most = nodes.unwrap_or(u64::MAX);
        let within = |r: &&Reading| r.depth <= depth && r.nodes <= most;
        let last = readings.iter().rfind(within)?;
        let all = readings.last().map_or(0, |r| r.nodes);
        let enough = last.depth == depth && last.complete || nodes.is_some_and(|n| all >= n);
        enough.then(|| last.clone())
    }

    /// The last reading that was read to its end: a search goes on after it.
    pub(crate) fn last_complete(&self, question: &Question) -> Option<Reading> {
        self.readings(question).iter().rfind(|r| r.complete).cloned()
    }

    /// Nodes read for a question so far.
    pub(crate) fn nodes(&self, question: &Question) -> u64 {
        self.readings(question).last().map_or(0, |r| r.nodes)
    }

    /// Adds what a search has read. One that was cut short is no reading a deeper search begins
    /// from, so the moves of the last complete one stay whole.
    pub(crate) fn add(&mut self, question: &Question, readings: Vec<Reading>) {
        let Some(known) = self.0.iter_mut().find(|known| known.question == *question) else {
            return;
        };
        known.readings.extend(readings);
        let last = known.readings.iter().rposition(|r| r.complete);
        for (index, reading) in known.readings.iter_mut().enumerate() {
            if Some(index) != last {
                reading.moves.truncate(question.lines);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use rules::{Kind, Square};

    fn reading(depth: i32, nodes: u64, complete: bool) -> Reading {
        let moves = (0..5).map(|i| RootMove::new(Move::drop(Kind::Pawn, Square::new(i)))).collect();
        Reading { depth, nodes, complete, moves }
    }

    #[test]
    fn a_search_is_settled_by_what_it_would_have_found() {
        let question = Question { key: 7, ply: None, lines: 2, searchmoves: Vec::new() };
        let mut memory = Memory::default();
        assert!(memory.settled(&question, 1, None).is_none());
        memory.begin(question.clone(), Table::new(1).epoch());
        let first = vec![reading(1, 50, true), reading(2, 300, true), reading(3, 1000, false)];
        memory.add(&question, first);
        let settled = |depth, nodes| {
            memory.settled(&question, depth, nodes).map(|r| (r.depth, r.nodes, r.moves.len()))
        };
        assert_eq!(settled(1, None), Some((1, 50, 2)));
        assert_eq!(settled(2, None), Some((2, 300, 5)));
        assert_eq!((settled(3, None), settled(99, None)), (None, None));
        assert_eq!(settled(99, Some(1000)), Some((3, 1000, 2)));
        assert_eq!(settled(99, Some(400)), Some((2, 300, 5)));
        assert_eq!((settled(99, Some(1001)), settled(99, Some(9))), (None, None));
        assert_eq!(memory.last_complete(&question).map(|r| r.depth), Some(2));
        assert_eq!(memory.nodes(&question), 1000);
        let other = Question { key: 8, ..question };
        assert!(memory.epoch(&other).is_none() && memory.settled(&other, 1, None).is_none());
    }
}
