//! `nue learn --method rl`: generations in little, with PyTorch where there is one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn learn(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.arg("learn").arg(folder).args(["--method", "rl"]).args(words.split_whitespace());
    // As a user has it who starts it in the repository: a place that is seen from there only.
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.current_dir(repository).env("PYTHONPATH", "python");
    command.stdin(Stdio::null()).stdout(Stdio::null()).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The usual command, at less than a hundredth of its size: from zero, then with the net that was learned,
/// which PyTorch computes; then one more generation by the same command on its own.
#[test]
fn generations_are_played_reviewed_and_learned() {
    let Some(python) = fixtures::python_with("torch") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let folder = &scratch.path().join("lab");
    let words = format!(
        "--game minishogi --games 60 --playouts 12 --fast-playouts 4 --max-moves 60 --net-size 1x32 --batch 64 \
         --players torch --at-a-time 32 --device cpu -j 2 --python {}",
        python.display()
    );
    let output = learn(folder, &format!("{words} --generations 2"));
    assert!(output.status.success(), "{}", told(&output));
    let output = learn(folder, &words);
    assert!(output.status.success(), "{}", told(&output));
    let ledger = fs::read_to_string(folder.join("ledger.toml")).unwrap();
    let ledger: toml::Table = ledger.parse().unwrap();
    let entries = ledger["generation"].as_array().unwrap();
    assert_eq!(entries.len(), 3);
    let text = |number: usize, key: &str| entries[number][key].as_str().unwrap().to_owned();
    assert_eq!(text(0, "parent"), "none");
    assert_eq!(text(2, "parent"), text(1, "net"));
    assert_ne!(text(2, "net"), text(1, "net"));
    for entry in entries {
        assert_eq!(entry["games"].as_integer(), Some(60));
    }
    let last = folder.join("generation-0003");
    for file in ["plan.json", "games.teacher", "review.json", "net.nuedf", "entry.toml"] {
        assert!(last.join(file).is_file(), "{file} is missing");
    }
    let same = |a: &Path, b: &Path| fs::read(a).unwrap() == fs::read(b).unwrap();
    assert!(same(&folder.join("current.nuedf"), &last.join("net.nuedf")));
    // Another run goes on with that net, with labelled positions among its own, and plays with an average.
    let again = &scratch.path().join("again");
    let words = format!(
        "--game minishogi --games 20 --playouts 8 --fast-share 0 --gumbel 4 --max-moves 40 --net-size 1x32 --batch 64 \
         --from-net {} --labelled {} --labelled-share 0.5 --average 0.5 --policy-temperature 1.3 \
         --target-temperature 1.3 --generations 2 --device cpu -j 2 --python {}",
        folder.join("current.nuedf").display(),
        last.join("games.teacher").display(),
        python.display()
    );
    let output = learn(again, &words);
    assert!(output.status.success(), "{}", told(&output));
    assert!(same(&again.join("start/net.nuedf"), &folder.join("current.nuedf")));
    assert!(again.join("generation-0002/net.nuedf").is_file());
}

/// A value of the command in little: a hundredth of a count.
fn divided(flag: &str, value: &str) -> String {
    let hundredth = |count: &str| (count.parse::<u32>().unwrap() / 100).max(2).to_string();
    match flag {
        "--games" | "--batch" | "--generations" => hundredth(value),
        "--measure-table" => {
            let (every, games) = value.split_once(':').unwrap();
            format!("{every}:{}", hundredth(games))
        }
        "--net-size" => "1x32".to_owned(),
        "--players" => "native".to_owned(),
        "-j" => "2".to_owned(),
        _ => value.to_owned(),
    }
}

/// The command of docs/reinforce.md for half an hour of 16 cores and a GPU, with a hundredth of its games,
/// positions and generations, on two cores.
#[test]
fn half_an_hour_in_little() {
    let Some(python) = fixtures::python_with("torch") else { return };
    let page = include_str!("../../../../docs/reinforce.md").replace("\\\n", " ");
    let command = page.lines().find(|line| line.contains("--minutes 30 ")).unwrap();
    let (_, words) = command.split_once("--method rl ").unwrap();
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    for at in 1..words.len() {
        words[at] = divided(&words[at - 1], &words[at]);
    }
    let python_at = words.iter().position(|word| word == "--python").unwrap() + 1;
    words[python_at] = python.display().to_string();
    let scratch = tempfile::tempdir().unwrap();
    let folder = &scratch.path().join("lab");
    let output = learn(folder, &format!("{} --device cpu", words.join(" ")));
    assert!(output.status.success(), "{}", told(&output));
    let ledger = fs::read_to_string(folder.join("ledger.toml")).unwrap();
    let ledger: toml::Table = ledger.parse().unwrap();
    let entries = ledger["generation"].as_array().unwrap();
    assert_eq!(entries.len(), 4);
    for (number, entry) in (1..).zip(entries) {
        assert_eq!(entry["games"].as_integer(), Some(80));
        let log = folder.join(format!("generation-{number:04}/net.nuedf.jsonl"));
        let log = fs::read_to_string(log).unwrap();
        let first: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
        assert!(first["policy_loss"].as_f64().unwrap() > 0.0, "{first}");
        assert_eq!(entry["parent"].as_str() == Some("none"), number < 3, "{number}");
    }
    assert!(folder.join("generation-0004/table.json").is_file());
}

#[test]
fn wrong_flags_are_refused_before_anything_is_made() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = &scratch.path().join("lab");
    for (words, why) in [
        ("--nodes 400", "--method nnue only"),
        ("--playouts 1", "playouts is 1"),
        ("--preset leela", "caps, pal, aoba"),
        ("--start castle", "castle"),
        ("--game minishogi --planes dlshogi", "dlshogi"),
        ("--net-size 5", "5x64"),
        ("--rate 0.1", "10:0.02"),
        ("--gate 400", "400:0.55"),
        ("--gate 400:1.5", "400:1.5"),
        ("--measure-table 0:200", "0:200"),
        ("--minutes 0", "--minutes"),
        ("--constants leela", "leela"),
        ("--labelled-share 0.5", "--labelled"),
        ("--labelled x.teacher --labelled-share 1", "labelled-share is 1"),
        ("--average 1", "average is 1"),
        ("--policy-temperature 0", "policy-temperature is 0"),
        ("--target-temperature 2", "--gumbel"),
        ("--policy-temperature warm", "warm"),
    ] {
        let output = learn(folder, words);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", told(&output));
        assert!(told(&output).contains(why), "{words}: {}", told(&output));
    }
    assert!(!folder.exists());
    let mut nnue = Command::new(env!("CARGO_BIN_EXE_nue"));
    nnue.arg("learn").arg(folder).args(["--playouts", "5"]);
    let output = nnue.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("--method rl only"), "{}", told(&output));
}
