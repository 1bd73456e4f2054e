//! `nue csa` on `nue server`: our client against bare ones and itself, with other engines, through
//! broken connections, and by hand.

use crate::csa_harness::{Bare, Server, files, folder, nue};
use std::process::Stdio;

#[test]
fn our_client_plays_a_bare_one_and_itself() {
    let folder = folder();
    let server = Server::start(folder.path(), "max_moves = 6\n");
    let client = |name: &str, game: &str, records: &str| {
        nue()
            .args(["csa", "--host", "127.0.0.1", "--port", &server.port.to_string()])
            .args(["--name", name, "--password", game, "--margin", "100"])
            .arg("--records")
            .arg(folder.path().join(records))
            .arg("--log")
            .arg(folder.path().join(format!("{name}.log")))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    // Against itself, with next to no time.
    let mut one = client("one", "self-2-0F", "one");
    let mut two = client("two", "self-2-0F", "two");
    assert!(one.wait().unwrap().success());
    assert!(two.wait().unwrap().success());
    let records = [files(&folder.path().join("one")), files(&folder.path().join("two"))];
    assert!(records.iter().all(|r| r.len() == 1));
    let text = std::fs::read_to_string(&records[0][0]).unwrap();
    assert!(text.contains("summary:max_moves:") && text.contains("'** "), "{text}");
    let log = std::fs::read_to_string(folder.path().join("one.log")).unwrap();
    assert!(log.contains("> AGREE ") && log.contains("< #CENSORED"), "{log}");
    // Against a bare player that resigns.
    let mut bare = Bare::login(server.port, "bare", "duel-10-0F-B");
    let mut three = client("three", "duel-10-0F-W", "three");
    bare.proposal();
    bare.say("AGREE");
    bare.until("START:");
    bare.say("+7776FU");
    bare.until("+7776FU");
    let answer = bare.read_line().unwrap();
    assert!(answer.starts_with('-'), "{answer}");
    bare.say("%TORYO");
    bare.until("#LOSE");
    assert!(three.wait().unwrap().success());
}

#[test]
fn our_client_comes_back_in_the_middle_of_a_game() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let port = server.port;
    let mut bare = Bare::login(port, "bare", "duel-30-0-B,x");
    let mut client = nue()
        .args(["csa", "--host", "127.0.0.1", "--port", &port.to_string(), "--name", "nue"])
        .args(["--password", "duel-30-0-W,y", "--option", "Threads=1", "--no-ponder"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    bare.proposal();
    bare.say("AGREE");
    bare.until("START:");
    // Somebody who knows the secret takes its place: the client is thrown out.
    let mut thief = Bare::connect(port);
    thief.say("LOGIN nue duel-30-0,y");
    thief.until("LOGIN:nue OK");
    thief.proposal();
    drop(thief);
    bare.say("+7776FU");
    bare.until("+7776FU");
    // It is White's turn, and White is away; it comes back and moves.
    bare.until("-");
    bare.say("%TORYO");
    bare.until("#LOSE");
    assert!(client.wait().unwrap().success());
}

#[test]
fn our_client_outlives_the_server_and_itself() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let port = server.port;
    let client = || {
        nue()
            .args(["csa", "--host", "127.0.0.1", "--port", &port.to_string(), "--name", "nue"])
            .args(["--password", "outlive-600-0-W,x", "--no-ponder"])
            .args(["--option", "Threads=1", "--option", "NodesLimit=1000", "--records"])
            .arg(folder.path().join("own"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let sit = || {
        let mut bare = Bare::login(port, "bare", "outlive-600-0-B,y");
        let proposal = bare.proposal();
        bare.say("AGREE");
        bare.until("START:");
        (bare, proposal.iter().filter(|l| l.len() > 7 && l.starts_with(['+', '-'])).count())
    };
    let turn = |bare: &mut Bare, text: &str| {
        bare.say(text);
        bare.until(text);
        bare.until("-");
    };
    let mut first = client();
    let (mut bare, _) = sit();
    turn(&mut bare, "+2726FU");
    first.kill().unwrap();
    first.wait().unwrap();
    // Started again, it takes up the game where it was.
    let mut second = client();
    turn(&mut bare, "+2625FU");
    server.kill();
    let server = Server::start_at(folder.path(), port, "");
    let (mut bare, told) = sit();
    assert_eq!(told, 4);
    turn(&mut bare, "+3736FU");
    bare.say("%TORYO");
    bare.until("#LOSE");
    assert!(second.wait().unwrap().success());
    assert!(server.page("/records.json").contains("\"moves\": 6"));
    let text = std::fs::read_to_string(&files(&folder.path().join("own"))[0]).unwrap();
    let moves = text.lines().filter(|l| l.len() == 7 && l.starts_with(['+', '-'])).count();
    assert_eq!(moves, 6, "{text}");
}

#[test]
fn a_manual_game_on_a_terminal() {
    let folder = folder();
    let mut child = nue()
        .args(["csa", "--manual", "--color", "white", "--time", "2+0", "--opponent-time", "600"])
        .arg("--records")
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::Write::write_all(&mut input, b"nonsense\n7g7e\n7g7f\n").unwrap();
    let mut seen = String::new();
    while !seen.contains("engine: -") {
        assert!(std::io::BufRead::read_line(&mut out, &mut seen).unwrap() > 0, "{seen}");
    }
    assert!(
        seen.contains("\"nonsense\" is not a legal move")
            && seen.contains("\"7g7e\" is not a legal move")
    );
    assert!(seen.contains("Black 600 s, White 2 s") && seen.contains("v香"), "{seen}");
    std::io::Write::write_all(&mut input, b"resign\n").unwrap();
    std::io::Read::read_to_string(&mut out, &mut seen).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(seen.contains("WIN by RESIGN"), "{seen}");
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn a_usi_engine_plays_through_our_client() {
    let folder = folder();
    let server = Server::start(folder.path(), "max_moves = 6\n");
    let client = |name: &str, engine: bool| {
        let mut command = nue();
        command
            .args([
                "csa",
                "--host",
                "127.0.0.1",
                "--port",
                &server.port.to_string(),
                "--name",
                name,
            ])
            .args(["--password", "usi-2-0F", "--margin", "200", "--records"])
            .arg(folder.path().join(name))
            .stdout(Stdio::null());
        if engine {
            // This program speaks USI too.
            command.args(["--engine", env!("CARGO_BIN_EXE_nue"), "--option", "Threads=1"]);
        }
        command.spawn().unwrap()
    };
    let mut players = [client("usi", true), client("own", false)];
    for player in &mut players {
        assert!(player.wait().unwrap().success());
    }
    let records = files(&folder.path().join("usi"));
    let text = std::fs::read_to_string(&records[0]).unwrap();
    assert!(text.contains("summary:max_moves:") && text.contains("'** "), "{text}");
}

#[test]
fn an_engine_that_dies_does_not_lose_the_game() {
    let folder = folder();
    let server = Server::start(folder.path(), "max_moves = 4\n");
    let mut bare = Bare::login(server.port, "bare", "dead-10-0-B");
    // Whatever it is asked, this engine says that it is ready and ends.
    let script = folder.path().join("engine.sh");
    std::fs::write(&script, "echo usiok; read a; read b; echo readyok; read c; read d; exit 1\n")
        .unwrap();
    let mut client = nue()
        .args(["csa", "--host", "127.0.0.1", "--port", &server.port.to_string(), "--name", "sick"])
        .args(["--password", "dead-10-0-W", "--engine", "sh", "--engine-arg"])
        .arg(&script)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    bare.proposal();
    bare.say("AGREE");
    bare.until("START:");
    bare.say("+7776FU");
    bare.until("+7776FU");
    assert!(bare.read_line().unwrap().starts_with('-'), "a move came all the same");
    bare.say("+2726FU");
    bare.until("+2726FU");
    assert!(bare.read_line().unwrap().starts_with('-'), "and another");
    bare.until("#CENSORED");
    assert!(client.wait().unwrap().success());
}
