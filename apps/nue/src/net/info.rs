//! `nue net info`: what a net file is, and whether it is what it says.

use super::deep;
use crate::evaluation::{Single, single};
use crate::failure::{CommandResult, Failure};
use clap::Args;
use eval::{KINGS, KkpptTables};
use nnue::{NetInfo, Spread, VERSION};
use rules::Game;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// Say what a net file holds: architecture, sizes, hashes, statistics, and what is odd about it
#[derive(Args)]
pub(crate) struct InfoArgs {
    /// A net file, or a folder with nn.bin or kkppt.bin
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
}

pub(crate) fn run(args: &InfoArgs) -> CommandResult {
    if let Some(kind) = deep::kind(&args.file) {
        return deep::info(&args.file, kind);
    }
    let (path, found) = single(&args.file).map_err(|e| Failure::failed(e.to_string()))?;
    let mut out = io::stdout().lock();
    writeln!(out, "file          {}", path.display())?;
    match found {
        Single::Net(net) => print(&mut out, &net.info())?,
        Single::Kkppt(tables) => print_kkppt(&mut out, &tables, fs::metadata(&path)?.len())?,
    }
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
    match info.win_rate_scale {
        Some(scale) => writeln!(out, "win rate      73 % at a score of {scale}")?,
        None => writeln!(out, "win rate      not said (nue net scale writes it)")?,
    }
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
    print_spreads(out, &info.spreads)?;
    let share = 100.0 * info.empty_rows as f64 / inputs as f64;
    writeln!(out, "\ninputs without weights: {} of {inputs} ({share:.1} %)", info.empty_rows)?;
    if info.remarks.is_empty() {
        return writeln!(out, "nothing odd about it");
    }
    info.remarks.iter().try_for_each(|remark| writeln!(out, "odd: {remark}"))
}

fn print_spreads<S: AsRef<str>>(out: &mut impl Write, spreads: &[(S, Spread)]) -> io::Result<()> {
    writeln!(
        out,
        "\n{:<22} {:>12} {:>9} {:>9} {:>12} {:>8}",
        "parameters", "count", "min", "max", "mean |x|", "zero"
    )?;
    for (name, s) in spreads {
        let (name, zero) = (name.as_ref(), 100.0 * s.zero);
        writeln!(
            out,
            "{name:<22} {:>12} {:>9} {:>9} {:>12.2} {zero:>6.1} %",
            s.count, s.min, s.max, s.mean_abs
        )?;
    }
    Ok(())
}

fn print_kkppt(out: &mut impl Write, tables: &KkpptTables, bytes: u64) -> io::Result<()> {
    writeln!(out, "architecture  KKPPT")?;
    writeln!(out, "description   {}", clean(&tables.description))?;
    writeln!(out, "game          {}", Game::Minishogi)?;
    writeln!(out, "kings         {KINGS} places")?;
    writeln!(out, "pieces        {}", KkpptTables::PIECES)?;
    let parameters = 2 * KINGS * (1 + KkpptTables::PIECES + KkpptTables::PAIRS);
    writeln!(out, "parameters    {parameters}")?;
    writeln!(out, "bytes         {bytes}")?;
    let parts = ["board", "tempo"];
    let mut spreads = Vec::new();
    for (part, name) in parts.into_iter().enumerate() {
        let pairs = tables.pairs().map(|(_, value)| i32::from(value[part]));
        for (kind, spread) in [
            ("KK", Spread::of(tables.kk.iter().map(|pair| pair[part]))),
            ("KKP", Spread::of(tables.kkp.iter().map(|pair| pair[part]))),
            ("KKPP", Spread::of(pairs)),
        ] {
            spreads.push((format!("{kind} {name}"), spread));
        }
    }
    print_spreads(out, &spreads)
}

/// A description is whatever its writer put there: no control characters reach the terminal.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
