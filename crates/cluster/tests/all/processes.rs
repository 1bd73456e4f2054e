//! Real children: engines of this process, shell scripts that are killed, sockets.

use cluster::{Cluster, ClusterSettings, Config, Input, OfferSettings, offer};
use engines::shell::Output;
use rules::Game;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use think::{TimeSource, WallTime};

/// What a cluster says.
#[derive(Clone, Default)]
struct Said(Arc<(Mutex<String>, Condvar)>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().push_str(&String::from_utf8_lossy(bytes));
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Said {
    /// Waits for a line that begins so, forgets everything up to it, and returns it.
    fn wait(&self, start: &str) -> String {
        self.wait_for_all(start).lines().next_back().unwrap().to_owned()
    }

    /// The same, and returns all that came up to it.
    fn wait_for_all(&self, start: &str) -> String {
        let found = |text: &str| text.lines().position(|line| line.starts_with(start));
        let text = self.0.0.lock().unwrap();
        let patience = Duration::from_secs(60);
        let waiting = |text: &mut String| found(text).is_none();
        let (mut text, late) = self.0.1.wait_timeout_while(text, patience, waiting).unwrap();
        assert!(!late.timed_out(), "no {start:?} in {text}");
        let place = found(&text).unwrap();
        let lines =
            |lines: &mut dyn Iterator<Item = &str>| lines.map(|l| format!("{l}\n")).collect();
        let came = lines(&mut text.lines().take(place + 1));
        *text = lines(&mut text.lines().skip(place + 1));
        came
    }
}

fn time() -> Arc<dyn TimeSource> {
    Arc::new(WallTime::start())
}

struct Running {
    input: Input,
    said: Said,
    thread: JoinHandle<()>,
}

fn start(config: &str, folder: &Path) -> Running {
    let said = Said::default();
    let time = time();
    let clock = Arc::clone(&time);
    let (cluster, input) = Cluster::new(ClusterSettings {
        config: Config::parse(config).unwrap(),
        folder: folder.to_owned(),
        game: Game::Shogi,
        author: "test".to_owned(),
        factory: Arc::new(move |game| assembly::engine(game, Arc::clone(&clock))),
        time,
        output: Output::new(said.clone(), || ()),
    });
    let thread = std::thread::spawn(move || cluster.run().unwrap());
    Running { input, said, thread }
}

impl Running {
    fn say(&self, line: &str) {
        assert!(self.input.line(line.to_owned()));
    }

    fn quit(self) {
        self.say("quit");
        self.thread.join().unwrap();
    }
}

#[test]
fn engines_of_this_process_consult() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(
        "log = \"log.jsonl\"\n\
         [[child]]\nname = \"ab\"\ninside = \"alphabeta\"\noptions = { USI_Hash = 16 }\n\
         [[child]]\nname = \"tree\"\ninside = \"puct\"\n\
         [[child]]\nname = \"mate\"\ninside = \"alphabeta\"\nrole = \"mate\"\noptions = { USI_Hash = 16 }\n",
        folder.path(),
    );
    running.say("usi");
    running.said.wait("option name ab_Threads");
    running.said.wait("option name tree_Threads");
    running.said.wait("usiok");
    running.say("isready");
    running.said.wait("readyok");
    // Whoever loads longer joins when it is ready.
    let mut searches = 0;
    loop {
        searches += 1;
        running.say("position startpos");
        running.say("go nodes 200");
        let said = running.said.wait_for_all("bestmove ");
        assert!(searches < 1000, "the tree search never joined: {said}");
        if said.contains("info string ab: ") && said.contains("info string tree: ") {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    // A mate is found, verified and played.
    running.say("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    running.say("go btime 0 wtime 0 byoyomi 30000");
    assert_eq!(running.said.wait("bestmove "), "bestmove G*5b");
    running.quit();
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    let count = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!(count("\"kind\":\"decision\""), searches + 1);
    assert!(count("\"child\":\"ab\"") >= 1 && count("\"child\":\"tree\"") >= 1, "{log}");
}

/// An engine of a few lines that writes down its process number and plays one move.
#[cfg(unix)]
fn script(folder: &Path) -> String {
    let path = folder.join("engine.sh");
    let text = "echo $$ >> pids\nwhile read line; do case $line in \
        usi) echo id name Script; echo usiok ;; isready) echo readyok ;; \
        go*infinite*|go*ponder*) ;; go*) sleep 0.3; echo info score cp 5 pv 7g7f; echo bestmove 7g7f ;; \
        stop) echo bestmove 7g7f ;; quit) exit ;; esac; done\n";
    std::fs::write(&path, text).unwrap();
    format!("sh {}", path.display())
}

#[cfg(unix)]
fn pids(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("pids")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn a_killed_process_is_started_again_and_plays_on() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(folder.path());
    let dir = folder.path().display();
    let running = start(
        &format!(
            "margin = 50\n[[child]]\nname = \"sh\"\nprogram = \"{program}\"\ndir = \"{dir}\"\n"
        ),
        folder.path(),
    );
    running.say("usi");
    running.said.wait("usiok");
    running.say("go nodes 50");
    assert!(running.said.wait("info string sh: 7g7f").contains("cp 5"));
    running.said.wait("bestmove ");
    let first = pids(folder.path());
    assert_eq!(first.len(), 1);
    running.say("go btime 0 wtime 0 byoyomi 10000");
    let killed = std::process::Command::new("kill").args(["-9", &first[0]]).status().unwrap();
    assert!(killed.success());
    // The guard inside this process is there meanwhile; the child comes back.
    let told = running.said.wait("info string sh: crash");
    assert!(told.contains("started again"), "{told}");
    running.said.wait("bestmove ");
    for _ in 0..500 {
        if pids(folder.path()).len() == 2 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(pids(folder.path()).len(), 2);
    running.say("go nodes 50");
    running.said.wait("bestmove ");
    running.quit();
}

#[test]
fn a_program_that_does_not_exist_is_told_and_lived_without() {
    let folder = tempfile::tempdir().unwrap();
    let running = start("[[child]]\nname = \"x\"\nprogram = \"./no-such-engine\"\n", folder.path());
    let told = running.said.wait("info string x: crash");
    assert!(told.contains("no-such-engine"), "{told}");
    running.say("go btime 0 wtime 0 byoyomi 3000");
    running.said.wait("bestmove ");
    running.quit();
}

/// Offers an engine of this process; where it listens.
fn offered(token_file: &Path, tls: Option<(std::path::PathBuf, std::path::PathBuf)>) -> String {
    let time = time();
    let clock = Arc::clone(&time);
    let settings = OfferSettings {
        listen: "127.0.0.1:0".to_owned(),
        token_file: token_file.to_owned(),
        tls,
        program: None,
        game: Game::Shogi,
        factory: Arc::new(move |game| assembly::engine(game, Arc::clone(&clock))),
        time,
    };
    let (told, heard) = channel();
    std::thread::spawn(move || {
        offer(settings, &mut |text| {
            // Nobody listens after the first line.
            let _ = told.send(text.to_owned());
        })
    });
    let first = heard.recv_timeout(Duration::from_secs(20)).unwrap();
    first.strip_prefix("listening on ").unwrap().to_owned()
}

#[test]
fn a_child_is_reached_over_tcp_with_the_token_only() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "secret-token\n").unwrap();
    std::fs::write(folder.path().join("wrong"), "another-token\n").unwrap();
    let address = offered(&folder.path().join("token"), None);
    let child = |name: &str, token: &str| {
        format!("[[child]]\nname = \"{name}\"\ntcp = \"{address}\"\ntoken_file = \"{token}\"\n")
    };
    let running = start(&(child("far", "token") + &child("liar", "wrong")), folder.path());
    let told = running.said.wait("info string liar: crash");
    assert!(told.contains("wrong token"), "{told}");
    running.say("setoption name far_USI_Hash value 16");
    running.say("go btime 0 wtime 0 byoyomi 2000");
    running.said.wait("info string far: ");
    running.said.wait("bestmove ");
    running.quit();
}

#[test]
fn offers_to_other_machines_want_a_certificate() {
    let time = time();
    let clock = Arc::clone(&time);
    let settings = OfferSettings {
        listen: "0.0.0.0:0".to_owned(),
        token_file: "none".into(),
        tls: None,
        program: None,
        game: Game::Shogi,
        factory: Arc::new(move |game| assembly::engine(game, Arc::clone(&clock))),
        time,
    };
    let error = offer(settings, &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("--certificate"), "{error}");
}

#[test]
fn a_child_is_reached_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let (key, certificate) = (folder.path().join("key.pem"), folder.path().join("cert.pem"));
    let made = std::process::Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
        ])
        .args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        fixtures::skipped("openssl makes no certificate here");
        return;
    }
    std::fs::write(folder.path().join("token"), "secret-token\n").unwrap();
    let tls = Some((certificate, key));
    let address = offered(&folder.path().join("token"), tls);
    let port = address.rsplit_once(':').unwrap().1;
    let running = start(
        &format!(
            "[[child]]\nname = \"far\"\ntcp = \"localhost:{port}\"\ntoken_file = \"token\"\nca = \"cert.pem\"\n"
        ),
        folder.path(),
    );
    running.say("go btime 0 wtime 0 byoyomi 2000");
    running.said.wait("info string far: ");
    running.said.wait("bestmove ");
    running.quit();
}
