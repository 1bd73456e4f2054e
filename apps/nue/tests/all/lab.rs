//! `nue lab repro`: a generation of `nue learn` made again from its ledger.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn nue(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.args(words.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, words: &str) -> Output {
    nue(folder, words).output().unwrap()
}

fn told(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{out}{err}")
}

/// A tiny generation in the folder `lab`.
fn learn(folder: &Path) {
    let words = "learn lab --game minishogi --positions 4000 --nodes 40 --arch halfkp-16x2-8-8 \
                 --validation 0.1 --gate-games 2 --gate-limit nodes=20 -j 2";
    let training = "--epochs 2 --batch 256 --lr 0.005";
    let output = nue(folder, words).args(["--train", training]).output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
}

const REPRO: &str = "lab repro minishogi 1 --ledger lab/ledger.toml --folder new";
const NET: &str = "generation-0001/net.bin";

fn files_are_equal(folder: &Path) -> bool {
    fs::read(folder.join("lab").join(NET)).unwrap()
        == fs::read(folder.join("new").join(NET)).unwrap()
}

#[test]
fn a_generation_is_repeated_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    learn(folder);
    let planned = run(folder, &format!("{REPRO} --dry-run"));
    let text = told(&planned);
    assert!(planned.status.success() && text.contains("exact"), "{text}");
    assert!(!folder.join("new").exists());
    // The old folder is not needed: its files are made again under the new one.
    fs::rename(folder.join("lab/generation-0001"), folder.join("kept")).unwrap();
    let done = run(folder, REPRO);
    assert!(done.status.success() && told(&done).contains("the same bytes"), "{}", told(&done));
    fs::rename(folder.join("kept"), folder.join("lab/generation-0001")).unwrap();
    assert!(files_are_equal(folder));
    assert!(!folder.join("new/generation-0001/gate.csa").exists(), "there was nothing to judge");
    // Nothing is left to do.
    let again = run(folder, REPRO);
    let text = told(&again);
    assert!(again.status.success() && text.contains("is done"), "{text}");
    // Other games, another net; its strength is what the match of the entry says.
    let ledger = folder.join("lab/ledger.toml");
    let other = fs::read_to_string(&ledger).unwrap().replace("--lr 0.005", "--lr 0.002");
    fs::write(&ledger, other).unwrap();
    let changed = run(folder, &format!("{REPRO}er"));
    assert!(told(&changed).contains("another net"), "{}", told(&changed));
}

#[test]
fn what_is_missing_is_listed_and_nothing_is_run() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let ledger = "[[generation]]\ngame = 'minishogi'\ngeneration = 1\naccepted = true\n\
                  commands = [\"nue train a.train --validation b.check --out n.bin\"]\n";
    fs::create_dir(folder.join("lab")).unwrap();
    fs::write(folder.join("lab/ledger.toml"), ledger).unwrap();
    for flag in ["", " --dry-run"] {
        let output = run(folder, &format!("{REPRO}{flag}"));
        let text = told(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("missing: a.train") && text.contains("2 files"), "{text}");
    }
    assert!(!folder.join("new").exists());
    let output = run(folder, "lab repro shogi 7 --ledger lab/ledger.toml");
    assert!(told(&output).contains("minishogi 1"), "{}", told(&output));
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&run(folder, "lab repro shogi 7")).contains("nets/ledger.toml"));
}

/// Killed in the middle it leaves nothing running, and the same command goes on to the same net.
/// An interrupt ends it after the command that runs.
#[cfg(unix)]
#[test]
fn it_goes_on_after_a_kill_and_after_an_interrupt() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    learn(folder);
    let games = folder.join("new/generation-0001/games.teacher");
    let journal = || fs::read_to_string(folder.join("new/repro.jsonl")).unwrap_or_default();
    let wait = |what: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !what() {
            assert!(began.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    let mut child = nue(folder, REPRO).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait(&|| games.exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!journal().contains("true"), "it was through before it could be hit");
    // Who writes the file holds its lock: nobody does any more.
    wait(&|| fs::File::open(&games).unwrap().try_lock().is_ok());
    let child = nue(folder, REPRO).spawn().unwrap();
    let begun = journal().matches("false").count();
    wait(&|| journal().matches("false").count() > begun);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", told(&output));
    assert_eq!(journal().matches("true").count(), 1, "one command was ended");
    assert!(!folder.join("new").join(NET).exists());
    let last = run(folder, REPRO);
    assert!(last.status.success() && told(&last).contains("the same bytes"), "{}", told(&last));
    assert!(files_are_equal(folder));
}
