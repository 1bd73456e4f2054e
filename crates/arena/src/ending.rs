//! How a game of a match ended, by our own rules, whatever the players think.

use engines::{EngineFault, FaultKind};
use play::{Action, Ending, GameRules, Outcome, Reason};
use rules::{AnyPosition, Color, Move};
use think::Answer;

/// How a game ended, with what the loser did wrong where that is how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameEnd {
    pub ending: Ending,
    fault: Option<EngineFault>,
}

impl From<Ending> for GameEnd {
    fn from(ending: Ending) -> Self {
        Self { ending, fault: None }
    }
}

impl GameEnd {
    /// Lost by a fault.
    pub fn by_fault(loser: Color, fault: EngineFault) -> Self {
        Self { ending: Ending::lost(loser, reason(fault.kind)), fault: Some(fault) }
    }

    /// Who won; `None` for a draw.
    pub const fn winner(&self) -> Option<Color> {
        self.ending.winner()
    }

    /// The fault and who made it, if that is how it ended.
    pub fn fault(&self) -> Option<(Color, &EngineFault)> {
        let loser = self.winner()?.opponent();
        self.fault.as_ref().map(|fault| (loser, fault))
    }

    /// One word, as journals write it.
    pub const fn name(&self) -> &'static str {
        let won = matches!(self.ending.outcome, Outcome::Won(_));
        match self.ending.reason {
            Reason::Repetition if won => "repetition-loss",
            Reason::PerpetualCheck => "perpetual-check",
            Reason::MaxMoves => "max-moves",
            Reason::Adjudicated if won => "adjudicated-win",
            Reason::Adjudicated => "adjudicated-draw",
            Reason::TimeUp => FaultKind::Time.name(),
            reason => reason.name(),
        }
    }
}

const fn reason(kind: FaultKind) -> Reason {
    match kind {
        FaultKind::Crash => Reason::Crash,
        FaultKind::Stall => Reason::Stall,
        FaultKind::Time => Reason::TimeUp,
        FaultKind::Illegal => Reason::IllegalMove,
        FaultKind::Protocol => Reason::Protocol,
    }
}

/// What an answer means: the move to play, or the end, with the reason told where a rule was
/// broken.
pub(crate) fn judge(
    rules: &GameRules,
    position: &AnyPosition,
    answer: Answer,
) -> Result<Move, GameEnd> {
    let action = match answer {
        Answer::Move(m) => Action::Move(m),
        Answer::Resign => Action::Resign,
        Answer::Win => Action::Declare,
    };
    rules.judge(position, action).map_err(|ending| {
        if ending.reason != Reason::IllegalMove {
            return ending.into();
        }
        let fault = match answer {
            Answer::Move(m) => {
                let why = position.why_illegal(m).unwrap_or("not legal here");
                EngineFault::illegal(&m.usi(position.game()), why)
            }
            Answer::Win | Answer::Resign => {
                let why = format!("the position is not won by {}", rules.declaration);
                EngineFault::illegal("win", why)
            }
        };
        GameEnd::by_fault(position.turn(), fault)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    #[test]
    fn journals_keep_their_words() {
        let fault = |kind| GameEnd::by_fault(Black, EngineFault::new(kind, "x"));
        for (end, name) in [
            (Ending::lost(Black, Reason::Mate).into(), "mate"),
            (Ending::lost(Black, Reason::Resign).into(), "resign"),
            (Ending::won(Black, Reason::Declaration).into(), "declaration"),
            (Ending::won(White, Reason::Try).into(), "try"),
            (Ending::draw(Reason::Repetition).into(), "repetition"),
            (Ending::lost(White, Reason::PerpetualCheck).into(), "perpetual-check"),
            (Ending::lost(Black, Reason::Repetition).into(), "repetition-loss"),
            (Ending::draw(Reason::MaxMoves).into(), "max-moves"),
            (Ending::won(Black, Reason::Adjudicated).into(), "adjudicated-win"),
            (Ending::draw(Reason::Adjudicated).into(), "adjudicated-draw"),
            (fault(FaultKind::Crash), "crash"),
            (fault(FaultKind::Stall), "stall"),
            (fault(FaultKind::Time), "time"),
            (fault(FaultKind::Illegal), "illegal"),
            (fault(FaultKind::Protocol), "protocol"),
        ] {
            let end: GameEnd = end;
            assert_eq!(end.name(), name);
        }
        assert_eq!(fault(FaultKind::Time).winner(), Some(White));
        assert_eq!(fault(FaultKind::Time).fault().map(|(loser, _)| loser), Some(Black));
    }
}
