use super::*;
use crate::reader::{Message, MessageReader};
use proptest::prelude::*;

/// The example of the protocol's section 3.2.
const EXAMPLE: &str = "\
BEGIN Game_Summary
Protocol_Version:1.2
Protocol_Mode:Server
Format:Shogi 1.0
Declaration:Jishogi 1.1
Game_ID:20150505-CSA25-3-5-7
Name+:TANUKI
Name-:KITSUNE
Your_Turn:+
Rematch_On_Draw:NO
To_Move:+
Max_Moves:256
BEGIN Time
Time_Unit:1sec
Total_Time:600
Byoyomi:10
Least_Time_Per_Move:1
END Time
BEGIN Position
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA * 
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  * 
P5 *  *  *  *  *  *  *  *  * 
P6 *  *  *  *  *  *  *  *  * 
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI * 
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P+
P-
+
+2726FU,T12
-3334FU,T6
END Position
END Game_Summary";

fn read(text: &str) -> Result<Summary, SummaryError> {
    let mut reader = MessageReader::default();
    let mut lines = text.lines();
    loop {
        match reader.line(lines.next().expect("the block ends")) {
            None => {}
            Some(Message::Summary(summary)) => return Ok(*summary),
            Some(Message::BadSummary(error)) => return Err(error),
            Some(Message::Line(line)) => panic!("{line:?}"),
        }
    }
}

#[test]
fn the_example_of_the_protocol() {
    let summary = read(EXAMPLE).unwrap();
    assert_eq!(summary.id, "20150505-CSA25-3-5-7");
    assert_eq!(summary.names, ["TANUKI", "KITSUNE"]);
    assert_eq!((summary.your_turn, summary.max_moves), (Color::Black, Some(256)));
    let rule = TimeRule { least: 1, ..TimeRule::seconds(600, 10) };
    assert_eq!(summary.times, Times::Both(rule));
    let times: Vec<_> = summary.played.iter().map(|p| p.time.unwrap().as_secs()).collect();
    assert_eq!(times, [12, 6]);
    assert_eq!(summary.position().ply(), 3);
    assert_eq!(read(&summary.to_string()), Ok(summary));
}

#[test]
fn the_example_as_it_was_printed_with_spaces_lost() {
    let printed = EXAMPLE
        .replace(" *  *", " * *")
        .replace(" *  *", " * *")
        .replace("*  *", "* *")
        .replace(",T", ", T");
    assert_eq!(read(&printed), read(EXAMPLE));
}

#[test]
fn what_may_be_left_out_and_what_may_not() {
    let without = |lines: &[&str]| {
        let kept = EXAMPLE.lines().filter(|l| !lines.iter().any(|p| l.starts_with(p)));
        read(&kept.collect::<Vec<_>>().join("\n"))
    };
    let summary = without(&["Protocol_Mode", "Declaration", "Game_ID", "Rematch", "Max_Moves"]);
    let summary = summary.unwrap();
    assert_eq!((summary.id.as_str(), summary.max_moves, summary.declaration), ("", None, None));
    let summary =
        without(&["BEGIN Time", "END Time", "Time_", "Total", "Byo", "Least", "P+", "P-"]).unwrap();
    assert_eq!(summary.times, Times::Unlimited);
    for key in ["Protocol_Version", "Format", "Name+", "Name-", "Your_Turn", "To_Move"] {
        assert!(matches!(without(&[key]), Err(SummaryError::Missing(_))), "{key}");
    }
    assert!(without(&["P8"]).is_ok(), "fewer pieces are a position too");
    assert!(matches!(without(&["P1"]), Err(SummaryError::Position(_))), "no white king");
}

#[test]
fn wrong_values_are_quoted() {
    for (from, to) in [
        ("Format:Shogi 1.0", "Format:Go 1.0"),
        ("Protocol_Version:1.2", "Protocol_Version:2.0"),
        ("Protocol_Mode:Server", "Protocol_Mode:Direct"),
        ("Your_Turn:+", "Your_Turn:?"),
        ("Max_Moves:256", "Max_Moves:many"),
        ("Total_Time:600", "Total_Time:ten"),
        ("To_Move:+", "To_Move:-"),
        ("+2726FU,T12", "+2725FU,T12"),
        ("-3334FU,T6", "-3334FU,Tx"),
        ("END Time", "END Position"),
        ("P1-KY", "P1-QQ"),
        ("Name+:TANUKI", "nonsense"),
    ] {
        let error = read(&EXAMPLE.replace(from, to)).expect_err(to);
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn clocks_of_each_side_and_unknown_lines() {
    let text = EXAMPLE
        .replace("BEGIN Time\nTime_Unit:1sec", "Reconnect_Token:abc\nBEGIN Time+\nNew_Thing:1")
        .replace("END Time", "END Time+\nBEGIN Time-\nTotal_Time:60\nIncrement:5\nEND Time-");
    let summary = read(&text).unwrap();
    assert_eq!(summary.times.of(Color::White), TimeRule::fischer(60, 5));
    assert_eq!(summary.times.of(Color::Black).byoyomi, Some(10));
    assert_eq!(summary.extra("Reconnect_Token"), Some("abc"));
    assert_eq!(read(&summary.to_string()), Ok(summary));
}

fn random_game(game: Game, start: Option<&str>, choices: &[u16]) -> (AnyPosition, Vec<Played>) {
    let start = start.map_or_else(
        || AnyPosition::startpos(game),
        |sfen| AnyPosition::from_sfen(game, sfen).unwrap(),
    );
    let mut position = start.clone();
    let mut played = Vec::new();
    for &choice in choices {
        let moves = position.legal_moves();
        let Some(&m) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
        position.play(m);
        let time = (choice % 3 > 0).then(|| Duration::from_millis(u64::from(choice)));
        played.push(Played { m, time });
    }
    (start, played)
}

proptest! {
    #[test]
    fn summaries_read_back(
        kind in 0usize..3, choices in proptest::collection::vec(any::<u16>(), 0..60),
        black: bool, max_moves in proptest::option::of(any::<u32>()), total in 0u64..10_000,
        id in "[a-zA-Z0-9+-]{0,20}",
    ) {
        let (game, start) = [
            (Game::Shogi, None),
            (Game::Minishogi, None),
            (Game::Shogi, Some("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1")),
        ][kind];
        let (start, played) = random_game(game, start, &choices);
        let summary = Summary {
            id,
            names: ["a".to_owned(), "b".to_owned()],
            your_turn: if black { Color::Black } else { Color::White },
            max_moves,
            declaration: black.then(|| JISHOGI.to_owned()),
            times: if total == 0 { Times::Unlimited } else { Times::Both(TimeRule::seconds(total, 1)) },
            start,
            played,
            more: vec![("Some_Key".to_owned(), "a:b".to_owned())],
        };
        prop_assert_eq!(read(&summary.to_string()), Ok(summary));
    }

    #[test]
    fn damaged_blocks_are_errors_or_summaries(line in 0usize..36, with in "\\PC{0,30}", cut: bool) {
        let mut lines: Vec<&str> = EXAMPLE.lines().collect();
        let at = 1 + line % (lines.len() - 2);
        if cut {
            lines.remove(at);
        } else {
            lines[at] = &with;
        }
        let _ = Summary::from_lines(lines[1..lines.len() - 1].iter().copied());
    }
}
