use super::*;
use crate::words::MAX_MILLIS;
use crate::{MateTime, Start, Times};
use proptest::option::of;
use proptest::prelude::*;
use rules::{AnyPosition, Game};
use std::time::Duration;
use think::{Clocks, Limits, MateLimit};

fn check(line: &str, expected: Command) {
    assert_eq!(Command::parse(line), Ok(expected.clone()), "{line:?}");
    assert_eq!(Command::parse(&expected.to_string()), Ok(expected), "{line:?}");
}

fn check_error(line: &str, expected: &str) {
    assert_eq!(Command::parse(line).unwrap_err().to_string(), expected, "{line:?}");
}

fn option(name: &str, value: Option<&str>) -> Command {
    Command::SetOption { name: name.into(), value: value.map(Into::into) }
}

fn position(start: Start, moves: &[&str]) -> Command {
    let moves = moves.iter().map(|&m| m.to_owned()).collect();
    Command::Position(SetPosition { start, moves })
}

#[test]
fn plain_words() {
    check("usi", Command::Usi);
    check("\u{feff}usi\r\n", Command::Usi);
    check(" \tisready \r", Command::IsReady);
    check("usinewgame", Command::UsiNewGame);
    check("stop", Command::Stop);
    check("quit", Command::Quit);
    check("gameover win", Command::GameOver(Some(GameResult::Win)));
    check("gameover  lose", Command::GameOver(Some(GameResult::Lose)));
    check("gameover draw", Command::GameOver(Some(GameResult::Draw)));
    check("gameover", Command::GameOver(None));
    check("d", Command::Show);
    check("eval", Command::Eval);
    check("moves", Command::Moves);
    check("bench", Command::Bench(None));
    check("bench 7", Command::Bench(Some(7)));
}

#[test]
fn set_option() {
    check("setoption name USI_Hash value 256", option("USI_Hash", Some("256")));
    check("setoption name Clear_Hash", option("Clear_Hash", None));
    check(
        "setoption name EvalDir value C:/my  nets/a b",
        option("EvalDir", Some("C:/my  nets/a b")),
    );
    check("setoption name Book value <empty>", option("Book", Some("")));
    check("setoption name Book value ", option("Book", Some("")));
    check("setoption\tname Skill \t Level value 3", option("Skill Level", Some("3")));
    check("setoption name value value value", option("value", Some("value")));
}

#[test]
fn positions() {
    let sfen = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    check("position startpos", position(Start::Startpos, &[]));
    check("position startpos moves", position(Start::Startpos, &[]));
    check("position  startpos moves 7g7f\t3c3d", position(Start::Startpos, &["7g7f", "3c3d"]));
    let from_sfen = |moves| position(Start::Sfen(sfen.into()), moves);
    check(&format!("position sfen {sfen}"), from_sfen(&[]));
    check(&format!("position {sfen} moves 5a4b"), from_sfen(&["5a4b"]));
}

#[test]
fn go() {
    let go = |go: Go| Command::Go(go);
    let times = Times { btime: Some(60_000), wtime: Some(50_000), ..Times::default() };
    let byoyomi = Times { byoyomi: Some(10_000), ..times };
    check("go", go(Go::default()));
    check("go infinite", go(Go { infinite: true, ..Go::default() }));
    check("go btime 60000 wtime 50000 byoyomi 10000", go(Go { times: byoyomi, ..Go::default() }));
    check(
        "go ponder btime 60000 wtime 50000 binc 5000 winc 3000",
        go(Go {
            ponder: true,
            times: Times { binc: Some(5000), winc: Some(3000), ..times },
            ..Go::default()
        }),
    );
    check("go mate infinite", go(Go { mate: Some(MateTime::Infinite), ..Go::default() }));
    check("go mate", go(Go { mate: Some(MateTime::Infinite), ..Go::default() }));
    check("go mate 60000", go(Go { mate: Some(MateTime::Millis(60_000)), ..Go::default() }));
    check(
        "go depth 8 nodes 1000 movetime 99 rtime 7 perft 3",
        go(Go {
            depth: Some(8),
            nodes: Some(1000),
            movetime: Some(99),
            rtime: Some(7),
            perft: Some(3),
            ..Go::default()
        }),
    );
    check(
        "go searchmoves 7g7f P*5e depth 4",
        go(Go { searchmoves: vec!["7g7f".into(), "P*5e".into()], depth: Some(4), ..Go::default() }),
    );
    check(
        "go movestogo 30 btime -20 nodes 99999999999999999999999",
        go(Go {
            unknown: vec!["movestogo".into(), "30".into()],
            times: Times { btime: Some(0), ..Times::default() },
            nodes: Some(u64::MAX),
            ..Go::default()
        }),
    );
}

#[test]
fn ponderhit_may_carry_clocks() {
    check("ponderhit", Command::PonderHit(Times::default()));
    let times =
        Times { btime: Some(1000), wtime: Some(2000), byoyomi: Some(300), ..Times::default() };
    check("ponderhit btime 1000 wtime 2000 byoyomi 300", Command::PonderHit(times));
}

#[test]
fn errors_say_what_is_wrong() {
    check_error("", "empty line");
    check_error(" \t\r\n", "empty line");
    check_error("xyzzy 1 2", r#"unknown command "xyzzy""#);
    check_error("USI", r#"unknown command "USI""#);
    check_error("stop it", r#""stop" takes nothing after it, not "it""#);
    check_error("setoption", r#""setoption" needs "name" and an option"#);
    check_error("setoption Hash 5", r#""setoption" takes "name" and an option, not "Hash""#);
    check_error("setoption name", r#""name" needs an option"#);
    check_error("position", r#""position" needs "startpos" or "sfen" and a position"#);
    check_error("position sfen", r#""sfen" needs "startpos" or "sfen" and a position"#);
    check_error("position moves 7g7f", r#""moves" needs "startpos" or "sfen" and a position"#);
    check_error("position startpos 7g7f", r#""startpos" takes "moves", not "7g7f""#);
    check_error("go btime", r#""btime" needs a number"#);
    check_error("go btime soon", r#""btime" takes a whole number, not "soon""#);
    check_error("go depth 1.5", r#""depth" takes a whole number, not "1.5""#);
    check_error("go mate fast", r#""mate" takes a whole number, not "fast""#);
    check_error("ponderhit now", r#""ponderhit" takes clocks, not "now""#);
    check_error("gameover maybe", r#""gameover" takes "win", "lose" or "draw", not "maybe""#);
    check_error("bench x", r#""bench" takes a whole number, not "x""#);
    check_error("bench 1 2", r#""bench" takes one number, the depth, not "1 2""#);
}

#[test]
fn limits_as_meant() {
    let game = Game::Shogi;
    let start = AnyPosition::startpos(game);
    let limits = |line: &str| match Command::parse(line).unwrap() {
        Command::Go(go) => go.limits(&start, Duration::from_secs(7)),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        limits("go").unwrap(),
        Limits { start: Duration::from_secs(7), ..Limits::default() }
    );
    let timed = limits("go ponder btime 1000 byoyomi 50 mate 9").unwrap();
    let clocks = timed.clocks.unwrap();
    assert_eq!(clocks.time, [Duration::from_secs(1), Duration::ZERO]);
    assert_eq!(clocks.byoyomi, Duration::from_millis(50));
    assert!(timed.ponder);
    assert_eq!(timed.mate, Some(MateLimit::Time(Duration::from_millis(9))));
    let some = limits("go searchmoves 7g7f 2g2f").unwrap();
    assert_eq!(some.searchmoves.iter().map(|m| m.usi(game)).collect::<Vec<_>>(), ["7g7f", "2g2f"]);
    let error = limits("go searchmoves 7g7e").unwrap_err().to_string();
    assert!(error.starts_with("searchmoves: ") && error.contains("7g7e"), "{error}");
}

#[test]
fn a_mate_problem_may_lack_a_king_and_is_only_asked_for_its_mate() {
    let problem = "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let Ok(Command::Position(problem)) = Command::parse(problem) else { panic!() };
    let position = problem.resolve(Game::Shogi).unwrap();
    let ask = |go: Go| go.limits(&position, Duration::ZERO);
    assert!(ask(Go { mate: Some(MateTime::Infinite), ..Go::default() }).is_ok());
    let error = ask(Go::default()).unwrap_err().to_string();
    assert_eq!(error, "Black has no king: only \"go mate\" can be asked");
}

#[test]
fn positions_as_meant() {
    use rules::Game::{Minishogi, Shogi};
    let resolve = |game, line: &str| match Command::parse(line).unwrap() {
        Command::Position(p) => p.resolve(game).map(|p| p.sfen()).map_err(|e| e.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        resolve(Shogi, "position startpos moves 7g7f").unwrap(),
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
    );
    assert_eq!(resolve(Minishogi, "position startpos").unwrap(), "rbsgk/4p/5/P4/KGSBR b - 1");
    let error = resolve(Shogi, "position startpos moves 7g7f 7g7f").unwrap_err();
    assert!(error.starts_with("move 2 of the list: ") && error.contains("7g7f"), "{error}");
    let error = resolve(Shogi, "position sfen rbsgk/4p/5/P4/KGSBR b - 1").unwrap_err();
    assert!(error.contains("5 ranks") && error.contains("USI_Variant"), "{error}");
    let error = resolve(Shogi, "position sfen what is this").unwrap_err();
    assert!(error.contains("what"), "{error}");
}

/// A word that is none of the grammar's own.
fn word() -> impl Strategy<Value = String> {
    "[A-Z][A-Za-z0-9_*+]{0,7}"
}

/// Text as a value: any, but trimmed and not a word with a meaning of its own.
fn text() -> impl Strategy<Value = String> {
    "[A-Za-z0-9あ歩/:._-]([ -~あ歩]{0,20}[A-Za-z0-9あ歩/:._-])?"
}

fn times() -> impl Strategy<Value = Times> {
    let ms = || of(0..=MAX_MILLIS);
    (ms(), ms(), ms(), ms(), ms()).prop_map(|(btime, wtime, byoyomi, binc, winc)| Times {
        btime,
        wtime,
        byoyomi,
        binc,
        winc,
    })
}

fn any_go() -> impl Strategy<Value = Go> {
    let ms = || of(0..=MAX_MILLIS);
    let mate =
        of(prop_oneof![Just(MateTime::Infinite), (0..=MAX_MILLIS).prop_map(MateTime::Millis)]);
    let words = || prop::collection::vec(word(), 0..4);
    (
        (any::<bool>(), any::<bool>(), times(), mate, of(any::<u32>())),
        (of(any::<u64>()), ms(), ms(), of(any::<u32>()), words(), words()),
    )
        .prop_map(|((ponder, infinite, times, mate, depth), rest)| {
            let (nodes, movetime, rtime, perft, unknown, searchmoves) = rest;
            Go {
                ponder,
                infinite,
                times,
                mate,
                depth,
                nodes,
                movetime,
                rtime,
                perft,
                unknown,
                searchmoves,
            }
        })
}

fn any_command() -> impl Strategy<Value = Command> {
    let start = prop_oneof![
        Just(Start::Startpos),
        prop::collection::vec(word(), 1..5).prop_map(|w| Start::Sfen(w.join(" "))),
    ];
    let result =
        of(prop_oneof![Just(GameResult::Win), Just(GameResult::Lose), Just(GameResult::Draw)]);
    prop_oneof![
        Just(Command::Usi),
        Just(Command::IsReady),
        Just(Command::UsiNewGame),
        Just(Command::Stop),
        Just(Command::Quit),
        Just(Command::Show),
        Just(Command::Eval),
        Just(Command::Moves),
        of(any::<u32>()).prop_map(Command::Bench),
        (word(), of(prop_oneof![Just(String::new()), text()]))
            .prop_map(|(name, value)| Command::SetOption { name, value }),
        (start, prop::collection::vec(word(), 0..6))
            .prop_map(|(start, moves)| Command::Position(SetPosition { start, moves })),
        any_go().prop_map(Command::Go),
        times().prop_map(Command::PonderHit),
        result.prop_map(Command::GameOver),
    ]
}

proptest! {
    #[test]
    fn every_command_round_trips(command in any_command()) {
        prop_assert_eq!(Command::parse(&command.to_string()), Ok(command));
    }

    #[test]
    fn white_space_does_not_count(command in any_command(), gap in "[ \t]{1,3}") {
        if !matches!(command, Command::SetOption { .. }) {
            let line = format!("{gap}{}\r\n", command.to_string().replace(' ', &gap));
            prop_assert_eq!(Command::parse(&line), Ok(command));
        }
    }

    #[test]
    fn no_text_panics(line in ".*") {
        let _ = Command::parse(&line);
    }

    #[test]
    fn no_garbled_command_panics(
        words in prop::collection::vec(prop_oneof![
            Just("setoption"), Just("name"), Just("value"), Just("position"), Just("startpos"),
            Just("sfen"), Just("moves"), Just("go"), Just("ponder"), Just("btime"), Just("mate"),
            Just("infinite"), Just("searchmoves"), Just("depth"), Just("-1"), Just("1e9"),
            Just("99999999999999999999"), Just("\u{0}"), Just("歩"), Just("ponderhit"),
        ], 0..12)
    ) {
        if let Ok(command) = Command::parse(&words.join(" ")) {
            prop_assert_eq!(Command::parse(&command.to_string()), Ok(command));
        }
    }
}

#[test]
fn positions_with_their_moves_are_told_and_understood() {
    for (game, text) in [
        (Game::Shogi, "startpos"),
        (Game::Shogi, "startpos moves 7g7f 3c3d 8h2b+"),
        (Game::Shogi, "sfen 4k4/9/9/9/9/9/9/9/4K4 w 2Pr 7 moves R*5h 5i5h"),
        (Game::Minishogi, "startpos moves 1e1d"),
    ] {
        let position = SetPosition::parse(text).unwrap().resolve(game).unwrap();
        assert_eq!(SetPosition::of(&position).to_string(), text);
    }
}

#[test]
fn clocks_are_told_in_words_that_engines_know() {
    let ms = Duration::from_millis;
    for (increment, byoyomi, want) in [
        ([0, 0], 0, " btime 10 wtime 20 byoyomi 0"),
        ([0, 0], 5, " btime 10 wtime 20 byoyomi 5"),
        ([1, 0], 0, " btime 10 wtime 20 binc 1 winc 0"),
        ([1, 2], 5, " btime 10 wtime 20 byoyomi 5 binc 1 winc 2"),
    ] {
        let increment = increment.map(ms);
        let clocks = Clocks { time: [ms(10), ms(20)], increment, byoyomi: ms(byoyomi) };
        let times = Times::of(&clocks);
        assert_eq!(times.to_string(), want);
        assert_eq!(times.clocks(), Some(clocks));
    }
}

#[test]
fn limits_have_words_that_mean_them() {
    let position = AnyPosition::startpos(Game::Shogi);
    for text in [
        " infinite",
        " btime 1000 wtime 2000 byoyomi 500",
        " ponder btime 1000 wtime 2000 binc 50 winc 60",
        " depth 3 nodes 5000 movetime 7",
        " rtime 10",
        " mate 100",
        " mate infinite",
        " infinite searchmoves 7g7f 2g2f",
    ] {
        let go = Go::parse(text).unwrap();
        let limits = go.limits(&position, Duration::ZERO).unwrap();
        assert_eq!(Go::of(&limits, Game::Shogi).to_string(), text);
    }
}

#[test]
fn increments_can_be_told_as_byoyomi() {
    let times = Times::parse("btime 1000 wtime 2000 byoyomi 10 binc 50 winc 70").unwrap();
    assert!(times.has_increments());
    let plain = times.increments_as_byoyomi(rules::Color::White);
    assert_eq!(plain.to_string(), " btime 1000 wtime 2000 byoyomi 80");
    assert!(!plain.has_increments());
}
