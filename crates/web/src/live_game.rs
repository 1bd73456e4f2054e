//! A game somebody has open: the game, who follows it, and the engine that thinks about it.

use crate::outbox::Outbox;
use crate::pool::{Job, JobHandle, JobResult, Listener, Task};
use crate::service::BoardService;
use alphabeta::options::ENTERING_KING_RULE;
use board::error::{ApiError, ErrorCode};
use board::game::{Dates, Game, GameView, Thinking};
use board::message::{Answer as Reply, ServerMessage};
use board::opponent;
use board::question::{Lines, Question};
use board::queue::Priority;
use board::thinking;
use rules::AnyPosition;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use think::{Answer, Info};

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
    followers: Vec<(Connection, Arc<Outbox>)>,
    handle: Option<JobHandle>,
    /// Times the opponent's engine broke down in a row.
    failures: u32,
    /// Deleted, or gone from the service: nothing may be stored any more.
    gone: bool,
}

impl LiveGame {
    /// A live for a game.
    pub fn new(id: String, owner: String, game: Game, dates: Dates) -> Self {
        let state =
            State { game, dates, followers: Vec::new(), handle: None, failures: 0, gone: false };
        Self { id, owner, state: Mutex::new(state) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of the game for the page.
    pub fn view(&self, service: &BoardService) -> GameView {
        self.view_of(&self.lock(), service)
    }

    fn view_of(&self, state: &State, service: &BoardService) -> GameView {
        let thinking = match &state.handle {
            None => None,
            Some(handle) if handle.ahead().is_some_and(|n| n > 0) => Some(Thinking::Queued),
            Some(_) => Some(Thinking::Running),
        };
        state.game.view(&self.id, state.dates, service.now(), thinking)
    }

    /// Follows the game from a connection.
    pub fn follow(
        self: &Arc<Self>,
        service: &Arc<BoardService>,
        connection: Connection,
        outbox: &Arc<Outbox>,
    ) {
        let mut state = self.lock();
        if !state.followers.iter().any(|(c, _)| *c == connection) {
            state.followers.push((connection, Arc::clone(outbox)));
        }
        state.game.attend(service.now());
        self.think(&mut state, service);
    }

    /// No longer follows it.
    pub fn unfollow(&self, service: &BoardService, connection: Connection) {
        let mut state = self.lock();
        state.followers.retain(|(c, _)| *c != connection);
        if state.followers.is_empty() {
            state.game.leave(service.now());
        }
    }

    /// Whether it can leave memory: everything about it is stored.
    pub fn is_idle(&self) -> bool {
        let state = self.lock();
        state.followers.is_empty() && state.handle.is_none()
    }

    /// The game was deleted.
    pub fn close(&self) {
        let mut state = self.lock();
        state.gone = true;
        state.handle = None;
        state.followers.clear();
    }

    /// Changes the game, stores it, lets the engine think if it is its turn, and tells every
    /// follower but `except`, who is answered by the value returned.
    pub fn change(
        self: &Arc<Self>,
        service: &Arc<BoardService>,
        except: Option<Connection>,
        act: impl FnOnce(&mut Game) -> Result<(), ApiError>,
    ) -> Result<GameView, ApiError> {
        let mut state = self.lock();
        if state.gone {
            return Err(ApiError::missing("the game was deleted"));
        }
        act(&mut state.game)?;
        // A search about what is no longer on the board is of no use.
        state.handle = None;
        state.failures = 0;
        self.settle(&mut state, service, except)
    }

    /// After a change.
    fn settle(
        self: &Arc<Self>,
        state: &mut State,
        service: &Arc<BoardService>,
        except: Option<Connection>,
    ) -> Result<GameView, ApiError> {
        let wall = service.wall();
        state.dates.updated = wall;
        service.store().save(&self.id, &self.owner, &state.game, wall)?;
        self.think(state, service);
        let view = self.view_of(state, service);
        self.tell(state, except, &view);
        Ok(view)
    }

    fn tell(&self, state: &State, except: Option<Connection>, view: &GameView) {
        for (connection, outbox) in &state.followers {
            outbox.forget(&format!("thinking:{}", self.id));
            if Some(*connection) != except {
                let view = view.clone();
                outbox.stream(&format!("game:{}", self.id), true, move || Some(view.into()));
            }
        }
    }

    /// Ends the game if the visitor's time is over.
    pub fn look_at_clock(self: &Arc<Self>, service: &Arc<BoardService>) {
        let mut state = self.lock();
        if !state.gone && state.game.flag(service.now()) {
            state.handle = None;
            // Stored with the next change if the disk is full now; the page is told anyway.
            if self.settle(&mut state, service, None).is_err() {
                let view = self.view_of(&state, service);
                self.tell(&state, None, &view);
            }
        }
    }

    /// Lets the engine think if it is to move and does not think yet.
    pub(crate) fn think(self: &Arc<Self>, state: &mut State, service: &Arc<BoardService>) {
        if state.handle.is_some() || state.gone || !state.game.engine_to_move() {
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
        outbox: &Arc<Outbox>,
        id: Option<u64>,
    ) -> Result<JobHandle, ApiError> {
        let state = self.lock();
        let turn = state.game.position().turn();
        if state.game.ending().is_some() {
            return Err(ApiError::new(ErrorCode::GameOver, "the game is over"));
        }
        if !state.game.setup().you.has(turn) {
            return Err(ApiError::new(ErrorCode::NotYourTurn, "the opponent is to move"));
        }
        let mut question = Question::new(state.game.position().clone());
        question.time = Some(HINT);
        question.options = vec![ENTERING_KING_RULE.to(state.game.setup().declaration.clone())];
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
        for (_, outbox) in &state.followers {
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
        if live.settle(&mut state, &service, None).is_err() {
            let view = live.view_of(&state, &service);
            live.tell(&state, None, &view);
        }
        let idle = state.followers.is_empty() && state.handle.is_none();
        drop(state);
        if idle {
            service.tidy();
        }
    }
}

/// Who answers a request for a hint.
struct HintListener {
    outbox: Arc<Outbox>,
    id: Option<u64>,
    game: String,
    position: AnyPosition,
    lines: Lines,
    scale: f64,
}

impl Listener for HintListener {
    fn info(&mut self, info: &Info) {
        self.lines.update(info);
    }

    fn finished(&mut self, outcome: JobResult) {
        let message = match outcome {
            JobResult::Answered(Answer::Move(m), _) => {
                let (game, position) = (self.game.clone(), &self.position);
                ServerMessage::Hint(thinking::hint(game, position, m, &self.lines, self.scale))
            }
            JobResult::Answered(Answer::Win, _) => {
                ApiError::new(ErrorCode::NotAllowed, "declare the win").into()
            }
            JobResult::Cancelled => return,
            _ => ApiError::new(ErrorCode::EngineFailed, "there is no hint").into(),
        };
        self.outbox.post(Reply::new(self.id, message));
    }
}
