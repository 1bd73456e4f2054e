//! `nue net`: commands about net files. docs/nets.md.

mod assemble;
mod convert;
mod deep;
mod diff;
mod import;
mod info;
mod mix;
mod pack;
mod scale;
mod store;
mod strip;
mod verify;

use crate::failure::CommandResult;
use clap::{Args, Subcommand};

/// Look at net files, check them, convert them, put new ones together
#[derive(Args)]
pub(crate) struct NetArgs {
    #[command(subcommand)]
    command: NetCommand,
}

#[derive(Subcommand)]
enum NetCommand {
    Info(info::InfoArgs),
    Verify(verify::VerifyArgs),
    Import(import::ImportArgs),
    Convert(convert::ConvertArgs),
    Average(mix::AverageArgs),
    Mix(mix::MixArgs),
    Assemble(assemble::AssembleArgs),
    Diff(diff::DiffArgs),
    Strip(strip::StripArgs),
    Scale(scale::ScaleArgs),
    Pack(pack::PackArgs),
    Unpack(pack::UnpackArgs),
}

pub(crate) fn run(args: &NetArgs) -> CommandResult {
    match &args.command {
        NetCommand::Info(args) => info::run(args),
        NetCommand::Verify(args) => verify::run(args),
        NetCommand::Import(args) => import::run(args),
        NetCommand::Convert(args) => convert::run(args),
        NetCommand::Average(args) => mix::average(args),
        NetCommand::Mix(args) => mix::mix(args),
        NetCommand::Assemble(args) => assemble::run(args),
        NetCommand::Diff(args) => diff::run(args),
        NetCommand::Strip(args) => strip::run(args),
        NetCommand::Scale(args) => scale::run(args),
        NetCommand::Pack(args) => pack::pack(args),
        NetCommand::Unpack(args) => pack::unpack(args),
    }
}
