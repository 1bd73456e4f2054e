//! One format into another; several books into one; what is not wanted left out.

use crate::args::{Convert, Merge, Prune, Writing};
use crate::sorted::{each, open};
use crate::{Console, WorkError};
use book::{Combine, Entry, Header, Target, Written};
use chart::grouped;

impl Writing {
    /// Begins the output.
    pub(crate) fn begin(&self, header: Header, combine: Combine) -> Result<Target, WorkError> {
        if !self.force && self.out.exists() {
            return Err(WorkError::Exists(self.out.clone()));
        }
        Target::new(&self.out, self.to, header, combine, self.memory << 20)
            .map(|target| target.on_threads(crate::args::usual_threads()))
            .map_err(WorkError::at(&self.out))
    }

    /// Ends it, and says what became of it.
    pub(crate) fn end(&self, target: Target, console: &mut Console<'_>) -> Result<(), WorkError> {
        let written = target.finish(self.force).map_err(WorkError::at(&self.out))?;
        self.report(&written, console)
    }

    pub(crate) fn report(
        &self,
        written: &Written,
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        for sentence in written.losses.sentences() {
            (console.tell)(&sentence);
        }
        let (positions, moves) = (grouped(written.positions), grouped(written.moves));
        console.line(&format!("{}: {positions} positions, {moves} moves", self.out.display()))
    }
}

impl Convert {
    /// Converts.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let source = open(&self.input, &self.reading)?;
        let mut target = self.writing.begin(source.header.clone(), Combine::Both)?;
        if source.is_by_key() {
            target = target.by_key()?;
        }
        each(&self.input, source, console, &mut |entry| target.push(entry))?;
        self.writing.end(target, console)
    }
}

impl Merge {
    /// Merges.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let mut target: Option<(Target, rules::Game)> = None;
        for path in &self.inputs {
            let source = open(path, &self.reading)?;
            let game = source.game();
            let (target, wanted) = match &mut target {
                Some(target) => target,
                none => none.insert((self.writing.begin(source.header.clone(), self.rule)?, game)),
            };
            if game != *wanted {
                let error = book::BookError::Game { found: game, wanted: *wanted };
                return Err(WorkError::at(path)(error));
            }
            each(path, source, console, &mut |entry| target.push(entry))?;
        }
        match target {
            Some((target, _)) => self.writing.end(target, console),
            None => Ok(()),
        }
    }
}

impl Prune {
    /// Prunes.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let source = open(&self.input, &self.reading)?;
        let mut target = self.writing.begin(source.header.clone(), Combine::Both)?;
        let (mut positions, mut moves) = (0, 0);
        each(&self.input, source, console, &mut |mut entry| {
            let before = entry.moves.len() as u64;
            self.prune(&mut entry);
            moves += before - entry.moves.len() as u64;
            positions += u64::from(entry.moves.is_empty());
            target.push(entry)
        })?;
        self.writing.end(target, console)?;
        let (positions, moves) = (grouped(positions), grouped(moves));
        console.line(&format!("left out: {positions} positions, {moves} moves"))
    }

    fn prune(&self, entry: &mut Entry) {
        let is_late = self.max_ply.is_some_and(|most| entry.ply > most);
        if is_late || self.side.is_some_and(|side| side != entry.turn()) {
            entry.moves.clear();
            return;
        }
        let best = entry.moves.iter().filter_map(|m| m.value).max();
        let least = best.zip(self.eval_diff).map(|(best, diff)| best.saturating_sub(diff));
        let least = least.max(self.min_value);
        entry.moves.retain(|m| {
            let is_bad = m.value.zip(least).is_some_and(|(value, least)| value < least);
            !is_bad && self.min_count.is_none_or(|count| m.count >= count)
        });
        entry.moves.truncate(self.keep.unwrap_or(usize::MAX));
        if self.plain {
            for m in &mut entry.moves {
                (m.reply, m.comment, m.source) = (None, None, None);
            }
        }
    }
}
