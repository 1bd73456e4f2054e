//! Real numbers become integers.
//!
//! The residual stream has 16 bits in one unit for the whole net, four times as much room as was
//! ever seen. Each convolution sees it as bytes, cut off where calibration says. Weights have 8
//! bits and a scale per output.

use super::calibration::{Calibration, LEVELS, Seen};
use super::floats::{Convolution, Floats};
use super::layers::Integers;
use super::reference::Reference;
use crate::batch::Batch;
use simd::{LayerParameters, Rescale};
use thiserror::Error;

/// Units of the stream that the largest number seen has: a quarter of what fits.
const STREAM: f32 = 8000.0;

/// A net that cannot be made integers.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum QuantiseError {
    #[error("no positions to calibrate on")]
    NoPositions,
    #[error("{layer} gives nothing but zeros: the net is not trained, or damaged")]
    Dead { layer: String },
    #[error("{layer}: {what} {value} does not fit {bits} bits")]
    Range { layer: String, what: &'static str, value: f64, bits: u32 },
}

/// The integers of a net, calibrated on some positions; `watch` is called after each, on any thread.
pub(super) fn integers(
    net: &Floats,
    reference: &Reference,
    positions: &Batch,
    watch: &(dyn Fn() + Sync),
) -> Result<Integers, QuantiseError> {
    if positions.is_empty() {
        return Err(QuantiseError::NoPositions);
    }
    let a = net.architecture;
    let seen = Calibration::new(reference, a.blocks, positions, watch);
    let largest = seen.streams.iter().fold(0.0f32, |most, s| most.max(s.largest));
    alive("the residual stream", largest)?;
    let unit = largest / STREAM;
    let views: Vec<i16> = seen.streams.iter().map(|s| view(s, unit)).collect();
    // What a step of the bytes counts after rounding the view.
    let steps: Vec<f64> = views.iter().map(|&v| f64::from(unit) * 32768.0 / f64::from(v)).collect();
    let mut blocks = Vec::new();
    for (number, [first, second]) in net.blocks.iter().enumerate() {
        let step = step(&format!("block {number}"), &seen.hidden[number])?;
        let name = |half| format!("block {number}, convolution {half}");
        let quantiser =
            |half, from, to, most| Quantiser { name: name(half), taps: 9, from, to, most };
        blocks.push([
            quantiser(1, steps[number], step, 128.0).layer(first)?,
            quantiser(2, step, f64::from(unit), 32767.0).layer(second)?,
        ]);
    }
    let last = steps[a.blocks];
    let value_step = step("the value head", &seen.value)?;
    let hidden_step = step("the value head's dense layer", &seen.value_hidden)?;
    let head =
        |name: &str, from, to| Quantiser { name: name.to_owned(), taps: 1, from, to, most: 128.0 };
    let value = head("value.conv", last, value_step).layer(&net.value)?;
    let value_fc1 = head("value.fc1", value_step, hidden_step).layer(&net.value_fc1)?;
    let (value_fc2, value_scale) = words(&net.value_fc2.weight);
    let (policy, scales): (Vec<_>, Vec<_>) = net.policy.chunks_exact(a.channels).map(words).unzip();
    Ok(Integers {
        stem: stem(net, unit)?,
        stem_bias: stem_words(net.stem.bias.iter().copied(), unit)?,
        views,
        blocks,
        policy: policy.concat(),
        policy_scales: scales.into_iter().map(|scale| (scale * last) as f32).collect(),
        policy_bias: net.policy_bias.clone(),
        value,
        value_fc1,
        value_fc2,
        value_scale: (value_scale * hidden_step) as f32,
        value_bias: net.value_fc2.bias[0],
    })
}

fn alive(layer: &str, largest: f32) -> Result<(), QuantiseError> {
    if largest > 0.0 { Ok(()) } else { Err(QuantiseError::Dead { layer: layer.to_owned() }) }
}

/// What a step of bytes counts at a site.
fn step(layer: &str, seen: &Seen) -> Result<f64, QuantiseError> {
    alive(layer, seen.largest)?;
    Ok(f64::from(seen.cut() / LEVELS))
}

/// The multiplier that shows the stream as bytes.
fn view(seen: &Seen, unit: f32) -> i16 {
    let cut = seen.cut().max(unit * 2.0 * LEVELS);
    (f64::from(unit * LEVELS / cut) * 32768.0).round().clamp(1.0, 32767.0) as i16
}

/// A row of weights in 16 bits, and what a step counts.
fn words(row: &[f32]) -> (Vec<i16>, f64) {
    let largest = row.iter().fold(f32::MIN_POSITIVE, |most, w| most.max(w.abs()));
    let scale = f64::from(largest) / 32767.0;
    (row.iter().map(|&w| (f64::from(w) / scale).round() as i16).collect(), scale)
}

fn stem_words(numbers: impl Iterator<Item = f32>, unit: f32) -> Result<Vec<i16>, QuantiseError> {
    let word = |x: f32| {
        let value = f64::from(x) / f64::from(unit);
        let fits = value.abs() <= 32767.0;
        fits.then(|| value.round() as i16).ok_or_else(|| QuantiseError::Range {
            layer: "stem".to_owned(),
            what: "number",
            value,
            bits: 16,
        })
    };
    numbers.map(word).collect()
}

/// The stem's weights by plane, tap, channel.
fn stem(net: &Floats, unit: f32) -> Result<Vec<i16>, QuantiseError> {
    let (planes, channels) = (net.architecture.shape.planes.count(), net.architecture.channels);
    let weight = &net.stem.weight;
    let numbers = (0..planes * 9 * channels).map(|at| {
        let (plane, tap, channel) = (at / (9 * channels), at / channels % 9, at % channels);
        weight[(channel * planes + plane) * 9 + tap]
    });
    stem_words(numbers, unit)
}

/// One layer: what steps of its inputs and outputs count, and the largest output that matters.
struct Quantiser {
    name: String,
    taps: usize,
    from: f64,
    to: f64,
    most: f64,
}

impl Quantiser {
    fn layer(&self, layer: &Convolution) -> Result<LayerParameters, QuantiseError> {
        let (outputs, row) = (layer.bias.len(), layer.weight.len() / layer.bias.len());
        let inputs = row / self.taps;
        let all = layer.weight.iter().fold(0.0f32, |most, w| most.max(w.abs()));
        alive(&self.name, all)?;
        let (mut weights, mut bias, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        let mut need = 0.0f64;
        for (from, &b) in layer.weight.chunks_exact(row).zip(&layer.bias) {
            // An output with next to no weights is not blown up to all eight bits.
            let largest = from.iter().fold(all * 1e-3, |most, w| most.max(w.abs()));
            let scale = f64::from(largest) / f64::from(LEVELS);
            let at = weights.len();
            for tap in 0..self.taps {
                let of = |input| f64::from(from[input * self.taps + tap]) / scale;
                weights.extend((0..inputs).map(|input| of(input).round() as i8));
            }
            let b = f64::from(b) / (scale * self.from);
            if b.abs() > f64::from(1 << 30) {
                return Err(self.range("bias", b, 31));
            }
            bias.push(b.round() as i32);
            let factor = scale * self.from / self.to;
            let sum: f64 = weights[at..].iter().map(|&w: &i8| f64::from(w).abs() * 127.0).sum();
            need = need.max((sum + b.abs()).min(self.most / factor));
            factors.push(factor);
        }
        debug_assert_eq!(bias.len(), outputs);
        let rescale = self.rescale(need, &factors)?;
        // Half a step, so that the shift rounds.
        let half = (1 << rescale.shift) >> 1;
        bias.iter_mut().for_each(|b| *b += half);
        Ok(LayerParameters { weights, bias, rescale })
    }

    /// The smallest shift by which no sum that matters is clamped, as far as multipliers allow.
    fn rescale(&self, need: f64, factors: &[f64]) -> Result<Rescale, QuantiseError> {
        let largest = factors.iter().fold(0.0f64, |most, &f| most.max(f));
        let multiplier = |factor: f64, shift: u32| factor * f64::from(1u32 << shift) * 32768.0;
        let wanted = (need / 32767.0).log2().ceil().clamp(0.0, 15.0) as u32;
        let fits = |&shift: &u32| multiplier(largest, shift) <= 32767.0;
        let shift = (0..=wanted)
            .rev()
            .find(fits)
            .ok_or_else(|| self.range("multiplier", multiplier(largest, 0), 15))?;
        let multipliers = factors.iter().map(|&f| multiplier(f, shift).round() as i16).collect();
        Ok(Rescale { shift, multipliers })
    }

    fn range(&self, what: &'static str, value: f64, bits: u32) -> QuantiseError {
        QuantiseError::Range { layer: self.name.clone(), what, value, bits }
    }
}
