//! When a game is over, and who won: by our own rules, whatever the players think.

use engines::EngineFault;
use rules::{AnyPosition, Color, Declaration, Game, GameRepetition, Move};
use think::Answer;

/// What a match plays by, besides the rules of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HouseRules {
    /// When a king in the enemy's camp wins.
    pub declaration: Declaration,
    /// The game is drawn after this many moves; 0 for no such rule.
    pub max_moves: u32,
}

impl Default for HouseRules {
    fn default() -> Self {
        Self { declaration: Declaration::default(), max_moves: 320 }
    }
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// That player has no legal move.
    Mate(Color),
    /// That player resigned.
    Resign(Color),
    /// That player declared a win, rightly.
    Declaration(Color),
    /// That player's king reached its goal (try rule).
    Try(Color),
    /// Fourfold repetition, a draw.
    Repetition,
    /// Fourfold repetition under perpetual check by that player, who loses.
    PerpetualCheck(Color),
    /// Fourfold repetition that the rules of the game count as lost for that player.
    RepetitionLoss(Color),
    /// The limit of moves, a draw.
    MaxMoves,
    /// Both players' scores said that this one wins.
    AdjudicatedWin(Color),
    /// Both players' scores said draw.
    AdjudicatedDraw,
    /// That player did something it must not.
    Fault(Color, EngineFault),
}

impl End {
    /// Who won; `None` for a draw.
    pub const fn winner(&self) -> Option<Color> {
        match self {
            Self::Declaration(c) | Self::Try(c) | Self::AdjudicatedWin(c) => Some(*c),
            Self::Mate(c)
            | Self::Resign(c)
            | Self::PerpetualCheck(c)
            | Self::RepetitionLoss(c)
            | Self::Fault(c, _) => Some(c.opponent()),
            Self::Repetition | Self::MaxMoves | Self::AdjudicatedDraw => None,
        }
    }

    /// One word.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Mate(_) => "mate",
            Self::Resign(_) => "resign",
            Self::Declaration(_) => "declaration",
            Self::Try(_) => "try",
            Self::Repetition => "repetition",
            Self::PerpetualCheck(_) => "perpetual-check",
            Self::RepetitionLoss(_) => "repetition-loss",
            Self::MaxMoves => "max-moves",
            Self::AdjudicatedWin(_) => "adjudicated-win",
            Self::AdjudicatedDraw => "adjudicated-draw",
            Self::Fault(_, fault) => fault.kind.name(),
        }
    }

    /// The fault, if that is how it ended.
    pub const fn fault(&self) -> Option<(Color, &EngineFault)> {
        match self {
            Self::Fault(color, fault) => Some((*color, fault)),
            _ => None,
        }
    }
}

impl HouseRules {
    /// Whether the game is over where it stands, before anybody thinks.
    pub fn end_of(&self, position: &AnyPosition) -> Option<End> {
        if position.is_mated() {
            return Some(End::Mate(position.turn()));
        }
        match position.repetition() {
            Some(GameRepetition::Draw) => return Some(End::Repetition),
            Some(GameRepetition::Lost(c)) => return Some(repetition_lost(position.game(), c)),
            None => {}
        }
        let played = position.ply().saturating_sub(1);
        (self.max_moves > 0 && played >= self.max_moves).then_some(End::MaxMoves)
    }

    /// What an answer means: the move to play, or the end.
    pub fn judge(&self, position: &AnyPosition, answer: Answer) -> Result<Move, End> {
        let turn = position.turn();
        match answer {
            Answer::Resign => Err(End::Resign(turn)),
            Answer::Win if position.can_declare(self.declaration) => Err(End::Declaration(turn)),
            Answer::Win => {
                let why = format!("the position is not won by {}", self.declaration);
                Err(End::Fault(turn, EngineFault::illegal("win", why)))
            }
            Answer::Move(m) => match position.why_illegal(m) {
                Some(why) => {
                    Err(End::Fault(turn, EngineFault::illegal(&m.usi(position.game()), why)))
                }
                None => Ok(m),
            },
        }
    }

    /// Whether this legal move wins at once by the try rule.
    pub fn wins_by_try(&self, position: &AnyPosition, m: Move) -> bool {
        self.declaration == Declaration::Try
            && match position {
                AnyPosition::Shogi(p) => p.try_move() == Some(m),
                AnyPosition::Minishogi(p) => p.try_move() == Some(m),
            }
    }
}

/// In minishogi every repetition counts against Black, so only White's loss tells of checks.
fn repetition_lost(game: Game, loser: Color) -> End {
    if game == Game::Minishogi && loser == Color::Black {
        End::RepetitionLoss(loser)
    } else {
        End::PerpetualCheck(loser)
    }
}
