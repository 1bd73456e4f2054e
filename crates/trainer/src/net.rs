//! NNUE nets as a model: real numbers, any feature set, any width.
//!
//! A batch goes forward by samples, back through the layers by samples (a fixed number of
//! shares, each with a gradient of its own, added in order), and back into the transformer by
//! columns. So every sum is made in one order, however many threads there are.
//!
//! Parameters never leave what integers can hold: weights of the layers stay within ±127/64,
//! rows of the transformer within a bound that keeps the sums of any position within 16 bits.

mod dense;
mod encoder;
mod kernels;
mod rows;
#[cfg(test)]
mod tests;

use crate::floatnet::{FloatNet, read_floats, write_floats};
use crate::model::{Encoder, Model};
use crate::optimiser::{Optimiser, Step};
use crate::subspace::Subspace;
use crate::workers::{Workers, shares};
use dense::{Layout, Scratch};
use encoder::{NetEncoder, Packing};
use features::{FeatureSet, Numbering};
use nnue::{Architecture, kind_name};
use rows::Rows;
use rules::{Game, Variant};
use seed::Rng;
use serde_json::Value;
use simd::{Task, widest};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Shares of a batch with a gradient of their own.
const SHARES: usize = 32;
/// Positions a task takes forward.
const PIECE: usize = 256;

/// How a net is trained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NetOptions {
    /// The rule of its steps.
    pub optimiser: Optimiser,
    /// Whether rows of sets by king are learned as sums of shared parts.
    pub factors: bool,
    /// Of a hundred rows, how many may learn from a batch; which, is drawn for every batch.
    pub subspace: u8,
}

impl Default for NetOptions {
    fn default() -> Self {
        Self { optimiser: Optimiser::Adam, factors: true, subspace: 100 }
    }
}

/// What a model has to know of its feature set: the set itself is only in the encoder, so that
/// everything else is compiled once for all sets of a game.
struct Set<V> {
    encoder: Arc<dyn Encoder<V>>,
    packing: Packing,
    /// Rows depend on the king's square.
    by_king: bool,
}

impl<V: Variant> Set<V> {
    /// The set `F`, which must be the one of the architecture.
    fn of<F: FeatureSet<V>>(architecture: Architecture) -> Self {
        let features = architecture.features;
        assert!(
            features.game() == V::GAME && features.name() == F::NAME,
            "a net {architecture} for another feature set"
        );
        let encoder = Arc::new(NetEncoder::<V, F>::new());
        Self { encoder, packing: Packing::of::<V, F>(), by_king: F::BY_KING }
    }
}

/// A net that learns.
pub struct NetModel<V> {
    set: Set<V>,
    architecture: Architecture,
    options: NetOptions,
    fv_scale: i32,
    notes: Value,
    layout: Layout,
    /// All parameters but the rows, and what the optimiser keeps for them.
    dense: Vec<f32>,
    kept: [Vec<f32>; 2],
    rows: Rows,
    steps: u64,
    /// Activations of the transformer, of the hidden layers; kept between forward and learning.
    x: Vec<f32>,
    hidden: [Vec<f32>; 2],
}

impl<V: Variant> NetModel<V> {
    /// A net over the set `F` that goes on from given parameters.
    ///
    /// # Panics
    /// If the net is one over another feature set.
    pub fn from_float<F: FeatureSet<V>>(net: &FloatNet, options: NetOptions) -> Self {
        Self::with(Set::of::<F>(net.architecture), net, options)
    }

    fn with(set: Set<V>, net: &FloatNet, options: NetOptions) -> Self {
        let architecture = net.architecture;
        let shape = architecture.shape;
        let layout = Layout::new(shape);
        let numbers = Numbering::of(V::GAME).end();
        let numbers = (options.factors && set.by_king).then_some(numbers);
        let rows = Rows::new(net.w0.clone(), shape.l0, numbers, set.packing, options.optimiser);
        let dense = layout.gather(net);
        let kept =
            [0, 1].map(|i| vec![0.0; if i < options.optimiser.kept() { dense.len() } else { 0 }]);
        Self {
            set,
            architecture,
            options,
            fv_scale: net.fv_scale,
            notes: net.notes.clone(),
            layout,
            dense,
            kept,
            rows,
            steps: 0,
            x: Vec::new(),
            hidden: [Vec::new(), Vec::new()],
        }
    }

    /// A net over the set `F` with random parameters, sized so that activations begin well inside
    /// their range.
    pub fn random<F: FeatureSet<V>>(
        architecture: Architecture,
        options: NetOptions,
        seed: u64,
    ) -> Self {
        Self::random_with(Set::of::<F>(architecture), architecture, options, seed)
    }

    fn random_with(
        set: Set<V>,
        architecture: Architecture,
        options: NetOptions,
        seed: u64,
    ) -> Self {
        let mut random = Rng::for_purpose(seed, &[0x6E65_7473]);
        let mut net = FloatNet::zeroed(architecture);
        let shape = architecture.shape;
        let mut fill = |values: &mut [f32], size: f32| {
            values.iter_mut().for_each(|v| *v = random.signed_unit() * size);
        };
        // A uniform number within ±a has deviation a/√3; each layer keeps a spread of about ½.
        fill(&mut net.w1, (1.5 / shape.l0 as f32).sqrt());
        fill(&mut net.w2, (6.0 / shape.h1 as f32).sqrt().min(1.0));
        fill(&mut net.w3, (1.5 / shape.h2 as f32).sqrt());
        net.b0.fill(0.25);
        net.b1.fill(0.25);
        net.b2.fill(0.25);
        let active = set.packing.active as f32;
        let mut model = Self::with(set, &net, options);
        fill(model.rows.seed_weights(), (0.5 / active).sqrt());
        model
    }

    /// The net, its factors folded.
    pub fn to_float(&self) -> FloatNet {
        let mut net = FloatNet::zeroed(self.architecture);
        (net.fv_scale, net.notes) = (self.fv_scale, self.notes.clone());
        self.layout.spread(&self.dense, &mut net);
        self.rows.folded(&mut net.w0);
        net
    }

    /// Sets what the integer output is divided by.
    pub const fn set_fv_scale(&mut self, fv_scale: i32) {
        self.fv_scale = fv_scale;
    }

    /// What an output of 1 is worth.
    fn unit(&self) -> f32 {
        crate::floatnet::OUTPUT_UNIT / self.fv_scale as f32
    }

    /// The game.
    pub const fn game(&self) -> Game {
        V::GAME
    }

    /// The gradient of everything but the rows, and in `x` the slopes of the rows' sums.
    fn backward(&mut self, slopes: &[f32], workers: Workers) -> Vec<f32> {
        let (unit, layout, dense) = (self.unit(), &self.layout, &self.dense);
        let (wide, h1, h2) = (2 * layout.shape.l0, layout.h1, layout.h2);
        let mut gradients = vec![Vec::new(); SHARES];
        let bounds = shares(slopes.len(), SHARES);
        let mut x = &mut self.x[..slopes.len() * wide];
        let mut tasks = Vec::new();
        for (bound, gradient) in bounds.windows(2).zip(&mut gradients) {
            let (begin, end) = (bound[0], bound[1]);
            let part = x.split_off_mut(..(end - begin) * wide).unwrap_or_default();
            let hidden = [&self.hidden[0][begin * h1..], &self.hidden[1][begin * h2..]];
            tasks.push(Back {
                layout,
                dense,
                slopes: &slopes[begin..end],
                unit,
                x: part,
                hidden,
                gradient,
            });
        }
        workers.run(tasks, widest);
        let mut gradients = gradients.into_iter();
        let mut sum = gradients.next().unwrap_or_default();
        gradients.for_each(|gradient| kernels::add(&mut sum, &gradient));
        sum
    }
}

impl<V: Variant> Model<V> for NetModel<V> {
    fn encoder(&self) -> Arc<dyn Encoder<V>> {
        Arc::clone(&self.set.encoder)
    }

    fn forward(&mut self, samples: &[u32], workers: &Workers, values: &mut [f32]) {
        self.rows.open(samples, *workers);
        let (unit, layout, dense, rows) = (self.unit(), &self.layout, &self.dense, &self.rows);
        let (wide, h1, h2) = (2 * layout.shape.l0, layout.h1, layout.h2);
        let count = values.len();
        self.x.resize(count * wide, 0.0);
        self.hidden[0].resize(count * h1, 0.0);
        self.hidden[1].resize(count * h2, 0.0);
        let [hidden1, hidden2] = &mut self.hidden;
        let x = self.x.chunks_mut(PIECE * wide).zip(values.chunks_mut(PIECE));
        let hidden = hidden1.chunks_mut(PIECE * h1).zip(hidden2.chunks_mut(PIECE * h2));
        let mut tasks = Vec::new();
        for (i, ((x, values), (hidden1, hidden2))) in x.zip(hidden).enumerate() {
            let hidden = [hidden1, hidden2];
            tasks.push(Forward { layout, dense, rows, unit, first: i * PIECE, x, hidden, values });
        }
        workers.run(tasks, widest);
    }

    fn learn(&mut self, _samples: &[u32], slopes: &[f32], rate: f32, workers: &Workers) {
        self.steps += 1;
        let step = self.options.optimiser.step(rate, self.steps);
        let gradient = self.backward(slopes, *workers);
        let (layout, kept) = (&self.layout, &mut self.kept);
        widest(Dense { layout, step, dense: &mut self.dense, gradient: &gradient, kept });
        let wide = 2 * self.layout.shape.l0;
        let subspace = Subspace { share: self.options.subspace, key: self.steps };
        self.rows.step(&self.x[..slopes.len() * wide], step, subspace, *workers);
    }

    fn describe(&self) -> String {
        let Architecture { features, shape } = self.architecture;
        let NetOptions { optimiser, factors, subspace } = self.options;
        let factors = if factors && self.set.by_king { ", factors" } else { "" };
        let subspace = Subspace::describe(subspace, "rows");
        let (name, game, shape) = (kind_name(features), features.game(), shape.name());
        format!(
            "net {name} {shape} ({game}), divisor {}, {optimiser}{factors}{subspace}",
            self.fv_scale
        )
    }

    fn save(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&self.steps.to_le_bytes())?;
        for values in [&self.dense, &self.kept[0], &self.kept[1]] {
            write_floats(to, values)?;
        }
        self.rows.save(to)
    }

    fn restore(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let mut steps = [0; 8];
        from.read_exact(&mut steps)?;
        self.steps = u64::from_le_bytes(steps);
        let [first, second] = &mut self.kept;
        for values in [&mut self.dense, first, second] {
            read_floats(from, values)?;
        }
        self.rows.restore(from)
    }
}

/// Some samples forward.
struct Forward<'a> {
    layout: &'a Layout,
    dense: &'a [f32],
    rows: &'a Rows,
    unit: f32,
    /// Index of the first sample.
    first: usize,
    x: &'a mut [f32],
    hidden: [&'a mut [f32]; 2],
    values: &'a mut [f32],
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let layout = self.layout;
        let l0 = layout.shape.l0;
        let mut scratch = Scratch::default();
        let [hidden1, hidden2] = self.hidden;
        let hidden = hidden1.chunks_exact_mut(layout.h1).zip(hidden2.chunks_exact_mut(layout.h2));
        let samples = self.x.chunks_exact_mut(2 * l0).zip(self.values);
        for (i, ((x, value), (hidden1, hidden2))) in samples.zip(hidden).enumerate() {
            for half in x.chunks_exact_mut(l0) {
                half.copy_from_slice(layout.b0(self.dense));
            }
            self.rows.add_to(self.first + i, x);
            kernels::clip(x);
            *value = self.unit * layout.forward(self.dense, x, hidden1, hidden2, &mut scratch);
        }
    }
}

/// A share of a batch back.
struct Back<'a> {
    layout: &'a Layout,
    dense: &'a [f32],
    slopes: &'a [f32],
    unit: f32,
    x: &'a mut [f32],
    hidden: [&'a [f32]; 2],
    gradient: &'a mut Vec<f32>,
}

impl Task for Back<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let layout = self.layout;
        self.gradient.resize(layout.len(), 0.0);
        let mut scratch = Scratch::default();
        let [hidden1, hidden2] = self.hidden;
        let hidden = hidden1.chunks_exact(layout.h1).zip(hidden2.chunks_exact(layout.h2));
        let samples = self.x.chunks_exact_mut(2 * layout.shape.l0).zip(self.slopes);
        for ((x, &slope), (hidden1, hidden2)) in samples.zip(hidden) {
            let slope = slope * self.unit;
            layout.backward(self.dense, slope, x, [hidden1, hidden2], self.gradient, &mut scratch);
        }
    }
}

/// The step of all parameters but the rows.
struct Dense<'a> {
    layout: &'a Layout,
    step: Step,
    dense: &'a mut [f32],
    gradient: &'a [f32],
    kept: &'a mut [Vec<f32>; 2],
}

impl Task for Dense<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.layout.step(self.step, self.dense, self.gradient, self.kept);
    }
}
