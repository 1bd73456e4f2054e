//! `nue net verify`: whether a net works, and whether its integers are what was trained.

use crate::failure::{CommandResult, Failure};
use clap::Args;
use infer::native::FileKind;
use nnue::AnyNet;
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::{FloatNet, PolicyValueRequest, Rounding, Stored, TOLERANCE, TableFiles, soundness};

/// Check a net or tables: hashes, writing back, symmetry, every instruction set, update by
/// difference; and with --real, that it is a given net in real numbers
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// A net file, or a folder with nn.bin, kkppt.bin or three-piece tables
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// The net in real numbers (.nuef, .nuedf) it was made from
    #[arg(long, value_name = "FILE")]
    real: Option<PathBuf>,
    /// For policy-value nets: games it did not learn from, to see how often it is right
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Positions of those games
    #[arg(long, value_name = "N", default_value_t = 50_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    /// Largest mean distance of win rates
    #[arg(long, value_name = "P", default_value_t = TOLERANCE)]
    tolerance: f64,
}

pub(crate) fn run(args: &VerifyArgs) -> CommandResult {
    let mut out = io::stdout().lock();
    if FileKind::of_file(&args.file) == Some(FileKind::Integers) {
        let (net, real, games) = (args.file.clone(), args.real.clone(), args.games.clone());
        let request = PolicyValueRequest { net, real, games, positions: args.positions as usize };
        write!(out, "{}", request.check().map_err(|e| Failure::failed(e.to_string()))?)?;
        return Ok(());
    }
    if !args.games.is_empty() {
        return Err(Failure::usage("--games is for policy-value nets (.nued)"));
    }
    if let Some(tables) = TableFiles::find(&args.file)? {
        if args.real.is_some() {
            return Err(Failure::usage("--real is for nets: tables are trained as they are"));
        }
        writeln!(out, "{}: {} tables", tables.path().display(), tables.kind())?;
        write!(out, "{}", tables.soundness()?)?;
        return Ok(());
    }
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
    let sound = soundness(&net).map_err(|e| Failure::failed(e.to_string()))?;
    write!(out, "{sound}")?;
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
