//! `nue gen`: the same data whatever happens on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A folder of its own that is gone afterwards.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn nue(out: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.arg("gen").arg("--out").arg(out).args(words.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn run(out: &Path, words: &str) -> Output {
    nue(out, words).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SMALL: &str =
    "--game minishogi --nodes 60 --random 4 --random-plies 1-6 --hash 1 --block 200";

#[test]
fn any_number_of_threads_gives_the_same_file() {
    let folder = Folder::new();
    let (one, three) = (folder.file("one"), folder.file("three"));
    assert!(run(&one, &format!("{SMALL} --games 40 -j 1")).status.success());
    assert!(run(&three, &format!("{SMALL} --games 40 -j 3")).status.success());
    assert_eq!(fs::read(&one).unwrap(), fs::read(&three).unwrap());
    let other = folder.file("other");
    assert!(run(&other, &format!("{SMALL} --games 40 --seed 2 -j 3")).status.success());
    assert_ne!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
}

/// Killed three times in the middle, the file is in the end the one of an undisturbed run.
#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let folder = Folder::new();
    let (whole, killed) = (folder.file("whole"), folder.file("killed"));
    let words = format!("{SMALL} --games 150 -j 2");
    assert!(run(&whole, &words).status.success());
    let mut disturbed = 0;
    for length in [2_000, 4_000, 6_000] {
        let mut child = nue(&killed, &format!("{words} --resume")).spawn().unwrap();
        // Until the file has grown to that length, or the run is through before it could be hit.
        loop {
            let grown = fs::metadata(&killed).map_or(0, |m| m.len()) >= length;
            if grown || child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        disturbed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(disturbed > 0, "every run was through before it could be killed");
    let last = run(&killed, &format!("{words} --resume"));
    assert!(last.status.success(), "{}", told(&last));
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&killed).unwrap());
}

#[test]
fn a_file_is_not_replaced_unasked_nor_resumed_with_other_settings() {
    let folder = Folder::new();
    let out = folder.file("games");
    assert!(run(&out, &format!("{SMALL} --games 5")).status.success());
    let before = fs::read(&out).unwrap();
    for (words, why) in [
        (format!("{SMALL} --games 6"), "--resume"),
        (format!("{SMALL} --games 6 --seed 9 --resume"), "seed"),
        (format!("{SMALL} --games 6 --option Threads=x --force"), "Threads"),
    ] {
        let output = run(&out, &words);
        assert!(!output.status.success(), "{words}");
        assert!(told(&output).contains(why), "{words}: {}", told(&output));
        if !words.contains("--force") {
            assert_eq!(fs::read(&out).unwrap(), before, "{words}");
        }
    }
}

#[test]
fn starts_and_openings_are_used() {
    let folder = Folder::new();
    let out = folder.file("games");
    let words =
        "--nodes 20 --hash 1 --games 12 --max-moves 30 --start handicaps:1 --start entering:1";
    let output = run(&out, words);
    assert!(output.status.success(), "{}", told(&output));
    for (words, why) in [
        ("--game minishogi --games 1 --start entering", "minishogi"),
        ("--games 1 --start nowhere", "nowhere"),
        ("--games 1 --start even:0", "share 0"),
        ("--games 1 --openings no-such-file", "no-such-file"),
        ("--games 1 --net no-such-net", "no-such-net"),
        ("--games 1 --random-plies 9-3", "range"),
        ("--games 0", "--games"),
        ("--positions 0", "--positions"),
        ("--games 1 --nodes 0", "--nodes"),
    ] {
        let output = run(&folder.file("none"), words);
        assert!(!output.status.success(), "{words}");
        assert!(told(&output).contains(why), "{words}: {}", told(&output));
    }
}
