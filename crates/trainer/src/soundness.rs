//! Whether a net works: the same values on every way to them, and integers that are what was
//! trained. Measured on positions of random games, the same every time.

use crate::floatnet::FloatNet;
use crate::sample;
use eval::Evaluator;
use nnue::{AnyNet, DEFAULT_FV_SCALE, Isa};
use play::win_rate;
use rules::Variant;

/// Positions compared.
pub const COMPARED: usize = 1000;
/// The games they are from.
pub(crate) const SEED: u64 = 2024;
/// The scale at which win rates are compared: the one trainers use unless told otherwise.
const SCALE: f64 = play::TRAINING_SCALE;
/// Largest mean distance of win rates that rounding explains. Nets trained with clipped weights
/// stay below a quarter of it.
pub const TOLERANCE: f64 = 0.02;
/// How many times the mean bound a single position may be off.
const SINGLE: f64 = 10.0;

/// What is wrong with a net.
#[derive(Debug, thiserror::Error)]
pub enum Unsound {
    #[error("it cannot be written: {0}")]
    Write(#[from] std::io::Error),
    #[error("written and read again it is refused: {0}")]
    Read(#[from] nnue::NetError),
    #[error("written and read again it gives other values")]
    OtherValues,
    #[error("{0} and scalar code give different values")]
    InstructionSet(Isa),
    /// Values by difference.
    #[error("{wrong} of {positions} values by difference are wrong")]
    ByDifference { wrong: usize, positions: usize },
    /// An entry of tables that must not depend on the order of its pieces.
    #[error("king {king} with pieces {a} and {b} has another value than with {b} and {a}")]
    Lopsided { king: usize, a: usize, b: usize },
}

/// What a sound net is like.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sound {
    /// Positions it was tried on.
    pub positions: usize,
    /// Mean size of its values.
    pub mean: f64,
    /// The value of every position, if there is only one: odd.
    pub constant: Option<f64>,
}

/// Whether a net gives the same values on every way to them.
pub fn soundness(net: &AnyNet) -> Result<Sound, Unsound> {
    let mut bytes = Vec::new();
    net.write(&mut bytes)?;
    let again = AnyNet::from_bytes(&bytes)?;
    let games = sample::games(net.game(), COMPARED, SEED);
    let positions: Vec<_> = games.iter().flatten().cloned().collect();
    // A file does not say the divisor.
    let plain = net.with_fv_scale(DEFAULT_FV_SCALE);
    if sample::values(&plain, &positions) != sample::values(&again, &positions) {
        return Err(Unsound::OtherValues);
    }
    let values = sample::values(&net.with_isa(Isa::SCALAR), &positions);
    for &isa in Isa::available() {
        if sample::values(&net.with_isa(isa), &positions) != values {
            return Err(Unsound::InstructionSet(isa));
        }
    }
    let wrong = sample::strays(net, &games);
    if wrong > 0 {
        return Err(Unsound::ByDifference { wrong, positions: positions.len() });
    }
    Ok(Sound::of(values))
}

impl Sound {
    fn of(values: Vec<Option<i32>>) -> Self {
        let known: Vec<f64> = values.into_iter().flatten().map(f64::from).collect();
        let mean = known.iter().map(|v| v.abs()).sum::<f64>() / known.len() as f64;
        let constant = known.iter().all(|&v| v == known[0]).then(|| known[0]);
        Self { positions: known.len(), mean, constant }
    }
}

/// Whether evaluators give the same values with every instruction set, and by difference.
pub(crate) fn sound_evaluator<V: Variant, E: Evaluator<V>>(
    make: &dyn Fn(Isa) -> E,
) -> Result<Sound, Unsound> {
    let games = sample::games(V::GAME, COMPARED, SEED);
    let positions: Vec<_> = games.iter().flatten().cloned().collect();
    let values = sample::values_of::<V, E>(&mut make(Isa::SCALAR), &positions);
    for &isa in Isa::available() {
        if sample::values_of::<V, E>(&mut make(isa), &positions) != values {
            return Err(Unsound::InstructionSet(isa));
        }
    }
    let mut pair = [make(Isa::best()), make(Isa::best())];
    let wrong = sample::strays_of::<V, E>(&mut pair, &games);
    if wrong > 0 {
        return Err(Unsound::ByDifference { wrong, positions: positions.len() });
    }
    Ok(Sound::of(values))
}

/// How far integers are from the real numbers they were made from.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rounding {
    /// Mean distance of values.
    pub mean: f64,
    /// Mean distance of win rates.
    pub mean_rate: f64,
    /// Largest distance of win rates.
    pub largest_rate: f64,
}

impl Rounding {
    /// Compares an integer net with one in real numbers.
    pub fn of(net: &AnyNet, real: &FloatNet) -> Self {
        let positions = sample::positions(net.game(), COMPARED, SEED);
        let mut found = Self::default();
        let mut count = 0.0;
        for (position, value) in positions.iter().zip(sample::values(net, &positions)) {
            let (Some(value), Some(real)) = (value, real.value(position)) else { continue };
            let (value, real) = (f64::from(value), f64::from(real));
            let distance = (win_rate(value, SCALE) - win_rate(real, SCALE)).abs();
            found.mean += (value - real).abs();
            found.mean_rate += distance;
            found.largest_rate = found.largest_rate.max(distance);
            count += 1.0;
        }
        found.mean /= f64::max(count, 1.0);
        found.mean_rate /= f64::max(count, 1.0);
        found
    }

    /// The largest distance a single position may have.
    pub fn single(tolerance: f64) -> f64 {
        SINGLE * tolerance
    }

    /// Whether rounding explains it.
    pub fn is_within(&self, tolerance: f64) -> bool {
        self.mean_rate <= tolerance && self.largest_rate <= Self::single(tolerance)
    }
}

/// How differently two nets of one game think.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ValueDistance {
    pub positions: usize,
    pub mean: f64,
    pub largest: f64,
    /// Positions in which they see another side ahead.
    pub other_side: usize,
}

impl ValueDistance {
    /// Compares the values of two nets on the same positions.
    pub fn of(first: &AnyNet, second: &AnyNet) -> Self {
        let positions = sample::positions(first.game(), COMPARED, SEED);
        let values = |net| -> Vec<f64> {
            sample::values(net, &positions).into_iter().flatten().map(f64::from).collect()
        };
        Self::between(&values(first), &values(second))
    }

    /// Compares the values of the same positions.
    pub(crate) fn between(a: &[f64], b: &[f64]) -> Self {
        let distances: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect();
        Self {
            positions: a.len(),
            mean: distances.iter().sum::<f64>() / a.len() as f64,
            largest: distances.iter().copied().fold(0.0, f64::max),
            other_side: a.iter().zip(b).filter(|(a, b)| a.signum() != b.signum()).count(),
        }
    }
}
