//! One table that is learned: its weights by group, and the part its entries share.

use super::{Scheme, Size, sparse};
use crate::optimiser::{Optimiser, Step};
use std::io::{self, Read, Write};

/// Pieces the shared part is cut into, to be learned apart.
pub(super) const BUCKETS: usize = 16;

/// Weights and what the optimiser keeps for them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weights {
    pub(super) values: Vec<f32>,
    pub(super) kept: [Vec<f32>; 2],
}

impl Weights {
    fn zeroed(len: usize, optimiser: Optimiser) -> Self {
        let kept = [0, 1].map(|i| vec![0.0; if i < optimiser.kept() { len } else { 0 }]);
        Self { values: vec![0.0; len], kept }
    }

    /// Cut into parts of a length, each with its number.
    pub(super) fn parts(&mut self, len: usize) -> Vec<Part<'_>> {
        let [first, second] = &mut self.kept;
        let (mut first, mut second) = (first.chunks_mut(len), second.chunks_mut(len));
        let values = self.values.chunks_mut(len);
        values
            .map(|values| Part {
                values,
                kept: [first.next().unwrap_or_default(), second.next().unwrap_or_default()],
            })
            .collect()
    }

    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        [&self.values, &self.kept[0], &self.kept[1]].iter().try_for_each(|v| sparse::write(to, v))
    }

    fn restore(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let [first, second] = &mut self.kept;
        [&mut self.values, first, second].into_iter().try_for_each(|v| sparse::read(from, v))
    }
}

/// Some weights that are learned alone.
pub(super) struct Part<'a> {
    values: &'a mut [f32],
    kept: [&'a mut [f32]; 2],
}

impl Part<'_> {
    /// Moves one entry.
    #[inline(always)]
    pub(super) fn step(&mut self, step: Step, entry: usize, slopes: &[f32], limit: f32) {
        let range = entry * slopes.len()..(entry + 1) * slopes.len();
        let [first, second] = &mut self.kept;
        let kept = [first, second]
            .map(|part| if part.is_empty() { &mut [][..] } else { &mut part[range.clone()] });
        step.apply(&mut self.values[range], slopes, kept, limit);
    }
}

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Family {
    pub(super) size: Size,
    pub(super) own: Weights,
    pub(super) shared: Option<Weights>,
}

impl Family {
    pub(super) fn zeroed(size: Size, optimiser: Optimiser, factors: bool) -> Self {
        let own = Weights::zeroed(size.groups * size.entries * size.width, optimiser);
        let shared = factors.then(|| Weights::zeroed(size.shared * size.width, optimiser));
        Self { size, own, shared }
    }

    /// Entries of a bucket of the shared part.
    pub(super) fn bucket(&self) -> usize {
        self.size.shared.div_ceil(BUCKETS)
    }

    #[inline(always)]
    fn pick(&self, values: &[f32], entry: usize) -> [f32; 2] {
        match self.size.width {
            1 => [values[entry], 0.0],
            _ => [values[2 * entry], values[2 * entry + 1]],
        }
    }

    /// Board and tempo value of an entry, all its parts added.
    #[inline(always)]
    pub(super) fn value<S: Scheme>(
        &self,
        scheme: &S,
        table: usize,
        group: usize,
        entry: u32,
    ) -> [f32; 2] {
        let mut value = self.pick(&self.own.values, group * self.size.entries + entry as usize);
        if let Some(shared) = &self.shared {
            scheme.shared(table, group, entry, |at, sign| {
                let part = self.pick(&shared.values, at as usize);
                value[0] += sign * part[0];
                value[1] += part[1];
            });
        }
        value
    }

    pub(super) fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        self.own.save(to)?;
        self.shared.iter().try_for_each(|shared| shared.save(to))
    }

    pub(super) fn restore(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.own.restore(from)?;
        self.shared.iter_mut().try_for_each(|shared| shared.restore(from))
    }
}
