//! Whole games over USI: every move of the executable is legal, to the end.

mod gui;

use gui::Gui;
use rules::{AnyPosition, Game};

/// Longest game played out.
const LONGEST: usize = 400;

/// Plays the engine against itself with `go` and checks every answer. Returns how it ended.
fn play(game: Game, start: &str, go: &str) -> String {
    let mut gui = Gui::start(&["--game", game.name()]);
    gui.ask("usinewgame");
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
