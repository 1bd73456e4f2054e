//! A USI engine for tests: knows the rules and nothing else, and does something wrong when told to.
//!
//! `dummy [good|crash|hang|flood|lie|mute]`. It shows the first legal moves as its lines and answers
//! with the first, at once where it has little time and after `stop` otherwise.

#![allow(clippy::print_stdout, reason = "an engine speaks through it")]

use rules::{AnyPosition, Game};
use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;
use usi::Command;

fn say(text: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

fn forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

struct Dummy {
    what: String,
    position: AnyPosition,
    lines: usize,
    searching: bool,
}

impl Dummy {
    fn execute(&mut self, command: Command) {
        match command {
            Command::Usi if self.what == "mute" => forever(),
            Command::Usi => {
                say("id name Dummy\nid author Nobody");
                say("option name MultiPV type spin default 1 min 1 max 600");
                say("option name USI_Hash type spin default 16 min 1 max 1024");
                say("option name USI_Variant type combo default shogi var shogi var minishogi");
                say("usiok");
            }
            Command::IsReady => say("readyok"),
            Command::SetOption { name, value } => match (name.as_str(), value) {
                ("MultiPV", Some(value)) => self.lines = value.parse().unwrap_or(1),
                ("USI_Variant", Some(value)) => {
                    self.position = AnyPosition::startpos(value.parse().unwrap_or(Game::Shogi));
                }
                _ => {}
            },
            Command::Position(told) => {
                let game = self.position.game();
                self.position = told.resolve(game).expect("a legal position");
            }
            Command::Go(go) => self.go(go.times.byoyomi.is_some_and(|ms| ms <= 2000)),
            Command::Stop if self.searching => self.answer(),
            Command::Quit => std::process::exit(0),
            _ => {}
        }
    }

    fn go(&mut self, short: bool) {
        let game = self.position.game();
        for (i, m) in self.position.legal_moves().iter().take(self.lines).enumerate() {
            let (rank, score) = (i + 1, 50 - 10 * i as i32);
            let pv = m.usi(game);
            say(&format!("info depth 3 multipv {rank} score cp {score} nodes 100 time 1 pv {pv}"));
        }
        match self.what.as_str() {
            "crash" => std::process::exit(3),
            "hang" => forever(),
            "flood" => loop {
                say(&"info string nothing to say\n".repeat(100));
            },
            "lie" => return say("bestmove 1a9i+"),
            _ => {}
        }
        if short {
            self.answer();
        } else {
            self.searching = true;
        }
    }

    fn answer(&mut self) {
        self.searching = false;
        let moves = self.position.legal_moves();
        let best = moves.first().map_or("resign".to_owned(), |m| m.usi(self.position.game()));
        say(&format!("bestmove {best}"));
    }
}

fn main() {
    let what = std::env::args().nth(1).unwrap_or_else(|| "good".to_owned());
    let position = AnyPosition::startpos(Game::Shogi);
    let mut dummy = Dummy { what, position, lines: 1, searching: false };
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if let Ok(command) = Command::parse(&line) {
            dummy.execute(command);
        }
    }
}
