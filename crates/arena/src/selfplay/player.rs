//! One game of an engine against itself.

use super::{EngineSource, LinePolicy, NearBest, SelfPlayPlan};
use crate::game::{self, Played};
use crate::opening::Opening;
use engines::{Decision, PlayerError};
use rules::{AnyPosition, Move};
use seed::Rng;
use std::io;
use std::ops::Deref;
use std::time::Duration;
use teacher::{Candidate, Flags, Outcome, Ply, as_stored, mate_score, plain_score};
use think::key::universal::MULTI_PV;
use think::{
    Answer, Best, Bound, Engine, Info, Limits, MateAnswer, OptionError, Report, Score, WrongGame,
    to_units,
};
use thiserror::Error;

/// Games of one number that are begun anew because they are too short or unbalanced, before one
/// is taken as it is.
const ATTEMPTS: u64 = 200;

/// Nodes beyond which a search that has found no value is not repeated with more.
const MOST_NODES: u64 = 100_000;

/// Time of a move in self-play: nobody's clock runs.
const NO_TIME: Duration = Duration::ZERO;

/// Self-play cannot go on: something is wrong with the engine or the machine.
#[derive(Debug, Error)]
pub enum SelfPlayError {
    /// An option is not known or has a wrong value.
    #[error("{0}")]
    Option(#[from] OptionError),
    /// There is no engine.
    #[error("no engine for self-play: {0}")]
    Engine(String),
    /// An engine for the other game.
    #[error("{0}")]
    Game(#[from] WrongGame),
    /// The engine broke the rules.
    #[error("game {number}: the engine lost by a fault: {fault}")]
    Fault { number: u64, fault: String },
    /// No thread could be started.
    #[error("could not start a thread for self-play: {0}")]
    Thread(io::Error),
    /// Whoever was to play it did not.
    #[error("game {number}: {reason}")]
    Elsewhere { number: u64, reason: String },
    /// The start positions are of no use.
    #[error("no game can begin: {0}")]
    Start(String),
}

/// A game that was made.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    pub game: teacher::Game,
    /// Nodes that were read for it, beginnings that were dropped included.
    pub nodes: u64,
    pub searches: u64,
    /// The same game had been made before, and the plan gave no other.
    pub repeated: bool,
}

/// Plays games, one at a time.
pub struct SelfPlayer<P> {
    plan: P,
    /// One for both sides, or one for each.
    engines: Vec<Box<dyn Engine>>,
    lines: usize,
}

impl<P: Deref<Target = SelfPlayPlan>> SelfPlayer<P> {
    /// Makes the engines.
    pub fn new(plan: P, factory: &EngineSource) -> Result<Self, SelfPlayError> {
        let count = if plan.separate { 2 } else { 1 };
        let mut engines = Vec::new();
        for _ in 0..count {
            let mut engine = factory(plan.game)?;
            for (name, value) in &plan.options {
                engine.set_option(name, value)?;
            }
            engine.set_option(MULTI_PV.name(), "1")?;
            engine.is_ready(&mut |_| ());
            engines.push(engine);
        }
        Ok(Self { plan, engines, lines: 1 })
    }

    /// Plays the game of that number; `retry` gives another one in its place. `None` if it was
    /// interrupted.
    pub fn game(
        &mut self,
        number: u64,
        retry: u64,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Option<PlayedGame>, SelfPlayError> {
        let seed = Rng::new(self.plan.seed).split(number).split(retry);
        let (mut nodes, mut searches) = (0, 0);
        for beginning in 0..ATTEMPTS {
            let mut random = seed.split(beginning);
            let last = beginning + 1 == ATTEMPTS;
            let opening = self.plan.starts.draw(&mut random);
            let Some(opening) = opening else { continue };
            let mut state = GameState::new(&self.plan, &mut random);
            state.strict = !last;
            let played = self.play(&opening, &mut state, &mut random, is_over);
            nodes += state.nodes;
            searches += state.searches;
            let played = match played {
                Ok(played) => played,
                Err(Stopped::Over) => return Ok(None),
                Err(Stopped::Unbalanced) => continue,
                Err(Stopped::Failed(error)) => return Err(error),
            };
            if let Some((_, fault)) = played.end.fault() {
                return Err(SelfPlayError::Fault { number, fault: fault.to_string() });
            }
            // A game that ended among its random moves teaches nothing.
            if state.searches > 0 && !played.moves.is_empty() {
                let game = record(&played, &state);
                return Ok(Some(PlayedGame { game, nodes, searches, repeated: false }));
            }
        }
        let tried = format!("{ATTEMPTS} beginnings of game {number} gave nothing to play");
        Err(SelfPlayError::Start(tried))
    }

    fn play(
        &mut self,
        opening: &Opening,
        state: &mut GameState,
        random: &mut Rng,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Played, Stopped> {
        for engine in &mut self.engines {
            engine.new_game();
        }
        let (rules, adjudication) = (self.plan.rules, self.plan.adjudication);
        let mut stopped = None;
        let played = game::play(opening, &rules, adjudication, &mut |line| {
            if is_over() {
                stopped = Some(Stopped::Over);
                return Err(PlayerError::Abandoned);
            }
            self.thought(line.position(), state, random).map_err(|why| {
                stopped = Some(why);
                PlayerError::Abandoned
            })
        });
        played.map_err(|_| stopped.unwrap_or(Stopped::Over))
    }

    fn thought(
        &mut self,
        position: &AnyPosition,
        state: &mut GameState,
        random: &mut Rng,
    ) -> Result<Decision, Stopped> {
        state.ply += 1;
        let ply = state.ply;
        let thought = |answer, info| Decision {
            answer,
            ponder: None,
            time: NO_TIME,
            info,
            lag: NO_TIME,
            starved: NO_TIME,
        };
        if state.random_plies.contains(&ply) {
            let legal = position.legal_moves();
            let drawn = legal[random.below(legal.len())];
            state.thoughts.push(None);
            return Ok(thought(Answer::Move(drawn), None));
        }
        let near = self.plan.near_best.filter(|near| ply <= near.last);
        let policy = self.plan.policy;
        let lines = near.map_or(1, |near| near.lines).max(policy.map_or(1, |policy| policy.lines));
        let report = self.ask(position, lines)?;
        state.searches += 1;
        state.nodes += report.lines.first().and_then(|line| line.nodes).unwrap_or(0);
        let score = report.exact;
        let settled = state.random_plies.last().is_none_or(|&last| ply > last);
        if state.strict && settled && !state.judged {
            state.judged = true;
            let off = score.map_or(0, |score| centipawns(score).abs());
            if self.plan.balance.is_some_and(|balance| off > balance) {
                return Err(Stopped::Unbalanced);
            }
        }
        let mut answer = report.best;
        if let (Some(near), Answer::Move(_)) = (near, answer)
            && let Some(m) = report.near(&near, random)
        {
            answer = Answer::Move(m);
        }
        if score.is_some() {
            let side = self.side(position);
            let target = match policy {
                Some(policy) => report.policy(&policy),
                None => self.engines[side].policy_target(),
            };
            state.targets.extend(shares(state.thoughts.len(), &target));
        }
        state.thoughts.push(score.map(to_teacher));
        Ok(thought(answer, report.lines.into_iter().next()))
    }

    /// Which engine thinks about a position.
    fn side(&self, position: &AnyPosition) -> usize {
        if self.engines.len() > 1 { position.turn().index() } else { 0 }
    }

    fn ask(&mut self, position: &AnyPosition, lines: usize) -> Result<LastReport, Stopped> {
        let side = self.side(position);
        if lines != self.lines {
            for engine in &mut self.engines {
                engine
                    .set_option(MULTI_PV.name(), &lines.to_string())
                    .map_err(SelfPlayError::from)?;
            }
            self.lines = lines;
        }
        let engine = &mut self.engines[side];
        engine.set_position(position.clone()).map_err(SelfPlayError::from)?;
        let (mut nodes, depth) = (self.plan.nodes, self.plan.depth);
        loop {
            let mut report = LastReport { lines: Vec::new(), exact: None, best: Answer::Resign };
            engine.think(Limits { nodes, depth, ..Limits::default() }, &mut report);
            // In a wild position few nodes do not even suffice for one ply, and the answer is any
            // legal move, which would spoil the result of the game like a random one.
            let thought = report.exact.is_some() || !matches!(report.best, Answer::Move(_));
            match nodes {
                Some(few) if !thought && few < MOST_NODES => nodes = Some(4 * few),
                _ => return Ok(report),
            }
        }
    }
}

impl<P: Deref<Target = SelfPlayPlan>> std::fmt::Debug for SelfPlayer<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SelfPlayer").field("plan", &*self.plan).finish_non_exhaustive()
    }
}

/// Why a game was interrupted.
enum Stopped {
    Over,
    Unbalanced,
    Failed(SelfPlayError),
}

impl From<SelfPlayError> for Stopped {
    fn from(error: SelfPlayError) -> Self {
        Self::Failed(error)
    }
}

/// One game as it goes on.
struct GameState {
    ply: usize,
    /// Plies whose moves are chosen at random, in order.
    random_plies: Vec<usize>,
    /// What was thought before each move, in order.
    thoughts: Vec<Option<i16>>,
    /// What searches would have a policy learn, by the number of the thought.
    targets: Vec<Candidate>,
    strict: bool,
    judged: bool,
    nodes: u64,
    searches: u64,
}

impl GameState {
    fn new(plan: &SelfPlayPlan, random: &mut Rng) -> Self {
        let wanted = plan.random;
        let mut plies: Vec<usize> = (wanted.plies.first.max(1)..=wanted.plies.last).collect();
        random.shuffle(&mut plies);
        plies.truncate(wanted.count);
        plies.sort_unstable();
        Self {
            ply: 0,
            random_plies: plies,
            thoughts: Vec::new(),
            targets: Vec::new(),
            strict: true,
            judged: false,
            nodes: 0,
            searches: 0,
        }
    }
}

/// What an engine said of a position.
struct LastReport {
    /// The latest line of each rank.
    lines: Vec<Info>,
    /// The latest value of the best line that was not a bound.
    exact: Option<Score>,
    best: Answer,
}

impl LastReport {
    /// One of the moves within a margin of the best, at random.
    fn near(&self, near: &NearBest, random: &mut Rng) -> Option<Move> {
        let value = |line: &Info| line.score.map(|(score, _)| centipawns(score));
        let best = value(self.lines.first()?)?;
        let near: Vec<Move> = self
            .lines
            .iter()
            .take(near.lines)
            .filter(|line| value(line).is_some_and(|v| v >= best - near.margin))
            .filter_map(|line| line.pv.first().copied())
            .collect();
        near.get(random.below(near.len())).copied()
    }

    /// The lines as a policy: the softmax of their scores.
    fn policy(&self, policy: &LinePolicy) -> Vec<(Move, f32)> {
        let scored = self
            .lines
            .iter()
            .take(policy.lines)
            .filter_map(|line| Some((*line.pv.first()?, f64::from(to_teacher(line.score?.0)))));
        let scored: Vec<(Move, f64)> = scored.collect();
        let most = scored.iter().map(|&(_, score)| score).fold(f64::NEG_INFINITY, f64::max);
        let scale = f64::from(policy.scale.max(1));
        let weight = |score: f64| ((score - most) / scale).exp();
        let sum: f64 = scored.iter().map(|&(_, score)| weight(score)).sum();
        scored.iter().map(|&(mv, score)| (mv, (weight(score) / sum) as f32)).collect()
    }
}

impl Report for LastReport {
    fn info(&mut self, info: &Info) {
        let rank = info.multipv.unwrap_or(1).max(1) as usize - 1;
        if rank == 0 {
            // Lines of an older iteration would be compared with those of a newer one.
            self.lines.clear();
            if let Some((score, Bound::Exact)) = info.score {
                self.exact = Some(score);
            }
        }
        if rank == self.lines.len() {
            self.lines.push(info.clone());
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.best = best.answer;
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

/// A score as teacher files keep it: in evaluation units, mates at the ends of the range.
pub fn to_teacher(score: Score) -> i16 {
    match score {
        Score::Cp(cp) => plain_score(to_units(cp)),
        Score::Mate(plies) => mate_score(plies),
        Score::Mated(plies) => -mate_score(plies),
    }
}

/// A score in hundredths of a pawn, mates beyond everything else.
fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(_) | Score::Mated(_) => i32::from(to_teacher(score)),
    }
}

/// The target of a policy as teacher files keep it, of the thought of that number: moves with their
/// shares in ten-thousandths, those that round to nothing left out.
fn shares(thought: usize, target: &[(Move, f32)]) -> impl Iterator<Item = Candidate> {
    target.iter().filter_map(move |&(mv, share)| {
        let visits = (share * 10_000.0).round() as u16;
        (visits > 0).then_some(Candidate { ply: thought as u32, mv, visits })
    })
}

/// A played game as teacher data.
fn record(played: &Played, state: &GameState) -> teacher::Game {
    let thoughts = &state.thoughts;
    let mut game = teacher::Game::new(played.opening.start().clone());
    let given = Flags { random: true, skip: false };
    let opening = played.opening.moves().iter();
    // The result of a game says little about positions that a random move was still to come after.
    let last_random = state.random_plies.last().copied().unwrap_or(0);
    game.plies = opening.map(|&mv| Ply { mv, score: None, flags: given }).collect();
    for (index, ply) in played.moves.iter().enumerate() {
        let score = thoughts.get(index).copied().flatten();
        let random = state.random_plies.contains(&(index + 1));
        let flags = Flags { random, skip: !random && index + 1 < last_random };
        game.plies.push(Ply { mv: ply.played, score, flags });
    }
    // Where there was a move; those of the opening come before.
    let (before, moves) = (played.opening.moves().len() as u32, played.moves.len() as u32);
    let within = state.targets.iter().filter(|target| target.ply < moves);
    game.candidates = within.map(|t| Candidate { ply: t.ply + before, ..*t }).collect();
    // A thought that ended in no move: a declaration.
    game.last = thoughts.get(played.moves.len()).copied().flatten();
    game.outcome = played.winner().map_or(Outcome::Draw, Outcome::Won);
    game.reason = as_stored(played.end.ending.reason);
    game
}
