//! Which positions a walk has met.

use super::index::Known;
use super::walk::Step;
use crate::parallel::in_order;
use crate::{BookError, Key};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Places that one thread looks after at a time, as a power of two: their prints fit into a processor's cache.
const STRETCH: u32 = 15;

/// The positions that were met. A key leaves only the opponent's hand open, and that is what is left of a full set: within even games there
/// is one position with it, which is known by its print. Others, of handicap games, are kept whole.
pub(super) struct Met {
    stretches: Vec<Stretch>,
    /// Keys of the book.
    all: usize,
    /// Keys that were met.
    keys: usize,
}

#[derive(Default)]
struct Stretch {
    /// By place; 0 for none.
    prints: Vec<u64>,
    others: HashSet<Key>,
}

/// What is new in a stretch, and how many keys.
struct New {
    steps: Vec<Step>,
    keys: usize,
}

impl Met {
    /// None, of so many keys.
    pub(super) fn new(keys: usize) -> Self {
        let size = 1 << STRETCH;
        let stretch = |from: usize| {
            let prints = vec![0; size.min(keys - from)];
            Stretch { prints, others: HashSet::new() }
        };
        Self { stretches: (0..keys).step_by(size).map(stretch).collect(), all: keys, keys: 0 }
    }

    /// Whether all keys were met.
    pub(super) const fn is_all(&self) -> bool {
        self.keys == self.all
    }

    pub(super) fn has(&self, position: &Known) -> bool {
        let stretch = &self.stretches[(position.place >> STRETCH) as usize];
        stretch.prints[(position.place & ((1 << STRETCH) - 1)) as usize] == position.print
            || stretch.others.contains(&position.key)
    }

    /// Takes positions of several lists, each in the order of places; gives those that were not there, in that order. Of several steps
    /// to one position the one that came first in a game is given.
    pub(super) fn take_new(
        &mut self,
        lists: &[Vec<Step>],
        threads: usize,
    ) -> Result<Vec<Step>, BookError> {
        let (mut steps, mut keys) = (Vec::new(), 0);
        let jobs = (0u32..).zip(&mut self.stretches).map(Ok);
        in_order(
            threads,
            jobs,
            |(number, stretch)| Ok(stretch.take_new(number << STRETCH, lists)),
            |new| {
                steps.extend(new.steps);
                keys += new.keys;
                Ok(())
            },
        )?;
        self.keys += keys;
        Ok(steps)
    }
}

impl Stretch {
    fn take_new(&mut self, first: u32, lists: &[Vec<Step>]) -> New {
        let (mut steps, mut keys): (Vec<Step>, usize) = (Vec::new(), 0);
        for list in lists {
            let from = list.partition_point(|step| step.position.place < first);
            let inside =
                |step: &&Step| ((step.position.place - first) as usize) < self.prints.len();
            steps.extend(list[from..].iter().take_while(inside));
        }
        steps.sort_by_key(|step| (step.position.place, step.ply, Reverse(step.left)));
        steps.retain(|step| {
            let position = &step.position;
            let print = &mut self.prints[(position.place - first) as usize];
            if *print == 0 {
                *print = position.print;
                keys += 1;
                return true;
            }
            *print != position.print && self.others.insert(position.key)
        });
        New { steps, keys }
    }
}
