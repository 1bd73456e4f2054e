//! Work that is broken off and goes on. A file left open stands for a killed program: what is in
//! its buffers may or may not reach the disk.

use crate::convert::{self, Convert};
use crate::error::Error;
use crate::filter::{self, Filter};
use crate::format::Format;
use crate::output::{Output, Target};
use crate::partial;
use crate::progress::Progress;
use crate::sieve::Sieve;
use crate::source::{Inputs, Source};
use crate::{calibration, stats};
use kifu::Damaged;
use rules::{AnyPosition, Game as Rules};
use seed::Rng;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use teacher::{Flags, Game, Header, Outcome, Ply, Reader, Writer};
use tempfile::TempDir;

/// A folder with files of one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, games: &[Game]) {
        let mut writer = Writer::new(Vec::new(), Header::new(Rules::Shogi)).unwrap();
        for some in games.chunks(20) {
            some.iter().for_each(|game| writer.write(game).unwrap());
            writer.flush().unwrap();
        }
        fs::write(self.path(name), writer.finish().unwrap()).unwrap();
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn games(&self, name: &str) -> Vec<Game> {
        Reader::new(&self.bytes(name)[..]).unwrap().games().map(Result::unwrap).collect()
    }

    fn inputs(&self, name: &str) -> Inputs {
        Inputs {
            paths: vec![self.path(name)],
            format: None,
            game: Rules::Shogi,
            damaged: Damaged::Skip,
            stop: None,
        }
    }

    fn target(&self, name: &str) -> Target {
        Target { path: self.path(name), force: false, resume: false }
    }

    fn convert(&self, from: &str, target: Target) -> Result<(), Error> {
        let request = Convert { inputs: self.inputs(from), target, to: None, score_scale: None };
        convert::run(&request, &|_| ()).map(|_| ())
    }

    /// What `convert` says it is doing with `a.teacher`.
    fn plan(&self, format: &str) -> Value {
        let source = Source {
            path: self.path("a.teacher"),
            format: Format::Teacher,
            damaged: Damaged::Skip,
            stop: None,
        };
        partial::plan("convert", &[source], &json!([format, "shogi"]))
    }

    /// Converts the first games and is killed after some more, of which nothing was noted.
    fn broken_off(&self, format: &str, games: &[Game], noted: usize) {
        self.broken_off_as(&self.plan(format), format, games, noted);
    }

    fn broken_off_as(&self, plan: &Value, format: &str, games: &[Game], noted: usize) {
        let header = Reader::new(&self.bytes("a.teacher")[..]).unwrap().header().clone();
        let target = self.target(&format!("b.{format}"));
        let (mut output, done, mut counts) =
            Output::resumable(&target, format.parse().unwrap(), header, plan).unwrap();
        assert_eq!(done, 0);
        for (index, game) in games[..noted].iter().enumerate() {
            output.write(game, &mut counts).unwrap();
            output.done(index as u64 + 1, &counts, index + 1 == noted).unwrap();
        }
        for game in &games[noted..(noted + 10).min(games.len())] {
            output.write(game, &mut counts).unwrap();
        }
    }
}

/// Random games that all formats can hold.
fn played(count: usize) -> Vec<Game> {
    let mut rng = Rng::new(7);
    let one = |number: usize| {
        let mut game = Game::new(AnyPosition::startpos(Rules::Shogi));
        let mut position = game.start.clone();
        for _ in 0..20 + rng.below(30) {
            let moves = position.legal_moves();
            let mv = moves[rng.below(moves.len())];
            let score = Some(rng.below(4000) as i16 - 2000);
            game.plies.push(Ply { mv, score, flags: Flags::default() });
            position.play(mv);
        }
        game.outcome = if number.is_multiple_of(2) {
            Outcome::Draw
        } else {
            Outcome::Won(rules::Color::White)
        };
        game
    };
    (0..count).map(one).collect()
}

#[test]
fn converting_goes_on_where_it_was_broken_off() {
    let games = played(60);
    for format in ["psv", "hcpe", "hcpe3", "teacher"] {
        for noted in [1, 25, 60] {
            let folder = Folder::new();
            folder.write("a.teacher", &games);
            let (calm, name) = (format!("calm.{format}"), format!("b.{format}"));
            folder.convert("a.teacher", folder.target(&calm)).unwrap();
            folder.broken_off(format, &games, noted);
            let by_accident = folder.convert("a.teacher", folder.target(&name));
            assert!(by_accident.is_err_and(|e| e.is_request()), "not by accident");
            let resumed = Target { resume: true, ..folder.target(&name) };
            folder.convert("a.teacher", resumed).unwrap();
            if format == "teacher" {
                // A block was closed early, so the bytes differ; the games do not.
                assert_eq!(folder.games(&name), games);
            } else {
                assert!(folder.bytes(&name) == folder.bytes(&calm));
            }
            let names = fs::read_dir(folder.0.path()).unwrap().map(|e| e.unwrap().file_name());
            let hidden: Vec<_> =
                names.filter(|name| name.to_string_lossy().starts_with('.')).collect();
            assert!(hidden.is_empty(), "{hidden:?}");
        }
    }
}

#[test]
fn another_command_does_not_go_on_and_force_begins_anew() {
    let folder = Folder::new();
    let games = played(40);
    folder.write("a.teacher", &games);
    folder.broken_off("psv", &games, 20);
    let target = Target { resume: true, ..folder.target("b.teacher") };
    let other = Filter { inputs: folder.inputs("a.teacher"), target, sieve: Sieve::default() };
    let begun = filter::run(&other, &|_| ());
    assert!(begun.is_ok(), "another file, nothing to go on with: it simply begins");
    folder.write("c.teacher", &games[..5]);
    let resumed = Target { resume: true, ..folder.target("b.psv") };
    let why = folder.convert("c.teacher", resumed).unwrap_err().to_string();
    assert!(why.contains("other settings"), "{why}");
    let forced = Target { force: true, ..folder.target("b.psv") };
    folder.convert("c.teacher", forced).unwrap();
    folder.convert("c.teacher", folder.target("d.psv")).unwrap();
    assert!(folder.bytes("b.psv") == folder.bytes("d.psv"));
}

/// A file that lost its end, as after a power cut, is resumed from an earlier place.
#[test]
fn a_shortened_file_is_gone_on_with_from_an_earlier_place() {
    let games = played(60);
    for format in ["psv", "teacher"] {
        let folder = Folder::new();
        folder.write("a.teacher", &games);
        let (calm, name) = (format!("calm.{format}"), format!("b.{format}"));
        folder.convert("a.teacher", folder.target(&calm)).unwrap();
        folder.broken_off(format, &games, 25);
        let part = folder.path(&format!(".b.{format}.part"));
        let bytes = fs::read(&part).unwrap();
        fs::write(&part, &bytes[..100]).unwrap();
        folder.convert("a.teacher", Target { resume: true, ..folder.target(&name) }).unwrap();
        assert!(folder.bytes(&name) == folder.bytes(&calm));
    }
}

/// What records say and games have no place for is named.
#[test]
fn what_records_say_more_is_told() {
    let folder = Folder::new();
    let bare = "V2.2\nPI\n+\n+7776FU\n'** 30\n-3334FU\n%TORYO\n";
    let named = "V2.2\nN+somebody\nPI\n+\n+7776FU\nT3\n%TORYO\n";
    fs::write(folder.path("a.csa"), format!("{bare}/\n{named}/\n{bare}")).unwrap();
    let target = Target { path: folder.path("a.teacher"), force: false, resume: false };
    let request = Convert { inputs: folder.inputs("a.csa"), target, to: None, score_scale: None };
    let counts = convert::run(&request, &|_| ()).unwrap().counts;
    assert_eq!(counts.games, 3);
    let told: Vec<_> = counts.refused.iter().map(|(what, times)| (what.as_str(), *times)).collect();
    assert_eq!(told, [("names, times and comments of a record", 1)]);
}

/// Counting that is interrupted tells what it has counted, and no scale is taken from a part.
#[test]
fn statistics_of_a_part_are_told_as_such() {
    let folder = Folder::new();
    folder.write("a.teacher", &played(40));
    folder.convert("a.teacher", folder.target("a.psv")).unwrap();
    let once = folder.bytes("a.psv");
    fs::write(folder.path("many.psv"), once.repeat((5 << 20) / once.len())).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let inputs = Inputs { stop: Some(Arc::clone(&stop)), ..folder.inputs("many.psv") };
    let (whole, _) = stats::run(&inputs, &|_| ()).unwrap();
    assert!(!whole.is_interrupted());
    let interrupt = |progress: Progress| stop.store(progress.bytes > 2 << 20, Ordering::Relaxed);
    let (part, _) = stats::run(&inputs, &interrupt).unwrap();
    assert!(part.is_interrupted());
    assert!(part.games() > 0 && part.games() < whole.games(), "{}", part.games());
    assert!(part.text().contains("not read to their end"), "{}", part.text());
    assert_eq!(part.json()["interrupted"], true);
    stop.store(false, Ordering::Relaxed);
    let measured = calibration::measure(&inputs, &interrupt);
    assert!(matches!(measured, Err(Error::Interrupted)), "{measured:?}");
}

/// What differs from the run that was broken off is told by the names of the flags.
#[test]
fn another_filter_is_refused_in_words() {
    let folder = Folder::new();
    let games = played(60);
    folder.write("a.teacher", &games);
    let earlier = Sieve { no_check: true, ..Sieve::default() };
    let mut plan = folder.plan("teacher");
    plan["command"] = json!("filter");
    plan["settings"] = json!(["shogi", earlier.flags()]);
    folder.broken_off_as(&plan, "teacher", &games, 30);
    let filter = |sieve| {
        let target = Target { resume: true, ..folder.target("b.teacher") };
        filter::run(&Filter { inputs: folder.inputs("a.teacher"), target, sieve }, &|_| ())
    };
    let other = filter(Sieve { max_ply: Some(30), ..Sieve::default() });
    let told = other.map(|_| ()).unwrap_err().to_string();
    let wanted = r#"settings was ["shogi",{"no_check":true}], is ["shogi",{"max_ply":30}]"#;
    assert!(told.contains(wanted), "{told}");
    filter(earlier).unwrap();
}
