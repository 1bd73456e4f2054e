//! Whole games over USI: every move of the executable is legal, to the end.

use crate::gui::{Gui, weights};
use nnue::FeatureKind;
use rules::{AnyPosition, Game};

/// Longest game played out.
const LONGEST: usize = 400;

/// Plays the engine against itself with `go` and checks every answer. Returns how it ended.
fn play(game: Game, start: &str, go: &str) -> String {
    play_with(game, start, go, "usinewgame")
}

/// The same after other lines, to which nothing may be answered.
fn play_with(game: Game, start: &str, go: &str, before: &str) -> String {
    let mut gui = Gui::start(&["--game", game.name()]);
    assert_eq!(gui.ask(before), [""; 0]);
    let mut position = match start {
        "startpos" => AnyPosition::startpos(game),
        sfen => AnyPosition::from_sfen(game, &sfen["sfen ".len()..]).unwrap(),
    };
    let mut moves = String::new();
    for _ in 0..LONGEST {
        gui.send(&format!("position {start} moves{moves}"));
        let best = gui.best(go);
        match best.as_str() {
            "resign" => {
                assert!(position.is_mated(), "resigned without need: {}", position.sfen());
                return best;
            }
            "win" => {
                assert!(position.can_declare(rules::Declaration::Points27), "{}", position.sfen());
                return best;
            }
            text => {
                let m = position.parse_usi(text).unwrap_or_else(|e| panic!("{e}: {moves}"));
                position.play(m);
                moves += &format!(" {text}");
            }
        }
        if position.repetition().is_some() {
            return "repetition".to_owned();
        }
    }
    "too long".to_owned()
}

#[test]
fn minishogi_games_are_played_to_the_end() {
    for go in ["go depth 3", "go nodes 2000", "go btime 0 wtime 0 byoyomi 40"] {
        let end = play(Game::Minishogi, "startpos", go);
        assert_ne!(end, "too long", "{go}");
    }
}

#[test]
fn shogi_games_are_legal_throughout() {
    for go in ["go nodes 500", "go movetime 3", "go btime 10 wtime 10 binc 5 winc 5"] {
        play(Game::Shogi, "startpos", go);
    }
}

#[test]
fn handicap_games_are_legal_throughout() {
    let start = format!("sfen {}", rules::Handicap::Ten.sfen());
    play(Game::Shogi, &start, "go nodes 300");
}

#[test]
fn a_ponder_game_is_legal_throughout() {
    let game = Game::Minishogi;
    let mut gui = Gui::start(&["--game", "minishogi"]);
    gui.ask("setoption name USI_Ponder value true");
    let mut position = AnyPosition::startpos(game);
    let mut moves = String::new();
    let mut best = gui.best("go byoyomi 30");
    for round in 0..60 {
        let mut words = best.split(' ');
        let first = words.next().unwrap().to_owned();
        if first == "resign" || position.repetition().is_some() {
            return;
        }
        position.play(position.parse_usi(&first).unwrap());
        moves += &format!(" {first}");
        let Some(reply) = words.nth(1).map(str::to_owned) else {
            gui.send(&format!("position startpos moves{moves}"));
            best = gui.best("go byoyomi 30");
            continue;
        };
        gui.send(&format!("position startpos moves{moves} {reply}"));
        gui.send("go ponder byoyomi 30");
        if round % 2 == 0 {
            // The prediction comes true.
            position.play(position.parse_usi(&reply).unwrap());
            moves += &format!(" {reply}");
            best = gui.best("ponderhit");
        } else {
            // It does not: the answer to stop is legal there, and ignored.
            gui.best("stop");
            gui.send(&format!("position startpos moves{moves}"));
            best = gui.best("go byoyomi 30");
        }
    }
}

/// Debug builds compare every accumulator with one computed from nothing, so that whole games
/// with every kind of net try the difference update at every node.
fn play_with_net(features: FeatureKind, start: &str, go: &str) {
    let path = weights::save(&format!("{features:?}"), &weights::bytes(features, 16, 11));
    let before = format!("setoption name EvalDir value {path}\nusinewgame");
    play_with(features.game(), start, go, &before);
}

#[test]
fn games_with_small_nets_are_legal_throughout() {
    // In nodes: with values at random, captures are read far beyond any depth.
    for go in ["go nodes 400", "go nodes 100 depth 2"] {
        play_with_net(FeatureKind::MiniHalfKp, "startpos", go);
        play_with_net(FeatureKind::KP, "startpos", go);
    }
    let start = format!("sfen {}", rules::Handicap::Four.sfen());
    play_with_net(FeatureKind::KP, &start, "go nodes 300");
}

#[test]
fn games_with_nets_by_king_square_are_legal_throughout() {
    play_with_net(FeatureKind::HalfKp, "startpos", "go nodes 300");
    let start = format!("sfen {}", rules::Handicap::Six.sfen());
    play_with_net(FeatureKind::HalfKp, &start, "go nodes 200");
    // Kings that have entered, so that they move often.
    let entered = "sfen 4+P2K1/3+P1+P3/9/9/9/9/9/3+p1+p3/1k2+p4 b 2G2S2gb2rb2s4n4l12p 101";
    play_with_net(FeatureKind::HalfKp, entered, "go nodes 200");
}

#[test]
fn games_with_large_nets_are_legal_throughout() {
    for features in [FeatureKind::HalfKpE9, FeatureKind::HalfKpKrank] {
        play_with_net(features, "startpos", "go nodes 150");
    }
}

#[test]
fn a_game_with_two_threads_and_a_net_is_legal_throughout() {
    let path = weights::save("threads", &weights::bytes(FeatureKind::KP, 32, 12));
    let before = format!("setoption name EvalDir value {path}\nsetoption name Threads value 2");
    play_with(Game::Shogi, "startpos", "go movetime 5", &before);
}
