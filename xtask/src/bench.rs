//! Builds the package `bench/` for this very processor and runs it.
//!
//! The package is a workspace of its own with its own lock file, so that the product never
//! depends on the crates it is compared with (docs/decisions/bench-outside.md).

use crate::{CommandResult, cargo, workspace_root};
use std::path::PathBuf;
use std::process::ExitCode;

/// Names the package understands, with what they do.
const BENCHES: &[(&str, &str)] = &[
    ("perft", "move generation against rsshogi, then the sliding attacks"),
    ("sliding", "sliding attacks alone: byte-reverse-and-subtract against tables"),
    (
        "puct",
        "the tree search without a net: playouts, stops, simulated devices, memory (docs/puct.md)",
    ),
    (
        "book",
        "opening books: conversion, probing, propagation of so many made-up positions (docs/book.md)",
    ),
    ("mate", "the mate solver on the problems of the files that follow (docs/mate.md)"),
];

pub(crate) fn run(arguments: &[String]) -> CommandResult {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(format!("which one?\n{}", list()).into());
    };
    if !BENCHES.iter().any(|(known, _)| known == name) {
        return Err(format!("unknown benchmark {name:?}; there are:\n{}", list()).into());
    }
    if name == "mate" {
        let solve = ["run", "--release", "--quiet", "-p", "nue", "--", "mate", "--hash", "1024"];
        let status = cargo().args(solve).args(rest).status()?;
        return Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let example = match name.as_str() {
        "puct" => Some(("mcts", "playouts")),
        "book" => Some(("book", "scale")),
        _ => None,
    };
    if let Some((room, example)) = example {
        let example = ["run", "--release", "--quiet", "-p", room, "--example", example, "--"];
        let status = cargo().args(example).args(rest).status()?;
        return Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let root = workspace_root();
    let status = cargo()
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(root.join("bench/Cargo.toml"))
        .args(["--", name])
        .args(rest)
        // Replaces the x86-64-v2 flags of .cargo/config.toml: both sides get the whole processor.
        .env("RUSTFLAGS", "-C target-cpu=native")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("CARGO_TARGET_DIR", target_folder())
        .status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A folder of its own, because other flags would throw away the ordinary build each time.
fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || workspace_root().join("bench/target"),
        |folder| PathBuf::from(folder).join("bench"),
    )
}

fn list() -> String {
    BENCHES.iter().map(|(name, summary)| format!("  {name:10}{summary}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_refused_and_the_right_ones_are_named() {
        for arguments in [vec![], vec!["nonsense".to_owned()]] {
            let error = run(&arguments).expect_err("must be refused").to_string();
            assert!(
                ["perft", "sliding", "puct"].iter().all(|name| error.contains(name)),
                "{error}"
            );
        }
    }
}
