//! Matches and tunings with an engine that is not ours: a script that moves a gold to and fro and
//! resigns the later the larger its option `Patience` is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const SCRIPT: &str = r#"#!/bin/sh
patience=10
moves=0
while read -r line; do
    set -- $line
    case "$1" in
    usi)
        echo "id name Gold"
        echo "option name Patience type spin default 10 min 0 max 100"
        echo "option name Style type combo default calm var calm var wild"
        echo "usiok" ;;
    isready) echo "readyok" ;;
    setoption) [ "$3" = Patience ] && patience=$5 ;;
    position)
        shift 2
        [ "$1" = moves ] && shift
        moves=$# ;;
    go)
        echo "info depth 1 score cp $patience"
        if [ $((moves / 2)) -gt $((patience / 20)) ]; then echo "bestmove resign"
        else
            case $((moves % 4)) in
            0) echo "bestmove 4i4h" ;;
            1) echo "bestmove 4a4b" ;;
            2) echo "bestmove 4h4i" ;;
            3) echo "bestmove 4b4a" ;;
            esac
        fi ;;
    quit) exit ;;
    esac
done
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let engine = folder.path().join("engine.sh");
    fs::write(&engine, SCRIPT).unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn nue(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Under the same conditions as the script: a program, spoken to in lines. At fixed nodes it stays inside.
#[test]
fn our_own_engine_on_the_clock_is_a_program_like_the_other() {
    for (limit, spoken_to) in [("movetime=100,margin=60s", true), ("nodes=20", false)] {
        let folder = folder();
        let line = format!(
            "match --engine cmd=self --engine cmd=./engine.sh --each {limit} --games 2 --log talk"
        );
        let output = nue(folder.path(), &line);
        let (told, table) = (text(&output.stderr), text(&output.stdout));
        assert!(output.status.success(), "{told}");
        assert_eq!(folder.path().join("talk/self-1.log").exists(), spoken_to, "{told}");
        for name in ["self", "engine"] {
            assert!(table.contains(&format!("time of {name}: ")), "{table}");
        }
        let ends = told.lines().filter(|line| line.contains("resign")).count();
        assert_eq!(ends, 2, "a line for every game: {told}");
    }
}

#[test]
fn options_of_another_engine_are_tuned() {
    let folder = folder();
    let line = "tune --engine cmd=./engine.sh,nodes=1 --params Patience:c=20:r=0.1 \
                --iterations 20 --seed 3 --out log.jsonl";
    let output = nue(folder.path(), line);
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    let table = text(&output.stdout);
    let row = table.lines().find(|line| line.starts_with("Patience")).unwrap();
    let numbers: Vec<f64> = row.split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect();
    assert!(numbers[0] == 10.0 && numbers[1] > 40.0, "{table}");
    assert!(table.contains("--set Patience=") && table.contains("option.Patience="), "{table}");
    // The log goes on only for the same engine.
    let again = nue(folder.path(), &format!("{line} --resume"));
    assert_eq!(text(&again.stdout), table);
    let other = line.replace("nodes=1", "nodes=1,option.Style=wild");
    let other = nue(folder.path(), &format!("{other} --resume"));
    assert_eq!(other.status.code(), Some(1));
    for (params, why) in [("Style", "Patience"), ("all", "Patience"), ("Patience:max=-1", "below")]
    {
        let line =
            format!("tune --engine cmd=./engine.sh,nodes=1 --iterations 1 --params {params}");
        let output = nue(folder.path(), &line);
        assert_eq!(output.status.code(), Some(2), "{params}");
        assert!(text(&output.stderr).contains(why), "{params}: {}", text(&output.stderr));
    }
}

#[test]
fn what_is_said_in_a_tuning_is_logged() {
    let folder = folder();
    let line = "tune --engine cmd=./engine.sh,nodes=1 --params Patience:c=20:r=0.1 --iterations 2 \
                --log logs";
    let output = nue(folder.path(), line);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let log = fs::read_to_string(folder.path().join("logs/plus-1.log")).unwrap();
    for part in
        ["> usi\n", "# game 1: Black plus, White minus", "# game 2: Black minus", "> go nodes 1\n"]
    {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(log.contains("> setoption name Patience value "), "{log}");
    assert!(folder.path().join("logs/minus-1.log").exists());
    // Nothing is said to our own engine, and a folder that cannot be made is told at once.
    let own = nue(folder.path(), "tune --nodes 1 --params lmr_base --iterations 1 --log logs");
    assert!(text(&own.stderr).contains("--log: nothing is said to plus"), "{}", text(&own.stderr));
    let refused = nue(folder.path(), &line.replace("--log logs", "--log engine.sh/x"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("engine.sh/x"));
}

#[test]
fn what_is_said_in_a_match_is_logged() {
    let folder = folder();
    let line = "match --engine cmd=./engine.sh,name=calm --engine \
                cmd=./engine.sh,name=quick,option.Patience=0 --engine cmd=self,name=own,nodes=10 \
                --each nodes=1 --format gauntlet --games 2 --log logs/deep";
    let output = nue(folder.path(), line);
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("--log") && told.contains("own"),
        "our own engine is not spoken to: {told}"
    );
    let log = |name: &str| fs::read_to_string(folder.path().join("logs/deep").join(name)).unwrap();
    let (calm, quick) = (log("calm-1.log"), log("quick-1.log"));
    for part in ["> usi\n", "< usiok\n", "# game 1: Black calm, White quick", "> go nodes 1\n"] {
        assert!(calm.contains(part), "{part}: {calm}");
    }
    assert!(quick.contains("> setoption name Patience value 0\n"), "{quick}");
    assert!(
        quick.contains("< bestmove resign\n") && quick.contains("> gameover lose\n"),
        "{quick}"
    );
    assert!(!folder.path().join("logs/deep/own-1.log").exists());
    for line in calm.lines() {
        let (at, rest) = line.split_once(' ').unwrap();
        assert!(at.parse::<f64>().is_ok(), "{line}");
        assert!(rest.starts_with(['<', '>', '#', '!']), "{line}");
    }
    // A folder that cannot be made is told before the first game.
    fs::write(folder.path().join("file"), "").unwrap();
    let refused = nue(folder.path(), &line.replace("logs/deep", "file/x"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("file/x"));
}
