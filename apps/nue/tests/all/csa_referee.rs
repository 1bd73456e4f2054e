//! `nue server referee`: orders to a running server from its own computer.

use crate::csa_harness::{Bare, Server, account, folder, nue, pair, wait_for};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

/// Gives an order: whether it was carried out, and what was printed.
fn order(folder: &Path, words: &[&str]) -> (bool, String) {
    let mut command = nue();
    command.args(["server", "--config"]).arg(folder.join("server.toml")).arg("referee").args(words);
    let done = command.output().unwrap();
    let text = if done.status.success() { &done.stdout } else { &done.stderr };
    (done.status.success(), String::from_utf8_lossy(text).into_owned())
}

fn id_of_the_game(folder: &Path) -> String {
    let (_, list) = order(folder, &["list"]);
    let line = list.lines().find_map(|line| line.strip_prefix("game ")).expect("a game");
    line.split_once(": ").unwrap().0.to_owned()
}

#[test]
fn a_game_is_paused_over_a_restart_resumed_and_adjudicated() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let (done, text) = order(folder.path(), &["list"]);
    assert!(done && text == "no tournaments, games or bans\n", "{text}");
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    black.say("+7776FU");
    white.expect("+7776FU,T0");
    let game = id_of_the_game(folder.path());
    let (done, text) = order(folder.path(), &["pause", &game]);
    assert!(done && text.contains("is stopped until it is resumed"), "{text}");
    white.expect("#CHUDAN");
    server.kill();
    drop((black, white));
    let (done, text) = order(folder.path(), &["resume", &game]);
    assert!(!done && text.contains("no server runs on"), "{text}");
    let server = Server::start(folder.path(), "");
    let (_, list) = order(folder.path(), &["list"]);
    assert!(list.contains("a - b, 1 moves, stopped"), "{list}");
    assert!(server.page("/games.json").contains("\"paused\": true"));
    let mut black = Bare::login(server.port, "a", "test-600-10-B");
    let (done, text) = order(folder.path(), &["resume", &game]);
    assert!(done, "{text}");
    let mut white = Bare::login(server.port, "b", "test-600-10-W");
    for player in [&mut black, &mut white] {
        assert!(player.proposal().iter().any(|line| line == "+7776FU,T0"));
        player.say("AGREE");
    }
    white.until("START:");
    let (done, text) = order(folder.path(), &["adjudicate", &game, "white"]);
    assert!(done && text.contains("is won by White"), "{text}");
    white.until("#WIN");
    let (_, log) = order(folder.path(), &["log"]);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 3, "{log}");
    assert!(lines[0].contains(" (local): pause "), "{log}");
    assert!(lines[2].contains("is won by White"), "{log}");
    assert!(server.page("/orders.json").contains("adjudicate"));
}

#[test]
fn players_are_kicked_banned_and_let_in_again() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let mut player = Bare::login(server.port, "crook", "test-600-10");
    let (done, text) = order(folder.path(), &["kick", "nobody"]);
    assert!(!done && text.contains("nobody is not here"), "{text}");
    assert!(order(folder.path(), &["kick", "crook"]).0);
    player.expect("##[ERROR] closed by the referee");
    assert!(order(folder.path(), &["ban", "crook", "60", "two engines at once"]).0);
    let mut player = Bare::connect(server.port);
    player.say("LOGIN crook test-600-10");
    player.expect("LOGIN:incorrect");
    assert!(player.read_line().unwrap().contains("two engines at once"));
    assert!(order(folder.path(), &["unban", "crook"]).0);
    Bare::login(server.port, "crook", "test-600-10");
    let (done, text) = order(folder.path(), &["dance"]);
    assert!(!done && text.contains("the orders are: list, adjudicate"), "{text}");
}

#[test]
fn a_round_is_begun_again_and_somebody_withdraws() {
    let folder = folder();
    std::fs::write(folder.path().join("server.toml"), "").unwrap();
    for name in ["p", "q"] {
        account(folder.path(), name, "pw");
    }
    let cup = "[[tournament]]\nname = \"cup\"\nkind = \"round-robin\"\nentrants = [\"p\", \"q\"]\n\
               start = \"2020-01-01T10:00\"\ntime = { total = 600 }\n";
    let server = Server::start(folder.path(), cup);
    let mut players = ["p", "q"].map(|name| Bare::login(server.port, name, "pw"));
    for player in &mut players {
        player.proposal();
        player.say("AGREE");
    }
    players[0].until("START:cup-1-1-1");
    let (done, text) = order(folder.path(), &["restart", "cup"]);
    assert!(done && text.contains("round 1 of cup begins again"), "{text}");
    for player in &mut players {
        player.until("BEGIN Game_Summary");
        player.until("END Game_Summary");
        player.say("AGREE");
    }
    players[0].until("START:cup-1-1-1r2");
    let (done, text) = order(folder.path(), &["withdraw", "cup", "q"]);
    assert!(done, "{text}");
    players[0].until("#WIN");
    wait_for("the end of the tournament", || {
        order(folder.path(), &["list"]).1.contains("tournament cup: over")
    });
}

/// The port of the orders is for who can read the file beside the data file.
#[test]
fn nobody_gives_orders_without_the_token() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let _player = Bare::login(server.port, "a", "test-600-10");
    let control = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
    let control = control.into_iter().find(|path| path.extension().is_some_and(|e| e == "control"));
    let control = control.expect("a file that says how to reach the server");
    let text = std::fs::read_to_string(&control).unwrap();
    let (address, token) = text.trim_end().split_once('\n').unwrap();
    let half = &token[..token.len() / 2];
    for line in ["kick a", " kick a", &format!("{half} kick a"), &"x".repeat(100_000)] {
        let mut stream = TcpStream::connect(address).unwrap();
        let _ = stream.write_all(format!("{line}\n").as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.starts_with("refused\n"), "{answer}");
    }
    // Who connects and says nothing keeps nobody out.
    let silent: Vec<TcpStream> = (0..12).map(|_| TcpStream::connect(address).unwrap()).collect();
    assert!(order(folder.path(), &["kick", "a"]).0);
    drop(silent);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&control).unwrap().permissions().mode() & 0o777, 0o600);
        server.terminate();
        assert!(!control.exists(), "it goes with the server");
    }
}
