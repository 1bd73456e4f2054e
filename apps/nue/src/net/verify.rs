//! `nue net verify`: whether a net works, and whether its integers are what was trained.

use super::sample;
use super::store::{Stored, load, load_real};
use crate::failure::{Failure, Outcome};
use clap::Args;
use nnue::{AnyNet, DEFAULT_FV_SCALE, Isa};
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::FloatNet;

/// Positions compared.
const POSITIONS: usize = 1000;
/// The games they are from.
const SEED: u64 = 2024;
/// What a value is divided by to give the odds of winning.
const SCALE: f64 = 600.0;
/// Largest mean distance of winning probabilities that rounding explains. Nets trained with
/// clipped weights stay below a quarter of it.
pub(super) const TOLERANCE: f64 = 0.02;
/// How many times the mean bound a single position may be off.
const SINGLE: f64 = 10.0;

/// Check a net: hashes, writing back, every instruction set, update by difference; and with
/// --real, that it is a given net in real numbers
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// A net file, or a folder with nn.bin
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// The net in real numbers (.nuef) it was made from
    #[arg(long, value_name = "FILE")]
    real: Option<PathBuf>,
    /// Largest mean distance of winning probabilities
    #[arg(long, value_name = "P", default_value_t = TOLERANCE)]
    tolerance: f64,
}

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> Outcome {
    let mut out = io::stdout().lock();
    let net = match load(&args.file)? {
        Stored::Integers(net) => net,
        // Reading it has checked all there is to check by itself.
        Stored::Real(real) => {
            let quantised = real.quantise().map_err(|e| Failure::failed(e.to_string()))?;
            writeln!(out, "a net in real numbers: {}", real.architecture)?;
            return compare(&mut out, &quantised.net, &real, args.tolerance);
        }
    };
    let architecture = net.architecture();
    writeln!(out, "{}: {architecture}", args.file.display())?;
    for remark in net.info().remarks {
        writeln!(out, "odd: {remark}")?;
    }
    soundness(&mut out, &net)?;
    let Some(path) = &args.real else { return Ok(()) };
    let real = load_real(path)?;
    if real.architecture != architecture {
        return Err(Failure::failed(format!(
            "{} is a net {}, not {architecture}",
            path.display(),
            real.architecture
        )));
    }
    compare(&mut out, &net.with_fv_scale(real.fv_scale), &real, args.tolerance)
}

/// Whether a net gives the same values on every way to them.
pub(super) fn soundness(out: &mut impl Write, net: &AnyNet) -> Outcome {
    let mut bytes = Vec::new();
    net.write(&mut bytes)?;
    let again = AnyNet::from_bytes(&bytes).map_err(|e| Failure::failed(e.to_string()))?;
    let games = sample::games(net.game(), POSITIONS, SEED);
    let positions: Vec<_> = games.iter().flatten().cloned().collect();
    // A file does not say the divisor.
    let plain = net.with_fv_scale(DEFAULT_FV_SCALE);
    if sample::values(&plain, &positions) != sample::values(&again, &positions) {
        return Err(Failure::failed("written and read again it gives other values"));
    }
    let values = sample::values(&net.with_isa(Isa::SCALAR), &positions);
    for &isa in Isa::available() {
        if sample::values(&net.with_isa(isa), &positions) != values {
            return Err(Failure::failed(format!("{isa} gives other values than scalar")));
        }
    }
    let strays = sample::strays(net, &games);
    if strays > 0 {
        return Err(Failure::failed(format!(
            "{strays} of {} values by difference are wrong",
            positions.len()
        )));
    }
    let known: Vec<f64> = values.into_iter().flatten().map(f64::from).collect();
    let mean = known.iter().map(|v| v.abs()).sum::<f64>() / known.len() as f64;
    let sets: Vec<&str> = Isa::available().iter().map(|isa| isa.name()).collect();
    writeln!(out, "instruction sets agree: {}", sets.join(", "))?;
    writeln!(
        out,
        "values by difference agree on {} positions; mean |value| {mean:.0}",
        known.len()
    )?;
    if known.iter().all(|&v| v == known[0]) {
        writeln!(out, "odd: every position has the value {}", known[0])?;
    }
    Ok(())
}

/// How far integers are from real numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    /// Mean distance of values.
    mean: f64,
    /// Mean and largest distance of winning probabilities.
    mean_odds: f64,
    largest_odds: f64,
}

impl Distance {
    fn of(net: &AnyNet, real: &FloatNet) -> Self {
        let positions = sample::positions(net.game(), POSITIONS, SEED);
        let mut found = Self::default();
        let mut count = 0.0;
        for (position, value) in positions.iter().zip(sample::values(net, &positions)) {
            let (Some(value), Some(real)) = (value, real.value(position)) else { continue };
            let (value, real) = (f64::from(value), f64::from(real));
            let odds = |v: f64| 1.0 / (1.0 + (-v / SCALE).exp());
            let distance = (odds(value) - odds(real)).abs();
            found.mean += (value - real).abs();
            found.mean_odds += distance;
            found.largest_odds = found.largest_odds.max(distance);
            count += 1.0;
        }
        found.mean /= f64::max(count, 1.0);
        found.mean_odds /= f64::max(count, 1.0);
        found
    }
}

/// Compares an integer net with the one in real numbers; too far is a failure.
pub(super) fn compare(
    out: &mut impl Write,
    net: &AnyNet,
    real: &FloatNet,
    tolerance: f64,
) -> Outcome {
    let Distance { mean, mean_odds, largest_odds } = Distance::of(net, real);
    let text = format!(
        "integers against real numbers on {POSITIONS} positions: mean {mean:.1}; probability of \
         winning: mean {mean_odds:.4}, largest {largest_odds:.4}"
    );
    let good = mean_odds <= tolerance && largest_odds <= SINGLE * tolerance;
    if !good {
        return Err(Failure::failed(format!(
            "{text}; allowed are {tolerance} and {} (--tolerance)",
            SINGLE * tolerance
        )));
    }
    writeln!(out, "{text}")?;
    Ok(())
}
