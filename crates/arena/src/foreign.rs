//! A player that is another process and speaks USI.

use crate::fault::{Cause, Fault, Halt};
use crate::player::{Player, Thought, Turn};
use crate::ponder::Expected;
use crate::process::{Answered, Process};
use crate::spec::{Command, EngineSpec};
use rules::{Game, Move};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use think::{Answer, Moment, OptionSpec, TimeSource, quote};
use usi::option::{VARIANTS, choosing};
use usi::{BestMove, GameResult, Go, Reply};

/// How often a waiting game looks whether it has been abandoned.
const GLANCE: Duration = Duration::from_millis(100);

/// How long past its limit an engine may be silent before it counts as hung.
const STALL: Duration = Duration::from_secs(5);

/// The same where nothing limits its time.
const STALL_UNTIMED: Duration = Duration::from_secs(60);

/// What an engine says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Introduction {
    /// `id name`
    pub name: Option<String>,
    /// What it declares.
    pub options: Vec<OptionSpec>,
}

/// The player.
pub struct Foreign {
    spec: EngineSpec,
    command: Command,
    cpus: Vec<usize>,
    time: Arc<dyn TimeSource>,
    abandoned: Arc<AtomicBool>,
    process: Option<Process>,
    introduction: Introduction,
    /// The reply it expects.
    expected: Option<Expected>,
    /// Whether it thinks about that now.
    pondering: bool,
}

impl Foreign {
    /// A player to be started when its first game begins.
    pub fn new(
        spec: &EngineSpec,
        command: &Command,
        cpus: &[usize],
        time: Arc<dyn TimeSource>,
        abandoned: Arc<AtomicBool>,
    ) -> Self {
        Self {
            spec: spec.clone(),
            command: command.clone(),
            cpus: cpus.to_vec(),
            time,
            abandoned,
            process: None,
            introduction: Introduction::default(),
            expected: None,
            pondering: false,
        }
    }

    /// What it said about itself when it was last started.
    pub const fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    fn start(&mut self, game: Game) -> Result<(), Halt> {
        let process = Process::start(&self.command, &self.cpus, &self.time).map_err(|error| {
            let program = quote(&self.command.program);
            Fault::new(Cause::Crash, format!("{program} cannot be started: {error}"))
        })?;
        self.process = Some(process);
        self.introduction = Introduction::default();
        self.send("usi\n")?;
        let deadline = self.time.now() + self.spec.startup;
        loop {
            match self.reply(deadline, "usi")? {
                Reply::UsiOk => break,
                Reply::IdName(name) => self.introduction.name = Some(name),
                Reply::Option(option) => self.introduction.options.push(option),
                _ => {}
            }
        }
        let mut text = String::new();
        for (name, value) in self.options(game) {
            let command = usi::Command::SetOption { name, value: Some(value) };
            text += &format!("{command}\n");
        }
        if text.is_empty() { Ok(()) } else { Ok(self.send(&text)?) }
    }

    /// Options to set: those asked for, and the game if it is not the usual one.
    fn options(&self, game: Game) -> Vec<(String, String)> {
        let mut options = self.spec.options.clone();
        let given = options.iter().any(|(name, _)| VARIANTS.contains(&name.as_str()));
        let declares = |name: &str| self.introduction.options.iter().any(|o| o.is_called(name));
        if let (Some(choice), false) = (choosing(game, declares), given) {
            options.insert(0, choice);
        }
        options
    }

    fn process(&mut self) -> Result<&mut Process, Fault> {
        self.process.as_mut().ok_or_else(|| Fault::new(Cause::Crash, "the engine is not running"))
    }

    fn send(&mut self, text: &str) -> Result<(), Fault> {
        self.process()?.send(text)
    }

    /// The next answer before the deadline; `None` after it.
    fn next(&mut self, deadline: Option<Moment>) -> Result<Option<Answered>, Halt> {
        loop {
            if self.abandoned.load(Ordering::Relaxed) {
                return Err(Halt::Abandoned);
            }
            let left = deadline.map(|deadline| deadline.saturating_sub(self.time.now()));
            let patience = left.unwrap_or(GLANCE).min(GLANCE);
            let heard = self.process()?.next(patience)?;
            if heard.is_some() || left.is_some_and(|left| left.is_zero()) {
                return Ok(heard);
            }
        }
    }

    /// The next answer during the handshake.
    fn reply(&mut self, deadline: Moment, question: &str) -> Result<Reply, Halt> {
        loop {
            let Some(answered) = self.next(Some(deadline))? else {
                let seconds = self.spec.startup.as_secs_f64();
                let detail = format!("no answer to {} within {seconds} s", quote(question));
                return Err(Fault::new(Cause::Stall, detail).into());
            };
            // An option we cannot read is the engine's affair: it may well play.
            if let Ok(reply) = Reply::parse(&answered.line) {
                return Ok(reply);
            }
        }
    }

    fn ready(&mut self) -> Result<(), Halt> {
        let now = self.time.now();
        self.process()?.ear().forget(now);
        self.send("isready\n")?;
        let deadline = now + self.spec.startup;
        while self.reply(deadline, "isready")? != Reply::ReadyOk {}
        self.process()?.answered();
        Ok(())
    }

    /// Waits for `bestmove`. An engine past its limit is told to stop and given a last chance, so
    /// that one which is late can be told from one which hangs.
    fn answer(&mut self, asked: Moment, allowed: Option<Duration>) -> Result<Answered, Halt> {
        let usual = if allowed.is_some() { STALL } else { STALL_UNTIMED };
        let stall = self.spec.stall.unwrap_or(usual);
        let limit = asked + allowed.unwrap_or(stall);
        let mut stopped = false;
        loop {
            let deadline = match (stopped, allowed) {
                (false, _) => limit,
                (true, Some(_)) => limit + stall,
                (true, None) => limit + STALL,
            };
            match self.next(Some(deadline))? {
                Some(answered) if is_best_move(&answered.line) => {
                    if stopped && allowed.is_none() {
                        let seconds = stall.as_secs_f64();
                        let detail = format!("no answer within {seconds} s until stopped");
                        return Err(Fault::new(Cause::Stall, detail).into());
                    }
                    return Ok(answered);
                }
                Some(_) => {}
                None if stopped => {
                    let silent = self.time.now().saturating_sub(asked).as_millis();
                    let detail = format!("no answer for {silent} ms, not even to stop");
                    return Err(Fault::new(Cause::Stall, detail).into());
                }
                None => {
                    self.send("stop\n")?;
                    stopped = true;
                }
            }
        }
    }
}

impl Foreign {
    /// Ends thinking about a reply that was not played. What it answers is of no interest.
    fn stop_pondering(&mut self) -> Result<(), Halt> {
        if !std::mem::take(&mut self.pondering) {
            return Ok(());
        }
        self.send("stop\n")?;
        let deadline = self.time.now() + self.spec.stall.unwrap_or(STALL);
        loop {
            match self.next(Some(deadline))? {
                Some(answered) if is_best_move(&answered.line) => break,
                Some(_) => {}
                None => {
                    let detail = "pondering, did not answer to stop";
                    return Err(Fault::new(Cause::Stall, detail).into());
                }
            }
        }
        self.process()?.answered();
        Ok(())
    }
}

fn is_best_move(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("bestmove")
}

impl Player for Foreign {
    fn prepare(&mut self, game: Game) -> Result<(), Halt> {
        if self.process.is_none() {
            self.start(game)?;
        }
        self.ready()?;
        Ok(self.send("usinewgame\n")?)
    }

    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Halt> {
        let hit = self.pondering && self.expected.as_ref().is_some_and(|e| e.is(turn));
        if hit {
            self.pondering = false;
            self.send("ponderhit\n")?;
        } else {
            self.stop_pondering()?;
            let question = format!("{}\ngo{}\n", turn.line, turn.go);
            let now = self.time.now();
            self.process()?.ear().forget(now);
            self.send(&question)?;
        }
        self.expected = None;
        // Only what happens after the question was handed over is the engine's time.
        let asked = self.time.now();
        let delayed = self.process()?.delay();
        let answered = self.answer(asked, turn.allowed)?;
        let lag = self.time.now().saturating_sub(answered.at);
        let process = self.process()?;
        process.answered();
        let info = process.ear().thought().and_then(|line| match Reply::parse(&line) {
            Ok(Reply::Info(told)) => Some(told.thought(turn.position)),
            _ => None,
        });
        let answer = match Reply::parse(&answered.line) {
            Ok(Reply::BestMove(BestMove::Resign)) => Answer::Resign,
            Ok(Reply::BestMove(BestMove::Win)) => Answer::Win,
            Ok(Reply::BestMove(BestMove::Move { best, ponder })) => {
                let m = turn.position.parse_usi(&best);
                let m = m.map_err(|why| Fault::illegal(&best, why))?;
                if let Some(reply) = ponder.filter(|_| self.spec.ponder) {
                    let reply = Move::from_usi(turn.position.game(), &reply);
                    self.expected = reply.and_then(|r| Expected::after(turn, m, r));
                }
                Answer::Move(m)
            }
            _ => return Err(Fault::protocol(format!("answered {}", quote(&answered.line))).into()),
        };
        let time = answered.at.saturating_sub(asked);
        let late = turn.allowed.is_some_and(|allowed| time > allowed);
        let delay = if late { self.process()?.delay() } else { delayed };
        Ok(Thought { answer, time, info, lag, starved: delay.saturating_sub(delayed) })
    }

    fn ponder(&mut self, go: &Go) -> Result<(), Halt> {
        let Some(expected) = &self.expected else { return Ok(()) };
        let go = Go { ponder: true, ..go.clone() };
        let question = format!("{}\ngo{go}\n", expected.line);
        let now = self.time.now();
        self.process()?.ear().forget(now);
        self.send(&question)?;
        self.pondering = true;
        Ok(())
    }

    fn finish(&mut self, result: Option<GameResult>, fault: Option<&Fault>) {
        // An engine that does not stop when told to is of no use for the next game.
        let stopped = result.is_none() || self.stop_pondering().is_ok();
        (self.pondering, self.expected) = (false, None);
        let usable = match fault {
            None => true,
            // Late or wrong, but it answers: the next `isready` will show.
            Some(fault) => matches!(fault.cause, Cause::Time | Cause::Illegal),
        };
        let told = usable
            && stopped
            && result.is_some()
            && self.send(&format!("{}\n", usi::Command::GameOver(result))).is_ok();
        if !told && let Some(mut process) = self.process.take() {
            // Abandoned in the middle of a search, broken, or hung.
            process.end(fault.is_none());
        }
    }
}
