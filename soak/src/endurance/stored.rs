//! What must have been stored of a game.

use super::game::ScriptedGame;
use csa::{ReasonWord, Verdict};
use rules::Color;
use serverd::store;
use std::time::Duration;

/// A move somebody has heard of: it must never be forgotten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub(super) text: String,
    pub(super) time: Duration,
}

/// How a game must end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Expected {
    pub(super) reason: ReasonWord,
    pub(super) winner: Option<Color>,
}

impl Expected {
    /// What a side is told.
    pub(super) fn verdict(self, side: Color) -> String {
        let verdict = match (self.reason, self.winner) {
            (ReasonWord::MaxMoves, _) => Verdict::Censored,
            (_, None) => Verdict::Draw,
            (_, Some(winner)) if winner == side => Verdict::Win,
            _ => Verdict::Lose,
        };
        verdict.to_string()
    }
}

impl ScriptedGame<'_> {
    async fn stored(&self) -> Result<Option<store::StoredGame>, String> {
        let Some(id) = self.id.clone() else { return Ok(None) };
        let data = self.shared.data.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let connection = store::reader(&data)?;
            store::game(&connection, &id)
        });
        let game = reading.await.map_err(|error| error.to_string())?;
        game.map_err(|error| format!("cannot be read back: {error}"))
    }

    /// Whether the game has ended although nobody heard of it.
    pub(super) async fn is_over(&mut self) -> Result<bool, String> {
        let Some(game) = self.stored().await? else { return Ok(false) };
        let Some(finish) = game.finish else { return Ok(false) };
        // The last move may have got through as the line broke; so may time have run out.
        if self.expected.is_none() && finish.reason() == ReasonWord::TimeUp && self.may_be_over() {
            let winner = Some(self.to_move().opponent());
            self.expected = Some(Expected { reason: ReasonWord::TimeUp, winner });
        }
        Ok(true)
    }

    /// Holds what was stored against what is known.
    pub(super) async fn check_stored(&self) -> Result<ReasonWord, String> {
        let game = self.stored().await?.ok_or("it is lost")?;
        let finish = game.finish.ok_or("it has no end")?;
        let expected = self.expected.ok_or_else(|| format!("it ended by {}", finish.reason()))?;
        let late = finish.reason() == ReasonWord::TimeUp && self.may_be_over();
        if (finish.reason(), finish.winner()) != (expected.reason, expected.winner) && !late {
            return Err(format!("{finish:?} is stored, {expected:?} is right"));
        }
        for (index, known) in self.moves.iter().enumerate() {
            let stored = game.moves.get(index).ok_or_else(|| format!("{known:?} is lost"))?;
            if stored.text != known.text || stored.time != known.time {
                return Err(format!("{known:?} is stored as {stored:?}"));
            }
        }
        // One move more can have been made than was heard of, if it ended the game.
        if game.moves.len() > self.moves.len() + 1 {
            return Err(format!("{} moves are stored", game.moves.len()));
        }
        Ok(finish.reason())
    }
}
