//! `nue learn`: a whole generation in little, and what it leaves behind.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder of its own that is gone afterwards.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const TRAINING: &str = "--epochs 3 --batch 256 --lr 0.005";

fn learn(folder: &Folder, words: &str, training: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.arg("learn").arg(&folder.0).args(words.split_whitespace());
    command.args(["--train", training]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.output().unwrap()
}

#[test]
fn a_generation_is_played_trained_and_judged() {
    let path = std::env::temp_dir().join(format!("nue-learn-{}", std::process::id()));
    let folder = Folder(path);
    let words = "--game minishogi --positions 20000 --nodes 40 --arch halfkp-16x2-8-8 \
                 --validation 0.1 --gate-games 6 --gate-limit nodes=40 -j 2";
    for generation in 1..=2 {
        let output = learn(&folder, words, TRAINING);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        assert!(told.contains(&format!("generation {generation}: ")), "{told}");
        let place = folder.0.join(format!("generation-{generation:04}"));
        for file in ["games.teacher", "trained", "entry.toml"] {
            assert!(place.join(file).is_file(), "{file} is missing");
        }
        // A later generation may find nothing to improve: then there is no net, and no gate.
        let learned = place.join("net.bin").is_file();
        assert!(learned || generation > 1, "{told}");
        assert_eq!(place.join("gate.csa").is_file(), learned);
        let ledger = fs::read_to_string(folder.0.join("ledger.toml")).unwrap();
        let ledger: toml::Table = ledger.parse().unwrap();
        let entries = ledger["generation"].as_array().unwrap();
        assert_eq!(entries.len(), generation);
        let entry = entries[generation - 1].as_table().unwrap();
        assert!(entry["positions"].as_integer().unwrap() >= 20_000);
        assert!(entry["loss"].as_float().unwrap() < 0.69);
        let commands = if learned { 5 } else { 3 };
        assert_eq!(entry["commands"].as_array().unwrap().len(), commands, "{told}");
        let accepted = entry["accepted"].as_bool().unwrap();
        assert!(learned || !accepted);
        let current = folder.0.join("current.bin");
        if generation == 1 {
            assert_eq!(current.is_file(), accepted);
        }
    }
}

/// The whole way: games of piece values against themselves, tables learned from them, and a match
/// that those tables win. One thread, so that it is the same match every time.
#[test]
fn what_is_learned_from_nothing_beats_piece_values() {
    let path = std::env::temp_dir().join(format!("nue-learn-whole-{}", std::process::id()));
    let folder = Folder(path);
    let words = "--game minishogi --positions 120000 --nodes 40 --arch kkppt -j 1 \
                 --gate-games 300 --gate-limit nodes=100 --gate-sprt elo0=0,elo1=80";
    let training = "--epochs 3 --batch 512 --lambda 0.5 --validate-every 20000";
    let output = learn(&folder, words, training);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    assert!(folder.0.join("current.bin").is_file(), "{told}");
    let ledger = fs::read_to_string(folder.0.join("ledger.toml")).unwrap();
    let ledger: toml::Table = ledger.parse().unwrap();
    let entry = ledger["generation"][0].as_table().unwrap();
    assert_eq!(entry["verdict"].as_str(), Some("accepted"), "{told}");
    assert!(entry["wins"].as_integer() > entry["losses"].as_integer());
}
