//! `nue net info`: what a net file is, and whether it is what it says.

use crate::evaluation::{net_file, read_net};
use crate::failure::{Failure, Outcome};
use clap::Args;
use nnue::{NetInfo, VERSION};
use std::io::{self, Write};
use std::path::PathBuf;

/// Say what a net file holds: architecture, sizes, hashes, statistics, and what is odd about it
#[derive(Args)]
pub(crate) struct InfoArgs {
    /// A net file, or a folder with nn.bin
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
}

pub(crate) fn run(args: &InfoArgs) -> Outcome {
    let failed = |e: &dyn std::error::Error| Failure::failed(e.to_string());
    let path = net_file(&args.file).map_err(|e| failed(&e))?;
    let net = read_net(&path).map_err(|e| failed(&e))?;
    let mut out = io::stdout().lock();
    writeln!(out, "file          {}", path.display())?;
    print(&mut out, &net.info())?;
    Ok(())
}

fn print(out: &mut impl Write, info: &NetInfo) -> io::Result<()> {
    let (architecture, shape) = (info.architecture, info.architecture.shape);
    let inputs = architecture.features.inputs();
    writeln!(out, "architecture  {architecture}")?;
    writeln!(out, "description   {}", clean(&info.description))?;
    writeln!(out, "game          {}", architecture.features.game())?;
    writeln!(out, "inputs        {inputs}")?;
    writeln!(out, "layers        2 x {} - {} - {} - 1", shape.l0, shape.h1, shape.h2)?;
    writeln!(out, "parameters    {}", info.parameters)?;
    writeln!(out, "bytes         {}", info.bytes)?;
    writeln!(out, "version       {VERSION:#010x}")?;
    let (found, expected) = (info.hashes, info.expected_hashes);
    writeln!(out, "\nhash         in the file    of the kind")?;
    for (name, found, expected) in [
        ("file", found.file, expected.file),
        ("transformer", found.transformer, expected.transformer),
        ("network", found.network, expected.network),
    ] {
        let verdict = if found == expected { "match" } else { "DIFFERENT" };
        writeln!(out, "{name:<12} {found:#010x}     {expected:#010x}     {verdict}")?;
    }
    writeln!(
        out,
        "\n{:<22} {:>12} {:>9} {:>9} {:>12} {:>8}",
        "parameters", "count", "min", "max", "mean |x|", "zero"
    )?;
    for (name, s) in &info.spreads {
        let zero = 100.0 * s.zero;
        writeln!(
            out,
            "{name:<22} {:>12} {:>9} {:>9} {:>12.2} {zero:>6.1} %",
            s.count, s.min, s.max, s.mean_abs
        )?;
    }
    let share = 100.0 * info.empty_rows as f64 / inputs as f64;
    writeln!(out, "\ninputs without weights: {} of {inputs} ({share:.1} %)", info.empty_rows)?;
    if info.remarks.is_empty() {
        return writeln!(out, "nothing odd about it");
    }
    info.remarks.iter().try_for_each(|remark| writeln!(out, "odd: {remark}"))
}

/// A description is whatever its writer put there: no control characters reach the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
