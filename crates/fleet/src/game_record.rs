//! A game of a match as it travels, and the game replayed by the rules before it counts.

use arena::game::{Played, forfeit, play};
use arena::{Finished, Plan};
use engines::{Decision, EngineFault, FaultKind, PlayerError};
use play::Side;
use rules::{Color, Move};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use think::{Answer, Bound, Info, Score, Wdl};
use thiserror::Error;

/// A game of a schedule, with everything that is told of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule; opening and players follow from it.
    pub id: u64,
    /// The moves after the opening.
    pub moves: Vec<MoveRecord>,
    /// How it ended, in one word.
    pub end: String,
    pub winner: Option<Side>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultRecord>,
    /// Whether the last answer was a declaration of a win.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declared: bool,
    /// Microseconds of the last thought, where it was no move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// The runner's greatest delay, in microseconds.
    pub lag: u64,
    /// Moves that came late because the machine was too busy.
    pub starved: u32,
    /// Milliseconds of the whole game.
    pub millis: u64,
}

/// A move with what its player thought.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MoveRecord {
    /// As USI writes it.
    #[serde(rename = "m")]
    pub usi: String,
    /// Microseconds.
    #[serde(rename = "t")]
    pub micros: u64,
    #[serde(default, rename = "i", skip_serializing_if = "Option::is_none")]
    pub info: Option<InfoRecord>,
}

/// What a player thought.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InfoRecord {
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(rename = "sd", skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    #[serde(rename = "mp", skip_serializing_if = "Option::is_none")]
    pub multipv: Option<u32>,
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreRecord>,
    /// Chances to win, draw and lose, in thousandths.
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    pub wdl: Option<[u16; 3]>,
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(rename = "nps", skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    #[serde(rename = "hf", skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    #[serde(rename = "us", skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
}

/// A score: centipawns, or plies to a mate; with how exact it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ScoreRecord {
    #[serde(rename = "cp")]
    Cp(i32, BoundRecord),
    #[serde(rename = "win")]
    Mate(Option<u32>, BoundRecord),
    #[serde(rename = "loss")]
    Mated(Option<u32>, BoundRecord),
}

/// How exact a score is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum BoundRecord {
    #[serde(rename = "=")]
    Exact,
    #[serde(rename = ">")]
    Lower,
    #[serde(rename = "<")]
    Upper,
}

/// What an engine did wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FaultRecord {
    pub kind: String,
    pub detail: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
}

/// Why a game does not count.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReplayError {
    #[error("there is no game {0} in the schedule")]
    NoGame(u64),
    #[error("game {game}: move {number} is {text:?}, which is not a move")]
    Move { game: u64, number: usize, text: String },
    #[error("game {game}: {kind:?} is not a kind of fault")]
    Fault { game: u64, kind: String },
    #[error("game {game}: ended by {found} after {after} moves, not by {told} after {all}")]
    End { game: u64, found: String, after: usize, told: String, all: usize },
    #[error("game {game}: breaks off after {after} moves")]
    BreaksOff { game: u64, after: usize },
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl GameRecord {
    /// A game that was played.
    pub fn of(finished: &Finished) -> Self {
        let played = &finished.played;
        let game = played.opening.game();
        let moves = played.moves.iter().map(|step| MoveRecord {
            usi: step.played.usi(game),
            micros: micros(step.time),
            info: step.info.as_ref().map(|info| InfoRecord::of(info, game)),
        });
        let fault = played.end.fault().map(|(_, fault)| FaultRecord {
            kind: fault.kind.name().to_owned(),
            detail: fault.detail.clone(),
            expected: fault.expected.map(str::to_owned),
            received: fault.received.clone(),
        });
        Self {
            id: finished.scheduled.id,
            moves: moves.collect(),
            end: played.end.name().to_owned(),
            winner: played.winner().map(Into::into),
            fault,
            declared: played.end.name() == "declaration",
            last: played.last.map(micros),
            lag: micros(played.worst_lag),
            starved: played.starved,
            millis: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// Whether two games are the same apart from the time they took.
    pub fn is_same_game(&self, other: &Self) -> bool {
        let untimed = |record: &Self| {
            let mut record = record.clone();
            (record.lag, record.starved, record.millis) = (0, 0, 0);
            record.last = record.last.map(|_| 0);
            for step in &mut record.moves {
                step.micros = 0;
                if let Some(info) = &mut step.info {
                    (info.nps, info.micros) = (None, None);
                }
            }
            record
        };
        untimed(self) == untimed(other)
    }

    /// Plays the game again by the rules of its plan: what comes out is what the rules say, and an
    /// error where that is not what was told.
    pub fn replay(&self, plan: &Plan) -> Result<Finished, ReplayError> {
        let scheduled = plan.schedule.game(self.id).ok_or(ReplayError::NoGame(self.id))?;
        let opening = &plan.openings[scheduled.opening];
        let fault = self.fault.as_ref().map(|fault| fault.read(self.id)).transpose()?;
        let mut played = match (&fault, self.winner) {
            (Some(fault), Some(winner)) if self.moves.is_empty() => {
                forfeit(opening, Color::from(winner).opponent(), fault.clone())
            }
            _ => self.play_again(plan, opening, fault.as_ref())?,
        };
        played.last = self.last.map(Duration::from_micros);
        played.worst_lag = Duration::from_micros(self.lag);
        played.starved = self.starved;
        let same = played.end.name() == self.end
            && played.winner().map(Side::from) == self.winner
            && played.moves.len() == self.moves.len();
        if !same {
            return Err(ReplayError::End {
                game: self.id,
                found: played.end.name().to_owned(),
                after: played.moves.len(),
                told: self.end.clone(),
                all: self.moves.len(),
            });
        }
        Ok(Finished { scheduled, played, duration: Duration::from_millis(self.millis) })
    }

    fn play_again(
        &self,
        plan: &Plan,
        opening: &arena::Opening,
        fault: Option<&EngineFault>,
    ) -> Result<Played, ReplayError> {
        let game = opening.game();
        let mut steps = self.moves.iter().enumerate();
        let mut wrong = None;
        let terms = &plan.terms;
        let played = play(opening, &terms.rules, terms.adjudication, &mut |_| {
            let Some((index, step)) = steps.next() else {
                if let Some(fault) = fault {
                    return Err(PlayerError::Fault(fault.clone()));
                }
                let answer = if self.declared { Answer::Win } else { Answer::Resign };
                // Without one of these nobody said anything, and the game breaks off.
                if !self.declared && self.end != "resign" {
                    let after = self.moves.len();
                    wrong = Some(ReplayError::BreaksOff { game: self.id, after });
                    return Err(PlayerError::Abandoned);
                }
                return Ok(decision(answer, Duration::ZERO, None));
            };
            let Some((played, info)) = step.read(game) else {
                let (number, text) = (index + 1, step.usi.clone());
                wrong = Some(ReplayError::Move { game: self.id, number, text });
                return Err(PlayerError::Abandoned);
            };
            Ok(decision(Answer::Move(played), Duration::from_micros(step.micros), info))
        });
        let after = self.moves.len();
        played.map_err(|_| wrong.unwrap_or(ReplayError::BreaksOff { game: self.id, after }))
    }
}

const fn decision(answer: Answer, time: Duration, info: Option<Info>) -> Decision {
    let (lag, starved) = (Duration::ZERO, Duration::ZERO);
    Decision { answer, ponder: None, time, info, lag, starved }
}

impl MoveRecord {
    fn read(&self, game: rules::Game) -> Option<(Move, Option<Info>)> {
        let played = Move::from_usi(game, &self.usi)?;
        let info = match &self.info {
            Some(info) => Some(info.read(game)?),
            None => None,
        };
        Some((played, info))
    }
}

impl InfoRecord {
    fn of(info: &Info, game: rules::Game) -> Self {
        Self {
            depth: info.depth,
            seldepth: info.seldepth,
            multipv: info.multipv,
            score: info.score.map(ScoreRecord::of),
            wdl: info.wdl.map(|Wdl { win, draw, loss }| [win, draw, loss]),
            nodes: info.nodes,
            nps: info.nps,
            hashfull: info.hashfull,
            micros: info.time.map(micros),
            pv: info.pv.iter().map(|m| m.usi(game)).collect(),
        }
    }

    fn read(&self, game: rules::Game) -> Option<Info> {
        let pv: Option<Vec<Move>> = self.pv.iter().map(|m| Move::from_usi(game, m)).collect();
        Some(Info {
            depth: self.depth,
            seldepth: self.seldepth,
            multipv: self.multipv,
            score: self.score.map(ScoreRecord::read),
            wdl: self.wdl.map(|[win, draw, loss]| Wdl { win, draw, loss }),
            nodes: self.nodes,
            nps: self.nps,
            hashfull: self.hashfull,
            time: self.micros.map(Duration::from_micros),
            pv: pv?,
        })
    }
}

impl ScoreRecord {
    pub(crate) const fn of((score, bound): (Score, Bound)) -> Self {
        let bound = match bound {
            Bound::Exact => BoundRecord::Exact,
            Bound::Lower => BoundRecord::Lower,
            Bound::Upper => BoundRecord::Upper,
        };
        match score {
            Score::Cp(cp) => Self::Cp(cp, bound),
            Score::Mate(plies) => Self::Mate(plies, bound),
            Score::Mated(plies) => Self::Mated(plies, bound),
        }
    }

    pub(crate) const fn read(self) -> (Score, Bound) {
        let (score, bound) = match self {
            Self::Cp(cp, bound) => (Score::Cp(cp), bound),
            Self::Mate(plies, bound) => (Score::Mate(plies), bound),
            Self::Mated(plies, bound) => (Score::Mated(plies), bound),
        };
        let bound = match bound {
            BoundRecord::Exact => Bound::Exact,
            BoundRecord::Lower => Bound::Lower,
            BoundRecord::Upper => Bound::Upper,
        };
        (score, bound)
    }
}

impl FaultRecord {
    fn read(&self, game: u64) -> Result<EngineFault, ReplayError> {
        let kind = FaultKind::ALL.into_iter().find(|kind| kind.name() == self.kind);
        let kind = kind.ok_or_else(|| ReplayError::Fault { game, kind: self.kind.clone() })?;
        let replies = ["usiok", "readyok", "bestmove"];
        let expected = replies.into_iter().find(|reply| self.expected.as_deref() == Some(reply));
        let received = self.received.clone();
        Ok(EngineFault { kind, detail: self.detail.clone(), expected, received })
    }
}
