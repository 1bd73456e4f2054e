//! Mates proven while the search goes on: at the root and along the line it expects, for both
//! sides.
//!
//! What is proven enters the table: the search then steers towards mates of its own side and away
//! from those of the other, and of several ways to be mated takes the longest. A mate at the root
//! is told with its line and played.

use crate::shared::Shared;
use crate::table::{Bound, Entry};
use crate::values::{self, MAX_PLY, NONE};
use mate::{Bounds, Solver, Unknown, Verdict};
use rules::{Gen, Move, MoveList, Position, Variant};
use std::time::Duration;

/// Bytes of each solver's table.
const HASH: usize = 8 << 20;

/// Looks for mates beside a search. All it does is counted in nodes, so that the same search finds
/// the same mates.
pub(crate) struct Prover<'a, V: Variant> {
    root: Position<V>,
    shared: &'a Shared,
    /// One for each side that may mate: what is known of one says nothing about the other.
    solvers: [Option<Solver<'a>>; 2],
    /// Positions that need not be asked about again, by their keys.
    settled: Vec<u64>,
    /// Nodes read so far.
    pub(crate) nodes: u64,
}

impl<'a, V: Variant> Prover<'a, V> {
    pub(crate) fn new(root: &Position<V>, shared: &'a Shared) -> Self {
        let (root, solvers) = (root.clone(), [None, None]);
        Self { root, shared, solvers, settled: Vec::new(), nodes: 0 }
    }

    /// Whether nothing is left to ask about the root.
    pub(crate) fn knows_root(&self) -> bool {
        self.settled.contains(&self.root.key())
    }

    /// Looks at the root alone.
    pub(crate) fn look_at_root(&mut self, nodes: u64, time: Option<Duration>) {
        let root = self.root.clone();
        if !self.knows_root() {
            self.ask(&root, nodes, time, MAX_PLY as i32);
        }
    }

    /// Looks at the positions along a line, from its end to its beginning, with so many nodes
    /// together and for so long at most; `depth` is that of the iteration that found the line.
    pub(crate) fn look_along(
        &mut self,
        line: &[Move],
        nodes: u64,
        time: Option<Duration>,
        depth: i32,
    ) {
        let p = &self.shared.params;
        let mut pos = self.root.clone();
        let mut open = Vec::new();
        for &m in line.iter().take(p.mate_line as usize) {
            if !pos.is_legal(m) {
                break;
            }
            pos.play(m);
            if !self.settled.contains(&pos.key()) {
                open.push(pos.clone());
            }
        }
        let mut left = nodes;
        while let Some(pos) = open.pop() {
            let share = left / (open.len() as u64 + 1);
            let time = time.map(|t| t / (open.len() as u32 + 1));
            // With fewer nodes nothing is found that the search does not see.
            if share < p.mate_line_least as u64 || self.shared.stopped() {
                return;
            }
            left = left.saturating_sub(self.ask(&pos, share, time, depth));
        }
    }

    /// Asks about one position; says how many nodes that took.
    fn ask(&mut self, pos: &Position<V>, nodes: u64, time: Option<Duration>, depth: i32) -> u64 {
        let mut checks = MoveList::new();
        pos.generate(Gen::Checks, &mut checks);
        if checks.is_empty() {
            self.settled.push(pos.key());
            return 0;
        }
        let shared = self.shared;
        let solver = self.solvers[pos.turn().index()].get_or_insert_with(|| {
            let bounds = Bounds { hash: HASH, ..Bounds::default() };
            Solver::new(pos, &bounds, &shared.control, &*shared.time)
        });
        let before = solver.nodes();
        solver.go_on(time, Some(nodes));
        let solution = solver.solve_from(pos);
        let used = solution.nodes - before;
        self.nodes += used;
        match solution.verdict {
            Verdict::Mate => {
                self.settled.push(pos.key());
                self.note(pos, &solution.line, depth);
            }
            // A table turned over that often will not hold it later either.
            Verdict::NoMate | Verdict::Unknown(Unknown::Memory) => self.settled.push(pos.key()),
            Verdict::Unknown(_) => {}
        }
        used
    }

    /// Tells table and search of a mate.
    fn note(&self, pos: &Position<V>, line: &[Move], depth: i32) {
        let plies = line.len();
        // The game is drawn before such a mate is on the board.
        if plies > MAX_PLY || !self.shared.terms.rules.leaves_time(pos, plies as u32) {
            return;
        }
        let p = &self.shared.params;
        let mut pos = pos.clone();
        if pos.key() == self.root.key() {
            self.shared.prove(line);
        }
        for (played, &m) in line.iter().enumerate() {
            if played % 2 == 0 {
                self.shared.table.put(
                    pos.key(),
                    Entry {
                        best: m,
                        value: values::mate_in(plies - played),
                        eval: NONE,
                        depth: (depth + p.mate_entry).min(MAX_PLY as i32 - 1),
                        bound: Bound::Lower,
                        pv: true,
                    },
                    p,
                );
            }
            pos.play(m);
        }
    }
}
