//! `nue data`: teacher data looked at, converted, shuffled, split and sifted.
//!
//! The work is done by room `corpus`; here are flags, a progress bar, and what is said at the end.

mod args;
mod convert;
mod curve;
mod dedup;
mod filter;
mod head;
mod merge;
mod rescore;
mod shuffle;
mod split;
mod stats;
mod stream;
mod summary;
#[cfg(test)]
mod tests;

use crate::failure::CommandResult;
use clap::{Args, Subcommand};

/// Look at teacher data, convert, shuffle, split and sift it
#[derive(Args)]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Subcommand)]
enum DataCommand {
    Stats(stats::StatsArgs),
    Convert(convert::ConvertArgs),
    Shuffle(shuffle::ShuffleArgs),
    Split(split::SplitArgs),
    Dedup(dedup::DedupArgs),
    Filter(filter::FilterArgs),
    Rescore(rescore::RescoreArgs),
    Merge(merge::MergeArgs),
    Head(head::HeadArgs),
    Stream(stream::StreamArgs),
    Curve(curve::CurveArgs),
}

pub(crate) fn run(args: &DataArgs) -> CommandResult {
    match &args.command {
        DataCommand::Stats(args) => stats::run(args),
        DataCommand::Convert(args) => convert::run(args),
        DataCommand::Shuffle(args) => shuffle::run(args),
        DataCommand::Split(args) => split::run(args),
        DataCommand::Dedup(args) => dedup::run(args),
        DataCommand::Filter(args) => filter::run(args),
        DataCommand::Rescore(args) => rescore::run(args),
        DataCommand::Merge(args) => merge::run(args),
        DataCommand::Head(args) => head::run(args),
        DataCommand::Stream(args) => stream::run(args),
        DataCommand::Curve(args) => curve::run(args),
    }
}
