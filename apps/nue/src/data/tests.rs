//! The commands on real files.

use super::*;
use crate::failure::Failure;
use clap::Parser;
use rules::{AnyPosition, Color, Game as Rules, Handicap};
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use teacher::{Flags, Game, Header, Outcome as Won, Ply, Reader, Reason, Writer};
use tempfile::TempDir;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: DataArgs,
}

/// A folder of one test, removed with it.
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn run(&self, line: &str) -> CommandResult {
        let words = line.split(' ').map(|w| match w.strip_prefix('@') {
            Some(path) => self.path(path).to_string_lossy().into_owned(),
            None => w.to_owned(),
        });
        let line = Line::try_parse_from(std::iter::once("data".to_owned()).chain(words));
        run(&line.unwrap_or_else(|e| panic!("{e}")).args)
    }

    pub(super) fn write(&self, name: &str, games: &[Game]) {
        let header = Header::new(games[0].start.game()).with("seed", name);
        let mut writer = Writer::new(Vec::new(), header).unwrap();
        for some in games.chunks(20) {
            some.iter().for_each(|game| writer.write(game).unwrap());
            writer.flush().unwrap();
        }
        fs::write(self.path(name), writer.finish().unwrap()).unwrap();
    }

    pub(super) fn games(&self, name: &str) -> Vec<Game> {
        let bytes = self.bytes(name);
        Reader::new(&bytes[..]).unwrap().games().map(Result::unwrap).collect()
    }

    pub(super) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Everything else in the folder, temporary files above all.
    pub(super) fn files(&self) -> Vec<String> {
        let list = fs::read_dir(self.0.path()).unwrap().filter_map(Result::ok);
        let mut names: Vec<_> =
            list.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Games that differ, from all start positions, with everything PSV and hcpe3 can hold.
pub(super) fn played(count: usize, rules: Rules) -> Vec<Game> {
    let mut seed = seed::Rng::new(7);
    let all: Vec<Game> = (0..count)
        .map(|number| {
            let start = match rules {
                Rules::Shogi => {
                    let handicap = Handicap::ALL[number % Handicap::ALL.len()];
                    AnyPosition::from_sfen(rules, &handicap.sfen()).unwrap()
                }
                Rules::Minishogi => AnyPosition::startpos(rules),
            };
            let mut game = Game::new(start.clone());
            let mut position = start;
            for _ in 0..20 + seed.below(30) {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[seed.below(moves.len())];
                let score = Some(seed.below(4000) as i16 - 2000);
                game.plies.push(Ply { mv, score, flags: Flags::default() });
                position.play(mv);
            }
            game.outcome = [Won::Draw, Won::Won(Color::Black), Won::Won(Color::White)][number % 3];
            game
        })
        .collect();
    let distinct: HashSet<u64> = all.iter().map(Game::fingerprint).collect();
    assert_eq!(distinct.len(), all.len());
    all
}

#[test]
fn every_format_there_and_back() {
    for rules in Rules::ALL {
        let folder = Folder::new();
        let games = played(40, rules);
        folder.write("a.teacher", &games);
        for format in ["psv", "hcpe", "hcpe3", "csa"] {
            folder.run(&format!("convert @a.teacher -o @b.{format}")).unwrap();
            let back = format!("convert @b.{format} -o @{format}.teacher --game {rules}");
            folder.run(&back).unwrap();
            let mut read = folder.games(&format!("{format}.teacher"));
            for game in &mut read {
                // Records must name an ending to tell the winner.
                game.reason = Reason::Unknown;
            }
            assert_eq!(read, games, "{rules} {format}");
            let again = format!("convert @{format}.teacher -o @c.{format}");
            folder.run(&again).unwrap();
            assert!(folder.bytes(&format!("b.{format}")) == folder.bytes(&format!("c.{format}")));
        }
    }
}

#[test]
fn shuffling_loses_nothing_and_is_the_same_for_the_same_seed() {
    let folder = Folder::new();
    let games = played(300, Rules::Shogi);
    folder.write("a.teacher", &games);
    folder.run("convert @a.teacher -o @a.psv").unwrap();
    folder.run("shuffle @a.teacher -o @b.psv --seed 5").unwrap();
    folder.run("shuffle @a.psv -o @c.psv --seed 5").unwrap();
    folder.run("shuffle @a.psv -o @d.psv --seed 6").unwrap();
    assert!(folder.bytes("b.psv") == folder.bytes("c.psv"), "from games or from positions");
    assert!(folder.bytes("c.psv") != folder.bytes("d.psv"));
    let sorted = |name: &str| {
        let bytes = folder.bytes(name);
        let mut records: Vec<[u8; 40]> = bytes.as_chunks().0.to_vec();
        records.sort_unstable();
        records
    };
    assert!(sorted("a.psv") == sorted("b.psv"));
    assert!(sorted("a.psv") == sorted("d.psv"));
    folder.run("shuffle @a.teacher -o @b.teacher").unwrap();
    let mut shuffled = folder.games("b.teacher");
    assert_ne!(shuffled, games);
    shuffled.sort_by_key(Game::fingerprint);
    let mut wanted = games.clone();
    wanted.sort_by_key(Game::fingerprint);
    assert_eq!(shuffled, wanted);
    folder.run("convert @a.teacher -o @a.hcpe3").unwrap();
    folder.run("shuffle @a.hcpe3 -o @b.hcpe3").unwrap();
    assert_eq!(folder.bytes("a.hcpe3").len(), folder.bytes("b.hcpe3").len());
    folder.run("shuffle @a.hcpe3 -o @b.hcpe").unwrap();
    assert!(matches!(folder.run("shuffle @a.psv -o @x.teacher"), Err(Failure::Usage(_))));
    assert!(folder.files().iter().all(|f| !f.ends_with(".tmp")));
}

#[test]
fn more_than_fits_in_memory_is_shuffled_too() {
    let folder = Folder::new();
    // 1.2 million records in 16 MiB of memory: several buckets on disk.
    let records: Vec<u8> =
        (0..1_200_000u64).flat_map(|n| [n, 0, 0, 0, 0]).flat_map(u64::to_le_bytes).collect();
    fs::write(folder.path("a.psv"), records).unwrap();
    folder.run("shuffle @a.psv -o @b.psv --memory 16").unwrap();
    let bytes = folder.bytes("b.psv");
    let number = |r: &[u8; 40]| u64::from_le_bytes(*r.first_chunk().unwrap());
    let numbers: Vec<u64> = bytes.as_chunks().0.iter().map(number).collect();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    assert!(sorted.iter().copied().eq(0..1_200_000));
    // Neighbours of the input are a third of the file apart on average.
    let mut places = vec![0i64; numbers.len()];
    numbers.iter().enumerate().for_each(|(at, &n)| places[n as usize] = at as i64);
    let apart: i64 = places.windows(2).map(|p| (p[0] - p[1]).abs()).sum();
    let mean = apart as f64 / numbers.len() as f64 / numbers.len() as f64;
    assert!((mean - 1.0 / 3.0).abs() < 0.01, "{mean}");
    assert_eq!(folder.files(), ["a.psv", "b.psv"]);
}

#[test]
fn no_game_is_in_training_and_validation() {
    let folder = Folder::new();
    let mut games = played(400, Rules::Shogi);
    games.extend_from_within(..100);
    folder.write("a.teacher", &games);
    let line = "split @a.teacher --train @t.teacher --validation @v.teacher --share 0.2";
    folder.run(line).unwrap();
    let (train, validation) = (folder.games("t.teacher"), folder.games("v.teacher"));
    assert_eq!(train.len() + validation.len(), games.len());
    let known: HashSet<u64> = train.iter().map(Game::fingerprint).collect();
    assert!(!validation.iter().any(|g| known.contains(&g.fingerprint())));
    assert!((60..140).contains(&validation.len()), "{}", validation.len());
    assert!(matches!(folder.run(line), Err(Failure::Usage(_))), "nothing is replaced unasked");
    folder.run(&format!("{line} --force --seed 2")).unwrap();
    assert_ne!(folder.games("v.teacher"), validation);
    let one = "split @a.teacher --train @x.teacher --validation @x.teacher";
    assert!(matches!(folder.run(one), Err(Failure::Usage(_))));
    fs::write(folder.path("p.psv"), []).unwrap();
    let positions = "split @p.psv --train @x.psv --validation @y.psv";
    assert!(matches!(folder.run(positions), Err(Failure::Usage(_))));
}

#[test]
fn repeats_go_and_the_first_stay() {
    let folder = Folder::new();
    let games = played(100, Rules::Shogi);
    let mut twice = games.clone();
    twice.extend_from_within(30..60);
    twice.insert(3, games[1].clone());
    folder.write("a.teacher", &twice);
    folder.run("dedup @a.teacher -o @b.teacher").unwrap();
    assert_eq!(folder.games("b.teacher"), games);
    folder.run("dedup @a.teacher -o @c.teacher --by position").unwrap();
    let marked = folder.games("c.teacher");
    let trained = marked.iter().flat_map(|g| &g.plies).filter(|p| !p.flags.skip).count();
    folder.run("convert @a.teacher -o @a.psv").unwrap();
    folder.run("dedup @a.psv -o @b.psv").unwrap();
    let distinct = folder.bytes("b.psv").len() / 40;
    assert_eq!(trained, distinct);
    let places: HashSet<Vec<u8>> =
        folder.bytes("a.psv").chunks(40).map(|r| r[..32].to_vec()).collect();
    assert_eq!(distinct, places.len());
    folder.run("dedup @b.psv -o @c.psv").unwrap();
    assert!(folder.bytes("b.psv") == folder.bytes("c.psv"));
}

#[test]
fn what_does_not_pass_is_marked_or_goes() {
    let folder = Folder::new();
    let games = played(60, Rules::Shogi);
    folder.write("a.teacher", &games);
    folder
        .run("filter @a.teacher -o @b.teacher --max-score 500 --no-check --quiet --no-draws")
        .unwrap();
    for game in folder.games("b.teacher") {
        assert_ne!(game.outcome, Won::Draw);
        let mut position = game.start.clone();
        for ply in &game.plies {
            let loud = ply.mv.is_promotion() || position.piece_at(ply.mv.to()).is_some();
            let fails = ply.score.unwrap().abs() > 500 || position.in_check() || loud;
            assert_eq!(ply.flags.skip, fails);
            position.play(ply.mv);
        }
    }
    folder.run("convert @a.teacher -o @a.psv").unwrap();
    folder.run("filter @a.psv -o @b.psv --max-score 500 --no-check --quiet --no-draws").unwrap();
    folder.run("convert @b.teacher -o @c.psv").unwrap();
    assert!(folder.bytes("b.psv") == folder.bytes("c.psv"), "both ways leave the same positions");
    let unfit = "filter @a.psv -o @x.psv --min-length 3";
    assert!(matches!(folder.run(unfit), Err(Failure::Usage(_))));
}

#[test]
fn merged_and_cut_again() {
    let folder = Folder::new();
    let games = played(90, Rules::Shogi);
    folder.write("a.teacher", &games[..50]);
    folder.write("b.teacher", &games[50..]);
    folder.run("merge @a.teacher @b.teacher -o @c.teacher").unwrap();
    assert_eq!(folder.games("c.teacher"), games);
    let bytes = folder.bytes("c.teacher");
    let reader = Reader::new(&bytes[..]).unwrap();
    assert_eq!(reader.header().get("seed"), Some("a.teacher; b.teacher"));
    folder.run("head @c.teacher -n 60 -o @d.teacher").unwrap();
    assert_eq!(folder.games("d.teacher"), games[..60]);
    folder.run("head @c.teacher -n 2").unwrap();
    for name in ["a", "b"] {
        folder.run(&format!("convert @{name}.teacher -o @{name}.psv")).unwrap();
    }
    folder.run("merge @a.psv @b.psv -o @c.psv").unwrap();
    assert!(folder.bytes("c.psv") == [folder.bytes("a.psv"), folder.bytes("b.psv")].concat());
    folder.run("head @c.psv -n 7 -o @d.psv").unwrap();
    assert!(folder.bytes("d.psv") == folder.bytes("c.psv")[..280]);
    folder.write("m.teacher", &played(3, Rules::Minishogi));
    assert!(folder.run("merge @a.teacher @m.teacher -o @x.teacher").is_err());
    assert!(matches!(folder.run("merge @a.teacher @a.psv -o @x.psv"), Err(Failure::Usage(_))));
    assert!(!folder.files().iter().any(|f| f.starts_with('x')));
}

#[test]
fn damage_is_reported_and_the_rest_kept() {
    let folder = Folder::new();
    let games = played(60, Rules::Shogi);
    folder.write("a.teacher", &games);
    let mut bytes = folder.bytes("a.teacher");
    bytes.truncate(bytes.len() - 5);
    fs::write(folder.path("cut.teacher"), bytes).unwrap();
    for line in [
        "convert @cut.teacher -o @b.teacher",
        "merge @cut.teacher -o @c.teacher",
        "stats @cut.teacher",
        "shuffle @cut.teacher -o @d.psv",
    ] {
        let outcome = folder.run(line);
        assert!(matches!(&outcome, Err(Failure::Failed(m)) if m.contains("1 problem")), "{line}");
    }
    assert_eq!(folder.games("b.teacher"), games[..40]);
    assert_eq!(folder.games("c.teacher"), games[..40]);
    folder.run("convert @a.teacher -o @a.psv").unwrap();
    let mut bytes = folder.bytes("a.psv");
    bytes[40 * 5 + 34] = 1;
    bytes.extend([1, 2, 3]);
    fs::write(folder.path("bad.psv"), bytes).unwrap();
    let outcome = folder.run("convert @bad.psv -o @e.teacher");
    assert!(matches!(outcome, Err(Failure::Failed(m)) if m.contains("2 problems")));
    let positions = |games: &[Game]| games.iter().map(Game::positions).sum::<usize>();
    assert_eq!(positions(&folder.games("e.teacher")), positions(&games) - 1);
}

/// Told to stop at damage every command that reads games or records does, and writes nothing.
#[test]
fn told_to_stop_the_first_damage_ends_the_work() {
    let folder = Folder::new();
    folder.write("a.teacher", &played(60, Rules::Shogi));
    folder.run("convert @a.teacher -o @a.psv").unwrap();
    folder.run("convert @a.teacher -o @a.hcpe").unwrap();
    folder.run("convert @a.teacher -o @a.hcpe3").unwrap();
    folder.run("convert @a.teacher -o @a.csa").unwrap();
    let damaged = |from: &str, to: &str, damage: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = folder.bytes(from);
        damage(&mut bytes);
        fs::write(folder.path(to), bytes).unwrap();
    };
    damaged("a.teacher", "bad.teacher", &|bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
    });
    damaged("a.psv", "bad.psv", &|bytes| bytes[40 * 7..40 * 8].fill(0xff));
    damaged("a.hcpe", "bad.hcpe", &|bytes| bytes[38 * 7..38 * 8].fill(0xff));
    damaged("a.hcpe3", "bad.hcpe3", &|bytes| bytes.truncate(bytes.len() - 3));
    damaged("a.csa", "bad.csa", &|bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let move_of_white = text.match_indices("\n-").nth(9).unwrap().0 + 1;
        bytes.splice(move_of_white..move_of_white + 5, *b"-9999");
    });
    let before = folder.files();
    for (command, formats) in [
        ("convert @bad.IN -o @out.teacher", &["psv", "hcpe", "hcpe3", "csa"][..]),
        ("convert @bad.IN -o @out.psv", &["teacher"]),
        ("filter @bad.IN -o @out.IN", &["teacher", "psv", "hcpe", "hcpe3"]),
        ("rescore @bad.IN -o @out.IN --net material", &["teacher", "psv", "hcpe", "hcpe3"]),
        ("shuffle @bad.IN -o @out.psv", &["teacher", "hcpe3", "csa"]),
        ("merge @bad.IN -o @out.IN", &["teacher", "hcpe3", "csa"]),
        ("dedup @bad.IN -o @out.IN", &["teacher", "hcpe3", "csa"]),
        ("head @bad.IN -o @out.IN -n 1000", &["teacher", "psv", "hcpe", "hcpe3", "csa"]),
        ("split @bad.IN --train @out.IN --validation @other.IN", &["teacher", "hcpe3", "csa"]),
        ("stats @bad.IN", &["teacher", "psv", "hcpe", "hcpe3", "csa"]),
    ] {
        for format in formats {
            let line = format!("{} --damaged stop", command.replace("IN", format));
            match folder.run(&line) {
                Err(Failure::Failed(told)) => assert!(told.contains("stopped"), "{line}: {told}"),
                other => panic!("{line}: {other:?}"),
            }
            assert_eq!(folder.files(), before, "{line}");
        }
    }
}

#[test]
fn outputs_are_never_inputs_and_formats_are_told() {
    let folder = Folder::new();
    folder.write("a.teacher", &played(3, Rules::Shogi));
    let before = folder.bytes("a.teacher");
    for line in [
        "convert @a.teacher -o @a.teacher --force",
        "shuffle @a.teacher -o @a.teacher --force",
        "convert @a.teacher -o @b.what",
        "merge @a.teacher -o @b.psv",
    ] {
        assert!(matches!(folder.run(line), Err(Failure::Usage(_))), "{line}");
    }
    assert_eq!(folder.bytes("a.teacher"), before);
    assert!(folder.run("stats @nothing.teacher").is_err());
    fs::write(folder.path("x.bin"), b"what").unwrap();
    assert!(matches!(folder.run("stats @x.bin"), Err(Failure::Usage(_))));
    fs::write(folder.path("fake.teacher"), b"not at all").unwrap();
    assert!(folder.run("stats @fake.teacher").is_err());
    folder.run("convert @a.teacher -o @b.what --to psv").unwrap();
    folder.run("stats @b.what --from psv").unwrap();
    assert_eq!(folder.files(), ["a.teacher", "b.what", "fake.teacher", "x.bin"]);
}

#[test]
fn rescoring_is_the_same_for_any_number_of_threads() {
    let folder = Folder::new();
    let games = played(30, Rules::Minishogi);
    folder.write("a.teacher", &games);
    folder.run("convert @a.teacher -o @a.psv").unwrap();
    let net = "--net @none --game minishogi";
    // A net that is not there is said, not replaced by something else.
    assert!(folder.run(&format!("rescore @a.teacher -o @x.teacher {net}")).is_err());
    for (how, name) in [("", "static"), ("--nodes 60", "nodes"), ("--depth 2", "depth")] {
        for format in ["teacher", "psv"] {
            let rescore = |threads: u32| {
                let out = format!("{name}-{threads}.{format}");
                let more = if how.is_empty() { String::new() } else { format!(" {how}") };
                let input = format!("rescore @a.{format} -o @{out} --game minishogi");
                folder.run(&format!("{input} -j {threads}{more}")).unwrap();
                folder.bytes(&out)
            };
            assert!(rescore(1) == rescore(3), "{name} {format}");
        }
    }
    let rescored = folder.games("nodes-1.teacher");
    assert_ne!(rescored, games);
    let without = |games: &[Game]| {
        let mut games = games.to_vec();
        games.iter_mut().flat_map(|g| &mut g.plies).for_each(|p| p.score = None);
        games
    };
    assert_eq!(without(&rescored), without(&games), "only scores change");
    let header = Reader::new(&folder.bytes("nodes-1.teacher")[..]).unwrap().header().clone();
    assert!(header.get("rescored").unwrap().ends_with("60 nodes"), "{header:?}");
}

#[test]
fn scores_in_centipawns_become_evaluation_units() {
    let folder = Folder::new();
    let mut games = played(3, Rules::Shogi);
    let scores = [Some(1000), Some(-55), Some(teacher::MATE - 5), None, Some(30_999)];
    for (ply, score) in games[0].plies.iter_mut().zip(scores) {
        ply.score = score;
    }
    folder.write("a.teacher", &games);
    folder.run("convert @a.teacher -o @b.teacher --score-scale 0.9").unwrap();
    let read = folder.games("b.teacher");
    let found: Vec<Option<i16>> = read[0].plies.iter().map(|p| p.score).take(5).collect();
    let wanted = [Some(900), Some(-50), Some(teacher::MATE - 5), None, Some(27_899)];
    assert_eq!(found, wanted);
    let bytes = folder.bytes("b.teacher");
    let header = Reader::new(&bytes[..]).unwrap();
    assert_eq!(header.header().get("scores"), Some("multiplied by 0.9"));
}
