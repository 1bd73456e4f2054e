//! The commands that evaluate and search without a conversation: bench, eval, net, go, doctor.

use crate::gui::nue;
use crate::gui::weights::{self, folder, reference};
use nnue::{FeatureKind, Isa};
use std::io::Write;
use std::process::Stdio;

/// Standard output, error output and exit code, in a folder without nets.
fn run(arguments: &[&str]) -> (String, String, i32) {
    with_input(arguments, b"")
}

fn with_input(arguments: &[&str], input: &[u8]) -> (String, String, i32) {
    let mut child = nue(arguments)
        .current_dir(folder("empty"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that ends without reading closes its end.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn check_error(arguments: &[&str], code: i32, parts: &[&str]) {
    let (out, err, got) = run(arguments);
    assert_eq!((out.as_str(), got), ("", code), "{arguments:?}: {err}");
    for part in parts {
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
}

/// A random net in a folder of that name: its bytes and the folder's path.
fn net(name: &str, features: FeatureKind, seed: u64) -> (Vec<u8>, String) {
    let bytes = weights::bytes(features, 32, seed);
    let path = weights::save(name, &bytes);
    (bytes, path)
}

const MATE_IN_ONE: &str = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";

// bench

/// The number of the line `signature: …`, which stands before `nps: …` at the end.
fn signature(arguments: &[&str]) -> u64 {
    let (out, err, code) = run(&[&["bench", "--depth", "4"], arguments].concat());
    assert_eq!(code, 0, "{arguments:?}: {err}");
    let mut lines = out.lines().rev();
    let nps = lines.next().and_then(|l| l.strip_prefix("nps: ")).unwrap();
    assert!(nps.parse::<u64>().unwrap() > 0, "{out}");
    lines.next().and_then(|l| l.strip_prefix("signature: ")).unwrap().parse().unwrap()
}

#[test]
fn the_signature_is_the_same_every_time_and_the_sum_of_both_games() {
    let both = signature(&[]);
    assert_eq!(signature(&[]), both);
    let [shogi, minishogi] = ["shogi", "minishogi"].map(|game| signature(&["--game", game]));
    assert_eq!(shogi + minishogi, both);
    assert!(shogi > 0 && minishogi > 0);
    assert!(signature(&["--threads", "2"]) > 0);
}

#[test]
fn the_signature_is_the_same_with_every_instruction_set() {
    let minishogi = signature(&["--game", "minishogi"]);
    let (_, kp) = net("bench-kp", FeatureKind::KP, 1);
    let with_net = signature(&["--net", &kp]);
    for isa in Isa::available() {
        assert_eq!(signature(&["--net", &kp, "--isa", isa.name()]), with_net, "{isa}");
    }
    // The other game counts material.
    assert_eq!(signature(&["--net", &kp, "--game", "shogi"]) + minishogi, with_net);
    let (_, mini) = net("bench-mini", FeatureKind::MiniHalfKp, 2);
    let shogi = signature(&["--game", "shogi"]);
    assert_eq!(
        signature(&["--net", &mini]),
        shogi + signature(&["--net", &mini, "--game", "minishogi"])
    );
}

#[test]
fn bench_refuses_what_it_cannot_do() {
    let (_, mini) = net("bench-wrong", FeatureKind::MiniHalfKp, 3);
    check_error(&["bench", "--net", &mini, "--game", "shogi"], 2, &["minishogi", "--game shogi"]);
    check_error(&["bench", "--net", "no-such-net"], 1, &["no-such-net", "nn.bin"]);
    check_error(&["bench", "--depth", "0"], 2, &["0", "40"]);
    check_error(&["bench", "--threads", "0"], 2, &["0"]);
    check_error(&["bench", "--isa", "mmx"], 2, &["\"mmx\"", "scalar"]);
    check_error(&["bench", "--game", "chess"], 2, &["\"chess\""]);
}

// eval

#[test]
fn values_are_printed_beside_the_positions() {
    let input = "startpos\n\nsfen 4k4/9/9/9/9/9/9/9/4K4 b 2Pr 1\r\n\
                 4k4/9/3+r5/9/9/9/9/9/4K4 w - 1\tpassed over\n\
                 position startpos moves 7g7f 3c3d 8h2b+\n";
    let expected = "startpos\t0\nsfen 4k4/9/9/9/9/9/9/9/4K4 b 2Pr 1\t-810\n\
                    4k4/9/3+r5/9/9/9/9/9/4K4 w - 1\t1395\n\
                    position startpos moves 7g7f 3c3d 8h2b+\t-1800\n";
    let (out, err, code) = with_input(&["eval", "--net", "material"], input.as_bytes());
    assert_eq!((out.as_str(), code), (expected, 0), "{err}");
    assert!(err.contains("material only"), "{err}");
    let minishogi = ["eval", "--game", "minishogi", "--sfens", "-", "--net", "material"];
    assert_eq!(with_input(&minishogi, b"startpos\n").0, "startpos\t0\n");
}

#[test]
fn bad_lines_are_reported_and_the_rest_goes_on() {
    let mut input = format!("startpos\nnonsense\n{MATE_IN_ONE}\n").into_bytes();
    input.extend(b"\xff\xfe\n4k4/9/9/9/9/9/9/9/9 b - 1\nrbsgk/4p/5/P4/KGSBR b - 1\n");
    input.extend(b"startpos moves 7g7e\nstartpos");
    let (out, err, code) = with_input(&["eval", "--net", "material"], &input);
    assert_eq!(code, 1, "{err}");
    assert_eq!(out, format!("startpos\t0\n{MATE_IN_ONE}\t630\nstartpos\t0\n"));
    for part in [
        "line 2: ",
        "line 4: not UTF-8",
        "line 5: Black has no king",
        "line 6: ",
        "line 7: ",
        "5 lines are not positions",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    check_error(&["eval", "--sfens", "no-such-file"], 1, &["no-such-file"]);
    check_error(&["eval", "--sfens", "."], 1, &["folder"]);
    check_error(&["eval", "--net", "no-such-net"], 1, &["no-such-net", "expected nn.bin"]);
    check_error(&["eval", "--fv-scale", "0"], 2, &["0"]);
    let (_, mini) = net("eval-mini", FeatureKind::MiniHalfKp, 4);
    check_error(&["eval", "--net", &mini], 1, &["minishogi", "shogi", "eval-mini"]);
}

#[test]
fn every_instruction_set_gives_the_same_values() {
    let (_, kp) = net("eval-kp", FeatureKind::KP, 5);
    let input = format!("startpos\nstartpos moves 7g7f 3c3d 8h2b+\n{MATE_IN_ONE}\n");
    let values = |isa: &str| {
        let (out, err, code) = with_input(&["eval", "--net", &kp, "--isa", isa], input.as_bytes());
        assert_eq!(code, 0, "{err}");
        out
    };
    let scalar = values("scalar");
    assert_eq!(scalar.lines().count(), 3);
    for isa in Isa::available() {
        assert_eq!(values(isa.name()), scalar, "{isa}");
    }
}

#[test]
fn the_values_of_a_published_net_are_the_reference_s() {
    let Some(folder) = reference() else { return };
    let table = std::fs::read_to_string(folder.join("evals.tsv")).unwrap();
    let path = folder.to_str().unwrap();
    for (scale, column) in [("16", 2), ("24", 3)] {
        let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
        let expected: String = rows.map(|row| format!("{}\t{}\n", row[0], row[column])).collect();
        let sfens: String = table.lines().skip(1).map(|line| format!("{line}\n")).collect();
        let arguments = ["eval", "--net", path, "--fv-scale", scale];
        let (out, err, code) = with_input(&arguments, sfens.as_bytes());
        assert_eq!(code, 0, "{err}");
        assert!(out == expected, "FV_SCALE {scale}");
    }
}

// net

#[test]
fn net_info_describes_a_net() {
    let (bytes, path) = net("info", FeatureKind::KP, 6);
    for path in [path.clone(), format!("{path}/nn.bin")] {
        let (out, err, code) = run(&["net", "info", &path]);
        assert_eq!(code, 0, "{err}");
        let size = bytes.len().to_string();
        for part in ["K+P 32x2-16-32", "1710", &size, "transformer weights", "nothing odd"] {
            assert!(out.contains(part), "{part}: {out}");
        }
        assert_eq!(out.matches(" match\n").count(), 3, "{out}");
    }
}

#[test]
fn net_info_says_what_is_odd_or_wrong() {
    let (mut bytes, path) = net("odd", FeatureKind::KP, 7);
    let file = format!("{path}/nn.bin");
    let write = |bytes: &[u8]| std::fs::write(&file, bytes).unwrap();
    bytes[4] ^= 1;
    write(&bytes);
    let (out, _, code) = run(&["net", "info", &file]);
    assert_eq!(code, 0);
    assert!(out.contains("DIFFERENT") && out.contains("odd: file hash is "), "{out}");

    let size = bytes.len().to_string();
    write(&bytes[..bytes.len() - 100]);
    check_error(&["net", "info", &file], 1, &[&file, &size, "cut short"]);
    write(&bytes[..20]);
    check_error(&["net", "info", &file], 1, &[&file, "20 bytes"]);
    write(b"this is no net at all");
    check_error(&["net", "info", &file], 1, &[&file, "0x73696874", "0x7af32f16"]);
    write(b"");
    check_error(&["net", "info", &file], 1, &[&file, "0 bytes"]);
    check_error(&["net", "info", "nowhere"], 1, &["nowhere", "expected nn.bin"]);
    check_error(&["net", "frobnicate"], 2, &["frobnicate"]);
    check_error(&["net"], 2, &["info"]);
}

// go

#[test]
fn go_shows_board_table_and_best_move() {
    let (out, err, code) = run(&["go", "--nodes", "3000"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("White in hand: nothing\n"), "{out}");
    assert!(out.contains("  depth        score        nodes      time  line\n"), "{out}");
    let rows = out.lines().filter(|line| line.contains(" s  ▲"));
    assert!(rows.count() > 3, "{out}");
    assert!(out.lines().last().unwrap().starts_with("best move: ▲"), "{out}");
}

#[test]
fn go_takes_positions_limits_and_notations() {
    let last = |arguments: &[&str]| {
        let (out, err, code) = run(&[&["go"], arguments].concat());
        assert_eq!(code, 0, "{arguments:?}: {err}");
        (out.lines().last().unwrap().to_owned(), out)
    };
    let (best, out) = last(&["--sfen", MATE_IN_ONE, "--depth", "3"]);
    assert_eq!(best, "best move: ▲５二金 (G*5b)");
    assert!(out.contains("mate in 1") && out.contains("Black mates with this move"), "{out}");
    let (best, _) = last(&[MATE_IN_ONE, "--depth", "3", "--notation", "usi"]);
    assert_eq!(best, "best move: G*5b");
    let (best, _) = last(&["10", "--nodes", "500"]);
    assert!(best.starts_with("best move: △"), "{best}");
    let (best, out) = last(&["--moves", "7g7f", "3c3d", "8h2b+", "--depth", "6"]);
    assert!(best.starts_with("best move: △同"), "{out}");
    let (_, out) = last(&["--movetime", "50", "--multipv", "3", "--threads", "2", "--hash", "1"]);
    assert!(out.contains("\n  3 "), "{out}");
    let (best, _) = last(&["4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"]);
    assert_eq!(best, "no legal move: White has lost");
    let declared = "+B+RSGKGS+P1/+P+P+P6/9/9/9/9/9/9/4k4 b RB2G2S4N4L8P6p 1";
    assert_eq!(last(&[declared]).0, "Black can declare the win now");
    let (best, _) = last(&["--game", "minishogi", "--nodes", "1000"]);
    assert!(best.starts_with("best move: ▲"), "{best}");
    let (_, kp) = net("go-kp", FeatureKind::KP, 8);
    let (_, out) = last(&["--net", &kp, "--nodes", "500"]);
    assert!(out.contains("evaluation: net K+P 32x2-16-32 (shogi)"), "{out}");
}

#[test]
fn go_refuses_what_it_cannot_search() {
    check_error(&["go", "queen"], 2, &["\"queen\"", "rook-lance"]);
    check_error(&["go", "--sfen", "9/9/9 b - 1"], 1, &["9/9/9"]);
    check_error(&["go", "rook", "--sfen", "rook"], 2, &["--sfen"]);
    check_error(&["go", "--moves", "7g7e"], 1, &["move 1", "7g7e"]);
    check_error(&["go", "4k4/9/9/9/9/9/9/9/9 b G 1"], 1, &["Black has no king", "nue mate"]);
    check_error(&["go", "--depth", "0"], 2, &["0"]);
    check_error(&["go", "--movetime", "soon"], 2, &["soon"]);
    check_error(&["go", "--notation", "western"], 2, &["western", "japanese", "usi"]);
    check_error(&["go", "--net", "no-such-net"], 1, &["no-such-net"]);
}

// doctor

#[test]
fn doctor_finds_a_healthy_engine() {
    let (_, kp) = net("doctor-good", FeatureKind::KP, 9);
    let (out, err, code) = run(&["doctor", "--net", &kp]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("doctor-good: net K+P 32x2-16-32 (shogi)"), "{out}");
    for part in ["\nnets\n", "move sequences", "same values", "repeatable"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    for game in ["(shogi)", "(minishogi)"] {
        let inside =
            |line: &str| line.contains("inside the executable: net ") && line.contains(game);
        assert!(out.lines().any(inside), "{game}: {out}");
    }
    assert!(!out.contains("no net"), "{out}");
    assert!(out.lines().last().unwrap().starts_with("healthy"), "{out}");
}

#[test]
fn doctor_names_what_is_wrong_and_what_to_do() {
    let (bytes, _) = net("doctor-bad", FeatureKind::KP, 10);
    let path = weights::save("doctor-bad", &bytes[..bytes.len() / 2]);
    let (out, err, code) = run(&["doctor", "--net", &path]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("  WRONG  ") && out.contains("what to do: "), "{out}");
    assert!(out.contains(&path), "{out}");
    assert!(out.lines().last().unwrap().starts_with("not healthy: 1 problem"), "{out}");
    assert!(err.contains("1 problem found"), "{err}");
}
