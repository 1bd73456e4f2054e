//! Tournaments held by themselves.

use super::*;
use crate::lobby::event::Kind;
use csa::TimeRule;
use rules::{AnyPosition, Game};

fn settings(names: &[&str], kind: Kind) -> EventSettings {
    EventSettings {
        name: "cup".to_owned(),
        entrants: names.iter().map(|n| (*n).to_owned()).collect(),
        kind,
        times: TimeRule::fischer(900, 5),
        max_moves: Some(320),
        start_position: AnyPosition::startpos(Game::Shogi),
        start: 1_790_000_000 + 60,
        pause: 30,
        walkover: s(300),
        withdrawn: Vec::new(),
    }
}

fn scores(server: &TestLobby) -> Vec<TournamentResult> {
    let score = |s: &Stored| match s {
        Stored::Tournament(score) => Some(score.clone()),
        Stored::Game { .. } => None,
    };
    server.stored.iter().filter_map(score).collect()
}

/// Everybody agrees, and the worse seed resigns.
fn play_round(server: &mut TestLobby, players: &[(&str, ConnId)]) {
    let mut losers = Vec::new();
    for &(_, id) in players {
        if let Some(summary) = server.proposal(id) {
            server.say(id, "AGREE");
            let rank = |name: &String| players.iter().position(|(n, _)| n == name).unwrap();
            let loser = summary.names.iter().max_by_key(|n| rank(n)).unwrap().clone();
            let to_move = summary.your_turn == Color::Black;
            losers.push((id, loser, to_move, summary));
        }
    }
    for (id, loser, black, summary) in losers {
        let name = &summary.names[usize::from(!black)];
        if !black {
            continue;
        }
        if *name == loser {
            server.say(id, "%TORYO");
        } else {
            server.say(id, "+7776FU");
            let other = players.iter().find(|(n, _)| **n == loser).unwrap().1;
            server.say(other, "%TORYO");
        }
    }
}

#[test]
fn a_round_robin_plays_itself_to_the_end() {
    let mut server = TestLobby::open();
    server.lobby.add_event(settings(&["a", "b", "c", "d"], Kind::RoundRobin), &[], server.now);
    let players: Vec<(&str, ConnId)> =
        ["a", "b", "c", "d"].iter().map(|&n| (n, server.login(n, "pw"))).collect();
    for &(_, id) in &players {
        assert!(server.proposal(id).is_none(), "not before its time");
    }
    for round in 0..3 {
        server.wait(s(61));
        play_round(&mut server, &players);
        assert_eq!(scores(&server).len(), 2 * (round + 1));
    }
    server.wait(s(1000));
    let status = server.lobby.status(server.now);
    assert_eq!(status.events[0].round, None);
    let order: Vec<usize> = status.events[0].standings.iter().map(|r| r.seed).collect();
    assert_eq!(order, [0, 1, 2, 3]);
    assert!(scores(&server).iter().all(|score| score.game.is_some()));
}

#[test]
fn who_is_late_pays_with_its_time_and_who_does_not_come_loses() {
    let mut server = TestLobby::open();
    server.lobby.add_event(settings(&["a", "b", "c", "d"], Kind::RoundRobin), &[], server.now);
    let a = server.login("a", "pw");
    let b = server.login("b", "pw");
    server.told(a);
    server.told(b);
    server.wait(s(60));
    // Round 1 is a-d and b-c; d comes 100 seconds late, c never.
    server.wait(s(100));
    let d = server.login("d", "pw");
    let summary = server.proposal(d).unwrap();
    let late = summary.your_turn;
    assert_eq!(summary.times.of(late).total, Some(800));
    assert_eq!(summary.times.of(late.opponent()).total, Some(900));
    server.agree([a, d]);
    assert!(server.proposal(b).is_none());
    server.wait(s(200));
    let scores = scores(&server);
    assert_eq!(scores.len(), 1);
    let winner = if scores[0].black == "b" { Color::Black } else { Color::White };
    assert_eq!((scores[0].winner, scores[0].game.as_ref()), (Some(winner), None));
}

#[test]
fn a_rejected_game_of_a_tournament_is_proposed_again() {
    let mut server = TestLobby::open();
    server.lobby.add_event(settings(&["a", "b"], Kind::RoundRobin), &[], server.now);
    let a = server.login("a", "pw");
    let b = server.login("b", "pw");
    server.wait(s(60));
    assert!(server.proposal(a).is_some());
    server.say(b, "REJECT");
    server.told(a);
    server.wait(s(10));
    assert!(server.proposal(a).is_some());
}

#[test]
fn results_stored_before_a_restart_count_after_it() {
    let mut server = TestLobby::open();
    let cup = || settings(&["a", "b", "c", "d"], Kind::Swiss { rounds: 2 });
    server.lobby.add_event(cup(), &[], server.now);
    let players: Vec<(&str, ConnId)> =
        ["a", "b", "c", "d"].iter().map(|&n| (n, server.login(n, "pw"))).collect();
    server.wait(s(61));
    play_round(&mut server, &players);
    let before = scores(&server);
    assert_eq!(before.len(), 2);
    let mut again = TestLobby::open();
    again.lobby.add_event(cup(), &before, again.now);
    assert_eq!(again.lobby.status(again.now).events[0].round, Some(1));
    let players: Vec<(&str, ConnId)> =
        ["a", "b", "c", "d"].iter().map(|&n| (n, again.login(n, "pw"))).collect();
    again.wait(s(61));
    play_round(&mut again, &players);
    again.wait(s(1));
    assert_eq!(again.lobby.status(again.now).events[0].round, None);
}

#[test]
fn the_championship_goes_through_its_stages() {
    let names: Vec<String> = (1..=26).map(|i| format!("p{i:02}")).collect();
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut server = TestLobby::open();
    server.lobby.add_event(settings(&refs, Kind::Championship), &[], server.now);
    let players: Vec<(&str, ConnId)> = refs.iter().map(|&n| (n, server.login(n, "pw"))).collect();
    let mut stages = Vec::new();
    for _ in 0..40 {
        server.wait(s(61));
        let status = server.lobby.status(server.now);
        stages.push((status.events[0].stage, status.events[0].entrants.len()));
        if status.events[0].round.is_none() {
            break;
        }
        play_round(&mut server, &players);
    }
    stages.dedup();
    assert_eq!(stages, [(0, 10), (1, 24), (2, 8)]);
    let last = server.lobby.status(server.now);
    let order: Vec<&str> = last.events[0]
        .standings
        .iter()
        .map(|row| last.events[0].entrants[row.seed].as_str())
        .collect();
    assert_eq!(order[0], "p01");
    assert_eq!(scores(&server).len(), 8 * 5 + 9 * 12 + 7 * 4);
}
