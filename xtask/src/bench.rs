//! Builds the package `bench/` for this very processor and runs it.
//!
//! The package is a workspace of its own with its own lock file, so that the product never
//! depends on the crates it is compared with (docs/decisions/bench-outside.md).

use crate::{CommandResult, cargo, measure, workspace_root};
use std::path::{Path, PathBuf};
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
    (
        "nodes",
        "what a node costs, by part; or two executables that follow, in turn (docs/search.md)",
    ),
    (
        "counts",
        "how often the search does what: quiescence, first moves that cut, moves read again",
    ),
    ("cluster", "what a master adds to a move of its only child (docs/cluster.md)"),
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
        "cluster" => Some(("cluster", "overhead")),
        _ => None,
    };
    if let Some((room, example)) = example {
        let example = ["run", "--release", "--quiet", "-p", room, "--example", example, "--"];
        let status = cargo().args(example).args(rest).status()?;
        return Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    if name == "nodes" {
        return nodes(rest);
    }
    if name == "counts" {
        let counting = ["run", "--release", "--quiet", "-p", "assembly", "--features"];
        let example = ["alphabeta/counts", "--example", "nodes", "--", "counts"];
        let status = cargo().args(counting).args(example).status()?;
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

/// How often each of two executables runs.
const ROUNDS: usize = 5;

/// What a node costs: by part, or in two executables in turn.
fn nodes(rest: &[String]) -> CommandResult {
    match rest {
        [] => {
            let example =
                ["run", "--release", "--quiet", "-p", "assembly", "--example", "nodes", "--"];
            let status = cargo().args(example).status()?;
            Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        [first, second] => compare([Path::new(first), Path::new(second)]),
        _ => Err("usage: cargo xtask bench nodes [EXECUTABLE EXECUTABLE]".into()),
    }
}

/// Both run `nue bench` in turn, so that whatever disturbs the machine disturbs both; what counts is
/// the least processor time of each.
fn compare(executables: [&Path; 2]) -> CommandResult {
    let mut least = [f64::INFINITY; 2];
    let mut signatures = [String::new(), String::new()];
    for round in 0..ROUNDS {
        for (i, executable) in executables.into_iter().enumerate() {
            let before = children_ticks();
            let (signature, rate) = measure::bench(executable)?;
            let nodes: f64 = signature.parse()?;
            // Where the system does not count processor time, what the bench itself says.
            let nanos = match (before, children_ticks()) {
                (Some(before), Some(after)) if after > before => {
                    (after - before) as f64 * TICK_NANOS / nodes
                }
                _ => 1e9 / rate as f64,
            };
            eprintln!("round {}: {} {nanos:.0} ns a node", round + 1, executable.display());
            least[i] = least[i].min(nanos);
            signatures[i] = signature;
        }
    }
    for i in 0..2 {
        let (name, nanos, nodes) = (executables[i].display(), least[i], &signatures[i]);
        println!("{nanos:8.0} ns a node, {nodes} nodes: {name}");
    }
    println!("the second takes {:.3} of the first's time a node", least[1] / least[0]);
    Ok(ExitCode::SUCCESS)
}

/// Nanoseconds of a tick of Linux's processor times: a hundred a second on every machine.
const TICK_NANOS: f64 = 1e7;

/// Processor time of all programs run so far that have ended.
fn children_ticks() -> Option<u64> {
    read_ticks(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The fields `cutime` and `cstime` together: the 16th and 17th; the second is a name in brackets that
/// may hold anything.
fn read_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split_ascii_whitespace().skip(13);
    let (user, system) = (fields.next()?, fields.next()?);
    Some(user.parse::<u64>().ok()? + system.parse::<u64>().ok()?)
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
    fn processor_time_of_children_is_read_whatever_the_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4 1 2 3 4 10 20 300 45 20 0 1 0 9 9";
        assert_eq!(read_ticks(stat), Some(345));
        for wrong in ["", "7 (a) S 1", "7 (a) S 1 7 7 0 -1 4 1 2 3 4 10 20 x 45 20"] {
            assert_eq!(read_ticks(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_wrong_name_is_refused_and_the_right_ones_are_named() {
        for arguments in [vec![], vec!["nonsense".to_owned()]] {
            let error = run(&arguments).expect_err("must be refused").to_string();
            assert!(
                ["perft", "sliding", "puct", "nodes"].iter().all(|name| error.contains(name)),
                "{error}"
            );
        }
    }
}
