//! `cargo run -p soak`: the CSA server under load (`latency`) and through broken connections,
//! restarts and hostile input (`endurance`); the fleet under load (`fleet`) and through a storm (`storm`).
//!
//! The server runs in a process of its own: this very program with the room `serverd` in it, or a
//! `nue` that is named.

mod endurance;
mod fleet_load;
mod latency;
mod storm;
mod subject;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "soak", about = "Load and endurance tests of the CSA server and the fleet")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Test this `nue` instead of the server room built into this program.
    #[arg(long, value_name = "PROGRAM", global = true)]
    nue: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Measure how fast moves are relayed on this machine.
    Latency(latency::LatencyArgs),
    /// Play scripted games through broken connections, restarts and hostile input, and check that
    /// no game is lost, no clock is wrong and no result is wrong.
    Endurance(endurance::EnduranceArgs),
    /// Measure leases and results of many workers at a broker of their own.
    Fleet(fleet_load::FleetArgs),
    /// Bring results in while broker, coordinator, gateway and workers are killed and held, and check
    /// that none is lost, none counted twice and none wrong.
    Storm(storm::StormArgs),
    /// Be one of the processes of the storm.
    #[command(hide = true)]
    StormPart(storm::PartArgs),
    /// Run a server: what the other two start.
    #[command(hide = true)]
    Server {
        #[arg(long)]
        config: PathBuf,
    },
}

/// Why a test could not be made, or what it found.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Server(#[from] serverd::Error),
    #[error("{0}")]
    Failed(String),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let server = subject::Program { nue: cli.nue };
    let outcome = match &cli.command {
        Command::Latency(args) => latency::run(args, &server),
        Command::Endurance(args) => endurance::run(args, &server),
        Command::Fleet(args) => fleet_load::run(args),
        Command::Storm(args) => storm::run(args),
        Command::StormPart(args) => storm::run_part(args),
        Command::Server { config } => serve(config),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where even the error stream is closed there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "soak: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(config: &std::path::Path) -> Result<(), Failure> {
    let config = serverd::Config::load(config)?;
    serverd::serve(&config, Box::new(std::io::stderr()), |addresses| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "listening on {}", addresses.players)?;
        out.flush()
    })?;
    Ok(())
}
