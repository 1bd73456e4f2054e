//! USI programs as players: the three ways they are driven, with one that misbehaves on demand.

use engines::{
    Allowed, BackgroundPlayer, Conclusion, EngineFault, FaultKind, GameLine, Increments, Player,
    PlayerError, PlayerEvent, PlayerSettings, ProgramCommand, SearchHandle, SearchRequest,
    UsiPlayer,
};
use rules::{AnyPosition, Game};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use think::{Answer, MateAnswer, TimeSource, WallTime};
use usi::{GameResult, Go};

const SECOND: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(60);

/// The mock engine, which is built together with the tests.
fn mock() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let name = format!("mock_engine{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    assert!(path.exists(), "{} is missing: build with --examples", path.display());
    path
}

fn player(what: &str, settings: PlayerSettings) -> UsiPlayer {
    let args = what.split(' ').map(str::to_owned).collect();
    let program = mock().to_string_lossy().into_owned();
    let command = ProgramCommand { program, args, ..ProgramCommand::default() };
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    UsiPlayer::new(command, settings, time, Arc::default())
}

fn quick() -> PlayerSettings {
    PlayerSettings { stall: Some(SECOND), startup: PATIENCE, ..PlayerSettings::default() }
}

fn ready(what: &str, settings: PlayerSettings) -> UsiPlayer {
    let mut player = player(what, settings);
    player.prepare(Game::Shogi, &mut |_| ()).unwrap();
    player
}

fn start() -> GameLine {
    GameLine::new(AnyPosition::startpos(Game::Shogi))
}

fn go(text: &str) -> Go {
    Go::parse(text).unwrap()
}

fn fault(error: PlayerError) -> EngineFault {
    match error {
        PlayerError::Fault(fault) => fault,
        PlayerError::Abandoned => panic!("abandoned"),
    }
}

#[test]
fn an_engine_introduces_itself() {
    let mut player = player("good", quick());
    let introduction = player.introduce().unwrap();
    assert_eq!(introduction.name.as_deref(), Some("Mock"));
    assert!(introduction.declares("seed"));
    assert_eq!(introduction.games(), Game::ALL);
    player.prepare(Game::Shogi, &mut |_| ()).unwrap();
    assert_eq!(player.set_option("Seed", "5"), Ok(true));
    assert_eq!(player.set_option("Nothing", "5"), Ok(false));
}

#[test]
fn every_line_of_thought_is_heard_where_somebody_listens() {
    let mut player = ready("score 40", quick());
    let line = start();
    let request = SearchRequest::new(&line, go("byoyomi 5000"), Allowed::Within(PATIENCE));
    let mut heard = Vec::new();
    let decision = player.think(&request, Some(&mut |info| heard.push(info.clone()))).unwrap();
    assert!(matches!(decision.answer, Answer::Move(_)));
    assert!(!heard.is_empty());
    assert_eq!(heard.last().unwrap().score, decision.info.unwrap().score);
}

#[test]
fn both_games_in_one_player() {
    let mut player = ready("good", quick());
    player.finish(Conclusion::Over(Some(GameResult::Draw)));
    player.prepare(Game::Minishogi, &mut |_| ()).unwrap();
    let line = GameLine::new(AnyPosition::startpos(Game::Minishogi));
    let request = SearchRequest::new(&line, go("byoyomi 100"), Allowed::Within(PATIENCE));
    assert!(player.think(&request, None).is_ok());
}

#[test]
fn a_search_is_stopped_from_elsewhere() {
    for early in [true, false] {
        let mut player = ready("patient", quick());
        let line = start();
        let handle = SearchHandle::new();
        let other = handle.clone();
        if early {
            other.stop();
        } else {
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                other.stop();
            });
        }
        let allowed = Allowed::UntilStopped;
        let request = SearchRequest { game: &line, go: go("infinite"), allowed, handle };
        assert!(player.think(&request, None).is_ok());
    }
}

#[test]
fn an_abandoned_search_has_no_answer() {
    let mut player = ready("patient", quick());
    let line = start();
    let handle = SearchHandle::new();
    handle.abandon();
    let allowed = Allowed::UntilStopped;
    let request = SearchRequest { game: &line, go: go("infinite"), allowed, handle };
    assert_eq!(player.think(&request, None), Err(PlayerError::Abandoned));
    player.finish(Conclusion::Abandoned);
    player.prepare(Game::Shogi, &mut |_| ()).unwrap();
}

#[test]
fn faults_say_what_was_expected_and_what_came() {
    let think = |what: &str| {
        let line = start();
        let request = SearchRequest::new(&line, go("byoyomi 10"), Allowed::Within(SECOND));
        fault(ready(what, quick()).think(&request, None).unwrap_err())
    };
    let hung = think("hang 1");
    assert_eq!((hung.kind, hung.expected), (FaultKind::Stall, Some("bestmove")));
    let lied = think("lie 1");
    assert_eq!((lied.kind, lied.received.as_deref()), (FaultKind::Illegal, Some("1a1b+")));
    assert_eq!(think("crash 1").kind, FaultKind::Crash);
    let mut mute = player("mute", PlayerSettings { startup: SECOND / 5, ..quick() });
    let mute = fault(mute.prepare(Game::Shogi, &mut |_| ()).unwrap_err());
    assert_eq!((mute.kind, mute.expected), (FaultKind::Stall, Some("usiok")));
    assert_eq!(mute.to_string(), "stall: no answer to \"usi\" within 0.2 s");
}

#[test]
fn mates_are_asked_for() {
    let mut player = ready("good", quick());
    let line = start();
    let request = SearchRequest::new(&line, go("mate 1000"), Allowed::Within(PATIENCE));
    assert_eq!(player.find_mate(&request), Ok(MateAnswer::NotImplemented));
}

#[test]
fn one_that_dies_of_increments_is_told_byoyomi() {
    let increments = Increments::new(true);
    let settings = PlayerSettings { increments: Some(increments.clone()), ..quick() };
    let mut player = ready("old-fashioned", settings);
    let line = start();
    let words = "btime 1000 wtime 1000 binc 500 winc 500";
    let request = SearchRequest::new(&line, go(words), Allowed::Within(PATIENCE));
    let died = fault(player.think(&request, None).unwrap_err());
    assert!(died.detail.ends_with("; from now on it is told increments as byoyomi"), "{died}");
    assert!(!increments.by_name());
    player.finish(Conclusion::OwnFault(&died));
    player.prepare(Game::Shogi, &mut |_| ()).unwrap();
    assert!(player.think(&request, None).is_ok());
}

fn background(what: &'static str) -> (BackgroundPlayer, Receiver<PlayerEvent>) {
    let (sender, events) = channel();
    let sender = Mutex::new(sender);
    let sink = Arc::new(move |event| {
        let _ = sender.lock().unwrap().send(event);
    });
    (BackgroundPlayer::new(Box::new(move || Box::new(player(what, quick()))), sink), events)
}

fn next(events: &Receiver<PlayerEvent>) -> PlayerEvent {
    loop {
        let event = events.recv_timeout(PATIENCE).unwrap();
        if !matches!(event, PlayerEvent::Report(..)) {
            return event;
        }
    }
}

#[test]
fn in_the_background_the_latest_question_is_answered() {
    let (mut player, events) = background("patient");
    player.prepare(Game::Shogi);
    assert_eq!(next(&events), PlayerEvent::Ready);
    let position = AnyPosition::startpos(Game::Shogi);
    for id in 1..=3 {
        player.think(id, position.clone(), go("infinite"));
    }
    player.stop();
    let mut answered = 0;
    while answered != 3 {
        match next(&events) {
            PlayerEvent::Best(id, _) => {
                assert!(id > answered, "in order");
                answered = id;
            }
            other => panic!("{other:?}"),
        }
    }
    player.game_over(Some(GameResult::Win));
    player.prepare(Game::Shogi);
    assert_eq!(next(&events), PlayerEvent::Ready);
}

#[test]
fn in_the_background_a_hung_engine_is_replaced_at_once() {
    let (mut player, events) = background("hang 1");
    player.prepare(Game::Shogi);
    assert_eq!(next(&events), PlayerEvent::Ready);
    player.think(1, AnyPosition::startpos(Game::Shogi), go("byoyomi 10"));
    player.restart(Game::Shogi);
    assert_eq!(next(&events), PlayerEvent::Ready);
    let (mut player, events) = background("crash 1");
    player.prepare(Game::Shogi);
    assert_eq!(next(&events), PlayerEvent::Ready);
    player.think(7, AnyPosition::startpos(Game::Shogi), go("byoyomi 10"));
    assert!(matches!(next(&events), PlayerEvent::Failed(_)));
}
