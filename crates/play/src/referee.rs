//! When a game is over, and who won: by the rules alone, whatever the players think.

use crate::ending::{Ending, Outcome, Reason};
use rules::{AnyPosition, Color, Declaration, Game, GameRepetition, Move};

/// What a game is played by, besides the rules of the game itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GameRules {
    /// When an entered king wins, handicap points and the try rule included.
    pub declaration: Declaration,
    /// The game ends after this many moves; `None` for no such limit.
    pub max_moves: Option<u32>,
    /// Whether a mate ends the game at once. Where it does not, the mated side is to resign.
    pub mate_ends: bool,
    /// Whether the side that is mated by the last move before the limit has lost (rule 27-3 of
    /// the computer-shogi championships) instead of having drawn.
    pub mated_at_limit_loses: bool,
}

/// Moves after which a game is drawn unless told otherwise: as the computer-shogi championships have it.
pub const MAX_MOVES: u32 = 320;

impl Default for GameRules {
    /// As matches between engines are played.
    fn default() -> Self {
        Self {
            declaration: Declaration::default(),
            max_moves: Some(MAX_MOVES),
            mate_ends: true,
            mated_at_limit_loses: true,
        }
    }
}

/// What a player does when it is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    Move(Move),
    Resign,
    /// Declares a win.
    Declare,
}

impl GameRules {
    /// Whether the game is over where it stands after `played` moves, before anybody acts.
    pub fn end_of(&self, position: &AnyPosition, played: u32) -> Option<Ending> {
        if self.mate_ends && position.is_mated() {
            return Some(Ending::lost(position.turn(), Reason::Mate));
        }
        if let Some(ending) = repetition(position) {
            return Some(ending);
        }
        if self.max_moves.is_none_or(|limit| played < limit) {
            return None;
        }
        let mated = self.mated_at_limit_loses && position.is_mated();
        let winner = mated.then(|| position.turn().opponent());
        Some(Ending { outcome: Outcome::of(winner), reason: Reason::MaxMoves })
    }

    /// What an action means: the move to play, or the end of the game. An illegal move and a
    /// declaration without right both lose as [`Reason::IllegalMove`].
    pub fn judge(&self, position: &AnyPosition, action: Action) -> Result<Move, Ending> {
        let turn = position.turn();
        match action {
            Action::Resign => Err(Ending::lost(turn, Reason::Resign)),
            Action::Declare if self.can_declare(position) => {
                Err(Ending::won(turn, Reason::Declaration))
            }
            Action::Move(m) if position.is_legal(m) => Ok(m),
            Action::Declare | Action::Move(_) => Err(Ending::lost(turn, Reason::IllegalMove)),
        }
    }

    /// Whether the side to move wins by declaring now.
    pub fn can_declare(&self, position: &AnyPosition) -> bool {
        position.can_declare(self.declaration)
    }

    /// Whether this legal move wins at once by the try rule.
    pub fn wins_by_try(&self, position: &AnyPosition, m: Move) -> bool {
        self.declaration == Declaration::Try
            && match position {
                AnyPosition::Shogi(p) => p.try_move() == Some(m),
                AnyPosition::Minishogi(p) => p.try_move() == Some(m),
            }
    }

    /// Plays a legal move, which is move `number` of the game counted from 1, and says whether
    /// the game is over by it.
    pub fn play(&self, position: &mut AnyPosition, m: Move, number: u32) -> Option<Ending> {
        let mover = position.turn();
        let by_try = self.wins_by_try(position, m);
        position.play(m);
        if by_try {
            return Some(Ending::won(mover, Reason::Try));
        }
        self.end_of(position, number)
    }
}

/// The end by repetition, if the position stands on the board for the fourth time.
pub fn repetition(position: &AnyPosition) -> Option<Ending> {
    Some(repeated(position.game(), position.repetition()?))
}

/// The end that a repetition is in a game.
pub fn repeated(game: Game, repetition: GameRepetition) -> Ending {
    match repetition {
        GameRepetition::Draw => Ending::draw(Reason::Repetition),
        // In minishogi any repetition is lost by Black; perpetual check is not what decides it.
        GameRepetition::Lost(Color::Black) if game == Game::Minishogi => {
            Ending::lost(Color::Black, Reason::Repetition)
        }
        GameRepetition::Lost(loser) => Ending::lost(loser, Reason::PerpetualCheck),
    }
}

#[cfg(test)]
mod tests;
