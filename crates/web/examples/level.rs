//! A level of the board as a USI program, so that `nue match` can measure it.
//!
//! `level N [PROGRAM [ARGUMENT…]]`: what is said to it goes to PROGRAM (`nue` unless told) and back, but a `go` is asked
//! within the limits of level N, and the answer is what the level makes of the lines. Limits of the
//! runner do not count: a level has its own. Of these its time counts only where it has no nodes, so that a busy
//! machine measures the same. There is no book.

#![allow(clippy::print_stdout, reason = "an engine speaks through it")]

use board::level::{self, Level, Opening};
use board::question::Lines;
use rules::{AnyPosition, Game};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command as Process, Stdio};
use usi::{BestMove, Command, Reply};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let number = arguments.next().and_then(|n| n.parse().ok());
    let level = number.and_then(Level::find).expect("the number of a level, from 1");
    let program = arguments.next().unwrap_or_else(|| "nue".to_owned());
    let mut child = Process::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut player = Player {
        level,
        to: child.stdin.take().expect("piped"),
        from: BufReader::new(child.stdout.take().expect("piped")),
        game: Game::Shogi,
        position: AnyPosition::startpos(Game::Shogi),
        seed: u64::from(std::process::id()),
    };
    for line in io::stdin().lock().lines() {
        if !player.hear(&line?)? {
            break;
        }
    }
    drop(player);
    child.wait().map(drop)
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

struct Player {
    level: &'static Level,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    game: Game,
    position: AnyPosition,
    /// Of the moves it draws: another one for every game.
    seed: u64,
}

impl Player {
    /// Obeys a line; whether there may be another.
    fn hear(&mut self, line: &str) -> io::Result<bool> {
        match Command::parse(line) {
            Ok(Command::Usi) => {
                self.tell(line)?;
                self.pass_until("usiok")?;
            }
            Ok(Command::IsReady) => {
                let mates = if self.level.blur > 0.0 { 0 } else { 20_000 };
                self.tell(&format!("setoption name RootMateNodes value {mates}"))?;
                self.tell("setoption name PvInterval value 0")?;
                self.tell(line)?;
                self.pass_until("readyok")?;
            }
            Ok(Command::SetOption { name, value }) => {
                if name == "USI_Variant" {
                    self.game = value.and_then(|v| v.parse().ok()).unwrap_or(self.game);
                }
                self.tell(line)?;
            }
            Ok(Command::UsiNewGame) => {
                self.seed = self.seed.wrapping_add(seed::GAMMA);
                self.tell(line)?;
            }
            Ok(Command::Position(told)) => {
                let found = told.resolve(self.game);
                self.position = found.map_err(|e| io::Error::other(e.to_string()))?;
                self.tell(line)?;
            }
            Ok(Command::Go(_)) => self.think()?,
            Ok(Command::Quit) => {
                self.tell(line)?;
                return Ok(false);
            }
            // A level answers by its own limits, soon enough.
            Ok(Command::Stop) => {}
            _ => self.tell(line)?,
        }
        Ok(true)
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.to, "{line}")?;
        self.to.flush()
    }

    fn heard(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the program has ended"));
        }
        Ok(line.trim_end().to_owned())
    }

    fn pass_until(&mut self, last: &str) -> io::Result<()> {
        loop {
            let line = self.heard()?;
            say(&line)?;
            if line == last {
                return Ok(());
            }
        }
    }

    /// The opening, while it lasts.
    fn opening(&self) -> Option<Opening> {
        let opening = self.level.opening();
        let plies = if self.game == Game::Shogi { opening.plies } else { opening.plies / 4 };
        let is_early = self.position.played() < plies && !self.position.in_check();
        is_early.then_some(opening)
    }

    fn think(&mut self) -> io::Result<()> {
        let opening = self.opening();
        let wanted = self.level.lines.max(opening.map_or(1, |opening| opening.lines));
        self.tell(&format!("setoption name MultiPV value {wanted}"))?;
        let mut go = match self.level.nodes {
            Some(nodes) => format!("go nodes {nodes}"),
            None => format!("go movetime {}", self.level.time.as_millis()),
        };
        if let Some(depth) = self.level.depth {
            go += &format!(" depth {depth}");
        }
        self.tell(&go)?;
        let mut lines = Lines::default();
        let best = loop {
            let line = self.heard()?;
            match Reply::parse(&line) {
                Ok(Reply::Info(info)) => lines.update(&info.thought(&self.position)),
                Ok(Reply::BestMove(best)) => break best,
                _ => {}
            }
        };
        let BestMove::Move { best, .. } = best else {
            return say(if best == BestMove::Win { "bestmove win" } else { "bestmove resign" });
        };
        let legal = self.position.legal_moves();
        let mut rng = level::rng(self.seed, self.position.played() as u64);
        let chosen = match opening {
            Some(opening) => level::choose_opening(opening, &lines.moves(), &mut rng),
            None if self.level.blur <= 0.0 => None,
            None => level::choose(self.level, &legal, &lines.moves(), &mut rng),
        };
        let chosen = chosen.filter(|&m| self.position.is_legal(m));
        say(&format!("bestmove {}", chosen.map_or(best, |m| m.usi(self.game))))
    }
}
