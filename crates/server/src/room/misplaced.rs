//! What has no place in a game, and so loses none: as on shogi-server, only what begins like a move or
//! one of the words with `%` is a player's move, whatever else is said.

use super::{Phase, Room};
use csa::ClientLine;
use rules::Color;

impl Room {
    /// Whether a word of that side about a proposal means something: the game is proposed, or goes on
    /// and this side has yet to take it up again.
    pub const fn asks_for_agreement(&self, side: Color) -> bool {
        match self.phase {
            Phase::Proposed { .. } => true,
            Phase::Running { .. } => !self.agreed[side.index()],
            _ => false,
        }
    }

    /// What is wrong with a line that is neither a word on a proposal nor a move: it has no place in a
    /// game, and loses none. `None` where it is for [`Room::receive`].
    pub fn misplaced(&self, from: Color, line: &ClientLine) -> Option<String> {
        let asked = self.asks_for_agreement(from);
        if !asked && !self.is_running() {
            return None;
        }
        let id = &self.conditions.id;
        Some(match line {
            ClientLine::Move { .. } | ClientLine::Special { .. } if asked => {
                format!("{id} has yet to be agreed to: AGREE or REJECT")
            }
            // Its opponent is playing; before that, LOGOUT turns a proposal down.
            ClientLine::Logout if asked && self.is_running() => {
                format!("{id} is running: AGREE or REJECT")
            }
            ClientLine::Move { .. }
            | ClientLine::Special { .. }
            | ClientLine::Logout
            | ClientLine::KeepAlive
            | ClientLine::Extended(_) => return None,
            ClientLine::Agree(game) | ClientLine::Reject(game) if asked => {
                if self.is_this(game.as_ref()) {
                    return None;
                }
                format!("the game proposed is {id}: AGREE or REJECT")
            }
            ClientLine::Agree(_) | ClientLine::Reject(_) => {
                "nothing is proposed to you: you are playing".to_owned()
            }
            ClientLine::Login { .. } => "you are logged in already".to_owned(),
            ClientLine::Challenge => "you are playing".to_owned(),
            ClientLine::Other(_) if asked => "unknown command: AGREE or REJECT".to_owned(),
            ClientLine::Other(_) => "unknown command: it is neither a move nor %TORYO".to_owned(),
        })
    }
}
