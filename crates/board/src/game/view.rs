//! A game as the page sees it, whole and as a line of a list.

use super::{Dates, FriendsView, Game, Presence};
use crate::clock::{ClockFaces, ClockSettings};
use crate::ending::{self, EndingView};
use crate::opening::OpeningView;
use crate::position::{self, PositionView};
use crate::setup::{OpponentView, Style, VisitorSide};
use crate::words::{self, Variant};
use play::Ending;
use serde::{Deserialize, Serialize};
use think::Moment;

/// A move as the page sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlayedMove {
    pub ply: u32,
    pub side: words::Color,
    pub usi: String,
    pub ja: String,
    pub en: String,
    /// Time it took.
    pub ms: u64,
    /// After the move.
    pub sfen: String,
    pub check: bool,
}

/// The whole state of a game, sent whole after every change.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Game"))]
#[serde(rename_all = "camelCase")]
pub struct GameView {
    pub game: String,
    /// Grows with every change; an older one that comes late is to be dropped.
    pub revision: u64,
    pub variant: Variant,
    pub handicap: Option<String>,
    pub start: String,
    pub you: VisitorSide,
    pub opponent: OpponentView,
    pub style: Style,
    /// Whether the opponent takes its time as people do.
    pub natural: bool,
    pub declaration_rule: String,
    pub max_moves: u32,
    /// Without moves unless it is your turn.
    pub position: PositionView,
    pub moves: Vec<PlayedMove>,
    pub clock: Option<ClockSettings>,
    pub clocks: Option<ClockFaces>,
    pub status: GameStatus,
    pub ending: Option<EndingView>,
    pub thinking: Option<Thinking>,
    pub may: Permissions,
    /// Where two browsers play each other.
    pub friends: Option<FriendsView>,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
}

/// What the visitor may do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Permissions {
    #[serde(rename = "move")]
    pub play: bool,
    /// Between friends: to ask for it.
    pub takeback: bool,
    /// To offer one.
    pub draw: bool,
    /// To say yes or no to what the other side offers.
    pub reply: bool,
    pub hint: bool,
    pub resign: bool,
    pub declare: bool,
}

/// Whether a game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GameStatus {
    Playing,
    Over,
}

/// A line of the list of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameSummary {
    pub game: String,
    pub variant: Variant,
    pub handicap: Option<String>,
    pub you: VisitorSide,
    /// Whether it is the visitor's own: a friend's game is somebody else's to delete.
    pub owned: bool,
    pub opponent: OpponentView,
    pub status: GameStatus,
    pub ending: Option<EndingView>,
    pub plies: u32,
    /// The position now.
    pub sfen: String,
    pub last: Option<String>,
    pub created: i64,
    pub updated: i64,
}

/// What a visitor's games began with, the most frequent first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OwnOpenings {
    pub openings: Vec<OwnOpening>,
}

/// Games of one opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OwnOpening {
    pub id: String,
    pub name: words::Words,
    pub won: u32,
    pub lost: u32,
    /// Drawn, or without a side of one's own.
    pub other: u32,
    /// The latest first.
    pub games: Vec<String>,
}

impl OwnOpenings {
    /// Counts a finished game, the latest first.
    pub fn add(&mut self, game: &str, opening: OpeningView, you: VisitorSide, ending: Ending) {
        let known = self.openings.iter().position(|one| one.id == opening.id);
        let number = known.unwrap_or_else(|| {
            let OpeningView { id, name, .. } = opening;
            self.openings.push(OwnOpening {
                id,
                name,
                won: 0,
                lost: 0,
                other: 0,
                games: Vec::new(),
            });
            self.openings.len() - 1
        });
        let one = &mut self.openings[number];
        match (ending.winner(), you.color()) {
            (Some(winner), Some(own)) if winner == own => one.won += 1,
            (Some(_), Some(_)) => one.lost += 1,
            _ => one.other += 1,
        }
        one.games.push(game.to_owned());
    }

    /// The most frequent first.
    pub fn sorted(mut self) -> Self {
        self.openings.sort_by_key(|one| std::cmp::Reverse(one.games.len()));
        self
    }
}

/// A page of the visitor's games: those under way, then the one that changed last first.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Games {
    pub games: Vec<GameSummary>,
    /// On this page and others.
    pub total: u32,
    /// In the bin.
    pub deleted: u32,
    /// As which level the visitor plays by the latest results against levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
}

/// What the engine of a game is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// Waits for a free engine.
    Queued,
    Running,
}

/// Who looks at a game, and what is known only where connections and engines are.
#[derive(Clone, Debug)]
pub struct Viewer {
    pub who: VisitorSide,
    pub thinking: Option<Thinking>,
    pub presence: Option<Presence>,
}

impl Game {
    /// As the page of that viewer sees it.
    pub fn view(&self, id: &str, dates: Dates, now: Moment, viewer: Viewer) -> GameView {
        let (setup, who) = (&self.setup, viewer.who);
        let playing = self.ending.is_none();
        let yours = playing && who.has(self.position.turn()) && !self.is_waiting();
        let show = if yours { position::view } else { position::closed };
        let friendly = self.friends.is_some();
        GameView {
            game: id.to_owned(),
            revision: self.revision,
            variant: setup.game().into(),
            handicap: setup.handicap.clone(),
            start: setup.start.clone(),
            you: who,
            opponent: self.opponent_for(who),
            style: setup.style,
            natural: setup.natural,
            declaration_rule: setup.declaration.clone(),
            max_moves: setup.max_moves,
            position: show(&self.position, setup.rule()),
            moves: self.played.iter().map(|p| p.view.clone()).collect(),
            clock: setup.clock,
            clocks: self.clock.view(self.position.turn(), now, !playing),
            status: status(self.ending),
            ending: self.ending.map(ending::view),
            thinking: viewer.thinking,
            may: Permissions {
                play: yours,
                hint: yours && !friendly,
                resign: playing && who != VisitorSide::Watch,
                takeback: if friendly {
                    self.may_offer(who) && self.undone(who).is_some()
                } else {
                    self.undone(who).is_some()
                },
                draw: self.may_offer(who),
                reply: self.may_reply(who),
                declare: yours && self.may_declare(),
            },
            friends: self.friends_view(viewer.presence),
            created: dates.created,
            updated: dates.updated,
        }
    }
}

/// Whether a game with that ending goes on.
pub const fn status(ending: Option<Ending>) -> GameStatus {
    if ending.is_some() { GameStatus::Over } else { GameStatus::Playing }
}
