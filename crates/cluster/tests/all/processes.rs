//! Real children: engines of this process, shell scripts that are killed, sockets.

#[cfg(unix)]
use crate::harness::script;
use crate::harness::{engine, start};
use cluster::{OfferSettings, Place, offer};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

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
    let (listen, token_file) = ("127.0.0.1:0".to_owned(), token_file.to_owned());
    let place = Place::Socket { listen, token_file, tls };
    let settings = OfferSettings { place, engine: engine() };
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
    running.say("go btime 0 wtime 0 byoyomi 8000");
    running.said.wait("info string far: ");
    running.said.wait("bestmove ");
    running.quit();
}

#[test]
fn offers_to_other_machines_want_a_certificate() {
    let (listen, token_file) = ("0.0.0.0:0".to_owned(), "none".into());
    let place = Place::Socket { listen, token_file, tls: None };
    let settings = OfferSettings { place, engine: engine() };
    let error = offer(settings, &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("--certificate"), "{error}");
}

#[test]
fn a_child_is_reached_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let Some(tls) = fixtures::certificate(folder.path()) else { return };
    std::fs::write(folder.path().join("token"), "secret-token\n").unwrap();
    let address = offered(&folder.path().join("token"), Some(tls));
    let port = address.rsplit_once(':').unwrap().1;
    let running = start(
        &format!(
            "[[child]]\nname = \"far\"\ntcp = \"localhost:{port}\"\ntoken_file = \"token\"\nca = \"certificate.pem\"\n"
        ),
        folder.path(),
    );
    running.say("go btime 0 wtime 0 byoyomi 8000");
    running.said.wait("info string far: ");
    running.said.wait("bestmove ");
    running.quit();
}
