//! Ctrl-C while a command works: the first ends in good order with what there is so far, the second
//! at once; the exit code is 130.

use crate::gui::nue;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);
const MATE: &str = "7nl/7k1/6p2/6S1p/9/9/9/9/9 b GS2r2b3g2s3n3l16p 1";
/// Nobody solves it while a test waits.
const HARD: &str = "9/9/9/9/4k4/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1";

/// A command under way.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    err: Option<JoinHandle<String>>,
}

fn all_of(mut stream: ChildStderr) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    })
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let mut command = nue(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let err = Some(all_of(child.stderr.take().unwrap()));
        Self { child, out, err }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "it ended too early");
        line
    }

    fn until(&mut self, part: &str) {
        while !self.line().contains(part) {}
    }

    fn interrupt(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    }

    /// The rest of standard output, all of the error stream, and the exit code.
    fn end(mut self) -> (String, String, Option<i32>) {
        let started = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
        let mut out = String::new();
        self.out.read_to_string(&mut out).unwrap();
        let code = self.child.wait().unwrap().code();
        (out, self.err.take().unwrap().join().unwrap(), code)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Interrupts a command once it has printed something, and finds these words in the rest.
fn check(arguments: &[&str], after: &str, out: &str, err: &str) {
    let mut running = Running::start(arguments);
    running.until(after);
    // What it printed is over: the interrupt is for what follows.
    thread::sleep(Duration::from_millis(100));
    running.interrupt();
    let (rest, told, code) = running.end();
    assert_eq!(code, Some(130), "{arguments:?}: {told}");
    assert!(told.contains("finishing cleanly"), "{arguments:?}: {told}");
    assert!(told.contains(err), "{arguments:?}: {told}");
    assert!(rest.contains(out), "{arguments:?}: {rest}");
}

#[test]
fn one_search_answers_with_what_it_has() {
    let go = ["go", "--movetime", "600000", "--net", "material", "--hash", "16"];
    check(&go, "depth", "best move", "interrupted: this is what was found so far");
    let bench = ["bench", "--depth", "40", "--net", "material", "--game", "minishogi"];
    check(&bench, "minishogi: ", "", "no signature without all positions");
    check(&["perft", "6", "--divide"], " ", "", "of 30 first moves");
}

#[test]
fn a_collection_of_problems_keeps_its_table() {
    let mut collection = vec!["mate", MATE, HARD];
    collection.extend([MATE; 3]);
    check(
        &collection,
        "mate in",
        "2 problems: 1 mates, 0 without mate, 1 unsolved",
        "interrupted after 2 of 5 problems",
    );
    let mut alone = Running::start(&["mate", HARD]);
    thread::sleep(Duration::from_millis(300));
    alone.interrupt();
    let (out, told, code) = alone.end();
    assert_eq!(code, Some(130), "{told}");
    assert!(out.contains("unknown: stopped"), "{out}");
    alone = Running::start(&["mate", HARD]);
    thread::sleep(Duration::from_millis(300));
    alone.interrupt();
    alone.interrupt();
    assert_eq!(alone.end().2, Some(130), "at once");
}

/// Answers come line by line, and whoever waits for input ends at once.
#[test]
fn values_come_as_they_are_asked_for() {
    let mut running = Running::start(&["eval", "--net", "material"]);
    let mut input = running.child.stdin.take().unwrap();
    for _ in 0..2 {
        input.write_all(b"startpos\n").unwrap();
        assert_eq!(running.line(), "startpos\t0\n");
    }
    running.interrupt();
    let (out, told, code) = running.end();
    assert_eq!((out.as_str(), code), ("", Some(130)), "{told}");
}

/// A conversion that is interrupted leaves no file of half of the games.
#[test]
fn a_conversion_is_whole_or_not_there() {
    const GAME: &str = "V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n/\n";
    let folder = TempDir::new().unwrap();
    let (pipe, out) = (folder.path().join("games.csa"), folder.path().join("out.kif"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (from, to) = (pipe.to_str().unwrap(), out.to_str().unwrap());
    let running = Running::start(&["convert", from, "--to", "kif", "-o", to]);
    let mut input = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    input.write_all(GAME.repeat(20_000).as_bytes()).unwrap();
    running.interrupt();
    thread::sleep(Duration::from_millis(200));
    // It may have ended in the middle of this.
    let _ = input.write_all(GAME.repeat(20_000).as_bytes());
    drop(input);
    let (_, told, code) = running.end();
    assert_eq!(code, Some(130), "{told}");
    assert!(told.contains("interrupted after "), "{told}");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(names, [pipe]);
}
