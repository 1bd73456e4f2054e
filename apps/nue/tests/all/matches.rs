//! `nue match` and `nue openings` as a user runs them. Our own engine plays itself: limited by
//! nodes it plays the same games every time.

use serde_json::Value;
use std::collections::BTreeMap;
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
        Self(TempDir::new().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.file(name), text).unwrap();
        self.file(name)
    }
}

fn nue(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    nue(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

const OPENINGS: &str = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n\
                        startpos moves 7g7f 8c8d\nstartpos moves 5g5f 5c5d\n";

const EACH: &str = "option.USI_Hash=1,option.Threads=1,option.EvalDir=material";

fn self_play<'a>(openings: &'a Path, games: &'a str) -> Vec<&'a str> {
    vec![
        "match",
        "--engine",
        "cmd=self,name=A,nodes=60",
        "--engine",
        "cmd=self,name=B,nodes=20",
        "--each",
        EACH,
        "--games",
        games,
        "--openings",
        shown(openings),
        "--max-moves",
        "60",
        "--json",
    ]
}

/// Lines of JSON: the games by number, and the result.
fn results(output: &Output) -> (BTreeMap<u64, Value>, Value) {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let result = lines.pop().unwrap();
    (lines.into_iter().map(|game| (game["game"].as_u64().unwrap(), game)).collect(), result)
}

/// Moves and endings of the games in a file, by the number in their event.
fn games_in(path: &Path) -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut games = BTreeMap::new();
    for game in text.split("\n/\n") {
        let event = game.lines().find(|line| line.starts_with("$EVENT:")).unwrap();
        let moves = game.lines().filter(|line| line.starts_with(['+', '-', '%']));
        let before = games.insert(event.to_owned(), moves.map(str::to_owned).collect());
        assert_eq!(before, None, "{event} is there twice");
    }
    games
}

#[test]
fn a_match_is_played_counted_and_written_down() {
    let folder = Folder::new();
    let openings = folder.write("openings.txt", OPENINGS);
    let out = folder.file("games.csa");
    let mut arguments = self_play(&openings, "8");
    arguments.extend(["--out", shown(&out), "-j", "2"]);
    let (games, result) = results(&run(&arguments));
    assert_eq!(games.keys().copied().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    let pairing = &result["pairings"][0];
    let count = |key: &str| pairing[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 8);
    let pairs: u64 = pairing["pairs"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!((pairs, &result["games"]), (4, &Value::from(8)));
    assert_eq!(games_in(&out).len(), 8);
    for game in games.values() {
        let black = if game["game"].as_u64().unwrap() % 2 == 0 { "A" } else { "B" };
        assert_eq!(game["players"][0], black);
        assert_eq!(game["fault"], Value::Null);
    }
    // A second match must not be mixed with the first by accident.
    let again = run(&arguments);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("--resume"), "{}", text(&again.stderr));
}

/// Killed in the middle, resumed, killed again, resumed to the end: the same games as an
/// undisturbed match, each exactly once.
#[test]
fn a_killed_match_is_resumed_without_losing_or_repeating_a_game() {
    let folder = Folder::new();
    let openings = folder.write("openings.txt", OPENINGS);
    let (calm, killed) = (folder.file("calm.csa"), folder.file("killed.csa"));
    let mut arguments = self_play(&openings, "24");
    arguments.extend(["-j", "2", "--out"]);
    let whole = results(&run(&[&arguments[..], &[shown(&calm)]].concat()));

    let journal = folder.file("killed.csa.journal");
    let written = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    for (round, until) in [(0, 4), (1, 10)] {
        let mut command = nue(&arguments);
        command.arg(&killed).stdout(Stdio::null()).stderr(Stdio::null());
        if round > 0 {
            command.arg("--resume");
        }
        let mut child = command.spawn().unwrap();
        let began = Instant::now();
        while written() < until && child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(120));
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let resumed = results(&run(&[&arguments[..], &[shown(&killed), "--resume"]].concat()));
    assert_eq!(games_in(&killed), games_in(&calm));
    let mut summaries = [resumed.1, whole.1];
    for engine in summaries.iter_mut().filter_map(|all| all["engines"].as_array_mut()).flatten() {
        // Moves and nodes of games played before the kill count; how long they took is chance.
        let time = engine["time"].as_object_mut().unwrap();
        assert!(time.remove("ms").is_some() && time.remove("longest_ms").is_some());
    }
    for key in ["games", "pairings", "engines", "black", "white", "draws"] {
        assert_eq!(summaries[0][key], summaries[1][key], "{key}");
    }
}

/// Interrupted, a match finishes the games under way and shows its table; the exit code tells a
/// script that there is more to play.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_match_after_its_games() {
    let folder = Folder::new();
    let openings = folder.write("openings.txt", OPENINGS);
    let out = folder.file("games.csa");
    let mut arguments = self_play(&openings, "20000");
    arguments.extend(["--out", shown(&out), "-j", "2"]);
    let mut command = nue(&arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = folder.file("games.csa.journal");
    let written = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let began = Instant::now();
    while written() < 4 && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(120));
        thread::sleep(Duration::from_millis(2));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("--resume"), "{told}");
    let lines = text(&output.stdout);
    let result: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(result["ended"], "interrupted");
    // The journal's first line is the plan.
    assert_eq!(result["games"].as_u64().unwrap() as usize, written() - 1);
}

#[test]
fn our_own_engine_ponders_and_three_are_rated_together() {
    let folder = Folder::new();
    let openings = folder.write("openings.txt", OPENINGS);
    let mut arguments = self_play(&openings, "4");
    arguments[2] = "cmd=self,name=A,nodes=60,ponder=true";
    arguments.extend(["--engine", "cmd=self,name=C,nodes=40,ponder=true"]);
    let (games, result) = results(&run(&arguments));
    assert_eq!(games.len(), 12);
    assert!(games.values().all(|game| game["fault"] == Value::Null), "{games:?}");
    for engine in result["engines"].as_array().unwrap() {
        let rating = &engine["rating"];
        assert!(rating.is_null() || rating.as_array().is_some_and(|r| r.len() == 3), "{rating}");
    }
}

#[test]
fn a_test_stops_by_itself() {
    let folder = Folder::new();
    let openings = folder.write("openings.txt", OPENINGS);
    let mut arguments = self_play(&openings, "200");
    arguments[2] = "cmd=self,name=strong,nodes=500";
    arguments[4] = "cmd=self,name=weak,nodes=1";
    arguments.extend(["--max-moves", "0", "--sprt", "elo0=0,elo1=100"]);
    let (games, result) = results(&run(&arguments));
    assert!(games.len() < 100, "{} games: {result}", games.len());
    assert_eq!(result["sprt"]["verdict"], "accepted", "{result}");
    assert_eq!(result["ended"], "SPRT: accepted");
}

#[test]
fn a_file_says_the_same_as_a_command_line() {
    let folder = Folder::new();
    let openings = folder.write("openings.txt", OPENINGS);
    let config = folder.write(
        "match.toml",
        &format!(
            r#"
            games = 4
            openings = '{}'
            max_moves = 60
            concurrency = 2
            json = true
            pin = false
            sprt = {{ elo0 = -1000, elo1 = 1000, alpha = 0.0001, beta = 0.0001 }}
            each = {{ option = {{ USI_Hash = 1, Threads = 1, EvalDir = "material" }}, nodes = 20 }}
            [[engine]]
            cmd = "self"
            name = "A, the first"
            nodes = 60
            [[engine]]
            cmd = '{}'
            arg = ["--game", "shogi"]
            name = "B"
            env = {{ NUE_UNUSED = "1" }}
            "#,
            shown(&openings),
            env!("CARGO_BIN_EXE_nue"),
        ),
    );
    let by_file = results(&run(&["match", "--config", shown(&config)]));
    assert_eq!(by_file.1["engines"][0]["name"], "A, the first");
    let typed = results(&run(&self_play(&openings, "4")));
    let summary = |games: &BTreeMap<u64, Value>| {
        games.values().map(|g| (g["winner"].clone(), g["plies"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(summary(&by_file.0), summary(&typed.0));
    // What is typed overrides the file.
    let fewer = results(&run(&["match", "--config", shown(&config), "--games", "2"]));
    assert_eq!(fewer.0.len(), 2);
}

#[test]
fn what_is_wrong_is_said_before_the_first_game() {
    let folder = Folder::new();
    let openings = folder.write("openings.txt", "startpos moves 7g7e\n\nhello there\n");
    let broken = folder.write("broken.toml", "games = [");
    let strange = folder.write("strange.toml", "colour = \"red\"");
    let one = "cmd=self,nodes=1";
    for (arguments, code, message) in [
        (vec!["--engine", one], 2, "a match needs two engines"),
        (vec!["--engine", one, "--engine", "cmd=self"], 2, "has no limit"),
        (vec!["--engine", one, "--engine", "cmd=none-such,nodes=1"], 1, "cannot be started"),
        (vec!["--engine", one, "--engine", one, "--games", "0"], 2, "no games"),
        (vec!["--engine", one, "--engine", one, "--games", "3"], 2, "use 2 or 4"),
        (vec!["--engine", one, "--engine", one, "--resume"], 2, "--out"),
        (vec!["--engine", one, "--engine", one, "--sprt", "elo0=5,elo1=0"], 2, "must be below"),
        (vec!["--engine", one, "--engine", one, "--resign", "moves=2"], 2, "score is missing"),
        (vec!["--engine", one, "--engine", one, "--start", "lnsgkgsnl/9"], 1, ""),
        (vec!["--engine", one, "--engine", "cmd=self,nodes=1,option.Nothing=1"], 1, "Nothing"),
        (vec!["--config", shown(&broken)], 2, "broken.toml"),
        (vec!["--config", shown(&strange)], 2, "--colour"),
        (vec!["--config", "no-such-file.toml"], 1, "no-such-file.toml"),
        (vec!["--engine", one, "--engine", one, "--openings", "no-such-file"], 1, "no-such-file"),
        (
            vec!["--engine", one, "--engine", one, "--openings", shown(&openings), "--plies", "0"],
            0,
            "1 openings left out",
        ),
    ] {
        let mut all = vec!["match", "--max-moves", "2"];
        if code == 0 {
            all.extend(["--games", "2"]);
        }
        all.extend(arguments);
        let output = run(&all);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{all:?}: {told}");
        assert!(told.contains(message), "{all:?}: {told}");
    }
}

#[test]
fn openings_are_balanced_different_and_the_same_for_a_seed() {
    let folder = Folder::new();
    let out = folder.file("openings.txt");
    let make = |more: &[&str]| {
        let mut arguments = vec!["openings", "make", "--count", "12", "--nodes", "200"];
        arguments.extend(["--plies", "3-5", "--margin", "300"]);
        arguments.extend(more);
        run(&arguments)
    };
    let first = make(&[]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(text(&first.stdout), text(&make(&["-j", "3"]).stdout));
    assert_ne!(text(&first.stdout), text(&make(&["--seed", "2"]).stdout));
    let lines = text(&first.stdout);
    let lines: Vec<&str> = lines.lines().filter(|line| !line.starts_with('#')).collect();
    let mut different = lines.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!((lines.len(), different.len()), (12, 12));
    assert!(make(&["--out", shown(&out)]).status.success());
    let refused = make(&["--out", shown(&out)]);
    assert!(text(&refused.stderr).contains("--force"));
    let arguments = [&self_play(&out, "2")[..], &["--max-moves", "20"]].concat();
    assert_eq!(results(&run(&arguments)).0.len(), 2);
    let mini = make(&["--game", "minishogi"]);
    assert!(mini.status.success(), "{}", text(&mini.stderr));
}

#[test]
fn a_net_that_cannot_be_read_is_said_before_the_first_game() {
    let folder = Folder::new();
    let missing = folder.file("missing.bin");
    let spoiled = folder.write("spoiled.bin", "not a net");
    for path in [&missing, &spoiled] {
        let engine = format!("cmd=self,name=new,option.EvalDir={}", shown(path));
        let words = ["match", "--engine", &engine, "--engine", "cmd=self,name=old"];
        let output = run(&[&words[..], &["--each", "nodes=10", "--games", "2"]].concat());
        assert_eq!(output.status.code(), Some(1));
        let told = text(&output.stderr);
        assert!(told.contains("\"new\"") && told.contains(shown(path)), "{told}");
        assert!(output.stdout.is_empty());
    }
}
