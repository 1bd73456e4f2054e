//! What a game is played under.

use csa::{Summary, TimeRule};
use play::GameRules;
use rules::{AnyPosition, Color, Declaration, Game};

/// Everything that is settled before a game begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditions {
    /// Unique among all games of the server.
    pub id: String,
    /// The name of the game played (`floodgate-300-10F`) or of the tournament.
    pub event: String,
    /// Black's and White's name.
    pub names: [String; 2],
    pub times: [TimeRule; 2],
    /// Where the game begins.
    pub start: AnyPosition,
    /// The game is broken off after that many moves.
    pub max_moves: Option<u32>,
    /// How a win may be declared.
    pub declaration: Declaration,
    /// Whether the result counts for ratings.
    pub rated: bool,
    /// How often each side may interrupt the game with `%CHUDAN`.
    pub interruptions: u8,
}

impl Conditions {
    /// A game between two by these times from the usual start, for tests and simple servers.
    pub fn plain(id: &str, names: [&str; 2], times: TimeRule) -> Self {
        Self {
            id: id.to_owned(),
            event: String::new(),
            names: names.map(str::to_owned),
            times: [times.clone(), times],
            start: AnyPosition::startpos(Game::Shogi),
            max_moves: None,
            declaration: Declaration::Points27,
            rated: false,
            interruptions: 0,
        }
    }

    /// When the game is over. A mate does not end it: the mated side is to resign.
    pub const fn rules(&self) -> GameRules {
        GameRules {
            declaration: self.declaration,
            max_moves: self.max_moves,
            mate_ends: false,
            mated_at_limit_loses: true,
        }
    }

    /// The block that proposes the game to one side.
    pub fn summary(&self, to: Color, played: &[csa::Played], more: &[(String, String)]) -> Summary {
        let (names, start, times) = (self.names.clone(), self.start.clone(), self.times.clone());
        Summary {
            your_turn: to,
            max_moves: self.max_moves,
            played: played.to_vec(),
            more: more.to_vec(),
            ..Summary::new(&self.id, names, start, times, self.declaration)
        }
    }
}
