//! The net in real numbers: what the integers are calibrated on and compared with. Fast enough
//! for some thousand positions, not for playing.

use super::architecture::Architecture;
use super::floats::{Convolution, Floats};
use crate::batch::{Batch, Value};
use simd::{Task, widest};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

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

/// Inputs whose rows of weights are added to the sums at a time, so that sums are read and written
/// that much less often. In the order of the inputs all the same: not a bit depends on it.
const ROWS: usize = 8;

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
        // Planes and rectified numbers are mostly zero: the others, with their rows of weights.
        let mut terms: Vec<(f32, &[f32])> = Vec::with_capacity(layer.taps * inputs);
        for square in 0..squares {
            terms.clear();
            for tap in 0..layer.taps {
                let Some(from) = neighbour(square, tap, layer.taps, side) else { continue };
                let rows = layer.weight[tap * inputs * outputs..].chunks_exact(outputs);
                let values = x[from * inputs..][..inputs].iter().copied();
                terms.extend(values.zip(rows).filter(|(value, _)| *value != 0.0));
            }
            out.extend_from_slice(&layer.bias);
            // The length is said so that no index has to be checked.
            let sums = &mut out[square * outputs..][..outputs];
            let (several, rest) = terms.as_chunks::<ROWS>();
            for terms in several {
                let rows = terms.map(|(_, row)| &row[..outputs]);
                for (at, sum) in sums.iter_mut().enumerate() {
                    for ((value, _), row) in terms.iter().zip(&rows) {
                        *sum += value * row[at];
                    }
                }
            }
            for (value, row) in rest {
                sums.iter_mut().zip(*row).for_each(|(sum, w)| *sum += value * w);
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

    /// Answers every position of a batch, on all processors.
    pub fn answer(&self, batch: &mut Batch) {
        self.answer_watched(batch, &|| ());
    }

    /// The same; `watch` is called after every position, on any thread.
    pub(super) fn answer_watched(&self, batch: &mut Batch, watch: &(dyn Fn() + Sync)) {
        let asked: &Batch = batch;
        let answers = in_parallel(asked.len(), |index| {
            let (logits, value) = self.evaluate(asked.planes(index), &mut |_, _| {});
            let labels = asked.labels(index).iter();
            let policy: Vec<f32> = labels.map(|&label| logits[usize::from(label)]).collect();
            watch();
            (policy, value)
        });
        for (index, (policy, value)) in answers.into_iter().enumerate() {
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

/// What `work` makes of each number below `count`, in their order, shared among all processors.
pub(super) fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if processors == 1 || count < 2 {
        return (0..count).map(work).collect();
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    thread::scope(|scope| {
        for _ in 0..processors.min(count) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let made = work(number);
                    // Who panicked takes all others down at the end of the scope.
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.push((number, made));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, made)| made).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums as the definition of a convolution has them.
    fn plain(from: &Convolution, taps: usize, side: usize, x: &[f32]) -> Vec<f32> {
        let (outputs, row) = (from.bias.len(), from.weight.len() / from.bias.len());
        let inputs = row / taps;
        let squares = x.len() / inputs;
        let sum = |square, output: usize| {
            let terms = (0..taps).flat_map(|tap| (0..inputs).map(move |input| (tap, input)));
            terms.fold(from.bias[output], |sum, (tap, input)| {
                let weight = from.weight[output * row + input * taps + tap];
                let from = neighbour(square, tap, taps, side);
                sum + from.map_or(0.0, |from| x[from * inputs + input] * weight)
            })
        };
        (0..squares).flat_map(|square| (0..outputs).map(move |o| sum(square, o))).collect()
    }

    #[test]
    fn several_rows_at_a_time_give_the_sums_of_the_definition() {
        // Numbers of inputs that are multiples of the rows at a time, and others.
        let rows = [(9, 9, 81, 5, 27), (9, 5, 25, 3, 16), (1, 9, 81, 4, 1), (1, 9, 1, 20, 33)];
        for (taps, side, squares, inputs, outputs) in rows {
            let mut rng = seed::Rng::new(outputs as u64);
            // Some are zero, and left out.
            let mut number = || (rng.unit() as f32 - 0.5).max(-0.2) + 0.2;
            let mut numbers = |n| (0..n).map(|_| number()).collect::<Vec<f32>>();
            let from =
                Convolution { weight: numbers(outputs * inputs * taps), bias: numbers(outputs) };
            let x = numbers(squares * inputs);
            let found = Layer::new(&from, taps).run(side, &x);
            let expected = plain(&from, taps, side, &x);
            assert_eq!(found.len(), expected.len());
            assert!(found == expected, "{taps} taps, {outputs} outputs");
        }
    }

    #[test]
    fn work_in_parallel_comes_back_in_order() {
        for count in [0, 1, 2, 1000] {
            let found = in_parallel(count, |number| number * number);
            assert!(found.into_iter().eq((0..count).map(|n| n * n)));
        }
    }
}
