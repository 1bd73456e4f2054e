//! `nue data`: teacher data looked at, converted, shuffled, split and sifted.
//!
//! Every command reads its input as a stream and in bounded memory, shows how far it is, and
//! writes to a file that appears whole or not at all. Making teacher data is not here: it takes an
//! engine.

mod blocks;
mod buckets;
mod calibration;
mod chart;
mod convert;
mod csa;
mod dedup;
mod desks;
mod distinct;
mod filter;
mod format;
mod head;
mod input;
mod merge;
mod partial;
mod progress;
mod rescore;
#[cfg(test)]
mod resume_tests;
mod scorer;
mod shuffle;
mod sink;
mod split;
mod stats;
mod stream;
mod tally;
#[cfg(test)]
mod tests;

use crate::failure::{Failure, Outcome};
use clap::{Args, Subcommand};
use format::Format;
use std::path::PathBuf;

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
}

/// Runs the command.
pub(crate) fn run(args: &DataArgs) -> Outcome {
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
    }
}

/// Where the result goes.
#[derive(Args, Clone)]
pub(crate) struct OutputArgs {
    /// File to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

/// How much memory a command may use.
#[derive(Args, Clone, Copy)]
pub(crate) struct MemoryArg {
    /// Memory to use, in MiB; what does not fit goes to temporary files beside the output
    #[arg(long, value_name = "MIB", default_value_t = 1024,
          value_parser = clap::value_parser!(u64).range(16..=1 << 24))]
    memory: u64,
}

impl MemoryArg {
    const fn bytes(self) -> u64 {
        self.memory << 20
    }
}

/// A number people can read.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The output must have the format of the input, which is told by its name if at all.
fn same_format(output: &OutputArgs, format: Format) -> Result<(), Failure> {
    match output.output.extension().and_then(|e| e.to_str()?.parse::<Format>().ok()) {
        Some(named) if named != format => Err(Failure::usage(format!(
            "{}: the input is {format}; nue data convert changes formats",
            output.output.display()
        ))),
        _ => Ok(()),
    }
}
