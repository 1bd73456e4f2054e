//! Commands that are broken off and go on. A file left open stands for a killed program: what is
//! in its buffers may or may not reach the disk.

use super::format::Format;
use super::partial::{self, ResumeArg};
use super::sink::Sink;
use super::tests::{Desk, played};
use super::*;
use rules::Game as Rules;
use serde_json::{Value, json};
use std::fs;
use teacher::{Game, Header, Reader};

/// The plan of `convert` from `a.teacher`.
fn plan(desk: &Desk, format: &str) -> Value {
    let source = input::Source { path: desk.0.join("a.teacher"), format: Format::Teacher };
    partial::plan("convert", &[source], &json!([format, "shogi"]))
}

/// Converts the first games and is killed after some more, of which nothing was noted.
fn broken_off(desk: &Desk, format: &str, games: &[Game], noted: usize) {
    let args = OutputArgs { output: desk.0.join(format!("b.{format}")), force: false };
    let bytes = desk.bytes("a.teacher");
    let header: Header = Reader::new(&bytes[..]).unwrap().header().clone();
    let (mut sink, done, mut tally) = Sink::resumable(
        &args,
        ResumeArg { resume: false },
        format.parse().unwrap(),
        header,
        &plan(desk, format),
    )
    .unwrap();
    assert_eq!(done, 0);
    for (index, game) in games[..noted].iter().enumerate() {
        sink.write(game, &mut tally).unwrap();
        sink.done(index as u64 + 1, &tally, index + 1 == noted).unwrap();
    }
    for game in &games[noted..(noted + 10).min(games.len())] {
        sink.write(game, &mut tally).unwrap();
    }
}

#[test]
fn converting_goes_on_where_it_was_broken_off() {
    let games = played(60, Rules::Shogi);
    for format in ["psv", "hcpe", "hcpe3", "teacher"] {
        for noted in [1, 25, 60] {
            let desk = Desk::new(&format!("resume-{format}-{noted}"));
            desk.write("a.teacher", &games);
            desk.run(&format!("convert @a.teacher -o @calm.{format}")).unwrap();
            broken_off(&desk, format, &games, noted);
            let command = format!("convert @a.teacher -o @b.{format}");
            assert!(matches!(desk.run(&command), Err(Failure::Usage(_))), "not by accident");
            desk.run(&format!("{command} --resume")).unwrap();
            if format == "teacher" {
                // A block was closed early, so the bytes differ; the games do not.
                assert_eq!(desk.games("b.teacher"), games);
            } else {
                assert!(
                    desk.bytes(&format!("b.{format}")) == desk.bytes(&format!("calm.{format}"))
                );
            }
            let names = desk.files();
            assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
        }
    }
}

#[test]
fn another_command_does_not_go_on_and_force_begins_anew() {
    let desk = Desk::new("resume-other");
    let games = played(40, Rules::Shogi);
    desk.write("a.teacher", &games);
    broken_off(&desk, "psv", &games, 20);
    let other = desk.run("filter @a.teacher -o @b.teacher --resume");
    assert!(other.is_ok(), "another file, nothing to go on with: it simply begins");
    desk.write("c.teacher", &games[..5]);
    let Err(Failure::Failed(why)) = desk.run("convert @c.teacher -o @b.psv --resume") else {
        panic!("another input");
    };
    assert!(why.contains("other settings"), "{why}");
    desk.run("convert @c.teacher -o @b.psv --force").unwrap();
    desk.run("convert @c.teacher -o @d.psv").unwrap();
    assert!(desk.bytes("b.psv") == desk.bytes("d.psv"));
}

/// A file that lost its end, as after a power cut, is gone on with from an earlier place.
#[test]
fn a_shortened_file_is_gone_on_with_from_an_earlier_place() {
    let games = played(60, Rules::Shogi);
    for format in ["psv", "teacher"] {
        let desk = Desk::new(&format!("resume-cut-{format}"));
        desk.write("a.teacher", &games);
        desk.run(&format!("convert @a.teacher -o @calm.{format}")).unwrap();
        broken_off(&desk, format, &games, 25);
        let part = desk.0.join(format!(".b.{format}.part"));
        let bytes = fs::read(&part).unwrap();
        fs::write(&part, &bytes[..100]).unwrap();
        desk.run(&format!("convert @a.teacher -o @b.{format} --resume")).unwrap();
        assert!(desk.bytes(&format!("b.{format}")) == desk.bytes(&format!("calm.{format}")));
    }
}

#[test]
fn rescoring_is_the_same_for_any_number_of_threads() {
    let desk = Desk::new("rescore");
    let games = played(30, Rules::Minishogi);
    desk.write("a.teacher", &games);
    desk.run("convert @a.teacher -o @a.psv").unwrap();
    let net = "--net @none --game minishogi";
    // A net that is not there is said, not replaced by something else.
    assert!(desk.run(&format!("rescore @a.teacher -o @x.teacher {net}")).is_err());
    for (how, name) in [("", "static"), ("--nodes 60", "nodes"), ("--depth 2", "depth")] {
        for format in ["teacher", "psv"] {
            let rescore = |threads: u32| {
                let out = format!("{name}-{threads}.{format}");
                let more = if how.is_empty() { String::new() } else { format!(" {how}") };
                let input = format!("rescore @a.{format} -o @{out} --game minishogi");
                desk.run(&format!("{input} -j {threads}{more}")).unwrap();
                desk.bytes(&out)
            };
            assert!(rescore(1) == rescore(3), "{name} {format}");
        }
    }
    let rescored = desk.games("nodes-1.teacher");
    assert_ne!(rescored, games);
    let without = |games: &[Game]| {
        let mut games = games.to_vec();
        games.iter_mut().flat_map(|g| &mut g.plies).for_each(|p| p.score = None);
        games
    };
    assert_eq!(without(&rescored), without(&games), "only scores change");
    let header = Reader::new(&desk.bytes("nodes-1.teacher")[..]).unwrap().header().clone();
    assert!(header.get("rescored").unwrap().ends_with("60 nodes"), "{header:?}");
}
