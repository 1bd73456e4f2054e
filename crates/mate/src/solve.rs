//! Questions and answers: is there a forced mate, in which line, how short.

use crate::budget::{Budget, Unknown, Watch};
use crate::dfpn::Searcher;
use crate::node::Outcome;
use crate::table::{Table, UNLIMITED};
use crate::tree::{self, Tree};
use rules::{Move, Position, Variant};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use think::{Control, TimeSource};

/// What bounds a question.
#[derive(Clone, Debug)]
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

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// A mate: the line of best defence against the proof's moves.
    pub line: Vec<Move>,
    /// A mate: whether it is certain that none is shorter.
    pub is_shortest: bool,
    /// Nodes searched.
    pub nodes: u64,
}

/// Solves a position for the side to move.
pub fn solve<V: Variant>(
    pos: &Position<V>,
    bounds: &Bounds,
    control: &Control,
    time: &dyn TimeSource,
) -> Solution {
    let table = Table::new(bounds.hash);
    let budget = Budget {
        control,
        time,
        deadline: bounds.time.map(|t| time.now() + t),
        most_nodes: bounds.nodes.unwrap_or(u64::MAX),
        nodes: AtomicU64::new(0),
        settled: AtomicBool::new(false),
    };
    let outcome = search(pos, &table, &budget, bounds.threads, UNLIMITED);
    let nodes = |b: &Budget<'_>| b.nodes.load(Ordering::Relaxed);
    let none = |verdict| Solution { verdict, line: Vec::new(), is_shortest: false, nodes: nodes(&budget) };
    match outcome {
        Err(why) => none(Verdict::Unknown(why)),
        Ok(o) if o.is_disproof() => none(Verdict::NoMate),
        Ok(o) => {
            let mut more = 0;
            let mut watch = Watch::new(&budget, &table, 0);
            match tree::build(pos, &table, o.plies, &mut watch, &mut more) {
                Some(tree) => finish(pos, &tree, nodes(&budget)),
                None => none(Verdict::Unknown(watch.reason.unwrap_or(Unknown::Memory))),
            }
        }
    }
}

fn finish<V: Variant>(pos: &Position<V>, tree: &Tree, nodes: u64) -> Solution {
    Solution { verdict: Verdict::Mate, line: tree.line(pos), is_shortest: false, nodes }
}

/// Searches with several threads until one of them has settled it.
fn search<V: Variant>(
    pos: &Position<V>,
    table: &Table,
    budget: &Budget<'_>,
    threads: usize,
    plies: u16,
) -> Result<Outcome, Unknown> {
    budget.settled.store(false, Ordering::Relaxed);
    let answer = Mutex::new(Err(Unknown::Stopped));
    std::thread::scope(|scope| {
        for n in 0..threads.max(1) {
            let (answer, pos) = (&answer, pos.clone());
            scope.spawn(move || {
                let mut searcher = Searcher::new(pos, table, n as u64);
                let mut watch = Watch::new(budget, table, 0);
                let outcome = searcher.search(plies, &mut watch);
                let left = searcher.nodes - watch.counted;
                budget.nodes.fetch_add(left, Ordering::Relaxed);
                let mut answer = answer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if let Some(o) = outcome {
                    *answer = Ok(o);
                    budget.settled.store(true, Ordering::Relaxed);
                } else if let (Some(why), true) = (watch.reason, answer.is_err()) {
                    *answer = Err(why);
                }
            });
        }
    });
    answer.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}
