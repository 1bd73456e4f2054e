//! Nue: a computer-shogi system in one executable.
//!
//! Without a command it speaks USI, which is what a graphical interface starts. One file per
//! command; [`assemble`] is the only one that names concrete engines. Libraries never print: all
//! that is said is said here, through [`output`].

mod assemble;
mod bench;
mod book;
mod cluster;
mod completions;
mod convert;
mod csa;
mod data;
mod doctor;
mod eval;
mod evaluation;
mod failure;
mod flags;
mod fleet;
mod r#gen;
mod go;
mod interrupt;
mod lab;
mod learn;
mod r#match;
mod mate;
mod moves;
mod net;
mod new_file;
mod openings;
mod options;
mod output;
mod perft;
mod rl;
mod server;
mod shell;
mod show;
mod start;
#[cfg(test)]
mod tests;
mod train;
mod tune;
mod version;
mod web;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Nue, a computer-shogi system. Without a command it speaks USI on standard input and output.
#[derive(Parser)]
#[command(name = "nue", args_conflicts_with_subcommands = true)]
struct Cli {
    /// Print version, commit and the nets inside
    #[arg(short = 'V', long)]
    version: bool,
    #[command(flatten)]
    game: start::GameArg,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Perft(perft::PerftArgs),
    Show(show::ShowArgs),
    Moves(moves::MovesArgs),
    Convert(convert::ConvertArgs),
    Data(Box<data::DataArgs>),
    Mate(mate::MateArgs),
    Go(go::GoArgs),
    Eval(eval::EvalArgs),
    Net(net::NetArgs),
    Bench(bench::BenchArgs),
    Book(Box<bookwork::BookArgs>),
    Doctor(doctor::DoctorArgs),
    Options(options::OptionsArgs),
    Match(Box<r#match::MatchArgs>),
    Openings(openings::OpeningsArgs),
    Csa(Box<csa::CsaArgs>),
    Server(Box<server::ServerArgs>),
    Train(Box<train::TrainArgs>),
    Tune(Box<tune::TuneArgs>),
    Gen(Box<r#gen::GenArgs>),
    Learn(Box<learn::LearnArgs>),
    Lab(lab::LabArgs),
    Rl(Box<reinforce::commands::RlArgs>),
    Web(Box<web::WebArgs>),
    Fleet(Box<fleet::FleetArgs>),
    Cluster(Box<cluster::ClusterArgs>),
    Completions(completions::CompletionsArgs),
}

fn main() -> ExitCode {
    // Double-clicked it shows the board: nobody would know what to type.
    let alone = std::env::args_os().len() == 1 && os::console::is_own_window();
    // Wrong usage ends here, with exit code 2.
    let cli = if alone { Cli::parse_from(["nue", "web"]) } else { Cli::parse() };
    if cli.command.is_some() {
        interrupt::end_with_input();
    }
    let outcome = match cli.command {
        None if cli.version => version::run(),
        None => shell::run(cli.game.game),
        Some(Command::Perft(args)) => perft::run(&args),
        Some(Command::Show(args)) => show::run(&args),
        Some(Command::Moves(args)) => moves::run(&args),
        Some(Command::Convert(args)) => convert::run(&args),
        Some(Command::Data(args)) => data::run(&args),
        Some(Command::Mate(args)) => mate::run(&args),
        Some(Command::Go(args)) => go::run(&args),
        Some(Command::Eval(args)) => eval::run(&args),
        Some(Command::Net(args)) => net::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Book(args)) => book::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Options(args)) => options::run(&args),
        Some(Command::Match(args)) => r#match::run(*args),
        Some(Command::Openings(args)) => openings::run(&args),
        Some(Command::Csa(args)) => csa::run(&args),
        Some(Command::Server(args)) => server::run(&args),
        Some(Command::Train(args)) => train::run(&args),
        Some(Command::Tune(args)) => tune::run(&args),
        Some(Command::Gen(args)) => r#gen::run(&args),
        Some(Command::Learn(args)) => learn::run(&args),
        Some(Command::Lab(args)) => lab::run(args),
        Some(Command::Rl(args)) => rl::run(&args),
        Some(Command::Web(args)) => web::run(&args),
        Some(Command::Fleet(args)) => fleet::run(&args),
        Some(Command::Cluster(args)) => cluster::run(*args),
        Some(Command::Completions(args)) => completions::run(&args, Cli::command()),
    };
    outcome.map_or_else(|failure: Failure| failure.report(alone), |()| ExitCode::SUCCESS)
}
