//! The referee's orders, and tournaments that go wrong.

use super::events::{play_round, scores, settings};
use super::*;
use crate::lobby::event::Kind;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn server() -> (TestLobby, ConnId) {
    let referees = vec!["ref".to_owned()];
    let mut server = TestLobby::new(Settings { referees, ..Settings::default() });
    server.accounts(&["a", "b", "c", "d", "ref"]);
    let id = server.connect_from("ref").unwrap();
    server.say(id, "LOGIN ref pw x1");
    server.told(id);
    (server, id)
}

fn order(server: &mut TestLobby, id: ConnId, text: &str) -> String {
    server.say(id, &format!("%%REFEREE {text}"));
    server.told(id).first().cloned().unwrap_or_default()
}

fn cup(server: &mut TestLobby) -> Vec<(&'static str, ConnId)> {
    server.lobby.add_event(settings(&NAMES, Kind::RoundRobin), &[], server.now);
    let players = NAMES.iter().map(|&n| (n, server.login(n, "pw"))).collect();
    server.wait(s(61));
    players
}

#[test]
fn only_referees_give_orders_and_every_order_is_stored() {
    let (mut server, referee) = server();
    let guest = server.connect_from("x").unwrap();
    server.say(guest, "LOGIN guest test-1-1 x1");
    server.told(guest);
    assert_eq!(order(&mut server, guest, "kick ref"), "##[ERROR] you are not a referee here");
    assert!(order(&mut server, referee, "dance").contains("the orders are"));
    assert_eq!(order(&mut server, referee, "kick guest"), "##[REFEREE] guest is sent away");
    assert_eq!(server.reasons, [Closing::Kicked]);
    assert_eq!(server.told(guest), ["##[ERROR] closed by the referee"]);
    let orders: Vec<&Order> = server
        .stored
        .iter()
        .filter_map(|stored| match stored {
            Stored::Order(order) => Some(order),
            _ => None,
        })
        .collect();
    assert_eq!(orders.len(), 2);
    assert_eq!((orders[1].referee.as_str(), orders[1].text.as_str()), ("ref", "kick guest"));
}

#[test]
fn games_are_adjudicated_paused_and_resumed() {
    let (mut server, referee) = server();
    let [black, white] = server.pair(["p", "q"], "test-100-10");
    server.say(black, "+7776FU");
    let game = server.lobby.rooms.values().next().unwrap().room.conditions().id.clone();
    assert!(order(&mut server, referee, &format!("pause {game}")).contains("stopped"));
    assert_eq!(server.told(black).last().unwrap(), "#CHUDAN");
    server.told(white);
    server.drop_line(white);
    let white = server.login("q", "test-100-10-W");
    server.wait(s(5000));
    assert!(server.proposal(white).is_none(), "not before the referee says so");
    order(&mut server, referee, &format!("resume {game}"));
    let summary = server.proposal(white).unwrap();
    assert_eq!(summary.played.len(), 1);
    server.agree([black, white]);
    assert!(order(&mut server, referee, &format!("adjudicate {game} nobody")).contains("nobody"));
    order(&mut server, referee, &format!("adjudicate {game} white"));
    assert_eq!(server.told(white), ["#ILLEGAL_ACTION", "#WIN"]);
    let [black, _] = server.pair(["r", "t"], "test-100-10");
    let game = server.lobby.rooms.values().next().unwrap().room.conditions().id.clone();
    order(&mut server, referee, &format!("adjudicate {game} draw"));
    assert_eq!(server.told(black), ["#MAX_MOVES", "#CENSORED"]);
    assert!(order(&mut server, referee, &format!("adjudicate {game} draw")).contains("no game"));
}

#[test]
fn somebody_withdraws_and_its_game_is_the_opponents_also_after_a_restart() {
    let (mut server, referee) = server();
    let players = cup(&mut server);
    for &(_, id) in &players {
        server.say(id, "AGREE");
    }
    let answer = order(&mut server, referee, "withdraw cup b");
    assert_eq!(answer, "##[REFEREE] b has left cup from round 1 on");
    let made = scores(&server);
    assert_eq!(made.len(), 1);
    let winner = made[0]
        .winner
        .map(|color| if color == Color::Black { &made[0].black } else { &made[0].white });
    assert_ne!(winner.map(String::as_str), Some("b"));
    assert!(order(&mut server, referee, "withdraw cup nobody").contains("does not play"));
    let event = settings(&NAMES, Kind::RoundRobin);
    let mut again = server.restarted_with(Settings::default(), Some(event));
    again.wait(s(2000));
    let of_b = scores(&again).iter().filter(|s| s.black == "b" || s.white == "b").count();
    assert_eq!(of_b, 3, "its other games are lost without being played");
}

#[test]
fn a_round_is_played_again_under_new_ids() {
    let (mut server, referee) = server();
    let players = cup(&mut server);
    for &(_, id) in &players {
        server.say(id, "AGREE");
    }
    server.say(players[0].1, "%TORYO");
    server.say(players[3].1, "%TORYO");
    let before = scores(&server).len();
    assert_eq!(
        order(&mut server, referee, "restart cup"),
        "##[REFEREE] round 1 of cup begins again"
    );
    assert!(server.stored.iter().any(|s| matches!(s, Stored::Annulled { round: 0, .. })));
    for &(_, id) in &players {
        server.told(id);
    }
    server.wait(s(1));
    let status = server.lobby.status(server.now);
    assert_eq!((status.events[0].round, status.events[0].results.len()), (Some(0), 0));
    let ids: Vec<&str> = status.games.iter().map(|game| game.id.as_str()).collect();
    assert_eq!(ids, ["cup-1-1-1r2", "cup-1-1-2r2"]);
    play_round(&mut server, &players);
    assert_eq!(scores(&server).len(), before + 2);
}

/// A game that is stopped stays so when the server is started again, and goes on by order alone.
#[test]
fn a_stopped_game_is_stopped_after_a_restart() {
    let (mut server, referee) = server();
    let [black, _] = server.pair(["p", "q"], "test-100-10");
    server.say(black, "+7776FU");
    let game = server.lobby.rooms.values().next().unwrap().room.conditions().id.clone();
    order(&mut server, referee, &format!("pause {game}"));
    assert!(order(&mut server, referee, &format!("pause {game}")).contains("stopped already"));
    let settings = Settings { referees: vec!["ref".to_owned()], ..Settings::default() };
    let mut server = server.restarted(settings);
    let black = server.login("p", "test-100-10-B");
    let white = server.login("q", "test-100-10-W");
    // The two may play another game meanwhile; this one is not proposed.
    assert!(server.proposal(white).unwrap().played.is_empty());
    server.say(black, "REJECT");
    server.told(white);
    server.wait(s(100_000));
    assert!(server.proposal(white).is_none(), "the referee has not said so");
    assert_eq!(server.ends(), 0, "and nobody loses it");
    let list = server.lobby.local_order("list", server.now).unwrap();
    assert!(list.contains(&format!("game {game}: p - q, 1 moves, stopped")), "{list}");
    let done = server.lobby.local_order(&format!("resume {game}"), server.now);
    server.settle();
    assert!(done.is_ok(), "{done:?}");
    assert_eq!(server.proposal(white).unwrap().played.len(), 1);
    server.agree([black, white]);
    let again = server.lobby.local_order(&format!("resume {game}"), server.now);
    assert!(again.unwrap_err().contains("was not stopped"));
    // Nothing is left of it after the next restart.
    let mut server = server.restarted(Settings::default());
    let list = server.lobby.local_order("list", server.now).unwrap();
    assert!(list.contains("waits for its players"), "{list}");
}

/// What a game waited while it was stopped is nobody's absence; from then on it is.
#[test]
fn who_does_not_come_back_after_a_pause_loses() {
    let (mut server, referee) = server();
    let [black, white] = server.pair(["p", "q"], "test-100-10");
    server.say(black, "+7776FU");
    let game = server.lobby.rooms.values().next().unwrap().room.conditions().id.clone();
    order(&mut server, referee, &format!("pause {game}"));
    server.drop_line(white);
    let limit = server.lobby.settings.abandon.unwrap();
    server.wait(limit + limit);
    order(&mut server, referee, &format!("resume {game}"));
    server.wait(limit - s(5));
    assert_eq!(server.ends(), 0);
    server.wait(s(10));
    assert_eq!(server.ends(), 1, "it is not waited for without end");
}

#[test]
fn a_stopped_tournament_is_stopped_after_a_restart_and_nobody_is_late() {
    let (mut server, referee) = server();
    let players = cup(&mut server);
    // One game runs, the other is only proposed.
    let of = |name: &str| players.iter().find(|(n, _)| *n == name).unwrap().1;
    let pairs = server.lobby.status(server.now).games;
    let playing = pairs[0].names.clone();
    for name in &playing {
        server.say(of(name), "AGREE");
    }
    server.wait(s(20));
    order(&mut server, referee, "pause cup");
    // What was proposed is taken back: saying yes to it begins nothing.
    for &(_, id) in &players {
        server.say(id, "AGREE");
    }
    assert_eq!(server.lobby.running(), 0);
    server.wait(s(5000));
    let event = settings(&NAMES, Kind::RoundRobin);
    let mut server = server.restarted_with(Settings::default(), Some(event));
    let ids: Vec<ConnId> = NAMES.iter().map(|name| server.login(name, "pw")).collect();
    server.wait(s(5000));
    assert!(ids.iter().all(|&id| server.proposal(id).is_none()));
    let list = server.lobby.local_order("list", server.now).unwrap();
    assert!(list.contains("tournament cup: stage 1, round 1, stopped"), "{list}");
    assert!(server.lobby.status(server.now).events[0].paused);
    server.drop_line(ids[3]);
    server.lobby.local_order("resume cup", server.now).unwrap();
    server.wait(s(59));
    assert_eq!(scores(&server).len(), 0, "the pause was nobody's absence");
    assert!(ids[..3].iter().filter(|&&id| server.proposal(id).is_some()).count() == 2);
    server.wait(s(300));
    let lost = scores(&server);
    assert_eq!(lost.len(), 1, "but who does not come then loses");
    assert!([&lost[0].black, &lost[0].white].contains(&&"d".to_owned()));
}

/// A game that is being proposed again can be decided too.
#[test]
fn a_game_is_adjudicated_while_it_is_proposed_again() {
    let (mut server, referee) = server();
    let [black, white] = server.pair(["p", "q"], "test-100-10");
    server.say(black, "+7776FU");
    server.say(white, "%CHUDAN");
    server.say(black, "CHALLENGE");
    server.say(white, "CHALLENGE");
    assert!(server.proposal(black).is_some());
    let game = server.lobby.rooms.values().next().unwrap().room.conditions().id.clone();
    order(&mut server, referee, &format!("adjudicate {game} white"));
    assert_eq!(server.ends(), 1);
    assert_eq!(server.told(black), [format!("REJECT:{game} by referee")]);
    assert!(server.lobby.rooms.is_empty());
}

#[test]
fn orders_of_the_servers_own_computer_are_in_the_log() {
    let (mut server, _) = server();
    assert_eq!(
        server.lobby.local_order("list", server.now).unwrap(),
        "no tournaments, games or bans"
    );
    server.lobby.local_order("  ban   10.0.0.1  60  too loud ", server.now).unwrap();
    assert!(server.lobby.local_order("list", server.now).unwrap().contains("banned: 10.0.0.1"));
    assert!(server.lobby.local_order("", server.now).unwrap_err().contains("the orders are: list"));
    server.settle();
    let orders = server.stored.iter().filter_map(|stored| match stored {
        Stored::Order(order) => Some((order.referee.as_str(), order.text.as_str())),
        _ => None,
    });
    let orders: Vec<_> = orders.collect();
    assert_eq!(orders, [("(local)", "ban 10.0.0.1 60 too loud"), ("(local)", "")]);
    assert!(UserName::new("(local)").is_err(), "no player can be taken for it");
}

#[test]
fn a_tournament_is_paused_and_goes_on() {
    let (mut server, referee) = server();
    let players = cup(&mut server);
    for &(_, id) in &players {
        server.say(id, "AGREE");
    }
    order(&mut server, referee, "pause cup");
    server.wait(s(5000));
    assert_eq!(scores(&server).len(), 0, "nobody loses what is stopped");
    for &(_, id) in &players {
        assert_eq!(server.told(id).last().unwrap(), "#CHUDAN");
    }
    order(&mut server, referee, "resume cup");
    server.wait(s(1));
    for &(_, id) in &players {
        assert!(server.proposal(id).is_some());
    }
}

#[test]
fn who_never_agrees_loses_its_game_of_the_round() {
    let (mut server, _) = server();
    let players = cup(&mut server);
    let of = |name: &str| players.iter().find(|(n, _)| *n == name).unwrap().1;
    // a agrees whenever it is asked, d never: it stays silent or says no.
    for round in 0..40 {
        server.say(of("a"), "AGREE");
        if round % 2 == 0 {
            server.say(of("d"), "REJECT");
        }
        server.wait(s(30));
    }
    let lost = scores(&server).into_iter().find(|s| s.black == "d" || s.white == "d").unwrap();
    let loser =
        lost.winner.map(|winner| if winner == Color::Black { &lost.white } else { &lost.black });
    assert_eq!((loser.map(String::as_str), lost.game), (Some("d"), None));
}

#[test]
fn entrants_names_are_theirs() {
    let (mut server, _) = server();
    server.accounts.clear();
    server.lobby.add_event(settings(&NAMES, Kind::RoundRobin), &[], server.now);
    for (password, part) in [("test-1-1", "takes part in a tournament"), ("mine", "organiser")] {
        let id = server.login("a", password);
        let told = server.told(id);
        assert_eq!(told[0], "LOGIN:incorrect");
        assert!(told[1].contains(part), "{told:?}");
    }
    assert!(server.accounts.is_empty(), "a stranger cannot make an account of an entrant");
}

#[test]
fn how_late_somebody_is_survives_a_restart() {
    let (mut server, _) = server();
    cup(&mut server);
    let [c, d] = ["c", "d"].map(|n| *server.lobby.present.get(&UserName::new(n).unwrap()).unwrap());
    server.drop_line(c);
    server.drop_line(d);
    server.wait(s(250));
    assert_eq!(scores(&server).len(), 0, "three hundred seconds are allowed");
    let event = settings(&NAMES, Kind::RoundRobin);
    let mut server = server.restarted_with(Settings::default(), Some(event));
    for name in ["a", "b"] {
        server.login(name, "pw");
    }
    server.wait(s(59));
    assert_eq!(scores(&server).len(), 0, "time to come back");
    server.wait(s(30));
    assert_eq!(scores(&server).len(), 2, "but not all of it once more");
}
