//! When to stop: time, nodes, a table turned over too often, somebody's wish, another thread's
//! success.

use crate::dfpn::StopCheck;
use crate::table::Table;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use think::{Control, TimeSource};

/// Why a question stayed open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The time was over.
    Time,
    /// The nodes were used up.
    Nodes,
    /// The table is too small for this problem.
    Memory,
    /// Somebody asked to stop.
    Stopped,
    /// A disproof took far longer than the search, and nobody said how long it may take.
    GivenUp,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Time => "out of time",
            Self::Nodes => "out of nodes",
            Self::Memory => "the table is too small",
            Self::Stopped => "stopped",
            Self::GivenUp => {
                "given up: it would take far longer than the search, and no time was set for it"
            }
        })
    }
}

/// A table whose every entry was given up that often is not getting anywhere.
const MOST_TURNOVER: f64 = 60.0;

/// What all searchers of one question share.
pub(crate) struct Budget<'a> {
    pub(crate) control: &'a Control,
    pub(crate) time: &'a dyn TimeSource,
    /// When to stop, by `time`.
    pub(crate) deadline: Option<Duration>,
    pub(crate) most_nodes: u64,
    pub(crate) nodes: AtomicU64,
    /// Set when one of several searchers has settled the question.
    pub(crate) settled: AtomicBool,
}

impl Budget<'_> {
    /// Why to stop now, if so.
    pub(crate) fn exhausted(&self, table: &Table) -> Option<Unknown> {
        if self.control.is_stopped() {
            Some(Unknown::Stopped)
        } else if self.nodes.load(Ordering::Relaxed) >= self.most_nodes {
            Some(Unknown::Nodes)
        } else if self.deadline.is_some_and(|at| self.time.now() >= at) {
            Some(Unknown::Time)
        } else if table.turnover() > MOST_TURNOVER {
            Some(Unknown::Memory)
        } else {
            None
        }
    }
}

/// One searcher's view of the budget.
pub(crate) struct Watch<'a, 'b> {
    pub(crate) budget: &'a Budget<'b>,
    pub(crate) table: &'a Table,
    /// Nodes of this searcher already added to the common count.
    pub(crate) counted: u64,
    pub(crate) reason: Option<Unknown>,
}

impl<'a, 'b> Watch<'a, 'b> {
    pub(crate) fn new(budget: &'a Budget<'b>, table: &'a Table) -> Self {
        Self { budget, table, counted: 0, reason: None }
    }
}

impl StopCheck for Watch<'_, '_> {
    fn stops(&mut self, nodes: u64) -> bool {
        // A count that falls is that of a new searcher.
        let more = nodes.checked_sub(self.counted).unwrap_or(nodes);
        self.budget.nodes.fetch_add(more, Ordering::Relaxed);
        self.counted = nodes;
        if self.budget.settled.load(Ordering::Relaxed) {
            return true;
        }
        self.reason = self.budget.exhausted(self.table);
        self.reason.is_some()
    }
}
