//! `nue net`: commands about net files.

mod info;

use crate::failure::Outcome;
use clap::{Args, Subcommand};

/// Look at net files
#[derive(Args)]
pub(crate) struct NetArgs {
    #[command(subcommand)]
    command: NetCommand,
}

#[derive(Subcommand)]
enum NetCommand {
    Info(info::InfoArgs),
}

pub(crate) fn run(args: &NetArgs) -> Outcome {
    match &args.command {
        NetCommand::Info(args) => info::run(args),
    }
}
