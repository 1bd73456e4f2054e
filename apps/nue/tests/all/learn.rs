//! `nue learn`: a whole generation in little, and what it leaves behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TRAINING: &str = "--epochs 3 --batch 256 --lr 0.005";

fn learn(folder: &Path, words: &str, training: &str) -> Output {
    command(folder, words, training).output().unwrap()
}

fn command(folder: &Path, words: &str, training: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.arg("learn").arg(folder).args(words.split_whitespace());
    command.args(["--train", training]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

#[test]
fn a_generation_is_played_trained_and_judged() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = &scratch.path().join("learning");
    let words = "--game minishogi --positions 8000 --nodes 40 --arch halfkp-16x2-8-8 \
                 --validation 0.1 --gate-games 6 --gate-limit nodes=40 -j 2";
    for generation in 1..=2 {
        let output = learn(folder, words, TRAINING);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        assert!(told.contains(&format!("generation {generation}: ")), "{told}");
        let place = folder.join(format!("generation-{generation:04}"));
        for file in ["games.teacher", "trained", "entry.toml"] {
            assert!(place.join(file).is_file(), "{file} is missing");
        }
        // A later generation may find nothing to improve: then there is no net, and no gate.
        let learned = place.join("net.bin").is_file();
        assert!(learned || generation > 1, "{told}");
        assert_eq!(place.join("gate.csa").is_file(), learned);
        let ledger = fs::read_to_string(folder.join("ledger.toml")).unwrap();
        let ledger: toml::Table = ledger.parse().unwrap();
        let entries = ledger["generation"].as_array().unwrap();
        assert_eq!(entries.len(), generation);
        let entry = entries[generation - 1].as_table().unwrap();
        assert!(entry["positions"].as_integer().unwrap() >= 8_000);
        assert!(entry["loss"].as_float().unwrap() < 0.69);
        let commands = if learned { 5 } else { 3 };
        assert_eq!(entry["commands"].as_array().unwrap().len(), commands, "{told}");
        let accepted = entry["accepted"].as_bool().unwrap();
        assert!(learned || !accepted);
        let current = folder.join("current.bin");
        if generation == 1 {
            assert_eq!(current.is_file(), accepted);
        }
    }
}

#[test]
fn flags_of_the_steps_are_checked_before_the_first_game() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = &scratch.path().join("learning");
    for (words, why) in [
        ("--gen --colour=red", "--colour"),
        ("--gen --random=many", "many"),
        ("--gen --seed=5", "--seed"),
        ("--match --engine=cmd=self", "--engine"),
        ("--gate-sprt elo0=5,elo1=0", "below"),
    ] {
        let output = learn(folder, words, TRAINING);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}: {told}");
        assert!(told.contains(why), "{words}: {told}");
    }
    let output = learn(folder, "", "--epochs few");
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.exists());
}

/// Interrupted in every step it ends with the exit code of an interrupt, leaves nothing running,
/// and the same command goes on to the end.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_and_the_same_command_goes_on() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = &scratch.path().join("learning");
    let words = "--game minishogi --positions 5000 --nodes 40 --arch halfkp-16x2-8-8 --afresh \
                 --validation 0.1 --gate-games 30 --gate-limit nodes=200 -j 2";
    let training = "--epochs 6 --batch 64 --lr 0.005 --halvings 100";
    let place = folder.join("generation-0001");
    let has = |name: &str| place.join(name).metadata().is_ok_and(|m| m.len() > 0);
    let mut interrupted = 0;
    for sign in ["games.teacher", "net.bin.checkpoint", "gate.csa"] {
        let mut child = command(folder, words, training).spawn().unwrap();
        while !has(sign) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let pid = child.id().to_string();
        let _ = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() == Some(130) {
            interrupted += 1;
            assert!(told.contains("the same command continues"), "{told}");
            assert!(!place.join("entry.toml").exists());
            // A training that was stopped is not over.
            assert!(sign != "net.bin.checkpoint" || !place.join("trained").exists());
        } else {
            // It was through before it could be hit.
            assert!(output.status.success(), "{told}");
            return;
        }
    }
    assert!(interrupted > 0);
    let output = learn(folder, words, training);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    assert!(place.join("entry.toml").is_file(), "{told}");
}

/// Killed without a chance to say goodbye, it leaves nothing running: the trainer, a program of its
/// own, ends with the input that only its parent holds open.
#[cfg(unix)]
#[test]
fn what_it_started_ends_with_it_even_when_it_is_killed() {
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};
    let scratch = tempfile::tempdir().unwrap();
    let folder = &scratch.path().join("learning");
    let place = tempfile::tempdir().unwrap();
    let [python, begun, ended] = ["python", "begun", "ended"].map(|name| place.path().join(name));
    let script = format!(
        "#!/bin/sh\n[ \"$NUE_ENDS_WITH_INPUT\" = 1 ] || exit 9\nsleep 1000 &\necho $! > {0}.tmp\n\
         mv {0}.tmp {0}\ncat > /dev/null\nkill $!\ntouch {1}\n",
        begun.display(),
        ended.display()
    );
    fs::write(&python, script).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let words = format!(
        "--game minishogi --positions 2000 --nodes 20 --arch halfkp-16x2-8-8 --validation 0.1 \
         --gate-games 2 --gate-limit nodes=20 -j 2 --python {}",
        python.display()
    );
    let mut child = command(folder, &words, "").stderr(Stdio::null()).spawn().unwrap();
    let wait = |what: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !what() {
            assert!(began.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait(&|| begun.exists());
    let started = fs::read_to_string(&begun).unwrap().trim().to_owned();
    let runs = || {
        Command::new("kill")
            .args(["-0", &started])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    };
    assert!(runs() && !ended.exists(), "its input is open as long as its parent lives");
    child.kill().unwrap();
    child.wait().unwrap();
    wait(&|| ended.exists() && !runs());
}
