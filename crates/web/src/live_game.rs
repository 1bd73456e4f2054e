//! A game somebody has open: the game, who follows it, and the engine that thinks about it.

use crate::outbox::Outbox;
use crate::pool::{Job, JobHandle, JobResult, Listener, Task};
use crate::searches::HintListener;
use crate::service::BoardService;
use board::error::{ApiError, ErrorCode};
use board::game::{Dates, Game, GameView, Presence, Thinking, Viewer};
use board::message::ServerMessage;
use board::opponent;
use board::question::{Lines, Question};
use board::queue::Priority;
use board::setup::VisitorSide;
use board::thinking;
use rules::{AnyPosition, Color, Move};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use think::{Answer, Info, Moment};

/// Names a connection.
pub type Connection = u64;

/// A game in memory.
pub struct LiveGame {
    pub id: String,
    /// Whose it is.
    pub owner: String,
    state: Mutex<State>,
}

/// What changes.
pub struct State {
    pub(crate) game: Game,
    dates: Dates,
    followers: Vec<Follower>,
    /// Who plays, where two browsers do.
    seats: Option<[Seat; 2]>,
    handle: Option<JobHandle>,
    /// A move the engine has found and takes its time to play.
    held: Option<HeldMove>,
    /// Times the opponent's engine broke down in a row.
    failures: u32,
    /// Deleted, or gone from the service: nothing may be stored any more.
    gone: bool,
}

/// A connection that has the game open.
struct Follower {
    connection: Connection,
    visitor: String,
    outbox: Arc<Outbox>,
}

/// A side of a game between two browsers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seat {
    /// What an invitation to it carries.
    pub key: String,
    /// Who has taken it, and under which name.
    pub player: Option<(String, String)>,
}

struct HeldMove {
    m: Move,
    since: Moment,
    due: Moment,
    spent: std::time::Duration,
}

impl State {
    /// The side of a visitor; `None` where the game is none of their business.
    fn side_of(&self, owner: &str, visitor: &str) -> Option<VisitorSide> {
        let Some(seats) = &self.seats else {
            return (owner == visitor).then(|| self.game.setup().you);
        };
        let sits = |color: Color| {
            seats[color.index()].player.as_ref().is_some_and(|(who, _)| who == visitor)
        };
        Some(match (sits(Color::Black), sits(Color::White)) {
            (true, true) => VisitorSide::Both,
            (true, false) => VisitorSide::Black,
            (false, true) => VisitorSide::White,
            (false, false) => VisitorSide::Watch,
        })
    }

    /// Who of a game between friends is here; invitations are for whoever began it.
    fn presence(&self, inviting: bool) -> Option<Presence> {
        let seats = self.seats.as_ref()?;
        let plays = |seat: &Seat, f: &Follower| {
            seat.player.as_ref().is_some_and(|(who, _)| *who == f.visitor)
        };
        let mut watching: Vec<&str> = self
            .followers
            .iter()
            .filter(|f| !seats.iter().any(|seat| plays(seat, f)))
            .map(|f| f.visitor.as_str())
            .collect();
        watching.sort_unstable();
        watching.dedup();
        let key = |seat: &Seat| (inviting && seat.player.is_none()).then(|| seat.key.clone());
        Some(Presence {
            here: [0, 1].map(|i| self.followers.iter().any(|f| plays(&seats[i], f))),
            keys: [key(&seats[0]), key(&seats[1])],
            spectators: watching.len() as u32,
        })
    }
}

impl LiveGame {
    /// A game in memory; `seats` where two browsers play.
    pub fn new(
        id: String,
        owner: String,
        mut game: Game,
        dates: Dates,
        seats: Option<[Seat; 2]>,
    ) -> Self {
        for (seat, color) in seats.iter().flatten().zip([Color::Black, Color::White]) {
            if let Some((_, name)) = &seat.player {
                game.take_seat(color, name);
            }
        }
        let state = State {
            game,
            dates,
            followers: Vec::new(),
            seats,
            handle: None,
            held: None,
            failures: 0,
            gone: false,
        };
        Self { id, owner, state: Mutex::new(state) }
    }

    /// Whether a visitor may see it.
    pub fn is_open_to(&self, visitor: &str) -> bool {
        self.lock().side_of(&self.owner, visitor).is_some()
    }

    /// Somebody comes with an invitation and plays that side from now on.
    pub fn join(
        self: &Arc<Self>,
        service: &Arc<BoardService>,
        visitor: &str,
        key: &str,
        name: &str,
    ) -> Result<(), ApiError> {
        let mut state = self.lock();
        let invited = |seat: &Seat| crate::guard::same(&seat.key, key);
        let found = state.seats.as_ref().and_then(|seats| seats.iter().position(invited));
        let number = found.ok_or_else(|| ApiError::missing("this invitation is not valid"))?;
        let sits =
            state.side_of(&self.owner, visitor).is_some_and(|side| side != VisitorSide::Watch);
        let Some(seats) = &mut state.seats else { return Ok(()) };
        match &seats[number].player {
            Some((who, _)) if who == visitor => return Ok(()),
            Some(_) => {
                let message = "somebody else plays this side already";
                return Err(ApiError::new(ErrorCode::NotAllowed, message));
            }
            // Whoever sits at the board already cannot play against themselves.
            None if sits => return Ok(()),
            None => {}
        }
        seats[number].player = Some((visitor.to_owned(), name.to_owned()));
        let seats = seats.clone();
        let color = if number == 0 { Color::Black } else { Color::White };
        state.game.take_seat(color, name);
        service.store().save_seats(&self.id, &seats)?;
        self.settle(&mut state, service, None)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of the game for the page of a visitor.
    pub fn view(&self, service: &BoardService, visitor: &str) -> GameView {
        self.view_of(&self.lock(), service, visitor)
    }

    fn view_of(&self, state: &State, service: &BoardService, visitor: &str) -> GameView {
        let thinking = match &state.handle {
            None => state.held.as_ref().map(|_| Thinking::Running),
            Some(handle) if handle.ahead().is_some_and(|n| n > 0) => Some(Thinking::Queued),
            Some(_) => Some(Thinking::Running),
        };
        let who = state.side_of(&self.owner, visitor).unwrap_or(VisitorSide::Watch);
        let presence = state.presence(visitor == self.owner);
        let viewer = Viewer { who, thinking, presence };
        state.game.view(&self.id, state.dates, service.now(), viewer)
    }

    /// Follows the game from a connection.
    pub fn follow(
        self: &Arc<Self>,
        service: &Arc<BoardService>,
        visitor: &str,
        connection: Connection,
        outbox: &Arc<Outbox>,
    ) {
        let mut state = self.lock();
        if !state.followers.iter().any(|f| f.connection == connection) {
            let (visitor, outbox) = (visitor.to_owned(), Arc::clone(outbox));
            state.followers.push(Follower { connection, visitor, outbox });
        }
        state.game.attend(service.now());
        self.arrivals(&mut state, service, Some(connection));
        self.think(&mut state, service);
    }

    /// Somebody came or went: friends see it, and once both are here their clock runs.
    fn arrivals(&self, state: &mut State, service: &BoardService, except: Option<Connection>) {
        let Some(presence) = state.presence(false) else { return };
        if presence.here == [true; 2] {
            state.game.begin(service.now());
        }
        self.tell(state, service, except);
    }

    /// No longer follows it.
    pub fn unfollow(&self, service: &BoardService, connection: Connection) {
        let mut state = self.lock();
        state.followers.retain(|f| f.connection != connection);
        if state.followers.is_empty() {
            state.game.leave(service.now());
        }
        self.arrivals(&mut state, service, None);
    }

    /// Whether it can leave memory: everything about it is stored, and no clock of it runs on.
    pub fn is_idle(&self) -> bool {
        let state = self.lock();
        let busy = state.handle.is_some() || state.held.is_some() || state.game.runs_by_itself();
        state.followers.is_empty() && !busy
    }

    /// The game was deleted.
    pub fn close(&self) {
        let mut state = self.lock();
        state.gone = true;
        (state.handle, state.held) = (None, None);
        state.followers.clear();
    }

    /// A visitor changes the game: it is stored, the engine thinks if it is its turn, and every follower but
    /// `except`, who is answered by the value returned, is told.
    pub fn change(
        self: &Arc<Self>,
        service: &Arc<BoardService>,
        visitor: &str,
        except: Option<Connection>,
        act: impl FnOnce(&mut Game, VisitorSide) -> Result<(), ApiError>,
    ) -> Result<GameView, ApiError> {
        let mut state = self.lock();
        let who = state.side_of(&self.owner, visitor).filter(|_| !state.gone);
        let who = who.ok_or_else(|| ApiError::missing("the game was deleted"))?;
        act(&mut state.game, who)?;
        // A search about what is no longer on the board is of no use.
        (state.handle, state.held) = (None, None);
        state.failures = 0;
        self.settle(&mut state, service, except)?;
        Ok(self.view_of(&state, service, visitor))
    }

    /// After a change.
    fn settle(
        self: &Arc<Self>,
        state: &mut State,
        service: &Arc<BoardService>,
        except: Option<Connection>,
    ) -> Result<(), ApiError> {
        let wall = service.wall();
        state.dates.updated = wall;
        service.store().save(&self.id, &self.owner, &state.game, wall)?;
        self.think(state, service);
        self.tell(state, service, except);
        Ok(())
    }

    /// Stored with the next change if the disk is full now; the page is told anyway.
    fn settle_or_tell(self: &Arc<Self>, state: &mut State, service: &Arc<BoardService>) {
        if self.settle(state, service, None).is_err() {
            self.tell(state, service, None);
        }
    }

    fn tell(&self, state: &State, service: &BoardService, except: Option<Connection>) {
        for follower in &state.followers {
            follower.outbox.forget(&format!("thinking:{}", self.id));
            if Some(follower.connection) != except {
                let view = self.view_of(state, service, &follower.visitor);
                let key = format!("game:{}", self.id);
                follower.outbox.stream(&key, true, move || Some(view.into()));
            }
        }
    }

    /// Ends the game if a visitor's time is over, and plays a move that has been held back long enough.
    pub fn look_at_clock(self: &Arc<Self>, service: &Arc<BoardService>) {
        let mut state = self.lock();
        if state.gone {
            return;
        }
        let now = service.now();
        if state.game.flag(now) {
            (state.handle, state.held) = (None, None);
            self.settle_or_tell(&mut state, service);
        }
        if let Some(held) = state.held.take_if(|held| held.due <= now) {
            let waited = now.saturating_sub(held.since);
            if state.game.answer(held.m, held.spent + waited, now).is_err() {
                state.game.engine_fails(now);
            }
            self.settle_or_tell(&mut state, service);
        }
    }

    /// Lets the engine think if it is to move and does not think yet.
    pub(crate) fn think(self: &Arc<Self>, state: &mut State, service: &Arc<BoardService>) {
        let busy = state.handle.is_some() || state.held.is_some();
        if busy || state.gone || !state.game.engine_to_move() {
            return;
        }
        if let Some(m) = service.book_move(&self.owner, &state.game) {
            let (since, none) = (service.now(), std::time::Duration::ZERO);
            let due = since + opponent::pace(&state.game, m, &Lines::default());
            state.held = Some(HeldMove { m, since, due, spent: none });
            return;
        }
        let Some(asked) = opponent::ask(&state.game) else { return };
        let listener = Player {
            service: Arc::downgrade(service),
            live: Arc::downgrade(self),
            revision: state.game.revision(),
            position: state.game.position().clone(),
            lines: Lines::default(),
            scale: service.scale(asked.engine.as_deref(), state.game.position().game()),
        };
        let job = Job {
            visitor: self.owner.clone(),
            priority: asked.priority,
            threads: if asked.wide { usize::MAX } else { 1 },
            engine: asked.engine,
            task: Task::Search(asked.question),
            within: asked.within,
            listener: Box::new(listener),
        };
        state.handle = Some(service.pool().submit(job));
    }

    /// A hint for the side to move; the answer goes to the outbox.
    pub fn hint(
        &self,
        service: &BoardService,
        visitor: &str,
        outbox: &Arc<Outbox>,
        id: Option<u64>,
    ) -> Result<JobHandle, ApiError> {
        let state = self.lock();
        let who = state.side_of(&self.owner, visitor).unwrap_or(VisitorSide::Watch);
        state.game.turn_of(who)?;
        if state.seats.is_some() {
            let message = "there are no hints in a game against a friend";
            return Err(ApiError::new(ErrorCode::NotAllowed, message));
        }
        let mut question = Question::new(state.game.position().clone());
        question.time = Some(HINT);
        question.set_all(opponent::rule_options(&state.game));
        let listener = HintListener {
            outbox: Arc::clone(outbox),
            id,
            game: self.id.clone(),
            position: state.game.position().clone(),
            lines: Lines::default(),
            scale: service.scale(None, state.game.position().game()),
        };
        Ok(service.pool().submit(Job {
            visitor: self.owner.clone(),
            priority: Priority::Heavy,
            threads: 1,
            engine: None,
            task: Task::Search(question),
            within: Some(HINT),
            listener: Box::new(listener),
        }))
    }
}

/// How long a hint takes.
const HINT: std::time::Duration = std::time::Duration::from_millis(600);

/// The engine of a game while it thinks.
struct Player {
    service: Weak<BoardService>,
    live: Weak<LiveGame>,
    revision: u64,
    position: AnyPosition,
    lines: Lines,
    scale: f64,
}

impl Listener for Player {
    fn paused(&mut self) {
        self.lines = Lines::default();
    }

    fn info(&mut self, info: &Info) {
        self.lines.update(info);
        if info.multipv.unwrap_or(1) != 1 || info.pv.is_empty() {
            return;
        }
        let Some(live) = self.live.upgrade() else { return };
        let state = live.lock();
        for Follower { outbox, .. } in &state.followers {
            let (position, info) = (self.position.clone(), info.clone());
            let (game, revision, scale) = (live.id.clone(), self.revision, self.scale);
            outbox.stream(&format!("thinking:{}", live.id), false, move || {
                Some(ServerMessage::Thinking(thinking::line(
                    game, revision, &position, &info, scale,
                )))
            });
        }
    }

    fn finished(&mut self, outcome: JobResult) {
        let (Some(service), Some(live)) = (self.service.upgrade(), self.live.upgrade()) else {
            return;
        };
        let mut state = live.lock();
        if state.gone || state.game.revision() != self.revision {
            return;
        }
        let now = service.now();
        state.handle = None;
        match outcome {
            JobResult::Answered(answer, spent) => {
                state.failures = 0;
                match opponent::decide(&state.game, answer, &self.lines) {
                    Answer::Move(m) => {
                        let pace = opponent::pace(&state.game, m, &self.lines);
                        if pace > spent {
                            let due = now + (pace - spent);
                            state.held = Some(HeldMove { m, since: now, due, spent });
                            return;
                        }
                        if state.game.answer(m, spent, now).is_err() {
                            state.game.engine_fails(now);
                        }
                    }
                    Answer::Resign => state.game.engine_ends(false, now),
                    Answer::Win => state.game.engine_ends(true, now),
                }
            }
            // Started anew it may do better; twice is enough.
            JobResult::Failed(_) if state.failures == 0 => {
                state.failures = 1;
                live.think(&mut state, &service);
                return;
            }
            JobResult::Failed(_) | JobResult::Solved(..) => state.game.engine_fails(now),
            // Nobody will answer any more; the game goes on when it is opened again.
            JobResult::Cancelled => return,
        }
        live.settle_or_tell(&mut state, &service);
        let idle = state.followers.is_empty() && state.handle.is_none();
        drop(state);
        if idle {
            service.tidy();
        }
    }
}
