//! The rows of the transformer: one for every feature, of which a batch touches few.
//!
//! All work of a batch is done on the rows it touches. They get numbers (slots), their weights
//! are gathered into one small matrix, slopes are summed in another of the same size, and only
//! these rows and what the optimiser keeps for them move.
//!
//! # Factors
//!
//! Where features are pairs of a king and a piece, most pairs are rare. Then a row is learned as
//! a sum: its own part, a part shared by the same piece under every king, and a part shared by
//! all pieces under the same king. Folded into plain rows when the net is taken out.

use super::encoder::Packing;
use super::kernels::{add_rows, scatter};
use crate::floatnet::{read_floats, write_floats};
use crate::optimiser::{Optimiser, Step};
use crate::subspace::Subspace;
use crate::workers::{Workers, shares};
use simd::{Task, widest};
use std::io::{self, Read, Write};

/// Largest sum of a transformer's output that 16 bits hold, in units of an activation.
const LARGEST_SUM: f32 = 32_000.0 / 127.0;
/// Largest bias of the transformer.
pub(super) const LARGEST_BIAS: f32 = 6.0;
/// Columns summed at a time.
const C: usize = 32;
/// No slot.
const NONE: u32 = u32::MAX;

/// Slopes of some rows, `C` columns of each.
type Columns = Vec<[f32; C]>;

/// The rows of a list that may learn.
fn pick(subspace: Subspace, rows: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    rows.filter(|&(row, _)| subspace.picks(&[u64::from(row)])).collect()
}

/// Rows of weights and what the optimiser keeps for them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Table {
    pub(super) width: usize,
    pub(super) weights: Vec<f32>,
    kept: [Vec<f32>; 2],
    limit: f32,
}

impl Table {
    fn new(weights: Vec<f32>, width: usize, optimiser: Optimiser, limit: f32) -> Self {
        let kept = [0, 1].map(|i| vec![0.0; if i < optimiser.kept() { weights.len() } else { 0 }]);
        Self { width, weights, kept, limit }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.weights[row * self.width..][..self.width]
    }

    /// Moves some rows: their numbers, ascending, each with the number of its slopes in every
    /// column.
    fn step(&mut self, step: Step, rows: &[(u32, u32)], columns: &[Columns], workers: Workers) {
        let (width, limit) = (self.width, self.limit);
        let mut tasks = Vec::new();
        let [first, second] = &mut self.kept;
        let mut rest = [&mut self.weights[..], &mut first[..], &mut second[..]];
        let mut begin = 0;
        let bounds = shares(rows.len(), 4 * workers.threads());
        for bound in bounds.windows(2) {
            if bound[0] == bound[1] {
                continue;
            }
            let end = rows[bound[1] - 1].0 as usize + 1;
            let parts = rest.each_mut().map(|part| {
                let len = if part.is_empty() { 0 } else { (end - begin) * width };
                part.split_off_mut(..len).unwrap_or_default()
            });
            tasks.push((&rows[bound[0]..bound[1]], begin, parts));
            begin = end;
        }
        workers.run(tasks, |(rows, begin, parts)| {
            widest(Share { step, rows, columns, begin, parts, width, limit });
        });
    }

    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        [&self.weights, &self.kept[0], &self.kept[1]].iter().try_for_each(|v| write_floats(to, v))
    }

    fn restore(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let [first, second] = &mut self.kept;
        [&mut self.weights, first, second].into_iter().try_for_each(|v| read_floats(from, v))
    }
}

/// Some rows of a table to be moved.
struct Share<'a> {
    step: Step,
    rows: &'a [(u32, u32)],
    columns: &'a [Columns],
    /// The row the parts begin with.
    begin: usize,
    /// Weights and what is kept for them.
    parts: [&'a mut [f32]; 3],
    width: usize,
    limit: f32,
}

impl Task for Share<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [weights, first, second] = self.parts;
        let mut slopes = vec![0.0; self.columns.len() * C];
        for &(row, number) in self.rows {
            for (part, column) in slopes.as_chunks_mut::<C>().0.iter_mut().zip(self.columns) {
                *part = column[number as usize];
            }
            let from = (row as usize - self.begin) * self.width;
            let row = from..from + self.width;
            let kept = [&mut *first, &mut *second]
                .map(|part| if part.is_empty() { part } else { &mut part[row.clone()] });
            self.step.apply(&mut weights[row], &slopes[..self.width], kept, self.limit);
        }
    }
}

/// Parts of rows shared by many features.
#[derive(Clone, PartialEq, Debug)]
struct Factors {
    /// A part for every piece number.
    pieces: Table,
    /// A part for every king (with its rank, or with attacks, where the set has them).
    kings: Table,
}

impl Factors {
    /// How much of a king's part goes into each row. A position has many rows of one king:
    /// together they should move as much as one row does.
    const SHARE: f32 = 1.0 / 32.0;

    /// Piece numbers.
    fn numbers(&self) -> usize {
        self.pieces.weights.len() / self.pieces.width
    }
}

/// What a batch touches.
#[derive(Clone, Debug, Default)]
struct Batch {
    /// Features, ascending; the slot of a feature is its index here.
    touched: Vec<u32>,
    /// Slot of every feature, or none.
    slot_of: Vec<u32>,
    /// Slots of all samples, the side to move's first.
    slots: Vec<u32>,
    /// The weights of the touched rows, parts added up.
    effective: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(super) struct Rows {
    own: Table,
    factors: Option<Factors>,
    packing: Packing,
    batch: Batch,
}

impl Rows {
    /// Rows with these weights; `numbers` piece numbers are shared by factors, if given.
    pub(super) fn new(
        weights: Vec<f32>,
        width: usize,
        numbers: Option<usize>,
        packing: Packing,
        optimiser: Optimiser,
    ) -> Self {
        let inputs = weights.len() / width;
        // With all features of a position at the limit, sums stay within 16 bits.
        let limit = (LARGEST_SUM - LARGEST_BIAS) / packing.active as f32;
        let factors = numbers.map(|numbers| Factors {
            pieces: Table::new(vec![0.0; numbers * width], width, optimiser, 0.3 * limit),
            kings: Table::new(
                vec![0.0; inputs / numbers * width],
                width,
                optimiser,
                0.1 * limit / Factors::SHARE,
            ),
        });
        let limit = if factors.is_some() { 0.6 * limit } else { limit };
        let own = Table::new(weights, width, optimiser, limit);
        let batch = Batch { slot_of: vec![NONE; inputs], ..Batch::default() };
        Self { own, factors, packing, batch }
    }

    /// The weights that begin random: the shared part of pieces where there is one.
    pub(super) fn seed_weights(&mut self) -> &mut [f32] {
        match &mut self.factors {
            Some(factors) => &mut factors.pieces.weights,
            None => &mut self.own.weights,
        }
    }

    /// A row with all its parts.
    fn fold(&self, feature: usize, out: &mut [f32]) {
        out.copy_from_slice(self.own.row(feature));
        if let Some(factors) = &self.factors {
            let numbers = factors.numbers();
            let piece = factors.pieces.row(feature % numbers);
            let king = factors.kings.row(feature / numbers);
            for ((w, p), k) in out.iter_mut().zip(piece).zip(king) {
                *w += p + Factors::SHARE * k;
            }
        }
    }

    /// All rows with all their parts.
    pub(super) fn folded(&self, out: &mut [f32]) {
        for (feature, row) in out.chunks_exact_mut(self.own.width).enumerate() {
            self.fold(feature, row);
        }
    }

    /// Finds what a batch touches and gathers it.
    pub(super) fn open(&mut self, samples: &[u32], workers: Workers) {
        let mut batch = std::mem::take(&mut self.batch);
        let packing = self.packing;
        batch.touched.iter().for_each(|&f| batch.slot_of[f as usize] = NONE);
        for sample in samples.chunks_exact(packing.words()) {
            packing.each(sample, |_, feature| batch.slot_of[feature as usize] = 0);
        }
        batch.touched.clear();
        for (feature, slot) in batch.slot_of.iter_mut().enumerate() {
            if *slot != NONE {
                *slot = batch.touched.len() as u32;
                batch.touched.push(feature as u32);
            }
        }
        let (width, words, active) = (self.own.width, packing.words(), 2 * packing.active);
        batch.slots.resize(samples.len() / words * active, 0);
        let slots = batch.slots.chunks_mut(1024 * active);
        let tasks = samples.chunks(1024 * words).zip(slots).collect();
        workers.run(tasks, |(samples, slots): (&[u32], &mut [u32])| {
            let samples = samples.chunks_exact(words).zip(slots.chunks_exact_mut(active));
            for (sample, slots) in samples {
                let mut slots = slots.iter_mut();
                packing.each(sample, |_, feature| {
                    if let Some(slot) = slots.next() {
                        *slot = batch.slot_of[feature as usize];
                    }
                });
            }
        });
        batch.effective.resize(batch.touched.len() * width, 0.0);
        let rows = batch.effective.chunks_mut(256 * width);
        let tasks = batch.touched.chunks(256).zip(rows).collect();
        workers.run(tasks, |(features, rows): (&[u32], &mut [f32])| {
            for (&feature, row) in features.iter().zip(rows.chunks_exact_mut(width)) {
                self.fold(feature as usize, row);
            }
        });
        self.batch = batch;
    }

    /// Adds the rows of sample `index` to the sums of its two sides.
    #[inline(always)]
    pub(super) fn add_to(&self, index: usize, sums: &mut [f32]) {
        let active = self.packing.active;
        let slots = &self.batch.slots[2 * active * index..][..2 * active];
        let halves = sums.chunks_exact_mut(self.own.width);
        for (half, slots) in halves.zip(slots.chunks_exact(active)) {
            add_rows(half, &self.batch.effective, slots);
        }
    }

    /// Moves the rows of the batch against the slopes of its sums, two sides for every sample.
    pub(super) fn step(
        &mut self,
        slopes: &[f32],
        step: Step,
        subspace: Subspace,
        workers: Workers,
    ) {
        let width = self.own.width;
        let numbers = self.factors.as_ref().map(Factors::numbers);
        let batch = &self.batch;
        let mut columns: Vec<[Columns; 3]> = Vec::new();
        columns.resize_with(width.div_ceil(C), Default::default);
        let inputs = batch.slot_of.len();
        let tasks = columns.iter_mut().enumerate().collect();
        workers.run(tasks, |(column, [own, pieces, kings]): (usize, &mut [Columns; 3])| {
            own.resize(batch.touched.len(), [0.0; C]);
            let slots = &batch.slots;
            widest(Sum { slopes, width, column, slots, active: self.packing.active, own });
            let Some(numbers) = numbers else { return };
            pieces.resize(numbers, [0.0; C]);
            kings.resize(inputs / numbers, [0.0; C]);
            for (&feature, slopes) in batch.touched.iter().zip(own) {
                let feature = feature as usize;
                let (piece, king) = (&mut pieces[feature % numbers], &mut kings[feature / numbers]);
                for i in 0..C {
                    piece[i] += slopes[i];
                    king[i] += Factors::SHARE * slopes[i];
                }
            }
        });
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for column in columns {
            parts.iter_mut().zip(column).for_each(|(part, column)| part.push(column));
        }
        let [own, pieces, kings] = parts;
        let touched = batch.touched.iter().zip(0..).map(|(&feature, slot)| (feature, slot));
        self.own.step(step, &pick(subspace, touched), &own, workers);
        if let (Some(factors), Some(numbers)) = (&mut self.factors, numbers) {
            let list = |of: fn(u32, u32) -> u32| {
                let mut list: Vec<u32> =
                    batch.touched.iter().map(|&f| of(f, numbers as u32)).collect();
                list.sort_unstable();
                list.dedup();
                pick(subspace, list.into_iter().map(|row| (row, row)))
            };
            factors.pieces.step(step, &list(|f, numbers| f % numbers), &pieces, workers);
            factors.kings.step(step, &list(|f, numbers| f / numbers), &kings, workers);
        }
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        let factors = self.factors.iter().flat_map(|f| [&f.pieces, &f.kings]);
        std::iter::once(&self.own).chain(factors)
    }

    pub(super) fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        self.tables().try_for_each(|table| table.save(to))
    }

    pub(super) fn restore(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.own.restore(from)?;
        if let Some(factors) = &mut self.factors {
            factors.pieces.restore(from)?;
            factors.kings.restore(from)?;
        }
        Ok(())
    }
}

/// Slopes of the touched rows, one block of columns, summed in the order of the samples.
struct Sum<'a> {
    slopes: &'a [f32],
    width: usize,
    column: usize,
    slots: &'a [u32],
    active: usize,
    own: &'a mut Columns,
}

impl Task for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let from = C * self.column;
        let to = self.width.min(from + C);
        let sides = self.slopes.chunks_exact(self.width);
        for (side, slots) in sides.zip(self.slots.chunks_exact(self.active)) {
            let mut part = [0.0; C];
            part[..to - from].copy_from_slice(&side[from..to]);
            scatter(self.own, &part, slots);
        }
    }
}
