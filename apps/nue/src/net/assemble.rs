//! `nue net assemble`: one net whose rows come from several, by the rank of a king (W@nderER's
//! chimera).

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use nnue::AnyNet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use trainer::Stored;

/// Put a net together from HalfKP nets, one for each rank of the own king (or the other one)
#[derive(Args)]
pub(crate) struct AssembleArgs {
    /// Ranks and their net, as the side sees them whose features they are: 1 is the far side. Example:
    /// --rank 1-5=entering.bin --rank 6-9=castle.bin
    #[arg(long = "rank", required = true, value_name = "N[-M]=FILE", value_parser = ranked)]
    ranks: Vec<(RangeInclusive<usize>, PathBuf)>,
    /// The net whose biases and layers are taken; needed where those of the others differ
    #[arg(long, value_name = "FILE")]
    layers: Option<PathBuf>,
    /// Make a HalfKPKrank net, with a whole matrix for each rank of the other king
    #[arg(long)]
    krank: bool,
    #[command(flatten)]
    output: OutputArgs,
}

fn ranked(text: &str) -> Result<(RangeInclusive<usize>, PathBuf), String> {
    let (ranks, path) = text.split_once('=').ok_or("expected N=FILE or N-M=FILE")?;
    let (from, to) = ranks.split_once('-').unwrap_or((ranks, ranks));
    let number = |text: &str| {
        text.parse::<usize>()
            .ok()
            .filter(|n| (1..=9).contains(n))
            .ok_or_else(|| format!("{text:?} is not a rank: expected 1 (far side) to 9 (own side)"))
    };
    let (from, to) = (number(from)?, number(to)?);
    if from > to {
        return Err(format!("{ranks:?} is empty: expected the smaller rank first"));
    }
    Ok((from..=to, PathBuf::from(path)))
}

/// Runs the command.
pub(crate) fn run(args: &AssembleArgs) -> CommandResult {
    args.output.check()?;
    if args.output.is_real() {
        return Err(Failure::usage("assemble writes nn.bin; nue net convert writes .nuef"));
    }
    let nets = args
        .ranks
        .iter()
        .map(|(ranks, path)| Ok((ranks.clone(), Stored::load_integers(path)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let base = match &args.layers {
        Some(path) => Stored::load_integers(path)?,
        None => nets[0].1.clone(),
    };
    let mut by_rank = Vec::new();
    for rank in 1..=base.game().size() {
        let mut found = nets.iter().filter(|(ranks, _)| ranks.contains(&rank));
        match (found.next(), found.next()) {
            (Some((_, net)), None) => by_rank.push(net),
            (None, _) => return Err(Failure::usage(format!("no net for rank {rank}"))),
            _ => return Err(Failure::usage(format!("several nets for rank {rank}"))),
        }
    }
    if let Some((ranks, _)) = nets.iter().find(|(ranks, _)| *ranks.end() > by_rank.len()) {
        let (rank, game) = (ranks.end(), base.game());
        return Err(Failure::usage(format!("{game} has no rank {rank}")));
    }
    let alike = by_rank
        .iter()
        .all(|net| net.architecture() != base.architecture() || net.same_layers(&base));
    if args.layers.is_none() && !alike {
        return Err(Failure::usage(
            "biases and layers of the nets differ, and a net has only one of each: --layers says \
             whose",
        ));
    }
    let net = AnyNet::assemble_by_rank(args.krank, &base, &by_rank)
        .map_err(|e| Failure::failed(e.to_string()))?;
    args.output.save(|to| net.write(to))
}
