//! Faults that scripted clients once found, in virtual time: each test fails without its remedy.

use super::*;
use csa::summary::ENTERING_KING_RULE;
use rules::{AnyPosition, Declaration, Game};

fn extended(server: &mut TestLobby, name: &str, password: &str) -> ConnId {
    let id = server.connect_from(&format!("address-of-{name}")).unwrap();
    server.say(id, &format!("LOGIN {name} {password} x1"));
    assert_eq!(server.told(id)[0], format!("LOGIN:{name} OK"));
    id
}

fn refused(server: &mut TestLobby, line: &str) -> String {
    let id = server.connect_from("somewhere").unwrap();
    server.say(id, line);
    let told = server.told(id);
    assert_eq!(told[0], "LOGIN:incorrect", "{line}: {told:?}");
    told[1].strip_prefix("##[ERROR] ").expect("a reason").to_owned()
}

fn with_rounds() -> Settings {
    let game = GameName::parse("floodgate-300-10F").unwrap();
    let timetables = vec![Timetable::every(game, 1800, 0)];
    Settings { timetables, referees: vec!["ref".to_owned()], ..Settings::default() }
}

#[test]
fn nobody_prepares_the_opening_of_a_rated_round() {
    let mut server = TestLobby::new(with_rounds());
    let id = extended(&mut server, "guest", "test-100-10");
    for name in ["floodgate-300-10F", "test-100-10", "default-1500-0", "buoy-100-10"] {
        server.say(id, &format!("%%SETBUOY {name} +9796FU 1"));
        assert!(server.told(id)[0].starts_with("##[ERROR] wrong buoy game name"), "{name}");
    }
    let players = ["a", "b"].map(|name| server.login(name, "floodgate-300-10F,x"));
    server.wait(s(1000));
    let summary = server.proposal(players[0]).unwrap();
    assert_eq!(summary.start, AnyPosition::startpos(Game::Shogi));
}

#[test]
fn buoys_are_bounded_per_owner_survive_a_restart_and_a_rejected_game() {
    let mut server = TestLobby::open();
    let id = extended(&mut server, "maker", "pw");
    for n in 0..20 {
        server.say(id, &format!("%%SETBUOY buoy_{n}-100-10 +7776FU 2"));
        server.expect(id, &["##[SETBUOY] +OK"]);
    }
    server.say(id, "%%SETBUOY buoy_more-100-10 +7776FU 1");
    assert!(server.told(id)[0].contains("20 buoy games"));
    let other = extended(&mut server, "other", "pw");
    server.say(other, "%%DELETEBUOY buoy_0-100-10");
    assert!(server.told(other)[0].contains("not allowed"));
    // A game that does not come about uses nothing up; one that does is not rated.
    let [a, b] = ["a", "b"].map(|name| server.login(name, "buoy_0-100-10,x"));
    server.say(a, "REJECT");
    server.say(id, "%%GETBUOYCOUNT buoy_0-100-10");
    assert_eq!(server.told(id)[0], "##[GETBUOYCOUNT] 2");
    server.told(b);
    server.say(a, "CHALLENGE");
    server.told(a);
    server.agree([a, b]);
    let rated = server.stored.iter().rev().find_map(|stored| match stored {
        Stored::Game { conditions, .. } => Some(conditions.rated),
        _ => None,
    });
    assert_eq!(rated, Some(false));
    let mut server = server.restarted(Settings::default());
    let id = extended(&mut server, "maker", "pw");
    for (name, left) in [("buoy_0", 1), ("buoy_19", 2), ("buoy_20", -1)] {
        server.say(id, &format!("%%GETBUOYCOUNT {name}-100-10"));
        assert_eq!(server.told(id)[0], format!("##[GETBUOYCOUNT] {left}"), "{name}");
    }
}

#[test]
fn moves_in_turn_never_count_as_a_flood() {
    let mut server = TestLobby::open();
    let players = server.pair(["a", "b"], "test-100-10");
    let line = ["+2858HI", "-8252HI", "+5828HI", "-5282HI"];
    // Many moves in the same instant; pawns between them, lest a position comes four times.
    let pawns =
        ["+1716FU", "-1314FU", "+9796FU", "-9394FU", "+3736FU", "-7374FU", "+4746FU", "-6364FU"];
    let mut sent = 0;
    for pawn in pawns.chunks(2) {
        for text in line.iter().cycle().take(8).chain(pawn) {
            server.say(players[sent % 2], text);
            sent += 1;
        }
    }
    assert_eq!((server.closed.len(), server.ends()), (0, 0), "{sent} moves");
    let mut server = TestLobby::new(Settings {
        limits: Limits { burst: 3, rate: 1, ..Limits::default() },
        ..Settings::default()
    });
    let players = server.pair(["a", "b"], "test-100-10");
    for (n, text) in line.iter().cycle().take(10).enumerate() {
        server.say(players[n % 2], text);
    }
    assert_eq!((server.closed.len(), server.ends()), (0, 0));
}

#[test]
fn every_close_is_told_with_its_reason() {
    let mut server = TestLobby::open();
    let idle = server.login("a", "x-100-10");
    server.told(idle);
    for _ in 0..100 {
        server.say(idle, "AGREE");
    }
    let last = server.told(idle).pop();
    assert_eq!(last.as_deref(), Some("##[ERROR] closed: too many lines in too short a time"));
    let silent = server.connect_from("silent").unwrap();
    server.wait(s(60));
    assert!(server.told(silent)[0].contains("nobody logged in"));
    let first = server.login("b", "x-100-10,s");
    server.told(first);
    server.login("b", "x-100-10,s");
    assert!(server.told(first)[0].contains("another connection"));
    let reasons = [Closing::Flood, Closing::LoginTimeout, Closing::Replaced];
    assert_eq!(server.reasons, reasons);
    // Nonsense, one line a second.
    let noisy = server.login("c", "y-100-10");
    while !server.closed.contains(&noisy) {
        server.wait(s(1));
        server.say(noisy, "hello");
    }
    let told = server.told(noisy);
    assert_eq!(told.iter().filter(|line| *line == "##[ERROR] unknown command").count(), 50);
    assert_eq!(told.last().unwrap(), "##[ERROR] closed: too many lines that mean nothing here");
    assert_eq!(server.reasons.pop(), Some(Closing::Offences));
}

#[test]
fn who_is_banned_is_told_and_who_leaves_after_its_game_need_not_be() {
    let mut server = TestLobby::new(Settings { repeat: Repeat::Close, ..with_rounds() });
    server.accounts(&["ref"]);
    let referee = extended(&mut server, "ref", "pw");
    let crook = server.login("crook", "x-100-10");
    server.told(crook);
    server.say(referee, "%%REFEREE ban crook");
    assert_eq!(server.told(crook), ["##[ERROR] closed: the referee has banned you"]);
    assert_eq!(server.reasons, [Closing::Banned]);
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.say(black, "%TORYO");
    server.expect(black, &["%TORYO,T0", "#RESIGN", "#LOSE"]);
    server.expect(white, &["%TORYO,T0", "#RESIGN", "#WIN"]);
    assert_eq!(server.reasons[1..], [Closing::GameOver; 2]);
}

#[test]
fn what_is_no_move_loses_no_game_in_turn_or_out_of_turn() {
    let limits = Limits { offences: 10, ..Limits::default() };
    let mut server = TestLobby::new(Settings { limits, ..Settings::default() });
    let [black, white] = server.pair(["a", "b"], "test-1000-10");
    let nonsense = [
        Received::Line("hello there".to_owned()),
        Received::NotText("こんにちは".to_owned()),
        Received::Line("'comment".to_owned()),
        Received::Line("AGREE".to_owned()),
        Received::Line("REJECT".to_owned()),
        Received::Line("CHALLENGE".to_owned()),
        Received::Line("LOGIN a test-1000-10-B".to_owned()),
        Received::TooLong("x".repeat(70_000)),
    ];
    let quiet = ["", " ", "\t", "%%%keep alive"].map(|text| Received::Line(text.to_owned()));
    for id in [black, white] {
        for line in nonsense.iter().chain(&quiet) {
            server.wait(s(1));
            server.lobby.line(id, line, server.now);
            server.settle();
            let told = server.told(id);
            let answered = told.len() == 1 && told[0].starts_with("##[ERROR] ");
            assert_eq!(answered, nonsense.contains(line), "{line:?}: {told:?}");
        }
    }
    assert_eq!((server.ends(), server.closed.len()), (0, 0));
    let time = 2 * (nonsense.len() + quiet.len());
    server.say(black, " +2726FU");
    server.expect(black, &[&format!("+2726FU,T{time}")]);
    server.say(white, "\t-8384FU,'* 0");
    assert_eq!(server.told(white).last().unwrap(), "-8384FU,T0");
    // Who plays on may say something with every move; who only talks is sent away.
    let rooks = ["+2858HI", "-8252HI", "+5828HI", "-5282HI"];
    // Pawns between them, lest a position comes four times.
    let pawns = ["+1716FU", "-1314FU", "+9796FU", "-9394FU", "+3736FU", "-7374FU"];
    let moves = pawns.chunks(2).flat_map(|pair| rooks.iter().cycle().take(8).chain(pair));
    for (n, text) in moves.enumerate() {
        let id = [black, white][n % 2];
        server.wait(s(1));
        server.say(id, "thinking");
        server.say(id, text);
    }
    assert_eq!((server.ends(), server.closed.len()), (0, 0));
    server.told(black);
    while !server.closed.contains(&black) {
        server.wait(s(1));
        server.say(black, "thinking");
    }
    assert_eq!(server.reasons, [Closing::Offences]);
}

#[test]
fn comments_and_chat_in_any_encoding_lose_no_game() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    let long = format!("+2726FU,'* 1 {}", "長".repeat(3000));
    let lines = [
        (black, Received::NotText("+7776FU,'* 30 先手".to_owned())),
        (white, Received::Line("-3334FU,'* 12\t+2726FU".to_owned())),
        (black, Received::TooLong(long)),
        (white, Received::Line("-8384FU \t".to_owned())),
        (black, Received::Line("%%CHAT hello".to_owned())),
        (black, Received::NotText("%%CHAT こんにちは".to_owned())),
        (black, Received::Line("+2625FU,T3".to_owned())),
    ];
    for (id, line) in lines {
        server.lobby.line(id, &line, server.now);
        server.settle();
    }
    assert_eq!(server.ends(), 0);
    let moves: Vec<(String, Option<String>)> = server
        .stored
        .iter()
        .filter_map(|stored| match stored {
            Stored::Game { entry: Entry::Move { text, comment, .. }, .. } => {
                Some((text.clone(), comment.clone()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(moves.len(), 5);
    assert_eq!(moves[0], ("+7776FU".to_owned(), Some("* 30 先手".to_owned())));
    assert_eq!(moves[1].1.as_deref(), Some("* 12 +2726FU"));
    // Said twice is said once: a second copy of one's own move.
    server.say(black, "+2625FU");
    assert_eq!(server.ends(), 0);
    server.say(white, "%TORYO ");
    assert_eq!(server.ends(), 1);
}

#[test]
fn logins_are_answered_with_what_is_wrong() {
    let mut server = TestLobby::new(with_rounds());
    for (line, part) in [
        ("LOGIN a", "LOGIN takes a name and a password"),
        ("LOGIN  a b", "LOGIN takes a name and a password"),
        ("LOGIN 鵺 test-100-10", "'鵺'"),
        ("LOGIN a 鵺", "ASCII"),
        (
            "LOGIN a floodgate-900-0",
            "floodgate-900-0 is not played here; there is floodgate-300-10F",
        ),
        ("LOGIN a floodgate-300-10F", "for accounts: LOGIN a floodgate-300-10F,password"),
        ("LOGIN a test_300_10F", "if you meant a game, its name is test-300-10F"),
        ("LOGIN a test_300_10F,secret", "its name is test-300-10F"),
        ("LOGIN a floodgate-300-10f", "its name is floodgate-300-10F"),
    ] {
        let why = refused(&mut server, line);
        assert!(why.contains(part), "{line}: {why}");
    }
    for password in [
        "test-300",
        "test-300-",
        "test-300-10FF",
        "test-300-10F-X",
        "test-300-10F-",
        "test300-10F",
        "test-10m-10s",
        "test-300,pw",
        "test-300-10F-X,pw",
        "floodgate,pw",
        "nogame,pw",
    ] {
        let why = refused(&mut server, &format!("LOGIN a {password}"));
        assert!(why.contains("if you meant a game, its name is "), "{password}: {why}");
    }
    assert!(refused(&mut server, "LOGIN a floodgate,pw").contains("floodgate-300-10F"));
    assert!(
        server.accounts.is_empty(),
        "nobody became an account by a slip: {:?}",
        server.accounts
    );
    // Nor is anybody shut out for one: all of these came from the same address.
    let id = server.connect_from("somewhere").unwrap();
    server.say(id, "LOGIN a test-300-10F,pw");
    server.expect(id, &["LOGIN:a OK"]);
    // But a wrong password of an account counts, whatever it looks like.
    for n in 0..10 {
        refused(&mut server, &format!("LOGIN a test-{n}"));
    }
    assert!(refused(&mut server, "LOGIN b test-300-10F,pw").contains("too many wrong passwords"));
    // Who has such a password keeps it.
    server.accounts.insert("old".to_owned(), "test_300_10F".to_owned());
    let old = server.login("old", "test_300_10F");
    server.expect(old, &["LOGIN:old OK"]);
    server.say(old, "nonsense");
    server.expect(old, &["##[ERROR] unknown command"]);
}

#[test]
fn who_waits_is_told_for_what() {
    let mut server = TestLobby::new(with_rounds());
    let id = server.connect_from("x").unwrap();
    server.say(id, "LOGIN x test-100-10 x1");
    let waiting = "waiting for an opponent in test-100-10";
    let game = format!("##[GAME] {waiting}");
    server.expect(id, &["LOGIN:x OK", "##[LOGIN] +OK x1", &game, "##[GAME] +OK"]);
    let round = server.connect_from("y").unwrap();
    server.say(round, "LOGIN y floodgate-300-10F,pw x1");
    assert!(server.told(round)[2].contains("waiting for the round of floodgate-300-10F at "));
    // A word about a game that there is not, in either mode.
    let plain = server.login("z", "other-100-10");
    server.expect(plain, &["LOGIN:z OK"]);
    for line in ["AGREE", "REJECT", "+7776FU", "%TORYO"] {
        server.say(id, line);
        server.expect(id, &[&format!("##[ERROR] you have no game: {waiting}")]);
        server.say(plain, line);
        let want = "##[ERROR] you have no game: waiting for an opponent in other-100-10";
        server.expect(plain, &[want]);
    }
    server.say(id, "%%GAME");
    server.told(id);
    server.say(id, "AGREE");
    server.expect(id, &["##[ERROR] you have no game: ask for one with %%GAME"]);
    // What crosses the end of a game on its way is let pass, later it is answered.
    let [black, white] = server.pair(["a", "b"], "test-100-20");
    server.say(black, "%TORYO");
    server.told(white);
    server.say(white, "-3334FU");
    server.expect(white, &[]);
    server.wait(s(10));
    server.say(white, "-3334FU");
    server.expect(white, &["##[ERROR] you have no game: ask for one with CHALLENGE"]);
    // A proposal is answered with a word on it.
    let [one, _] = ["c", "d"].map(|name| server.login(name, "test-100-30"));
    let id = server.proposal(one).unwrap().id;
    server.say(one, "AGREE another");
    server.expect(one, &[&format!("##[ERROR] the game proposed is {id}: AGREE or REJECT")]);
    server.say(one, "+7776FU");
    server.expect(one, &[&format!("##[ERROR] {id} has yet to be agreed to: AGREE or REJECT")]);
}

#[test]
fn who_leaves_during_a_proposal_is_let_go_and_its_opponent_waits_on() {
    let mut server = TestLobby::open();
    let [a, b] = ["a", "b"].map(|name| server.login(name, "test-100-10"));
    server.say(b, "AGREE");
    server.told(b);
    server.told(a);
    server.say(a, "LOGOUT");
    assert_eq!(server.told(a).last().unwrap(), "LOGOUT:completed");
    assert_eq!(server.reasons, [Closing::LoggedOut]);
    assert!(server.told(b)[0].ends_with(" by a"));
    let c = server.login("c", "test-100-10");
    assert!(server.proposal(c).is_some() && server.proposal(b).is_some(), "b kept its place");
}

#[test]
fn who_does_not_agree_is_not_proposed_to_again_and_again() {
    let mut server = TestLobby::new(Settings { repeat: Repeat::Wait, ..with_rounds() });
    let [a, b] = ["a", "b"].map(|name| server.login(name, "floodgate-300-10F,x"));
    server.wait(s(1000));
    assert!(server.proposal(a).is_some() && server.proposal(b).is_some());
    server.say(a, "AGREE");
    server.wait(s(120));
    assert_eq!(server.reasons, [Closing::Silent], "b said nothing");
    server.told(a);
    let c = server.login("c", "floodgate-300-10F,x");
    server.wait(s(1680));
    assert!(server.proposal(a).is_some(), "a waited on");
    // Who says no is left alone until it asks.
    server.say(c, "REJECT");
    server.told(a);
    server.told(c);
    let d = server.login("d", "floodgate-300-10F,x");
    server.wait(s(1800));
    assert!(server.proposal(a).is_some() && server.proposal(d).is_some());
    assert!(server.proposal(c).is_none());
}

#[test]
fn the_seat_of_a_guest_needs_the_same_password() {
    let mut server = TestLobby::open();
    let [black, white] = server.pair(["a", "b"], "test-100-10");
    server.say(black, "+7776FU");
    server.drop_line(white);
    for line in ["LOGIN b test-100-10", "LOGIN b test-100-10-W,secret", "LOGIN b other-100-10"] {
        assert!(refused(&mut server, line).contains("same password"), "{line}");
    }
    assert!(server.accounts.is_empty());
    // Also after a restart.
    let mut server = server.restarted(Settings::default());
    assert!(refused(&mut server, "LOGIN b test-100-10").contains("same password"));
    server.login("a", "test-100-10-B");
    let back = server.login("b", "test-100-10-W");
    assert_eq!(server.proposal(back).unwrap().played.len(), 1);
    // When the game is over the name is free.
    let black = *server.lobby.present.get(&UserName::new("a").unwrap()).unwrap();
    server.agree([black, back]);
    server.say(back, "%TORYO");
    server.drop_line(back);
    let anybody = server.login("b", "other-100-10");
    assert_eq!(server.told(anybody), ["LOGIN:b OK"]);
}

#[test]
fn blocks_bans_and_waiting_survive_a_restart() {
    let settings = || Settings { abandon: Some(s(3600)), ..with_rounds() };
    let mut server = TestLobby::new(settings());
    server.accounts(&["ref", "x", "y"]);
    let referee = extended(&mut server, "ref", "pw");
    for order in ["ban x 60 played with two engines", "ban y"] {
        server.say(referee, &format!("%%REFEREE {order}"));
        assert_eq!(server.told(referee).last().unwrap(), "##[REFEREE] +OK");
    }
    for _ in 0..10 {
        refused(&mut server, "LOGIN ref wrong");
    }
    let [black, _] = server.pair(["a", "b"], "test-100-10");
    server.say(black, "+7776FU");
    server.wait(s(60));
    let mut server = server.restarted(settings());
    assert!(refused(&mut server, "LOGIN z pw").contains("too many wrong passwords"));
    let id = server.login("x", "pw");
    assert!(server.told(id)[1].contains("x is banned until"), "with date and reason");
    // The game has waited fifty minutes when the server is restarted once more.
    server.wait(s(3000));
    let mut server = server.restarted(settings());
    server.wait(s(599));
    assert_eq!(server.ends(), 0, "nobody loses in the moment the server is back");
    server.wait(s(2));
    assert_eq!(server.ends(), 1, "but it does not wait for another hour");
    server.wait(s(600));
    let id = server.login("x", "pw");
    assert_eq!(server.told(id)[0], "LOGIN:x OK", "the hour is over");
    let id = server.login("y", "pw");
    assert_eq!(server.told(id)[1], "##[ERROR] y is banned");
}

#[test]
fn rules_of_declaration_are_set_by_game_announced_and_kept() {
    let offer = |name: &str, declaration| Offer {
        name: GameName::parse(name).unwrap(),
        start: AnyPosition::from_sfen(Game::Shogi, "9/4K4/9/9/9/9/9/4k4/9 b - 1").unwrap(),
        times: None,
        max_moves: None,
        declaration,
    };
    let offers = vec![offer("try-100-10", Some(Declaration::Try)), offer("points-100-10", None)];
    let mut server = TestLobby::new(Settings { offers, ..Settings::default() });
    let black = server.login("a", "try-100-10-B");
    let white = server.login("b", "try-100-10-W");
    let summary = server.proposal(black).unwrap();
    assert_eq!(
        (summary.declaration.as_deref(), summary.entering_king_rule()),
        (None, Declaration::Try)
    );
    server.agree([black, white]);
    server.say(black, "+5251OU");
    assert_eq!(server.told(black), ["+5251OU,T0", "#JISHOGI", "#WIN"]);
    // The usual rule corrects for pieces that are not there, and says so; in an even game it is the
    // protocol's own.
    let handicap = server.login("c", "hc2p_x-100-10-B");
    server.login("d", "hc2p_x-100-10-W");
    let summary = server.proposal(handicap).unwrap();
    assert_eq!(summary.extra(ENTERING_KING_RULE), Some("CSARule27H"));
    assert_eq!(summary.entering_king_rule(), Declaration::Points27H);
    let even = server.login("e", "even-100-10-B");
    server.login("f", "even-100-10-W");
    let summary = server.proposal(even).unwrap();
    assert_eq!(summary.extra(ENTERING_KING_RULE), None);
    assert_eq!(summary.declaration.as_deref(), Some("Jishogi 1.1"));
}

#[test]
fn rounds_by_choice_leave_the_same_player_out_only_once() {
    let mut settings = with_rounds();
    settings.timetables[0].pairing = Pairing::Random;
    settings.timetables[0].max_moves = Some(99);
    let mut server = TestLobby::new(settings);
    let names = ["a", "b", "c"];
    let players = names.map(|name| server.login(name, "floodgate-300-10F,x"));
    let mut left_out = Vec::new();
    server.wait(s(1000));
    for _ in 0..3 {
        for (name, id) in names.iter().zip(players) {
            match server.proposal(id) {
                Some(summary) => {
                    assert_eq!(summary.max_moves, Some(99));
                    server.say(id, "AGREE");
                }
                None => left_out.push(*name),
            }
        }
        for id in players {
            server.say(id, "%TORYO");
        }
        for id in players {
            server.told(id);
        }
        server.wait(s(1800));
    }
    left_out.sort_unstable();
    assert_eq!(left_out, names, "everybody once");
}

#[test]
fn swiss_rounds_pair_winners_and_unrated_players_may_be_left_out() {
    let mut settings = with_rounds();
    settings.timetables[0].pairing = Pairing::Swiss;
    let mut server = TestLobby::new(settings);
    let ratings = [("a", 2000.0), ("b", 1900.0), ("c", 1800.0), ("d", 1700.0)];
    server.lobby.set_ratings(ratings.iter().map(|&(n, r)| (n.to_owned(), r)).collect());
    let players = ["a", "b", "c", "d"].map(|name| server.login(name, "floodgate-300-10F,x"));
    server.wait(s(1000));
    // a-b and c-d; b and d win.
    for id in players {
        server.say(id, "AGREE");
    }
    for (loser, winner) in [(0, 1), (2, 3)] {
        let summary = server.proposal(players[loser]).unwrap();
        if summary.your_turn == Color::White {
            server.say(players[winner], "+7776FU");
        }
        server.say(players[loser], "%TORYO");
    }
    for id in players {
        server.told(id);
    }
    server.wait(s(1800));
    let names = server.proposal(players[1]).unwrap().names;
    assert!(names.contains(&"d".to_owned()), "{names:?}");
    let mut settings = with_rounds();
    settings.timetables[0].exclude_unrated = true;
    let mut server = TestLobby::new(settings);
    server.lobby.set_ratings([("a".to_owned(), 1.0), ("b".to_owned(), 2.0)].into());
    let players = ["a", "b", "n", "m"].map(|name| server.login(name, "floodgate-300-10F,x"));
    server.wait(s(1000));
    let proposed = players.map(|id| server.proposal(id).is_some());
    assert_eq!(proposed, [true, true, false, false]);
}
