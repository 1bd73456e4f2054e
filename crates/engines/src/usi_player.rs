//! A player that is another process and speaks USI.

use crate::answers::{best_move, first_word, mate_answer};
use crate::fault::{EngineFault, FaultKind, PlayerError};
use crate::game_rules::rule_options;
use crate::introduction::Introduction;
use crate::line::GameLine;
use crate::player::{Allowed, Conclusion, Decision, Listener, Player, SearchRequest};
use crate::process::{Received, TimedLine, UsiProcess};
use crate::run_delay::{ThreadDelays, TimedAction};
use crate::settings::{PlayerSettings, ProgramCommand};
use rules::{AnyPosition, Game};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use think::{Answer, Info, MateAnswer, Moment, OptionSpec, TimeSource, quote};
use usi::option::{VARIANTS, choosing};
use usi::{Go, Reply};

/// How often a waiting player looks whether it has been abandoned.
const GLANCE: Duration = Duration::from_millis(100);

/// How long past its limit an engine may be silent before it counts as hung.
const STALL: Duration = Duration::from_secs(5);

/// The same where nothing limits its time.
const STALL_UNTIMED: Duration = Duration::from_secs(60);

/// Options an engine may declare; what more it declares is not kept.
const MOST_OPTIONS: usize = 1000;

/// The player. Its process is started when it is first needed.
pub struct UsiPlayer {
    command: ProgramCommand,
    settings: PlayerSettings,
    time: Arc<dyn TimeSource>,
    abandoned: Arc<AtomicBool>,
    process: Option<UsiProcess>,
    /// The game the process was started for.
    game: Game,
    introduction: Introduction,
    /// Whether it was told of increments by name, and has answered since.
    told_increments: bool,
    understood: bool,
    /// The game after the reply it expects.
    expected: Option<GameLine>,
    /// Whether it thinks about that now.
    pondering: bool,
    /// How long its threads had waited for a processor when it was last asked, and how long the
    /// worst of them has since, if its time is over: a thread that searches may end with its answer.
    delays: ThreadDelays,
    starved: Duration,
}

impl UsiPlayer {
    /// A player to be started when its first game begins. It gives up whatever it does when
    /// `abandoned` is set.
    pub fn new(
        command: ProgramCommand,
        settings: PlayerSettings,
        time: Arc<dyn TimeSource>,
        abandoned: Arc<AtomicBool>,
    ) -> Self {
        Self {
            command,
            settings,
            time,
            abandoned,
            process: None,
            game: Game::Shogi,
            introduction: Introduction::default(),
            told_increments: false,
            understood: false,
            expected: None,
            pondering: false,
            delays: ThreadDelays::default(),
            starved: Duration::ZERO,
        }
    }

    /// What it said about itself when it was last started.
    pub const fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Starts the program and asks who it is; nothing is set and nothing loaded yet.
    pub fn introduce(&mut self) -> Result<&Introduction, PlayerError> {
        let started = UsiProcess::start(&self.command, &self.settings, &self.time);
        let process = started.map_err(|error| {
            let program = quote(&self.command.program);
            EngineFault::new(FaultKind::Crash, format!("{program} cannot be started: {error}"))
        })?;
        self.process = Some(process);
        self.introduction = Introduction::default();
        (self.told_increments, self.understood) = (false, false);
        self.send("usi\n")?;
        let deadline = self.time.now() + self.settings.startup;
        loop {
            match self.reply(deadline, "usi", "usiok")? {
                Reply::UsiOk => return Ok(&self.introduction),
                Reply::IdName(name) => self.introduction.name = Some(name),
                Reply::Option(option) if self.introduction.options.len() < MOST_OPTIONS => {
                    self.introduction.options.push(option);
                }
                _ => {}
            }
        }
    }

    fn start(&mut self, game: Game) -> Result<(), PlayerError> {
        self.game = game;
        self.introduce()?;
        let text: String = self.options_for(game).iter().map(set_option_line).collect();
        if text.is_empty() { Ok(()) } else { Ok(self.send(&text)?) }
    }

    /// Options to set: those asked for, and the game if it is not the usual one.
    fn options_for(&self, game: Game) -> Vec<(String, String)> {
        let declares = |name: &str| self.introduction.declares(name);
        let asked = &self.settings.options;
        let given = asked.iter().any(|(name, _)| VARIANTS.contains(&name.as_str()));
        let choice = choosing(game, declares).filter(|_| !given);
        let optional = self.settings.optional.iter().filter(|(name, _)| declares(name)).cloned();
        let rules = self
            .settings
            .rules
            .map_or_else(Vec::new, |rules| rule_options(&rules, game, &self.introduction.options));
        choice.into_iter().chain(rules).chain(optional).chain(asked.iter().cloned()).collect()
    }

    /// Options for the games to come, besides those it was made with: the same names as before.
    /// A running process is told at once.
    pub fn set_options(&mut self, options: &[(String, String)]) -> Result<(), EngineFault> {
        let all = &mut self.settings.options;
        all.retain(|(name, _)| !options.iter().any(|(new, _)| new == name));
        all.extend(options.iter().cloned());
        if self.process.is_none() || options.is_empty() {
            return Ok(());
        }
        self.send(&options.iter().map(set_option_line).collect::<String>())
    }

    fn process(&mut self) -> Result<&mut UsiProcess, EngineFault> {
        let gone = || EngineFault::new(FaultKind::Crash, "the engine is not running");
        self.process.as_mut().ok_or_else(gone)
    }

    fn send(&mut self, text: &str) -> Result<(), EngineFault> {
        self.process()?.send(text)
    }

    /// The next event before the deadline; `None` after it, or when there is a reason to look
    /// around.
    fn next(&mut self, deadline: Option<Moment>) -> Result<Option<Received>, PlayerError> {
        if self.abandoned.load(Ordering::Relaxed) {
            return Err(PlayerError::Abandoned);
        }
        let left = deadline.map(|deadline| deadline.saturating_sub(self.time.now()));
        let patience = left.unwrap_or(GLANCE).min(GLANCE);
        Ok(self.process()?.next(patience)?)
    }

    /// The next answer before the deadline; `None` after it.
    fn next_answer(&mut self, deadline: Moment) -> Result<Option<TimedLine>, PlayerError> {
        loop {
            let over = self.time.now() >= deadline;
            match self.next(Some(deadline))? {
                Some(Received::Answer(answer)) => return Ok(Some(answer)),
                Some(Received::Report(_)) => {}
                None if over => return Ok(None),
                None => {}
            }
        }
    }

    /// The next reply during the handshake.
    fn reply(
        &mut self,
        deadline: Moment,
        question: &str,
        expected: &'static str,
    ) -> Result<Reply, PlayerError> {
        loop {
            let Some(answer) = self.next_answer(deadline)? else {
                let seconds = self.settings.startup.as_secs_f64();
                let detail = format!("no answer to {} within {seconds} s", quote(question));
                return Err(EngineFault::stall(expected, detail).into());
            };
            // An option we cannot read is the engine's affair: it may well play.
            if let Ok(reply) = Reply::parse(&answer.line) {
                return Ok(reply);
            }
        }
    }

    fn ready(&mut self) -> Result<(), PlayerError> {
        let now = self.time.now();
        self.process()?.reader().forget(now, false);
        self.send("isready\n")?;
        let deadline = now + self.settings.startup;
        while self.reply(deadline, "isready", "readyok")? != Reply::ReadyOk {}
        self.process()?.answered();
        Ok(())
    }

    /// Asks a question.
    fn ask(&mut self, game: &GameLine, go: &Go, listening: bool) -> Result<(), PlayerError> {
        let mut go = go.clone();
        if let Some(increments) = &self.settings.increments
            && go.times.has_increments()
        {
            if increments.by_name() {
                self.told_increments = true;
            } else {
                go.times = go.times.increments_as_byoyomi(game.position().turn());
            }
        }
        let now = self.time.now();
        self.process()?.reader().forget(now, listening);
        Ok(self.send(&format!("{}\ngo{go}\n", game.line()))?)
    }

    /// Waits for the answer that begins with that word. An engine past its limit is told to stop
    /// and given a last chance, so that one which is late can be told from one which hangs.
    fn answer(
        &mut self,
        word: &'static str,
        asked: Moment,
        request: &SearchRequest<'_>,
        mut listener: Option<Listener<'_>>,
    ) -> Result<TimedLine, PlayerError> {
        let timed = matches!(request.allowed, Allowed::Within(_));
        let usual = if request.allowed == Allowed::Untimed { STALL_UNTIMED } else { STALL };
        let stall = self.settings.stall.unwrap_or(usual);
        let mut deadline = match request.allowed {
            Allowed::Within(time) => Some(asked + time),
            Allowed::Untimed => Some(asked + stall),
            Allowed::UntilStopped => None,
        };
        // Who stopped it: nobody yet, we because its time was over, or whoever has the handle.
        let (mut stopped, mut overdue, mut hit) = (false, false, false);
        loop {
            let signals = request.handle.signals();
            if signals.abandon {
                return Err(PlayerError::Abandoned);
            }
            if signals.hit.is_some() && !std::mem::replace(&mut hit, true) {
                self.send("ponderhit\n")?;
            }
            if signals.stop && !stopped {
                stopped = true;
                deadline = Some(self.time.now() + self.settings.stall.unwrap_or(STALL));
                self.send("stop\n")?;
            }
            let over = deadline.is_some_and(|deadline| self.time.now() >= deadline);
            match self.next(deadline)? {
                Some(Received::Answer(answer)) if first_word(&answer.line) == word => {
                    if overdue && !timed {
                        let seconds = stall.as_secs_f64();
                        let detail = format!("no answer within {seconds} s until stopped");
                        return Err(EngineFault::stall(word, detail).into());
                    }
                    return Ok(answer);
                }
                Some(Received::Answer(_)) => {}
                Some(Received::Report(line)) => {
                    if let (Some(listener), Ok(Reply::Info(info))) =
                        (&mut listener, Reply::parse(&line))
                    {
                        listener(&info.thought(request.game.position()));
                    }
                }
                None if over && stopped => {
                    let silent = self.time.now().saturating_sub(asked).as_millis();
                    let detail = format!("no answer for {silent} ms, not even to stop");
                    return Err(EngineFault::stall(word, detail).into());
                }
                None if over => {
                    let now = self.process()?.thread_delays();
                    self.starved = now.most_since(&self.delays);
                    self.send("stop\n")?;
                    (stopped, overdue) = (true, true);
                    let more = if timed { stall } else { STALL };
                    deadline = deadline.map(|deadline| deadline + more);
                }
                None => {}
            }
        }
    }

    /// Ends thinking about a reply that was not played. What it answers is of no interest.
    fn stop_pondering(&mut self) -> Result<(), PlayerError> {
        if !std::mem::take(&mut self.pondering) {
            return Ok(());
        }
        self.send("stop\n")?;
        let deadline = self.time.now() + self.settings.stall.unwrap_or(STALL);
        loop {
            match self.next_answer(deadline)? {
                Some(answer) if first_word(&answer.line) == "bestmove" => break,
                Some(_) => {}
                None => {
                    let detail = "pondering, did not answer to stop";
                    return Err(EngineFault::stall("bestmove", detail).into());
                }
            }
        }
        self.process()?.answered();
        Ok(())
    }

    /// Lets the handle of a request reach this process, and listens to its lines of thought.
    fn attend(&mut self, request: &SearchRequest<'_>, listening: bool) -> Result<(), PlayerError> {
        let reader = Arc::clone(self.process()?.reader());
        reader.set_listening(listening);
        request.handle.on_signal(move |_| reader.wake());
        Ok(())
    }

    /// What an engine that crashed died of, as far as can be told.
    fn note_crash(&self, error: PlayerError) -> PlayerError {
        let Some(increments) = &self.settings.increments else { return error };
        match error {
            PlayerError::Fault(mut fault)
                if fault.kind == FaultKind::Crash
                    && self.told_increments
                    && !self.understood
                    && increments.by_name() =>
            {
                increments.give_up();
                fault.detail += "; from now on it is told increments as byoyomi";
                fault.into()
            }
            error => error,
        }
    }

    fn decide(
        &mut self,
        request: &SearchRequest<'_>,
        listener: Option<Listener<'_>>,
    ) -> Result<Decision, PlayerError> {
        let position = request.game.position();
        let hit = self.pondering
            && self.expected.as_ref().is_some_and(|e| e.line() == request.game.line());
        self.delays = self.process()?.thread_delays();
        self.starved = Duration::ZERO;
        let asking = if hit {
            self.pondering = false;
            let asking = TimedAction::begin(&*self.time);
            self.send("ponderhit\n")?;
            asking
        } else {
            self.stop_pondering()?;
            let asking = TimedAction::begin(&*self.time);
            self.ask(request.game, &request.go, listener.is_some())?;
            asking
        };
        // Only what happens after the question was handed over is the engine's time, and all of it.
        let asked = asking.done(&*self.time);
        self.expected = None;
        let delayed = self.process()?.delay();
        self.attend(request, listener.is_some())?;
        let answer = self.answer("bestmove", asked, request, listener)?;
        let lag = self.time.now().saturating_sub(answer.at);
        let process = self.process()?;
        process.answered();
        self.understood |= self.told_increments;
        let info = self.last_report(position)?;
        let (decided, ponder) = best_move(&answer.line, position)?;
        if let (true, Answer::Move(m), Some(reply)) = (self.settings.ponder, decided, ponder) {
            self.expected = request.game.expecting(m, reply);
        }
        let time = answer.at.saturating_sub(asked);
        let late = request.limit().is_some_and(|allowed| time > allowed);
        let delay = if late { self.process()?.delay() } else { delayed };
        let starved = delay.saturating_sub(delayed).max(self.starved);
        let ponder = ponder.filter(|&reply| match decided {
            Answer::Move(m) => {
                let mut after = position.without_history();
                after.play(m);
                after.is_legal(reply)
            }
            _ => false,
        });
        Ok(Decision { answer: decided, ponder, time, info, lag, starved })
    }

    fn last_report(&mut self, position: &AnyPosition) -> Result<Option<Info>, EngineFault> {
        let line = self.process()?.reader().last_report();
        Ok(line.and_then(|line| match Reply::parse(&line) {
            Ok(Reply::Info(info)) => Some(info.thought(position)),
            _ => None,
        }))
    }
}

fn set_option_line((name, value): &(String, String)) -> String {
    let command = usi::Command::SetOption { name: name.clone(), value: Some(value.clone()) };
    format!("{command}\n")
}

impl Player for UsiPlayer {
    fn prepare(&mut self, game: Game, _: &mut dyn FnMut(&str)) -> Result<(), PlayerError> {
        if self.game != game
            && let Some(mut process) = self.process.take()
        {
            process.end(true);
        }
        if self.process.is_none() {
            self.start(game)?;
        }
        self.ready()?;
        Ok(self.send("usinewgame\n")?)
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.introduction.options.clone()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<bool, PlayerError> {
        let declared = self.introduction.declares(name);
        if declared {
            self.send(&set_option_line(&(name.to_owned(), value.to_owned())))?;
        }
        Ok(declared)
    }

    fn think(
        &mut self,
        request: &SearchRequest<'_>,
        listener: Option<Listener<'_>>,
    ) -> Result<Decision, PlayerError> {
        self.decide(request, listener).map_err(|error| self.note_crash(error))
    }

    fn find_mate(&mut self, request: &SearchRequest<'_>) -> Result<MateAnswer, PlayerError> {
        self.stop_pondering()?;
        self.expected = None;
        let position = request.game.position();
        let asking = TimedAction::begin(&*self.time);
        self.ask(request.game, &request.go, false)?;
        let asked = asking.done(&*self.time);
        self.attend(request, false)?;
        let answer = self.answer("checkmate", asked, request, None)?;
        self.process()?.answered();
        Ok(mate_answer(&answer.line, position)?)
    }

    fn ponder(&mut self, go: &Go) -> Result<(), PlayerError> {
        let Some(expected) = self.expected.take() else { return Ok(()) };
        let go = Go { ponder: true, ..go.clone() };
        let asked = self.ask(&expected, &go, false);
        self.expected = Some(expected);
        asked?;
        self.pondering = true;
        Ok(())
    }

    fn finish(&mut self, conclusion: Conclusion<'_>) {
        // An engine that does not stop when told to is of no use for the next game.
        let stopped = conclusion == Conclusion::Abandoned || self.stop_pondering().is_ok();
        (self.pondering, self.expected) = (false, None);
        let result = match conclusion {
            Conclusion::Over(result) => Some(result),
            // Late or wrong, but it answers: the next `isready` will show.
            Conclusion::OwnFault(fault)
                if matches!(fault.kind, FaultKind::Time | FaultKind::Illegal) =>
            {
                Some(Some(usi::GameResult::Lose))
            }
            Conclusion::OwnFault(_) | Conclusion::Abandoned => None,
        };
        let told = stopped
            && result.is_some_and(|result| {
                self.send(&format!("{}\n", usi::Command::GameOver(result))).is_ok()
            });
        if !told && let Some(mut process) = self.process.take() {
            // Abandoned in the middle of a search, broken, or hung.
            process.end(!matches!(conclusion, Conclusion::OwnFault(_)));
        }
    }
}
