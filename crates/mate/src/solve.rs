//! Questions and answers: is there a forced mate, in which line, how short, with which moves.

use crate::budget::{Budget, Unknown, Watch};
use crate::counted::{Counted, Counter};
use crate::dfpn::Searcher;
use crate::futile::{self, Futile};
use crate::node::NodeValue;
use crate::proof;
use crate::refutation;
use crate::table::{Table, UNLIMITED};
use crate::tree::{Branch, Builder, Tree};
use rules::{AnyPosition, Color, Gen, Move, MoveList, Position, Variant};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::{Control, Moment, TimeSource};

/// What bounds a question, and how thorough the answer is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Time, if limited.
    pub time: Option<Duration>,
    /// Nodes over all threads, if limited.
    pub nodes: Option<u64>,
    /// Bytes of the table.
    pub hash: usize,
    /// Threads, at least one.
    pub threads: usize,
    /// Whether to go on until the shortest mate is certain.
    pub shortest: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { time: None, nodes: None, hash: 256 << 20, threads: 1, shortest: false }
    }
}

impl Bounds {
    /// Bytes of table that one node can fill, with every check and every reply to it.
    const PER_NODE: usize = 8 << 10;
    const LEAST: usize = 256 << 10;

    /// Bytes of the table that is made: what is asked for, but no more than the nodes can fill.
    /// A glance of a few nodes before every move of a game must not clear megabytes first.
    pub fn table_bytes(&self) -> usize {
        let most = self.nodes.map_or(usize::MAX, |nodes| {
            usize::try_from(nodes).unwrap_or(usize::MAX).saturating_mul(Self::PER_NODE)
        });
        self.hash.min(most.max(Self::LEAST))
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Forced mate.
    Mate,
    /// Proven: the attacker cannot force mate by checks.
    NoMate,
    /// Neither could be shown.
    Unknown(Unknown),
}

/// The answer with its circumstances.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Mate or not.
    pub verdict: Verdict,
    /// A mate: the line of best defence against the proof's moves, every legal reply counted.
    pub line: Vec<Move>,
    /// A mate: the plies of the line without interpositions that are futile by the plain
    /// definition (see [`crate::futile`]).
    pub plain_plies: usize,
    /// A mate: whether it is certain that none is shorter.
    pub is_shortest: bool,
    /// A mate: the defender's other replies along the line.
    pub branches: Vec<Branch>,
    /// Nodes searched so far by the solver.
    pub nodes: u64,
    tree: Option<Tree>,
}

impl Solution {
    /// A solution that was found somewhere else. It has no tree: further questions are for whoever found it.
    pub const fn told(
        verdict: Verdict,
        line: Vec<Move>,
        (plain_plies, is_shortest): (usize, bool),
        branches: Vec<Branch>,
        nodes: u64,
    ) -> Self {
        Self { verdict, line, plain_plies, is_shortest, branches, nodes, tree: None }
    }

    fn without_line(verdict: Verdict, nodes: u64) -> Self {
        let (line, branches, plain_plies) = (Vec::new(), Vec::new(), 0);
        Self { verdict, line, plain_plies, is_shortest: false, branches, nodes, tree: None }
    }
}

/// A first move, or a move along the line, and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Try {
    /// How many moves of the line were played before.
    pub at: usize,
    /// The attacker's move.
    pub m: Move,
    /// Whether it mates.
    pub verdict: Verdict,
    /// Plies until mate, this move included, where it mates.
    pub plies: u16,
}

/// A memory is crowded when it has given up this part of what it holds.
const CROWDED: f64 = 0.25;

/// What solvers have read. One that is kept serves further solvers, of any positions in which the same side
/// attacks: a mate does not depend on how its position was reached.
#[derive(Clone)]
pub struct Memory(Arc<Table>);

impl Memory {
    /// A memory of about that many bytes.
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Table::new(bytes)))
    }

    /// Its size, in whole MiB.
    pub fn mib(&self) -> usize {
        self.0.bytes() >> 20
    }

    /// Whether much is being given up for want of room.
    pub fn is_crowded(&self) -> bool {
        self.0.turnover() > CROWDED
    }

    /// A memory of about that many bytes that knows what this one knows.
    pub fn grown(&self, bytes: usize) -> Self {
        let table = Table::new(bytes);
        self.0.copy_to(&table);
        Self(Arc::new(table))
    }

    /// Begins another search: how often entries were given up is counted from now.
    pub fn begin(&self) {
        self.0.begin();
    }
}

/// Solves one position and answers further questions about it from the same memory.
///
/// The game is not in its type: everything behind it is compiled here, not in the crates that ask.
pub struct Solver<'a> {
    pos: AnyPosition,
    table: Arc<Table>,
    budget: Budget<'a>,
    bounds: Bounds,
    started: Moment,
}

/// The same for a position of whichever game.
macro_rules! each {
    ($position:expr, $p:ident => $answer:expr) => {
        match $position {
            AnyPosition::Shogi($p) => $answer,
            AnyPosition::Minishogi($p) => $answer,
        }
    };
}

/// How long writing down a disproof may take where nobody said so: so many times what the search
/// took, and this long at least. The set of positions can be thousands of times what the search
/// had to look at.
const DISPROOF_SHARE: u32 = 10;
const DISPROOF_LEAST: Duration = Duration::from_secs(60);

/// Solves a position for the side to move.
pub fn solve<V: Variant>(
    pos: &Position<V>,
    bounds: &Bounds,
    control: &Control,
    time: &dyn TimeSource,
) -> Solution {
    Solver::new(pos, bounds, control, time).solve()
}

impl<'a> Solver<'a> {
    /// A solver for the side to move. The time runs from now.
    pub fn new<V: Variant>(
        pos: &Position<V>,
        bounds: &Bounds,
        control: &'a Control,
        time: &'a dyn TimeSource,
    ) -> Self {
        Self::of(V::any(pos.without_history()), bounds, control, time)
    }

    /// A solver that goes on from what others have read, whatever table the bounds ask for.
    pub fn remembering<V: Variant>(
        pos: &Position<V>,
        bounds: &Bounds,
        control: &'a Control,
        time: &'a dyn TimeSource,
        memory: &Memory,
    ) -> Self {
        Self::over(V::any(pos.without_history()), bounds, control, time, Arc::clone(&memory.0))
    }

    /// The same for a position of either game, which has no history.
    pub(crate) fn of(
        pos: AnyPosition,
        bounds: &Bounds,
        control: &'a Control,
        time: &'a dyn TimeSource,
    ) -> Self {
        Self::over(pos, bounds, control, time, Arc::new(Table::new(bounds.table_bytes())))
    }

    fn over(
        pos: AnyPosition,
        bounds: &Bounds,
        control: &'a Control,
        time: &'a dyn TimeSource,
        table: Arc<Table>,
    ) -> Self {
        let budget = Budget {
            control,
            time,
            deadline: bounds.time.map(|t| time.now() + t),
            most_nodes: bounds.nodes.unwrap_or(u64::MAX),
            nodes: AtomicU64::new(0),
            settled: AtomicBool::new(false),
        };
        Self { pos, table, budget, bounds: bounds.clone(), started: time.now() }
    }

    /// Nodes searched so far.
    pub fn nodes(&self) -> u64 {
        self.budget.nodes.load(Ordering::Relaxed)
    }

    /// Proof and disproof number of the solver's position as far as it was read: how much is left to do
    /// at least to prove the mate, and to refute it.
    pub fn numbers(&self) -> Option<(u32, u32)> {
        each!(&self.pos, pos => {
            let known = self.table.look(pos.board_key(), pos.hand(pos.turn()), UNLIMITED);
            known.filter(|e| e.amount > 0).map(|e| (e.pn, e.dn))
        })
    }

    /// Mate or not.
    pub fn solve(&mut self) -> Solution {
        each!(&self.pos, pos => self.ask(pos, None))
    }

    /// Mate or not, from a position of the problem, beginning with `first` if given.
    fn ask<V: Variant>(&self, pos: &Position<V>, first: Option<Move>) -> Solution {
        let attacker = pos.turn();
        let mut root = pos.clone();
        if let Some(m) = first {
            root.play(m);
        }
        let begun = u16::from(first.is_some());
        let found = self.search(&root, attacker, UNLIMITED).and_then(|o| {
            if o.is_disproof() {
                return Ok(None);
            }
            let tree = self.tree(pos, o.plies + begun, first)?;
            self.shorten(pos, &root, first, tree).map(Some)
        });
        match found {
            Err(why) => Solution::without_line(Verdict::Unknown(why), self.nodes()),
            Ok(None) => Solution::without_line(Verdict::NoMate, self.nodes()),
            Ok(Some((tree, is_shortest))) => {
                let line = tree.line(pos);
                let plain_plies = futile::plain_plies(pos, &line);
                let branches = tree.branches(pos, &line);
                let (verdict, nodes) = (Verdict::Mate, self.nodes());
                let tree = Some(tree);
                Solution { verdict, line, plain_plies, is_shortest, branches, nodes, tree }
            }
        }
    }

    /// Asks for ever shorter mates until there is none, where that is wanted. Also says whether
    /// the shortest is certain.
    fn shorten<V: Variant>(
        &self,
        pos: &Position<V>,
        root: &Position<V>,
        first: Option<Move>,
        mut tree: Tree,
    ) -> Result<(Tree, bool), Unknown> {
        let attacker = pos.turn();
        let begun = u16::from(first.is_some());
        loop {
            let plies = tree.step(pos, attacker).map_or(1, |s| s.plies);
            if plies <= 1 {
                return Ok((tree, true));
            }
            if !self.bounds.shortest {
                return Ok((tree, false));
            }
            // What was found stays found, whatever ends the search for something better.
            let Ok(o) = self.search(root, attacker, plies - 2 - begun) else {
                return Ok((tree, false));
            };
            if o.is_disproof() {
                return Ok((tree, true));
            }
            match self.tree(pos, o.plies + begun, first) {
                Ok(shorter) => tree = shorter,
                Err(_) => return Ok((tree, false)),
            }
        }
    }

    fn tree<V: Variant>(
        &self,
        pos: &Position<V>,
        within: u16,
        first: Option<Move>,
    ) -> Result<Tree, Unknown> {
        self.budget.settled.store(false, Ordering::Relaxed);
        let mut watch = Watch::new(&self.budget, &self.table);
        let tree = Builder::new(pos, &self.table, &mut watch).build(within, first);
        tree.ok_or(watch.reason.unwrap_or(Unknown::Memory))
    }

    /// Every check of the position and whether it mates.
    pub fn first_moves(&mut self) -> Vec<Try> {
        each!(&self.pos, pos => self.options(pos, 0, None))
    }

    /// Moves of the attacker besides those of a line that mate as well (余詰, cooks), and those
    /// that could not be settled.
    pub fn cooks(&mut self, line: &[Move]) -> Vec<Try> {
        each!(&self.pos, pos => self.cooks_from(pos.clone(), line))
    }

    fn cooks_from<V: Variant>(&self, mut pos: Position<V>, line: &[Move]) -> Vec<Try> {
        let mut cooks = Vec::new();
        for (at, &m) in line.iter().enumerate() {
            if at % 2 == 0 {
                let others = self.options(&pos, at, Some(m));
                cooks.extend(others.into_iter().filter(|o| o.verdict != Verdict::NoMate));
            }
            pos.play(m);
        }
        cooks
    }

    fn options<V: Variant>(&self, pos: &Position<V>, at: usize, except: Option<Move>) -> Vec<Try> {
        let mut list = MoveList::new();
        pos.generate(Gen::Checks, &mut list);
        let moves = list.iter().copied().filter(|&m| Some(m) != except);
        moves
            .map(|m| {
                let s = self.ask(pos, Some(m));
                let plies = u16::try_from(s.line.len()).unwrap_or(u16::MAX);
                Try { at, m, verdict: s.verdict, plies }
            })
            .collect()
    }

    /// Length and line of a solution of this solver as a definition of futile interpositions
    /// counts them; the shortest if the bounds ask for it.
    pub fn counted(&mut self, solution: &Solution, futile: Futile) -> Result<Counted, Unknown> {
        if let Verdict::Unknown(why) = solution.verdict {
            return Err(why);
        }
        self.budget.settled.store(false, Ordering::Relaxed);
        let mut watch = Watch::new(&self.budget, &self.table);
        let within = u16::try_from(solution.line.len()).unwrap_or(u16::MAX - 1);
        each!(&self.pos, pos => {
            let counter = Counter {
                table: &self.table,
                watch: &mut watch,
                futile,
                attacker: pos.turn(),
                pos: pos.clone(),
                exact: self.bounds.shortest,
            };
            counter.count(within)
        })
    }

    /// The proof or disproof of a solution of this solver, as the bytes of a proof file.
    pub fn proof(&mut self, solution: &Solution) -> Result<Vec<u8>, Unknown> {
        match (&solution.verdict, &solution.tree) {
            (Verdict::Mate, Some(tree)) => Ok(each!(&self.pos, pos => proof::of_mate(pos, tree))),
            (Verdict::NoMate, _) => self.disproof(),
            (Verdict::Unknown(why), _) => Err(*why),
            (Verdict::Mate, None) => Err(Unknown::Memory),
        }
    }

    fn disproof(&mut self) -> Result<Vec<u8>, Unknown> {
        self.budget.settled.store(false, Ordering::Relaxed);
        let unlimited = self.budget.deadline.is_none();
        if unlimited {
            let now = self.budget.time.now();
            let searched = now.saturating_sub(self.started);
            self.budget.deadline = Some(now + (searched * DISPROOF_SHARE).max(DISPROOF_LEAST));
        }
        let mut watch = Watch::new(&self.budget, &self.table);
        let set = each!(&self.pos, pos => refutation::build(pos, &self.table, &mut watch));
        let why = match watch.reason {
            Some(Unknown::Time) if unlimited => Unknown::GivenUp,
            why => why.unwrap_or(Unknown::Memory),
        };
        if unlimited {
            self.budget.deadline = None;
        }
        set.map(|set| each!(&self.pos, pos => proof::of_no_mate(pos, &set))).ok_or(why)
    }

    /// Searches with several threads until one of them has settled it.
    fn search<V: Variant>(
        &self,
        pos: &Position<V>,
        attacker: Color,
        plies: u16,
    ) -> Result<NodeValue, Unknown> {
        let budget = &self.budget;
        if pos.king(attacker.opponent()).is_none() {
            return Ok(NodeValue::disproof(pos.hand(attacker), UNLIMITED, crate::node::NO_LOOP));
        }
        budget.settled.store(false, Ordering::Relaxed);
        let answer = Mutex::new(Err(Unknown::Stopped));
        let one = |salt: u64| {
            let mut searcher = Searcher::new(pos, attacker, &self.table, salt);
            let mut watch = Watch::new(budget, &self.table);
            let value = searcher.search(plies, &mut watch);
            budget.nodes.fetch_add(searcher.nodes - watch.counted, Ordering::Relaxed);
            let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(o) = value {
                *answer = Ok(o);
                budget.settled.store(true, Ordering::Relaxed);
            } else if let (Some(why), true) = (watch.reason, answer.is_err()) {
                *answer = Err(why);
            }
        };
        if self.bounds.threads <= 1 {
            one(0);
        } else {
            std::thread::scope(|scope| {
                for salt in 0..self.bounds.threads as u64 {
                    let one = &one;
                    scope.spawn(move || one(salt));
                }
            });
        }
        answer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
