//! A training run that is killed goes on to the same net.

use rules::{AnyPosition, Color, Game as Rules};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use teacher::{Flags, Game, Header, Outcome, Ply, Writer};

fn games(path: &Path, count: u64, seed: u64) {
    let mut writer = Writer::new(Vec::new(), Header::new(Rules::Minishogi)).unwrap();
    for number in 0..count {
        let mut random = seed::Rng::for_purpose(seed, &[number]);
        let mut game = Game::new(AnyPosition::startpos(Rules::Minishogi));
        let mut position = game.start.clone();
        for _ in 0..30 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let score = Some(random.below(400) as i16 - 200);
            game.plies.push(Ply { mv, score, flags: Flags::default() });
            position.play(mv);
        }
        game.outcome = Outcome::Won(Color::Black);
        writer.write(&game).unwrap();
        if number % 10 == 9 {
            writer.flush().unwrap();
        }
    }
    fs::write(path, writer.finish().unwrap()).unwrap();
}

fn train(folder: &Path, out: &str, resume: bool) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.arg("train").arg(folder.join("data")).arg("--validation").arg(folder.join("held"));
    command.arg("--out").arg(folder.join(out));
    command.args("--arch halfkp-16x2-8-8 --batch 20 --epochs 3 --halvings 100".split(' '));
    // A checkpoint after every batch: wherever the axe falls, one is near.
    command.args("--limit 30000 --checkpoint-every 0 --threads 2".split(' '));
    command.args(resume.then_some("--resume"));
    command.stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn killed_and_resumed_is_undisturbed() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("train-killed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    games(&folder.join("data"), 20, 1);
    games(&folder.join("held"), 10, 2);
    assert!(train(&folder, "whole.bin", false).wait().unwrap().success());
    let wanted = fs::read(folder.join("whole.bin")).unwrap();

    let checkpoint = folder.join("killed.bin.checkpoint");
    let mut kills = 0;
    for attempt in 0..2 {
        let mut child = train(&folder, "killed.bin", attempt > 0);
        // The later the longer: some batches each time. When exactly does not matter.
        let before = fs::read(&checkpoint).unwrap_or_default();
        while child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
            if fs::read(&checkpoint).is_ok_and(|now| now != before) {
                break;
            }
        }
        // Gone already is as good: then there is less left to do.
        let _ = child.kill();
        kills += u32::from(!child.wait().unwrap().success());
    }
    assert!(kills > 0, "every run was over before it could be killed");
    assert!(train(&folder, "killed.bin", true).wait().unwrap().success());
    assert!(fs::read(folder.join("killed.bin")).unwrap() == wanted);
    let lines = |name: &str| {
        let log = fs::read_to_string(folder.join(name)).unwrap();
        let lines = log.lines().skip(1).map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["positions_per_second"] = 0.into();
            line
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(lines("killed.bin.jsonl"), lines("whole.bin.jsonl"));
    let _ = fs::remove_dir_all(&folder);
}

/// An epoch of one step learns little: whoever takes a batch larger than the data is told.
#[test]
fn a_batch_larger_than_the_data_is_told() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("train-batch");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    games(&folder.join("data"), 5, 1);
    games(&folder.join("held"), 5, 2);
    let told = |batch: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
        command.arg("train").arg(folder.join("data")).arg("--validation").arg(folder.join("held"));
        command.arg("--out").arg(folder.join("nn.bin")).args(["--force", "--batch", batch]);
        command.args("--arch halfkp-16x2-8-8 --epochs 1 --limit 30000 --threads 1".split(' '));
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert!(told("1000").contains("larger than the data"));
    assert!(!told("20").contains("larger than the data"));
}

/// Interrupted, a training ends with the exit code of an interrupt and says how to go on.
#[cfg(unix)]
#[test]
fn an_interrupt_is_no_success() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("train-interrupted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    games(&folder.join("data"), 40, 1);
    games(&folder.join("held"), 10, 2);
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.arg("train").arg(folder.join("data")).arg("--validation").arg(folder.join("held"));
    command.arg("--out").arg(folder.join("nn.bin"));
    command.args("--arch halfkp-32x2-8-8 --batch 20 --epochs 100000 --halvings 100000".split(' '));
    command.args("--limit 30000 --checkpoint-every 0 --threads 1".split(' '));
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    while !folder.join("nn.bin.checkpoint").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Two writers would mix their logs and checkpoints.
    let second = Command::new(env!("CARGO_BIN_EXE_nue"))
        .arg("train")
        .arg(folder.join("data"))
        .arg("--validation")
        .arg(folder.join("held"))
        .arg("--out")
        .arg(folder.join("nn.bin"))
        .args("--arch halfkp-32x2-8-8 --resume".split(' '))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(!second.status.success() && told.contains("another run is writing"), "{told}");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("--resume continues"), "{told}");
}
