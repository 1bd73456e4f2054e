//! Who searches the leaves of a book: an engine here, or whoever else can.

use crate::WorkError;
use book::BookMove;
use rules::{AnyPosition, Game};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use think::key::universal::{MULTI_PV, THREADS};
use think::{Best, Engine, Info, Limits, MateAnswer, Report, Score, WallTime};

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
    engine: Box<dyn Engine>,
    nodes: u64,
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
        Ok(Self { engine, nodes: settings.nodes, name })
    }

    fn one(&mut self, position: &AnyPosition) -> Result<Vec<BookMove>, WorkError> {
        if position.legal_moves().is_empty() {
            return Ok(Vec::new());
        }
        let lines = Lines::default();
        self.engine
            .set_position(position.clone())
            .map_err(|error| WorkError::Search(error.to_string()))?;
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        self.engine.go(limits, Box::new(lines.clone()));
        self.engine.wait();
        let lines =
            lines.0.lock().map_err(|_| WorkError::Search("the engine panicked".to_owned()))?;
        let mut moves: Vec<BookMove> = Vec::new();
        for info in lines.values() {
            let (Some(&mv), Some((score, _))) = (info.pv.first(), info.score) else { continue };
            if moves.iter().any(|m| m.mv == mv) {
                continue;
            }
            let mut m = BookMove::valued(mv, centipawns(score), info.depth.unwrap_or(0));
            m.reply = info.pv.get(1).copied();
            m.source = Some(self.name.as_str().into());
            moves.push(m);
        }
        Ok(moves)
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

/// The latest line of each rank.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<BTreeMap<u32, Info>>>);

impl Report for Lines {
    fn info(&mut self, info: &Info) {
        if !info.pv.is_empty()
            && let Ok(mut lines) = self.0.lock()
        {
            lines.insert(info.multipv.unwrap_or(1), info.clone());
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, _: &Best) {}

    fn mate(&mut self, _: &MateAnswer) {}
}
