use super::*;
use crate::option::choosing;
use crate::words::MAX_MILLIS;
use proptest::option::of;
use proptest::prelude::*;
use rules::{AnyPosition, Game};
use std::time::Duration;
use think::{Bound, OptionKind, Score, Wdl};

fn check(line: &str, expected: Reply) {
    assert_eq!(Reply::parse(line), Ok(expected.clone()), "{line:?}");
    assert_eq!(Reply::parse(&expected.to_string()), Ok(expected), "{line:?}");
}

fn check_error(line: &str, expected: &str) {
    assert_eq!(Reply::parse(line).unwrap_err().to_string(), expected, "{line:?}");
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn best(best: &str, ponder: Option<&str>) -> Reply {
    Reply::BestMove(BestMove::Move { best: best.into(), ponder: ponder.map(Into::into) })
}

#[test]
fn greetings() {
    check("id name Nue 1.0 日本語", Reply::IdName("Nue 1.0 日本語".into()));
    check("id author A and B\r", Reply::IdAuthor("A and B".into()));
    check("usiok", Reply::UsiOk);
    check(" readyok \n", Reply::ReadyOk);
}

#[test]
fn answers() {
    check("bestmove 7g7f", best("7g7f", None));
    check("bestmove 8h2b+ ponder 3a2b", best("8h2b+", Some("3a2b")));
    check("bestmove  resign", Reply::BestMove(BestMove::Resign));
    check("bestmove win ", Reply::BestMove(BestMove::Win));
    check("checkmate G*8f 9f9g", Reply::Checkmate(Checkmate::Moves(words("G*8f 9f9g"))));
    check("checkmate nomate", Reply::Checkmate(Checkmate::NoMate));
    check("checkmate timeout", Reply::Checkmate(Checkmate::Timeout));
    check("checkmate none", Reply::Checkmate(Checkmate::Timeout));
    check("checkmate notimplemented", Reply::Checkmate(Checkmate::NotImplemented));
}

#[test]
fn thoughts() {
    let line = "info depth 5 seldepth 9 multipv 1 score cp -30 upperbound nodes 4000 nps 100000 \
                hashfull 3 time 40 pv 7g7f 3c3d rep_draw";
    let info = Info {
        depth: Some(5),
        seldepth: Some(9),
        multipv: Some(1),
        score: Some((Score::Cp(-30), Bound::Upper)),
        nodes: Some(4000),
        nps: Some(100_000),
        hashfull: Some(3),
        time: Some(40),
        pv: words("7g7f 3c3d rep_draw"),
        ..Info::default()
    };
    assert_eq!(Reply::Info(info.clone()).to_string(), line);
    check(line, Reply::Info(info));
    let scored =
        |score| Reply::Info(Info { score: Some((score, Bound::Exact)), ..Info::default() });
    check("info score mate 5", scored(Score::Mate(Some(5))));
    check("info score mate +5", scored(Score::Mate(Some(5))));
    check("info score mate -4", scored(Score::Mated(Some(4))));
    check("info score mate -0", scored(Score::Mated(Some(0))));
    check("info score mate +", scored(Score::Mate(None)));
    check("info score mate -", scored(Score::Mated(None)));
    check("info score cp -99999999999", scored(Score::Cp(-i32::MAX)));
    check("info string pv is  only text ", Reply::note("pv is  only text"));
    let tail = Info { pv: words("7g7f"), nodes: Some(8), ..Info::default() };
    check("info pv 7g7f nodes 8 tbhits 1", Reply::Info(tail));
    let wdl = Some(Wdl { win: 600, draw: 50, loss: 350 });
    let chances = Info { score: Some((Score::Cp(70), Bound::Lower)), wdl, ..Info::default() };
    let line = "info score cp 70 lowerbound wdl 600 50 350";
    assert_eq!(Reply::Info(chances.clone()).to_string(), line);
    check(line, Reply::Info(chances));
    check_error("info wdl 600 50", r#""wdl" needs a number"#);
    let current =
        Info { currmove: Some("7g7f".into()), currmovenumber: Some(2), ..Info::default() };
    check("info currmove 7g7f currmovenumber 2", Reply::Info(current));
}

#[test]
fn options() {
    let spec = |spec| Reply::Option(spec);
    check("option name P type check default true", spec(OptionSpec::check("P", true, "")));
    check(
        "option name H type spin default 16 min -1 max 1024",
        spec(OptionSpec::spin("H", 16, -1, 1024, "")),
    );
    check(
        "option name R type combo default A var A var B",
        spec(OptionSpec::combo("R", "A", &["A", "B"], "")),
    );
    check("option name C type button", spec(OptionSpec::button("C", "")));
    check("option name S type string default <empty>", spec(OptionSpec::text("S", "", "")));
    check("option name S type string default", spec(OptionSpec::text("S", "", "")));
    check(
        "option name F type filename default a min b",
        spec(OptionSpec::filename("F", "a min b", "")),
    );
}

#[test]
fn errors_say_what_is_wrong() {
    check_error("", "empty line");
    check_error("hello", r#"unknown command "hello""#);
    check_error("id", r#""id" takes "name" or "author", not """#);
    check_error("bestmove", r#""bestmove" needs a move"#);
    check_error("checkmate", r#""checkmate" needs a line"#);
    check_error("info depth deep", r#""depth" takes a whole number, not "deep""#);
    check_error("info score", r#""score" needs "cp" or "mate""#);
    check_error("info score wdl 5", r#""score" takes "cp" or "mate", not "wdl""#);
    check_error("info score cp", r#""cp" needs a value"#);
    check_error("option H", r#""option" needs "name""#);
    check_error("option name type spin", r#""name" needs an option"#);
    check_error("option name H", r#""H" needs "type""#);
    check_error("option name H type spin min low", r#""min" takes a whole number, not "low""#);
}

#[test]
fn what_an_engine_says_becomes_text() {
    let game = Game::Shogi;
    let m = |text| rules::Move::from_usi(game, text).unwrap();
    let info = think::Info {
        depth: Some(2),
        time: Some(Duration::from_micros(1999)),
        pv: vec![m("7g7f"), m("3c3d")],
        ..think::Info::default()
    };
    let line = Reply::Info(Info::from_thought(&info, game)).to_string();
    assert_eq!(line, "info depth 2 time 1 pv 7g7f 3c3d");
    let best = Best { answer: Answer::Move(m("P*5e")), ponder: Some(m("3c3d")) };
    assert_eq!(Reply::best(&best, game).to_string(), "bestmove P*5e ponder 3c3d");
    let win = Best { answer: Answer::Win, ponder: None };
    assert_eq!(Reply::best(&win, game).to_string(), "bestmove win");
    let mate = MateAnswer::Mate(vec![m("G*5b")]);
    assert_eq!(Reply::mate(&mate, game).to_string(), "checkmate G*5b");
    assert_eq!(Reply::mate(&MateAnswer::NoMate, game).to_string(), "checkmate nomate");
}

fn word() -> impl Strategy<Value = String> {
    "[A-Z0-9][A-Za-z0-9_*+]{0,7}"
}

fn text() -> impl Strategy<Value = String> {
    "[A-Za-z0-9あ歩/:._-]([ -~あ歩]{0,20}[A-Za-z0-9あ歩/:._-])?"
}

fn any_score() -> impl Strategy<Value = (Score, Bound)> {
    let score = prop_oneof![
        (-i32::MAX..=i32::MAX).prop_map(Score::Cp),
        of(1..=i32::MAX as u32).prop_map(Score::Mate),
        of(0..=i32::MAX as u32).prop_map(Score::Mated),
    ];
    (score, prop_oneof![Just(Bound::Exact), Just(Bound::Lower), Just(Bound::Upper)])
}

fn any_wdl() -> impl Strategy<Value = Wdl> {
    let part = || 0..=1000u16;
    (part(), part(), part()).prop_map(|(win, draw, loss)| Wdl { win, draw, loss })
}

fn any_info() -> impl Strategy<Value = Info> {
    let n = || of(any::<u32>());
    let big = || of(any::<u64>());
    let end = prop_oneof![
        prop::collection::vec(word(), 0..5).prop_map(|pv| (pv, None)),
        text().prop_map(|string| (vec![], Some(string))),
    ];
    (
        (n(), n(), n(), of(any_score()), of(any_wdl()), big()),
        (big(), n(), of(0..=MAX_MILLIS), of(word()), n(), end),
    )
        .prop_map(|((depth, seldepth, multipv, score, wdl, nodes), rest)| {
            let (nps, hashfull, time, currmove, currmovenumber, (pv, string)) = rest;
            Info {
                depth,
                seldepth,
                multipv,
                score,
                wdl,
                nodes,
                nps,
                hashfull,
                time,
                currmove,
                currmovenumber,
                pv,
                string,
            }
        })
}

fn any_option() -> impl Strategy<Value = OptionSpec> {
    let kind = prop_oneof![
        (any::<bool>()).prop_map(|d| (OptionKind::Check, d.to_string())),
        (any::<i64>(), any::<i64>(), any::<i64>())
            .prop_map(|(d, min, max)| (OptionKind::Spin { min, max }, d.to_string())),
        (word(), prop::collection::vec(word(), 0..4))
            .prop_map(|(d, choices)| (OptionKind::Combo { choices }, d)),
        Just((OptionKind::Button, String::new())),
        prop_oneof![Just(String::new()), text()].prop_map(|d| (OptionKind::Text, d)),
        prop_oneof![Just(String::new()), text()].prop_map(|d| (OptionKind::Filename, d)),
    ];
    (word(), kind).prop_map(|(name, (kind, default))| OptionSpec {
        name,
        kind,
        default,
        help: String::new(),
    })
}

fn any_reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        text().prop_map(Reply::IdName),
        text().prop_map(Reply::IdAuthor),
        any_option().prop_map(Reply::Option),
        Just(Reply::UsiOk),
        Just(Reply::ReadyOk),
        any_info().prop_map(Reply::Info),
        (word(), of(word()))
            .prop_map(|(best, ponder)| Reply::BestMove(BestMove::Move { best, ponder })),
        Just(Reply::BestMove(BestMove::Resign)),
        Just(Reply::BestMove(BestMove::Win)),
        prop::collection::vec(word(), 1..6).prop_map(|l| Reply::Checkmate(Checkmate::Moves(l))),
        Just(Reply::Checkmate(Checkmate::NoMate)),
        Just(Reply::Checkmate(Checkmate::Timeout)),
        Just(Reply::Checkmate(Checkmate::NotImplemented)),
    ]
}

proptest! {
    #[test]
    fn every_reply_round_trips(reply in any_reply()) {
        prop_assert_eq!(Reply::parse(&reply.to_string()), Ok(reply));
    }

    #[test]
    fn no_text_panics(line in ".*") {
        let _ = Reply::parse(&line);
    }

    #[test]
    fn no_garbled_reply_panics(
        words in prop::collection::vec(prop_oneof![
            Just("info"), Just("score"), Just("cp"), Just("mate"), Just("-"), Just("--5"),
            Just("pv"), Just("string"), Just("option"), Just("name"), Just("type"), Just("spin"),
            Just("default"), Just("min"), Just("var"), Just("bestmove"), Just("ponder"),
            Just("99999999999999999999"), Just("\u{0}"), Just("歩"), Just("checkmate"),
        ], 0..12)
    ) {
        if let Ok(reply) = Reply::parse(&words.join(" ")) {
            prop_assert_eq!(Reply::parse(&reply.to_string()), Ok(reply));
        }
    }
}

#[test]
fn lines_of_thought_end_where_moves_do() {
    let position = AnyPosition::startpos(Game::Shogi);
    let Ok(Reply::Info(told)) = Reply::parse("info depth 3 time 12 pv 7g7f 3c3d rep_draw") else {
        panic!("an info line");
    };
    let thought = told.thought(&position);
    assert_eq!((thought.depth, thought.time), (Some(3), Some(Duration::from_millis(12))));
    let moves: Vec<String> = thought.pv.iter().map(|m| m.usi(Game::Shogi)).collect();
    assert_eq!(moves, ["7g7f", "3c3d"]);
}

#[test]
fn the_game_is_chosen_where_it_must_and_can_be() {
    let of = |game, declared: &[&str]| choosing(game, |name| declared.contains(&name));
    assert_eq!(of(Game::Shogi, &["USI_Variant"]), None);
    assert_eq!(of(Game::Minishogi, &["Threads"]), None);
    let (name, value) = of(Game::Minishogi, &["UCI_Variant"]).unwrap();
    assert_eq!((name.as_str(), value.as_str()), ("UCI_Variant", "minishogi"));
}
