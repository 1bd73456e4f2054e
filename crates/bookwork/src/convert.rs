//! One format into another; several books into one; what is not wanted left out.

use crate::args::{Convert, Merge, Prune, Writing};
use crate::sorted::{finish, open, take_all};
use crate::steady::steady;
use crate::{Console, WorkError};
use book::{BookMove, Combine, Entry, Format, Header, Target, Written};
use chart::grouped;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

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

    fn is_native(&self) -> bool {
        self.to.or_else(|| Format::of_name(&self.out)) == Some(Format::Native)
    }

    /// Ends it, and says what became of it.
    pub(crate) fn end(&self, target: Target, console: &mut Console<'_>) -> Result<(), WorkError> {
        let written = finish(target, &self.out, self.force, console)?;
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

/// What a run that goes on must have in common with one that was ended: the inputs, as they were, and what is done with them.
fn plan(inputs: &[&Path], what: &str) -> Value {
    let inputs = inputs.iter().map(|path| {
        let found = path.metadata().ok();
        let changed = found.as_ref().and_then(|m| m.modified().ok());
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map(|time| time.as_nanos().to_string());
        json!({ "file": path.display().to_string(), "bytes": found.map(|m| m.len()), "changed": changed })
    });
    json!({ "inputs": inputs.collect::<Vec<Value>>(), "what": what })
}

impl Writing {
    /// Begins an output that a later run goes on with if this one is ended.
    fn begin_resumable(
        &self,
        header: Header,
        combine: Combine,
        plan: &Value,
        console: &mut Console<'_>,
    ) -> Result<Target, WorkError> {
        let target = self.begin(header, combine)?;
        let target = target.resumable(plan).map_err(WorkError::at(&self.out))?;
        if target.resumed() > 0 {
            let positions = grouped(target.resumed());
            (console.tell)(&format!("going on after {positions} positions of an earlier run"));
        }
        Ok(target)
    }
}

impl Convert {
    /// Converts.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let source = open(&self.input, &self.reading)?;
        let header = source.header.clone();
        let mut target = if source.is_by_key() && self.writing.is_native() {
            self.writing.begin(header, Combine::Both)?.by_key()?
        } else {
            let plan = plan(&[&self.input], &format!("convert {:?}", self.reading));
            self.writing.begin_resumable(header, Combine::Both, &plan, console)?
        };
        take_all(&self.input, source, &mut target, |_| (), console)?;
        self.writing.end(target, console)
    }
}

impl Merge {
    /// Merges.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let inputs: Vec<&Path> = self.inputs.iter().map(PathBuf::as_path).collect();
        let plan = plan(&inputs, &format!("merge {:?} {:?}", self.rule, self.reading));
        let mut target: Option<(Target, rules::Game)> = None;
        for path in &self.inputs {
            let source = open(path, &self.reading)?;
            let (game, header) = (source.game(), source.header.clone());
            let (target, wanted) = match &mut target {
                Some(target) => target,
                none => {
                    let begun = self.writing.begin_resumable(header, self.rule, &plan, console)?;
                    none.insert((begun, game))
                }
            };
            if game != *wanted {
                let error = book::BookError::Game { found: game, wanted: *wanted };
                return Err(WorkError::at(path)(error));
            }
            take_all(path, source, target, |_| (), console)?;
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
        if source.is_by_key() {
            target = target.by_key()?;
        }
        let (positions, moves) = (AtomicU64::new(0), AtomicU64::new(0));
        let edit = |entry: &mut Entry| {
            let before = entry.moves.len();
            self.prune(entry);
            moves.fetch_add((before - entry.moves.len()) as u64, Ordering::Relaxed);
            positions.fetch_add(u64::from(entry.moves.is_empty()), Ordering::Relaxed);
        };
        take_all(&self.input, source, &mut target, edit, console)?;
        self.writing.end(target, console)?;
        let (positions, moves) = (grouped(positions.into_inner()), grouped(moves.into_inner()));
        console.line(&format!("left out: {positions} positions, {moves} moves"))
    }

    fn prune(&self, entry: &mut Entry) {
        let is_late = self.max_ply.is_some_and(|most| entry.ply > most);
        let is_from = |m: &BookMove| {
            let has = |text| m.source.as_deref().is_some_and(|source| source.contains(text));
            self.source.as_deref().is_none_or(has)
        };
        let is_foreign = self.source.is_some() && !entry.moves.iter().any(is_from);
        if is_late || is_foreign || self.side.is_some_and(|side| side != entry.turn()) {
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
        if let Some(margin) = self.most_played {
            let kept = steady(&entry.moves, margin, is_from).map(|m| m.mv);
            entry.moves.retain(|m| Some(m.mv) == kept);
        }
        entry.moves.truncate(self.keep.unwrap_or(usize::MAX));
        if self.plain {
            for m in &mut entry.moves {
                (m.reply, m.comment, m.source) = (None, None, None);
            }
        }
    }
}
