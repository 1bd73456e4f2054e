//! `nue data` as a user runs it, and as it is killed.

use rules::{AnyPosition, Game as Rules};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use teacher::{Flags, Game, Header, Outcome, Ply, Writer};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    fn nue(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
        command.args(line.split(' ')).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> String {
        let output = self.nue(line).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).unwrap()
    }
}

/// Random games of minishogi, enough for one block and something.
fn file(positions: usize) -> Vec<u8> {
    let mut rng = seed::Rng::new(1);
    let mut below = |bound: usize| rng.below(bound);
    let mut writer = Writer::new(Vec::new(), Header::new(Rules::Minishogi)).unwrap();
    while (writer.positions() as usize) < positions {
        let mut game = Game::new(AnyPosition::startpos(Rules::Minishogi));
        let mut position = game.start.clone();
        for _ in 0..100 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[below(moves.len())];
            game.plies.push(Ply { mv, score: Some(7), flags: Flags::default() });
            position.play(mv);
        }
        game.outcome = Outcome::Draw;
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn statistics_for_machines() {
    let folder = Folder::new();
    fs::write(folder.file("a.teacher"), file(500)).unwrap();
    let told: serde_json::Value =
        serde_json::from_str(&folder.run("data stats a.teacher --json")).unwrap();
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    assert_eq!((&told["game"], &told["files"]), (&"minishogi".into(), &1.into()));
    let games = number(&told["games"]);
    assert_eq!(number(&told["results"]["draws"]), games);
    assert_eq!(number(&told["scores"][0]["positions"]), number(&told["positions"]));
    let lengths = told["lengths"].as_array().unwrap();
    assert_eq!(lengths.iter().map(|row| number(&row["games"])).sum::<u64>(), games);
    // A drawing that exists is not replaced unasked, and the exit code is that of wrong usage.
    let drawing = "data stats a.teacher --calibration c.svg";
    folder.run(drawing);
    let again = folder.nue(drawing).output().unwrap();
    let told = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(again.status.code(), Some(2), "{told}");
    assert!(told.contains("c.svg: exists; --force replaces it"), "{told}");
    folder.run(&format!("{drawing} --force"));
}

/// Killed after the first place to go on from, resumed: the same file as undisturbed.
#[test]
fn a_killed_rescoring_is_resumed_exactly() {
    let folder = Folder::new();
    fs::write(folder.file("a.teacher"), file(700)).unwrap();
    // At this depth a place to go on from comes after some 200 positions.
    let command = "data rescore a.teacher --depth 9 --hash 1 --net material";
    folder.run(&format!("{command} -o calm.teacher"));
    let mut killed = folder.nue(&format!("{command} -o b.teacher -j 3"));
    let mut child = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = folder.file(".b.teacher.part.journal");
    let began = Instant::now();
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it was over before it could be killed");
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.file("b.teacher").exists(), "files appear whole or not at all");
    folder.run(&format!("{command} -o b.teacher --resume -j 1"));
    assert!(folder.bytes("b.teacher") == folder.bytes("calm.teacher"));
    assert!(!journal.exists());
}

/// The first interrupt ends after what is under way, with a word; what is done is kept where it can
/// be gone on with, and nothing else is left.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_in_good_order() {
    let folder = Folder::new();
    fs::write(folder.file("a.teacher"), file(700)).unwrap();
    fs::write(folder.file("many.teacher"), file(10_000)).unwrap();
    folder.run("data rescore a.teacher -o calm.teacher --net material --depth 9 --hash 1 -j 2");
    let shuffle = format!("data shuffle {} -o c.psv", ["many.teacher"; 20].join(" "));
    for (command, resumes) in [
        ("data rescore a.teacher -o b.teacher --net material --depth 9 --hash 1 -j 2", true),
        (shuffle.as_str(), false),
    ] {
        let mut child = folder.nue(command);
        let child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // It says that it has heard as soon as it can.
        thread::sleep(Duration::from_millis(400));
        let pid = child.id().to_string();
        let _ = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            // It was through before it could be hit.
            continue;
        }
        assert_eq!(output.status.code(), Some(130), "{command}: {told}");
        assert!(told.contains("finishing cleanly") && told.contains("interrupted"), "{told}");
        let names = fs::read_dir(folder.0.path()).unwrap().filter_map(Result::ok);
        let names: Vec<String> =
            names.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        assert!(names.iter().all(|name| !name.ends_with(".tmp")), "{names:?}");
        if resumes {
            folder.run(&format!("{command} --resume"));
            assert!(folder.bytes("b.teacher") == folder.bytes("calm.teacher"));
        } else {
            assert!(!folder.file("c.psv").exists());
        }
    }
}

/// Files may have names that are no text: every command works on them.
#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = |end: &str| {
        let mut bytes = b"\xff\xfe ".to_vec();
        bytes.extend(end.as_bytes());
        OsStr::from_bytes(&bytes).to_owned()
    };
    fs::write(folder.file(name("a.teacher")), file(500)).unwrap();
    let net = crate::gui::weights::bytes(nnue::FeatureKind::KP, 32, 3);
    fs::write(folder.file(name("net.bin")), net).unwrap();
    // In a line, @ stands for what is no text.
    for line in [
        "data convert @a.teacher -o @a.psv",
        "data convert @a.psv --game minishogi -o @b.teacher",
        "data filter @a.teacher -o @filtered.teacher --no-check",
        "data rescore @a.teacher -o @scored.teacher --depth 1 --hash 1 --net material",
        "data shuffle @a.teacher -o @shuffled.teacher",
        "data dedup @a.teacher -o @once.teacher",
        "data split @a.teacher --train @train.teacher --validation @check.teacher --share 0.5",
        "data merge @train.teacher @check.teacher -o @all.teacher",
        "data stats @all.teacher --calibration @all.svg",
        "data head @all.teacher -n 1",
        "net info @net.bin",
        "net convert @net.bin -o @net.nuef",
        "net verify @net.bin --real @net.nuef",
        "net scale @net.bin --set 500 -o @told.bin",
        "eval --net @net.bin",
    ] {
        let words = line.split_whitespace().map(|word| match word.strip_prefix('@') {
            Some(end) => name(end),
            None => OsStr::new(word).to_owned(),
        });
        let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
        let output = command.args(words).current_dir(folder.0.path()).stdin(Stdio::null()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for end in ["a.psv", "filtered.teacher", "scored.teacher", "all.svg", "told.bin"] {
        assert!(folder.file(name(end)).exists(), "{end}");
    }
}

#[test]
fn the_losses_of_a_training_are_drawn() {
    let folder = Folder::new();
    let line = |n: u32| format!("{{\"epoch\": {n}, \"loss\": 0.{n}, \"validation_loss\": 0.5}}\n");
    fs::write(folder.file("log.jsonl"), (1..4).map(line).collect::<String>()).unwrap();
    folder.run("data curve log.jsonl -o losses.svg --title K-P");
    let picture = fs::read_to_string(folder.file("losses.svg")).unwrap();
    assert!(picture.contains("K-P") && picture.contains("held out"), "{picture}");
    let refused = folder.nue("data curve log.jsonl -o losses.svg").output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    fs::write(folder.file("log.jsonl"), "epoch 1").unwrap();
    let refused = folder.nue("data curve log.jsonl -o losses.svg --force").output().unwrap();
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("log.jsonl"), "{refused:?}");
    assert_eq!(
        fs::read_to_string(folder.file("losses.svg")).unwrap(),
        picture,
        "the old one stays"
    );
}
