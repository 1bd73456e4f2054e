//! One game at the board: moves, clocks, taking back, every ending. No sockets, no engines, no
//! clock of its own.

use crate::clock::GameClock;
use crate::clock::{ClockFaces, TimeControl};
use crate::ending::{self, EndingView};
use crate::error::{ApiError, ErrorCode};
use crate::notation;
use crate::position::{self, PositionView};
use crate::setup::{Opponent, OpponentView, Setup, Side};
use crate::words::{self, Variant, millis};
use play::{Ending, GameRules, Reason};
use rules::{AnyPosition, Color, Kings, Move};
use serde::Serialize;
use std::time::Duration;
use think::Moment;

/// A move that was played.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    pub m: Move,
    /// Time it took.
    pub spent: Duration,
    /// What both had after it.
    pub left: [Duration; 2],
    view: PlayedMove,
}

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
    pub you: Side,
    pub opponent: OpponentView,
    pub declaration_rule: String,
    pub max_moves: u32,
    /// Without moves unless it is your turn.
    pub position: PositionView,
    pub moves: Vec<PlayedMove>,
    pub clock: Option<TimeControl>,
    pub clocks: Option<ClockFaces>,
    pub status: GameStatus,
    pub ending: Option<EndingView>,
    pub thinking: Option<Thinking>,
    pub may: Permissions,
    /// Milliseconds since 1970.
    pub created: i64,
    pub updated: i64,
}

/// What the visitor may do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Permissions {
    #[serde(rename = "move")]
    pub play: bool,
    pub takeback: bool,
    pub hint: bool,
    pub resign: bool,
    pub declare: bool,
}

/// Whether a game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
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
    pub you: Side,
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

/// A page of the visitor's games: those under way, then the one that changed last first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Games {
    pub games: Vec<GameSummary>,
    /// On this page and others.
    pub total: u32,
    /// In the bin.
    pub deleted: u32,
}

/// When a game was begun and when it last changed, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dates {
    pub created: i64,
    pub updated: i64,
}

/// A move as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredMove {
    /// In USI.
    pub text: String,
    /// Time it took.
    pub spent: Duration,
    /// What both had after it.
    pub left: [Duration; 2],
}

/// A game on the board: its setup, its moves, its clock, and how it ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Game {
    setup: Setup,
    position: AnyPosition,
    played: Vec<Played>,
    ending: Option<Ending>,
    clock: GameClock,
    attended: bool,
    revision: u64,
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

impl Game {
    /// A game before its first move.
    pub fn new(setup: Setup) -> Result<Self, ApiError> {
        let position = position::start(setup.game(), Some(&setup.start), Kings::Both)?;
        let clock = GameClock::new(setup.clock);
        let (played, ending) = (Vec::new(), None);
        Ok(Self { setup, position, played, ending, clock, attended: false, revision: 0 })
    }

    /// A game as it was stored.
    pub fn restore(
        setup: Setup,
        moves: &[StoredMove],
        ending: Option<Ending>,
        revision: u64,
    ) -> Result<Self, ApiError> {
        let mut game = Self::new(setup)?;
        for stored in moves {
            let m = game
                .position
                .parse_usi(&stored.text)
                .map_err(|e| ApiError::new(ErrorCode::Internal, format!("damaged game: {e}")))?;
            game.clock.set(stored.left);
            game.put(m, stored.spent);
        }
        game.ending = ending;
        game.revision = revision;
        Ok(game)
    }

    /// What it is played under.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The position, with its history.
    pub const fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// The moves.
    pub fn played(&self) -> &[Played] {
        &self.played
    }

    /// The end, if it has come.
    pub const fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Grows with every change.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The clocks.
    pub const fn clock(&self) -> &GameClock {
        &self.clock
    }

    /// Whether an engine is to move.
    pub fn engine_to_move(&self) -> bool {
        self.ending.is_none() && !self.setup.you.has(self.position.turn())
    }

    fn your_turn(&self) -> Result<Color, ApiError> {
        if self.ending.is_some() {
            return Err(ApiError::new(ErrorCode::GameOver, "the game is over"));
        }
        let turn = self.position.turn();
        if !self.setup.you.has(turn) {
            return Err(ApiError::new(ErrorCode::NotYourTurn, "the opponent is to move"));
        }
        Ok(turn)
    }

    /// The visitor looks at the game from now on: the clock runs.
    pub fn attend(&mut self, now: Moment) {
        self.attended = true;
        self.wind(now);
    }

    /// Nobody looks at it any more: the visitor's clock stands still.
    pub fn leave(&mut self, now: Moment) {
        self.attended = false;
        self.wind(now);
    }

    /// Lets the clock run or stand as it should.
    fn wind(&mut self, now: Moment) {
        let runs = self.ending.is_none() && (self.attended || self.engine_to_move());
        if runs {
            self.clock.run(now);
        } else {
            self.clock.pause(now);
        }
    }

    /// The visitor plays. `ply` names the move meant, so that one sent twice is not played twice.
    pub fn play(&mut self, text: &str, ply: Option<u32>, now: Moment) -> Result<(), ApiError> {
        let turn = self.your_turn()?;
        if let Some(ply) = ply
            && ply != self.position.ply()
        {
            let message = format!("move {ply} was meant, {} is due", self.position.ply());
            return Err(ApiError::new(ErrorCode::NotYourTurn, message));
        }
        let m = self
            .position
            .parse_usi(text)
            .map_err(|e| ApiError::new(ErrorCode::IllegalMove, e.to_string()))?;
        if self.flag(now) {
            return Ok(());
        }
        let spent = self.clock.elapsed(now);
        self.turn(turn, m, spent, now);
        Ok(())
    }

    /// The engine plays, after that time of its own. `m` must be legal.
    pub fn answer(&mut self, m: Move, spent: Duration, now: Moment) -> Result<(), ApiError> {
        if !self.engine_to_move() {
            return Err(ApiError::new(ErrorCode::NotYourTurn, "the engine is not to move"));
        }
        if !self.position.is_legal(m) {
            let message = format!("{} is not legal", m.usi(self.position.game()));
            return Err(ApiError::new(ErrorCode::IllegalMove, message));
        }
        let turn = self.position.turn();
        // Our own engine keeps its time; what a busy machine made of it is not its fault.
        let spent = match (&self.setup.opponent, self.clock.allowed(turn)) {
            (Opponent::Level { .. }, Some(allowed)) => {
                spent.min(allowed.saturating_sub(Duration::from_millis(1)))
            }
            _ => spent,
        };
        self.turn(turn, m, spent, now);
        Ok(())
    }

    fn turn(&mut self, turn: Color, m: Move, spent: Duration, now: Moment) {
        if self.clock.turn(turn, spent).is_err() {
            self.end(Ending::lost(turn, Reason::TimeUp), now);
            return;
        }
        self.put(m, spent);
        self.revision += 1;
        self.ending = self.rules().end_of(&self.position, self.played.len() as u32);
        self.wind(now);
    }

    /// Plays a move on the board and writes it down.
    fn put(&mut self, m: Move, spent: Duration) {
        let at = &self.position;
        let last = self.played.last().map(|p| p.m);
        let mut view = PlayedMove {
            ply: at.ply(),
            side: at.turn().into(),
            usi: m.usi(at.game()),
            ja: notation::japanese(at, last, m),
            en: notation::western(at, m),
            ms: millis(spent),
            sfen: String::new(),
            check: false,
        };
        self.position.play(m);
        (view.sfen, view.check) = (self.position.sfen(), self.position.in_check());
        self.played.push(Played { m, spent, left: self.clock.left(), view });
    }

    fn end(&mut self, ending: Ending, now: Moment) {
        self.ending = Some(ending);
        self.revision += 1;
        self.wind(now);
    }

    /// Ends the game if the visitor's time is over; whether it did.
    pub fn flag(&mut self, now: Moment) -> bool {
        let turn = self.position.turn();
        let over = self.ending.is_none() && !self.engine_to_move() && self.clock.is_over(turn, now);
        if over {
            self.end(Ending::lost(turn, Reason::TimeUp), now);
        }
        over
    }

    /// The visitor resigns, whoever is to move.
    pub fn resign(&mut self, now: Moment) -> Result<(), ApiError> {
        if self.ending.is_some() {
            return Err(ApiError::new(ErrorCode::GameOver, "the game is over"));
        }
        let winner = match self.setup.you {
            Side::Black => Color::White,
            Side::White => Color::Black,
            Side::Both => self.position.turn().opponent(),
        };
        self.end(Ending::won(winner, Reason::Resign), now);
        Ok(())
    }

    /// The visitor declares the win.
    pub fn declare(&mut self, now: Moment) -> Result<(), ApiError> {
        let turn = self.your_turn()?;
        if !self.may_declare() {
            let message = "the conditions of a declaration do not hold";
            return Err(ApiError::new(ErrorCode::NotAllowed, message));
        }
        self.end(Ending::won(turn, Reason::Declaration), now);
        Ok(())
    }

    fn may_declare(&self) -> bool {
        self.rules().can_declare(&self.position)
    }

    fn rules(&self) -> GameRules {
        GameRules {
            declaration: self.setup.rule(),
            max_moves: Some(self.setup.max_moves),
            ..GameRules::default()
        }
    }

    /// The engine resigns, or declares what it may.
    pub fn engine_ends(&mut self, declares: bool, now: Moment) {
        if !self.engine_to_move() {
            return;
        }
        let turn = self.position.turn();
        let ending = match declares {
            true if self.may_declare() => Ending::won(turn, Reason::Declaration),
            true => ending::ENGINE_FAILED,
            false => Ending::lost(turn, Reason::Resign),
        };
        self.end(ending, now);
    }

    /// The engine broke down: nobody has lost.
    pub fn engine_fails(&mut self, now: Moment) {
        if self.engine_to_move() {
            self.end(ending::ENGINE_FAILED, now);
        }
    }

    /// How many moves taking back would undo.
    fn undone(&self) -> Option<usize> {
        let from = |n: usize| {
            let turn =
                if n.is_multiple_of(2) { self.position.turn() } else { !self.position.turn() };
            self.setup.you.has(turn)
        };
        (1..=self.played.len()).find(|&n| from(n))
    }

    /// Takes back to the visitor's last turn, also after the end.
    pub fn take_back(&mut self, now: Moment) -> Result<(), ApiError> {
        let count = self
            .undone()
            .ok_or_else(|| ApiError::new(ErrorCode::NotAllowed, "there is nothing to take back"))?;
        for _ in 0..count {
            self.position.undo();
            self.played.pop();
        }
        let begin = GameClock::new(self.setup.clock).left();
        self.clock.set(self.played.last().map_or(begin, |p| p.left));
        self.ending = None;
        self.revision += 1;
        self.wind(now);
        Ok(())
    }

    /// The moves as they are stored.
    pub fn stored(&self) -> impl Iterator<Item = StoredMove> {
        let game = self.position.game();
        self.played.iter().map(move |p| StoredMove {
            text: p.m.usi(game),
            spent: p.spent,
            left: p.left,
        })
    }

    /// As the page sees it.
    pub fn view(
        &self,
        id: &str,
        dates: Dates,
        now: Moment,
        thinking: Option<Thinking>,
    ) -> GameView {
        let setup = &self.setup;
        let playing = self.ending.is_none();
        let yours = playing && setup.you.has(self.position.turn());
        let show = if yours { position::view } else { position::closed };
        GameView {
            game: id.to_owned(),
            revision: self.revision,
            variant: setup.game().into(),
            handicap: setup.handicap.clone(),
            start: setup.start.clone(),
            you: setup.you,
            opponent: setup.opponent_view(),
            declaration_rule: setup.declaration.clone(),
            max_moves: setup.max_moves,
            position: show(&self.position, setup.rule()),
            moves: self.played.iter().map(|p| p.view.clone()).collect(),
            clock: setup.clock,
            clocks: self.clock.view(self.position.turn(), now, !playing),
            status: status(self.ending),
            ending: self.ending.map(ending::view),
            thinking,
            may: Permissions {
                play: yours,
                hint: yours,
                resign: playing,
                takeback: self.undone().is_some(),
                declare: yours && self.may_declare(),
            },
            created: dates.created,
            updated: dates.updated,
        }
    }
}

/// Whether a game with that ending goes on.
pub const fn status(ending: Option<Ending>) -> GameStatus {
    if ending.is_some() { GameStatus::Over } else { GameStatus::Playing }
}

#[cfg(test)]
mod tests;
