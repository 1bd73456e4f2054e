//! Positions searched for their best moves, for books: each as if it were the first, with values and not with bounds.

use rules::{AnyPosition, Move};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::key::universal::MULTI_PV;
use think::{
    Answer, Best, Bound, Engine, Info, Limits, MateAnswer, OptionError, Report, Score, WrongGame,
};

/// Nodes beyond which a search that has found no value is not repeated with more.
const MOST_NODES: u64 = 100_000;

/// What a search found in a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leaf {
    /// The best moves and what follows them, the best first. None where there is no legal move, and none where the side
    /// to move declares.
    pub lines: Vec<LeafLine>,
    /// The side to move wins by declaration.
    pub declares: bool,
    pub nodes: u64,
}

/// One of the best moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeafLine {
    /// At least one.
    pub moves: Vec<Move>,
    /// For the side to move in the leaf.
    pub score: Score,
    pub depth: u32,
}

/// Why nothing was found.
#[derive(Debug, thiserror::Error)]
pub enum LeafError {
    #[error(transparent)]
    Game(#[from] WrongGame),
    #[error("the search ended without a value")]
    NoValue,
}

/// What orders scores.
pub fn worth(score: Score) -> i64 {
    const MATE: i64 = 1 << 40;
    let plies = |plies: Option<u32>| i64::from(plies.unwrap_or(u32::MAX));
    match score {
        Score::Cp(cp) => cp.into(),
        Score::Mate(moves) => MATE - plies(moves),
        Score::Mated(moves) => plies(moves) - MATE,
    }
}

/// Searches leaves, one at a time, each as if it were the first.
pub struct LeafSearcher {
    engine: Box<dyn Engine>,
    nodes: Option<u64>,
    depth: Option<u32>,
    lines: usize,
}

impl LeafSearcher {
    /// With an engine that is ready and tells so many lines; nodes, depth or whichever comes first end a search.
    pub fn new(
        engine: Box<dyn Engine>,
        (nodes, depth): (Option<u64>, Option<u32>),
        lines: usize,
    ) -> Self {
        Self { engine, nodes, depth, lines }
    }

    /// From now on so many lines are told.
    pub fn tell_lines(&mut self, lines: usize) -> Result<(), OptionError> {
        let (name, value) = MULTI_PV.to(lines);
        self.engine.set_option(name, &value)?;
        self.lines = lines;
        Ok(())
    }

    /// Searches a position; `None` if it was broken off.
    pub fn search(
        &mut self,
        position: &AnyPosition,
        abandoned: &AtomicBool,
    ) -> Result<Option<Leaf>, LeafError> {
        let legal = position.legal_moves().len();
        if legal == 0 {
            return Ok(Some(Leaf::default()));
        }
        let (mut nodes, wanted) = (self.nodes, legal.min(self.lines));
        loop {
            self.engine.new_game();
            self.engine.set_position(position.without_history())?;
            let found =
                self.ask(Limits { nodes, depth: self.depth, ..Limits::default() }, abandoned);
            if abandoned.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if found.best == Some(Answer::Win) {
                return Ok(Some(Leaf { declares: true, ..Leaf::default() }));
            }
            let complete = found.lines(wanted);
            match nodes {
                // Few nodes do not even suffice for one ply of every line.
                Some(few) if complete.is_none() && few < MOST_NODES => nodes = Some(4 * few),
                _ => {
                    let lines = complete.ok_or(LeafError::NoValue)?;
                    return Ok(Some(Leaf { lines, declares: false, nodes: found.nodes }));
                }
            }
        }
    }

    /// One search, stopped when everything is broken off.
    fn ask(&mut self, limits: Limits, abandoned: &AtomicBool) -> Found {
        const GLANCE: Duration = Duration::from_millis(20);
        let found = Arc::new(Mutex::new(Found::default()));
        self.engine.go(limits, Box::new(Listener(Arc::clone(&found))));
        let (control, over) = (self.engine.control(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    if abandoned.load(Ordering::Relaxed) {
                        control.stop();
                    }
                    std::thread::park_timeout(GLANCE);
                }
            });
            self.engine.wait();
            over.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
        });
        std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for LeafSearcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (nodes, depth, lines) = (self.nodes, self.depth, self.lines);
        let mut text = f.debug_struct("LeafSearcher");
        text.field("nodes", &nodes).field("depth", &depth).field("lines", &lines);
        text.finish_non_exhaustive()
    }
}

/// What an engine said.
#[derive(Default)]
struct Found {
    /// The lines under way, by rank.
    current: Vec<LeafLine>,
    /// The longest list of lines that belong together, the latest of them.
    whole: Vec<LeafLine>,
    best: Option<Answer>,
    nodes: u64,
}

impl Found {
    /// So many lines that belong together, the best first.
    fn lines(&self, wanted: usize) -> Option<Vec<LeafLine>> {
        let mut lines = self.whole.clone();
        lines.sort_by_key(|line| std::cmp::Reverse(worth(line.score)));
        (lines.len() == wanted).then_some(lines)
    }
}

struct Listener(Arc<Mutex<Found>>);

impl Report for Listener {
    fn info(&mut self, info: &Info) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.nodes = info.nodes.unwrap_or(0).max(found.nodes);
        let Some((score, bound)) = info.score else { return };
        if info.pv.is_empty() {
            return;
        }
        let rank = info.multipv.unwrap_or(1).max(1) as usize - 1;
        // Bounds are told on the way to a value, and where a search was broken off on it: the lines after one do not belong to
        // those before it, and may begin with the same move.
        found.current.truncate(rank);
        if bound == Bound::Exact && rank == found.current.len() {
            let (moves, depth) = (info.pv.clone(), info.depth.unwrap_or(0));
            found.current.push(LeafLine { moves, score, depth });
            // Lines of an older iteration are kept until there are as many of the newer one.
            if found.current.len() >= found.whole.len() {
                found.whole = found.current.clone();
            }
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).best = Some(best.answer);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of what an engine says.
    fn heard(told: &[(u32, i32, Bound)]) -> Option<Vec<(i32, u32)>> {
        let found = Arc::new(Mutex::new(Found::default()));
        let mut listener = Listener(Arc::clone(&found));
        let start = AnyPosition::startpos(rules::Game::Minishogi);
        for (number, &(rank, value, bound)) in told.iter().enumerate() {
            listener.info(&Info {
                multipv: Some(rank),
                score: Some((Score::Cp(value), bound)),
                depth: Some(number as u32),
                pv: start.legal_moves()[..1].to_vec(),
                ..Info::default()
            });
        }
        let lines = found.lock().unwrap().lines(2)?;
        let read = |line: &LeafLine| match line.score {
            Score::Cp(value) => (value, line.depth),
            _ => unreachable!("no mates were told"),
        };
        Some(lines.iter().map(read).collect())
    }

    #[test]
    fn bounds_are_no_values_and_lines_belong_together() {
        let exact = |rank, value| (rank, value, Bound::Exact);
        assert_eq!(heard(&[exact(1, 5)]), None, "one of two");
        assert_eq!(heard(&[exact(1, 5), exact(2, 9)]), Some(vec![(9, 1), (5, 0)]));
        // The next iteration failed high and was broken off: what is told of it is not a value.
        let high = [exact(1, 5), exact(2, 1), (1, 900, Bound::Lower)];
        assert_eq!(heard(&high), Some(vec![(5, 0), (1, 1)]));
        // Nor do the lines after it belong to the iteration before.
        let mixed = [exact(1, 5), exact(2, 1), (1, 900, Bound::Lower), exact(2, 6)];
        assert_eq!(heard(&mixed), Some(vec![(5, 0), (1, 1)]));
        // Half of an iteration does not mix with the one before.
        let half = [exact(1, 5), exact(2, 1), exact(1, -7)];
        assert_eq!(heard(&half), Some(vec![(5, 0), (1, 1)]));
    }
}
