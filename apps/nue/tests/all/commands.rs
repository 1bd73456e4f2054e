//! The other commands of the executable: what they print and how they end.

use crate::gui::nue;

/// Standard output, error output and exit code.
fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = nue(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn check(arguments: &[&str], last_line: &str) {
    let (out, err, code) = run(arguments);
    assert_eq!(code, 0, "{arguments:?}: {err}");
    assert_eq!(out.lines().last(), Some(last_line), "{arguments:?}");
}

fn check_error(arguments: &[&str], code: i32, parts: &[&str]) {
    let (out, err, got) = run(arguments);
    assert_eq!((out.as_str(), got), ("", code), "{arguments:?}: {err}");
    for part in parts {
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
}

#[test]
fn perft_prints_the_count_last() {
    check(&["perft", "0"], "1");
    check(&["perft", "3"], "25470");
    check(&["perft", "3", "--divide"], "25470");
    check(&["perft", "3", "--game", "minishogi"], "2512");
    check(&["perft", "1", "--sfen", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"], "85");
    check(&["perft", "1", "--sfen", "rook"], "25");
    let (out, err, _) = run(&["perft", "2"]);
    assert_eq!(out, "900\n");
    assert!(err.contains("nodes/s"), "{err}");
    assert_eq!(run(&["perft", "2", "--divide"]).0.lines().count(), 31);
}

#[test]
fn show_draws_positions_by_name_or_sfen() {
    check(&["show"], "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    check(&["show", "--game", "minishogi"], "sfen rbsgk/4p/5/P4/KGSBR b - 1");
    check(&["show", "10"], "sfen 4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    let after = "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
    check(&["show", "startpos", "--moves", "7g7f", "3c3d"], after);
    check(&["show", "startpos", "--moves", "7g7f 3c3d"], after);
    check(&["show", after], after);
    // An SFEN without quotes is several arguments.
    check(
        &["show", "4k4/9/4P4/9/9/9/9/9/4K4", "b", "G", "1"],
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
    );
    assert!(run(&["show", "rook-lance"]).0.contains("v角"));
}

#[test]
fn moves_lists_and_counts() {
    check(&["moves"], "30");
    check(&["moves", "startpos", "--game", "minishogi"], "14");
    check(&["moves", "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"], "0");
    let (out, _, _) = run(&["moves", "startpos", "--moves", "7g7f"]);
    assert_eq!(out.lines().count(), 31);
    assert!(out.lines().any(|m| m == "3c3d"), "{out}");
}

#[test]
fn options_and_version() {
    assert!(run(&["options"]).0.contains("| `USI_Hash` |"));
    let version = run(&["--version"]).0;
    let mut lines = version.lines();
    let first = lines.next().unwrap();
    let (name, commit) = first.split_at(format!("nue {}", env!("CARGO_PKG_VERSION")).len());
    assert_eq!(name, format!("nue {}", env!("CARGO_PKG_VERSION")));
    let hex = |c: char| c.is_ascii_hexdigit();
    let commit = commit.trim_start_matches(" (").trim_end_matches(')');
    assert!(commit.chars().all(hex), "{first}");
    // The nets inside are those of the ledger.
    let ledger = include_str!("../../../../nets/ledger.toml");
    for game in ["(shogi)", "(minishogi)"] {
        let net =
            version.lines().find_map(|l| l.strip_prefix("net: ").filter(|l| l.contains(game)));
        let net = net.unwrap_or_else(|| panic!("{game}: {version}"));
        assert!(ledger.contains(&format!("net = {net:?}\n")), "{net}");
    }
    assert_eq!(run(&["-V"]).0, version);
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_to_do() {
    check_error(&["frobnicate"], 2, &["frobnicate", "--help"]);
    check_error(&["perft"], 2, &["<DEPTH>"]);
    check_error(&["perft", "deep"], 2, &["deep"]);
    check_error(&["perft", "99"], 2, &["99", "40"]);
    check_error(&["perft", "3", "--game", "chess"], 2, &["\"chess\"", "minishogi"]);
    check_error(&["--game", "chess"], 2, &["\"chess\"", "minishogi"]);
    check_error(&["convert", "game.csa", "--to", "doc"], 2, &["doc"]);
    check_error(&["show", "queen"], 2, &["\"queen\"", "rook-lance", "SFEN"]);
    check_error(&["show", "rook", "--game", "minishogi"], 2, &["rook", "minishogi"]);
}

/// Numbers that mean nothing are refused, wherever they are asked for.
#[test]
fn nothing_is_asked_for_by_a_zero() {
    let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
    for (line, part) in [
        (&["go", "--nodes", "0"][..], "--nodes"),
        (&["go", "--movetime", "0"], "--movetime"),
        (&["mate", sfen, "--nodes", "0"], "--nodes"),
        (&["mate", sfen, "--time", "0"], "--time"),
        (&["data", "head", "x.teacher", "-n", "0"], "--number"),
        (&["web", "bench", "--players", "0"], "--players"),
        (&["openings", "make", "--count", "0"], "--count takes a number above 0"),
        (&["openings", "make", "-j", "0"], "-j takes a number above 0"),
        (&["tune", "--nodes", "1", "--iterations", "0"], "--iterations takes a number above 0"),
        (&["tune", "--nodes", "1", "--games", "0"], "--games takes a number above 0"),
        (&["gen", "--games", "1", "--out", "x", "--nodes", "0"], "--nodes"),
        (&["train", "x.teacher", "--out", "x", "--epochs", "0"], "--epochs"),
        (
            &["match", "--engine", "cmd=self", "--engine", "cmd=self", "--each", "movetime=0"],
            "movetime",
        ),
        (&["match", "--engine", "cmd=self", "--engine", "cmd=self", "--each", "tc=0"], "tc takes"),
    ] {
        check_error(line, 2, &[part]);
    }
    // What is no whole number of iterations is played in whole ones, and said.
    let line =
        ["tune", "--game", "minishogi", "--nodes", "1", "--games", "3", "--params", "lmr_base"];
    let more = ["--max-moves", "4", "--option", "EvalDir=material"];
    let output = nue(&[&line[..], &more[..]].concat()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("4 games instead of 3"), "{told}");
}

#[test]
fn failures_end_with_1_and_quote_the_value() {
    check_error(&["show", "9/9/9 b - 1"], 1, &["9/9/9"]);
    check_error(&["show", "rbsgk/4p/5/P4/KGSBR b - 1"], 1, &["5 ranks", "--game"]);
    check_error(&["moves", "startpos", "--moves", "7g7f", "7g7f"], 1, &["move 2", "7g7f"]);
    check_error(&["convert", "no-such-file.csa", "--to", "usi"], 1, &["no-such-file.csa"]);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::Stdio;
    let mut child = nue(&["perft", "3", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panic"));
}
