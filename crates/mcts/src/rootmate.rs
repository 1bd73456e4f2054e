//! Mates by proof: `go mate`, a look before or beside the search, and along the best line. A mate
//! found here is told and played only after the checker of proofs has agreed.

use crate::arena::Index;
use crate::bounds::Bounds;
use crate::job::{FoundMate, Job, spawn};
use crate::options;
use crate::search::{Search, lock};
use mate::{Solver, Verdict};
use rules::{Gen, Move, MoveList, Position, Variant};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::Scope;
use std::time::Duration;
use think::key::universal::{MULTI_PV, PONDER};
use think::usual::ROOT_MATE_NODES;
use think::{Answer, Best, Bound, Control, Info, Report, Score};

/// The solver's table for a look.
const GLANCE_HASH: usize = 8 << 20;
/// With less time nothing is found that the search would not find.
const WORTH_A_LOOK: Duration = Duration::from_micros(250);
/// A spare core may look that much longer.
const BESIDE: u64 = 50;

impl<V: Variant> Job<V> {
    /// Answers `go mate`.
    pub(crate) fn look_for_mate(&self, report: &mut dyn Report) {
        let Self { position, limits, settings, control, time, .. } = self;
        mate::report_answer(position, limits, settings, control, &**time, report);
    }

    /// Whether a mate at the root is worth looking for, and with how many nodes.
    fn root_mate_nodes(&self) -> Option<u64> {
        let nodes = self.settings.get(&ROOT_MATE_NODES);
        let shows_lines = self.limits.infinite || self.settings.get(&MULTI_PV) > 1;
        let noisy = self.settings.get(&options::GUMBEL_MOVES) > 0
            || self.settings.get(&options::DIRICHLET_NOISE) > 0;
        if nodes == 0 || shows_lines || noisy || !self.limits.searchmoves.is_empty() {
            return None;
        }
        let mut checks = MoveList::new();
        self.position.generate(Gen::Checks, &mut checks);
        (!checks.is_empty()).then_some(nodes)
    }

    /// A verified mate of a position.
    fn prove(
        &self,
        position: &Position<V>,
        (nodes, time): (u64, Option<Duration>),
        control: &Control,
    ) -> Option<Vec<Move>> {
        let bounds = mate::Bounds {
            time,
            nodes: Some(nodes.max(1)),
            hash: GLANCE_HASH,
            threads: 1,
            shortest: false,
        };
        let solve = || {
            let mut solver = Solver::new(position, &bounds, control, &*self.time);
            let solution = solver.solve();
            if solution.verdict != Verdict::Mate {
                return None;
            }
            let proof = solver.proof(&solution).ok()?;
            mate::verify(&proof).ok()?;
            Some(solution.line)
        };
        let line = catch_unwind(AssertUnwindSafe(solve)).ok()??;
        // The game is drawn before such a mate is on the board.
        let rules = options::leaf_rules(&self.settings).game;
        (!line.is_empty() && rules.leaves_time(position, line.len() as u32)).then_some(line)
    }

    /// A mate proven with a small part of what the search may use, where no core is to spare.
    pub(crate) fn mate_before(&self, report: &mut dyn Report) -> Option<Best> {
        if self.spare > 0 {
            return None;
        }
        let nodes = self.root_mate_nodes()?;
        // A twentieth of the time there is.
        let time = self.timer().budget().map(|b| b.maximum / 20);
        if time.is_some_and(|time| time < WORTH_A_LOOK) {
            return None;
        }
        let nodes = self.limits.nodes.map_or(nodes, |most| nodes.min(most));
        let line = self.prove(&self.position, (nodes, time), &self.control)?;
        report.info(&self.mate_info(&line));
        Some(self.mate_answer(&line))
    }

    pub(crate) fn mate_info(&self, line: &[Move]) -> Info {
        let plies = line.len() as u32;
        Info {
            depth: Some(plies),
            seldepth: Some(plies),
            score: Some((Score::Mate(Some(plies)), Bound::Exact)),
            // Of the tree: the solver counts for itself.
            nodes: Some(0),
            nps: Some(0),
            hashfull: Some(self.tree.arena.permille()),
            time: Some(self.time.now().saturating_sub(self.limits.start)),
            pv: line.to_vec(),
            ..Info::default()
        }
    }

    fn mate_answer(&self, line: &[Move]) -> Best {
        let ponder = self.settings.get(&PONDER).then(|| line.get(1).copied());
        Best { answer: Answer::Move(line[0]), ponder: ponder.flatten() }
    }

    /// Tells a mate found beside the search and plays it.
    pub(crate) fn play_mate(
        &self,
        line: &[Move],
        search: &Search<V>,
        elapsed: Duration,
        report: &mut dyn Report,
    ) -> Best {
        let nodes = search.playouts();
        report.info(&Info {
            nodes: Some(nodes),
            nps: Some((nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64),
            time: Some(elapsed),
            ..self.mate_info(line)
        });
        self.mate_answer(line)
    }

    /// Starts the searches for mates that run beside the tree search.
    pub(crate) fn spawn_mate_searches<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        search: &'scope Search<V>,
        found: &'scope FoundMate,
        control: &'scope Control,
    ) {
        if self.spare > 0
            && let Some(nodes) = self.root_mate_nodes()
        {
            spawn(scope, "root mate", move || {
                let bounds = (nodes.saturating_mul(BESIDE), None);
                if let Some(line) = self.prove(&self.position, bounds, control) {
                    *lock(found) = Some(line);
                }
            });
        }
        for _ in 0..self.settings.get(&options::PV_MATE_THREADS) {
            spawn(scope, "PV mate", move || self.look_along_the_line(search, control));
        }
    }

    /// Looks for mates in the positions of the best line, one after the other, until the end.
    fn look_along_the_line(&self, search: &Search<V>, control: &Control) {
        let nodes = self.settings.get(&options::PV_MATE_NODES);
        let mut seen = HashSet::new();
        while !control.is_stopped() && !search.is_over() {
            let Some((path, position)) = hold_unseen(search, &mut seen) else {
                std::thread::sleep(Duration::from_millis(5));
                continue;
            };
            if let Some(line) = self.prove(&position, (nodes, None), control) {
                search.tree.prove(&path, Bounds::win(line.len() as u16));
            }
            search.tree.back_out(&path);
        }
    }
}

/// The first position of the best line not seen before, and the way there, which is held: nobody
/// recycles it until it is given back.
fn hold_unseen<V: Variant>(
    search: &Search<V>,
    seen: &mut HashSet<u64>,
) -> Option<(Vec<Index>, Position<V>)> {
    let tree = &search.tree;
    let _held = tree.arena.lock();
    let mut position = search.position.clone();
    let mut path = vec![search.root];
    loop {
        let last = *path.last()?;
        let best = |(_, child): &(_, Index)| tree.node(*child).visits();
        let (edge, child) = tree.visited(last).into_iter().max_by_key(best)?;
        if tree.node(child).visits() == 0 || tree.node(child).bounds().outcome().is_some() {
            return None;
        }
        position.play(edge.mv);
        path.push(child);
        if seen.insert(position.key()) {
            for &index in &path {
                tree.node(index).enter();
            }
            return Some((path, position));
        }
    }
}
