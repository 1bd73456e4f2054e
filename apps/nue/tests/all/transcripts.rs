//! Conversations as they happen in games, written down line by line.
//!
//! `>` is sent; `<` waits for a line that begins so, `~` for one that contains it; `-` is that
//! many milliseconds without an answer. An answer at any other place is a failure, and at the end
//! the engine must quit by itself.

use crate::gui::Gui;
use std::time::Duration;

fn check(transcript: &str) {
    let mut gui = Gui::start(&[]);
    for line in transcript.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (mark, text) = line.split_at(1);
        let text = text.trim_start();
        match mark {
            ">" => gui.send(text),
            "-" => {
                let duration = Duration::from_millis(text.parse().unwrap());
                assert!(gui.holds_answer(duration), "an answer too early: {transcript}");
            }
            _ => wait(&gui, mark, text, transcript),
        }
    }
    let (rest, code) = gui.close();
    assert_eq!(code, 0, "{transcript}");
    assert!(!rest.iter().any(|line| line.starts_with("bestmove")), "{rest:?}: {transcript}");
}

/// Reads until the line described.
fn wait(gui: &Gui, mark: &str, text: &str, transcript: &str) {
    loop {
        let line = gui.line();
        let found = if mark == "<" { line.starts_with(text) } else { line.contains(text) };
        if found {
            return;
        }
        assert!(!line.starts_with("bestmove"), "{line:?} while waiting for {text:?}: {transcript}");
    }
}

#[test]
fn ponder_hit() {
    check(
        "> usi
         < usiok
         > setoption name USI_Ponder value true
         > isready
         < readyok
         > usinewgame
         > position startpos
         > go btime 60000 wtime 60000 byoyomi 100 searchmoves 7g7f depth 8
         < bestmove 7g7f ponder
         > position startpos moves 7g7f 3c3d
         > go ponder btime 0 wtime 0 byoyomi 300 searchmoves 2g2f
         < info depth
         - 500
         > ponderhit
         < bestmove 2g2f
         > position startpos moves 7g7f 3c3d 2g2f 8c8d
         > go ponder searchmoves 2f2e
         < info depth
         - 100
         > ponderhit btime 0 wtime 0 byoyomi 200
         < bestmove 2f2e
         > quit",
    );
}

#[test]
fn ponder_hit_after_the_search_has_ended_by_itself() {
    check(
        "> position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1
         > go ponder depth 1
         < info depth
         - 150
         > ponderhit
         < bestmove G*5b",
    );
}

#[test]
fn ponder_miss() {
    check(
        "> position startpos moves 7g7f 3c3d
         > go ponder btime 60000 wtime 60000 searchmoves 2g2f
         < info depth
         - 100
         > stop
         < bestmove 2g2f
         > position startpos moves 7g7f 8c8d
         > go btime 9000 wtime 9000 depth 3 searchmoves 6i7h
         < bestmove 6i7h",
    );
}

#[test]
fn stop_during_ponder_and_a_hit_that_comes_too_late() {
    check(
        "> go ponder btime 1000 wtime 1000 byoyomi 1000 searchmoves 7g7f
         < info depth
         > stop
         < bestmove 7g7f
         > ponderhit
         < info string ponderhit without go ponder: ignored
         > stop
         > isready
         < readyok",
    );
}

#[test]
fn a_second_hit_changes_nothing() {
    check(
        "> go ponder btime 600000 wtime 600000 byoyomi 60000 searchmoves 7g7f 2g2f
         > ponderhit
         > ponderhit
         < info string ponderhit without go ponder: ignored
         > stop
         < bestmove",
    );
}

#[test]
fn a_miss_without_stop() {
    // The interface forgets stop: the new question is answered, the old one dropped.
    check(
        "> position startpos moves 7g7f 3c3d
         > go ponder btime 60000 wtime 60000 searchmoves 2g2f
         > position startpos moves 7g7f 8c8d
         > go depth 3 searchmoves 6i7h
         < info string the search under way is dropped, without bestmove
         < bestmove 6i7h",
    );
}

#[test]
fn go_while_searching() {
    check(
        "> go infinite searchmoves 7g7f
         < info depth
         > go infinite searchmoves 2g2f
         < info string the search under way is dropped, without bestmove
         < info depth
         > position startpos moves 7g7f
         > go depth 2 searchmoves 3c3d
         < info string the search under way is dropped, without bestmove
         < bestmove 3c3d
         > stop
         - 50",
    );
}

#[test]
fn a_go_that_is_wrong_leaves_the_search_alone() {
    check(
        "> go infinite searchmoves 7g7f
         < info depth
         > go depth deep
         ~ \"deep\"
         > go searchmoves 7g7e
         ~ 7g7e
         > stop
         < bestmove 7g7f",
    );
}

#[test]
fn quit_while_searching_or_pondering() {
    check("> go infinite searchmoves 7g7f\n < info depth\n > quit\n < bestmove 7g7f");
    check("> go ponder searchmoves 7g7f\n < info depth\n > quit\n < bestmove 7g7f");
    // Also before anything has been read.
    check("> go ponder btime 9 wtime 9\n > quit\n < bestmove");
    check("> go btime 600000 wtime 600000 searchmoves 7g7f 2g2f\n > quit\n < bestmove");
}

#[test]
fn gameover_and_the_next_game() {
    check(
        "> usinewgame
         > position startpos
         > go depth 2 searchmoves 7g7f
         < bestmove 7g7f
         > position startpos moves 7g7f 3c3d
         > go ponder btime 1000 wtime 1000 searchmoves 2g2f
         < info depth
         > gameover win
         < bestmove 2g2f
         > isready
         < readyok
         > usinewgame
         > position startpos moves 7g7f
         > go btime 9000 wtime 9000 depth 3 searchmoves 3c3d
         < bestmove 3c3d
         > gameover lose
         > gameover draw
         > usinewgame
         > position startpos
         > go infinite searchmoves 7g7f
         < info depth
         > gameover
         < bestmove 7g7f",
    );
}

#[test]
fn options_changed_in_a_game() {
    check(
        "> isready
         < readyok
         > usinewgame
         > go depth 4 searchmoves 7g7f
         < bestmove 7g7f
         > setoption name USI_Hash value 1
         > setoption name Threads value 2
         > setoption name MultiPV value 2
         > position startpos moves 7g7f 3c3d
         > go depth 5
         ~ multipv 2
         < bestmove
         > setoption name MultiPV value 1
         > setoption name Threads value 1
         > go infinite
         < info depth
         > setoption name USI_Hash value 2
         > setoption name SkillLevel value 0
         > setoption name USI_Hash value 0
         ~ option USI_Hash
         > stop
         < bestmove
         > go depth 3 searchmoves 2g2f
         < bestmove 2g2f
         > setoption name Clear_Hash
         > setoption name SkillLevel value 20
         > go depth 3 searchmoves 2g2f
         < bestmove 2g2f
         > setoption name USI_Variant value minishogi
         > go depth 3 searchmoves 2e3d
         < bestmove 2e3d",
    );
}

#[test]
fn many_questions_at_once_get_one_answer_each() {
    let one = "> position startpos\n > go depth 1 searchmoves 7g7f\n < bestmove 7g7f\n";
    check(&one.repeat(100));
    // Without waiting, every search but the last is dropped or has answered before.
    let mut gui = Gui::start(&[]);
    for _ in 0..200 {
        gui.send("go infinite");
    }
    gui.send("go depth 1 searchmoves 7g7f");
    let (before, best) = gui.until("bestmove ");
    assert_eq!(best, "bestmove 7g7f");
    let dropped = before.iter().filter(|line| line.contains("is dropped")).count();
    assert_eq!(dropped, 200);
}
