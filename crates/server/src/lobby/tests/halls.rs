//! Logins, waiting, watching: section 3.1 of the protocol, the test server's habits, floodgate's.

use super::*;

#[test]
fn login_and_logout() {
    let mut house = House::open();
    let id = house.login("TANUKI", "secret");
    house.expect(id, &["LOGIN:TANUKI OK"]);
    house.say(id, "LOGOUT");
    house.expect(id, &["LOGOUT:completed"]);
    assert_eq!(house.closed, [id]);
}

#[test]
fn wrong_logins_are_refused_and_limited() {
    let mut house = House::open();
    house.login("TANUKI", "secret");
    for name in ["TANUKI", "a b", "鵺", &"x".repeat(33)] {
        let id = house.login(name, "wrong");
        let told = house.told(id);
        assert!(told.is_empty() || told == ["LOGIN:incorrect"], "{name}: {told:?}");
        assert_ne!(told, ["LOGIN:TANUKI OK"]);
    }
    // Ten wrong passwords from one address, then not even the right one.
    let attempt = |house: &mut House, password: &str| {
        let id = house.connect_from("burglar").unwrap();
        house.say(id, &format!("LOGIN TANUKI {password}"));
        house.told(id)
    };
    for n in 0..10 {
        assert_eq!(attempt(&mut house, &format!("guess{n}")), ["LOGIN:incorrect"]);
    }
    assert_eq!(attempt(&mut house, "secret"), ["LOGIN:incorrect"]);
    house.wait(s(601));
    assert_eq!(attempt(&mut house, "secret"), ["LOGIN:TANUKI OK"]);
}

#[test]
fn who_does_not_log_in_is_shown_the_door() {
    let mut house = House::open();
    let id = house.connect_from("silent").unwrap();
    house.wait(s(59));
    assert!(house.closed.is_empty());
    house.wait(s(1));
    assert_eq!(house.closed, [id]);
    let id = house.connect_from("noisy").unwrap();
    for _ in 0..10 {
        house.say(id, "GET / HTTP/1.1");
    }
    assert!(house.closed.contains(&id));
}

#[test]
fn connections_are_counted_by_address() {
    let limits = Limits { connections: 5, per_address: 2, ..Limits::default() };
    let mut house = House::new(Settings { limits, ..Settings::default() });
    let first = house.connect_from("a").unwrap();
    assert!(house.connect_from("a").is_some());
    assert!(house.connect_from("a").is_none());
    house.drop_line(first);
    assert!(house.connect_from("a").is_some());
    for peer in ["b", "c", "d"] {
        assert!(house.connect_from(peer).is_some());
    }
    assert!(house.connect_from("e").is_none(), "five in all");
}

#[test]
fn a_flood_of_lines_ends_the_connection() {
    let mut house = House::open();
    let id = house.login("a", "x-100-10");
    for _ in 0..30 {
        house.wait(Duration::from_millis(50));
        house.say(id, "AGREE");
    }
    assert!(house.closed.is_empty(), "twenty a second are fine");
    for _ in 0..100 {
        house.say(id, "AGREE");
    }
    assert_eq!(house.closed, [id]);
}

#[test]
fn two_who_wait_for_the_same_game_play_it() {
    let mut house = House::open();
    let a = house.login("a", "test-100-10F");
    let other = house.login("other", "test-100-20F");
    let b = house.login("b", "test-100-10F,trip");
    assert_eq!(house.told(other), ["LOGIN:other OK"]);
    let summary = house.proposal(a).unwrap();
    assert_eq!(summary.times, csa::Times::Both(csa::TimeRule::fischer(100, 10)));
    assert!(summary.id.starts_with("nue+test-100-10F+"), "{}", summary.id);
    assert!(summary.id.ends_with("+20260921141320"), "{}", summary.id);
    assert_eq!(house.proposal(b).unwrap().id, summary.id);
    let mut names = summary.names.clone();
    names.sort();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn wishes_for_colours_are_granted() {
    let mut house = House::open();
    let a = house.login("a", "test-100-10-W");
    let b = house.login("b", "test-100-10-W");
    assert!(house.proposal(b).is_none(), "both want White");
    let c = house.login("c", "test-100-10");
    assert_eq!(house.proposal(a).unwrap().your_turn, Color::White);
    assert_eq!(house.proposal(c).unwrap().names, ["c", "a"]);
    let d = house.login("d", "test-100-10-B");
    assert_eq!(house.proposal(d).unwrap().names, ["d", "b"]);
}

#[test]
fn a_whole_game_and_a_challenge_after_it() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    house.say(black, "+7776FU");
    house.wait(s(3));
    house.say(white, "%TORYO");
    house.expect(black, &["+7776FU,T0", "%TORYO,T3", "#RESIGN", "#WIN"]);
    house.expect(white, &["+7776FU,T0", "%TORYO,T3", "#RESIGN", "#LOSE"]);
    assert_eq!(house.ends(), 1);
    house.wait(s(1000));
    assert!(house.told(black).is_empty() && house.told(white).is_empty());
    house.say(black, "CHALLENGE");
    house.expect(black, &["CHALLENGE ACCEPTED"]);
    house.say(white, "CHALLENGE");
    assert!(house.proposal(black).is_some() && house.proposal(white).is_some());
}

#[test]
fn what_follows_a_game_can_be_set() {
    for (repeat, again, closed) in [(Repeat::Wait, true, 0), (Repeat::Close, false, 2)] {
        let mut house = House::new(Settings { repeat, ..Settings::default() });
        let [black, white] = house.pair(["a", "b"], "test-100-10");
        house.say(black, "%TORYO");
        assert_eq!(house.proposal(white).is_some(), again);
        assert_eq!(house.closed.len(), closed);
    }
}

#[test]
fn empty_lines_are_answered_but_not_too_often() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-1000-10");
    house.wait(s(29));
    house.say(white, "");
    house.wait(s(5));
    house.expect(white, &[]);
    house.wait(s(25));
    house.say(white, "");
    house.expect(white, &[]);
    house.wait(s(1));
    house.expect(white, &[""]);
    house.say(black, "+7776FU");
    house.expect(white, &["+7776FU,T60"]);
}

#[test]
fn an_interrupted_game_is_taken_up_by_the_same_two() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    house.say(black, "+7776FU");
    house.say(white, "%CHUDAN");
    assert_eq!(house.told(black).last().unwrap(), "#CHUDAN");
    // Somebody else can be played meanwhile.
    house.say(black, "CHALLENGE");
    house.expect(black, &["CHALLENGE ACCEPTED"]);
    house.told(white);
    house.say(white, "CHALLENGE");
    let summary = house.proposal(white).unwrap();
    assert_eq!((summary.played.len(), summary.your_turn), (1, Color::White));
    house.agree([black, white]);
    house.say(white, "-3334FU");
    house.expect(black, &["-3334FU,T0"]);
}

#[test]
fn a_dropped_player_finds_its_game_again() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    house.say(black, "+7776FU");
    house.drop_line(white);
    house.wait(s(20));
    let back = house.login("b", "test-100-10");
    let summary = house.proposal(back).unwrap();
    assert_eq!(summary.extra("Elapsed_Time"), Some("20"));
    house.say(back, "AGREE");
    assert!(house.told(back)[0].starts_with("START:"));
    house.say(back, "-3334FU");
    house.expect(back, &["-3334FU,T20"]);
    assert_eq!(house.told(black).last().unwrap(), "-3334FU,T20");
}

#[test]
fn a_second_login_with_the_secret_replaces_the_first() {
    let mut house = House::open();
    let black = house.login("a", "test-100-10-B,sa");
    let white = house.login("b", "test-100-10-W,sb");
    house.agree([black, white]);
    let thief = house.connect_from("elsewhere").unwrap();
    house.say(thief, "LOGIN b test-100-10,guess");
    house.expect(thief, &["LOGIN:incorrect"]);
    assert!(house.closed.is_empty());
    let back = house.connect_from("elsewhere").unwrap();
    house.say(back, "LOGIN b test-100-10,sb");
    assert!(house.proposal(back).is_some());
    assert_eq!(house.closed, [white]);
    // A guest's name is safe from other addresses.
    let guest = house.login("g", "test-100-99");
    let other = house.connect_from("elsewhere").unwrap();
    house.say(other, "LOGIN g test-100-99");
    house.expect(other, &["LOGIN:incorrect"]);
    assert!(!house.closed.contains(&guest));
}

#[test]
fn only_games_between_known_players_are_rated() {
    for (passwords, rated) in
        [(["g-100-10,x", "g-100-10,y"], true), (["g-100-10,x", "g-100-10"], false)]
    {
        let mut house = House::open();
        let a = house.login("a", passwords[0]);
        let b = house.login("b", passwords[1]);
        house.agree([a, b]);
        let Some(Stored::Game { conditions, entry, .. }) = house.stored.first() else {
            panic!("nothing stored")
        };
        assert_eq!((conditions.rated, entry), (rated, &Entry::Started));
    }
}

#[test]
fn rounds_begin_by_the_clock_and_pair_neighbours() {
    let game = GameName::parse("floodgate-300-10F").unwrap();
    let timetables = vec![Timetable { game, every: 1800, offset: 0 }];
    let mut house = House::new(Settings { timetables, ..Settings::default() });
    let rating = |n: f64| n;
    let ratings = [("a", 3000.0), ("b", 1000.0), ("c", 2900.0), ("d", 1100.0)];
    house.lobby.set_ratings(ratings.iter().map(|&(n, r)| (n.to_owned(), rating(r))).collect());
    let players: Vec<ConnId> =
        ["a", "b", "c", "d", "e"].iter().map(|n| house.login(n, "floodgate-300-10F,x")).collect();
    for &id in &players {
        assert_eq!(house.told(id).len(), 1, "nothing but the login");
    }
    house.wait(s(1000));
    let summary = house.proposal(players[0]).unwrap();
    assert!(summary.names.contains(&"c".to_owned()), "{:?}", summary.names);
    assert!(house.proposal(players[1]).unwrap().names.contains(&"d".to_owned()));
    assert!(house.proposal(players[4]).is_none(), "one is left over");
    // Everybody plays again in the next round, with somebody else.
    for &id in &players[..4] {
        house.say(id, "AGREE");
    }
    for &id in &players[..4] {
        house.say(id, "%TORYO");
    }
    for &id in &players[..4] {
        house.told(id);
    }
    house.wait(s(1800));
    let again = house.proposal(players[0]).unwrap();
    assert!(!again.names.contains(&"c".to_owned()), "{:?}", again.names);
}

#[test]
fn extended_mode_answers() {
    let mut house = House::open();
    let id = house.connect_from("x").unwrap();
    house.say(id, "LOGIN viewer pw x1");
    house.expect(id, &["LOGIN:viewer OK", "##[LOGIN] +OK x1"]);
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    house.say(id, "%%LIST");
    let game = house.told(id)[0].trim_start_matches("##[LIST] ").to_owned();
    house.say(id, &format!("%%MONITOR2ON {game}"));
    let so_far = house.told(id);
    for line in ["N+a", "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "+", "+OK"] {
        assert!(so_far.contains(&format!("##[MONITOR2][{game}] {line}")), "{so_far:?}");
    }
    let lines = ["+7776FU", "T0", "+OK"].map(|line| format!("##[MONITOR2][{game}] {line}"));
    house.say(black, "+7776FU,'* 30");
    house.expect(id, &lines.each_ref().map(String::as_str));
    house.say(id, &format!("%%MONITOR2OFF {game}"));
    house.told(id);
    house.say(id, &format!("%%MONITORON {game}"));
    assert!(house.told(id).contains(&format!("##[MONITOR][{game}] Last_Move:+7776FU,T0")));
    house.say(white, "-3334FU");
    let full = house.told(id);
    assert!(full.contains(&format!("##[MONITOR][{game}] Last_Move:-3334FU,T0")), "{full:?}");
    assert_eq!(full.last(), Some(&format!("##[MONITOR][{game}] +OK")));
    house.say(id, &format!("%%MONITOROFF {game}"));
    house.told(id);
    house.say(id, &format!("%%SHOW {game}"));
    let shown = house.told(id);
    assert!(shown.contains(&"##[SHOW] Current_Turn:+".to_owned()));
    assert_eq!(shown.last().unwrap(), "##[SHOW] +OK");
    house.say(id, "%%WHO");
    let who = house.told(id);
    assert!(who.contains(&"##[WHO] viewer here".to_owned()), "{who:?}");
    house.say(id, "%%CHAT こんにちは");
    house.expect(id, &["##[CHAT][viewer] こんにちは"]);
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
        house.say(id, command);
        assert_eq!(house.told(id).last().unwrap(), answer, "{command}");
    }
    house.say(id, "%%GAME y-100-10 +");
    assert!(house.told(id).is_empty());
    let other = house.login("c", "y-100-10");
    assert_eq!(house.proposal(other).unwrap().names, ["viewer", "c"]);
}

#[test]
fn prepared_openings() {
    let mut house = House::open();
    let id = house.connect_from("x").unwrap();
    house.say(id, "LOGIN maker pw x1");
    house.told(id);
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
        house.say(id, command);
        assert_eq!(house.told(id)[0], answer, "{command}");
    }
    let a = house.login("a", "b-100-10");
    let b = house.login("b", "b-100-10");
    let summary = house.proposal(a).unwrap();
    assert!(summary.start.sfen().starts_with("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/"));
    house.say(id, "%%GETBUOYCOUNT b-100-10");
    assert_eq!(house.told(id)[0], "##[GETBUOYCOUNT] -1", "used up");
    house.agree([a, b]);
    let black = if summary.names[0] == "a" { a } else { b };
    house.say(black, "+2726FU");
    house.say(id, &format!("%%FORK {} f-100-10 1", summary.id));
    assert_eq!(house.told(id).last().unwrap(), "##[FORK] +OK");
    house.login("c", "f-100-10");
    let d = house.login("d", "f-100-10");
    assert!(house.proposal(d).unwrap().start.sfen().contains("/2P4P1/"));
}

#[test]
fn games_are_forked_while_they_run_and_when_they_are_over() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    for (id, text) in [(black, "+7776FU"), (white, "-3334FU"), (black, "+2726FU")] {
        house.say(id, text);
    }
    let id = house.connect_from("z").unwrap();
    house.say(id, "LOGIN maker pw x1");
    house.say(id, "%%LIST");
    let game = house.told(id).iter().find_map(|l| l.strip_prefix("##[LIST] ").map(str::to_owned));
    let game = game.unwrap();
    // Two wait for what has not been prepared.
    let [c, d] = ["c", "d"].map(|name| house.login(name, "buoy_test_2-100-10"));
    assert!(house.proposal(c).is_none());
    for (command, answer) in [
        (format!("%%FORK {game} 0"), "##[ERROR] number of moves to fork is out of range: 3."),
        (format!("%%FORK {game} 4"), "##[ERROR] number of moves to fork is out of range: 3."),
        (format!("%%FORK {game} nonsense 1"), "##[ERROR] wrong buoy game name: nonsense"),
        (format!("%%FORK {game}"), "##[FORK]: new buoy game name: buoy_test_2-100-10"),
    ] {
        house.say(id, &command);
        assert_eq!(house.told(id)[0], answer, "{command}");
    }
    let summary = house.proposal(c).unwrap();
    assert!(summary.start.sfen().starts_with("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/"));
    assert!(house.proposal(d).is_some());
    house.say(white, "%TORYO");
    // It is not here any more: the executable is asked, and the game's moves are found.
    for (command, answer) in [
        (format!("%%FORK {game} 3"), "##[FORK]: new buoy game name: buoy_test_3-100-10"),
        ("%%FORK nothing".to_owned(), "##[ERROR] wrong source game name: nothing"),
    ] {
        house.say(id, &command);
        assert_eq!(house.told(id)[0], answer, "{command}");
    }
}

#[test]
fn games_nobody_comes_back_to_are_given_up() {
    let settings = Settings { abandon: Some(s(3600)), ..Settings::default() };
    // Who is there when the time is over, and who has won then.
    for (here, winner) in
        [(vec![], None), (vec!["a"], Some(Color::Black)), (vec!["b"], Some(Color::White))]
    {
        let mut house = House::new(settings.clone());
        let [black, _] = house.pair(["a", "b"], "test-100-10");
        house.say(black, "+7776FU");
        let conditions = Arc::clone(house.lobby.rooms.values().next().unwrap().room.conditions());
        let mut house = House::new(settings.clone());
        let played = [("+7776FU", s(0))];
        let room = Room::restore(conditions, None, played, [0; 2]).unwrap();
        house.lobby.restore(room, house.now);
        house.wait(s(3599));
        assert_eq!(house.ends(), 0);
        for name in here {
            house.login(name, "test-100-10");
        }
        house.wait(s(2));
        let finish = house.stored.iter().find_map(|stored| match stored {
            Stored::Game { entry: Entry::Ended(finish), .. } => Some(finish.clone()),
            _ => None,
        });
        let finish = finish.unwrap();
        assert_eq!((finish.winner, finish.abandoned), (winner, true));
        assert_eq!(finish.reason, csa::Reason::IllegalAction);
        assert!(house.lobby.rooms.is_empty() && house.lobby.suspended.is_empty());
    }
}

#[test]
fn two_games_within_a_second_have_two_ids() {
    let mut house = House::open();
    let mut ids = Vec::new();
    for _ in 0..3 {
        let [black, _] = house.pair(["a", "b"], "test-100-10");
        ids.push(house.lobby.rooms.values().next().unwrap().room.conditions().id.clone());
        house.say(black, "%TORYO");
        assert!(house.lobby.rooms.is_empty());
        for id in house.lobby.connections.keys().copied().collect::<Vec<_>>() {
            house.drop_line(id);
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

#[test]
fn a_turn_begins_when_its_player_has_been_told() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    house.wait(s(5));
    // The line was read now; storing it takes three seconds.
    house.lobby.line(black, &Received::Line("+7776FU".to_owned()), house.now);
    house.now.at += s(3);
    house.settle();
    house.wait(s(2));
    house.say(white, "-3334FU");
    house.expect(white, &["+7776FU,T5", "-3334FU,T2"]);
    // And the flag falls so much later.
    house.lobby.line(black, &Received::Line("+2726FU".to_owned()), house.now);
    house.now.at += s(3);
    house.settle();
    house.wait(s(107));
    assert_eq!(house.ends(), 0, "98 and 10 seconds");
    house.wait(s(1));
    assert_eq!(house.ends(), 1);
}

#[test]
fn after_a_restart_both_go_on_with_their_clocks_as_they_were() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    house.wait(s(30));
    house.say(black, "+7776FU");
    house.wait(s(40));
    house.say(white, "-3334FU");
    house.wait(s(50));
    // The server dies here: only what was stored is left.
    let mut moves = Vec::new();
    let mut conditions = None;
    for stored in &house.stored {
        if let Stored::Game { conditions: c, entry, .. } = stored {
            conditions = Some(Arc::clone(c));
            if let Entry::Move { text, time, .. } = entry {
                moves.push((text.clone(), *time));
            }
        }
    }
    let played = moves.iter().map(|(text, time)| (text.as_str(), *time));
    let room = Room::restore(conditions.unwrap(), None, played, [0; 2]).unwrap();
    let mut house = House::open();
    house.lobby.restore(room, house.now);
    let white = house.login("b", "test-100-10");
    house.expect(white, &["LOGIN:b OK"]);
    house.wait(s(100));
    let black = house.login("a", "test-100-10");
    let summary = house.proposal(black).unwrap();
    assert_eq!(summary.played.len(), 2);
    house.agree([black, white]);
    house.wait(s(79));
    house.say(black, "+2726FU");
    house.expect(white, &["+2726FU,T79"]);
    house.say(white, "-8384FU");
    house.wait(Duration::from_millis(9_999));
    assert_ne!(house.told(black).last().unwrap(), "#LOSE");
    house.wait(Duration::from_millis(1));
    assert_eq!(house.told(black), ["#TIME_UP", "#LOSE"], "nothing but byoyomi was left");
}

#[test]
fn stopping_lets_nobody_begin_and_stores_what_runs() {
    let mut house = House::open();
    let [black, white] = house.pair(["a", "b"], "test-100-10");
    house.say(black, "+7776FU");
    house.lobby.drain();
    let c = house.login("c", "x-100-10");
    let d = house.login("d", "x-100-10");
    assert!(house.proposal(c).is_none() && house.proposal(d).is_none());
    house.say(white, "-3334FU");
    assert_eq!(house.lobby.running(), 1);
    house.lobby.interrupt_all(house.now);
    house.settle();
    assert_eq!(house.told(black).last().unwrap(), "#CHUDAN");
    assert_eq!(house.lobby.running(), 0);
    let Some(Stored::Game { entry, .. }) = house.stored.last() else { panic!("nothing stored") };
    assert_eq!(*entry, Entry::Interrupted(None));
}
