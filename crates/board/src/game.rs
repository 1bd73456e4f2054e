//! One game at the board: moves, clocks, taking back, every ending. No sockets, no engines, no
//! clock of its own.

mod friends;
mod view;

pub use friends::{FriendsView, Offer, OfferKind, Presence};
pub use view::{
    GameStatus, GameSummary, GameView, Games, OwnOpening, OwnOpenings, Permissions, PlayedMove,
    Thinking, Viewer, status,
};

use crate::clock::GameClock;
use crate::ending;
use crate::error::{ApiError, ErrorCode};
use crate::notation;
use crate::position;
use crate::setup::{Opponent, Setup, VisitorSide};
use crate::words::millis;
use friends::Friends;
use play::{Ending, GameRules, Reason};
use rules::{AnyPosition, Color, Kings, Move};
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
    /// Who has come, and what they offer each other, where two browsers play.
    friends: Option<Friends>,
}

impl Game {
    /// A game before its first move.
    pub fn new(setup: Setup) -> Result<Self, ApiError> {
        let position = position::start(setup.game(), Some(&setup.start), Kings::Both)?;
        let clock = GameClock::new(setup.clock);
        let friends = setup.opponent.is_friend().then(Friends::default);
        let (played, ending, attended, revision) = (Vec::new(), None, false, 0);
        Ok(Self { setup, position, played, ending, clock, attended, revision, friends })
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
        let engine = self.setup.opponent.is_engine();
        engine && self.ending.is_none() && !self.setup.you.has(self.position.turn())
    }

    fn goes_on(&self) -> Result<(), ApiError> {
        if self.ending.is_some() {
            return Err(ApiError::new(ErrorCode::GameOver, "the game is over"));
        }
        Ok(())
    }

    /// The side to move, if it is that visitor's.
    pub fn turn_of(&self, who: VisitorSide) -> Result<Color, ApiError> {
        self.goes_on()?;
        let turn = self.position.turn();
        if !who.has(turn) {
            return Err(ApiError::new(ErrorCode::NotYourTurn, "the opponent is to move"));
        }
        if self.is_waiting() {
            return Err(ApiError::new(ErrorCode::NotYourTurn, "the other player has not come yet"));
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
        let wanted = match &self.friends {
            Some(friends) => friends.begun || !self.played.is_empty(),
            None => self.attended || self.engine_to_move(),
        };
        let runs = self.ending.is_none() && wanted;
        if runs {
            self.clock.run(now);
        } else {
            self.clock.pause(now);
        }
    }

    /// A visitor plays. `ply` names the move meant, so that one sent twice is not played twice.
    pub fn play(
        &mut self,
        who: VisitorSide,
        text: &str,
        ply: Option<u32>,
        now: Moment,
    ) -> Result<(), ApiError> {
        let turn = self.turn_of(who)?;
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
        self.withdraw_offer();
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
        self.withdraw_offer();
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

    /// A visitor resigns, whoever is to move; where nobody has come to play, the game is called off.
    pub fn resign(&mut self, who: VisitorSide, now: Moment) -> Result<(), ApiError> {
        self.goes_on()?;
        let winner = match who {
            VisitorSide::Black => Color::White,
            VisitorSide::White => Color::Black,
            VisitorSide::Both => self.position.turn().opponent(),
            VisitorSide::Watch => return Err(only_watching()),
        };
        let ending = if self.is_waiting() {
            Ending::unknown(Reason::Interrupted)
        } else {
            Ending::won(winner, Reason::Resign)
        };
        self.end(ending, now);
        Ok(())
    }

    /// A visitor declares the win.
    pub fn declare(&mut self, who: VisitorSide, now: Moment) -> Result<(), ApiError> {
        let turn = self.turn_of(who)?;
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

    /// How many moves taking back to the last turn of a side would undo.
    fn undone(&self, who: VisitorSide) -> Option<usize> {
        let from = |n: usize| {
            let turn =
                if n.is_multiple_of(2) { self.position.turn() } else { !self.position.turn() };
            who.has(turn)
        };
        (1..=self.played.len()).find(|&n| from(n))
    }

    /// Takes back to the visitor's last turn, also after the end. Friends ask each other first.
    pub fn take_back(&mut self, who: VisitorSide, now: Moment) -> Result<(), ApiError> {
        if self.friends.is_some() {
            let message = "the other player has to agree: offer it";
            return Err(ApiError::new(ErrorCode::NotAllowed, message));
        }
        self.back(who, now)
    }

    fn back(&mut self, who: VisitorSide, now: Moment) -> Result<(), ApiError> {
        let count = self
            .undone(who)
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
}

fn only_watching() -> ApiError {
    ApiError::new(ErrorCode::NotAllowed, "you are watching this game, not playing it")
}

#[cfg(test)]
mod tests;
