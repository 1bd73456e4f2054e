//! Leaves of books: a batch for each position, however often it is named; every answer checked.

use super::{Counted, Driver, Part, Parts, RunProgress, check_answers, dishonest};
use crate::batch::{Fault, Product};
use crate::leaves::{leaf, leaf_key, leaf_text};
use crate::task::{LeavesSpec, Unit};
use arena::request::{OpeningSource, RequestError};
use rules::Game;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

pub(super) struct Leaves {
    /// As they travel.
    positions: Vec<Vec<u8>>,
    twins: u64,
    lines: u16,
    parts: Parts,
    done: u64,
}

/// The positions of a spec, each once, as they travel.
pub fn leaves(spec: &LeavesSpec) -> Result<Vec<Vec<u8>>, RequestError> {
    read(spec).map(|(texts, _)| texts)
}

/// The same with the number of those that were named again.
fn read(spec: &LeavesSpec) -> Result<(Vec<Vec<u8>>, u64), RequestError> {
    let usage = |why: String| RequestError::Usage(why);
    let Some(path) = &spec.positions else {
        return Err(usage("which positions? name a file of them".to_owned()));
    };
    let game: Game = spec.game.parse().map_err(|e| usage(format!("{}: {e}", spec.game)))?;
    let source = OpeningSource {
        game,
        file: Some(path.clone()),
        plies: None,
        start: "startpos".to_owned(),
        max_moves: 0,
    };
    let mut problems = Vec::new();
    let named = source.read(&mut problems)?;
    if let Some(problem) = problems.first() {
        return Err(usage(format!("{}: {problem}", path.display())));
    }
    let count = named.len() as u64;
    let mut seen = HashSet::new();
    let mut texts = Vec::new();
    for opening in named {
        let position = opening.position();
        if seen.insert(leaf_key(position)) {
            texts.push(leaf_text(position).into_bytes());
        }
    }
    let twins = count - texts.len() as u64;
    Ok((texts, twins))
}

impl Leaves {
    pub(super) fn new(spec: &LeavesSpec) -> Result<Self, RequestError> {
        spec.check().map_err(RequestError::Usage)?;
        let (positions, twins) = read(spec)?;
        let parts = Parts::new(Some(positions.len() as u64));
        Ok(Self { positions, twins, lines: spec.lines, parts, done: 0 })
    }
}

impl Driver for Leaves {
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault> {
        Ok(self.parts.next_of(&self.positions, batches))
    }

    fn usual(&self) -> u32 {
        4
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.parts.handed_out(unit);
    }

    fn accept(
        &mut self,
        unit: &Unit,
        range: Range<u64>,
        product: &Product,
    ) -> Result<Counted, Fault> {
        let Product::Leaves { leaves } = product else {
            return Err(dishonest("searched leaves were asked for"));
        };
        check_answers((unit, range), leaves, ("leaf", "leaves"), |text, found| {
            found.read(&leaf(text)?, self.lines).map(drop)
        })?;
        self.done += leaves.len() as u64;
        Ok(Counted {
            games: leaves.len() as u64,
            positions: leaves.len() as u64,
            ..Counted::default()
        })
    }

    fn verdict(&self) -> Option<String> {
        let all = self.parts.total.is_some_and(|total| self.done >= total);
        all.then(|| "all leaves are searched".to_owned())
    }

    fn progress(&self) -> RunProgress {
        let twins = (self.twins > 0).then(|| ("named again".to_owned(), self.twins));
        let tally: BTreeMap<String, u64> = twins.into_iter().collect();
        let (done, total) = (self.done, self.parts.total);
        RunProgress { done, total, positions: done, tally, ..RunProgress::default() }
    }
}
