//! One game, from the opening to its end.
//!
//! [`play`] knows nothing of clocks, processes or tables: it asks a function for a thought and
//! applies the rules. A match asks two players with clocks ([`crate::bout`]); whoever plays an
//! engine against itself asks that engine.

use crate::adjudication::{Adjudication, Adjudicator};
use crate::fault::{Fault, Halt};
use crate::opening::Opening;
use crate::player::Thought;
use crate::ponder::play_on;
use crate::referee::{End, HouseRules};
use rules::{AnyPosition, Color, Move};
use std::time::Duration;
use think::Info;

/// A move as it was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    /// The move.
    pub played: Move,
    /// Time it took.
    pub time: Duration,
    /// What the player thought, seen by itself.
    pub info: Option<Info>,
}

/// A game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// Where it began.
    pub opening: Opening,
    /// The moves after the opening.
    pub moves: Vec<PlayedMove>,
    /// How it ended.
    pub end: End,
    /// Time of the last thought, where it was no move.
    pub last: Option<Duration>,
    /// The runner's greatest delay in reading an answer.
    pub worst_lag: Duration,
    /// Moves that came late because the machine was too busy, and were accepted.
    pub starved: u32,
}

impl Played {
    /// Who won; `None` for a draw.
    pub const fn winner(&self) -> Option<Color> {
        self.end.winner()
    }

    /// Moves of the game, the opening included.
    pub fn plies(&self) -> usize {
        self.opening.moves().len() + self.moves.len()
    }
}

/// The game was broken off and counts for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abandoned;

/// Where a game stands when somebody must think.
#[derive(Clone, Debug)]
pub struct Standing<'a> {
    /// The position, with its history.
    pub position: &'a AnyPosition,
    /// The same as engines are told: a line `position …`.
    pub line: &'a str,
}

/// Plays a game. `think` is asked for every move of both sides; what it answers is checked.
pub fn play(
    opening: &Opening,
    rules: &HouseRules,
    adjudication: Adjudication,
    think: &mut dyn FnMut(Standing<'_>) -> Result<Thought, Halt>,
) -> Result<Played, Abandoned> {
    let mut position = opening.position().clone();
    let mut line = format!("position {}", opening.command());
    let mut adjudicator = Adjudicator::new(adjudication);
    let mut moves = Vec::new();
    let mut worst_lag = Duration::ZERO;
    let mut starved = 0;
    let mut last = None;
    let mut end = rules.end_of(&position);
    let end = loop {
        if let Some(end) = end {
            break end;
        }
        let turn = position.turn();
        let thought = match think(Standing { position: &position, line: &line }) {
            Ok(thought) => thought,
            Err(Halt::Abandoned) => return Err(Abandoned),
            Err(Halt::Fault(fault)) => break End::Fault(turn, fault),
        };
        worst_lag = worst_lag.max(thought.lag);
        starved += u32::from(!thought.starved.is_zero());
        let played = match rules.judge(&position, thought.answer) {
            Ok(played) => played,
            Err(end) => {
                last = Some(thought.time);
                break end;
            }
        };
        let by_try = rules.wins_by_try(&position, played);
        let score = thought.info.as_ref().and_then(|info| info.score).map(|(score, _)| score);
        play_on(&mut position, &mut line, played);
        moves.push(PlayedMove { played, time: thought.time, info: thought.info });
        if by_try {
            break End::Try(turn);
        }
        // A mate or a repetition on the board is worth more than anybody's opinion.
        let on_board = rules.end_of(&position);
        let by_score = adjudicator.note(turn, score, position.ply().saturating_sub(1));
        end = on_board.or(by_score);
    };
    Ok(Played { opening: opening.clone(), moves, end, last, worst_lag, starved })
}

/// The fault of a player that could not even begin.
pub fn forfeit(opening: &Opening, loser: Color, fault: Fault) -> Played {
    Played {
        opening: opening.clone(),
        moves: Vec::new(),
        end: End::Fault(loser, fault),
        last: None,
        worst_lag: Duration::ZERO,
        starved: 0,
    }
}
