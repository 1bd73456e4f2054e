//! Mates proven while the search goes on: at the root and along the line it expects, for both
//! sides.
//!
//! What is proven enters the table: the search then steers towards mates of its own side and away
//! from those of the other, and of several ways to be mated takes the longest. A mate at the root
//! is told with its line and played.

use crate::shared::Shared;
use crate::table::{Bound, Entry};
use crate::values::{self, MAX_PLY, NONE};
use mate::{Bounds, Memory, Solver, Unknown, Verdict};
use rules::{Color, Gen, Move, MoveList, Position, Variant};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// MiB of each side's memory to begin with: more would have to be taken from the system before every short game.
const FIRST_MIB: usize = 8;
/// Where that is crowded it becomes half of the search's table, this much at most.
const MOST_MIB: usize = 64;
/// It grows only where there is as much time: what is known is copied, which takes some milliseconds.
const TIME_TO_GROW: Duration = Duration::from_millis(100);

/// What the solver has read, with either side as the attacker (what is known of one says nothing about the
/// other): kept from move to move of a game.
pub(crate) struct MateMemory {
    most_mib: usize,
    sides: [Mutex<Option<Memory>>; 2],
}

impl MateMemory {
    /// An empty one beside a table of so many MiB.
    pub(crate) fn new(table_mib: usize) -> Self {
        let most_mib = (table_mib / 2).clamp(FIRST_MIB, MOST_MIB);
        Self { most_mib, sides: Default::default() }
    }

    /// That of one attacker, for a question that may take so long.
    pub(crate) fn of(&self, attacker: Color, time: Option<Duration>) -> Memory {
        let mut side = self.side(attacker);
        let memory = side.get_or_insert_with(|| Memory::new(FIRST_MIB << 20));
        let may_grow = memory.mib() < self.most_mib && time.is_none_or(|t| t >= TIME_TO_GROW);
        if may_grow && memory.is_crowded() {
            *memory = memory.grown(self.most_mib << 20);
        }
        memory.clone()
    }

    /// Begins a search.
    pub(crate) fn begin(&self) {
        for attacker in [Color::Black, Color::White] {
            if let Some(memory) = &*self.side(attacker) {
                memory.begin();
            }
        }
    }

    fn side(&self, attacker: Color) -> MutexGuard<'_, Option<Memory>> {
        self.sides[attacker.index()].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for mates beside a search. All it does is counted in nodes, so that the same search finds
/// the same mates.
pub(crate) struct Prover<V: Variant> {
    root: Position<V>,
    shared: Arc<Shared>,
    /// Positions that need not be asked about again, by their keys.
    settled: Vec<u64>,
    /// Nodes read at the root, the look before the search included.
    pub(crate) at_root: u64,
    /// Nodes read along the line.
    pub(crate) along: u64,
    /// How many times more is left to do to refute a mate at the root than to prove it: the more, the likelier
    /// there is one.
    pub(crate) odds: u64,
}

impl<V: Variant> Prover<V> {
    pub(crate) fn new(root: &Position<V>, shared: &Arc<Shared>) -> Self {
        let at_root = shared.glanced.load(Ordering::Relaxed);
        let (root, shared) = (root.clone(), Arc::clone(shared));
        Self { root, shared, settled: Vec::new(), at_root, along: 0, odds: 0 }
    }

    /// Whether nothing is left to ask about the root.
    pub(crate) fn knows_root(&self) -> bool {
        self.settled.contains(&self.root.key())
    }

    /// Looks at the root alone; says how many nodes that took.
    pub(crate) fn look_at_root(&mut self, nodes: u64, time: Option<Duration>) -> u64 {
        if self.knows_root() {
            return 0;
        }
        let root = self.root.clone();
        let (used, numbers) = self.ask(&root, nodes, time, MAX_PLY as i32);
        self.at_root += used;
        self.odds = numbers.map_or(0, |(pn, dn)| u64::from(dn) / u64::from(pn.max(1)));
        used
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
        let (mut left, least) = (nodes, p.mate_line_least as u64);
        while let Some(pos) = open.pop() {
            let share = left / (open.len() as u64 + 1);
            let time = time.map(|t| t / (open.len() as u32 + 1));
            // With fewer nodes nothing is found that the search does not see.
            if share < least || self.shared.stopped() {
                return;
            }
            let (used, _) = self.ask(&pos, share, time, depth);
            self.along += used;
            left = left.saturating_sub(used);
        }
    }

    /// Asks about one position; says how many nodes that took, and what is left to do where it stays open.
    fn ask(
        &mut self,
        pos: &Position<V>,
        nodes: u64,
        time: Option<Duration>,
        depth: i32,
    ) -> (u64, Option<(u32, u32)>) {
        let mut checks = MoveList::new();
        pos.generate(Gen::Checks, &mut checks);
        if checks.is_empty() {
            self.settled.push(pos.key());
            return (0, None);
        }
        let shared = Arc::clone(&self.shared);
        let bounds = Bounds { nodes: Some(nodes), time, ..Bounds::default() };
        let memory = shared.mates.of(pos.turn(), time);
        let mut solver = Solver::remembering(pos, &bounds, &shared.control, &*shared.time, &memory);
        let solution = solver.solve();
        match solution.verdict {
            Verdict::Mate => {
                self.settled.push(pos.key());
                self.note(pos, &solution.line, depth);
            }
            // A table turned over that often will not hold it later either.
            Verdict::NoMate | Verdict::Unknown(Unknown::Memory) => self.settled.push(pos.key()),
            Verdict::Unknown(_) => return (solution.nodes, solver.numbers()),
        }
        (solution.nodes, None)
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
