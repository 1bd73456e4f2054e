//! What a game is played under.

use csa::summary::ENTERING_KING_RULE;
use csa::times::Times;
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
    /// Black's and White's rating when it began, for the record.
    pub ratings: [Option<i32>; 2],
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
            declaration: Declaration::Points27H,
            rated: false,
            ratings: [None; 2],
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
        let [black, white] = self.times.clone();
        // The protocol knows one rule of declaration, the one with 27 points; what is played
        // otherwise is told on a line of our own.
        let points27 = matches!(self.declaration, Declaration::Points27 | Declaration::Points27H);
        let shogi = self.start.game() == Game::Shogi;
        let declares = points27 && shogi;
        let mut more = more.to_vec();
        if shogi && self.rule_in_force() != Declaration::Points27 {
            more.push((ENTERING_KING_RULE.to_owned(), self.declaration.name().to_owned()));
        }
        Summary {
            id: self.id.clone(),
            names: self.names.clone(),
            your_turn: to,
            max_moves: self.max_moves,
            declaration: declares.then(|| csa::summary::JISHOGI.to_owned()),
            times: Times::from_rules(black, white),
            start: self.start.clone(),
            played: played.to_vec(),
            more,
        }
    }

    /// The rule of declaration, in an even game without what it says of handicaps.
    fn rule_in_force(&self) -> Declaration {
        let needed = |rule| {
            let AnyPosition::Shogi(start) = &self.start else { return [None; 2] };
            Color::BOTH.map(|color| start.declaration_count(color, rule).map(|c| c.needed))
        };
        match self.declaration {
            Declaration::Points27H
                if needed(Declaration::Points27H) == needed(Declaration::Points27) =>
            {
                Declaration::Points27
            }
            rule => rule,
        }
    }
}
