//! What is said to and by engines, in files.

use crate::mocks::{engine, plan, runner};
use arena::{EngineLogs, Flow, MatchRunner};
use std::fs;
use std::sync::Arc;

/// The lines of a log: when, who, what.
fn lines(text: &str) -> Vec<(f64, char, &str)> {
    let line = |line| {
        let (at, rest) = str::split_once(line, ' ').unwrap();
        let (who, said) = rest.split_once(' ').unwrap();
        (at.parse().unwrap(), who.parse().unwrap(), said)
    };
    text.lines().map(line).collect()
}

#[test]
fn every_line_is_in_the_log_of_its_engine_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let logs = Arc::new(EngineLogs::in_folder(folder.path()).unwrap());
    let keys = "nodes=1,stall=10,startup=10";
    let mut plan = plan(vec![engine("a", "good", keys), engine("b", "crash 5", keys)], 4);
    plan.concurrency = 1;
    let runner = MatchRunner { logs: Some(Arc::clone(&logs)), ..runner() };
    runner.run(&plan, &|_| true, &mut |_| Flow::Continue);
    assert_eq!(logs.check(), Ok(()));
    let [sound, broken] =
        ["a-1.log", "b-1.log"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap());

    let told = lines(&sound);
    assert!(told.is_sorted_by(|a, b| a.0 <= b.0), "{sound}");
    let said = |who: char| told.iter().filter(move |line| line.1 == who).map(|line| line.2);
    let games: Vec<&str> = said('#').filter(|text| text.starts_with("game ")).collect();
    assert_eq!(games.len(), 4);
    assert_eq!(games[1], "game 2: Black b, White a, opening 1");
    assert_eq!(said('>').filter(|text| *text == "usi").count(), 1, "it is started once");
    // Every question has its answer after it.
    let asked = said('>').filter(|text| text.starts_with("go ")).count();
    let answered = said('<').filter(|text| text.starts_with("bestmove ")).count();
    assert!(asked > 4 && asked == answered, "{asked} questions, {answered} answers");
    let talk: Vec<char> = told
        .iter()
        .filter(|line| line.2.starts_with("go ") || line.2.starts_with("bestmove "))
        .map(|line| line.1)
        .collect();
    assert!(talk.chunks(2).all(|pair| pair == ['>', '<']), "{sound}");

    // One that dies says why, and begins again in the same file.
    let told = lines(&broken);
    let deaths = told.iter().filter(|line| line.1 == '!').count();
    let starts = told.iter().filter(|line| line.2.starts_with("started: ")).count();
    assert_eq!((deaths, starts), (4, 4), "{broken}");
    assert!(broken.contains(" ! assertion failed: everything\n"));
}
