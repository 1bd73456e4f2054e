//! `nue net convert`: integers to real numbers and back, without judging the result.

use super::store::OutputArgs;
use crate::evaluation::LARGEST_FV_SCALE;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use std::path::PathBuf;
use trainer::{FloatNet, Stored};

/// Turn nn.bin into a net in real numbers (.nuef) for trainers, or the other way
#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// A net of either kind
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    /// Divisor of the output of a net in integers, which its file does not say
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(i32).range(1..=i64::from(LARGEST_FV_SCALE)))]
    fv_scale: Option<i32>,
}

pub(crate) fn run(args: &ConvertArgs) -> CommandResult {
    args.output.check()?;
    match (Stored::load(&args.file)?, args.output.is_real()) {
        (Stored::Integers(net), true) => {
            let net = args.fv_scale.map_or_else(|| net.clone(), |scale| net.with_fv_scale(scale));
            let real = FloatNet::from_net(&net);
            args.output.save(|to| real.write(to))
        }
        (Stored::Real(net), false) => {
            if args.fv_scale.is_some() {
                return Err(Failure::usage("nn.bin cannot hold --fv-scale"));
            }
            let quantised = net.quantise().map_err(|e| Failure::failed(e.to_string()))?;
            args.output.save(|to| quantised.net.write(to))
        }
        (found, real) => Err(Failure::usage(format!(
            "{} is a net {} in {kind} already, and so would {} be: .nuef holds real numbers, any \
             other name integers",
            args.file.display(),
            found.architecture(),
            args.output.output.display(),
            kind = if real { "real numbers" } else { "integers" },
        ))),
    }
}
