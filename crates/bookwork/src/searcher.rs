//! Who searches the leaves of a book: an engine here, or whoever else can.

use crate::WorkError;
use assembly::leaves::{LeafLine, LeafSearcher};
use book::BookMove;
use rules::{AnyPosition, Game};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::key::universal::{MULTI_PV, THREADS};
use think::{Score, WallTime};

/// Somebody who values the moves of positions.
pub trait Searcher {
    /// Who it is, for the book: the source of its moves.
    fn name(&self) -> &str;

    /// The best moves of each position with values and depths, in the order of the positions. A position
    /// that is over has none. `done` is told how many are finished; the answer is whether to go on.
    fn search(
        &mut self,
        positions: &[AnyPosition],
        done: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError>;
}

/// Our engine, in this process.
pub struct LocalSearcher {
    searcher: LeafSearcher,
    name: String,
}

/// What an engine is asked for.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    pub nodes: u64,
    pub multipv: usize,
    pub threads: usize,
    /// As `EvalDir`; the shipped net if missing.
    pub eval: Option<String>,
}

impl LocalSearcher {
    /// An engine that searches so many nodes.
    pub fn new(game: Game, settings: &SearchSettings) -> Result<Self, WorkError> {
        let mut engine = assembly::engine(game, Arc::new(WallTime::start()));
        let mut options = vec![MULTI_PV.to(settings.multipv), THREADS.to(settings.threads)];
        options.extend(settings.eval.clone().map(|eval| assembly::options::EVAL_DIR.to(eval)));
        options.push(assembly::options::PV_INTERVAL.to(0));
        for (name, value) in options {
            engine
                .set_option(name, &value)
                .map_err(|error| WorkError::Search(error.to_string()))?;
        }
        let mut evaluation = String::new();
        engine.is_ready(&mut |note| {
            if let Some(text) = note.strip_prefix("evaluation: ") {
                text.clone_into(&mut evaluation);
            }
        });
        let name = format!("search {} nodes, {evaluation}", settings.nodes);
        let searcher = LeafSearcher::new(engine, (Some(settings.nodes), None), settings.multipv);
        Ok(Self { searcher, name })
    }

    fn one(&mut self, position: &AnyPosition) -> Result<Vec<BookMove>, WorkError> {
        let found = self.searcher.search(position, &AtomicBool::new(false));
        let found = found.map_err(|error| WorkError::Search(error.to_string()))?;
        let valued = |line: &LeafLine| {
            let mut m = BookMove::valued(line.moves[0], centipawns(line.score), line.depth);
            m.reply = line.moves.get(1).copied();
            m.source = Some(self.name.as_str().into());
            m
        };
        Ok(found.unwrap_or_default().lines.iter().map(valued).collect())
    }
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
        done: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError> {
        let mut found = Vec::new();
        for position in positions {
            if !done(found.len()) {
                return Err(WorkError::Book(book::BookError::Interrupted));
            }
            found.push(self.one(position)?);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_engine_values_the_moves_of_positions() {
        let settings = SearchSettings {
            nodes: 300,
            multipv: 3,
            threads: 1,
            eval: Some("material".to_owned()),
        };
        let mut searcher = LocalSearcher::new(Game::Minishogi, &settings).unwrap();
        assert!(searcher.name().starts_with("search 300 nodes, "), "{}", searcher.name());
        let start = AnyPosition::startpos(Game::Minishogi);
        let mated = AnyPosition::from_sfen(Game::Minishogi, "4k/4G/4P/5/K4 w - 1").unwrap();
        let positions = [start.clone(), mated, start.clone()];
        let found = searcher.search(&positions, &mut |_| true).unwrap();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 0, 3]);
        assert_eq!(found[0], found[2], "whatever came before");
        assert!(found[0].iter().all(|m| start.why_illegal(m.mv).is_none()));
        assert!(found[0].windows(2).all(|pair| pair[0].value >= pair[1].value));
        assert!(searcher.search(&positions, &mut |done| done < 1).is_err());
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
}
