//! Who searches the leaves of a book: an engine here, or whoever else can.

use crate::WorkError;
use assembly::leaves::{Leaf, LeafLine, LeafSearcher};
use assembly::options::{EVAL_DIR, HASH, PV_INTERVAL, ROOT_MATE_NODES};
use book::BookMove;
use rules::{AnyPosition, Declaration, Game};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::key::universal::{MULTI_PV, THREADS};
use think::usual::ENTERING_KING_RULE;
use think::{Engine, Score, WallTime};

/// MiB of table of a search.
pub const TABLE: usize = 16;

/// Somebody who values the moves of positions.
pub trait Searcher: Send {
    /// Who it is, for the book: the source of its moves.
    fn name(&self) -> &str;

    /// So many of the best moves of each position with values and depths, in the order of the positions. A
    /// position that is over has none. `stop` breaks off, which is an interrupt.
    fn search(
        &mut self,
        positions: &[AnyPosition],
        lines: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError>;
}

/// Makes whoever searches by a fleet: that of a folder, or one in this process for `self`.
pub type ByFleet<'a> = &'a dyn Fn(&Path, &SearchSettings) -> Result<Box<dyn Searcher>, WorkError>;

/// For whoever has no fleet.
pub fn no_fleet(fleet: &Path, _: &SearchSettings) -> Result<Box<dyn Searcher>, WorkError> {
    Err(WorkError::Search(format!("there is no fleet here to take {}", fleet.display())))
}

/// What an engine is asked for.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    pub game: Game,
    pub nodes: u64,
    pub threads: usize,
    /// As `EvalDir`; the shipped net if missing.
    pub eval: Option<String>,
}

impl SearchSettings {
    /// An engine that is ready, and what it evaluates by.
    fn engine(&self) -> Result<(Box<dyn Engine>, String), WorkError> {
        // Every node is counted, and nothing depends on how long a search for a mate takes.
        let exact = vec![PV_INTERVAL.to(0), ROOT_MATE_NODES.to(0)];
        self.engine_with(WallTime::start().into(), TABLE, exact)
    }

    /// An engine as it plays in a match.
    pub(crate) fn player(
        &self,
        clock: Arc<WallTime>,
        table: usize,
    ) -> Result<(Box<dyn Engine>, String), WorkError> {
        self.engine_with(clock, table, Vec::new())
    }

    fn engine_with(
        &self,
        clock: Arc<WallTime>,
        table: usize,
        mut options: Vec<(&str, String)>,
    ) -> Result<(Box<dyn Engine>, String), WorkError> {
        let mut engine = assembly::engine(self.game, clock);
        options.extend([MULTI_PV.to(1), THREADS.to(self.threads), HASH.to(table)]);
        options.push(ENTERING_KING_RULE.to(Declaration::default().name().to_owned()));
        options.extend(self.eval.clone().map(|eval| EVAL_DIR.to(eval)));
        for (name, value) in options {
            engine.set_option(name, &value).map_err(WorkError::search)?;
        }
        let mut evaluation = String::new();
        engine.is_ready(&mut |note| {
            if let Some(text) = note.strip_prefix("evaluation: ") {
                text.clone_into(&mut evaluation);
            }
        });
        Ok((engine, evaluation))
    }

    /// Whose moves these are, as books name their source.
    pub fn source(&self) -> Result<String, WorkError> {
        self.engine().map(|(_, evaluation)| format!("search {} nodes, {evaluation}", self.nodes))
    }
}

/// Our engine, in this process.
pub struct LocalSearcher {
    searcher: LeafSearcher,
    name: String,
}

impl LocalSearcher {
    /// An engine that searches so many nodes.
    pub fn new(settings: &SearchSettings) -> Result<Self, WorkError> {
        let (engine, evaluation) = settings.engine()?;
        let name = format!("search {} nodes, {evaluation}", settings.nodes);
        Ok(Self { searcher: LeafSearcher::new(engine, (Some(settings.nodes), None), 1), name })
    }
}

/// What a search found, as a book has it. A position won by declaration has no moves.
pub fn moves_of(leaf: &Leaf, source: &str) -> Vec<BookMove> {
    let valued = |line: &LeafLine| {
        let mut m = BookMove::valued(line.moves[0], centipawns(line.score), line.depth);
        m.reply = line.moves.get(1).copied();
        m.source = Some(source.into());
        m
    };
    leaf.lines.iter().map(valued).collect()
}

/// A score as books have it: mates are far away, the nearer the farther.
fn centipawns(score: Score) -> i32 {
    let mate = |plies: Option<u32>| 32_000 - plies.unwrap_or(1000).min(1000) as i32;
    match score {
        Score::Cp(value) => value.clamp(-30_000, 30_000),
        Score::Mate(plies) => mate(plies),
        Score::Mated(plies) => -mate(plies),
    }
}

impl Searcher for LocalSearcher {
    fn name(&self) -> &str {
        &self.name
    }

    fn search(
        &mut self,
        positions: &[AnyPosition],
        lines: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError> {
        self.searcher.tell_lines(lines.max(1)).map_err(WorkError::search)?;
        let mut found = Vec::new();
        for position in positions {
            let leaf = self.searcher.search(position, stop).map_err(WorkError::search)?;
            let leaf = leaf.ok_or_else(WorkError::interrupted)?;
            found.push(moves_of(&leaf, &self.name));
        }
        Ok(found)
    }
}

/// How many lines are asked for, and when for more: a position in which many moves are nearly as good as
/// the best is not known by its first few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width {
    /// Lines asked for at first, and more each time.
    pub lines: usize,
    /// The last line must be so much worse than the first, else more are asked for.
    pub margin: i32,
    /// Never more.
    pub most: usize,
}

/// Searches positions, those with more lines again in which the last line told is still nearly as good as the
/// first.
pub fn search_widened(
    searcher: &mut dyn Searcher,
    positions: &[AnyPosition],
    width: Width,
    stop: &AtomicBool,
) -> Result<Vec<Vec<BookMove>>, WorkError> {
    let mut lines = width.lines.max(1);
    let mut found = searcher.search(positions, lines, stop)?;
    loop {
        let is_narrow = |moves: &Vec<BookMove>, position: &AnyPosition| {
            let value = |m: Option<&BookMove>| m.and_then(|m| m.value);
            let (Some(first), Some(last)) = (value(moves.first()), value(moves.last())) else {
                return false;
            };
            moves.len() == lines
                && lines < position.legal_moves().len()
                && first.abs() < 10_000
                && first - last <= width.margin
        };
        let again: Vec<usize> = (0..positions.len())
            .filter(|&index| is_narrow(&found[index], &positions[index]))
            .collect();
        if again.is_empty() || width.margin <= 0 || lines + width.lines.max(1) > width.most {
            return Ok(found);
        }
        lines += width.lines.max(1);
        let some: Vec<AnyPosition> = again.iter().map(|&index| positions[index].clone()).collect();
        for (index, moves) in again.into_iter().zip(searcher.search(&some, lines, stop)?) {
            found[index] = moves;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_engine_values_the_moves_of_positions() {
        let settings = SearchSettings {
            game: Game::Minishogi,
            nodes: 300,
            threads: 1,
            eval: Some("material".to_owned()),
        };
        let mut searcher = LocalSearcher::new(&settings).unwrap();
        assert!(searcher.name().starts_with("search 300 nodes, "), "{}", searcher.name());
        assert_eq!(searcher.name(), settings.source().unwrap());
        let start = AnyPosition::startpos(Game::Minishogi);
        let mated = AnyPosition::from_sfen(Game::Minishogi, "4k/4G/4P/5/K4 w - 1").unwrap();
        let positions = [start.clone(), mated, start.clone()];
        let (on, off) = (AtomicBool::new(false), AtomicBool::new(true));
        let found = searcher.search(&positions, 3, &on).unwrap();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 0, 3]);
        assert_eq!(found[0], found[2], "whatever came before");
        assert!(found[0].iter().all(|m| start.why_illegal(m.mv).is_none()));
        assert!(found[0].windows(2).all(|pair| pair[0].value >= pair[1].value));
        let stopped = searcher.search(&positions, 3, &off);
        assert!(stopped.is_err_and(|error| error.is_interrupt()));
    }

    #[test]
    fn nearer_mates_are_worth_more() {
        let worths = [
            Score::Mated(Some(2)),
            Score::Mated(None),
            Score::Cp(-90_000),
            Score::Cp(90_000),
            Score::Mate(None),
            Score::Mate(Some(1)),
        ];
        assert!(worths.map(centipawns).windows(2).all(|pair| pair[0] < pair[1]));
    }

    /// The n-th move of a position is worth n steps less than its first.
    struct Steps(i32, Vec<(usize, usize)>);

    impl Searcher for Steps {
        fn name(&self) -> &str {
            "steps"
        }

        fn search(
            &mut self,
            positions: &[AnyPosition],
            lines: usize,
            _: &AtomicBool,
        ) -> Result<Vec<Vec<BookMove>>, WorkError> {
            self.1.push((positions.len(), lines));
            let value = |position: &AnyPosition| {
                let moves = position.legal_moves();
                let step = if position.turn() == rules::Color::Black { self.0 } else { 1000 };
                let valued = moves.iter().enumerate().take(lines);
                valued.map(|(n, &mv)| BookMove::valued(mv, -(n as i32) * step, 1)).collect()
            };
            Ok(positions.iter().map(value).collect())
        }
    }

    #[test]
    fn positions_with_many_good_moves_are_searched_wider() {
        let start = AnyPosition::startpos(Game::Minishogi);
        let mut after = start.clone();
        after.play(start.legal_moves()[0]);
        let (positions, on) = ([start, after], AtomicBool::new(false));
        let width = |most| Width { lines: 4, margin: 50, most };
        let mut steps = Steps(10, Vec::new());
        let found = search_widened(&mut steps, &positions, width(12), &on).unwrap();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [8, 4], "70 below is enough");
        assert_eq!(steps.1, [(2, 4), (1, 8)]);
        let mut flat = Steps(0, Vec::new());
        let found = search_widened(&mut flat, &positions, width(8), &on).unwrap();
        assert_eq!(found[0].len(), 8, "never more than asked for");
        let mut narrow = Steps(0, Vec::new());
        let never = Width { margin: 0, ..width(100) };
        let found = search_widened(&mut narrow, &positions, never, &on).unwrap();
        assert_eq!((found[0].len(), narrow.1.len()), (4, 1));
    }
}
