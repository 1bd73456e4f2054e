//! The model: values forward, slopes back into the entries that occurred.

use super::encoder::{Sample, TableEncoder, list_len};
use super::family::{BUCKETS, Family, Part};
use super::{Scheme, Size};
use crate::model::{Encoder, Model};
use crate::optimiser::{Optimiser, Step};
use crate::subspace::Subspace;
use crate::workers::Workers;
use rules::Variant;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

/// Positions a task takes forward.
const PIECE: usize = 256;
/// Slopes come as the mean over a batch of probabilities by value, far below the number that
/// keeps optimisers from dividing by zero. Taken as a sum, and times this, they are near 1. Plain
/// descent keeps the mean: its steps should not grow with the batch.
const SLOPE_UNIT: f32 = 600.0;
/// What keeps own and shared entries of a number apart when a share of them is drawn.
const OWN: u64 = 0;
const SHARED: u64 = 1;

/// How tables are trained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableOptions {
    /// The rule of its steps. The rate is in units of evaluation.
    pub optimiser: Optimiser,
    /// Whether entries are learned as sums with shared parts.
    pub factors: bool,
    /// Of a hundred entries, own and shared ones, how many may learn from a batch; which, is
    /// drawn for every batch.
    pub subspace: u8,
}

/// Tables that learn.
pub struct TableModel<V, S> {
    scheme: S,
    options: TableOptions,
    pub(super) families: Vec<Family>,
    steps: u64,
    game: PhantomData<V>,
}

/// Slopes of shared entries, by bucket.
type Shares = Vec<Vec<(u32, [f32; 2])>>;

impl<V: Variant, S: Scheme> TableModel<V, S> {
    /// All zero: material alone. Memory is taken only where something is learned.
    pub fn zeroed(scheme: S, options: TableOptions) -> Self {
        let TableOptions { optimiser, factors, .. } = options;
        let family = |size| Family::zeroed(size, optimiser, factors);
        let families = scheme.sizes().into_iter().map(family).collect();
        Self { scheme, options, families, steps: 0, game: PhantomData }
    }

    /// Which entries a position has.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// A learning rate to begin with, in units of evaluation.
    pub const fn usual_rate(optimiser: Optimiser) -> f32 {
        let rate = match optimiser {
            Optimiser::Sgd => 10.0,
            Optimiser::AdaGrad => 2.0,
            Optimiser::Adam => 0.2,
        };
        rate * S::RATE
    }

    /// An entry with all its parts.
    pub(super) fn folded(&self, table: usize, group: usize, entry: u32) -> [f32; 2] {
        self.families[table].value(&self.scheme, table, group, entry)
    }

    /// Means of values to set a table to.
    pub(super) fn begin_set(&self, table: usize) -> Means {
        let size = self.families[table].size;
        let entries = size.groups * size.entries;
        Means { size, sums: vec![0.0; entries * size.width], counts: vec![0; entries] }
    }

    /// Sets a table; what is shared and what the optimiser knows begins at zero.
    pub(super) fn end_set(&mut self, table: usize, means: Means) {
        let Means { size, mut sums, counts } = means;
        for (sum, &count) in sums.chunks_exact_mut(size.width).zip(&counts) {
            if count > 1 {
                sum.iter_mut().for_each(|x| *x /= f32::from(count));
            }
        }
        let TableOptions { optimiser, factors, .. } = self.options;
        let family = &mut self.families[table];
        *family = Family::zeroed(size, optimiser, factors);
        family.own.values = sums;
    }

    fn samples<'a>(&self, words: &'a [u32]) -> impl Iterator<Item = Sample<'a>> + use<'a, V, S> {
        let len = list_len::<V>();
        words.chunks_exact(words_of::<V>()).map(move |words| Sample::new(words, len))
    }

    fn value(&self, sample: &Sample<'_>) -> f32 {
        let mut value = sample.material() as f32;
        for (table, family) in self.families.iter().enumerate() {
            self.scheme.views(table, sample, |view| {
                let (mut board, mut tempo) = (0.0, 0.0);
                self.scheme.entries(table, &view, |entry, sign| {
                    let [b, t] = family.value(&self.scheme, table, view.group, entry);
                    board += sign * b;
                    tempo += t;
                });
                value += view.sign * board + tempo;
            });
        }
        value
    }

    /// The samples of every group, in order.
    fn by_group(&self, table: usize, words: &[u32]) -> Vec<Vec<u32>> {
        let mut groups = vec![Vec::new(); self.families[table].size.groups];
        for (i, sample) in self.samples(words).enumerate() {
            self.scheme.views(table, &sample, |view| {
                let list: &mut Vec<u32> = &mut groups[view.group];
                // Both looks may fall into one group.
                if list.last() != Some(&(i as u32)) {
                    list.push(i as u32);
                }
            });
        }
        groups
    }

    fn learn_table(&mut self, table: usize, batch: &Batch<'_>, workers: Workers) {
        let groups = self.by_group(table, batch.words);
        let (scheme, family) = (&self.scheme, &mut self.families[table]);
        let (size, bucket) = (family.size, family.bucket());
        let factors = family.shared.is_some();
        let mut outputs: Vec<Shares> = groups.iter().map(|_| Vec::new()).collect();
        let mut tasks = Vec::new();
        let parts = family.own.parts(size.entries * size.width);
        for (group, ((part, out), list)) in
            parts.into_iter().zip(&mut outputs).zip(groups).enumerate()
        {
            if !list.is_empty() {
                tasks.push(Group { table, group, list, part, out, size, bucket, factors });
            }
        }
        longest_first(&mut tasks);
        let pool = ScratchPool::new(size.entries * size.width);
        workers.run(tasks, |task| pool.with(|scratch| task.learn::<V, S>(scheme, batch, scratch)));

        let Some(shared) = &mut family.shared else { return };
        let tasks = shared.parts(bucket * size.width).into_iter().enumerate().collect();
        let pool = ScratchPool::new(bucket * size.width);
        workers.run(tasks, |(number, mut part): (usize, Part<'_>)| {
            let slopes = outputs.iter().filter_map(|shares| shares.get(number)).flatten();
            pool.with(|scratch| {
                for &(entry, slopes) in slopes {
                    scratch.add(entry as usize - number * bucket, &slopes[..size.width]);
                }
                let learns = |entry: u32| {
                    batch.subspace.picks(&[table as u64, SHARED, number as u64, entry.into()])
                };
                scratch.step(&mut part, batch.step, size, learns, |_, _| ());
            });
        });
    }
}

fn words_of<V: Variant>() -> usize {
    TableEncoder::<V>(PhantomData).words()
}

/// A batch to learn from.
struct Batch<'a> {
    words: &'a [u32],
    slopes: &'a [f32],
    unit: f32,
    step: Step,
    subspace: Subspace,
}

/// A group of a table with the samples that touch it.
struct Group<'a> {
    table: usize,
    group: usize,
    list: Vec<u32>,
    part: Part<'a>,
    out: &'a mut Shares,
    size: Size,
    bucket: usize,
    factors: bool,
}

/// The last one must not keep all others waiting. Not generic: sorting is long code.
fn longest_first(tasks: &mut [Group<'_>]) {
    tasks.sort_by_key(|task| std::cmp::Reverse(task.list.len()));
}

impl Group<'_> {
    fn learn<V: Variant, S: Scheme>(
        mut self,
        scheme: &S,
        batch: &Batch<'_>,
        scratch: &mut Scratch,
    ) {
        let (stride, len, width) = (words_of::<V>(), list_len::<V>(), self.size.width);
        for &i in &self.list {
            let sample = Sample::new(&batch.words[i as usize * stride..][..stride], len);
            let slope = batch.slopes[i as usize] * batch.unit;
            scheme.views(self.table, &sample, |view| {
                if view.group == self.group {
                    scheme.entries(self.table, &view, |entry, sign| {
                        let slopes = [slope * view.sign * sign, slope];
                        scratch.add(entry as usize, &slopes[..width]);
                    });
                }
            });
        }
        let (table, group, bucket) = (self.table, self.group, self.bucket);
        if self.factors {
            self.out.resize(BUCKETS, Vec::new());
        }
        let out = self.out;
        let learns =
            |entry: u32| batch.subspace.picks(&[table as u64, OWN, group as u64, entry.into()]);
        scratch.step(&mut self.part, batch.step, self.size, learns, |entry, slopes| {
            if self.factors {
                scheme.shared(table, group, entry, |at, sign| {
                    let tempo = slopes.get(1).copied().unwrap_or(0.0);
                    out[at as usize / bucket].push((at, [sign * slopes[0], tempo]));
                });
            }
        });
    }
}

/// Where a thread adds up slopes.
#[derive(Default)]
struct Scratch {
    /// Zero between tasks.
    slopes: Vec<f32>,
    touched: Vec<u32>,
}

impl Scratch {
    #[inline(always)]
    fn add(&mut self, entry: usize, slopes: &[f32]) {
        let sums = &mut self.slopes[entry * slopes.len()..][..slopes.len()];
        // An entry whose slopes cancelled out is noted twice, and found at zero the second time.
        if sums.iter().all(|&x| x == 0.0) {
            self.touched.push(entry as u32);
        }
        sums.iter_mut().zip(slopes).for_each(|(sum, x)| *sum += x);
    }

    /// Moves all that was touched and may learn, tells of each entry and its slopes, and clears
    /// the buffer. What must not learn tells its shared parts all the same: they draw apart.
    fn step(
        &mut self,
        part: &mut Part<'_>,
        step: Step,
        size: Size,
        learns: impl Fn(u32) -> bool,
        mut tell: impl FnMut(u32, &[f32]),
    ) {
        for entry in self.touched.drain(..) {
            let sums = &mut self.slopes[entry as usize * size.width..][..size.width];
            if sums.iter().any(|&x| x != 0.0) {
                if learns(entry) {
                    part.step(step, entry as usize, sums, size.limit as f32);
                }
                tell(entry, sums);
                sums.fill(0.0);
            }
        }
    }
}

/// Scratch buffers for as many threads as come.
struct ScratchPool {
    len: usize,
    free: Mutex<Vec<Scratch>>,
}

impl ScratchPool {
    fn new(len: usize) -> Self {
        Self { len, free: Mutex::default() }
    }

    fn with(&self, work: impl FnOnce(&mut Scratch)) {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let scratch = free().pop();
        let mut scratch =
            scratch.unwrap_or_else(|| Scratch { slopes: vec![0.0; self.len], touched: Vec::new() });
        work(&mut scratch);
        free().push(scratch);
    }
}

/// Sums of values that belong to one entry.
pub(super) struct Means {
    size: Size,
    sums: Vec<f32>,
    counts: Vec<u8>,
}

impl Means {
    pub(super) fn add(&mut self, group: usize, entry: usize, value: [f32; 2]) {
        let at = group * self.size.entries + entry;
        let width = self.size.width;
        self.counts[at] += 1;
        if value != [0.0; 2] {
            let sums = &mut self.sums[at * width..][..width];
            sums.iter_mut().zip(value).for_each(|(sum, x)| *sum += x);
        }
    }
}

impl<V: Variant, S: Scheme> Model<V> for TableModel<V, S> {
    fn encoder(&self) -> Arc<dyn Encoder<V>> {
        Arc::new(TableEncoder(PhantomData))
    }

    fn forward(&mut self, samples: &[u32], workers: &Workers, values: &mut [f32]) {
        let model = &*self;
        let words = samples.chunks(PIECE * words_of::<V>());
        let tasks = words.zip(values.chunks_mut(PIECE)).collect();
        workers.run(tasks, |(words, values): (&[u32], &mut [f32])| {
            for (sample, value) in model.samples(words).zip(values) {
                *value = model.value(&sample);
            }
        });
    }

    fn learn(&mut self, samples: &[u32], slopes: &[f32], rate: f32, workers: &Workers) {
        self.steps += 1;
        let step = self.options.optimiser.step(rate, self.steps);
        let count = if self.options.optimiser == Optimiser::Sgd { 1 } else { slopes.len() };
        let unit = count as f32 * SLOPE_UNIT;
        let subspace = Subspace { share: self.options.subspace, key: self.steps };
        let batch = Batch { words: samples, slopes, unit, step, subspace };
        for table in 0..self.families.len() {
            self.learn_table(table, &batch, *workers);
        }
    }

    fn describe(&self) -> String {
        let TableOptions { optimiser, factors, subspace } = self.options;
        let factors = if factors { ", factors" } else { "" };
        let subspace = Subspace::describe(subspace, "entries");
        format!("tables {} ({}), {optimiser}{factors}{subspace}", self.scheme.name(), V::GAME)
    }

    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&self.steps.to_le_bytes())?;
        self.families.iter().try_for_each(|family| family.save(to))
    }

    fn restore(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let mut steps = [0; 8];
        from.read_exact(&mut steps)?;
        self.steps = u64::from_le_bytes(steps);
        self.families.iter_mut().try_for_each(|family| family.restore(from))
    }
}
