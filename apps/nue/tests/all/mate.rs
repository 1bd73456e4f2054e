//! `nue mate` as a user meets it: answers, proofs, errors, exit codes.

use crate::gui::nue;

const MATE: &str = "7nl/7k1/6p2/6S1p/9/9/9/9/9 b GS2r2b3g2s3n3l16p 1";
const NO_MATE: &str = "7nl/7k1/6p2/6S1p/9/9/9/9/9 b S2r2b4g2s3n3l16p 1";
const HARD: &str = "9/9/9/9/4k4/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1";

/// Standard output, error output and exit code.
fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = nue(&[&["mate"], arguments].concat()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn one_problem_is_shown_with_its_line() {
    let (out, err, code) = run(&[MATE, "--shortest", "--all", "--branches"]);
    assert_eq!(code, 0, "{err}");
    for part in ["mate in 5 (shortest)", "    1. S*2c 2b1c", "first move: G*2c no mate", "at   2:"]
    {
        assert!(out.contains(part), "{out}");
    }
    let (out, _, code) = run(&[NO_MATE]);
    assert!(code == 0 && out.contains("\nno mate\n"), "{out}");
}

#[test]
fn futile_interpositions_are_counted_by_the_definition_asked_for() {
    let sfen = "1k7/g8/2G6/9/9/9/9/9/6R2 b gs 1";
    for (definition, plies) in [("none", 7), ("distance", 7), ("common", 3)] {
        let (out, err, code) = run(&[sfen, "--shortest", "--futile", definition]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(&format!("by \"{definition}\": mate in {plies} (shortest)")), "{out}");
        let (out, _, _) = run(&[sfen, "--shortest", "--futile", definition, "--json"]);
        let answer: serde_json::Value = serde_json::from_str(out.trim()).unwrap();
        assert_eq!((&answer["plies"], &answer["counted"]["plies"]), (&7.into(), &plies.into()));
    }
    let (_, err, code) = run(&[sfen, "--futile", "all"]);
    assert!(code == 2 && err.contains("none, distance, common"), "{err}");
}

#[test]
fn an_open_question_is_said_to_be_one() {
    let (out, err, code) = run(&[HARD, "--nodes", "500"]);
    assert!(code == 1 && out.contains("unknown: out of nodes"), "{out}");
    assert!(err.contains("1 without a definite answer"), "{err}");
    let (out, _, code) = run(&[HARD, "--time", "50", "--threads", "2"]);
    assert!(code == 1 && out.contains("unknown: out of time"), "{out}");
}

#[test]
fn a_collection_gets_a_table_and_a_bad_line_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problems.tsv");
    let text =
        format!("name\tsfen\nfirst\t{MATE}\nbad\t4k4/9/9/9/9/9/9/9/8Q b - 1\nlast\t{NO_MATE}\n");
    std::fs::write(&file, text).unwrap();
    let (out, err, code) = run(&[file.to_str().unwrap()]);
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("3 problems: 1 mates, 1 without mate, 1 unreadable\n"), "{out}");
    assert!(out.contains(":3:") && out.contains("last"), "{out}");
    let (out, _, _) = run(&[file.to_str().unwrap(), "--json"]);
    let lines: Vec<serde_json::Value> =
        out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["answer"], &lines[0]["plies"]), (&"mate".into(), &5.into()));
    assert!(lines[1]["error"].is_string());
    assert_eq!(lines[2]["answer"], "nomate");
}

#[test]
fn proofs_are_written_checked_and_refused() {
    let folder = tempfile::tempdir().unwrap();
    for sfen in [MATE, NO_MATE] {
        let file = folder.path().join(if sfen == MATE { "mate" } else { "none" });
        let path = file.to_str().unwrap();
        let (out, err, code) = run(&[sfen, "--proof", path]);
        assert!(code == 0 && out.contains("proof in "), "{out} {err}");
        let (out, _, code) = run(&["--verify", path]);
        assert!(code == 0 && out.contains(", proven ("), "{out}");
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        std::fs::write(&file, bytes).unwrap();
        let (out, err, code) = run(&["--verify", path]);
        assert!(code == 1 && out.contains("not a valid proof"), "{out} {err}");
    }
}

#[test]
fn every_problem_is_counted_once() {
    // No proof can be written there.
    let (out, err, code) = run(&[MATE, HARD, NO_MATE, "--nodes", "9000", "--proof", "/dev/null/x"]);
    assert_eq!(code, 1);
    let summary = out.lines().last().unwrap();
    assert_eq!(
        summary,
        "3 problems: 1 mates, 1 without mate, 1 unsolved; 2 not answered in every point"
    );
    assert!(err.contains("3 without a definite answer"), "{err}");
}

#[test]
fn proof_files_are_not_replaced_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "mine").unwrap();
    let (out, err, code) = run(&[MATE, "--proof", path]);
    assert!(code == 2 && err.contains("a.proof: exists; --force replaces it"), "{out}{err}");
    assert!(out.is_empty(), "known before the work: {out}");
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    // Of several problems each has its own file, and one is in the way.
    std::fs::write(folder.path().join("a-2.proof"), "mine").unwrap();
    std::fs::remove_file(&file).unwrap();
    let (_, err, code) = run(&[MATE, NO_MATE, "--proof", path]);
    assert!(code == 2 && err.contains("a-2.proof: exists"), "{err}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else was written");
    let (out, err, code) = run(&[MATE, NO_MATE, "--proof", path, "--force"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn wrong_usage_is_told() {
    assert_eq!(run(&[]).2, 2);
    let (out, err, code) = run(&["no/such/file"]);
    assert!(code == 1 && (out + &err).contains("neither an SFEN nor a file"));
    assert_eq!(run(&["--verify", "no/such/file"]).2, 1);
    assert_eq!(run(&[MATE, "--hash", "0"]).2, 2);
}
