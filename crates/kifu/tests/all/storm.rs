//! Whatever the bytes: no panic, no hang, and what was read can be written.

use crate::generator::{cook, recipes};
use kifu::{
    Encoding, Format, NodeId, ReadOptions, Record, Replay, Step, WriteOptions, read, to_bytes,
};
use proptest::prelude::*;
use rules::{AnyPosition, Game, Move};

/// Pieces of every format, to be shuffled.
const SCRAPS: &[&str] = &[
    "V2.2",
    "V3.0",
    "'CSA encoding=UTF-8",
    "N+a",
    "N-",
    "$EVENT:x",
    "$",
    "$GAME:minishogi",
    "PI",
    "PI82HI",
    "PI99ZZ",
    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY",
    "P1",
    "P5+OU * * * *",
    "P+00AL",
    "P-00FU",
    "P+55OU",
    "P",
    "+",
    "-",
    "+7776FU",
    "-3334FU",
    "+7776",
    "+0055FU",
    "%TORYO",
    "%",
    "%+ILLEGAL_ACTION",
    "T1",
    "T",
    "T1.5",
    "T999999999999999999999",
    ",",
    ",,",
    "/",
    "'*c",
    "'** 12 -3334FU #3",
    "'",
    "'summary:time up:a win:b lose",
    "'ILLEGAL_MOVE(",
    "#KIF version=2.0 encoding=Shift_JIS",
    "#KI2",
    "手合割：平手",
    "手合割：5五将棋",
    "手合割：その他",
    "手合割",
    "先手：甲",
    "：",
    "後手の持駒：飛　歩十八",
    "後手の持駒：十",
    "|v香v桂v銀v金v玉v金v銀v桂v香|一",
    "| ・ ・ ・ ・ ・|一",
    "|",
    "+---+",
    "手数＝9",
    "手数＝",
    "後手番",
    "手数----指手---------消費時間--",
    "   1 ７六歩(77)   ( 0:16/00:00:16)+",
    "   1 ７六歩(7",
    "   2 同　歩(33)",
    "2 ３四歩(33)",
    "4294967295 投了",
    "0 投了",
    "1 投了 (::/)",
    "1 ",
    "▲７六歩",
    "△３四歩▲２二角成",
    "▲同",
    "▲",
    "▲５八金",
    "変化：1手",
    "変化：99999999999手",
    "変化：0手",
    "変化：",
    "まで",
    "まで1手で先手の勝ち",
    "まで詰",
    "*評価値=1",
    "*読み筋=▲７六歩",
    "*詰み=先手勝ち:",
    "&b",
    "{",
    "}",
    "[",
    "]",
    "{\"moves\":[]}",
    "{\"moves\":[{},{\"move\":{\"from\":{\"x\":7,\"y\":7},\"to\":{\"x\":7,\"y\":6},\"piece\":\"FU\"},\"forks\":[[{\"special\":\"TORYO\"}]]}]}",
    "{\"initial\":{\"preset\":\"OTHER\",\"data\":{\"board\":[]}},\"moves\":[]}",
    "startpos",
    "position",
    "sfen",
    "moves",
    "7g7f",
    "7g7f+",
    "P*5e",
    "rbsgk/4p/5/P4/KGSBR b - 1",
    "resign",
    "\u{feff}",
    "\u{3000}",
    "é",
    "😀",
];

fn survives(bytes: &[u8]) {
    for format in [None].into_iter().chain(Format::ALL.map(Some)) {
        for game in [None, Some(Game::Minishogi)] {
            for record in read("storm", bytes, ReadOptions { format, game }).into_iter().flatten() {
                for target in Format::ALL {
                    for encoding in [Encoding::Utf8, Encoding::ShiftJis] {
                        let options = WriteOptions { encoding, ..WriteOptions::default() };
                        let Ok((written, _)) = to_bytes(&record, target, &options) else {
                            continue;
                        };
                        let back = read("back", &written, ReadOptions::default());
                        let text = String::from_utf8_lossy(&written);
                        assert_eq!(back.len(), 1, "{target}:\n{text}");
                        let back = back[0].as_ref().unwrap_or_else(|e| panic!("{e}\n{text}"));
                        assert_eq!(back.moves(), record.moves(), "{target}:\n{text}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes(bytes in any::<Vec<u8>>()) {
        survives(&bytes);
    }

    #[test]
    fn scraps(list in prop::collection::vec((prop::sample::select(SCRAPS), 0..4_u8), 0..24)) {
        let mut text = String::new();
        for (scrap, end) in list {
            text.push_str(scrap);
            text.push_str(["\n", "\r\n", " ", ""][usize::from(end)]);
        }
        survives(text.as_bytes());
        let (shift_jis, ..) = encoding_rs::SHIFT_JIS.encode(&text);
        survives(&shift_jis);
    }

    /// Good files with bytes changed, lost and doubled.
    #[test]
    fn mutations(
        recipe in recipes(),
        format in prop::sample::select(&Format::ALL[..]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..12),
    ) {
        let (mut bytes, _) = to_bytes(&cook(&recipe), format, &WriteOptions::default()).unwrap();
        for (index, kind, byte) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
        }
        survives(&bytes);
    }
}

#[test]
fn json_nested_beyond_any_stack_is_refused() {
    let json = "{\"moves\":[{\"forks\":[[".repeat(100_000);
    assert!(read("x.jkf", json.as_bytes(), ReadOptions::default()).iter().all(Result::is_err));
}

/// Variations inside variations: JKF reads back what it writes, and refuses what it could not.
#[test]
fn variations_nested_deeper_than_jkf_holds_are_refused() {
    for (depth, fits) in [(40, true), (41, false), (3000, false)] {
        let mut record = Record::new(AnyPosition::startpos(Game::Shogi));
        let mut replay = Replay::new(&record);
        let mut at = NodeId::ROOT;
        for n in 0..depth {
            replay.go_to(&record, at);
            let moves = replay.position().legal_moves();
            // Kings and rooks walk to and fro: both sides always have two such moves.
            let walk = |m: &&Move| !m.is_drop() && !m.is_promotion();
            let mut list = moves.iter().filter(walk).skip(n % 3);
            let (main, side) = (list.next().unwrap(), list.next().unwrap());
            record.add(at, Step::Move(*main));
            at = record.add(at, Step::Move(*side));
        }
        let written = to_bytes(&record, Format::Jkf, &WriteOptions::default());
        assert_eq!(written.is_ok(), fits, "{depth}");
        if let Ok((bytes, _)) = written {
            let back = read("x", &bytes, ReadOptions::default()).remove(0).unwrap();
            assert!(back == record);
        }
        let (bytes, _) = to_bytes(&record, Format::Kif, &WriteOptions::default()).unwrap();
        let back = read("x", &bytes, ReadOptions::default()).remove(0).unwrap();
        assert!(back == record);
    }
}

/// Files far larger than any game, shaped to be slow: many moves with evaluations, many endings
/// beside each other, many variations of a long line.
#[test]
fn large_files_take_time_in_proportion() {
    let started = fixtures::processor_time();
    let cycle = ["+4948KI", "-4142KI", "+4849KI", "-4241KI"];
    let mut csa = String::from("PI\n+\n");
    for n in 0..40_000 {
        csa.push_str(&format!("{}\nT1\n'** {n} {}\n", cycle[n % 4], cycle[(n + 1) % 4]));
    }
    let endings: String = (0..40_000).map(|n| format!("変化：1手\n1 end{n}\n")).collect();
    let words = ["４八金(49)", "４二金(41)", "４九金(48)", "４一金(42)"];
    let long: String = (0..20_000).map(|n| format!("{} {}\n", n + 1, words[n % 4])).collect();
    let late: String =
        (0..20_000).rev().map(|n| format!("変化：{}手\n{} 投了\n", n + 1, n + 1)).collect();
    for text in [csa, format!("1 ７六歩(77)\n{endings}"), format!("{long}{late}")] {
        let record = read("x", text.as_bytes(), ReadOptions::default()).remove(0).unwrap();
        for format in [Format::Csa, Format::Kif, Format::Ki2, Format::Usi] {
            let (bytes, _) = to_bytes(&record, format, &WriteOptions::default()).unwrap();
            assert!(read("y", &bytes, ReadOptions::default()).remove(0).is_ok());
        }
    }
    let taken = fixtures::processor_time() - started;
    assert!(taken.as_secs() < 20, "{taken:?}");
}
