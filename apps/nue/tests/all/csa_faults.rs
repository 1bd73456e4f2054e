//! Scripted clients and servers that once found faults, against the program as it is run.

use crate::csa_harness::{Bare, PATIENCE, Server, account, files, folder, nue, pair, wait_for};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

fn extended(port: u16, name: &str, password: &str) -> Bare {
    let mut bare = Bare::connect(port);
    bare.say(&format!("LOGIN {name} {password} x1"));
    bare.expect(&format!("LOGIN:{name} OK"));
    bare.expect("##[LOGIN] +OK x1");
    bare
}

/// A bridge that, as shogi-server's own, adds byoyomi and increment to the time whatever it was told.
#[test]
fn a_bridge_that_needs_every_element_of_the_clock_can_play_every_game() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    for game in ["fischer-300-10F", "byoyomi-600-10", "sudden-900-0"] {
        let [opponent, bridge] = ["opponent", "bridge"].map(|who| format!("{who}-of-{game}"));
        let _waiting = Bare::login(server.port, &opponent, game);
        let mut bridge = Bare::login(server.port, &bridge, game);
        let summary = bridge.proposal();
        let number = |key: &str| -> u64 {
            let line = summary.iter().find_map(|line| line.strip_prefix(key));
            line.unwrap_or_else(|| panic!("{game}: no {key}")).parse().unwrap()
        };
        assert!(number("Total_Time:") + number("Byoyomi:") + number("Increment:") > 0);
    }
}

#[test]
fn two_servers_on_one_data_file() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let second = folder.path().join("second.toml");
    std::fs::write(&second, "listen = \"127.0.0.1:0\"\nstatus = \"\"\n").unwrap();
    let refused = nue().args(["server", "--config"]).arg(&second).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(text.contains("in use by another server"), "{text}");
    // Accounts can be made meanwhile, and a killed server leaves nothing locked.
    account(folder.path(), "new", "given");
    Bare::login(server.port, "new", "given");
    server.kill();
    drop(Server::start(folder.path(), ""));
}

#[test]
fn what_must_not_be_forgotten_is_there_after_a_kill() {
    let folder = folder();
    let settings = "referees = [\"ref\"]\n";
    let server = Server::start(folder.path(), settings);
    let mut maker = extended(server.port, "ref", "pw");
    maker.say("%%SETBUOY floodgate-300-10F +9796FU 1");
    assert!(maker.read_line().unwrap().starts_with("##[ERROR] wrong buoy game name"));
    maker.say("%%SETBUOY buoy_x-600-10 +9796FU 3");
    maker.expect("##[SETBUOY] +OK");
    maker.say("%%REFEREE ban crook 600 two engines at once");
    maker.until("##[REFEREE] +OK");
    let [mut black, white] = pair(server.port, ["g", "h"], "test-600-10");
    black.say("+7776FU");
    black.expect("+7776FU,T0");
    server.kill();
    drop((black, white, maker));
    let server = Server::start(folder.path(), settings);
    let mut maker = extended(server.port, "ref", "pw");
    maker.say("%%GETBUOYCOUNT buoy_x-600-10");
    maker.expect("##[GETBUOYCOUNT] 3");
    for (line, part) in [
        ("LOGIN crook test-600-10,x", "crook is banned until"),
        ("LOGIN g other-600-10", "same password"),
        ("LOGIN g test-600-10,secret", "same password"),
    ] {
        let mut bare = Bare::connect(server.port);
        bare.say(line);
        bare.expect("LOGIN:incorrect");
        let why = bare.read_line().unwrap();
        assert!(why.contains(part), "{line}: {why}");
    }
    let mut black = Bare::login(server.port, "g", "test-600-10-B");
    let _white = Bare::login(server.port, "h", "test-600-10-W");
    assert!(black.proposal().iter().any(|line| line == "+7776FU,T0"));
    let orders = server.page("/orders.json");
    assert!(orders.contains("two engines at once") && orders.contains("\"referee\": \"ref\""));
}

#[test]
fn comments_in_shift_jis_and_fast_players_lose_nothing() {
    let folder = folder();
    let settings =
        "player_logs = \"players\"\nlog = \"log.jsonl\"\n[limits]\nburst = 4\nrate = 1\n";
    let server = Server::start(folder.path(), settings);
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    black.raw(b"+7776FU,'* 30 \x90\xe6\x8e\xe8\n");
    white.expect("+7776FU,T0");
    let mut moves = vec!["-3334FU".to_owned()];
    for _ in 0..2 {
        moves.extend(["+2858HI", "-8252HI", "+5828HI", "-5282HI"].map(str::to_owned));
    }
    moves.push(format!("+2726FU,'{}", "x".repeat(5000)));
    black.expect("+7776FU,T0");
    for (n, text) in moves.iter().enumerate() {
        let [mover, other] =
            if n % 2 == 0 { [&mut white, &mut black] } else { [&mut black, &mut white] };
        mover.say(text);
        for player in [mover, other] {
            player.expect(&format!("{},T0", &text[..7]));
        }
    }
    white.say("%TORYO");
    black.until("#WIN");
    let records = folder.path().join("records");
    wait_for("the record", || files(&records).len() == 1);
    let text = std::fs::read_to_string(&files(&records)[0]).unwrap();
    for line in ["'** 30 先手", "'Byoyomi:10", "'Increment:0", "'summary:toryo:a win:b lose"] {
        assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
    }
    // Somebody who floods is told, and counted.
    let mut flood = Bare::login(server.port, "flood", "test-600-10");
    flood.raw(&b"hello\n".repeat(50));
    let told = flood.until("##[ERROR] closed");
    assert!(told.contains("too many lines"), "{told}");
    assert!(server.page("/metrics").contains("nue_closed_total{reason=\"flood\"} 1"));
    let log = folder.path().join("log.jsonl");
    wait_for("the reason in the log", || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.lines().any(|line| line.contains("\"close\"") && line.contains("\"flood\""))
    });
    assert!(server.page("/ratings").contains("<h1>Ratings</h1>"));
    let log = folder.path().join("players/a.log");
    wait_for("the player's log", || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.contains("< +7776FU") && text.contains("> #RESIGN")
    });
}

/// Why connections are closed: told where anybody needs it, logged, and counted.
#[test]
fn every_close_has_its_words_its_line_in_the_log_and_its_count() {
    let folder = folder();
    let settings = "log = \"log.jsonl\"\nrepeat = \"close\"\nreferees = [\"ref\"]\n\
                    [limits]\nper_address = 6\noffences = 5\n";
    let server = Server::start(folder.path(), settings);
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    black.say("%TORYO");
    for (player, verdict) in [(&mut black, "#LOSE"), (&mut white, "#WIN")] {
        player.until(verdict);
        assert_eq!(player.read_line(), None, "closed without another word");
    }
    let mut noisy = Bare::login(server.port, "noisy", "test-600-10");
    for _ in 0..5 {
        noisy.say("nonsense");
    }
    let told = noisy.until("##[ERROR] closed");
    assert!(told.contains("too many lines that mean nothing here"), "{told}");
    let mut crook = Bare::login(server.port, "crook", "other-600-10");
    let mut referee = extended(server.port, "ref", "pw");
    referee.say("%%REFEREE ban crook");
    referee.until("##[REFEREE] +OK");
    let told = crook.until("##[ERROR] closed");
    assert!(told.contains("the referee has banned you"), "{told}");
    // With the referee there are six.
    let _five: Vec<Bare> = (1..=5)
        .map(|n| Bare::login(server.port, &format!("n{n}"), &format!("game{n}-600-10")))
        .collect();
    let mut sixth = Bare::connect(server.port);
    sixth.expect("##[ERROR] closed: too many connections");
    assert_eq!(sixth.read_line(), None);
    let metrics = server.page("/metrics");
    for line in [
        "nue_closed_total{reason=\"game-over\"} 2",
        "nue_closed_total{reason=\"nonsense\"} 1",
        "nue_closed_total{reason=\"banned\"} 1",
        "nue_turned_away_total 1",
    ] {
        assert!(metrics.lines().any(|l| l == line), "{line} in\n{metrics}");
    }
    let log = folder.path().join("log.jsonl");
    for words in [
        ["\"close\"", "\"game-over\""],
        ["\"close\"", "\"nonsense\""],
        ["\"close\"", "\"banned\""],
        ["\"turned-away\"", "\"127.0.0.1\""],
    ] {
        wait_for(&format!("{words:?} in the log"), || {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            text.lines().any(|line| words.iter().all(|word| line.contains(word)))
        });
    }
}

/// What is no move, said by a player in and out of turn as bytes on a socket.
#[test]
fn talk_and_noise_lose_no_game() {
    let folder = folder();
    let server = Server::start(folder.path(), "");
    let [mut black, mut white] = pair(server.port, ["a", "b"], "test-600-10");
    let long = vec![b'x'; 70_000];
    for player in [&mut black, &mut white] {
        for line in [&b"hello there"[..], b"\x90\xe6\x8e\xe8", b"'comment", b"AGREE", &long[..]] {
            player.raw(&[line, &b"\n"[..]].concat());
            let told = player.read_line().unwrap();
            assert!(told.starts_with("##[ERROR] "), "{told}");
        }
        player.raw(b" \n\t\n%%%\n");
    }
    for (text, n) in [(" +2726FU", 0), ("\t-8384FU", 1)] {
        let mover = if n == 0 { &mut black } else { &mut white };
        mover.say(text);
        for player in [&mut black, &mut white] {
            let told = player.read_line().unwrap();
            assert!(told.starts_with(&text[1..]), "{told}");
        }
    }
    black.say("%TORYO");
    white.until("#WIN");
}

/// A flood of real wrong passwords, each of which costs the server a hash, from ever new addresses:
/// others are let in meanwhile. Other addresses of the loopback interface are Linux's.
#[cfg(target_os = "linux")]
#[test]
fn wrong_passwords_from_everywhere_keep_nobody_out() {
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
    let folder = folder();
    let server = Server::start(folder.path(), "");
    for name in ["victim", "honest"] {
        account(folder.path(), name, "right");
    }
    let (over, address) = (AtomicBool::new(false), AtomicU8::new(1));
    let attack = || {
        let mut refused = 0;
        while refused == 0 || !over.load(Ordering::Relaxed) {
            let own = [127, 0, 9, address.fetch_add(1, Ordering::Relaxed)];
            let mut flood: Vec<Bare> = (0..4)
                .map(|_| {
                    let socket =
                        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
                    let socket = socket.unwrap();
                    socket.bind(&SocketAddr::from((own, 0)).into()).unwrap();
                    let server = SocketAddr::from(([127, 0, 0, 1], server.port));
                    socket.connect(&server.into()).unwrap();
                    Bare::on(socket.into())
                })
                .collect();
            for bare in &mut flood {
                bare.say("LOGIN victim wrong");
            }
            for bare in &mut flood {
                bare.expect("LOGIN:incorrect");
                refused += 1;
            }
        }
        refused
    };
    std::thread::scope(|scope| {
        let attackers: Vec<_> = (0..2).map(|_| scope.spawn(attack)).collect();
        for _ in 0..3 {
            let mut honest = Bare::login(server.port, "honest", "right");
            honest.say("LOGOUT");
            honest.expect("LOGOUT:completed");
        }
        over.store(true, Ordering::Relaxed);
        for attacker in attackers {
            assert!(attacker.join().unwrap() >= 4);
        }
    });
    // The right password of the one they wanted is as good as before.
    Bare::login(server.port, "victim", "right");
}

#[test]
fn a_new_home_is_closed_until_told_otherwise() {
    let folder = folder();
    let home = folder.path().join("home");
    assert!(nue().args(["server", "init"]).arg(&home).output().unwrap().status.success());
    let config = home.join("server.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    for line in ["listen = \"127.0.0.1:4081\"", "registration = false", "guests = false"] {
        assert!(text.lines().any(|l| l.starts_with(line)), "{line}");
    }
    let check = || nue().args(["server", "--check", "--config"]).arg(&config).output().unwrap();
    let notes = String::from_utf8_lossy(&check().stdout).into_owned();
    assert!(notes.contains("note: nobody can log in"), "{notes}");
    account(&home, "me", "secret");
    let notes = String::from_utf8_lossy(&check().stdout).into_owned();
    assert!(notes.contains("note: accounts that have never played: me"), "{notes}");
    let cup = "[[tournament]]\nname = \"cup\"\nkind = \"round-robin\"\nentrants = [\"me\", \"you\"]\n\
               start = \"2030-01-01T10:00\"\ntime = { total = 60 }\n";
    std::fs::write(&config, format!("{text}\n{cup}")).unwrap();
    let notes = String::from_utf8_lossy(&check().stdout).into_owned();
    assert!(notes.contains("you cannot log in without an account"), "{notes}");
}

/// One line from a stream, whole.
fn line(reader: &mut impl BufRead) -> String {
    let mut text = String::new();
    reader.read_line(&mut text).unwrap();
    text.trim_end().to_owned()
}

/// A scripted server sees how the client leaves when it is interrupted while it waits.
#[cfg(unix)]
#[test]
fn an_interrupted_client_logs_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let mut client = nue()
        .args(["csa", "--host", "127.0.0.1", "--port", &port, "--name", "me", "--password", "x"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    assert_eq!(line(&mut reader), "LOGIN me x");
    writer.write_all(b"LOGIN:me OK\n").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        Command::new("kill").args(["-INT", &client.id().to_string()]).status().unwrap().success()
    );
    assert_eq!(line(&mut reader), "LOGOUT");
    writer.write_all(b"LOGOUT:completed\n").unwrap();
    // As every command that was interrupted.
    assert_eq!(client.wait().unwrap().code(), Some(130));
}

/// A scripted engine writes down what it is told of the rules.
#[cfg(unix)]
#[test]
fn a_foreign_engine_hears_of_the_limit_of_moves_and_the_declaration_rule() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let (script, heard) = (folder.path().join("engine.sh"), folder.path().join("heard"));
    let text = format!(
        "#!/bin/sh\nwhile read -r line; do\n  echo \"$line\" >> {}\n  case \"$line\" in\n\
         usi) echo 'id name scripted'\n  echo 'option name MaxMovesToDraw type spin default 0 min 0 max 9999'\n\
         echo 'option name EnteringKingRule type combo default CSARule27 var CSARule27 var CSARule24 var TryRule'\n\
         echo usiok;;\n  isready) echo readyok;;\n  go*) echo 'bestmove resign';;\n  quit) exit;;\n  esac\ndone\n",
        heard.display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = "max_moves = 123\n[[game]]\nname = \"try-600-10\"\ndeclaration = \"TryRule\"\n";
    let server = Server::start(folder.path(), settings);
    let mut opponent = Bare::login(server.port, "opponent", "try-600-10-W");
    let mut client = nue()
        .args(["csa", "--host", "127.0.0.1", "--port", &server.port.to_string()])
        .args(["--name", "me", "--password", "try-600-10-B", "--engine"])
        .arg(&script)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let summary = opponent.proposal();
    assert!(summary.iter().any(|line| line == "Entering_King_Rule:TryRule"), "{summary:?}");
    opponent.say("AGREE");
    opponent.until("#WIN");
    assert!(client.wait().unwrap().success());
    let heard = std::fs::read_to_string(&heard).unwrap();
    for line in
        ["setoption name MaxMovesToDraw value 123", "setoption name EnteringKingRule value TryRule"]
    {
        let at = heard.find(line).unwrap_or_else(|| panic!("{line} in\n{heard}"));
        assert!(heard[at..].contains("isready"), "it is asked whether it is ready after that");
    }
}
