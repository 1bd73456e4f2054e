//! `nue net average` and `nue net mix`: one net from several of one kind.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use durable::split_at_equals;
use nnue::AnyNet;
use std::ffi::OsString;
use std::path::PathBuf;
use trainer::{FloatNet, Stored, StoredError, TableFiles};

/// The mean of nets of one kind, all nn.bin or all .nuef, or of tables of one kind
#[derive(Args)]
pub(crate) struct AverageArgs {
    /// Nets or tables to take the mean of
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// The weighted mean of nets or tables of one kind: weights are scaled to a sum of one
#[derive(Args)]
pub(crate) struct MixArgs {
    /// Nets with their weights
    #[arg(required = true, value_name = "FILE=WEIGHT")]
    nets: Vec<OsString>,
    #[command(flatten)]
    output: OutputArgs,
}

fn weighted(text: &OsString) -> Result<(PathBuf, f64), Failure> {
    let (path, weight) = split_at_equals(text, true)
        .ok_or_else(|| Failure::usage("expected FILE=WEIGHT, for example nn.bin=0.7"))?;
    let weight = weight.to_string_lossy();
    let found = weight.parse::<f64>().ok().filter(|weight| weight.is_finite());
    let found = found.ok_or_else(|| Failure::usage(format!("{weight:?} is not a weight")))?;
    Ok((PathBuf::from(path), found))
}

pub(crate) fn average(args: &AverageArgs) -> CommandResult {
    let nets: Vec<(PathBuf, f64)> = args.files.iter().map(|file| (file.clone(), 1.0)).collect();
    together(&nets, &args.output)
}

pub(crate) fn mix(args: &MixArgs) -> CommandResult {
    let nets = args.nets.iter().map(weighted).collect::<Result<Vec<_>, Failure>>()?;
    together(&nets, &args.output)
}

fn together(nets: &[(PathBuf, f64)], output: &OutputArgs) -> CommandResult {
    output.check()?;
    let tables = nets.iter().map(|(path, weight)| Ok((TableFiles::find(path)?, *weight)));
    let tables: Vec<_> = tables.collect::<Result<_, StoredError>>()?;
    if tables.iter().any(|(found, _)| found.is_some()) {
        return mix_tables(tables, output);
    }
    let (mut integers, mut real) = (Vec::new(), Vec::new());
    for (path, weight) in nets {
        match Stored::load(path)? {
            Stored::Integers(net) => integers.push((net, *weight)),
            Stored::Real(net) => real.push((*net, *weight)),
        }
    }
    if !integers.is_empty() && !real.is_empty() {
        return Err(Failure::usage(
            "cannot mix integer nets with nets in real numbers: use nue net convert first",
        ));
    }
    if output.is_real() == real.is_empty() {
        let kind = if real.is_empty() { "integers (nn.bin)" } else { "real numbers (.nuef)" };
        let name = output.output.display();
        return Err(Failure::usage(format!(
            "{name}: the nets are in {kind}, so the file must be named that way"
        )));
    }
    if real.is_empty() {
        let list: Vec<(&AnyNet, f64)> = integers.iter().map(|(net, w)| (net, *w)).collect();
        let mixed = AnyNet::mix(&list).map_err(|e| Failure::failed(e.to_string()))?;
        return output.save(|to| mixed.write(to));
    }
    let mixed = FloatNet::mix(real).map_err(|e| Failure::failed(e.to_string()))?;
    output.save(|to| mixed.write(to))
}

fn mix_tables(tables: Vec<(Option<TableFiles>, f64)>, output: &OutputArgs) -> CommandResult {
    let count = tables.len();
    let all: Vec<_> = tables.into_iter().filter_map(|(t, weight)| Some((t?, weight))).collect();
    if all.len() < count {
        return Err(Failure::usage("cannot mix tables with nets"));
    }
    TableFiles::mix(&all, &output.output, output.force)?;
    output.told()
}
