//! What the board and the engine beside it say to each other: JSON around lines of USI.

use board::question::Question;
use rules::{AnyPosition, Game};
use serde::{Deserialize, Serialize};
use usi::{Go, SetPosition, Times};

/// A request to the engine, by its number: messages about it carry the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineRequest {
    pub number: u64,
    pub task: Task,
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Think about a position.
    Search {
        at: Place,
        /// Options, as for `setoption`.
        options: Vec<(String, String)>,
        /// What follows `go`.
        go: String,
    },
    /// Look for a mate.
    Mate {
        at: Place,
        /// The page's number for it.
        serial: u64,
        seconds: u64,
        shortest: bool,
    },
}

/// A position with the moves that led to it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// `shogi` or `minishogi`.
    pub game: String,
    /// What follows `position`.
    pub position: String,
}

impl Place {
    /// The place of a position.
    pub fn of(position: &AnyPosition) -> Self {
        let game = position.game().name().to_owned();
        Self { game, position: SetPosition::of(position).to_string() }
    }

    /// The position again, or why there is none.
    pub fn resolve(&self) -> Result<AnyPosition, String> {
        let game: Game = board::position::variant(Some(&self.game)).map_err(|e| e.to_string())?;
        let typed = SetPosition::parse(&self.position).map_err(|e| e.to_string())?;
        typed.resolve(game).map_err(|e| e.to_string())
    }
}

impl Task {
    /// The task of a question.
    pub fn search(question: &Question) -> Self {
        let owned = |(name, value): &(&'static str, String)| ((*name).to_owned(), value.clone());
        let mut options: Vec<(String, String)> = question.options().iter().map(owned).collect();
        options.push(owned(&think::key::universal::MULTI_PV.to(question.lines.max(1) as usize)));
        let mut go = Go { nodes: question.nodes, depth: question.depth, ..Go::default() };
        if let Some(clocks) = question.clocks {
            go.times = Times::of(&clocks);
        } else if let Some(time) = question.time {
            go.movetime = Some(board::words::millis(time));
        }
        Self::Search { at: Place::of(&question.position), options, go: go.to_string() }
    }
}

/// A message of the engine about the request of that number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineMessage {
    pub number: u64,
    #[serde(rename = "said")]
    pub body: MessageBody,
}

/// What it says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageBody {
    /// A line of USI: `info` or `bestmove`.
    Usi(String),
    /// The end of a search for a mate, as the page is told it.
    Mate(serde_json::Value),
    /// It broke down.
    Failed(String),
}
