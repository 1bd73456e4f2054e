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
