//! Logins, waiting, watching: section 3.1 of the protocol, the test server's habits, floodgate's.

use super::*;

#[test]
fn login_and_logout() {
    let mut server = TestLobby::open();
    let id = server.login("TANUKI", "secret");
    server.expect(id, &["LOGIN:TANUKI OK"]);
    server.say(id, "LOGOUT");
    server.expect(id, &["LOGOUT:completed"]);
    assert_eq!(server.closed, [id]);
}

#[test]
fn wrong_logins_are_refused_and_limited() {
    let mut server = TestLobby::open();
    server.login("TANUKI", "secret");
    for name in ["TANUKI", "a b", "鵺", &"x".repeat(33)] {
        let id = server.login(name, "wrong");
        let told = server.told(id);
        assert!(told.is_empty() || told == ["LOGIN:incorrect"], "{name}: {told:?}");
        assert_ne!(told, ["LOGIN:TANUKI OK"]);
    }
    // Ten wrong passwords from one address, then not even the right one.
    let attempt = |server: &mut TestLobby, password: &str| {
        let id = server.connect_from("burglar").unwrap();
        server.say(id, &format!("LOGIN TANUKI {password}"));
        server.told(id)
    };
    for n in 0..10 {
        assert_eq!(attempt(&mut server, &format!("guess{n}")), ["LOGIN:incorrect"]);
    }
    assert_eq!(attempt(&mut server, "secret"), ["LOGIN:incorrect"]);
    server.wait(s(601));
    assert_eq!(attempt(&mut server, "secret"), ["LOGIN:TANUKI OK"]);
}

#[test]
fn who_does_not_log_in_is_shown_the_door() {
    let mut server = TestLobby::open();
    let id = server.connect_from("silent").unwrap();
    server.wait(s(59));
    assert!(server.closed.is_empty());
    server.wait(s(1));
    assert_eq!(server.closed, [id]);
    let id = server.connect_from("noisy").unwrap();
    for _ in 0..10 {
        server.say(id, "GET / HTTP/1.1");
    }
    assert!(server.closed.contains(&id));
}

#[test]
fn connections_are_counted_by_address() {
    let limits = Limits { connections: 5, per_address: 2, ..Limits::default() };
    let mut server = TestLobby::new(Settings { limits, ..Settings::default() });
    let first = server.connect_from("a").unwrap();
    assert!(server.connect_from("a").is_some());
    assert!(server.connect_from("a").is_none());
    server.drop_line(first);
    assert!(server.connect_from("a").is_some());
    for peer in ["b", "c", "d"] {
        assert!(server.connect_from(peer).is_some());
    }
    assert!(server.connect_from("e").is_none(), "five in all");
}

#[test]
fn a_flood_of_lines_ends_the_connection() {
    let mut server = TestLobby::open();
    let id = server.login("a", "x-100-10");
    for _ in 0..30 {
        server.wait(Duration::from_millis(50));
        server.say(id, "AGREE");
    }
    assert!(server.closed.is_empty(), "twenty a second are fine");
    for _ in 0..100 {
        server.say(id, "AGREE");
    }
    assert_eq!(server.closed, [id]);
}

#[test]
fn two_who_wait_for_the_same_game_play_it() {
    let mut server = TestLobby::open();
    let a = server.login("a", "test-100-10F");
    let other = server.login("other", "test-100-20F");
    let b = server.login("b", "test-100-10F,trip");
    assert_eq!(server.told(other), ["LOGIN:other OK"]);
    let summary = server.proposal(a).unwrap();
    assert_eq!(summary.times, csa::Times::Both(csa::TimeRule::fischer(100, 10)));
    assert!(summary.id.starts_with("nue+test-100-10F+"), "{}", summary.id);
    assert!(summary.id.ends_with("+20260921141320"), "{}", summary.id);
    assert_eq!(server.proposal(b).unwrap().id, summary.id);
    let mut names = summary.names.clone();
    names.sort();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn wishes_for_colours_are_granted() {
    let mut server = TestLobby::open();
    let a = server.login("a", "test-100-10-W");
    let b = server.login("b", "test-100-10-W");
    assert!(server.proposal(b).is_none(), "both want White");
    let c = server.login("c", "test-100-10");
    assert_eq!(server.proposal(a).unwrap().your_turn, Color::White);
    assert_eq!(server.proposal(c).unwrap().names, ["c", "a"]);
    let d = server.login("d", "test-100-10-B");
    assert_eq!(server.proposal(d).unwrap().names, ["d", "b"]);
}

#[test]
fn a_whole_game_and_a_challenge_after_it() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.say(black, "+7776FU");
    server.wait(s(3));
    server.say(white, "%TORYO");
    server.expect(black, &["+7776FU,T0", "%TORYO,T3", "#RESIGN", "#WIN"]);
    server.expect(white, &["+7776FU,T0", "%TORYO,T3", "#RESIGN", "#LOSE"]);
    assert_eq!(server.ends(), 1);
    server.wait(s(1000));
    assert!(server.told(black).is_empty() && server.told(white).is_empty());
    server.say(black, "CHALLENGE");
    server.expect(black, &["CHALLENGE ACCEPTED"]);
    server.say(white, "CHALLENGE");
    assert!(server.proposal(black).is_some() && server.proposal(white).is_some());
}

#[test]
fn what_follows_a_game_can_be_set() {
    for (repeat, again, closed) in [(Repeat::Wait, true, 0), (Repeat::Close, false, 2)] {
        let mut server = TestLobby::new(Settings { repeat, ..Settings::default() });
        let [black, white] = server.pair(["a", "b"], "test-100-10");
        server.say(black, "%TORYO");
        assert_eq!(server.proposal(white).is_some(), again);
        assert_eq!(server.closed.len(), closed);
    }
}

#[test]
fn empty_lines_are_answered_but_not_too_often() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-1000-10");
    server.wait(s(29));
    server.say(white, "");
    server.wait(s(5));
    server.expect(white, &[]);
    server.wait(s(25));
    server.say(white, "");
    server.expect(white, &[]);
    server.wait(s(1));
    server.expect(white, &[""]);
    server.say(black, "+7776FU");
    server.expect(white, &["+7776FU,T60"]);
}

#[test]
fn an_interrupted_game_is_taken_up_by_the_same_two() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.say(black, "+7776FU");
    server.say(white, "%CHUDAN");
    assert_eq!(server.told(black).last().unwrap(), "#CHUDAN");
    // Somebody else can be played meanwhile.
    server.say(black, "CHALLENGE");
    server.expect(black, &["CHALLENGE ACCEPTED"]);
    server.told(white);
    server.say(white, "CHALLENGE");
    let summary = server.proposal(white).unwrap();
    assert_eq!((summary.played.len(), summary.your_turn), (1, Color::White));
    server.agree([black, white]);
    server.say(white, "-3334FU");
    server.expect(black, &["-3334FU,T0"]);
}

#[test]
fn a_dropped_player_finds_its_game_again() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.say(black, "+7776FU");
    server.drop_line(white);
    server.wait(s(20));
    let back = server.login("b", "test-100-10");
    let summary = server.proposal(back).unwrap();
    assert_eq!(summary.extra("Elapsed_Time"), Some("20"));
    server.say(back, "AGREE");
    assert!(server.told(back)[0].starts_with("START:"));
    server.say(back, "-3334FU");
    server.expect(back, &["-3334FU,T20"]);
    assert_eq!(server.told(black).last().unwrap(), "-3334FU,T20");
}

#[test]
fn a_second_login_with_the_secret_replaces_the_first() {
    let mut server = TestLobby::open();
    let black = server.login("a", "test-100-10-B,sa");
    let white = server.login("b", "test-100-10-W,sb");
    server.agree([black, white]);
    let thief = server.connect_from("elsewhere").unwrap();
    server.say(thief, "LOGIN b test-100-10,guess");
    server.expect(thief, &["LOGIN:incorrect"]);
    assert!(server.closed.is_empty());
    let back = server.connect_from("elsewhere").unwrap();
    server.say(back, "LOGIN b test-100-10,sb");
    assert!(server.proposal(back).is_some());
    assert_eq!(server.closed, [white]);
    // A guest's name is safe from other addresses.
    let guest = server.login("g", "test-100-99");
    let other = server.connect_from("elsewhere").unwrap();
    server.say(other, "LOGIN g test-100-99");
    server.expect(other, &["LOGIN:incorrect"]);
    assert!(!server.closed.contains(&guest));
}

#[test]
fn only_games_between_known_players_are_rated() {
    for (passwords, rated) in
        [(["g-100-10,x", "g-100-10,y"], true), (["g-100-10,x", "g-100-10"], false)]
    {
        let mut server = TestLobby::open();
        let a = server.login("a", passwords[0]);
        let b = server.login("b", passwords[1]);
        server.agree([a, b]);
        let Some(Stored::Game { conditions, entry, .. }) = server.stored.first() else {
            panic!("nothing stored")
        };
        assert_eq!((conditions.rated, entry), (rated, &Entry::Started));
    }
}

#[test]
fn rounds_begin_by_the_clock_and_pair_neighbours() {
    let game = GameName::parse("floodgate-300-10F").unwrap();
    let timetables = vec![Timetable { game, every: 1800, offset: 0 }];
    let mut server = TestLobby::new(Settings { timetables, ..Settings::default() });
    let rating = |n: f64| n;
    let ratings = [("a", 3000.0), ("b", 1000.0), ("c", 2900.0), ("d", 1100.0)];
    server.lobby.set_ratings(ratings.iter().map(|&(n, r)| (n.to_owned(), rating(r))).collect());
    let players: Vec<ConnId> =
        ["a", "b", "c", "d", "e"].iter().map(|n| server.login(n, "floodgate-300-10F,x")).collect();
    for &id in &players {
        assert_eq!(server.told(id).len(), 1, "nothing but the login");
    }
    server.wait(s(1000));
    let summary = server.proposal(players[0]).unwrap();
    assert!(summary.names.contains(&"c".to_owned()), "{:?}", summary.names);
    assert!(server.proposal(players[1]).unwrap().names.contains(&"d".to_owned()));
    assert!(server.proposal(players[4]).is_none(), "one is left over");
    // Everybody plays again in the next round, with somebody else.
    for &id in &players[..4] {
        server.say(id, "AGREE");
    }
    for &id in &players[..4] {
        server.say(id, "%TORYO");
    }
    for &id in &players[..4] {
        server.told(id);
    }
    server.wait(s(1800));
    let again = server.proposal(players[0]).unwrap();
    assert!(!again.names.contains(&"c".to_owned()), "{:?}", again.names);
}

#[test]
fn extended_mode_answers() {
    let mut server = TestLobby::open();
    let id = server.connect_from("x").unwrap();
    server.say(id, "LOGIN viewer pw x1");
    server.expect(id, &["LOGIN:viewer OK", "##[LOGIN] +OK x1"]);
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.say(id, "%%LIST");
    let game = server.told(id)[0].trim_start_matches("##[LIST] ").to_owned();
    server.say(id, &format!("%%MONITOR2ON {game}"));
    let so_far = server.told(id);
    for line in ["N+a", "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "+", "+OK"] {
        assert!(so_far.contains(&format!("##[MONITOR2][{game}] {line}")), "{so_far:?}");
    }
    let lines = ["+7776FU", "T0", "+OK"].map(|line| format!("##[MONITOR2][{game}] {line}"));
    server.say(black, "+7776FU,'* 30");
    server.expect(id, &lines.each_ref().map(String::as_str));
    server.say(id, &format!("%%MONITOR2OFF {game}"));
    server.told(id);
    server.say(id, &format!("%%MONITORON {game}"));
    assert!(server.told(id).contains(&format!("##[MONITOR][{game}] Last_Move:+7776FU,T0")));
    server.say(white, "-3334FU");
    let full = server.told(id);
    assert!(full.contains(&format!("##[MONITOR][{game}] Last_Move:-3334FU,T0")), "{full:?}");
    assert_eq!(full.last(), Some(&format!("##[MONITOR][{game}] +OK")));
    server.say(id, &format!("%%MONITOROFF {game}"));
    server.told(id);
    server.say(id, &format!("%%SHOW {game}"));
    let shown = server.told(id);
    assert!(shown.contains(&"##[SHOW] Current_Turn:+".to_owned()));
    assert_eq!(shown.last().unwrap(), "##[SHOW] +OK");
    server.say(id, "%%WHO");
    let who = server.told(id);
    assert!(who.contains(&"##[WHO] viewer here".to_owned()), "{who:?}");
    server.say(id, "%%CHAT こんにちは");
    server.expect(id, &["##[CHAT][viewer] こんにちは"]);
    for (command, answer) in [
        ("%%RATING", "##[RATING] +OK"),
        ("%%HELP", "##[HELP] +OK"),
        ("%%VERSION", "##[VERSION] +OK"),
        ("%%NONSENSE", "##[ERROR] unknown command"),
        ("%%GAME", "##[GAME] +OK"),
        ("%%GAME no such", "##[ERROR] unknown command"),
        ("%%GAME nosuch +", "##[ERROR] no such game here"),
        ("%%CHALLENGE q-1-1 +", "##[ERROR] nobody waits for this game"),
        ("%%SHOW nothing", "##[SHOW] +OK"),
        ("%%MONITORON nothing", "##[MONITOR] +OK"),
    ] {
        server.say(id, command);
        assert_eq!(server.told(id).last().unwrap(), answer, "{command}");
    }
    server.say(id, "%%GAME y-100-10 +");
    assert!(server.told(id).is_empty());
    let other = server.login("c", "y-100-10");
    assert_eq!(server.proposal(other).unwrap().names, ["viewer", "c"]);
}

#[test]
fn prepared_openings() {
    let mut server = TestLobby::open();
    let id = server.connect_from("x").unwrap();
    server.say(id, "LOGIN maker pw x1");
    server.told(id);
    for (command, answer) in [
        ("%%SETBUOY b-100-10 +7776FU-3334FU 1", "##[SETBUOY] +OK"),
        ("%%SETBUOY b-100-10 +7776FU 1", "##[ERROR] duplicated buoy game name: b-100-10"),
        ("%%SETBUOY c-100-10 +7775FU 1", "##[ERROR] wrong moves: +7775FU"),
        ("%%SETBUOY c-100-10 +777 1", "##[ERROR] wrong moves: +777"),
        ("%%SETBUOY c-100-10 +7776FU 0", "##[ERROR] invalid count: 0"),
        ("%%SETBUOY nothing +7776FU 1", "##[ERROR] wrong buoy game name: nothing"),
        ("%%GETBUOYCOUNT b-100-10", "##[GETBUOYCOUNT] 1"),
        ("%%DELETEBUOY c-100-10", "##[ERROR] buoy game not found: c-100-10"),
    ] {
        server.say(id, command);
        assert_eq!(server.told(id)[0], answer, "{command}");
    }
    let a = server.login("a", "b-100-10");
    let b = server.login("b", "b-100-10");
    let summary = server.proposal(a).unwrap();
    assert!(summary.start.sfen().starts_with("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/"));
    server.say(id, "%%GETBUOYCOUNT b-100-10");
    assert_eq!(server.told(id)[0], "##[GETBUOYCOUNT] -1", "used up");
    server.agree([a, b]);
    let black = if summary.names[0] == "a" { a } else { b };
    server.say(black, "+2726FU");
    server.say(id, &format!("%%FORK {} f-100-10 1", summary.id));
    assert_eq!(server.told(id).last().unwrap(), "##[FORK] +OK");
    server.login("c", "f-100-10");
    let d = server.login("d", "f-100-10");
    assert!(server.proposal(d).unwrap().start.sfen().contains("/2P4P1/"));
}

#[test]
fn games_are_forked_while_they_run_and_when_they_are_over() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    for (id, text) in [(black, "+7776FU"), (white, "-3334FU"), (black, "+2726FU")] {
        server.say(id, text);
    }
    let id = server.connect_from("z").unwrap();
    server.say(id, "LOGIN maker pw x1");
    server.say(id, "%%LIST");
    let game = server.told(id).iter().find_map(|l| l.strip_prefix("##[LIST] ").map(str::to_owned));
    let game = game.unwrap();
    // Two wait for what has not been prepared.
    let [c, d] = ["c", "d"].map(|name| server.login(name, "buoy_test_2-100-10"));
    assert!(server.proposal(c).is_none());
    for (command, answer) in [
        (format!("%%FORK {game} 0"), "##[ERROR] number of moves to fork is out of range: 3."),
        (format!("%%FORK {game} 4"), "##[ERROR] number of moves to fork is out of range: 3."),
        (format!("%%FORK {game} nonsense 1"), "##[ERROR] wrong buoy game name: nonsense"),
        (format!("%%FORK {game}"), "##[FORK]: new buoy game name: buoy_test_2-100-10"),
    ] {
        server.say(id, &command);
        assert_eq!(server.told(id)[0], answer, "{command}");
    }
    let summary = server.proposal(c).unwrap();
    assert!(summary.start.sfen().starts_with("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/"));
    assert!(server.proposal(d).is_some());
    server.say(white, "%TORYO");
    // It is not here any more: the executable is asked, and the game's moves are found.
    for (command, answer) in [
        (format!("%%FORK {game} 3"), "##[FORK]: new buoy game name: buoy_test_3-100-10"),
        ("%%FORK nothing".to_owned(), "##[ERROR] wrong source game name: nothing"),
    ] {
        server.say(id, &command);
        assert_eq!(server.told(id)[0], answer, "{command}");
    }
}

#[test]
fn games_nobody_comes_back_to_are_given_up() {
    let settings = Settings { abandon: Some(s(3600)), ..Settings::default() };
    // Who is there when the time is over, and who has won then.
    for (here, winner) in
        [(vec![], None), (vec!["a"], Some(Color::Black)), (vec!["b"], Some(Color::White))]
    {
        let mut server = TestLobby::new(settings.clone());
        let [black, _] = server.pair(["a", "b"], "test-100-10");
        server.say(black, "+7776FU");
        let conditions = Arc::clone(server.lobby.rooms.values().next().unwrap().room.conditions());
        let mut server = TestLobby::new(settings.clone());
        let played = [("+7776FU", s(0))];
        let room = Room::restore(conditions, None, played, [0; 2]).unwrap();
        server.lobby.restore(room, server.now);
        server.wait(s(3599));
        assert_eq!(server.ends(), 0);
        for name in here {
            server.login(name, "test-100-10");
        }
        server.wait(s(2));
        let finish = server.stored.iter().find_map(|stored| match stored {
            Stored::Game { entry: Entry::Ended(finish), .. } => Some(finish.clone()),
            _ => None,
        });
        let finish = finish.unwrap();
        assert_eq!(finish.winner(), winner);
        assert_eq!(finish.ending.reason, play::Reason::Abandoned);
        assert_eq!(finish.reason(), csa::ReasonWord::IllegalAction);
        assert!(server.lobby.rooms.is_empty() && server.lobby.suspended.is_empty());
    }
}

#[test]
fn two_games_within_a_second_have_two_ids() {
    let mut server = TestLobby::open();
    let mut ids = Vec::new();
    for _ in 0..3 {
        let [black, _] = server.pair(["a", "b"], "test-100-10");
        ids.push(server.lobby.rooms.values().next().unwrap().room.conditions().id.clone());
        server.say(black, "%TORYO");
        assert!(server.lobby.rooms.is_empty());
        for id in server.lobby.connections.keys().copied().collect::<Vec<_>>() {
            server.drop_line(id);
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

#[test]
fn a_turn_begins_when_its_player_has_been_told() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.wait(s(5));
    // The line was read now; storing it takes three seconds.
    server.lobby.line(black, &Received::Line("+7776FU".to_owned()), server.now);
    server.now.at += s(3);
    server.settle();
    server.wait(s(2));
    server.say(white, "-3334FU");
    server.expect(white, &["+7776FU,T5", "-3334FU,T2"]);
    // And the flag falls so much later.
    server.lobby.line(black, &Received::Line("+2726FU".to_owned()), server.now);
    server.now.at += s(3);
    server.settle();
    server.wait(s(107));
    assert_eq!(server.ends(), 0, "98 and 10 seconds");
    server.wait(s(1));
    assert_eq!(server.ends(), 1);
}

#[test]
fn after_a_restart_both_go_on_with_their_clocks_as_they_were() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.wait(s(30));
    server.say(black, "+7776FU");
    server.wait(s(40));
    server.say(white, "-3334FU");
    server.wait(s(50));
    // The server dies here: only what was stored is left.
    let mut moves = Vec::new();
    let mut conditions = None;
    for stored in &server.stored {
        if let Stored::Game { conditions: c, entry, .. } = stored {
            conditions = Some(Arc::clone(c));
            if let Entry::Move { text, time, .. } = entry {
                moves.push((text.clone(), *time));
            }
        }
    }
    let played = moves.iter().map(|(text, time)| (text.as_str(), *time));
    let room = Room::restore(conditions.unwrap(), None, played, [0; 2]).unwrap();
    let mut server = TestLobby::open();
    server.lobby.restore(room, server.now);
    let white = server.login("b", "test-100-10");
    server.expect(white, &["LOGIN:b OK"]);
    server.wait(s(100));
    let black = server.login("a", "test-100-10");
    let summary = server.proposal(black).unwrap();
    assert_eq!(summary.played.len(), 2);
    server.agree([black, white]);
    server.wait(s(79));
    server.say(black, "+2726FU");
    server.expect(white, &["+2726FU,T79"]);
    server.say(white, "-8384FU");
    server.wait(Duration::from_millis(9_999));
    assert_ne!(server.told(black).last().unwrap(), "#LOSE");
    server.wait(Duration::from_millis(1));
    assert_eq!(server.told(black), ["#TIME_UP", "#LOSE"], "nothing but byoyomi was left");
}

#[test]
fn stopping_lets_nobody_begin_and_stores_what_runs() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.say(black, "+7776FU");
    server.lobby.drain();
    let c = server.login("c", "x-100-10");
    let d = server.login("d", "x-100-10");
    assert!(server.proposal(c).is_none() && server.proposal(d).is_none());
    server.say(white, "-3334FU");
    assert_eq!(server.lobby.running(), 1);
    server.lobby.interrupt_all(server.now);
    server.settle();
    assert_eq!(server.told(black).last().unwrap(), "#CHUDAN");
    assert_eq!(server.lobby.running(), 0);
    let Some(Stored::Game { entry, .. }) = server.stored.last() else { panic!("nothing stored") };
    assert_eq!(*entry, Entry::Interrupted(None));
}
