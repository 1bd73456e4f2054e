//! Commands through a fleet, as users run them: with a queue in the process, with a coordinator and workers in processes of
//! their own over a broker, and over a gateway with an engine that somebody signed. Limited by nodes every game is the same
//! wherever it is played, so files and answers are compared with those of the commands alone.

use fixtures::nats::NatsServer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::{self, JoinHandle};
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

/// Everything that comes out of a pipe, read while it comes.
fn drained(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    let mut pipe = pipe.unwrap();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A pipe that breaks has said all it will.
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// A command run to its end, which must come: otherwise what it and all others have said.
fn run(folder: &TempDir, words: &str) -> Output {
    let mut command = nue(folder, words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (out, err) = (drained(child.stdout.take()), drained(child.stderr.take()));
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            let said = String::from_utf8_lossy(&err.join().unwrap()).into_owned();
            panic!("nue {words} does not end: {said}{}", said_by_others(folder));
        }
        thread::sleep(Duration::from_millis(20));
    };
    Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() }
}

/// What processes in the background have said.
fn said_by_others(folder: &TempDir) -> String {
    let files = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
    let logs = files.filter(|path| path.extension().is_some_and(|e| e == "said"));
    let said = |path: PathBuf| {
        let name = path.display();
        format!("\n{name}: {}", fs::read_to_string(&path).unwrap_or_default())
    };
    logs.map(said).collect()
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
    /// Starts it; what it says is written to a file.
    fn start(folder: &TempDir, name: &str, words: &str) -> Self {
        let said = fs::File::create(folder.path().join(format!("{name}.said"))).unwrap();
        Self(nue(folder, words).stdout(Stdio::null()).stderr(said).spawn().unwrap())
    }

    /// Waits for its end, which must come.
    fn end(&mut self, what: &str) -> ExitStatus {
        wait_until(what, || self.0.try_wait().unwrap().is_some());
        self.0.wait().unwrap()
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
    let mut coordinator = Process::start(folder, "serve", &format!("fleet serve {words}"));
    wait_until("a coordinator that serves", || {
        let ended = coordinator.0.try_wait().unwrap();
        assert!(ended.is_none(), "it has ended: {}", said_by_others(folder));
        status.exists()
    });
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
    let mut worker = Process::start(&folder, "work", &work);
    told(&folder, &format!("{GEN} --games 60 -j 2 --out plain.teacher"));
    let words = format!("{GEN} --games 60 --out fleet.teacher --fleet=fleet");
    let mut asked = Process::start(&folder, "gen", &words);
    wait_until("some games", || {
        runs(&folder).iter().any(|run| run["progress"]["done"].as_u64() > Some(0))
    });
    coordinator.kill();
    coordinator = serve(&folder, &at);
    assert!(asked.end("the end of the run").success(), "{}", said_by_others(&folder));
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
    assert!(!worker.end("a worker that goes").success());
    drop(coordinator);
}

/// Self-play of the tree search, and a book that grows, by a coordinator that works itself: as the commands alone make them.
#[test]
fn the_tree_search_and_books_by_a_coordinator_alone() {
    let folder = folder();
    let _coordinator = serve(&folder, "-j 2");
    let tree = "gen --game minishogi --nodes 24 --games 6 --option Engine=puct --option UCT_Threads=1 \
        --option RootMateNodes=0 --option Gumbel_Moves=4";
    told(&folder, &format!("{tree} --out plain.teacher"));
    told(&folder, &format!("{tree} --out fleet.teacher --fleet=fleet"));
    let games = taught(&folder, "plain.teacher");
    assert!(games == taught(&folder, "fleet.teacher") && games.len() == 6);
    // What a policy learns from.
    assert!(games.iter().all(|game| !game.candidates.is_empty()));
    let mine = "--game minishogi --eval material --nodes 300 --rounds 3 --leaves 4 --multipv 2";
    told(&folder, &format!("book mine plain.nbk {mine}"));
    told(&folder, &format!("book mine process.nbk {mine} --threads 2 --fleet"));
    told(&folder, &format!("book mine served.nbk {mine} --fleet=fleet"));
    assert_eq!(bytes(&folder, "plain.nbk"), bytes(&folder, "process.nbk"));
    assert_eq!(bytes(&folder, "plain.nbk"), bytes(&folder, "served.nbk"));
    let leaves = |run: &&Value| run["kind"] == "leaves" && run["state"] == "done";
    assert!(runs(&folder).iter().filter(leaves).count() >= 3, "a run at least for each round");
}

/// Two generations of reinforcement learning by a coordinator that only coordinates and two workers behind its gateway, one
/// of which is killed while they play: the files of the command alone.
#[cfg(unix)]
#[test]
fn generations_are_played_by_three_processes_one_of_which_is_killed() {
    let folder = folder();
    // Whatever it is asked to learn, the trainer writes the net it was given.
    use std::os::unix::fs::PermissionsExt;
    let trainer = folder.path().join("trainer");
    fs::write(&trainer, TRAINER).unwrap();
    fs::set_permissions(&trainer, fs::Permissions::from_mode(0o755)).unwrap();
    let net = infer::native::Floats::random(
        infer::native::Architecture {
            shape: infer::Shape {
                game: rules::Game::Minishogi,
                planes: features::Planes::Minishogi,
                labels: features::Labels::Minishogi,
            },
            blocks: 1,
            channels: 32,
            value_channels: 3,
            value_hidden: 8,
        },
        1,
    );
    net.write(&mut fs::File::create(folder.path().join("given.nuedf")).unwrap()).unwrap();
    let learn = format!(
        "--method rl --game minishogi --from-net given.nuedf --net-size 1x32 --games 150 --playouts 8 --fast-playouts 3 \
        --max-moves 30 --generations 2 --python {} -j 2",
        trainer.display()
    );
    told(&folder, &format!("learn plain {learn}"));
    let _coordinator = serve(&folder, "--gateway 127.0.0.1:0");
    let address = gateway(&folder);
    let work = |name: &str| {
        let token = told(&folder, &format!("fleet token {name} {name}"));
        fs::write(folder.path().join(format!("{name}.token")), token).unwrap();
        let words = format!(
            "fleet work --gateway http://{address} --token-file {name}.token --name {name} --owner {name} -j 1 --files files-{name}"
        );
        Process::start(&folder, name, &words)
    };
    let (mut first, _second) = (work("first"), work("second"));
    let mut asked = Process::start(&folder, "learn", &format!("learn lab {learn} --fleet=fleet"));
    wait_until("some games", || {
        runs(&folder).iter().any(|run| run["progress"]["done"].as_u64() > Some(0))
    });
    // What it had waits again as soon as it is back; who is gone for good is waited for as long as a lease lasts.
    first.kill();
    let _first = work("first");
    assert!(asked.end("both generations").success(), "{}", said_by_others(&folder));
    for generation in ["generation-0001", "generation-0002"] {
        let name = |lab: &str, file: &str| format!("{lab}/{generation}/{file}");
        for file in ["games.teacher", "plan.json", "review.json"] {
            assert!(
                bytes(&folder, &name("plain", file)) == bytes(&folder, &name("lab", file)),
                "{generation}: {file}"
            );
        }
        assert_eq!(taught(&folder, &name("lab", "games.teacher")).len(), 150);
    }
    let runs = runs(&folder);
    let states: Vec<_> = runs.iter().map(|run| (&run["kind"], &run["state"])).collect();
    assert_eq!(states, [(&"reinforce".into(), &"done".into()); 2]);
}

/// A trainer that has nothing to learn.
#[cfg(unix)]
const TRAINER: &str = "#!/bin/sh
echo '{\"protocol\":\"nue-orders\",\"version\":1}'
while read -r order; do
  set -- $(printf %s \"$order\" | tr -d '[\"]' | tr , ' ')
  for word; do test \"$before\" = --out && out=$word; before=$word; done
  cp ../given.nuedf \"$out\" && echo state > \"$out.checkpoint\"
  echo '{\"done\":{}}'
done
";

/// Whoever waits for a run is told what is missing, and waits on.
#[test]
fn a_run_without_a_worker_says_so() {
    let folder = folder();
    let mut coordinator = serve(&folder, "");
    let words = format!("{GEN} --games 4 --out fleet.teacher --fleet=fleet");
    let mut asked = Process::start(&folder, "gen", &words);
    let hears = |what: &str| {
        wait_until(what, || said_by_others(&folder).contains(&format!("r1 waits: {what}")));
    };
    hears("no worker is there");
    assert!(told(&folder, "fleet show r1").contains("waits: no worker is there"));
    coordinator.kill();
    hears("no coordinator is running");
    assert!(told(&folder, "fleet show r1").contains("waits: no coordinator is running"));
    coordinator = serve(&folder, "-j 1");
    assert!(asked.end("the end of the run").success(), "{}", said_by_others(&folder));
    assert_eq!(taught(&folder, "fleet.teacher").len(), 4);
    drop(coordinator);
}

/// An engine for every game: it finds everything balanced, gives up, and has a number to be tuned.
#[cfg(unix)]
const SCRIPT: &str = "#!/bin/sh
while read -r line; do
  case \"$line\" in
    usi) echo 'id name branch'; echo 'option name Margin type spin default 50 min 0 max 100'; echo usiok ;;
    isready) echo readyok ;;
    go*) echo 'info depth 1 score cp 7 nodes 1'; echo 'bestmove resign' ;;
    quit) exit ;;
  esac
done
";

/// The address a gateway says it listens at.
#[cfg(unix)]
fn gateway(folder: &TempDir) -> String {
    let mut address = None;
    wait_until("a gateway", || {
        let said = fs::read_to_string(folder.path().join("serve.said")).unwrap();
        let line = said.lines().find_map(|line| line.strip_prefix("workers come in at "));
        address = line.map(str::to_owned);
        address.is_some()
    });
    address.unwrap()
}

/// A branch, as an executable that somebody signed, in matches and tunings by a worker behind a gateway.
#[cfg(unix)]
#[test]
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
    let _coordinator = serve(&folder, "--gateway 127.0.0.1:0");
    let address = gateway(&folder);
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
    let _worker = Process::start(&folder, "work", &work);
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
    // It judges openings, too: as it does where it was built.
    let make = "openings make --engine cmd=./branch --count 5 --plies 2-4 --margin 10 --out";
    told(&folder, &format!("{make} plain.txt"));
    told(&folder, &format!("{make} fleet.txt --fleet=fleet"));
    let text = |name| String::from_utf8(bytes(&folder, name)).unwrap();
    let (plain, fleet) = (text("plain.txt"), text("fleet.txt"));
    assert!(fleet.lines().skip(1).eq(plain.lines().skip(1)), "{fleet}{plain}");
    assert_eq!(fleet.lines().count(), 6);
    // The first line says who judged, by name and by hash.
    assert!(plain.contains("cmd=./branch,") && fleet.contains("cmd=blob:"), "{fleet}");
    assert_is_apart(&folder.path().join("files/programs"));
}

/// Everything it ran from is below that folder.
#[cfg(unix)]
fn assert_is_apart(folder: &std::path::Path) {
    let slots: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
    assert!(!slots.is_empty(), "{}", folder.display());
}
