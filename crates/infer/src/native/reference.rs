//! The net in real numbers: what the integers are calibrated on and compared with. Fast enough
//! for some thousand positions, not for playing.

use super::architecture::Architecture;
use super::floats::{Convolution, Floats};
use crate::batch::{Batch, Value};
use simd::{Task, widest};

/// Where numbers between layers can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    /// The residual stream after so many blocks.
    Stream(usize),
    /// Between the convolutions of a block.
    Hidden(usize),
    ValueConvolution,
    ValueHidden,
}

/// A net in real numbers, laid out for computing: squares with their channels side by side.
pub struct Reference {
    architecture: Architecture,
    stem: Layer,
    blocks: Vec<[Layer; 2]>,
    policy: Layer,
    policy_bias: Vec<f32>,
    value: Layer,
    value_fc1: Layer,
    value_fc2: Layer,
}

/// Weights by tap, input, output.
struct Layer {
    taps: usize,
    inputs: usize,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Layer {
    fn new(from: &Convolution, taps: usize) -> Self {
        let outputs = from.bias.len();
        let inputs = from.weight.len() / (outputs * taps);
        let mut weight = vec![0.0; from.weight.len()];
        for output in 0..outputs {
            for input in 0..inputs {
                for tap in 0..taps {
                    weight[(tap * inputs + input) * outputs + output] =
                        from.weight[(output * inputs + input) * taps + tap];
                }
            }
        }
        Self { taps, inputs, weight, bias: from.bias.clone() }
    }

    /// The outputs of every square of a board (or of one row, with one tap).
    fn run(&self, side: usize, x: &[f32]) -> Vec<f32> {
        widest(Run { layer: self, side, x })
    }
}

struct Run<'a> {
    layer: &'a Layer,
    side: usize,
    x: &'a [f32],
}

impl Task for Run<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let Self { layer, side, x } = self;
        let (inputs, outputs) = (layer.inputs, layer.bias.len());
        let squares = x.len() / inputs;
        let mut out = Vec::with_capacity(squares * outputs);
        for square in 0..squares {
            out.extend_from_slice(&layer.bias);
            let sums = &mut out[square * outputs..];
            for tap in 0..layer.taps {
                let Some(from) = neighbour(square, tap, layer.taps, side) else { continue };
                let weights = &layer.weight[tap * inputs * outputs..];
                for (input, &value) in x[from * inputs..][..inputs].iter().enumerate() {
                    // Planes and rectified numbers are mostly zero.
                    if value != 0.0 {
                        let row = &weights[input * outputs..][..outputs];
                        sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += value * w);
                    }
                }
            }
        }
        out
    }
}

/// The square a tap reads, if it is on the board.
#[inline(always)]
fn neighbour(square: usize, tap: usize, taps: usize, side: usize) -> Option<usize> {
    if taps == 1 {
        return Some(square);
    }
    let (file, rank) = (square / side + tap / 3, square % side + tap % 3);
    let inside = (1..=side).contains(&file) && (1..=side).contains(&rank);
    inside.then(|| (file - 1) * side + rank - 1)
}

fn rectify(mut x: Vec<f32>) -> Vec<f32> {
    x.iter_mut().for_each(|x| *x = x.max(0.0));
    x
}

/// 1 / (1 + e⁻ˣ), by the same operations on every machine.
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

impl Reference {
    pub fn new(net: &Floats) -> Self {
        let policy = Convolution {
            weight: net.policy.clone(),
            bias: vec![0.0; net.architecture.policy_planes()],
        };
        let pair = |[a, b]: &[Convolution; 2]| [Layer::new(a, 9), Layer::new(b, 9)];
        Self {
            architecture: net.architecture,
            stem: Layer::new(&net.stem, 9),
            blocks: net.blocks.iter().map(pair).collect(),
            policy: Layer::new(&policy, 1),
            policy_bias: net.policy_bias.clone(),
            value: Layer::new(&net.value, 1),
            value_fc1: Layer::new(&net.value_fc1, 1),
            value_fc2: Layer::new(&net.value_fc2, 1),
        }
    }

    /// Answers every position of a batch.
    pub fn answer(&self, batch: &mut Batch) {
        let mut policy = Vec::new();
        for index in 0..batch.len() {
            let (logits, value) = self.evaluate(batch.planes(index), &mut |_, _| {});
            policy.clear();
            policy.extend(batch.labels(index).iter().map(|&label| logits[usize::from(label)]));
            batch.answer(index, &policy, value);
        }
    }

    /// Logits of all labels and the value of one packed position; `look` is shown what stands
    /// between the layers.
    pub(super) fn evaluate(
        &self,
        packed: &[u8],
        look: &mut dyn FnMut(Site, &[f32]),
    ) -> (Vec<f32>, Value) {
        let shape = self.architecture.shape;
        let (side, squares, planes) = (shape.game.size(), shape.game.squares(), shape.planes);
        let mut by_plane = vec![0.0; planes.count() * squares];
        planes.unpack(packed, &mut by_plane);
        let x = turned(&by_plane, squares);
        let mut stream = rectify(self.stem.run(side, &x));
        look(Site::Stream(0), &stream);
        for (number, [first, second]) in self.blocks.iter().enumerate() {
            let hidden = rectify(first.run(side, &stream));
            look(Site::Hidden(number), &hidden);
            let mut sum = second.run(side, &hidden);
            sum.iter_mut().zip(&stream).for_each(|(sum, x)| *sum += x);
            stream = rectify(sum);
            look(Site::Stream(number + 1), &stream);
        }
        let policy = self.policy.run(side, &stream);
        let mut logits = turned(&policy, policy.len() / squares);
        logits.iter_mut().zip(&self.policy_bias).for_each(|(logit, bias)| *logit += bias);
        let value = rectify(self.value.run(side, &stream));
        look(Site::ValueConvolution, &value);
        let hidden = rectify(self.value_fc1.run(side, &turned(&value, value.len() / squares)));
        look(Site::ValueHidden, &hidden);
        let win = sigmoid(self.value_fc2.run(side, &hidden)[0]);
        (logits, Value { win, draw: 0.0 })
    }
}

/// Rows of `width` numbers as columns: planes of squares become squares of planes, and back.
fn turned(x: &[f32], width: usize) -> Vec<f32> {
    let rows = x.len() / width;
    let mut out = Vec::with_capacity(x.len());
    for column in 0..width {
        out.extend((0..rows).map(|row| x[row * width + column]));
    }
    out
}

impl std::fmt::Debug for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reference({})", self.architecture)
    }
}
