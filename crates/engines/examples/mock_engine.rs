//! A USI engine for tests: plays random moves, and does something wrong when told to.
//!
//! `mock_engine WHAT [N]`, where WHAT happens at the N-th `go` (from 1) and at every one after it. Without
//! arguments it behaves.

#![allow(clippy::print_stdout, reason = "an engine speaks through it")]

use rules::{AnyPosition, Game};
use seed::Rng;
use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;
use usi::{Command, SetPosition};

const HELP: &str = "good|crash|hang|lie|flood|late|babble|garble|resign|win|score|delay|slow-start|\
                    slow-ready|mute|deaf|die-on-newgame|first|foresee|misjudge|hasty|dreamer|patient|\
                    old-fashioned|ruled|tuned";

struct Mock {
    what: String,
    number: u64,
    position: AnyPosition,
    known: SetPosition,
    random: Rng,
    /// How long it holds out, if it is one that is tuned.
    strength: u32,
    asked: u64,
    pondering: bool,
    /// What it was told of the rules.
    rules: Vec<(String, String)>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_else(|| "good".to_owned());
    assert!(HELP.split('|').any(|known| known == what), "one of {HELP}");
    let number = arguments.next().map_or(1, |n| n.parse().expect("a number"));
    let known = SetPosition::parse("startpos").expect("a constant");
    let position = AnyPosition::startpos(Game::Shogi);
    let mut mock = Mock {
        what,
        number,
        position,
        known,
        // Always the same games: a test must not hang on what chance does on the day.
        random: Rng::new(1),
        strength: 10,
        asked: 0,
        pondering: false,
        rules: vec![],
    };
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        match Command::parse(&line) {
            Ok(Command::Quit) => return,
            Ok(command) => mock.execute(command),
            Err(_) => {}
        }
    }
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

fn forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

impl Mock {
    fn does(&self, what: &str) -> bool {
        self.what == what && self.asked >= self.number
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Usi => {
                if self.what == "slow-start" {
                    thread::sleep(Duration::from_millis(self.number));
                }
                if self.what == "mute" {
                    forever();
                }
                say("id name Mock\nid author Nobody");
                say("option name USI_Variant type combo default shogi var shogi var minishogi");
                if self.what == "ruled" {
                    say("option name MaxMovesToDraw type spin default 0 min 0 max 100000");
                    say("option name EnteringKingRule type combo default X var X var CSARule27H");
                }
                if self.what == "tuned" {
                    say("option name Strength type spin default 10 min 0 max 100");
                }
                say("option name Seed type spin default 1 min 0 max 1000000\nusiok");
                if self.what == "deaf" {
                    forever();
                }
            }
            Command::IsReady => {
                if self.what == "slow-ready" {
                    thread::sleep(Duration::from_millis(self.number));
                }
                say("readyok");
            }
            Command::SetOption { name, value } if name == "Seed" => {
                self.random = Rng::new(value.and_then(|v| v.parse().ok()).unwrap_or(1));
            }
            Command::SetOption { name, value } if name == "Strength" => {
                self.strength = value.and_then(|v| v.parse().ok()).unwrap_or(0);
            }
            Command::SetOption { name, value } if name == "USI_Variant" => {
                let game = value.and_then(|v| v.parse().ok()).unwrap_or(Game::Shogi);
                self.position = AnyPosition::startpos(game);
            }
            Command::SetOption { name, value } if self.what == "ruled" => {
                self.rules.push((name, value.unwrap_or_default()));
            }
            // It plays only by rules it was told.
            Command::Go(_) if self.what == "ruled" && !self.knows_rules() => std::process::exit(4),
            Command::UsiNewGame if self.what == "die-on-newgame" => std::process::exit(3),
            Command::Position(position) => self.set(position),
            Command::Go(go) if go.mate.is_some() => say("checkmate notimplemented"),
            // It ends at a word it does not know.
            Command::Go(go) if self.what == "old-fashioned" && go.times.has_increments() => {
                std::process::exit(1);
            }
            // It answers when it is told to stop, and not before.
            Command::Go(_) if self.what == "patient" => self.pondering = true,
            Command::Go(go) if go.ponder => {
                self.pondering = true;
                if self.what == "hasty" {
                    self.answer_with(500);
                }
            }
            Command::PonderHit(_) if self.pondering => self.answer_with(777),
            // One that dreams on has not even heard it.
            Command::Stop if self.pondering && self.what != "dreamer" => self.answer_with(333),
            Command::Go(_) => self.go(),
            _ => {}
        }
    }

    fn knows_rules(&self) -> bool {
        let limit = self.number.to_string();
        let told =
            |name: &str, value: &str| self.rules.iter().any(|(n, v)| n == name && v == value);
        told("MaxMovesToDraw", &limit) && told("EnteringKingRule", "CSARule27H")
    }

    /// Only what is new is played: a game costs no more than its moves.
    fn set(&mut self, told: SetPosition) {
        let game = self.position.game();
        let goes_on = told.start == self.known.start && told.moves.starts_with(&self.known.moves);
        if goes_on {
            for text in &told.moves[self.known.moves.len()..] {
                let m = self.position.parse_usi(text).expect("the runner sends legal moves");
                self.position.play(m);
            }
        } else {
            self.position = told.resolve(game).expect("the runner sends legal positions");
        }
        self.known = told;
    }

    /// Ends pondering; the score says how.
    fn answer_with(&mut self, score: u32) {
        self.pondering = false;
        say(&format!("info depth 1 score cp {score}"));
        say(&format!("bestmove {}", self.answer()));
    }

    fn go(&mut self) {
        self.asked += 1;
        if self.does("crash") {
            let _ = writeln!(io::stderr(), "assertion failed: everything");
            std::process::exit(134);
        }
        if self.does("hang") {
            forever();
        }
        if self.does("flood") {
            let chunk = "info string nothing to say\n".repeat(1000);
            loop {
                say(&chunk);
            }
        }
        if self.does("late") {
            thread::sleep(Duration::from_millis(700));
        }
        if self.what == "delay" {
            thread::sleep(Duration::from_millis(self.number));
        }
        if self.does("babble") {
            say("\u{7}garbage \u{fffd}\ninfo depth x score cp y\nbestmov\n\nreadyok\noption");
        }
        if self.what == "score" {
            let sign = if self.position.turn() == rules::Color::Black { "" } else { "-" };
            say(&format!("info depth 5 score cp {sign}{} nodes 77 pv 9z9z", self.number));
        }
        say(&format!("bestmove {}", self.answer()));
    }

    fn answer(&mut self) -> String {
        for (what, answer) in
            [("lie", "1a1b+"), ("garble", "\u{30c8}\u{30d3}"), ("resign", "resign"), ("win", "win")]
        {
            if self.does(what) {
                return answer.to_owned();
            }
        }
        let moves = self.position.legal_moves();
        if ["first", "foresee", "misjudge", "hasty", "dreamer"].contains(&&*self.what) {
            return self.foreseen(&moves);
        }
        if self.what == "tuned" {
            return self.holding_out();
        }
        let chosen = self.random.below(moves.len().max(1));
        moves.get(chosen).map_or("resign".to_owned(), |m| m.usi(self.position.game()))
    }

    /// To and fro with a gold, and resignation the later the stronger it is.
    fn holding_out(&self) -> String {
        let own_moves = self.position.ply().saturating_sub(1) / 2;
        let moves = ["4i4h", "4h4i", "4a4b", "4b4a"];
        let legal = |text: &&str| self.position.parse_usi(text).is_ok();
        match moves.into_iter().find(legal).filter(|_| own_moves <= self.strength / 20) {
            Some(text) => text.to_owned(),
            None => "resign".to_owned(),
        }
    }

    /// The first legal move, with the first reply as the one expected, or the last by who
    /// misjudges.
    fn foreseen(&self, moves: &[rules::Move]) -> String {
        let game = self.position.game();
        let Some(best) = moves.first() else { return "resign".to_owned() };
        let mut after = self.position.clone();
        after.play(*best);
        let replies = after.legal_moves();
        let reply = if self.what == "misjudge" { replies.last() } else { replies.first() };
        match reply.filter(|_| self.what != "first") {
            Some(reply) => format!("{} ponder {}", best.usi(game), reply.usi(game)),
            None => best.usi(game),
        }
    }
}
