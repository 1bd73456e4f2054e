//! One game, from the opening to its end.
//!
//! [`play`] knows nothing of clocks, processes or tables: it asks a function for a thought and
//! applies the rules. A match asks two players with clocks ([`crate::timed_game`]); whoever plays an
//! engine against itself asks that engine.

use crate::adjudication::{Adjudication, Adjudicator};
use crate::ending::{GameEnd, judge};
use crate::opening::Opening;
use engines::{Decision, EngineFault, GameLine, PlayerError};
use play::{Ending, GameRules, Reason};
use rules::{Color, Declaration, Move};
use std::time::Duration;
use think::Info;

/// A move as it was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    pub played: Move,
    pub time: Duration,
    /// What the player thought, seen by itself.
    pub info: Option<Info>,
}

/// A game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    pub opening: Opening,
    /// The moves after the opening.
    pub moves: Vec<PlayedMove>,
    pub end: GameEnd,
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

/// The rules of a game by its declaration and its limit of moves; 0 for no limit.
pub fn game_rules(declaration: Declaration, max_moves: u32) -> GameRules {
    let max_moves = (max_moves > 0).then_some(max_moves);
    GameRules { declaration, max_moves, ..GameRules::default() }
}

/// Plays a game. `think` is asked for every move of both sides; what it answers is checked.
pub fn play(
    opening: &Opening,
    rules: &GameRules,
    adjudication: Adjudication,
    think: &mut dyn FnMut(&GameLine) -> Result<Decision, PlayerError>,
) -> Result<Played, Abandoned> {
    let mut line = opening.game_line();
    let mut adjudicator = Adjudicator::new(adjudication);
    let mut moves = Vec::new();
    let mut worst_lag = Duration::ZERO;
    let mut starved = 0;
    let mut last = None;
    let mut end = rules.end_of(line.position(), line.position().ply().saturating_sub(1));
    let end = loop {
        if let Some(ending) = end {
            break ending.into();
        }
        let turn = line.position().turn();
        let decision = match think(&line) {
            Ok(decision) => decision,
            Err(PlayerError::Abandoned) => return Err(Abandoned),
            Err(PlayerError::Fault(fault)) => break GameEnd::by_fault(turn, fault),
        };
        worst_lag = worst_lag.max(decision.lag);
        starved += u32::from(!decision.starved.is_zero());
        let played = match judge(rules, line.position(), decision.answer) {
            Ok(played) => played,
            Err(end) => {
                last = Some(decision.time);
                break end;
            }
        };
        let by_try = rules.wins_by_try(line.position(), played);
        let score = decision.info.as_ref().and_then(|info| info.score).map(|(score, _)| score);
        line.play(played);
        moves.push(PlayedMove { played, time: decision.time, info: decision.info });
        if by_try {
            break Ending::won(turn, Reason::Try).into();
        }
        // A mate or a repetition on the board is worth more than anybody's opinion.
        let number = line.position().ply().saturating_sub(1);
        let on_board = rules.end_of(line.position(), number);
        end = on_board.or(adjudicator.note(turn, score, number));
    };
    Ok(Played { opening: opening.clone(), moves, end, last, worst_lag, starved })
}

/// The fault of a player that could not even begin.
pub fn forfeit(opening: &Opening, loser: Color, fault: EngineFault) -> Played {
    Played {
        opening: opening.clone(),
        moves: Vec::new(),
        end: GameEnd::by_fault(loser, fault),
        last: None,
        worst_lag: Duration::ZERO,
        starved: 0,
    }
}
