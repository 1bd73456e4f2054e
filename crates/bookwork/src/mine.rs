//! The loop that grows a book: choose leaves, search them, propagate, again.
//!
//! What searches found stays in the book as it is; propagated values serve to choose, and `nue book
//! minimax` writes them. After every round the book is written whole, so that a run that was ended goes
//! on where it was.

use crate::args::Mine;
use crate::look::position;
use crate::searcher::{LocalSearcher, SearchSettings, Searcher};
use crate::{Console, WorkError};
use book::files::write_sorted;
use book::minimax::{Minimax, Progress};
use book::{Entry, Format, Header, Key, NativeBook, key_of, rotated};
use chart::grouped;
use rules::{AnyPosition, Color};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::Ordering;

/// What lines are followed to leaves.
#[derive(Clone, Copy, Debug)]
pub struct Leaves {
    pub count: usize,
    pub eval_diff: i32,
    pub max_value: i32,
    pub max_ply: u32,
}

impl Mine {
    /// Grows the book with our engine.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let settings = SearchSettings {
            nodes: self.nodes,
            multipv: self.multipv,
            threads: self.threads,
            eval: self.eval.clone(),
        };
        let mut searcher = LocalSearcher::new(self.game, &settings)?;
        self.run_with(&mut searcher, console)
    }

    /// Grows the book with whoever searches.
    pub fn run_with(
        &self,
        searcher: &mut dyn Searcher,
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        let root = position(self.game, &self.position, &[])?;
        let mut raw = load(&self.book)?;
        let leaves = Leaves {
            count: self.leaves,
            eval_diff: self.eval_diff,
            max_value: self.max_value,
            max_ply: self.max_ply,
        };
        for round in 1..=self.rounds {
            console.check()?;
            let valued = self.propagated()?;
            let chosen = choose(&valued, &root, leaves)?;
            if chosen.is_empty() {
                (console.tell)("every line is followed to its end");
                break;
            }
            let stop = console.stop;
            let found = searcher.search(&chosen, &mut |_| !stop.load(Ordering::Relaxed))?;
            for (position, moves) in chosen.iter().zip(found) {
                let entry = Entry { moves, ..Entry::of(position)? };
                raw.insert(entry.key, entry);
            }
            self.save(&raw, searcher.name())?;
            let (count, size) = (chosen.len(), grouped(raw.len() as u64));
            (console.tell)(&format!("round {round}: {count} leaves searched, {size} positions"));
        }
        let size = grouped(raw.len() as u64);
        console.line(&format!("{}: {size} positions", self.book.display()))
    }

    fn save(&self, raw: &BTreeMap<Key, Entry>, source: &str) -> Result<(), WorkError> {
        let header = Header::new(self.game).with("made", &format!("nue book mine, {source}"));
        let entries = raw.values().filter(|entry| !entry.moves.is_empty()).cloned().map(Ok);
        write_sorted(&self.book, Format::Native, &header, entries, true)
            .map_err(WorkError::at(&self.book))?;
        Ok(())
    }

    /// The book as it is, with values carried to the beginnings of lines.
    fn propagated(&self) -> Result<BTreeMap<Key, Entry>, WorkError> {
        let mut entries = BTreeMap::new();
        if !self.book.exists() {
            return Ok(entries);
        }
        let book = NativeBook::open_file(&self.book).map_err(WorkError::at(&self.book))?;
        let contempt = [self.contempt_black, self.contempt_white];
        let mut take = |entry: Entry| {
            entries.insert(entry.key, entry);
            Ok(())
        };
        let minimax = Minimax { contempt, ..Minimax::default() };
        minimax.run(&book, &mut take, Progress(&mut |_, _, _| true))?;
        Ok(entries)
    }
}

fn load(path: &Path) -> Result<BTreeMap<Key, Entry>, WorkError> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let book = NativeBook::open_file(path).map_err(WorkError::at(path))?;
    let entries = book.entries().map(|entry| entry.map(|entry| (entry.key, entry)));
    entries.collect::<Result<_, _>>().map_err(WorkError::at(path))
}

/// Chooses leaves: the owner of the book, once Black and once White, plays its best moves; the other side
/// plays whatever is not much worse than its best at the root. A leaf is a position that is not in
/// the book, nor its twin.
pub fn choose(
    book: &BTreeMap<Key, Entry>,
    root: &AnyPosition,
    leaves: Leaves,
) -> Result<Vec<AnyPosition>, WorkError> {
    let mut queues =
        Color::BOTH.map(|owner| (owner, VecDeque::from([root.clone()]), HashSet::new()));
    let (mut chosen, mut taken) = (Vec::new(), HashSet::new());
    // Both colours in turn, nearest first.
    while chosen.len() < leaves.count && queues.iter().any(|(_, queue, _)| !queue.is_empty()) {
        for (owner, queue, seen) in &mut queues {
            let Some(position) = queue.pop_front() else { continue };
            let key = key_of(&position)?;
            if !seen.insert(key) {
                continue;
            }
            let twin = key_of(&rotated(&position)?)?;
            match book.get(&key) {
                Some(entry) => follow(entry, &position, *owner, leaves, queue),
                None if book.contains_key(&twin) => {}
                None if chosen.len() < leaves.count
                    && !position.legal_moves().is_empty()
                    && taken.insert(key.min(twin)) =>
                {
                    chosen.push(position);
                }
                None => {}
            }
        }
    }
    Ok(chosen)
}

fn follow(
    entry: &Entry,
    position: &AnyPosition,
    owner: Color,
    leaves: Leaves,
    queue: &mut VecDeque<AnyPosition>,
) {
    let Some(best) = entry.moves.iter().filter_map(|m| m.value).max() else { return };
    if best.abs() > leaves.max_value || position.ply() >= leaves.max_ply {
        return;
    }
    let least = if position.turn() == owner { best } else { best.saturating_sub(leaves.eval_diff) };
    for m in entry.moves.iter().filter(|m| m.value.is_some_and(|value| value >= least)) {
        if !position.is_legal(m.mv) {
            continue;
        }
        let mut after = position.clone();
        after.play(m.mv);
        if after.occurrences() == 1 {
            queue.push_back(after);
        }
    }
}

#[cfg(test)]
mod tests;
