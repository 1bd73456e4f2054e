//! Every message between the page and the server, as types. The page's TypeScript and the OpenAPI
//! document are made from them (`cargo xtask contract`).

use crate::analysis::AnalysisView;
use crate::book_growth::{GrowRequest, GrowthView};
use crate::error::{ApiError, ErrorCode};
use crate::game::{GameView, OfferKind};
use crate::mate::MateView;
use crate::notation;
use crate::position::{self, PositionRequest, PositionView};
use crate::question::Question;
use crate::review::{Effort, ReviewView};
use crate::setup::GameSettings;
use crate::thinking::{Hint, ThinkingView};
use crate::watch::{WatchData, WatchKind};
use rules::{AnyPosition, Declaration, Kings, Move};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Analyses of a visitor at the same time.
pub const ANALYSES: usize = 4;

/// Lines of an analysis at most.
pub const LINES: u32 = 10;

/// Longest analysis and search for a mate, in seconds.
const LONGEST_SEARCH: u64 = 3600;

/// Moves of a game that is reviewed, at most.
const LONGEST_GAME: usize = 1000;

/// What the page sends on its socket.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type")]
pub enum ClientMessage {
    #[serde(rename = "ping")]
    Ping,
    #[serde(rename = "position")]
    Position(PositionRequest),
    #[serde(rename = "line")]
    Line(LineRequest),
    /// A new game, opened on this connection.
    #[serde(rename = "game.new")]
    NewGame(GameSettings),
    /// This connection follows the game.
    #[serde(rename = "game.open")]
    OpenGame(GameRequest),
    #[serde(rename = "game.close")]
    CloseGame(GameRequest),
    #[serde(rename = "game.move")]
    Move(MoveRequest),
    /// Back to the visitor's last turn, also when the game is over.
    #[serde(rename = "game.takeback")]
    TakeBack(GameRequest),
    #[serde(rename = "game.resign")]
    Resign(GameRequest),
    #[serde(rename = "game.declare")]
    Declare(GameRequest),
    /// Takes the side an invitation is for.
    #[serde(rename = "game.join")]
    Join(JoinRequest),
    /// Asks a friend for a draw, or for a move back.
    #[serde(rename = "game.offer")]
    Offer(OfferRequest),
    /// Says yes or no to what a friend has asked for.
    #[serde(rename = "game.reply")]
    Reply(ReplyRequest),
    #[serde(rename = "game.hint")]
    Hint(GameRequest),
    #[serde(rename = "analysis.start")]
    StartAnalysis(AnalysisRequest),
    #[serde(rename = "analysis.stop")]
    StopAnalysis(SlotRequest),
    #[serde(rename = "review.start")]
    StartReview(ReviewRequest),
    #[serde(rename = "review.stop")]
    StopReview,
    #[serde(rename = "mate.start")]
    StartMate(MateRequest),
    #[serde(rename = "mate.stop")]
    StopMate,
    /// Grows a book of the visitor's from a position.
    #[serde(rename = "book.grow")]
    Grow(GrowRequest),
    #[serde(rename = "book.stop")]
    StopGrowing,
    #[serde(rename = "watch.start")]
    StartWatch(WatchRequest),
    #[serde(rename = "watch.stop")]
    StopWatch(WatchRequest),
}

impl ClientMessage {
    /// A message with the number its answer is to carry.
    pub fn read(text: &str) -> (Option<u64>, Result<Self, ApiError>) {
        let value: Value = match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => value,
            Ok(_) => return (None, Err(ApiError::bad("expected an object"))),
            Err(e) => return (None, Err(ApiError::bad(e.to_string()))),
        };
        let id = value["id"].as_u64();
        (id, serde_json::from_value(value).map_err(|e| ApiError::bad(e.to_string())))
    }
}

/// A message that names a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameRequest {
    pub game: String,
}

/// Somebody with an invitation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JoinRequest {
    pub game: String,
    /// What the invitation carries.
    pub key: String,
    #[serde(default)]
    pub name: Option<String>,
}

/// Something a friend is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OfferRequest {
    pub game: String,
    pub what: OfferKind,
}

/// The answer to what a friend asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReplyRequest {
    pub game: String,
    pub agree: bool,
}

/// A move in a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MoveRequest {
    pub game: String,
    #[serde(rename = "move")]
    pub text: String,
    #[serde(default)]
    pub ply: Option<u32>,
}

/// An analysis to begin.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnalysisRequest {
    pub slot: String,
    #[serde(default)]
    pub serial: u64,
    #[serde(default)]
    pub engine: Option<String>,
    #[serde(flatten)]
    pub position: PositionRequest,
    #[serde(default)]
    pub multipv: Option<u32>,
    #[serde(default)]
    pub threads: Option<usize>,
    #[serde(default)]
    pub seconds: Option<u64>,
}

/// A game to be judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReviewRequest {
    #[serde(default)]
    pub serial: u64,
    #[serde(default)]
    pub engine: Option<String>,
    #[serde(flatten)]
    pub position: PositionRequest,
    #[serde(default)]
    pub effort: Effort,
}

/// A mate to be looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MateRequest {
    #[serde(default)]
    pub serial: u64,
    #[serde(flatten)]
    pub position: PositionRequest,
    #[serde(default)]
    pub seconds: Option<u64>,
    #[serde(default)]
    pub shortest: bool,
}

impl PositionRequest {
    /// The position as the page sees it.
    pub fn answer(&self) -> Result<PositionView, ApiError> {
        Ok(position::view(&self.resolve(Kings::Any)?, Declaration::default()))
    }
}

impl AnalysisRequest {
    /// The position meant: one with both kings, in a slot that is named.
    pub fn resolve(&self) -> Result<AnyPosition, ApiError> {
        if self.slot.is_empty() || self.slot.len() > 16 {
            return Err(ApiError::bad("slot: expected 1 to 16 characters"));
        }
        self.position.resolve(Kings::Both)
    }

    /// What an engine is asked.
    pub fn question(&self, position: AnyPosition) -> Question {
        let mut question = Question::analysis(position);
        question.lines = self.multipv.unwrap_or(1).clamp(1, LINES);
        let seconds = self.seconds.unwrap_or(300).clamp(1, LONGEST_SEARCH);
        question.time = Some(Duration::from_secs(seconds));
        question
    }
}

impl ReviewRequest {
    /// The end of the game meant, with its moves: one with both kings.
    pub fn resolve(&self) -> Result<AnyPosition, ApiError> {
        if self.position.moves.len() > LONGEST_GAME {
            let message = format!("a game of more than {LONGEST_GAME} moves");
            return Err(ApiError::new(ErrorCode::TooLarge, message));
        }
        self.position.resolve(Kings::Both)
    }
}

impl MateRequest {
    /// The problem meant: one with a king to be mated.
    pub fn resolve(&self) -> Result<AnyPosition, ApiError> {
        let position = self.position.resolve(Kings::Any)?;
        if position.king(position.turn().opponent()).is_none() {
            return Err(ApiError::new(ErrorCode::BadPosition, "there is no king to be mated"));
        }
        Ok(position)
    }

    /// How long it is looked for, in seconds.
    pub fn seconds(&self) -> u64 {
        self.seconds.unwrap_or(30).clamp(1, LONGEST_SEARCH)
    }
}

/// An analysis to end.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SlotRequest {
    #[serde(default)]
    pub slot: String,
}

/// Something to watch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchRequest {
    pub what: WatchKind,
}

/// A line to be written out.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LineRequest {
    #[serde(flatten)]
    pub position: PositionRequest,
    pub line: Vec<String>,
}

/// A line in both notations, up to the first move that is not legal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Line"))]
pub struct LineAnswer {
    pub line: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
    /// After each move.
    pub sfens: Vec<String>,
}

impl LineRequest {
    /// The line in both notations, up to the first move that cannot be played.
    pub fn answer(&self) -> Result<LineAnswer, ApiError> {
        let position = self.position.resolve(Kings::Any)?;
        if self.line.len() > position::LONGEST {
            return Err(ApiError::new(ErrorCode::TooLarge, "the line is too long"));
        }
        let game = position.game();
        let moves: Vec<Move> =
            self.line.iter().map_while(|text| Move::from_usi(game, text)).collect();
        let told = notation::line(&position, position::last(&position), &moves);
        let mut at = position.without_history();
        let sfens = moves[..told.usi.len()]
            .iter()
            .map(|&m| {
                at.play(m);
                at.sfen()
            })
            .collect();
        Ok(LineAnswer { line: told.usi, ja: told.ja, en: told.en, sfens })
    }
}

/// What the server sends on the socket.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ServerMessage {
    /// Nothing else is to be said.
    Ok,
    Pong,
    Error(ApiError),
    Position(Box<PositionAnswer>),
    Line(LineAnswer),
    Game(Box<GameView>),
    Thinking(ThinkingView),
    Hint(Hint),
    Analysis(Box<AnalysisView>),
    Review(Box<ReviewView>),
    Mate(Box<MateView>),
    Growth(Box<GrowthView>),
    Watch(WatchAnswer),
}

/// A position that was asked about.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PositionAnswer {
    pub position: PositionView,
}

/// How something that is watched stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchAnswer {
    pub what: WatchKind,
    pub data: WatchData,
}

/// A message with the number of the request it answers, if it answers one.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Answer {
    #[serde(flatten)]
    pub message: ServerMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
}

impl Answer {
    /// An answer to the request of that number, or a message nobody asked for.
    pub const fn new(id: Option<u64>, message: ServerMessage) -> Self {
        Self { message, id }
    }
}

impl From<ServerMessage> for Answer {
    fn from(message: ServerMessage) -> Self {
        Self::new(None, message)
    }
}

impl From<ApiError> for ServerMessage {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl From<PositionView> for ServerMessage {
    fn from(position: PositionView) -> Self {
        Self::Position(Box::new(PositionAnswer { position }))
    }
}

impl From<LineAnswer> for ServerMessage {
    fn from(answer: LineAnswer) -> Self {
        Self::Line(answer)
    }
}

impl From<GameView> for ServerMessage {
    fn from(view: GameView) -> Self {
        Self::Game(Box::new(view))
    }
}

impl From<AnalysisView> for ServerMessage {
    fn from(view: AnalysisView) -> Self {
        Self::Analysis(Box::new(view))
    }
}

impl From<ReviewView> for ServerMessage {
    fn from(view: ReviewView) -> Self {
        Self::Review(Box::new(view))
    }
}

impl From<MateView> for ServerMessage {
    fn from(view: MateView) -> Self {
        Self::Mate(Box::new(view))
    }
}

impl From<GrowthView> for ServerMessage {
    fn from(view: GrowthView) -> Self {
        Self::Growth(Box::new(view))
    }
}
