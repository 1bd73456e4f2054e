//! The USI conversation with the built executable: every command, also at the wrong time.

use crate::gui::Gui;
use std::io::Write;
use std::time::{Duration, Instant};

/// A search that does not end by itself soon.
const LONG: &str = "go infinite";
const A_WHILE: Duration = Duration::from_millis(100);

fn remarks(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|line| line.strip_prefix("info string ")).collect()
}

#[test]
fn usiok_comes_within_50_ms_of_the_start() {
    // The best of a few tries: other work on the machine is not what is being measured.
    let quickest = (0..10)
        .map(|_| {
            let started = Instant::now();
            let mut gui = Gui::start(&[]);
            gui.send("usi");
            gui.until("usiok");
            started.elapsed()
        })
        .min();
    assert!(quickest.unwrap() < Duration::from_millis(50), "{quickest:?}");
}

#[test]
fn the_introduction_names_engine_and_options() {
    let mut gui = Gui::start(&[]);
    gui.send("usi");
    let (before, _) = gui.until("usiok");
    assert!(before[0].starts_with("id name Nue "), "{before:?}");
    assert!(before[1].starts_with("id author "), "{before:?}");
    for line in &before[2..] {
        let usi::Reply::Option(spec) = usi::Reply::parse(line).unwrap() else { panic!("{line}") };
        assert!(!spec.name.contains(' '), "{line}");
        assert!(spec.parse(&spec.default).is_ok(), "{line}");
    }
    assert_eq!(gui.quit(), (vec![], 0));
}

#[test]
fn a_plain_game_start() {
    let mut gui = Gui::start(&[]);
    assert_eq!(gui.ask("setoption name USI_Hash value 64\r"), [""; 0]);
    assert_eq!(gui.ask("setoption name USI_Ponder value true\n\n\t\nusinewgame"), [""; 0]);
    gui.send("position startpos moves 7g7f");
    gui.send("go btime 1000 wtime 1000 byoyomi 200");
    let (before, best) = gui.until("bestmove ");
    assert!(!before.is_empty());
    for line in &before {
        let usi::Reply::Info(info) = usi::Reply::parse(line).unwrap() else { panic!("{line}") };
        assert!(info.depth.is_some() && info.score.is_some() && !info.pv.is_empty(), "{line}");
    }
    assert!(best.contains(" ponder "), "{best}");
    assert_eq!(gui.ask("gameover win"), [""; 0]);
    assert_eq!(gui.quit(), (vec![], 0));
}

#[test]
fn stop_ends_an_infinite_search_and_only_stop_does() {
    let mut gui = Gui::start(&[]);
    // Mate in one: found at once, told only when asked.
    gui.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    gui.send(LONG);
    gui.until("info depth");
    assert!(gui.holds_answer(A_WHILE));
    gui.send("stop");
    assert_eq!(gui.until("bestmove ").1, "bestmove G*5b");
}

#[test]
fn stop_without_a_search_is_no_mistake() {
    let mut gui = Gui::start(&[]);
    assert_eq!(gui.ask("stop\nstop\ngameover draw"), [""; 0]);
    gui.best("go depth 1");
    assert_eq!(gui.ask("stop"), [""; 0]);
}

#[test]
fn ponder_is_answered_after_the_hit_or_after_stop() {
    let mut gui = Gui::start(&[]);
    gui.send("go ponder btime 100 wtime 100 byoyomi 100");
    assert!(gui.holds_answer(Duration::from_millis(400)));
    gui.send("ponderhit");
    gui.until("bestmove ");
    gui.send("go ponder");
    assert!(gui.holds_answer(A_WHILE));
    gui.send("ponderhit btime 0 wtime 0 byoyomi 100");
    gui.until("bestmove ");
    gui.send("go ponder btime 100 wtime 100");
    assert!(gui.holds_answer(A_WHILE));
    gui.send("stop");
    gui.until("bestmove ");
    assert_eq!(gui.ask("ponderhit"), ["info string ponderhit without go ponder: ignored"]);
}

#[test]
fn gameover_while_pondering_ends_the_search_as_stop_does() {
    let mut gui = Gui::start(&[]);
    gui.send("go ponder btime 100 wtime 100");
    assert!(gui.holds_answer(A_WHILE));
    gui.send("gameover lose");
    gui.until("bestmove ");
    assert_eq!(gui.ask("usinewgame"), [""; 0]);
}

#[test]
fn go_while_thinking_drops_the_earlier_search_and_answers_once() {
    let mut gui = Gui::start(&[]);
    gui.send(LONG);
    gui.until("info depth");
    gui.send("position startpos moves 7g7f");
    gui.send("go depth 2 searchmoves 3c3d");
    let (before, best) = gui.until("bestmove ");
    assert_eq!(best, "bestmove 3c3d");
    assert_eq!(remarks(&before), ["the search under way is dropped, without bestmove"]);
    assert_eq!(gui.ask("stop"), [""; 0]);
}

#[test]
fn position_while_thinking_is_for_the_next_go() {
    let mut gui = Gui::start(&[]);
    gui.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    gui.send(LONG);
    gui.until("info depth");
    gui.send("position startpos");
    gui.send("stop");
    assert_eq!(gui.until("bestmove ").1, "bestmove G*5b");
    assert_eq!(gui.best("go depth 1 searchmoves 7g7f"), "7g7f");
}

#[test]
fn setoption_while_thinking_waits_for_the_end_and_is_checked_at_once() {
    let mut gui = Gui::start(&[]);
    gui.send(LONG);
    gui.until("info depth");
    gui.send("setoption name USI_Ponder value true");
    gui.send("setoption name USI_Ponder value perhaps");
    gui.send("setoption name USI_Variant value minishogi");
    gui.send("setoption name Nonsense value 1");
    gui.send("stop");
    let (before, _) = gui.until("bestmove ");
    let remarks = remarks(&before);
    assert_eq!(remarks.len(), 3, "{remarks:?}");
    assert!(remarks[0].contains("\"perhaps\""), "{remarks:?}");
    assert!(remarks[1].contains("stop first"), "{remarks:?}");
    assert!(remarks[2].contains("\"Nonsense\""), "{remarks:?}");
    let best = gui.best("go depth 6");
    assert!(best.contains(" ponder "), "{best}");
}

#[test]
fn isready_and_usi_while_thinking_are_answered_at_once() {
    let mut gui = Gui::start(&[]);
    gui.send(LONG);
    gui.send("isready");
    gui.until("readyok");
    gui.send("usi");
    gui.until("usiok");
    gui.send("stop");
    gui.until("bestmove ");
}

#[test]
fn quit_and_the_end_of_input_stop_a_search_and_print_its_move() {
    for close in [Gui::close, Gui::quit] {
        for go in [LONG, "go ponder btime 1 wtime 1", "go btime 600000 wtime 600000"] {
            let mut gui = Gui::start(&[]);
            gui.send(go);
            let (lines, code) = close(gui);
            assert_eq!(code, 0);
            assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
        }
        assert_eq!(close(Gui::start(&[])), (vec![], 0));
    }
}

#[test]
fn a_last_line_without_end_is_obeyed() {
    let mut gui = Gui::start(&[]);
    gui.send_bytes(b"isready");
    assert_eq!(gui.close(), (vec!["readyok".to_owned()], 0));
}

#[test]
fn the_small_game_is_chosen_by_option_or_argument() {
    let start = "sfen rbsgk/4p/5/P4/KGSBR b - 1";
    for option in ["USI_Variant", "UCI_Variant", "usi_variant"] {
        let mut gui = Gui::start(&[]);
        let shown = gui.ask(&format!("setoption name {option} value minishogi\nd"));
        assert_eq!(shown.last().unwrap(), start);
        gui.send("usi");
        let (before, _) = gui.until("usiok");
        assert!(before.iter().any(|l| l.contains("USI_Variant type combo default minishogi")));
        gui.send("position startpos moves 2e3d");
        let best = gui.best("go depth 2");
        assert_ne!(best, "resign");
        let shown = gui.ask(
            "setoption name USI_Variant value chess\nsetoption name USI_Variant value shogi\nd",
        );
        assert!(shown[0].contains("\"chess\""), "{shown:?}");
        assert!(shown.last().unwrap().starts_with("sfen lnsgkgsnl/"));
    }
    let mut gui = Gui::start(&["--game", "minishogi"]);
    assert_eq!(gui.ask("d").last().unwrap(), start);
}

#[test]
fn options_survive_a_change_of_game() {
    let mut gui = Gui::start(&[]);
    gui.send("setoption name USI_Ponder value true");
    gui.send("setoption name USI_Variant value minishogi");
    let best = gui.best("go depth 6");
    assert!(best.contains(" ponder "), "{best}");
}

#[test]
fn what_is_wrong_gets_one_remark_and_changes_nothing() {
    let mut gui = Gui::start(&[]);
    gui.send("position startpos moves 7g7f");
    let before = gui.ask("d");
    for (line, expected) in [
        ("xyzzy", "unknown command \"xyzzy\""),
        ("position startpos moves 7g7f 7g7f", "position not changed: move 2 of the list: "),
        ("position startpos moves 5i5b", "position not changed: move 1 of the list: "),
        ("position startpos 7g7f", "takes \"moves\", not \"7g7f\""),
        ("position sfen 9/9/9 b - 1", "position not changed: "),
        ("position sfen rbsgk/4p/5/P4/KGSBR b - 1", "set option USI_Variant"),
        ("go btime soon", "\"btime\" takes a whole number, not \"soon\""),
        ("go searchmoves 7g7e", "7g7e"),
        ("go perft 99999999999", "perft of 4294967295 plies would take forever: at most 40"),
        ("setoption name USI_Hash value 1e9", "not \"1e9\""),
        ("setoption name Nonsense", "no option is called \"Nonsense\""),
        ("setoption", "\"setoption\" needs"),
        ("gameover perhaps", "not \"perhaps\""),
        ("stop now", "\"stop\" takes nothing after it"),
        ("bench deep", "\"deep\""),
        ("ponderhit", "ponderhit without go ponder"),
    ] {
        let lines = gui.ask(line);
        assert_eq!(lines.len(), 1, "{line}: {lines:?}");
        assert!(lines[0].starts_with("info string "), "{line}: {lines:?}");
        assert!(lines[0].contains(expected), "{line}: {lines:?}");
        assert_eq!(gui.ask("d"), before, "{line}");
    }
}

#[test]
fn unknown_words_of_go_are_passed_over() {
    let mut gui = Gui::start(&[]);
    gui.send("go movestogo 40 depth 1");
    let (before, _) = gui.until("bestmove ");
    assert_eq!(remarks(&before), ["go: ignored \"movestogo 40\""]);
}

#[test]
fn absurd_numbers_are_clamped() {
    let mut gui = Gui::start(&[]);
    let huge = "9".repeat(400);
    assert_ne!(gui.best(&format!("go btime {huge} wtime -{huge} binc {huge} depth 1")), "resign");
    assert_ne!(gui.best(&format!("go nodes {huge} depth -{huge}")), "resign");
    assert_ne!(gui.best("go btime -5 wtime -5 byoyomi -5"), "resign");
    assert_ne!(gui.best("go movetime 0"), "resign");
    assert_ne!(gui.best("go nodes 0"), "resign");
}

#[test]
fn go_mate_is_answered_with_checkmate() {
    let mut gui = Gui::start(&[]);
    gui.send("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1");
    for go in ["go mate 1000", "go mate infinite"] {
        gui.send(go);
        assert!(gui.line().starts_with("checkmate "));
    }
    let refused = "info string not thinking: Black has no king: only \"go mate\" can be asked";
    assert_eq!(gui.ask("go depth 1"), [refused]);
}

#[test]
fn long_games_are_taken() {
    // Rooks to and fro for 8000 moves, then one that tells the position apart.
    let mut gui = Gui::start(&[]);
    let cycle = " 2h3h 8b7b 3h2h 7b8b".repeat(2000);
    gui.send(&format!("position startpos moves{cycle} 7g7f"));
    let shown = gui.ask("d");
    assert!(
        shown.last().unwrap().ends_with("/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 8002"),
        "{shown:?}"
    );
    assert_ne!(gui.best("go depth 2"), "resign");
}

#[test]
fn long_lines_and_other_bytes_get_one_remark() {
    let mut gui = Gui::start(&[]);
    let before = gui.ask("d");
    let mut long = vec![b'x'; 3 << 20];
    long.push(b'\n');
    gui.send_bytes(&long);
    gui.send_bytes(b"position startpos moves \xff\xfe\x80\n");
    gui.send_bytes(b"\0\0\0\n");
    let lines = gui.ask("");
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], "info string a line of 3145728 bytes is longer than 1048576: ignored");
    assert!(
        lines[1].starts_with("info string a line is not UTF-8: ignored \"position"),
        "{lines:?}"
    );
    assert!(lines[2].starts_with("info string unknown command \"\\0\\0\\0\""), "{lines:?}");
    assert_eq!(gui.ask("d"), before);
}

#[test]
fn options_of_other_engines_are_mapped_or_answered_once() {
    let mut gui = Gui::start(&[]);
    for name in ["BookSomething", "Stochastic_Ponder", "OutputFailLHPV", "NumaPolicy", "Unheard"] {
        let line = format!("setoption name {name} value false");
        let said = gui.ask(&line);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("info string ") && said[0].contains(name), "{said:?}");
        assert_eq!(gui.ask(&line), [""; 0], "said before every game it would be noise");
    }
    assert_eq!(gui.ask("setoption name ConsiderationMode value true"), [""; 0]);
    let said = gui.ask("setoption name ConsiderationMode value maybe");
    assert!(said[0].contains("AnalysisMode"), "{said:?}");
}

#[test]
fn the_conversation_is_logged_where_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic.log");
    let shown = path.display();
    let mut gui = Gui::start(&[]);
    gui.send(&format!("setoption name DebugLogFile value {shown}"));
    gui.send("go depth 1 searchmoves 7g7f");
    gui.until("bestmove 7g7f");
    gui.ask("setoption name WriteDebugLog value <empty>");
    gui.ask("d");
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains(" < go depth 1 searchmoves 7g7f\n"), "{log}");
    assert!(log.contains(" > info depth 1 ") && log.contains(" > bestmove 7g7f\n"), "{log}");
    assert!(log.ends_with("< setoption name WriteDebugLog value <empty>\n"), "{log}");
    let said = gui.ask("setoption name DebugLogFile value /nowhere/at/all.log");
    assert!(said[0].contains("/nowhere/at/all.log"), "{said:?}");
}

/// Where other engines have a switch, an interface sends "false" before every game.
#[test]
fn a_switch_for_a_log_is_no_name_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let names = || {
        let list = std::fs::read_dir(folder.path()).unwrap();
        list.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    for (value, files) in [("false", vec![]), ("true", vec!["io_log.txt"])] {
        let mut child = crate::gui::nue(&[])
            .current_dir(folder.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let text = format!("setoption name WriteDebugLog value {value}\nisready\nquit\n");
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(names(), files, "{value}");
    }
}

#[test]
fn a_large_table_costs_no_game_its_first_move() {
    let mut gui = Gui::start(&[]);
    gui.send("setoption name USI_Hash value 1024\nisready");
    let (notes, _) = gui.until("readyok");
    let told = notes.iter().filter(|line| line.contains("USI_Hash")).count();
    assert!(told > 0, "{notes:?}");
    for again in ["usinewgame", "setoption name Clear_Hash"] {
        // The quickest of a few: other work on the machine is not what is measured.
        let quick = (0..5).any(|_| {
            let asked = Instant::now();
            gui.send(&format!("{again}\nposition startpos\ngo movetime 100"));
            let (before, _) = gui.until("bestmove ");
            assert!(before.iter().any(|line| line.contains(" score ")), "{before:?}");
            asked.elapsed() < Duration::from_millis(300)
        });
        assert!(quick, "{again} delays the search after it");
    }
}

#[test]
fn debug_commands_answer_and_can_be_stopped() {
    let mut gui = Gui::start(&[]);
    assert_eq!(gui.ask("moves").last().unwrap(), "30");
    gui.send("setoption name EvalDir value material");
    assert_eq!(gui.ask("eval"), ["static value for the side to move: 0 cp"]);
    gui.send("go perft 3");
    assert_eq!(gui.until("Nodes searched").1, "Nodes searched: 25470");
    gui.send("bench 1");
    gui.until("Nodes searched: ");
    for (command, expected) in [("go perft 9", "perft stopped"), ("bench 40", "bench stopped")] {
        gui.send(command);
        gui.send("stop");
        gui.until(&format!("info string {expected}"));
        // Also a new command takes the place of the old one.
        gui.send(command);
        gui.send("go depth 1");
        gui.until("bestmove ");
    }
    gui.send("go perft 9");
    assert_eq!(gui.quit().1, 0);
}

#[test]
fn a_closed_output_ends_the_engine_quietly() {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = crate::gui::nue(&[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"usi\n").unwrap();
    // The input stays open: only the output has gone.
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    drop(input);
}

#[test]
fn silence_is_kept_when_nothing_is_asked() {
    let gui = Gui::start(&[]);
    assert!(gui.is_silent(A_WHILE));
}

#[test]
fn a_whole_line_comes_before_every_answer() {
    let mate = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let entered = "sfen K1+P+P+P+P+P+P+P/+P+P+P+P5/9/9/9/9/9/9/4k4 b 2R2B 1";
    let mut gui = Gui::start(&[]);
    gui.send("setoption name PvInterval value 100000");
    for (position, go, answer) in [
        ("startpos", "go nodes 1", None),
        ("startpos", "go ponder\nstop", None),
        ("startpos", "go ponder btime 0 wtime 0 byoyomi 1\nponderhit", None),
        (mate, "go depth 3", Some("G*5b")),
        (mate, "go infinite\nstop", Some("G*5b")),
        (entered, "go depth 3", Some("win")),
        ("sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 3", "go depth 3", Some("resign")),
    ] {
        gui.send(&format!("position {position}"));
        gui.send(go);
        let (before, best) = gui.until("bestmove ");
        let best = best.split(' ').nth(1).unwrap();
        assert!(answer.is_none_or(|answer| answer == best), "{go}: {best}");
        let last = before.iter().rfind(|line| line.contains(" pv "));
        let last = last.unwrap_or_else(|| panic!("{go}: {before:?}"));
        let usi::Reply::Info(info) = usi::Reply::parse(last).unwrap() else { panic!("{last}") };
        let figures = info.nodes.is_some() && info.nps.is_some() && info.hashfull.is_some();
        let whole = figures && info.depth.is_some() && info.score.is_some();
        assert!(whole && info.time.is_some() && info.pv[0] == best, "{go}: {last}");
    }
}
