//! Everything of a net but the rows of its transformer, as one array: what every position
//! touches.

use super::kernels::{add, add_scaled, affine, affine_back, clip, mask, positive};
use crate::floatnet::FloatNet;
use crate::optimiser::Step;
use nnue::Shape;
use std::ops::Range;

/// Largest weight that eight bits hold.
const LARGEST_WEIGHT: f32 = 127.0 / 64.0;
/// Largest bias: beyond it no activation is ever anything but 0 or 1.
const LARGEST_BIAS: f32 = 512.0;

/// Where the parts lie. Outputs of hidden layers are padded to whole blocks of lanes; the
/// padding's weights are zero and stay so, since nothing flows back through an output of zero.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Layout {
    pub(super) shape: Shape,
    /// Padded outputs of the hidden layers.
    pub(super) h1: usize,
    pub(super) h2: usize,
    b0: Range<usize>,
    b1: Range<usize>,
    w1: Range<usize>,
    b2: Range<usize>,
    w2: Range<usize>,
    b3: Range<usize>,
    w3: Range<usize>,
}

/// Outputs computed at a time.
const fn lanes(outputs: usize) -> usize {
    match outputs {
        0..=8 => 8,
        9..=16 => 16,
        _ => 32,
    }
}

impl Layout {
    pub(super) fn new(shape: Shape) -> Self {
        let h1 = shape.h1.next_multiple_of(lanes(shape.h1));
        let h2 = shape.h2.next_multiple_of(lanes(shape.h2));
        let mut end = 0;
        let mut part = |len: usize| {
            let begin = end;
            end += len;
            begin..end
        };
        Self {
            shape,
            h1,
            h2,
            b0: part(shape.l0),
            b1: part(h1),
            w1: part(2 * shape.l0 * h1),
            b2: part(h2),
            w2: part(h1 * h2),
            b3: part(1),
            w3: part(h2),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.w3.end
    }

    /// The transformer's biases.
    pub(super) fn b0<'a>(&self, all: &'a [f32]) -> &'a [f32] {
        &all[self.b0.clone()]
    }

    /// Parts with the largest number each may hold.
    fn limits(&self) -> [(Range<usize>, f32); 7] {
        [
            (self.b0.clone(), super::rows::LARGEST_BIAS),
            (self.b1.clone(), LARGEST_BIAS),
            (self.w1.clone(), LARGEST_WEIGHT),
            (self.b2.clone(), LARGEST_BIAS),
            (self.w2.clone(), LARGEST_WEIGHT),
            (self.b3.clone(), LARGEST_BIAS),
            (self.w3.clone(), LARGEST_WEIGHT),
        ]
    }

    /// Moves all parameters.
    #[inline(always)]
    pub(super) fn step(
        &self,
        step: Step,
        all: &mut [f32],
        slopes: &[f32],
        kept: &mut [Vec<f32>; 2],
    ) {
        for (range, limit) in self.limits() {
            let [first, second] = kept;
            let kept =
                [first, second].map(|k| if k.is_empty() { &mut [] } else { &mut k[range.clone()] });
            step.apply(&mut all[range.clone()], &slopes[range], kept, limit);
        }
    }

    /// The array of a net, its rows left out.
    pub(super) fn gather(&self, net: &FloatNet) -> Vec<f32> {
        let mut all = vec![0.0; self.len()];
        let Shape { l0, h1, h2 } = self.shape;
        all[self.b0.clone()].copy_from_slice(&net.b0);
        all[self.b1.clone()][..h1].copy_from_slice(&net.b1);
        all[self.b2.clone()][..h2].copy_from_slice(&net.b2);
        all[self.b3.start] = net.b3;
        all[self.w3.clone()][..h2].copy_from_slice(&net.w3);
        transpose(&net.w1, 2 * l0, &mut all[self.w1.clone()], self.h1);
        transpose(&net.w2, h1, &mut all[self.w2.clone()], self.h2);
        all
    }

    /// Puts the array into a net.
    pub(super) fn spread(&self, all: &[f32], net: &mut FloatNet) {
        let Shape { l0, h1, h2 } = self.shape;
        net.b0.copy_from_slice(&all[self.b0.clone()]);
        net.b1.copy_from_slice(&all[self.b1.clone()][..h1]);
        net.b2.copy_from_slice(&all[self.b2.clone()][..h2]);
        net.b3 = all[self.b3.start];
        net.w3.copy_from_slice(&all[self.w3.clone()][..h2]);
        untranspose(&all[self.w1.clone()], self.h1, &mut net.w1, 2 * l0);
        untranspose(&all[self.w2.clone()], self.h2, &mut net.w2, h1);
    }
}

/// Rows of inputs become rows of outputs, padded.
fn transpose(from: &[f32], inputs: usize, to: &mut [f32], outputs: usize) {
    for (n, row) in from.chunks_exact(inputs).enumerate() {
        row.iter().enumerate().for_each(|(i, &w)| to[i * outputs + n] = w);
    }
}

fn untranspose(from: &[f32], outputs: usize, to: &mut [f32], inputs: usize) {
    for (n, row) in to.chunks_exact_mut(inputs).enumerate() {
        row.iter_mut().enumerate().for_each(|(i, w)| *w = from[i * outputs + n]);
    }
}

/// Memory of one thread for one position.
#[derive(Default)]
pub(super) struct Scratch {
    list: Vec<u32>,
    slopes: [Vec<f32>; 2],
    back: Vec<f32>,
}

#[inline(always)]
fn layer(lanes: usize, out: &mut [f32], weights: &[f32], x: &[f32], list: &[u32]) {
    match lanes {
        8 => affine::<8>(out, weights, x, list),
        16 => affine::<16>(out, weights, x, list),
        _ => affine::<32>(out, weights, x, list),
    }
    clip(out);
}

impl Layout {
    /// The output for clipped activations of the transformer; the hidden activations are kept.
    #[inline(always)]
    pub(super) fn forward(
        &self,
        all: &[f32],
        x: &[f32],
        hidden1: &mut [f32],
        hidden2: &mut [f32],
        scratch: &mut Scratch,
    ) -> f32 {
        positive(x, &mut scratch.list);
        hidden1.copy_from_slice(&all[self.b1.clone()]);
        layer(lanes(self.shape.h1), hidden1, &all[self.w1.clone()], x, &scratch.list);
        positive(hidden1, &mut scratch.list);
        hidden2.copy_from_slice(&all[self.b2.clone()]);
        layer(lanes(self.shape.h2), hidden2, &all[self.w2.clone()], hidden1, &scratch.list);
        let products = hidden2.iter().zip(&all[self.w3.clone()]).map(|(x, w)| x * w);
        all[self.b3.start] + products.sum::<f32>()
    }

    /// The way back: slopes of all parameters are added to `gradient`, and the activations `x`
    /// are replaced by the slopes of the transformer's sums.
    #[inline(always)]
    pub(super) fn backward(
        &self,
        all: &[f32],
        slope: f32,
        x: &mut [f32],
        [hidden1, hidden2]: [&[f32]; 2],
        gradient: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let Scratch { list, slopes: [slopes1, slopes2], back } = scratch;
        gradient[self.b3.start] += slope;
        add_scaled(&mut gradient[self.w3.clone()], hidden2, slope);
        slopes2.clear();
        slopes2.extend(all[self.w3.clone()].iter().map(|w| w * slope));
        mask(slopes2, hidden2);
        add(&mut gradient[self.b2.clone()], slopes2);

        positive(hidden1, list);
        slopes1.clear();
        slopes1.resize(self.h1, 0.0);
        let (weights, sums) = (&all[self.w2.clone()], &mut gradient[self.w2.clone()]);
        match lanes(self.shape.h2) {
            8 => affine_back::<8>(slopes2, weights, hidden1, list, sums, slopes1),
            16 => affine_back::<16>(slopes2, weights, hidden1, list, sums, slopes1),
            _ => affine_back::<32>(slopes2, weights, hidden1, list, sums, slopes1),
        }
        mask(slopes1, hidden1);
        add(&mut gradient[self.b1.clone()], slopes1);

        positive(x, list);
        back.clear();
        back.resize(x.len(), 0.0);
        let (weights, sums) = (&all[self.w1.clone()], &mut gradient[self.w1.clone()]);
        match lanes(self.shape.h1) {
            8 => affine_back::<8>(slopes1, weights, x, list, sums, back),
            16 => affine_back::<16>(slopes1, weights, x, list, sums, back),
            _ => affine_back::<32>(slopes1, weights, x, list, sums, back),
        }
        mask(back, x);
        x.copy_from_slice(back);
        for half in x.chunks_exact(self.shape.l0) {
            add(&mut gradient[self.b0.clone()], half);
        }
    }
}
