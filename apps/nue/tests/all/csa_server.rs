//! The server as it is run: processes, sockets, files.

use crate::csa_harness::{Bare, PATIENCE, Server, files, folder, nue, pair, wait_for};
use rules::{AnyPosition, Game};
use seed::Rng;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_game_its_record_and_its_pages() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    black.say("+7776FU,'* 30 -3334FU");
    black.expect("+7776FU,T0");
    white.expect("+7776FU,T0");
    let games = server.page("/games.json");
    assert!(games.contains("\"moves\": 1"), "{games}");
    // Two lines in one packet, with a carriage return: the second is out of turn.
    white.raw(b"-3334FU\r\n");
    white.expect("-3334FU,T0");
    black.expect("-3334FU,T0");
    black.raw(b"+27");
    std::thread::sleep(Duration::from_millis(50));
    black.raw(b"26FU\n");
    black.expect("+2726FU,T0");
    white.expect("+2726FU,T0");
    white.say("%TORYO");
    for line in ["%TORYO,T0", "#RESIGN", "#WIN"] {
        black.expect(line);
    }
    for line in ["%TORYO,T0", "#RESIGN", "#LOSE"] {
        white.expect(line);
    }
    let records = folder.path().join("records");
    wait_for("the record", || files(&records).len() == 1);
    let text = std::fs::read_to_string(&files(&records)[0]).unwrap();
    for line in ["V2.2", "N+a", "N-b", "'** 30 -3334FU", "%TORYO"] {
        assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
    }
    let metrics = server.page("/metrics");
    assert!(metrics.contains("nue_moves_total 3") && metrics.contains("nue_games 0"), "{metrics}");
    let status = server.page("/status.json");
    assert!(status.contains("\"name\": \"a\""), "{status}");
    let list = server.page("/records.json");
    assert!(
        list.contains("\"reason\": \"RESIGN\"") && list.contains("\"winner\": \"black\""),
        "{list}"
    );
    let id = list.split("\"id\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(server.page(&format!("/records/{}.csa", id.replace('+', "%2B"))), text);
    for page in ["/", "/health", "/ratings.json", "/standings.json"] {
        server.page(page);
    }
    black.say("LOGOUT");
    black.expect("LOGOUT:completed");
    assert_eq!(black.read_line(), None);
}

#[test]
fn killed_and_started_again_every_game_goes_on() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let mut games: Vec<[Bare; 2]> = Vec::new();
    for n in 0..3 {
        let names = [format!("b{n}"), format!("w{n}")];
        games.push(pair(server.port, [&names[0], &names[1]], &format!("g{n}-600-10")));
    }
    for [black, white] in &mut games {
        for (mover, other, text) in [(0, 1, "+7776FU"), (1, 0, "-3334FU"), (0, 1, "+2726FU")] {
            let players = [&mut *black, &mut *white];
            players[mover].say(text);
            players[mover].expect(&format!("{text},T0"));
            players[other].expect(&format!("{text},T0"));
        }
    }
    server.kill();
    for [black, white] in &mut games {
        assert_eq!((black.read_line(), white.read_line()), (None, None));
    }
    let server = Server::start(folder.path(), "");
    for n in 0..3 {
        let mut black = Bare::login(server.port, &format!("b{n}"), &format!("g{n}-600-10-B"));
        let mut white = Bare::login(server.port, &format!("w{n}"), &format!("g{n}-600-10-W"));
        let proposal = black.proposal();
        for line in ["+7776FU,T0", "-3334FU,T0", "+2726FU,T0", "To_Move:-", "Your_Turn:+"] {
            assert!(proposal.iter().any(|l| l == line), "{line}");
        }
        white.proposal();
        black.say("AGREE");
        white.say("AGREE");
        black.until("START:");
        white.until("START:");
        white.say("-8384FU");
        white.expect("-8384FU,T0");
        black.expect("-8384FU,T0");
        black.say("%TORYO");
        black.until("#LOSE");
        white.until("#WIN");
    }
    let records = folder.path().join("records");
    wait_for("three records", || files(&records).len() == 3);
    for path in files(&records) {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("-8384FU") && text.contains("%TORYO"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn stopped_politely_it_stores_its_games() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    black.say("+7776FU");
    black.expect("+7776FU,T0");
    white.expect("+7776FU,T0");
    server.terminate();
    black.expect("#CHUDAN");
    white.expect("#CHUDAN");
    assert_eq!(black.read_line(), None);
    let server = Server::start(folder.path(), "");
    let mut white = Bare::login(server.port, "b", "test-600-10-W");
    let mut black = Bare::login(server.port, "a", "test-600-10-B");
    assert!(black.proposal().iter().any(|l| l == "+7776FU,T0"));
    white.proposal();
}

#[test]
fn passwords_hold_over_a_restart() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    drop(Bare::login(server.port, "a", "test-600-10,secret"));
    server.kill();
    let server = Server::start(folder.path(), "registration = false\nguests = false\n");
    for (name, password) in
        [("a", "test-600-10,wrong"), ("a", "test-600-10"), ("new", "x"), ("a b", "x")]
    {
        let mut bare = Bare::connect(server.port);
        bare.say(&format!("LOGIN {name} {password}"));
        if name != "a b" {
            bare.expect("LOGIN:incorrect");
        }
    }
    drop(Bare::login(server.port, "a", "test-600-10,secret"));
    drop(server);
    let mut account = nue()
        .args(["server", "account", "new", "--config"])
        .arg(folder.path().join("server.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut account.stdin.take().unwrap(), b"given\n").unwrap();
    assert!(account.wait().unwrap().success());
    let server = Server::start(folder.path(), "registration = false\n");
    Bare::login(server.port, "new", "given");
    let file = std::fs::read(folder.path().join("games.sqlite")).unwrap();
    let contains = |needle: &[u8]| file.windows(needle.len()).any(|w| w == needle);
    assert!(!contains(b"secret") && !contains(b"given"), "passwords are not kept");
}

#[test]
fn hostile_guests_hold_up_nobody() {
    let folder = folder();
    let server = Server::start(folder.path(), "[limits]\nper_address = 20\n");
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    let mut guests: Vec<Bare> = (0..8).map(|_| Bare::connect(server.port)).collect();
    guests[0].raw(&vec![b'x'; 1 << 20]);
    guests[1].raw(&[0xff; 4096]);
    guests[2].raw(b"LOGIN a\0b c\n\n\n\n\r\n\r\n");
    guests[3].raw(&b"AGREE\n".repeat(5000));
    guests[4].raw("LOGIN 鵺 鵺\n".as_bytes());
    guests[5].say("GET / HTTP/1.1");
    // One logs in, floods, and never reads a line.
    guests[6].say("LOGIN deaf pw x1");
    guests[6].raw(&b"%%HELP\n".repeat(20_000));
    guests[7].say("LOGIN a test-600-10,guess");
    for (n, text) in ["+7776FU", "-3334FU", "+2726FU", "-8384FU"].iter().enumerate() {
        let players = [&mut black, &mut white];
        let before = Instant::now();
        players[n % 2].say(text);
        let told = [players[0].read_line().unwrap(), players[1].read_line().unwrap()];
        assert!(told.iter().all(|line| line.starts_with(text)), "{told:?}");
        assert!(before.elapsed() < PATIENCE);
    }
    // More connections than one address may have are turned away, and the rest go on.
    let more: Vec<Bare> = (0..30).map(|_| Bare::connect(server.port)).collect();
    drop(more);
    drop(guests);
    black.say("%TORYO");
    white.until("#WIN");
    wait_for("everybody to be gone", || {
        let metrics = server.page("/metrics");
        metrics.lines().any(|l| l == "nue_connections_open 2")
    });
}

#[test]
fn a_new_home_is_fine_and_mistakes_are_named() {
    let folder = folder();
    let home = folder.path().join("home");
    let init = nue().args(["server", "init"]).arg(&home).output().unwrap();
    assert!(init.status.success());
    let config = home.join("server.toml");
    let check = || nue().args(["server", "--check", "--config"]).arg(&config).output().unwrap();
    let fine = check();
    assert!(fine.status.success(), "{fine:?}");
    assert!(String::from_utf8_lossy(&fine.stdout).contains("floodgate-300-10F every 30 minutes"));
    let again = nue().args(["server", "init"]).arg(&home).output().unwrap();
    assert!(!again.status.success(), "nothing is overwritten");
    std::fs::write(&config, "lisen = \"x\"\n").unwrap();
    let wrong = check();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("lisen"));
}

/// A game driven from both sides, with connections that break.
struct Drive {
    names: [String; 2],
    game: String,
    position: AnyPosition,
    moves: Vec<String>,
    rng: Rng,
}

impl Drive {
    fn new(index: u64) -> Self {
        Self {
            names: [format!("black{index}"), format!("white{index}")],
            game: format!("drive{index}-6000-10"),
            position: AnyPosition::startpos(Game::Shogi),
            moves: Vec::new(),
            rng: Rng::new(index),
        }
    }

    /// Sits both down, at a new game or at the one that was broken off.
    fn sit(&self, port: u16) -> [Bare; 2] {
        let mut players = ["B", "W"].map(|side| {
            let index = usize::from(side == "W");
            Bare::login(port, &self.names[index], &format!("{}-{side},secret{index}", self.game))
        });
        for player in &mut players {
            let proposal = player.proposal();
            let told: Vec<&str> = proposal
                .iter()
                .filter(|l| l.len() > 7 && l.starts_with(['+', '-']))
                .map(|l| &l[..7])
                .collect();
            assert_eq!(told, self.moves, "every move is there");
            player.say("AGREE");
        }
        for player in &mut players {
            player.until("START:");
        }
        players
    }

    /// Plays some moves; one player in eight loses its connection and comes back.
    fn play(&mut self, players: &mut [Bare; 2], port: u16, count: usize) {
        for _ in 0..count {
            let legal = self.position.legal_moves();
            let m = legal[self.rng.below(legal.len())];
            let text = kifu::wire::write_move(&self.position, m);
            let mover = self.moves.len() % 2;
            players[mover].say(&text);
            self.position.play(m);
            self.moves.push(text.clone());
            for player in players.iter_mut() {
                assert!(player.read_line().unwrap().starts_with(&text));
            }
            if self.rng.below(8) == 0 {
                let side = self.rng.below(2);
                let password = format!("{},secret{side}", self.game);
                // The old connection is still open: the new login takes its place.
                let mut back = Bare::login(port, &self.names[side], &password);
                assert!(back.proposal().iter().any(|l| l.starts_with(&text)));
                back.say("AGREE");
                back.until("START:");
                players[side] = back;
            }
        }
    }
}

#[test]
fn many_games_with_broken_lines_and_a_killed_server() {
    let folder = folder();
    let server = Server::start(folder.path(), "max_moves = 0\n");
    let port = server.port;
    let drives: Vec<Drive> = std::thread::scope(|scope| {
        let run = |index| {
            let mut drive = Drive::new(index);
            let mut players = drive.sit(port);
            drive.play(&mut players, port, 20);
            (drive, players)
        };
        let threads: Vec<_> = (1..=8).map(|index| scope.spawn(move || run(index))).collect();
        let running: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        // All games run, and the server dies.
        server.kill();
        running.into_iter().map(|(drive, _)| drive).collect()
    });
    let server = Server::start(folder.path(), "max_moves = 0\n");
    let port = server.port;
    let drives: Vec<Drive> = std::thread::scope(|scope| {
        let run = |mut drive: Drive| {
            let mut players = drive.sit(port);
            drive.play(&mut players, port, 20);
            let loser = drive.moves.len() % 2;
            players[loser].say("%TORYO");
            players[loser].until("#LOSE");
            players[1 - loser].until("#WIN");
            drive
        };
        let threads: Vec<_> = drives.into_iter().map(|d| scope.spawn(move || run(d))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let records = folder.path().join("records");
    wait_for("all records", || files(&records).len() == drives.len());
    for drive in &drives {
        let path = files(&records)
            .into_iter()
            .find(|p| p.to_string_lossy().contains(&drive.game))
            .expect("its record");
        let record =
            kifu::read("game.csa", &std::fs::read(path).unwrap(), kifu::ReadOptions::default())
                .remove(0)
                .unwrap();
        assert_eq!(record.moves(), drive.position.moves_played());
        let winner = drive.position.turn().opponent();
        assert_eq!(record.outcome(), kifu::Outcome::Won(winner));
    }
}

#[test]
fn watchers_and_readers_of_pages_see_a_game_as_it_is() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    black.say("+7776FU,'* 30 -3334FU");
    black.expect("+7776FU,T0");
    white.expect("+7776FU,T0");
    let games = server.page("/games.json");
    for field in ["\"last_move\": \"7g7f\"", "\"turn\": \"white\"", "\"game\": \"shogi\""] {
        assert!(games.contains(field), "{field} in {games}");
    }
    let id = games.split("\"id\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let page = |server: &Server| server.page(&format!("/games/{}.json", id.replace('+', "%2B")));
    let running = page(&server);
    for field in ["\"csa\": \"+7776FU\"", "\"comment\": \"* 30 -3334FU\"", "\"ended\": null"] {
        assert!(running.contains(field), "{field} in {running}");
    }
    let mut viewer = Bare::connect(server.port);
    viewer.say("LOGIN viewer pw x1");
    viewer.until("##[LOGIN] +OK");
    viewer.say(&format!("%%MONITOR2ON {id}"));
    viewer.until(&format!("##[MONITOR2][{id}] +7776FU"));
    viewer.until(&format!("##[MONITOR2][{id}] +OK"));
    white.say("%TORYO");
    white.until("#LOSE");
    viewer.until(&format!("##[MONITOR2][{id}] #WIN(+)"));
    let over = page(&server);
    assert!(over.contains("\"winner\": \"black\"") && over.contains("\"reason\": \"RESIGN\""));
    // The game is over, and can be forked all the same.
    viewer.say(&format!("%%FORK {id} 1"));
    viewer.until("##[FORK]: new buoy game name: buoy_test_1-600-10");
    viewer.until("##[FORK] +OK");
    viewer.say("%%FORK nothing");
    viewer.until("##[ERROR] wrong source game name: nothing");
    let mut one = Bare::login(server.port, "c", "buoy_test_1-600-10");
    Bare::login(server.port, "d", "buoy_test_1-600-10");
    assert!(one.proposal().iter().any(|l| l == "P6 *  * +FU *  *  *  *  *  * "));
}

#[test]
fn an_encrypted_game() {
    let folder = folder();
    let Some((certificate, _)) = fixtures::certificate(folder.path()) else { return };
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let tls = format!(
        "max_moves = 4\n[tls]\nlisten = \"127.0.0.1:{free}\"\ncertificate = \"certificate.pem\"\nkey = \"key.pem\"\n"
    );
    let server = Server::start(folder.path(), &tls);
    let mut bare = Bare::login(server.port, "open", "t-3-0F-B");
    let mut client = nue()
        .args(["csa", "--host", "localhost", "--port", &free.to_string(), "--name", "hidden"])
        .args(["--password", "t-3-0F-W", "--ca"])
        .arg(certificate)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    bare.proposal();
    bare.say("AGREE");
    bare.until("START:");
    bare.say("%TORYO");
    bare.until("#LOSE");
    assert!(client.wait().unwrap().success());
}
