//! Plays the games of a schedule, several at a time.

use crate::engine_logs::EngineLogs;
use crate::game::{Abandoned, Played};
use crate::opening::Opening;
use crate::schedule::{Schedule, ScheduledGame};
use crate::spec::{EngineSpec, Launch};
use crate::timed_game::{Terms, Turn, play_watched};
use engines::{
    EngineFactory, EngineFault, Introduction, LocalPlayer, Player, PlayerError, PlayerSettings,
    ProgramCommand, TrafficLog, UsiPlayer,
};
use play::GameRules;
use rules::Game;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;
use think::{Moment, TimeSource};

/// A match to be played.
#[derive(Clone, Debug)]
pub struct Plan {
    pub game: Game,
    pub engines: Vec<EngineSpec>,
    pub schedule: Schedule,
    /// Where they begin.
    pub openings: Vec<Opening>,
    /// What they are played by.
    pub terms: Terms,
    /// How many at a time.
    pub concurrency: usize,
    /// Processors for each of those, in turn; empty to leave that to the system.
    pub cpus: Vec<Vec<usize>>,
}

/// Plays matches, with what they need from their surroundings.
#[derive(Clone)]
pub struct MatchRunner {
    pub time: Arc<dyn TimeSource>,
    /// Makes engines of this program.
    pub factory: Arc<EngineFactory>,
    /// This program, to be started anew where its engine is to play under the conditions of other
    /// programs: see [`Plan::is_timed_among_programs`].
    pub own_program: Option<ProgramCommand>,
    /// Set from outside to end: games of a match that are under way are finished and no other
    /// begins, everything shorter is abandoned. Never set here.
    pub abandoned: Arc<AtomicBool>,
    /// Where conversations with programs are written down.
    pub logs: Option<Arc<EngineLogs>>,
}

/// Something worth knowing happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A game begins.
    Started(ScheduledGame),
    /// A player of the game with that number is about to think.
    Turn(u64, Box<Turn>),
    /// A game is over.
    Finished(Box<Finished>),
}

/// A game of a match that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    pub scheduled: ScheduledGame,
    pub played: Played,
    /// How long it took, preparations included.
    pub duration: Duration,
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Continue,
    /// Break off the games under way and end.
    Stop,
}

impl Plan {
    /// How many threads may be busy at the same time.
    pub fn threads(&self) -> usize {
        let each = self.engines.iter().map(EngineSpec::threads).max().unwrap_or(1);
        // Who ponders thinks at the same time as the opponent.
        let each =
            if self.engines.iter().any(|e| e.ponder) { each.saturating_mul(2) } else { each };
        each.saturating_mul(self.concurrency)
    }
}

impl Plan {
    /// Whether engines that are programs play on the clock. Ours is started as a program then, too:
    /// inside this process it needs fewer threads to be woken before it thinks, which is worth
    /// 100 Elo at 13 ms a move where processors are scarce.
    pub fn is_timed_among_programs(&self) -> bool {
        self.engines.iter().any(|engine| engine.launch != Launch::Inside)
            && self.engines.iter().any(|engine| engine.control.is_timed())
    }
}

impl MatchRunner {
    /// How a participant is started, if not inside this process.
    pub(crate) fn command(&self, plan: &Plan, index: usize) -> Option<ProgramCommand> {
        match &plan.engines[index].launch {
            Launch::Process(command) => Some(command.clone()),
            Launch::Inside if plan.is_timed_among_programs() => self.own_program.clone(),
            Launch::Inside => None,
        }
    }

    /// A participant of a plan, to be started when its first game begins. `slot` says in which of
    /// the games at a time it plays.
    pub(crate) fn player(
        &self,
        plan: &Plan,
        index: usize,
        slot: usize,
        cpus: &[usize],
    ) -> Box<dyn Player> {
        match self.command(plan, index) {
            Some(command) => Box::new(self.usi_player(plan, index, slot, cpus, command)),
            None => Box::new(self.local_player(&plan.engines[index], plan.terms.rules)),
        }
    }

    /// A participant that is a program.
    pub(crate) fn usi_player(
        &self,
        plan: &Plan,
        index: usize,
        slot: usize,
        cpus: &[usize],
        command: ProgramCommand,
    ) -> UsiPlayer {
        let spec = &plan.engines[index];
        let (time, abandoned) = (Arc::clone(&self.time), Arc::clone(&self.abandoned));
        let log = self.log(plan, index, slot);
        let settings = PlayerSettings { log, ..spec.settings(cpus, plan.terms.rules) };
        UsiPlayer::new(command, settings, time, abandoned)
    }

    /// Tells the logs which game begins.
    pub(crate) fn note_game(&self, plan: &Plan, scheduled: &ScheduledGame, slot: usize) {
        let [black, white] = scheduled.players;
        let name = |index: usize| &plan.engines[index].name;
        for index in [black, white] {
            if let Some(log) = self.log(plan, index, slot) {
                let (number, opening) = (scheduled.id + 1, scheduled.opening + 1);
                let text = format!(
                    "game {number}: Black {}, White {}, opening {opening}",
                    name(black),
                    name(white)
                );
                log.remark(self.time.now(), &text);
            }
        }
    }

    /// The log of a participant, if it is a program and logs are kept.
    fn log(&self, plan: &Plan, index: usize, slot: usize) -> Option<Arc<TrafficLog>> {
        let spec = &plan.engines[index];
        let logs = self.logs.as_ref().filter(|_| self.command(plan, index).is_some())?;
        logs.of(index, &spec.name, slot)
    }

    /// A participant that is an engine of this program.
    pub(crate) fn local_player(&self, spec: &EngineSpec, rules: GameRules) -> LocalPlayer {
        let (time, abandoned) = (Arc::clone(&self.time), Arc::clone(&self.abandoned));
        LocalPlayer::new(spec.settings(&[], rules), Arc::clone(&self.factory), time, abandoned)
    }

    /// Starts a program and asks who it is; nothing is set.
    pub fn introduction(&self, spec: &EngineSpec) -> Result<Introduction, EngineFault> {
        let (time, abandoned) = (Arc::clone(&self.time), Arc::clone(&self.abandoned));
        match &spec.launch {
            Launch::Process(command) => {
                let settings = spec.settings(&[], GameRules::default());
                let mut player = UsiPlayer::new(command.clone(), settings, time, abandoned);
                match player.introduce() {
                    Ok(introduction) => Ok(introduction.clone()),
                    Err(PlayerError::Fault(fault)) => Err(fault),
                    Err(PlayerError::Abandoned) => Ok(Introduction::default()),
                }
            }
            Launch::Inside => {
                let options = (self.factory)(Game::Shogi).options();
                Ok(Introduction { name: None, options })
            }
        }
    }

    /// Starts an engine once to see whether it works, and asks who it is.
    pub fn try_out(&self, plan: &Plan, index: usize) -> Result<Introduction, EngineFault> {
        let outcome = |result: Result<(), PlayerError>| match result {
            Err(PlayerError::Fault(fault)) => Err(fault),
            _ => Ok(()),
        };
        let spec = &plan.engines[index];
        if let Some(command) = self.command(plan, index) {
            let mut player = self.usi_player(plan, index, 0, &[], command);
            outcome(player.prepare(plan.game, &mut |_| ()))?;
            return Ok(player.introduction().clone());
        }
        let mut player = self.local_player(spec, plan.terms.rules);
        outcome(player.prepare(plan.game, &mut |_| ()))?;
        Ok(Introduction { name: None, options: player.options() })
    }

    /// Plays every game for which `wanted` holds. Events come in the order things happen; what
    /// `watch` returns decides whether to go on. Returns when all is over and no engine runs.
    pub fn run(
        &self,
        plan: &Plan,
        wanted: &(dyn Fn(u64) -> bool + Sync),
        watch: &mut dyn FnMut(Event) -> Flow,
    ) {
        let next = AtomicU64::new(0);
        let (sender, events) = channel();
        // Whoever watches may end this run without ending what comes after it.
        let stopped = Arc::new(AtomicBool::new(false));
        let inner = Self { abandoned: Arc::clone(&stopped), ..self.clone() };
        thread::scope(|scope| {
            for worker in 0..plan.concurrency.max(1) {
                let sender = sender.clone();
                let (next, inner) = (&next, &inner);
                let ending = &*self.abandoned;
                let work =
                    move || Seat::new(plan, inner, worker).work(next, wanted, ending, &sender);
                let spawned =
                    thread::Builder::new().name(format!("game {worker}")).spawn_scoped(scope, work);
                if spawned.is_err() && worker > 0 {
                    // Fewer at a time than asked for is better than none.
                    break;
                }
            }
            drop(sender);
            while let Ok(event) = events.recv() {
                if watch(event) == Flow::Stop {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
        });
    }
}

/// One game after another, with engines kept between games. To be used by the thread that made it.
pub struct Seat<P, R> {
    plan: P,
    runner: R,
    /// Which of the games at a time it plays.
    slot: usize,
    cpus: Vec<usize>,
    players: HashMap<usize, Box<dyn Player>>,
}

impl<P: Deref<Target = Plan>, R: Deref<Target = MatchRunner>> Seat<P, R> {
    /// For one of the games at a time.
    pub fn new(plan: P, runner: R, slot: usize) -> Self {
        let cpus = match plan.cpus.len() {
            0 => Vec::new(),
            shares => plan.cpus[slot % shares].clone(),
        };
        if (0..plan.engines.len()).any(|index| runner.command(&plan, index).is_none()) {
            // Threads of our own engine start from this one and stay where it is.
            os::affinity::confine(&cpus);
        }
        Self { plan, runner, slot, cpus, players: HashMap::new() }
    }

    fn work(
        mut self,
        next: &AtomicU64,
        wanted: &(dyn Fn(u64) -> bool + Sync),
        ending: &AtomicBool,
        events: &Sender<Event>,
    ) {
        while !ending.load(Ordering::Relaxed) {
            let id = next.fetch_add(1, Ordering::Relaxed);
            let Some(scheduled) = self.plan.schedule.game(id) else { return };
            if !wanted(id) {
                continue;
            }
            if self.runner.abandoned.load(Ordering::Relaxed)
                || events.send(Event::Started(scheduled)).is_err()
            {
                return;
            }
            let tell = &mut |turn: Turn| {
                // Nobody listens where the match is being ended.
                let _ = events.send(Event::Turn(id, Box::new(turn)));
            };
            let Ok(finished) = self.play_told(scheduled, tell) else { return };
            // Somebody who listens no more wants no more games.
            if events.send(Event::Finished(Box::new(finished))).is_err() {
                return;
            }
        }
    }

    /// Plays a game of the plan.
    pub fn play(&mut self, scheduled: ScheduledGame) -> Result<Finished, Abandoned> {
        self.play_told(scheduled, &mut |_| ())
    }

    fn play_told(
        &mut self,
        scheduled: ScheduledGame,
        tell: &mut dyn FnMut(Turn),
    ) -> Result<Finished, Abandoned> {
        let began = self.runner.time.now();
        let played = self.play_scheduled(&scheduled, tell)?;
        let duration = since(&*self.runner.time, began);
        Ok(Finished { scheduled, played, duration })
    }

    fn play_scheduled(
        &mut self,
        scheduled: &ScheduledGame,
        tell: &mut dyn FnMut(Turn),
    ) -> Result<Played, Abandoned> {
        let [black, white] = scheduled.players;
        let plan = &*self.plan;
        let mut take = |index| {
            let kept = self.players.remove(&index);
            kept.unwrap_or_else(|| self.runner.player(plan, index, self.slot, &self.cpus))
        };
        let (mut first, mut second) = (take(black), take(white));
        let controls = [black, white].map(|index| plan.engines[index].control);
        let opening = &plan.openings[scheduled.opening];
        self.runner.note_game(plan, scheduled, self.slot);
        let players: [&mut dyn Player; 2] = [&mut *first, &mut *second];
        let played = play_watched(opening, &plan.terms, controls, players, tell);
        self.players.insert(black, first);
        self.players.insert(white, second);
        played
    }
}

fn since(time: &dyn TimeSource, then: Moment) -> Duration {
    time.now().saturating_sub(then)
}
