//! Streams as a reader sees them.

mod planes;

use super::super::tests::{Folder, played};
use super::{StreamArgs, stream};
use crate::failure::Failure;
use clap::Parser;
use features::{FeatureSet, HalfKp, HalfKpE9, HalfKpKrank, KP, List, active};
use rules::{AnyPosition, Game, Minishogi, Position, Shogi, Variant};
use std::collections::BTreeMap;
use std::io::{self, Write};
use teacher::{Flags, Game as Played, Outcome as Won, Ply};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: StreamArgs,
}

/// One position of a stream, with whole feature numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Seen {
    sides: [Vec<u32>; 2],
    score: i16,
    ply: u16,
    result: i8,
    turn: u8,
}

/// A frame: epoch, flags, positions.
type Frame = (u32, u32, Vec<Seen>);

fn arguments(folder: &Folder, line: &str) -> StreamArgs {
    // Nothing is left out but what the line says.
    let limited = line.contains("--clamp") || line.contains("--limit");
    let limit = if limited { "" } else { " --clamp 32767" };
    arguments_as_said(folder, &format!("{line} --keep-checks --keep-captures{limit}"))
}

fn arguments_as_said(folder: &Folder, line: &str) -> StreamArgs {
    let words = line.split(' ').map(|w| match w.strip_prefix('@') {
        Some(path) => folder.path(path).to_string_lossy().into_owned(),
        None => w.to_owned(),
    });
    Line::try_parse_from(std::iter::once("stream".to_owned()).chain(words)).unwrap().args
}

fn bytes(folder: &Folder, line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream(&arguments(folder, line), &mut bytes).unwrap();
    bytes
}

fn error(folder: &Folder, line: &str) -> String {
    match stream(&arguments(folder, line), &mut io::sink()) {
        Err(Failure::Failed(text) | Failure::Usage(text)) => text,
        other => panic!("{line}: {other:?}"),
    }
}

struct Tape<'a>(&'a [u8]);

impl Tape<'_> {
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let (array, rest) = self.0.split_first_chunk().unwrap();
        self.0 = rest;
        *array
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn many<const N: usize>(&mut self, count: usize) -> Vec<[u8; N]> {
        (0..count).map(|_| self.array()).collect()
    }
}

fn read(bytes: &[u8]) -> (serde_json::Value, Vec<Frame>) {
    let mut tape = Tape(bytes);
    assert_eq!(&tape.array(), b"NueStrm\n");
    assert_eq!(tape.u32(), 1);
    let length = tape.u32() as usize;
    let (text, rest) = tape.0.split_at(length);
    tape.0 = rest;
    let about: serde_json::Value = serde_json::from_slice(text).unwrap();
    let number = |key: &str| about[key].as_u64().unwrap() as usize;
    let (slots, pieces) = (number("slots"), number("pieces"));
    let (stride, inputs) = (number("effect_stride"), number("inputs"));
    let mut frames = Vec::new();
    loop {
        assert_eq!(&tape.array(), b"NBat");
        let (count, epoch, flags) = (tape.u32() as usize, tape.u32(), tape.u32());
        if flags == 2 {
            assert!(count == 0 && tape.0.is_empty());
            return (about, frames);
        }
        let bases = [tape.many::<4>(count), tape.many::<4>(count)];
        let sides = [tape.many::<2>(count * slots), tape.many::<2>(count * slots)];
        let (scores, plies) = (tape.many::<2>(count), tape.many::<2>(count));
        let (results, turns) = (tape.many::<1>(count), tape.many::<1>(count));
        let counts = [tape.many::<1>(count), tape.many::<1>(count)];
        let side = |i: usize, side: usize| {
            let base = u32::from_le_bytes(bases[side][i]) as usize;
            let list = &sides[side][i * slots..(i + 1) * slots];
            let (real, padding) = list.split_at(usize::from(counts[side][i][0]));
            assert!(padding.iter().all(|&n| i16::from_le_bytes(n) == -1));
            let whole = real.iter().map(|&n| {
                let n = u16::from_le_bytes(n) as usize;
                let index = base + n % pieces + n / pieces * stride;
                assert!(index < inputs);
                index as u32
            });
            let mut whole: Vec<u32> = whole.collect();
            whole.sort_unstable();
            whole
        };
        let seen = (0..count).map(|i| Seen {
            sides: [side(i, 0), side(i, 1)],
            score: i16::from_le_bytes(scores[i]),
            ply: u16::from_le_bytes(plies[i]),
            result: results[i][0] as i8,
            turn: turns[i][0],
        });
        frames.push((epoch, flags, seen.collect()));
    }
}

fn expected<V: Variant, F: FeatureSet<V>>(pos: &Position<V>, score: i16, won: Won) -> Seen {
    let turn = pos.turn();
    let sides = [turn, turn.opponent()].map(|side| {
        let mut list = List::new();
        active::<V, F>(pos, side, &mut list);
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    });
    let (ply, turn_code) = (pos.ply() as u16, turn.index() as u8);
    Seen { sides, score, ply, result: won.for_side(turn).unwrap_or(2), turn: turn_code }
}

/// What a stream of those games must hold, sorted.
fn all_expected<F: FeatureSet<Shogi> + FeatureSet<Minishogi>>(games: &[Played]) -> Vec<Seen> {
    let mut all = Vec::new();
    for game in games {
        let mut position = game.start.clone();
        for ply in &game.plies {
            if let (Some(score), false) = (ply.score, ply.flags.skip || ply.flags.random) {
                all.push(match &position {
                    AnyPosition::Shogi(p) => expected::<Shogi, F>(p, score, game.outcome),
                    AnyPosition::Minishogi(p) => expected::<Minishogi, F>(p, score, game.outcome),
                });
            }
            position.play(ply.mv);
        }
    }
    all.sort();
    all
}

fn sorted<'f>(frames: impl Iterator<Item = &'f Frame>) -> Vec<Seen> {
    let mut all: Vec<Seen> = frames.flat_map(|f| f.2.iter().cloned()).collect();
    all.sort();
    all
}

/// Games with everything the stream has to leave out.
fn games(rules: Game) -> Vec<Played> {
    let mut games = played(40, rules);
    for (number, game) in games.iter_mut().enumerate() {
        game.plies[3].flags = Flags { random: true, skip: false };
        game.plies[4].flags = Flags { random: false, skip: true };
        game.plies[5].score = None;
        if number % 7 == 0 {
            game.outcome = Won::Unknown;
        }
    }
    games
}

#[test]
fn every_epoch_holds_every_position_once_with_the_features_of_the_engine() {
    let folder = Folder::new();
    let shogi = games(Game::Shogi);
    let mini = games(Game::Minishogi);
    folder.write("a.teacher", &shogi[..30]);
    folder.write("b.teacher", &shogi[30..]);
    folder.write("mini.teacher", &mini);
    let cases: [(&str, &str, Vec<Seen>); 5] = [
        ("kp", "@a.teacher @b.teacher", all_expected::<KP>(&shogi)),
        ("HalfKP", "@a.teacher @b.teacher", all_expected::<HalfKp>(&shogi)),
        ("halfkpe9", "@a.teacher @b.teacher", all_expected::<HalfKpE9>(&shogi)),
        ("halfkpkrank", "@a.teacher @b.teacher", all_expected::<HalfKpKrank>(&shogi)),
        ("halfkp", "@mini.teacher", all_expected::<HalfKp>(&mini)),
    ];
    for (set, files, wanted) in cases {
        let line = format!("{files} --features {set} --batch 50 --pool 300 --epochs 2");
        let (about, frames) = read(&bytes(&folder, &line));
        assert!(about["positions"].as_u64().unwrap() >= wanted.len() as u64);
        let epoch = |n: u32| frames.iter().filter(move |f| f.0 == n);
        for n in 0..2 {
            assert!(sorted(epoch(n)) == wanted, "{set} epoch {n}");
            let flags: Vec<u32> = epoch(n).map(|f| f.1).collect();
            assert_eq!(flags.iter().sum::<u32>(), 1);
            assert_eq!(flags.last(), Some(&1));
            let sizes: Vec<usize> = epoch(n).map(|f| f.2.len()).collect();
            assert!(sizes[..sizes.len() - 1].iter().all(|&n| n == 50), "{sizes:?}");
        }
        assert_ne!(epoch(0).next().unwrap().2, epoch(1).next().unwrap().2);
    }
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let folder = Folder::new();
    folder.write("a.teacher", &games(Game::Shogi));
    let line = "@a.teacher --features kp --batch 64 --pool 200 --mirror --epochs 3";
    let one = bytes(&folder, &format!("{line} --threads 1"));
    for threads in [2, 3, 8] {
        assert!(one == bytes(&folder, &format!("{line} --threads {threads}")), "{threads}");
    }
    let (_, frames) = read(&one);
    let (_, other) = read(&bytes(&folder, &format!("{line} --seed 2")));
    assert_ne!(frames[0], other[0]);
    // A trainer that resumes gets the rest of the same stream.
    let (_, rest) = read(&bytes(&folder, &format!("{line} --first-epoch 1").replace("3", "2")));
    let later: Vec<Frame> = frames.into_iter().filter(|f| f.0 > 0).collect();
    assert_eq!(later, rest);
}

#[test]
fn mirrored_positions_have_the_features_of_the_mirrored_board() {
    let folder = Folder::new();
    let mirrored = |rules: Game, game: &Played| {
        let sfen = game.start.sfen();
        let mut words: Vec<String> = sfen.split(' ').map(str::to_owned).collect();
        let flip = |rank: &str| {
            let mut squares: Vec<String> = Vec::new();
            for c in rank.chars() {
                match squares.last_mut() {
                    Some(last) if last == "+" => last.push(c),
                    _ => squares.push(c.to_string()),
                }
            }
            squares.reverse();
            squares.concat()
        };
        words[0] = words[0].split('/').map(flip).collect::<Vec<_>>().join("/");
        let start = AnyPosition::from_sfen(rules, &words.join(" ")).unwrap();
        let plies = game.plies.iter().map(|p| Ply { mv: p.mv.mirrored(rules), ..*p }).collect();
        Played { start, plies, ..game.clone() }
    };
    for (rules, sets) in
        [(Game::Shogi, &["kp", "halfkp", "halfkpe9"][..]), (Game::Minishogi, &["halfkp"])]
    {
        let games = games(rules);
        let turned: Vec<Played> = games.iter().map(|g| mirrored(rules, g)).collect();
        folder.write("a.teacher", &games);
        for set in sets {
            let (as_is, turned) = match *set {
                "kp" => (all_expected::<KP>(&games), all_expected::<KP>(&turned)),
                "halfkp" => (all_expected::<HalfKp>(&games), all_expected::<HalfKp>(&turned)),
                _ => (all_expected::<HalfKpE9>(&games), all_expected::<HalfKpE9>(&turned)),
            };
            let line = format!("@a.teacher --features {set} --mirror");
            let seen = sorted(read(&bytes(&folder, &line)).1.iter());
            assert_eq!(seen.len(), as_is.len());
            let mut kinds = BTreeMap::new();
            for position in &seen {
                let kind =
                    (as_is.binary_search(position).is_ok(), turned.binary_search(position).is_ok());
                *kinds.entry(kind).or_insert(0usize) += 1;
            }
            assert_eq!(kinds.get(&(false, false)), None, "{set}");
            let half = seen.len() / 3;
            assert!(kinds[&(true, false)] > half && kinds[&(false, true)] > half, "{kinds:?}");
        }
    }
}

#[test]
fn records_and_filters_and_rare_positions() {
    let folder = Folder::new();
    let mut games = games(Game::Shogi);
    games.retain(|g| g.outcome != Won::Unknown);
    folder.write("a.teacher", &games);
    let wanted = all_expected::<KP>(&games);
    for format in ["psv", "hcpe"] {
        folder.run(&format!("convert @a.teacher -o @a.{format}")).unwrap();
        let (_, frames) = read(&bytes(&folder, &format!("@a.{format} --features kp")));
        let mut seen = sorted(frames.iter());
        if format == "hcpe" {
            assert_eq!(seen.len(), wanted.len());
            continue; // no move numbers
        }
        seen.sort();
        assert!(seen == wanted, "{format}");
    }
    let (_, frames) = read(&bytes(&folder, "@a.teacher --features kp --max-score 500 --min-ply 9"));
    let passed: Vec<Seen> =
        wanted.iter().filter(|s| s.score.abs() <= 500 && s.ply >= 9).cloned().collect();
    assert!(!passed.is_empty() && sorted(frames.iter()) == passed);
    assert!(error(&folder, "@a.psv --features kp --min-length 5").contains("length"));
    assert!(error(&folder, "@a.teacher --features kp --min-length 5000").contains("no position"));
    // Pieces missing from the game are features too, so every list is full.
    let (about, _) = read(&bytes(&folder, "@a.teacher --features halfkp"));
    assert_eq!((about["slots"].as_u64(), about["pieces"].as_u64()), (Some(38), Some(1548)));
}

#[test]
fn scores_are_clamped_and_looked_ahead() {
    let folder = Folder::new();
    let mut games = games(Game::Shogi);
    games[0].plies[7].score = Some(teacher::MATE - 3);
    folder.write("a.teacher", &games);
    let clamped: Vec<Played> = {
        let mut games = games.clone();
        let scores = games.iter_mut().flat_map(|g| &mut g.plies).map(|ply| &mut ply.score);
        scores.flatten().for_each(|score| *score = (*score).clamp(-300, 300));
        games
    };
    let (_, frames) = read(&bytes(&folder, "@a.teacher --features kp --limit 300"));
    assert!(sorted(frames.iter()) == all_expected::<KP>(&clamped));
    // By the definition: the sum of all scores up to a random move, each with its weight.
    let mut ahead = clamped.clone();
    for (game, plain) in ahead.iter_mut().zip(&clamped) {
        let scores: Vec<Option<i16>> =
            plain.plies.iter().map(|p| p.score).chain([plain.last]).collect();
        for at in 0..game.plies.len() {
            let Some(own) = scores[at] else { continue };
            let later: Vec<f64> = scores[at..]
                .iter()
                .enumerate()
                .map_while(|(i, s)| Some(f64::from((*s)?) * if i % 2 == 0 { 1.0 } else { -1.0 }))
                .collect();
            let last = later.len() - 1;
            let weight = |k: usize| 0.8f64.powi(k as i32) * if k < last { 0.2 } else { 1.0 };
            let mean: f64 = later.iter().enumerate().map(|(k, s)| weight(k) * s).sum();
            assert_eq!(later[0] as i16, own);
            game.plies[at].score = Some(mean.round() as i16);
        }
    }
    let (_, frames) = read(&bytes(&folder, "@a.teacher --features kp --clamp 300 --n-step 0.8"));
    let (seen, wanted) = (sorted(frames.iter()), all_expected::<KP>(&ahead));
    assert_eq!(seen.len(), wanted.len());
    assert!(seen == wanted);
}

/// What trains is the same for both trainers: quiet positions, not in check, large scores cut.
#[test]
fn what_trains_is_quiet_unless_told_otherwise() {
    let folder = Folder::new();
    let mut games = games(Game::Shogi);
    games[0].plies[7].score = Some(teacher::MATE - 3);
    folder.write("a.teacher", &games);
    let mut bytes = Vec::new();
    stream(&arguments_as_said(&folder, "@a.teacher --features kp"), &mut bytes).unwrap();
    let mut trains = games.clone();
    for game in &mut trains {
        let mut position = game.start.clone();
        for ply in &mut game.plies {
            let AnyPosition::Shogi(p) = &position else { panic!() };
            let loud = ply.mv.is_promotion() || p.piece_at(ply.mv.to()).is_some();
            ply.flags.skip |= loud || p.in_check();
            ply.score = ply.score.map(|score| score.clamp(-3000, 3000));
            position.play(ply.mv);
        }
    }
    let (seen, wanted) = (sorted(read(&bytes).1.iter()), all_expected::<KP>(&trains));
    assert!(seen == wanted, "{} and {}", seen.len(), wanted.len());
    assert!(wanted.len() < all_expected::<KP>(&games).len());
}

#[test]
fn the_text_says_how_to_mirror() {
    let folder = Folder::new();
    folder.write("a.teacher", &games(Game::Shogi));
    let (about, _) = read(&bytes(&folder, "@a.teacher --features halfkp"));
    let list = |key: &str| -> Vec<u64> {
        about[key].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect()
    };
    let (pieces, bases) = (list("mirrored_pieces"), list("mirrored_bases"));
    assert_eq!((pieces.len(), bases.len()), (1548, 81));
    for list in [&pieces, &bases] {
        assert!(list.iter().enumerate().all(|(i, &n)| list[n as usize] == i as u64));
    }
    assert_eq!((bases[0], bases[40], pieces[5]), (72, 40, 5));
}

#[test]
fn what_is_wrong_is_said_before_anything_is_sent() {
    let folder = Folder::new();
    folder.write("a.teacher", &games(Game::Shogi));
    folder.write("mini.teacher", &games(Game::Minishogi));
    let whole = folder.bytes("a.teacher");
    std::fs::write(folder.path("cut.teacher"), &whole[..whole.len() - 9]).unwrap();
    std::fs::write(folder.path("odd.psv"), [7; 90]).unwrap();
    std::fs::write(folder.path("bad.psv"), [255; 80]).unwrap();
    for (line, parts) in [
        ("@none.teacher --features kp", &["none.teacher"][..]),
        ("@a.teacher --features pk", &["\"pk\"", "halfkp, kp"]),
        ("@mini.teacher --features kp", &["\"kp\"", "minishogi", "halfkp"]),
        ("@a.teacher @mini.teacher --features kp", &["mini.teacher", "minishogi"]),
        ("@cut.teacher --features kp", &["cut.teacher", "damaged at byte", "--salvage"]),
        ("@odd.psv --features kp", &["odd.psv", "last 10 bytes", "--salvage"]),
        ("@bad.psv --features kp", &["bad.psv", "record 1", "1 more", "--salvage"]),
    ] {
        let text = error(&folder, line);
        assert!(parts.iter().all(|part| text.contains(part)), "{line}: {text}");
    }
    // What is whole is sent if that is wanted, and the end says that something was wrong.
    let mut bytes = Vec::new();
    let line = "@cut.teacher --features kp --salvage";
    let outcome = stream(&arguments(&folder, line), &mut bytes);
    assert!(matches!(outcome, Err(Failure::Failed(_))));
    let frames = read(&bytes).1;
    assert!(frames.iter().map(|f| f.2.len()).sum::<usize>() > 100);
}

#[test]
fn a_reader_that_leaves_ends_a_stream_without_end() {
    struct Leaving(usize);
    impl Write for Leaving {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let folder = Folder::new();
    folder.write("a.teacher", &games(Game::Shogi));
    let args = arguments(&folder, "@a.teacher --features kp --forever --batch 10");
    assert!(matches!(stream(&args, &mut Leaving(1000)), Err(Failure::ReaderGone)));
}

/// What a trainer compares its choice with: every position after a move, and which was played.
#[test]
fn choices_are_the_positions_after_every_move() {
    let folder = Folder::new();
    let games = played(6, Game::Shogi);
    folder.write("a.teacher", &games);
    let mut wanted = Vec::new();
    for game in &games {
        let AnyPosition::Shogi(mut position) = game.start.clone() else { panic!("shogi") };
        for ply in &game.plies {
            for (index, &mv) in position.legal_moves().iter().enumerate() {
                let mut after = position.clone();
                after.play(mv);
                let result = if mv == ply.mv { 1 } else { -1 };
                let told = expected::<Shogi, KP>(&after, index as i16, Won::Draw);
                wanted.push(Seen { ply: 0, turn: 0, result, ..told });
            }
            position.play(ply.mv);
        }
    }
    let line = "@a.teacher --features kp --batch 700 --choices 1000000";
    let (_, frames) = read(&bytes(&folder, line));
    assert!(frames.len() > 1 && frames.iter().all(|frame| frame.2.len() <= 700));
    // No position is cut in two.
    assert!(frames.iter().all(|frame| frame.2[0].score == 0));
    let sent: Vec<Seen> = frames.into_iter().flat_map(|frame| frame.2).collect();
    assert!(sent == wanted);
    // Some of them, from all over the file.
    let (_, some) = read(&bytes(&folder, "@a.teacher --features kp --batch 700 --choices 20"));
    let played = some.iter().flat_map(|frame| &frame.2).filter(|seen| seen.result == 1).count();
    assert_eq!(played, 20);
    assert!(error(&folder, "@a.teacher --features kp --batch 100 --choices 5").contains("593"));
}
