//! Connections that break, servers that do not answer, leaving.

use super::*;

#[test]
fn a_lost_connection_keeps_the_record_and_logs_in_again() {
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(60, 10));
    player.best("7g7f", None);
    player.lines("+7776FU,T1");
    let actions = player.session.disconnected();
    player.take(actions);
    assert!(player.did("Save"));
    player.sent();
    let actions = player.session.connected(player.now);
    player.take(actions);
    assert_eq!(player.sent(), ["LOGIN nue pw"]);
}

#[test]
fn silence_is_broken() {
    let mut player = Player::new(settings());
    player.sent();
    player.wait(s(59));
    assert!(player.sent().is_empty());
    player.wait(s(62));
    assert_eq!(player.sent(), ["", ""]);
}

#[test]
fn rejection_and_nonsense() {
    let mut player = Player::new(settings());
    player.sent();
    player.lines("BEGIN Game_Summary\nGame_ID:x\nEND Game_Summary");
    assert_eq!(player.sent(), ["REJECT"]);
    player.lines(&summary(Color::White, &[], TimeRule::seconds(1, 1)));
    player.lines("REJECT:g by other");
    player.engine(PlayerEvent::Ready);
    assert!(player.sent().is_empty());
    player.lines("what is this\n##[CHAT][x] hello\n+7776FU,T1\n#WIN");
}

#[test]
fn refused_after_having_been_let_in_it_calls_again() {
    let mut player = Player::new(settings());
    for _ in 0..REFUSALS {
        let actions = player.session.connected(player.now);
        player.take(actions);
        player.other.clear();
        player.lines("LOGIN:incorrect");
        player.wait(s(1));
        assert!(matches!(player.other[..], [Action::Reconnect(_)]), "{:?}", player.other);
    }
    player.other.clear();
    player.lines("LOGIN:incorrect");
    player.wait(s(1));
    assert!(matches!(player.other[..], [Action::Close(Goodbye::Refused)]));
    let mut stranger = Session::new(settings());
    stranger.connected(s(1));
    assert!(stranger.line("LOGIN:incorrect", s(1)).is_empty());
    let actions = stranger.line("##[ERROR] the name or the password is wrong", s(1));
    assert!(
        matches!(&actions[..], [Action::Note(why), Action::Close(Goodbye::Refused)] if why.contains("wrong")),
        "the reason that follows is told: {actions:?}"
    );
    // shogi-server closes the connection at once.
    let mut stranger = Session::new(settings());
    stranger.connected(s(1));
    stranger.line("LOGIN:incorrect", s(1));
    assert!(matches!(stranger.disconnected()[..], [Action::Close(Goodbye::Refused)]));
}

#[test]
fn who_leaves_says_so_and_waits_for_no_answer_for_ever() {
    let mut player = Player::new(settings());
    player.sent();
    let actions = player.session.leave(player.now);
    player.take(actions);
    assert_eq!(player.sent(), ["LOGOUT"]);
    player.wait(s(9));
    assert!(!player.did("Close"));
    player.wait(s(1));
    assert!(player.did("Note") && player.did("Close(Done)"), "{:?}", player.other);
    // During a proposal it is turned down first; a game is played to its end.
    let mut player = Player::new(settings());
    player.lines(&summary(Color::Black, &[], TimeRule::seconds(60, 0)));
    player.sent();
    let actions = player.session.leave(player.now);
    player.take(actions);
    assert_eq!(player.sent(), ["REJECT", "LOGOUT"]);
    let forever = SessionSettings { games: None, ..settings() };
    let mut player = Player::new(forever);
    player.lines(&summary(Color::Black, &[], TimeRule::seconds(60, 0)));
    player.engine(PlayerEvent::Ready);
    player.lines("START:g");
    player.sent();
    let actions = player.session.leave(player.now);
    player.take(actions);
    assert!(player.sent().is_empty());
    player.lines("#TIME_UP\n#LOSE");
    assert_eq!(player.sent(), ["LOGOUT"]);
}

#[test]
fn a_server_that_does_not_answer_is_remarked_on_and_left() {
    let mut silent = Session::new(settings());
    silent.connected(s(1));
    assert!(silent.wake(s(30)).is_empty());
    assert!(matches!(silent.wake(s(31))[..], [Action::Reconnect(_)]));
    silent.disconnected();
    assert_eq!(silent.next_wake(), None, "while there is no connection nothing is waited for");
    // Our move does not come back.
    let mut player = Player::playing(Color::Black, &[], TimeRule::seconds(600, 0));
    player.best("7g7f", None);
    player.other.clear();
    player.wait(s(59));
    assert_eq!(player.other.len(), 5, "{:?}", player.other);
    assert!(player.did("Note(\"our move has not come back") && !player.did("Reconnect"));
    player.wait(s(1));
    assert!(player.did("Reconnect"));
    // The opponent's flag should have fallen long ago.
    let mut player = Player::playing(Color::White, &[], TimeRule::seconds(60, 0));
    player.other.clear();
    player.wait(s(121));
    assert!(player.did("Note(\"the opponent has not moved"), "{:?}", player.other);
}

#[test]
fn a_rejected_game_is_asked_for_again() {
    let mut player = Player::new(SessionSettings { challenge: true, ..settings() });
    player.lines(&summary(Color::Black, &[], TimeRule::seconds(60, 0)));
    player.engine(PlayerEvent::Ready);
    player.sent.clear();
    player.lines("REJECT:g by other");
    assert_eq!(player.sent, ["CHALLENGE"]);
}
