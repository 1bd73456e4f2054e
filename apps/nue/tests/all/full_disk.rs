//! A disk that takes no more. A limit on the size of files stands for it: a write beyond it fails
//! as on a full disk. Whatever was to be written is there whole or not at all, and the exit code
//! tells.

use crate::gui::weights;
use nnue::FeatureKind;
use rules::{AnyPosition, Color, Game as Rules};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use teacher::{Flags, Game, Header, Outcome, Ply, Writer};
use tempfile::TempDir;

/// Random games of minishogi.
fn teacher_file(games: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Header::new(Rules::Minishogi)).unwrap();
    for number in 0..games {
        let mut random = seed::Rng::for_purpose(3, &[number]);
        let mut game = Game::new(AnyPosition::startpos(Rules::Minishogi));
        let mut position = game.start.clone();
        for _ in 0..40 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let score = Some(random.below(2000) as i16 - 1000);
            game.plies.push(Ply { mv, score, flags: Flags::default() });
            position.play(mv);
        }
        game.outcome = Outcome::Won(if number % 2 == 0 { Color::Black } else { Color::White });
        writer.write(&game).unwrap();
        if number % 20 == 19 {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap()
}

/// A folder with something to read of every kind.
fn prepared() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("a.teacher", &teacher_file(200));
    write("a.bin", &weights::bytes(FeatureKind::MiniHalfKp, 32, 1));
    write("b.bin", &weights::bytes(FeatureKind::MiniHalfKp, 32, 2));
    let game = "V2.2\nPI\n+\n+7776FU\n'*a comment of some length, so that the file grows\n%TORYO\n";
    write("a.csa", vec![game; 100].join("/\n").as_bytes());
    write("openings.txt", b"startpos moves 3e3d\nstartpos moves 4e4d\n");
    for line in ["data convert a.teacher -o a.psv", "net convert a.bin -o a.nuef"] {
        let output = run(folder.path(), line, "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}

/// Runs a line in a shell that prepares what comes after it, such as a limit.
fn run(folder: &Path, line: &str, before: &str) -> Output {
    let script = format!("{before}\nexec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_nue")]).args(line.split(' '));
    command.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// Blocks of 512 bytes, or of 1,024 with some shells; a write beyond them is an error, not a death.
const LIMIT: &str = "trap '' XFSZ; ulimit -f 1";

const NOTHING: &str = "trap '' XFSZ; ulimit -f 0";

fn files(folder: &Path) -> BTreeSet<String> {
    let list = fs::read_dir(folder).unwrap();
    list.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

const MATE: &str = "7nl/7k1/6p2/6S1p/9/9/9/9/9_b_GS2r2b3g2s3n3l16p_1";

/// Commands whose outputs are whole or not there, and leave nothing else.
#[test]
fn a_file_is_whole_or_not_there() {
    let folder = prepared();
    let before = files(folder.path());
    for line in [
        "data convert a.psv --game minishogi -o out.teacher",
        "data filter a.teacher -o out.teacher --no-check",
        "data rescore a.teacher -o out.teacher --net material",
        "data rescore a.psv --game minishogi -o out.psv --net material",
        "data shuffle a.teacher -o out.psv",
        "data shuffle a.teacher -o out.teacher",
        "data dedup a.teacher -o out.teacher",
        "data merge a.teacher a.teacher -o out.teacher",
        "data head a.teacher -n 150 -o out.teacher",
        "data split a.teacher --train out.teacher --validation held.teacher --share 0.5",
        "data convert a.teacher -o out.csa",
        "data stats a.teacher --calibration out.svg",
        "convert a.csa --to kif -o out.kif",
        "convert a.csa --to csa -o out.csa",
        "net convert a.bin -o out.nuef",
        "net import a.nuef -o out.bin",
        "net average a.bin b.bin -o out.bin",
        "net mix a.bin=0.5 b.bin=0.5 -o out.bin",
        "net strip a.bin -o out.bin",
        "net scale a.bin --set 500 -o out.bin",
        "net pack a.bin -o out.nnz",
        "openings make --game minishogi --count 60 --plies 4 --nodes 20 -o out.txt",
        "train a.teacher --validation a.teacher --arch halfkp-16x2-8-8 --epochs 1 --batch 256 --out out.bin",
        "server init home",
        "fleet key out.key",
    ] {
        // A key is shorter than any block.
        let limit = if line.starts_with("fleet key") { NOTHING } else { LIMIT };
        let output = run(folder.path(), line, limit);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{line}: {told}");
        assert!(told.contains("too large"), "{line}: {told}");
        let found = files(folder.path());
        // What is begun of resumable files is kept under names of its own, and told.
        let more: Vec<&String> =
            found.difference(&before).filter(|name| !name.starts_with('.')).collect();
        assert!(more.is_empty(), "{line}: {more:?}");
        let kept = found.difference(&before).any(|name| name.contains(".part"));
        assert!(!kept || told.contains("--resume"), "{line}: {told}");
        for name in found.difference(&before) {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
}

/// When there is room again the same command does what it was asked, and what is in the way is told
/// as wrong usage, with what to do.
#[test]
fn a_file_in_the_way_is_told_with_what_to_do() {
    let folder = prepared();
    fs::write(folder.path().join("in-the-way"), "").unwrap();
    fs::write(folder.path().join("game.csa"), "V2.2\nPI\n+\n+7776FU\n%TORYO\n").unwrap();
    for (line, limit, advice) in [
        ("server init home", LIMIT, "name another folder"),
        ("fleet key out.key", NOTHING, "name another file"),
        ("book make game.csa --out out.db", NOTHING, "--force"),
    ] {
        let full = run(folder.path(), line, limit);
        let told = String::from_utf8_lossy(&full.stderr).into_owned();
        assert_eq!(full.status.code(), Some(1), "{line}: {told}");
        let done = run(folder.path(), line, "");
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{line}: {told}");
        let again = run(folder.path(), line, "");
        let told = String::from_utf8_lossy(&again.stderr).into_owned();
        assert_eq!(again.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains(advice) && !told.contains("os error"), "{line}: {told}");
    }
    for (line, advice) in [
        ("server init in-the-way", "name another folder"),
        (
            "tune --game minishogi --nodes 10 --iterations 1 --params rfp_margin --option \
             EvalDir=material --log in-the-way",
            "name a folder",
        ),
        (
            "match --game minishogi --engine cmd=self,name=a --engine cmd=self,name=b --each \
             nodes=10,option.EvalDir=material --games 2 --log in-the-way",
            "name a folder",
        ),
    ] {
        let output = run(folder.path(), line, "");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains(advice) && !told.contains("os error"), "{line}: {told}");
    }
}

/// Proofs, of which a collection has many.
#[test]
fn a_proof_is_whole_or_not_there() {
    let folder = prepared();
    let sfen = MATE.replace('_', " ");
    let script = format!("{}\nexec \"$@\"", LIMIT.replace("-f 1", "-f 0"));
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_nue"), "mate", &sfen]);
    command.args(["--proof", "out.proof"]).current_dir(folder.path()).stdin(Stdio::null());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_ne!(output.status.code(), Some(0), "{told}");
    let all = told + &String::from_utf8_lossy(&output.stdout);
    assert!(all.contains("too large"), "{all}");
    assert!(!files(folder.path()).iter().any(|name| name.contains("proof")));
}

/// What grows game by game ends with an error, and goes on when there is room again: to the same
/// file as without the full disk.
#[test]
fn what_grows_goes_on_when_there_is_room() {
    let folder = prepared();
    let generate = "gen --game minishogi --nodes 20 --hash 1 --block 200 --games 40 -j 1 --out";
    let played = "match --game minishogi --engine cmd=self,name=a,nodes=20 --engine \
                  cmd=self,name=b,nodes=30 --each option.USI_Hash=1,option.EvalDir=material \
                  --games 12 --max-moves 40 --openings openings.txt --out";
    let tuned = "tune --game minishogi --nodes 20 --iterations 16 --params rfp_margin --option \
                 EvalDir=material --option USI_Hash=1 --openings openings.txt --out";
    for (line, name) in [(generate, "g.teacher"), (played, "m.csa"), (tuned, "t.jsonl")] {
        let whole = run(folder.path(), &format!("{line} whole-{name}"), "");
        assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
        let full = run(folder.path(), &format!("{line} full-{name}"), LIMIT);
        let told = String::from_utf8_lossy(&full.stderr).into_owned();
        assert_eq!(full.status.code(), Some(1), "{line}: {told}");
        assert!(told.contains("too large"), "{line}: {told}");
        let resumed = run(folder.path(), &format!("{line} full-{name} --resume"), "");
        let told = String::from_utf8_lossy(&resumed.stderr).into_owned();
        assert!(resumed.status.success(), "{line}: {told}");
        // The times of matches are not the same twice.
        if name != "m.csa" {
            let read = |kind: &str| fs::read(folder.path().join(format!("{kind}-{name}"))).unwrap();
            assert!(read("full") == read("whole"), "{line}");
        } else {
            let text = fs::read_to_string(folder.path().join("full-m.csa")).unwrap();
            assert_eq!(text.matches("$EVENT").count(), 12, "{text}");
        }
    }
}

/// Results on a standard output that takes nothing: the exit code tells.
#[cfg(target_os = "linux")]
#[test]
fn results_that_nobody_gets_are_a_failure() {
    let folder = prepared();
    for line in [
        "data stats a.teacher",
        "data head a.teacher",
        "data stream a.teacher --features halfkp",
        "convert a.csa --to kif",
        "net info a.bin",
        "net verify a.bin",
        "net diff a.bin b.bin",
        "perft 2",
        "moves",
        "show",
        "options",
        "openings make --game minishogi --count 3 --plies 4",
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
        command.args(line.split(' ')).current_dir(folder.path()).stdin(Stdio::null());
        let output = command.stdout(full).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{line}: {told}");
        assert!(told.contains("No space left"), "{line}: {told}");
    }
}
