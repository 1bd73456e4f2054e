//! What gives positions scores: a net's own value, or a search.

use assembly::evaluation::Evaluation;
use assembly::options::{HASH, ROOT_MATE_NODES, THREADS};
use rules::{AnyPosition, Game};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use teacher::{mate_score, plain_score};
use think::{Best, Bound, Engine, Info, Limits, MateAnswer, Report, Score, WallTime, to_units};

/// How a position is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// The net's own value.
    Static,
    /// A search of so many nodes.
    Nodes(u64),
    /// A search of so many plies.
    Depth(u32),
}

impl Limit {
    /// Nodes a position takes, roughly.
    pub(crate) const fn nodes(self) -> u64 {
        match self {
            Self::Static => 0,
            Self::Nodes(nodes) => nodes,
            // About a factor of two a ply.
            Self::Depth(depth) => 100 << if depth < 30 { depth } else { 30 },
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static => f.write_str("static"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

/// Gives scores; belongs to one thread.
pub(crate) struct Scorer {
    engine: Box<dyn Engine>,
    limit: Limit,
}

impl Scorer {
    pub(crate) fn new(game: Game, evaluation: &Evaluation, limit: Limit, hash: u32) -> Self {
        let mut engine = assembly::search(game, evaluation, Arc::new(WallTime::start()));
        // The search for a mate before the search would cost more than a short search itself.
        for (name, value) in [HASH.to(hash as usize), THREADS.to(1), ROOT_MATE_NODES.to(0)] {
            // Options every search of ours has, and the values are in their range.
            let _ = engine.set_option(name, &value);
        }
        if limit != Limit::Static {
            engine.is_ready(&mut |_| ());
        }
        Self { engine, limit }
    }

    /// Forgets everything: what comes does not depend on what was.
    pub(crate) fn forget(&mut self) {
        if self.limit != Limit::Static {
            self.engine.new_game();
        }
    }

    /// The score for the side to move as teacher files have it; `None` where there is none.
    pub(crate) fn score(&mut self, position: &AnyPosition) -> Option<i16> {
        self.engine.set_position(position.clone()).ok()?;
        let (nodes, depth) = match self.limit {
            Limit::Static => {
                return self.engine.static_value().map(|value| plain_score(to_units(value)));
            }
            Limit::Nodes(nodes) => (Some(nodes), None),
            Limit::Depth(depth) => (None, Some(depth)),
        };
        let mut last = LastScore(None);
        self.engine.think(Limits { nodes, depth, ..Limits::default() }, &mut last);
        last.0.map(|score| match score {
            Score::Cp(value) => plain_score(to_units(value)),
            Score::Mate(plies) => mate_score(plies),
            Score::Mated(plies) => -mate_score(plies),
        })
    }
}

/// Keeps the last score of a search that was not a bound.
struct LastScore(Option<Score>);

impl Report for LastScore {
    fn info(&mut self, info: &Info) {
        if let Some((score, Bound::Exact)) = info.score {
            self.0 = Some(score);
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, _: &Best) {}

    fn mate(&mut self, _: &MateAnswer) {}
}
