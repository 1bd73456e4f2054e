//! A net of integers, ready to compute.

use super::architecture::Architecture;
use super::file::{Canary, FileError};
use super::layers::Integers;
use super::reference::sigmoid;
use super::stem::{Stem, StemScratch};
use crate::backend::Shape;
use crate::batch::{Batch, Value};
use simd::{AlignedVec, ByteLayer, ByteLayerError, Grid, Isa, LayerParameters, Stream};
use std::fmt;

/// Positions computed together: weights stay in the first cache while these pass, and the dense
/// layer's tiles are that high.
pub(super) const TOGETHER: usize = 9;

/// A net of integers.
pub struct Net {
    pub(super) architecture: Architecture,
    pub(super) integers: Integers,
    pub(super) canaries: Vec<Canary>,
    isa: Isa,
    grid: Grid,
    stream: Stream,
    stem: Stem,
    blocks: Vec<[ByteLayer; 2]>,
    value: ByteLayer,
    value_fc1: ByteLayer,
}

/// Room for [`TOGETHER`] positions.
pub(super) struct Scratch {
    stem: StemScratch,
    stream: AlignedVec<i16>,
    x: AlignedVec<u8>,
    hidden: AlignedVec<u8>,
    value: AlignedVec<u8>,
    value_hidden: AlignedVec<u8>,
    logits: Vec<f32>,
}

impl Net {
    /// A net from a file's bytes: for nets inside an executable.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        Self::from_bytes_for(Isa::best(), bytes)
    }

    /// A net from its numbers, for one instruction set. The numbers fit the architecture.
    pub(super) fn put_together(
        isa: Isa,
        architecture: Architecture,
        integers: Integers,
    ) -> Result<Self, ByteLayerError> {
        let a = &architecture;
        let layer = |p: &LayerParameters| ByteLayer::new(isa, 9, a.channels, p.clone());
        let mut blocks = Vec::new();
        for [first, second] in &integers.blocks {
            blocks.push([layer(first)?, layer(second)?]);
        }
        let stream = Stream::new(isa);
        let fc1 = spread(a, &integers.value_fc1);
        Ok(Self {
            isa,
            grid: a.grid(),
            stream,
            stem: Stem::new(a, &integers, stream),
            blocks,
            value: ByteLayer::new(isa, 1, a.channels, integers.value.clone())?,
            value_fc1: ByteLayer::new(isa, 1, value_places(a) * value_stride(a), fc1)?,
            canaries: Vec::new(),
            architecture,
            integers,
        })
    }

    /// The same net for another instruction set.
    pub fn with_isa(&self, isa: Isa) -> Self {
        let net = Self::put_together(isa, self.architecture, self.integers.clone());
        let canaries = self.canaries.clone();
        Self { canaries, ..net.expect("these numbers made a net before") }
    }

    /// The sizes.
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// What it sees and says.
    pub const fn shape(&self) -> Shape {
        self.architecture.shape
    }

    /// The instruction set it computes with.
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    pub(super) fn scratch(&self) -> Scratch {
        let a = &self.architecture;
        let boards = TOGETHER * self.grid.padded() * a.channels;
        Scratch {
            stem: StemScratch::default(),
            stream: AlignedVec::zeroed(boards),
            x: AlignedVec::zeroed(boards),
            hidden: AlignedVec::zeroed(boards),
            value: AlignedVec::zeroed(TOGETHER * value_places(a) * value_stride(a)),
            value_hidden: AlignedVec::zeroed(TOGETHER * Grid::channels(a.value_hidden)),
            logits: Vec::new(),
        }
    }

    /// Answers every position of a batch.
    pub(super) fn answer(&self, batch: &mut Batch, scratch: &mut Scratch) {
        let mut from = 0;
        while from < batch.len() {
            let count = (batch.len() - from).min(TOGETHER);
            self.answer_some(batch, from, count, scratch);
            from += count;
        }
    }

    /// Answers [`TOGETHER`] positions or less.
    fn answer_some(&self, batch: &mut Batch, from: usize, count: usize, scratch: &mut Scratch) {
        let (grid, views) = (self.grid, &self.integers.views);
        let channels = self.architecture.channels;
        let board = grid.padded() * channels;
        let stream = &mut scratch.stream[..count * board];
        let x = &mut scratch.x[..count * board];
        let hidden = &mut scratch.hidden[..count * board];
        for (index, stream) in stream.chunks_exact_mut(board).enumerate() {
            self.stem.fill(batch.planes(from + index), &mut scratch.stem, stream);
        }
        self.stream.rectify(grid, channels, stream, views[0], x);
        for ([first, second], &view) in self.blocks.iter().zip(&views[1..]) {
            first.convolve(grid, x, hidden);
            second.add_to(grid, hidden, stream, view, x);
        }
        self.value_hidden(count, scratch);
        let width = Grid::channels(self.architecture.value_hidden);
        for index in 0..count {
            let x = &scratch.x[index * board..][..board];
            self.logits(x, batch.labels(from + index), &mut scratch.logits);
            let hidden = &scratch.value_hidden[index * width..][..width];
            batch.answer(from + index, &scratch.logits, self.value(hidden));
        }
    }

    /// The value head up to its last layer.
    fn value_hidden(&self, count: usize, scratch: &mut Scratch) {
        let a = &self.architecture;
        let (channels, row) = (a.channels, value_places(a) * value_stride(a));
        let (board, first) = (self.grid.padded() * channels, self.grid.place(0) * channels);
        let places = value_places(a) * channels;
        for index in 0..count {
            let x = &scratch.x[index * board + first..][..places];
            self.value.rows(x, &mut scratch.value[index * row..][..row]);
        }
        // Whole tiles are quicker than a few single rows, whatever stands in the others.
        let rows = if count > 2 { TOGETHER } else { count };
        let width = Grid::channels(a.value_hidden);
        let out = &mut scratch.value_hidden[..rows * width];
        self.value_fc1.rows(&scratch.value[..rows * row], out);
    }

    fn value(&self, hidden: &[u8]) -> Value {
        let sum = dot(hidden, &self.integers.value_fc2);
        let win = sigmoid(sum as f32 * self.integers.value_scale + self.integers.value_bias);
        Value { win, draw: 0.0 }
    }

    /// The logits of some labels, each a row of the policy head's weights at its square.
    fn logits(&self, x: &[u8], labels: &[u16], out: &mut Vec<f32>) {
        let (channels, squares) = (self.architecture.channels, self.grid.squares());
        out.clear();
        out.extend(labels.iter().map(|&label| {
            let (plane, square) = (usize::from(label) / squares, usize::from(label) % squares);
            let Some(&bias) = self.integers.policy_bias.get(usize::from(label)) else {
                // No label of this net: a fault of the caller, told as any other nonsense.
                return f32::NAN;
            };
            let x = &x[self.grid.place(square) * channels..][..channels];
            let sum = dot(x, &self.integers.policy[plane * channels..][..channels]);
            sum as f32 * self.integers.policy_scales[plane] + bias
        }));
    }
}

#[inline]
fn dot(x: &[u8], weights: &[i16]) -> i32 {
    x.iter().zip(weights).map(|(&x, &w)| i32::from(x) * i32::from(w)).sum()
}

/// Squares from the first to the last in memory, padding between files included.
fn value_places(a: &Architecture) -> usize {
    let grid = a.grid();
    grid.place(grid.squares() - 1) + 1 - grid.place(0)
}

fn value_stride(a: &Architecture) -> usize {
    Grid::channels(a.value_channels)
}

/// The dense layer's weights where the convolution before it leaves its outputs; none for padding.
fn spread(a: &Architecture, p: &LayerParameters) -> LayerParameters {
    let (grid, channels, squares) = (a.grid(), a.value_channels, a.grid().squares());
    let (row, stride) = (value_places(a) * value_stride(a), value_stride(a));
    let mut weights = vec![0; p.bias.len() * row];
    for (to, from) in weights.chunks_exact_mut(row).zip(p.weights.chunks_exact(channels * squares))
    {
        for channel in 0..channels {
            for square in 0..squares {
                let place = grid.place(square) - grid.place(0);
                to[place * stride + channel] = from[channel * squares + square];
            }
        }
    }
    LayerParameters { weights, ..p.clone() }
}

impl fmt::Debug for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Net({}, {})", self.architecture, self.isa)
    }
}
