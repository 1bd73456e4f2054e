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
        assert_eq!(told[0], "LOGIN:incorrect", "{name}: {told:?}");
        assert!(told[1].starts_with("##[ERROR] "), "{name}: {told:?}");
    }
    // Ten wrong passwords from one address, then not even the right one.
    let attempt = |server: &mut TestLobby, password: &str| {
        let id = server.connect_from("burglar").unwrap();
        server.say(id, &format!("LOGIN TANUKI {password}"));
        server.told(id).remove(0)
    };
    for n in 0..10 {
        assert_eq!(attempt(&mut server, &format!("guess{n}")), "LOGIN:incorrect");
    }
    assert_eq!(attempt(&mut server, "secret"), "LOGIN:incorrect");
    server.wait(s(601));
    assert_eq!(attempt(&mut server, "secret"), "LOGIN:TANUKI OK");
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
    let back = server.login("b", "test-100-10-W");
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
    assert_eq!(server.told(thief)[0], "LOGIN:incorrect");
    assert!(server.closed.is_empty());
    let back = server.connect_from("elsewhere").unwrap();
    server.say(back, "LOGIN b test-100-10,sb");
    assert!(server.proposal(back).is_some());
    assert_eq!(server.closed, [white]);
    // A guest's name is safe from other addresses.
    let guest = server.login("g", "test-100-99");
    let other = server.connect_from("elsewhere").unwrap();
    server.say(other, "LOGIN g test-100-99");
    server.expect(other, &["LOGIN:incorrect", "##[ERROR] g is logged in already"]);
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
    let timetables = vec![Timetable::every(game, 1800, 0)];
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
