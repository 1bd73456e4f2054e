//! What the project does to itself, as `cargo xtask <command>`.
//!
//! `tidy` holds the house rules no compiler knows, `bench` measures. A further command is a
//! module with a `run` function and a line in [`COMMANDS`]. Deliberately absent: anything a user
//! of Nue needs; that belongs to the executable `nue`.

// An executable speaks to its user.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod contract;
mod dist;
mod ledger;
mod measure;
mod thermometer;
mod tidy;
mod wasm;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

type CommandResult = Result<ExitCode, Box<dyn Error>>;

struct Command {
    name: &'static str,
    summary: &'static str,
    run: fn(&[String]) -> CommandResult,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "tidy",
        summary: "check the house rules (layers, sizes, words, links, …)",
        run: tidy::run,
    },
    Command {
        name: "bench",
        summary: "measure: bench perft | sliding | puct | nodes | mate",
        run: bench::run,
    },
    Command {
        name: "measure",
        summary: "clean builds and speed of play by profile; tests after an edit",
        run: measure::run,
    },
    Command {
        name: "contract",
        summary: "write the page's TypeScript and the OpenAPI document from the types",
        run: contract::run,
    },
    Command {
        name: "dist",
        summary: "make the archives that are handed out: Linux, Windows",
        run: dist::run,
    },
    Command {
        name: "ledger",
        summary: "write nets/LEDGER.md from nets/ledger.toml",
        run: ledger::run,
    },
    Command {
        name: "wasm",
        summary: "build the board and its engine for browsers, target/wasm/nue.wasm",
        run: wasm::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        eprint!("{}", usage());
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "-h" | "--help" | "help") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprint!("unknown command {name:?}\n\n{}", usage());
        return ExitCode::from(2);
    };
    (command.run)(rest).unwrap_or_else(|error| {
        eprintln!("xtask {name}: {error}");
        ExitCode::FAILURE
    })
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask <command>\n\n");
    for command in COMMANDS {
        text += &format!("  {:8}{}\n", command.name, command.summary);
    }
    text
}

/// The root of the workspace this program was built in.
fn workspace_root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map_or_else(|| manifest.clone(), PathBuf::from)
}

/// The cargo that runs us, so that a chosen toolchain stays chosen.
fn cargo() -> std::process::Command {
    std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
