//! Propagation: what the ends of lines are worth, carried to their beginnings.
//!
//! | file | holds |
//! |---|---|
//! | `build` | the graph of a book: transpositions and rotated twins are one node |
//! | `graph` | nodes, edges, strongly connected components |
//! | `work` | edges in a file: what a run that was ended goes on from, and what does not fit into memory |
//! | `solve` | values, exact also where lines go in circles |
//!
//! See docs/book.md for the rules.

mod build;
mod graph;
mod solve;
mod work;

use crate::parallel::in_order;
use crate::{BookError, BookMove, Entry, NativeBook, Target};
use graph::Edge;
use rules::{Color, Game, Move};
pub use solve::{CIRCLE, MATE};
use solve::{Draws, Value, Values};
use std::path::Path;
use work::WorkFile;

/// What other programs write for the depth of a line that goes in circles.
const CIRCLE_DEPTH: u32 = 9999;

/// How values are propagated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Minimax {
    /// How much less than nothing a draw is worth to the owner of the book, as Black and as White.
    pub contempt: [i32; 2],
    /// Keep only the moves that are as good as the best.
    pub shrink: bool,
    pub threads: usize,
    /// Bytes that keys, and edges, may each have of memory; what is more lies in files.
    pub memory: usize,
}

impl Default for Minimax {
    fn default() -> Self {
        Self { contempt: [0, 0], shrink: false, threads: 1, memory: usize::MAX }
    }
}

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    Positions,
    Moves,
    Values,
    Writing,
}

/// Where progress is told; the answer is whether to go on.
pub struct Progress<'a>(pub &'a mut dyn FnMut(Stage, u64, u64) -> bool);

impl Progress<'_> {
    fn tell(&mut self, stage: Stage, done: u64, all: u64) -> Result<(), BookError> {
        if (self.0)(stage, done, all) { Ok(()) } else { Err(BookError::Interrupted) }
    }
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Positions; a position and its rotated twin are one.
    pub nodes: u64,
    pub edges: u64,
    /// Moves that the book did not list, but that lead back into it.
    pub joined: u64,
    /// Positions of which nothing is known.
    pub unknown: u64,
}

impl Minimax {
    /// Propagates the values of a book and gives its entries, in the order of their keys, to `take`.
    pub fn run(
        &self,
        book: &NativeBook,
        take: &mut dyn FnMut(Entry) -> Result<(), BookError>,
        progress: Progress<'_>,
    ) -> Result<Summary, BookError> {
        self.solve(book, None, Ok, |part| part.into_iter().try_for_each(&mut *take), progress)
    }

    /// The same by way of a file, which is there until all is done: a run that was ended goes on from it.
    pub fn run_by(
        &self,
        book: &NativeBook,
        work: &Path,
        take: &mut dyn FnMut(Entry) -> Result<(), BookError>,
        progress: Progress<'_>,
    ) -> Result<Summary, BookError> {
        let mut work = WorkFile::open(work, book)?;
        let take = |part: Vec<Entry>| part.into_iter().try_for_each(&mut *take);
        let summary = self.solve(book, Some(&mut work), Ok, take, progress)?;
        work.remove()?;
        Ok(summary)
    }

    /// The same into a book that is being written.
    pub fn run_into(
        &self,
        book: &NativeBook,
        work: &Path,
        target: &mut Target,
        progress: Progress<'_>,
    ) -> Result<Summary, BookError> {
        let mut work = WorkFile::open(work, book)?;
        let preparer = target.preparer();
        let ready = |part: Vec<Entry>| preparer.prepare(&part);
        let take = |part| target.push_prepared(part);
        let summary = self.solve(book, Some(&mut work), ready, take, progress)?;
        work.remove()?;
        Ok(summary)
    }

    /// Propagates, makes parts of the book ready on any thread, and takes them in order.
    fn solve<T: Send>(
        &self,
        book: &NativeBook,
        work: Option<&mut WorkFile>,
        ready: impl Fn(Vec<Entry>) -> Result<T, BookError> + Sync,
        mut take: impl FnMut(T) -> Result<(), BookError>,
        mut progress: Progress<'_>,
    ) -> Result<Summary, BookError> {
        let game = book.header().game;
        let built = build::build(book, self.threads, self.memory, work, &mut progress)?;
        let draws = match game {
            Game::Shogi => Draws::of_contempt(self.contempt),
            Game::Minishogi => Draws::lost_by_black(),
        };
        let nodes = built.graph.len() as u64;
        let mut go_on = progress.tell(Stage::Values, 0, nodes);
        let values = Values::of(&built.graph, draws, &mut |done| {
            if go_on.is_ok() {
                go_on = progress.tell(Stage::Values, done, nodes);
            }
        });
        go_on?;
        built.graph.check()?;
        let edges = built.graph.edge_count() as u64;
        let mut summary = Summary { nodes, edges, joined: built.joined, unknown: 0 };
        let rewrite = |part: usize| -> Result<(u64, u64, T), BookError> {
            let numbered = build::entries_of(book, part)?.into_iter().zip(built.firsts[part]..);
            let rewritten = numbered.map(|(entry, number)| {
                let edges = built.graph.edges(built.nodes[number]);
                self.rewritten(entry, &edges, &values, game)
            });
            let entries: Vec<Entry> = rewritten.collect();
            let is_unknown = |entry: &&Entry| entry.moves.iter().all(|m| m.value.is_none());
            let unknown = entries.iter().filter(is_unknown).count();
            Ok((entries.len() as u64, unknown as u64, ready(entries)?))
        };
        let mut written = 0;
        in_order(
            self.threads,
            (0..build::parts(book)).map(Ok),
            rewrite,
            |(count, unknown, part)| {
                written += count;
                summary.unknown += unknown;
                take(part)?;
                progress.tell(Stage::Writing, written, book.size().0)
            },
        )?;
        built.graph.check()?;
        Ok(summary)
    }

    /// The entry with the values found, the best move first. The owner of the book is to move.
    fn rewritten(&self, entry: Entry, edges: &[Edge], values: &Values, game: Game) -> Entry {
        let turn = entry.turn();
        let state = if turn == Color::Black { 0 } else { 2 };
        let draw = values.draws.0[state];
        let turned = |mv: Move| if turn == Color::Black { mv } else { mv.rotated(game) };
        let mut found: Vec<(Value, Move, u32)> = edges
            .iter()
            .map(|edge| (values.of_edge(edge, state), turned(edge.mv), edge.to))
            .collect();
        found.sort_by(|(a, ..), (b, ..)| b.is_better(*a, draw).cmp(&a.is_better(*b, draw)));
        if let (true, Some(&(best, ..))) = (self.shrink, found.first()) {
            found.retain(|(value, ..)| value.value == best.value);
        }
        let moves = found.into_iter().map(|(value, mv, to)| {
            let mut m = entry.find(mv).cloned().unwrap_or_else(|| BookMove::new(mv));
            if value.is_known() {
                m.value = Some(i32::from(value.value));
                m.depth = if value.depth == CIRCLE { CIRCLE_DEPTH } else { u32::from(value.depth) };
            }
            if to != graph::OUTSIDE {
                m.reply = None;
            }
            m
        });
        Entry { moves: moves.collect(), ..entry }
    }
}

#[cfg(test)]
mod tests;
