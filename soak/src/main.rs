//! `cargo run -p soak`: the CSA server under load (`latency`) and through broken connections,
//! restarts and hostile input (`endurance`).
//!
//! The server runs in a process of its own: this very program with the room `serverd` in it, or a
//! `nue` that is named.

mod endurance;
mod latency;
mod subject;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "soak", about = "Load and endurance tests of the CSA server")]
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
