//! Games nobody comes back to, ids, and what a restart leaves as it was.

use super::*;

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
    let last = server.stored.iter().rev().find_map(|stored| match stored {
        Stored::Game { entry, .. } => Some(entry),
        _ => None,
    });
    assert_eq!(last, Some(&Entry::Interrupted(None)));
}

/// The machine's clock is set back by an hour, and the same two play again, in this run of the server
/// and in the next.
#[test]
fn no_two_games_have_one_id_whatever_the_clock_does() {
    fn play(server: &mut TestLobby) -> String {
        let [black, white] = server.pair(["p", "q"], "test-100-10");
        let id = server.lobby.rooms.values().next().unwrap().room.conditions().id.clone();
        server.say(black, "%TORYO");
        server.drop_line(black);
        server.drop_line(white);
        id
    }
    let mut server = TestLobby::open();
    let mut ids = vec![play(&mut server), play(&mut server)];
    server.wait(s(10));
    ids.push(play(&mut server));
    // Back to the second of the first game.
    server.now.wall -= 10;
    ids.push(play(&mut server));
    let wall = server.now.wall;
    let mut server = server.restarted(Settings::default());
    server.now.wall = wall;
    ids.push(play(&mut server));
    let mut different = ids.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 5, "{ids:?}");
}
