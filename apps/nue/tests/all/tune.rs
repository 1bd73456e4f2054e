//! `nue tune` as a user runs it. Limited by nodes the engine plays the same games every time.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder of its own for each test, removed at the end.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let openings = "startpos moves 3e3d\nstartpos moves 4e4d\nstartpos moves 1e1d\n\
                        startpos moves 5d5c\nstartpos moves 2e3d\nstartpos moves 5e4d\n";
        fs::write(folder.path().join("openings.txt"), openings).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A tuning in minishogi; what is given more comes last.
    fn tune(&self, iterations: u64, log: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
        command.args(["tune", "--game", "minishogi", "--nodes", "40", "--r", "0.2"]);
        command.args(["--option", "EvalDir=material", "--option", "USI_Hash=1", "--seed", "5"]);
        command.args(["--params", "rfp_margin:c=60,lmr_base", "--set", "rfp_depth=6"]);
        command.arg("--iterations").arg(iterations.to_string());
        command.arg("--openings").arg(self.file("openings.txt")).arg("--out").arg(log);
        command.args(more).stdin(Stdio::null());
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_tuning_is_played_logged_and_told() {
    let folder = Folder::new();
    let log = folder.file("log.jsonl");
    let told = done(&folder.tune(24, &log, &["-j", "2"]).output().unwrap());
    assert!(told.starts_with("parameter "), "{told}");
    assert!(told.contains("--set rfp_margin=") && told.contains("option.Param.lmr_base="));
    let lines = fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 25);
    for (index, step) in lines[1..].iter().enumerate() {
        assert_eq!(step["iteration"], index as u64);
        let games = ["wins", "draws", "losses"].map(|key| step[key].as_u64().unwrap());
        assert_eq!(games.iter().sum::<u64>(), 2);
    }
    assert_ne!(lines[24]["values"], serde_json::json!([135.0, 1340.0]), "nothing moved");
    // A second tuning must not be mixed with the first by accident.
    let again = folder.tune(24, &log, &[]).output().unwrap();
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("--resume"), "{}", text(&again.stderr));
    let other = folder.tune(24, &log, &["--resume", "--set", "lmr_base=1400"]).output().unwrap();
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other.stderr).contains("has other settings"), "{}", text(&other.stderr));
}

/// Killed in the middle, resumed, killed again, resumed to the end, each time with another number
/// of games at a time: the log of an undisturbed tuning.
#[test]
fn a_killed_tuning_is_resumed_exactly() {
    let folder = Folder::new();
    let (calm, killed) = (folder.file("calm.jsonl"), folder.file("killed.jsonl"));
    let whole = done(&folder.tune(24, &calm, &["--json", "-j", "2"]).output().unwrap());
    let written = || fs::read_to_string(&killed).map_or(0, |text| text.lines().count());
    for (until, more) in [(4, &["-j", "3"][..]), (11, &["--resume"][..])] {
        let mut command = folder.tune(24, &killed, more);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while written() < until && child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(120));
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let resumed = folder.tune(24, &killed, &["--json", "--resume", "-j", "2"]).output().unwrap();
    assert_eq!(done(&resumed), whole);
    assert_eq!(fs::read_to_string(&killed).unwrap(), fs::read_to_string(&calm).unwrap());
    // Once more there is nothing left to do.
    let again = folder.tune(24, &killed, &["--json", "--resume"]).output().unwrap();
    assert_eq!(done(&again), whole);
}

#[test]
fn what_is_wrong_is_said_before_the_first_game() {
    let nue = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_nue"))
            .arg("tune")
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        text(&output.stderr)
    };
    assert!(nue(&["--nodes", "10"]).contains("--iterations"));
    assert!(nue(&["--iterations", "10"]).contains("--nodes"));
    let nodes = ["--iterations", "1", "--nodes", "10"];
    for (more, word) in [
        (["--params", "nothing"], "nothing"),
        (["--set", "rfp_depth=1000"], "1000"),
        (["--r", "0"], "--r"),
        (["--params", ""], "--params"),
    ] {
        let said = nue(&[&nodes[..], &more[..]].concat());
        assert!(said.contains(word), "{more:?}: {said}");
    }
}

/// Two tunings must not write one log: a second one refuses while the first runs, also by force.
#[test]
fn a_log_that_is_being_written_is_not_replaced() {
    let folder = Folder::new();
    let log = folder.file("log.jsonl");
    let mut first = folder.tune(100_000, &log, &[]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let written = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    let began = Instant::now();
    while written() < 3 && first.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(5));
    }
    for more in ["--force", "--resume"] {
        let second = folder.tune(100_000, &log, &[more]).output().unwrap();
        let told = text(&second.stderr);
        assert_eq!(second.status.code(), Some(1), "{more}: {told}");
        assert!(told.contains("in use") || told.contains("another"), "{more}: {told}");
    }
    let before = written();
    assert!(first.try_wait().unwrap().is_none(), "the first still runs");
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(written() >= before, "nothing was cut off");
    // Once nobody writes it any more, it may be replaced.
    let again = folder.tune(2, &log, &["--force"]).output().unwrap();
    done(&again);
    assert_eq!(written(), 3);
}

/// The first interrupt ends after the iteration under way, with the table so far and exit code 130.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_tuning_with_its_table() {
    let folder = Folder::new();
    let log = folder.file("log.jsonl");
    let mut command = folder.tune(100_000, &log, &[]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    let written = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    while written() < 3 {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(5));
    }
    let before = written();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("finishing cleanly") && told.contains("--resume"), "{told}");
    assert!(text(&output.stdout).starts_with("parameter "));
    // Not all that was planned ahead is played first.
    assert!(written() <= before + 3, "{before} lines, then {}", written());
}
