//! Commands through a fleet, as users run them: with a queue in the process, with a coordinator and workers in processes of
//! their own over a broker, and over a gateway with an engine that somebody signed. Limited by nodes every game is the same
//! wherever it is played, so files and answers are compared with those of the commands alone.

use fixtures::nats::NatsServer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Machines may be slow, and the bench of those that begin comes first.
const PATIENCE: Duration = Duration::from_secs(240);

/// A command in a folder.
fn nue(folder: &TempDir, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.current_dir(folder.path()).args(words.split_whitespace()).stdin(Stdio::null());
    command
}

fn run(folder: &TempDir, words: &str) -> Output {
    nue(folder, words).output().unwrap()
}

/// What a command that must succeed prints.
fn told(folder: &TempDir, words: &str) -> String {
    let output = run(folder, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "nue {words}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn bytes(folder: &TempDir, name: &str) -> Vec<u8> {
    fs::read(folder.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The games in a teacher file.
fn taught(folder: &TempDir, name: &str) -> Vec<teacher::Game> {
    let bytes = bytes(folder, name);
    let games = teacher::Reader::new(&bytes[..]).unwrap().games();
    games.collect::<Result<_, _>>().unwrap()
}

/// Players, moves and endings of the games in a CSA file, by number.
fn games(folder: &TempDir, name: &str) -> BTreeMap<String, Vec<String>> {
    let text = String::from_utf8(bytes(folder, name)).unwrap();
    let mut games = BTreeMap::new();
    for game in text.split("\n/\n") {
        let event = game.lines().find(|line| line.starts_with("$EVENT:")).unwrap();
        // Numbers at the end; before that is who played it.
        let number = event.rsplit(' ').next().unwrap();
        let moves = game.lines().filter(|line| line.starts_with(['+', '-', '%', 'N']));
        let before = games.insert(number.to_owned(), moves.map(str::to_owned).collect());
        assert_eq!(before, None, "{event} is there twice");
    }
    games
}

/// Waits until something is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// A process that is ended with the test.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const GEN: &str = "gen --game minishogi --nodes 60 --random 4 --random-plies 1-6 --hash 1";
const MATCH: &str = "match --engine cmd=self,name=A,nodes=60 --engine cmd=self,name=B,nodes=30 \
    --each option.USI_Hash=1,option.Threads=1,option.EvalDir=material --max-moves 60 --openings openings.txt";
const OPENINGS: &str = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("openings.txt"), OPENINGS).unwrap();
    folder
}

/// Lines of JSON without what depends on the clock.
fn untimed(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let untimed = lines.map(|mut line| {
        if let Some(line) = line.as_object_mut() {
            line.retain(|key, _| !["time", "ms", "seconds", "nps", "elapsed"].contains(&&**key));
        }
        line
    });
    untimed.collect()
}

/// Every command that takes `--fleet`, with it and without.
#[test]
fn commands_give_the_same_with_a_queue_in_the_process() {
    let folder = folder();
    told(&folder, &format!("{GEN} --games 12 -j 2 --out plain.teacher"));
    told(&folder, &format!("{GEN} --games 12 -j 2 --out fleet.teacher --fleet"));
    assert_eq!(bytes(&folder, "plain.teacher"), bytes(&folder, "fleet.teacher"));
    let rescore = "data rescore plain.teacher --nodes 50 --hash 1 --net material -j 2";
    told(&folder, &format!("{rescore} -o plain.scored"));
    told(&folder, &format!("{rescore} -o fleet.scored --fleet"));
    assert_eq!(bytes(&folder, "plain.scored"), bytes(&folder, "fleet.scored"));
    assert_ne!(bytes(&folder, "plain.scored"), bytes(&folder, "plain.teacher"));
    told(&folder, &format!("{MATCH} --games 4 -j 2 --out plain.csa"));
    told(&folder, &format!("{MATCH} --games 4 -j 2 --out fleet.csa --fleet"));
    assert_eq!(games(&folder, "plain.csa"), games(&folder, "fleet.csa"));
    assert_eq!(games(&folder, "plain.csa").len(), 4);
    let tune = "tune --game minishogi --nodes 40 --option EvalDir=material --option USI_Hash=1 \
        --params rfp_margin,lmr_base --iterations 3 --json -j 2";
    assert_eq!(untimed(&told(&folder, tune)), untimed(&told(&folder, &format!("{tune} --fleet"))));
    let openings = "openings make --game minishogi --count 6 --plies 2-4 --nodes 60 -j 2";
    assert_eq!(told(&folder, openings), told(&folder, &format!("{openings} --fleet")));
    fs::write(
        folder.path().join("problems.sfen"),
        "4k4/9/4P4/9/9/9/9/9/9 b G 1\n7nl/7k1/6p2/6S1p/9/9/9/9/9 b GS2r2b3g2s3n3l16p 1\n",
    )
    .unwrap();
    let mate = "mate problems.sfen --json --hash 1";
    let plain = untimed(&told(&folder, mate));
    assert_eq!(plain, untimed(&told(&folder, &format!("{mate} --fleet"))));
    assert_eq!(plain.len(), 2);
}

/// The coordinator of folder `fleet`, once it serves.
fn serve(folder: &TempDir, words: &str) -> Process {
    let status = folder.path().join("fleet/status.json");
    let _ = fs::remove_file(&status);
    let coordinator = Process::start(&mut nue(folder, &format!("fleet serve {words}")));
    wait_until("a coordinator that serves", || status.exists());
    coordinator
}

fn runs(folder: &TempDir) -> Vec<Value> {
    let list: Value = serde_json::from_str(&told(folder, "fleet list --json")).unwrap();
    list.as_array().unwrap().clone()
}

/// Coordinator and worker in processes of their own, with a broker between them. The coordinator is killed in the middle.
#[test]
fn two_processes_over_a_broker_make_the_files_of_one() {
    let Some(server) = NatsServer::start() else { return };
    let folder = folder();
    let at = format!("--nats {}", server.url());
    let mut coordinator = serve(&folder, &at);
    let work = format!("fleet work {at} --name box-7 --owner alice -j 2 --files files");
    let mut worker = Process::start(&mut nue(&folder, &work));
    told(&folder, &format!("{GEN} --games 60 -j 2 --out plain.teacher"));
    let mut asked = nue(&folder, &format!("{GEN} --games 60 --out fleet.teacher --fleet=fleet"));
    let mut asked = Process(asked.spawn().unwrap());
    wait_until("some games", || {
        runs(&folder).iter().any(|run| run["progress"]["done"].as_u64() > Some(0))
    });
    coordinator.kill();
    coordinator = serve(&folder, &at);
    wait_until("the end of the run", || asked.0.try_wait().unwrap().is_some());
    assert!(asked.0.wait().unwrap().success());
    assert!(taught(&folder, "plain.teacher") == taught(&folder, "fleet.teacher"));
    assert_eq!(taught(&folder, "plain.teacher").len(), 60);
    // A file that exists is not replaced unasked, and no run is made for it.
    let again = run(&folder, &format!("{GEN} --games 60 --out fleet.teacher --fleet=fleet"));
    assert_eq!(again.status.code(), Some(2), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(runs(&folder).len(), 1);
    // What a run names travels by the broker.
    told(&folder, &format!("{MATCH} --games 4 --out plain.csa"));
    told(&folder, &format!("{MATCH} --games 4 --out fleet.csa --fleet=fleet"));
    assert_eq!(games(&folder, "plain.csa"), games(&folder, "fleet.csa"));
    let shown = told(&folder, "fleet show r2");
    assert!(shown.contains("done") && shown.contains("all games are played"), "{shown}");
    let rescore = "data rescore plain.teacher --nodes 50 --hash 1 --net material";
    told(&folder, &format!("{rescore} -o plain.scored"));
    told(&folder, &format!("{rescore} -o fleet.scored --fleet=fleet"));
    assert_eq!(bytes(&folder, "plain.scored"), bytes(&folder, "fleet.scored"));
    // It had to be examined first, and is known by name; barred, it goes.
    let workers = told(&folder, "fleet workers");
    let line = workers.lines().find(|line| line.starts_with("box-7")).unwrap();
    assert!(line.contains("alice") && line.contains("admitted"), "{workers}");
    told(&folder, "fleet quarantine box-7 --reason test");
    wait_until("a worker that goes", || worker.0.try_wait().unwrap().is_some());
    assert!(!worker.0.wait().unwrap().success());
    drop(coordinator);
}

/// An engine for every game: it gives up, and has a number to be tuned.
const SCRIPT: &str = "#!/bin/sh
while read -r line; do
  case \"$line\" in
    usi) echo 'id name branch'; echo 'option name Margin type spin default 50 min 0 max 100'; echo usiok ;;
    isready) echo readyok ;;
    go*) echo 'bestmove resign' ;;
    quit) exit ;;
  esac
done
";

/// The address a gateway says it listens at.
fn gateway(coordinator: &mut Child) -> String {
    let said = BufReader::new(coordinator.stderr.take().unwrap());
    let mut lines = said.lines().map(Result::unwrap);
    let line = lines.find(|line| line.starts_with("workers come in at ")).unwrap();
    // Whatever it says later is read, so that it never waits for that.
    thread::spawn(move || lines.for_each(drop));
    line.rsplit(' ').next().unwrap().to_owned()
}

/// A branch, as an executable that somebody signed, in matches and tunings by a worker behind a gateway.
#[cfg(unix)]
#[test]
#[ignore = "hung once in four runs, not yet understood; run by hand with --run-ignored all"]
fn a_signed_engine_plays_and_is_tuned_by_a_worker_with_a_token() {
    use std::os::unix::fs::PermissionsExt;
    let apart = ["--user", "--map-root-user", "--net", "--", "true"];
    let tried = Command::new("unshare").args(apart).stderr(Stdio::null()).status();
    if !tried.is_ok_and(|status| status.success()) {
        fixtures::skipped("programs cannot be cut off from the network here");
        return;
    }
    let folder = folder();
    let program = folder.path().join("branch");
    fs::write(&program, SCRIPT).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut serving = nue(&folder, "fleet serve --gateway 127.0.0.1:0");
    let serving = serving.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut coordinator = Process(serving.spawn().unwrap());
    let address = gateway(&mut coordinator.0);
    let status = folder.path().join("fleet/status.json");
    wait_until("a coordinator that serves", || status.exists());
    let token = told(&folder, "fleet token box-7 alice");
    fs::write(folder.path().join("token"), token).unwrap();
    let key = told(&folder, "fleet key mykey");
    let branch = "cmd=./branch,name=branch,nodes=10";
    let asked = format!(
        "match --engine {branch} --engine cmd=self,name=ours,nodes=10,option.USI_Hash=1 --games 2 \
         --openings openings.txt --fleet=fleet --out fleet.csa"
    );
    let unsigned = run(&folder, &asked);
    let why = String::from_utf8_lossy(&unsigned.stderr);
    assert!(!unsigned.status.success() && why.contains("nue fleet sign"), "{why}");
    told(&folder, "fleet sign branch --key mykey");
    let work = format!(
        "fleet work --gateway http://{address} --token-file token --name box-7 --owner alice -j 1 \
         --files files --allow-signed {}",
        key.trim()
    );
    let _worker = Process::start(&mut nue(&folder, &work));
    told(&folder, &asked);
    let played = games(&folder, "fleet.csa");
    assert_eq!(played.len(), 2);
    assert!(played.values().all(|game| game.iter().any(|line| line == "%TORYO")), "{played:?}");
    let score = &runs(&folder)[0]["progress"]["score"];
    assert_eq!((&score["wins"], &score["losses"]), (&0.into(), &2.into()), "{score}");
    // Its numbers are asked of it here; games are played there.
    let tune = format!(
        "tune --engine {branch} --params Margin --iterations 2 --openings openings.txt --fleet=fleet"
    );
    told(&folder, &tune);
    wait_until("a tuning", || runs(&folder)[1]["state"] == "done");
    assert_eq!(runs(&folder)[1]["progress"]["tuning"]["names"], serde_json::json!(["Margin"]));
    assert_is_apart(&folder.path().join("files/programs"));
}

/// Everything it ran from is below that folder.
fn assert_is_apart(folder: &Path) {
    let slots: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
    assert!(!slots.is_empty(), "{}", folder.display());
}
