//! Extended mode: answers, prepared openings, forks.

use super::*;

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
        ("%%GAME nosuch +", "##[ERROR] nosuch is not the name of a game; one is test-300-10F"),
        ("%%CHALLENGE q-1-1 +", "##[ERROR] nobody waits for this game"),
        ("%%SHOW nothing", "##[SHOW] +OK"),
        ("%%MONITORON nothing", "##[MONITOR] +OK"),
    ] {
        server.say(id, command);
        assert_eq!(server.told(id).last().unwrap(), answer, "{command}");
    }
    server.say(id, "%%GAME y-100-10 +");
    server.expect(id, &["##[GAME] waiting for an opponent in y-100-10", "##[GAME] +OK"]);
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
        ("%%SETBUOY buoy_b-100-10 +7776FU-3334FU 1", "##[SETBUOY] +OK"),
        ("%%SETBUOY buoy_b-100-10 +7776FU 1", "##[ERROR] duplicated buoy game name: buoy_b-100-10"),
        ("%%SETBUOY buoy_c-100-10 +7775FU 1", "##[ERROR] wrong moves: +7775FU"),
        ("%%SETBUOY buoy_c-100-10 +777 1", "##[ERROR] wrong moves: +777"),
        ("%%SETBUOY buoy_c-100-10 +7776FU 0", "##[ERROR] invalid count: 0"),
        (
            "%%SETBUOY nothing +7776FU 1",
            "##[ERROR] wrong buoy game name: nothing; one is buoy_mine-300-10F",
        ),
        ("%%GETBUOYCOUNT buoy_b-100-10", "##[GETBUOYCOUNT] 1"),
        ("%%DELETEBUOY buoy_c-100-10", "##[ERROR] buoy game not found: buoy_c-100-10"),
    ] {
        server.say(id, command);
        assert_eq!(server.told(id)[0], answer, "{command}");
    }
    let a = server.login("a", "buoy_b-100-10");
    let b = server.login("b", "buoy_b-100-10");
    let summary = server.proposal(a).unwrap();
    assert!(summary.start.sfen().starts_with("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/"));
    server.say(id, "%%GETBUOYCOUNT buoy_b-100-10");
    assert_eq!(server.told(id)[0], "##[GETBUOYCOUNT] -1", "used up");
    server.agree([a, b]);
    let black = if summary.names[0] == "a" { a } else { b };
    server.say(black, "+2726FU");
    server.say(id, &format!("%%FORK {} buoy_f-100-10 1", summary.id));
    assert_eq!(server.told(id).last().unwrap(), "##[FORK] +OK");
    server.login("c", "buoy_f-100-10");
    let d = server.login("d", "buoy_f-100-10");
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
        (
            format!("%%FORK {game} nonsense 1"),
            "##[ERROR] wrong buoy game name: nonsense; one is buoy_mine-300-10F",
        ),
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
