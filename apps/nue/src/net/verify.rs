//! `nue net verify`: whether a net works, and whether its integers are what was trained.

use crate::failure::{CommandResult, Failure};
use clap::Args;
use nnue::{AnyNet, Isa};
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::{FloatNet, Rounding, Sound, Stored, TOLERANCE, soundness};

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
    /// Largest mean distance of win rates
    #[arg(long, value_name = "P", default_value_t = TOLERANCE)]
    tolerance: f64,
}

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> CommandResult {
    let mut out = io::stdout().lock();
    let net = match Stored::load(&args.file)? {
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
    let info = net.info();
    for remark in &info.remarks {
        writeln!(out, "odd: {remark}")?;
    }
    sound(&mut out, &net)?;
    if info.hashes != info.expected_hashes {
        return Err(Failure::failed(format!(
            "{}: its hashes are not those of a net {architecture}; if it is one all the same, nue net \
             strip writes the right ones",
            args.file.display()
        )));
    }
    let Some(path) = &args.real else { return Ok(()) };
    let real = Stored::load_real(path)?;
    if real.architecture != architecture {
        return Err(Failure::failed(format!(
            "{} is a net {}, not {architecture}",
            path.display(),
            real.architecture
        )));
    }
    compare(&mut out, &net.with_fv_scale(real.fv_scale), &real, args.tolerance)
}

/// Says whether a net gives the same values on every way to them.
fn sound(out: &mut impl Write, net: &AnyNet) -> CommandResult {
    let sound = soundness(net).map_err(|e| Failure::failed(e.to_string()))?;
    report(out, &sound)
}

/// Says what a sound net is like.
pub(super) fn report(out: &mut impl Write, sound: &Sound) -> CommandResult {
    let sets: Vec<&str> = Isa::available().iter().map(|isa| isa.name()).collect();
    writeln!(out, "instruction sets agree: {}", sets.join(", "))?;
    writeln!(
        out,
        "values by difference agree on {} positions; mean |value| {:.0}",
        sound.positions, sound.mean
    )?;
    if let Some(value) = sound.constant {
        writeln!(out, "odd: every position has the value {value}")?;
    }
    Ok(())
}

/// Compares an integer net with the one in real numbers; too far is a failure.
fn compare(out: &mut impl Write, net: &AnyNet, real: &FloatNet, tolerance: f64) -> CommandResult {
    let found = Rounding::of(net, real);
    if !found.is_within(tolerance) {
        return Err(Failure::failed(format!(
            "{found}; allowed are {tolerance} and {} (--tolerance)",
            Rounding::single(tolerance)
        )));
    }
    writeln!(out, "{found}")?;
    Ok(())
}
