//! Streams of planes as a reader sees them.

use super::super::super::tests::{Folder, played};
use super::super::{StreamArgs, stream};
use crate::failure::{CommandResult, Failure};
use clap::Parser;
use features::{Labels, Planes};
use rules::{AnyPosition, Color, Game, Move, Position, Variant};
use std::io;
use teacher::{Candidate, Game as Played, Outcome as Won};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: StreamArgs,
}

/// One position of a stream.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Seen {
    planes: Vec<u8>,
    label: u16,
    visits: Vec<(u16, u16)>,
    score: i16,
    ply: u16,
    result: i8,
    turn: u8,
}

fn arguments(folder: &Folder, line: &str) -> StreamArgs {
    let words = line.split(' ').map(|w| match w.strip_prefix('@') {
        Some(path) => folder.path(path).to_string_lossy().into_owned(),
        None => w.to_owned(),
    });
    Line::try_parse_from(std::iter::once("stream".to_owned()).chain(words)).unwrap().args
}

fn error(folder: &Folder, line: &str) -> String {
    match stream(&arguments(folder, line), &mut io::sink()) {
        Err(Failure::Failed(text) | Failure::Usage(text)) => text,
        other => panic!("{line}: {other:?}"),
    }
}

/// The text of a stream and all its positions, sorted.
fn read(folder: &Folder, line: &str) -> (serde_json::Value, Vec<Seen>) {
    let (result, read) = sent(folder, line);
    result.unwrap();
    read
}

/// The same, and how it ended: after damage what is whole was sent.
fn sent(folder: &Folder, line: &str) -> (CommandResult, (serde_json::Value, Vec<Seen>)) {
    let mut bytes = Vec::new();
    let line = format!("{line} --clamp 32767 --batch 50");
    let result = stream(&arguments(folder, &line), &mut bytes);
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..8], number(8)), (&b"NueStrm\n"[..], 1));
    let end = 16 + number(12);
    let about: serde_json::Value = serde_json::from_slice(&bytes[16..end]).unwrap();
    let told = |key: &str| about[key].as_u64().unwrap() as usize;
    let (size, visits) = (told("bytes"), told("visits"));
    let mut seen = Vec::new();
    let mut at = end;
    loop {
        assert_eq!(&bytes[at..at + 4], b"NBat");
        let (count, flags) = (number(at + 4), number(at + 12));
        at += 16;
        if flags == 2 {
            assert_eq!((count, at), (0, bytes.len()));
            seen.sort();
            return (result, (about, seen));
        }
        let mut array = |each: usize| {
            at += each * count;
            &bytes[at - each * count..at]
        };
        let short = |array: &[u8], i: usize| u16::from_le_bytes([array[2 * i], array[2 * i + 1]]);
        let (labels, tried, times) = (array(2), array(2 * visits), array(2 * visits));
        let (scores, plies, results, turns) = (array(2), array(2), array(1), array(1));
        let planes = array(size);
        seen.extend((0..count).map(|i| {
            Seen {
                planes: planes[size * i..size * (i + 1)].to_vec(),
                label: short(labels, i),
                visits: (visits * i..visits * (i + 1))
                    .map(|at| (short(tried, at), short(times, at)))
                    .collect(),
                score: short(scores, i) as i16,
                ply: short(plies, i),
                result: results[i] as i8,
                turn: turns[i],
            }
        }));
    }
}

fn packed<V: Variant>(planes: Planes, position: &Position<V>) -> Vec<u8> {
    let mut out = vec![0; planes.bytes()];
    planes.pack(position, &mut out);
    out
}

/// What a stream of those games must hold, sorted: positions in check and loud ones too.
fn expected(games: &[Played], planes: Planes, labels: Labels, visits: usize) -> Vec<Seen> {
    let mut all = Vec::new();
    for game in games {
        let mut position = game.start.clone();
        let moves = game.plies.iter().map(|ply| (Some(ply.mv), ply.score, ply.flags));
        let last = game.last.map(|score| (None, Some(score), teacher::Flags::default()));
        for (index, (mv, score, flags)) in moves.chain(last).enumerate() {
            let turn = position.turn();
            let label = |mv: Move| labels.label(mv, turn);
            if let (Some(score), false) = (score, flags.skip || flags.random) {
                let mut tried: Vec<&Candidate> =
                    game.candidates.iter().filter(|c| c.ply as usize == index).collect();
                tried.sort_by_key(|c| u16::MAX - c.visits);
                let mut tried: Vec<_> = tried.iter().map(|c| (label(c.mv), c.visits)).collect();
                tried.truncate(visits);
                tried.resize(visits, (u16::MAX, 0));
                all.push(Seen {
                    planes: match &position {
                        AnyPosition::Shogi(p) => packed(planes, p),
                        AnyPosition::Minishogi(p) => packed(planes, p),
                    },
                    label: mv.map_or(u16::MAX, label),
                    visits: tried,
                    score,
                    ply: position.ply() as u16,
                    result: game.outcome.for_side(turn).unwrap_or(2),
                    turn: u8::from(turn == Color::White),
                });
            }
            if let Some(mv) = mv {
                position.play(mv);
            }
        }
    }
    all.sort();
    all
}

/// Games with everything the stream has to leave out, and some positions with visits.
fn games(rules: Game) -> Vec<Played> {
    let mut games = played(40, rules);
    for (number, game) in games.iter_mut().enumerate().filter(|(number, _)| number % 3 != 0) {
        let mut position = game.start.clone();
        for (index, ply) in game.plies.iter().enumerate().take(12) {
            if index % 4 == 0 {
                let moves = position.legal_moves();
                let tried = moves.iter().copied().take(5).filter(|&mv| mv != ply.mv);
                for (mv, visits) in tried.chain([ply.mv]).zip([7, 65535, number as u16, 2, 9, 400])
                {
                    game.candidates.push(Candidate { ply: index as u32, mv, visits });
                }
            }
            position.play(ply.mv);
        }
    }
    for game in &mut games {
        game.plies[3].flags.random = true;
        game.plies[4].flags.skip = true;
        game.plies[5].score = None;
    }
    games
}

#[test]
fn planes_labels_and_visits_of_every_position() {
    let folder = Folder::new();
    let (shogi, mini) = (games(Game::Shogi), games(Game::Minishogi));
    folder.write("shogi.teacher", &shogi);
    folder.write("mini.teacher", &mini);
    for (file, options, planes, labels, visits) in [
        ("shogi", "--planes dlshogi", Planes::Dlshogi, Labels::Dlshogi, 0),
        ("shogi", "--planes dlshogi --visits 3", Planes::Dlshogi, Labels::Dlshogi, 3),
        ("shogi", "--planes pal", Planes::Pal, Labels::Pal, 0),
        ("shogi", "--planes aoba", Planes::Aoba, Labels::Dlshogi, 0),
        ("shogi", "--planes aoba --labels pal", Planes::Aoba, Labels::Pal, 0),
        ("mini", "--planes minishogi --visits 593", Planes::Minishogi, Labels::Minishogi, 593),
    ] {
        let (about, seen) = read(&folder, &format!("@{file}.teacher {options}"));
        let played = if file == "mini" { &mini } else { &shogi };
        let wanted = expected(played, planes, labels, visits);
        assert_eq!(seen.len(), wanted.len(), "{options}");
        assert!(seen == wanted, "{options}");
        assert_eq!(about["planes"], planes.name());
        assert_eq!(about["count"], planes.count());
        assert_eq!(about["labels"], labels.name());
        assert_eq!(about["label_count"], labels.count());
        assert_eq!(about["mirrored_labels"].as_array().unwrap().len(), labels.count());
    }
    let (about, _) = read(&folder, "@shogi.teacher --planes aoba");
    assert_eq!(about["segments"].as_array().unwrap().len(), 22);
    assert_eq!(about["segments"][0]["boards"], 28);
    assert_eq!(about["segments"][20]["values"][0], 1.0 / 512.0);
    assert!(shogi.iter().any(|game| !game.candidates.is_empty()), "games with visits");
}

/// Visits come through dlshogi's own files, and records give their best move.
#[test]
fn files_of_other_programs() {
    let folder = Folder::new();
    let mut games = games(Game::Shogi);
    games.retain(|g| g.outcome != Won::Unknown);
    folder.write("a.teacher", &games);
    folder.run("convert @a.teacher -o @a.hcpe3").unwrap();
    folder.run("convert @a.hcpe3 -o @b.teacher").unwrap();
    let wanted = expected(&folder.games("b.teacher"), Planes::Dlshogi, Labels::Dlshogi, 2);
    assert!(wanted.iter().any(|seen| seen.visits[0].1 > 1), "visits survive");
    for file in ["@b.teacher", "@a.hcpe3"] {
        let (_, seen) = read(&folder, &format!("{file} --planes dlshogi --visits 2"));
        assert!(seen == wanted, "{file}");
    }
    // Damage is told before anything is sent; what is whole can be used.
    let bytes = folder.bytes("a.hcpe3");
    std::fs::write(folder.path("cut.hcpe3"), &bytes[..bytes.len() - 3]).unwrap();
    let told = error(&folder, "@cut.hcpe3 --planes dlshogi");
    assert!(told.contains("cut.hcpe3") && told.contains("ends inside a game"), "{told}");
    let line = "@cut.hcpe3 --planes dlshogi --salvage";
    assert_eq!(error(&folder, line), "1 problem in the input");
    let (_, whole) = sent(&folder, line).1;
    assert!(!whole.is_empty() && whole.len() < wanted.len());
    let mut wrong = bytes;
    wrong[36..38].copy_from_slice(&[0xff, 0xff]);
    std::fs::write(folder.path("wrong.hcpe3"), wrong).unwrap();
    let told = error(&folder, "@wrong.hcpe3 --planes dlshogi");
    assert!(told.contains("wrong.hcpe3") && told.contains("game 1 there"), "{told}");
    folder.run("convert @a.teacher -o @a.hcpe").unwrap();
    let (_, records) = read(&folder, "@a.hcpe --planes dlshogi");
    let (_, all) = read(&folder, "@a.teacher --planes dlshogi");
    assert!(records.len() > 500 && records.iter().all(|seen| seen.label < 2187));
    let pairs: Vec<_> = all.iter().map(|seen| (&seen.planes, seen.label)).collect();
    assert!(records.iter().all(|seen| pairs.binary_search(&(&seen.planes, seen.label)).is_ok()));
}

#[test]
fn filters_apply_and_what_is_wrong_is_said() {
    let folder = Folder::new();
    let shogi = games(Game::Shogi);
    folder.write("a.teacher", &shogi);
    folder.write("mini.teacher", &games(Game::Minishogi));
    let all = read(&folder, "@a.teacher --planes dlshogi").1.len();
    let quiet = read(&folder, "@a.teacher --planes dlshogi --quiet --no-check").1.len();
    let late = read(&folder, "@a.teacher --planes dlshogi --min-ply 9").1;
    assert!(0 < quiet && quiet < all && late.len() < all && late.iter().all(|s| s.ply >= 9));
    // As many settled positions as features are sent of: a teacher judges what a net learns from.
    let settled = read(&folder, "@a.teacher --planes dlshogi --settled").1.len();
    let features = super::bytes(&folder, "@a.teacher --features kp --settled");
    let sent: usize = super::read(&features).1.iter().map(|frame| frame.2.len()).sum();
    assert!(0 < settled && settled < all && settled == sent, "{settled} {sent} of {all}");
    // So with those beside games, whose moves and results nobody knows.
    let beside = read(&folder, "@a.teacher --planes dlshogi --beside 2").1;
    let features = super::bytes(&folder, "@a.teacher --features kp --beside 2");
    let frames = super::read(&features).1;
    let sent = frames.iter().flat_map(|frame| &frame.2).map(|s| (s.score, s.ply, s.turn, s.result));
    let mut judged: Vec<_> = beside.iter().map(|s| (s.score, s.ply, s.turn, s.result)).collect();
    assert!(judged.len() > all && beside.iter().all(|s| (s.label, s.result) == (0xffff, 2)));
    let mut sent: Vec<_> = sent.collect();
    judged.sort_unstable();
    sent.sort_unstable();
    assert_eq!(judged, sent);
    for (line, parts) in [
        ("@a.teacher --planes minishogi", &["\"minishogi\"", "shogi", "dlshogi, pal, aoba"][..]),
        ("@mini.teacher --planes dlshogi", &["\"dlshogi\"", "for minishogi there are minishogi"]),
        ("@a.teacher --planes pal --labels p", &["labels \"p\"", "dlshogi, pal"]),
        ("@a.teacher --planes pal --visits 594", &["594", "593"]),
        ("@a.teacher --planes pal --mirror", &["--mirror"]),
        ("@a.teacher --planes pal --leaf", &["--leaf"]),
    ] {
        let text = error(&folder, line);
        assert!(parts.iter().all(|part| text.contains(part)), "{line}: {text}");
    }
    for line in [
        "@a.teacher",
        "@a.teacher --features kp --planes pal",
        "@a.teacher --features kp --visits 3",
    ] {
        let words = std::iter::once("stream").chain(line.split(' '));
        assert!(Line::try_parse_from(words).is_err(), "{line}");
    }
}
