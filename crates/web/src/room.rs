//! A game somebody has open: the bout, who follows it, and the engine that thinks about it.

use crate::bout::{Bout, Thinking};
use crate::hall::Hall;
use crate::mailbox::Mailbox;
use crate::notation;
use crate::opponent;
use crate::pool::{Class, Lines, Listener, Order, Outcome, Task, Ticket};
use crate::position;
use crate::score;
use crate::trouble::{Code, Trouble};
use rules::{AnyPosition, Color};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use think::{Answer, Info};

/// Names a connection.
pub type Connection = u64;

/// Moves of a line that are shown.
const SHOWN: usize = 24;

/// A game in memory.
pub struct Room {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    state: Mutex<State>,
}

/// What changes.
pub struct State {
    pub(crate) bout: Bout,
    pub(crate) created: i64,
    pub(crate) updated: i64,
    followers: Vec<(Connection, Arc<Mailbox>)>,
    ticket: Option<Ticket>,
    /// Times the opponent's engine broke down in a row.
    failures: u32,
    /// Deleted, or gone from the hall: nothing may be stored any more.
    gone: bool,
}

impl Room {
    /// A room for a game.
    pub fn new(id: String, owner: String, bout: Bout, created: i64, updated: i64) -> Self {
        let state = State {
            bout,
            created,
            updated,
            followers: Vec::new(),
            ticket: None,
            failures: 0,
            gone: false,
        };
        Self { id, owner, state: Mutex::new(state) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of the game for the page.
    pub fn view(&self, hall: &Hall) -> Value {
        self.view_of(&self.lock(), hall)
    }

    fn view_of(&self, state: &State, hall: &Hall) -> Value {
        let thinking = match &state.ticket {
            None => Thinking::No,
            Some(ticket) if ticket.ahead().is_some_and(|n| n > 0) => Thinking::Queued,
            Some(_) => Thinking::Running,
        };
        let mut view = state.bout.view(&self.id, hall.now(), thinking);
        view["created"] = state.created.into();
        view["updated"] = state.updated.into();
        view
    }

    /// Follows the game from a connection.
    pub fn follow(
        self: &Arc<Self>,
        hall: &Arc<Hall>,
        connection: Connection,
        mailbox: &Arc<Mailbox>,
    ) {
        let mut state = self.lock();
        if !state.followers.iter().any(|(c, _)| *c == connection) {
            state.followers.push((connection, Arc::clone(mailbox)));
        }
        state.bout.attend(hall.now());
        self.think(&mut state, hall);
    }

    /// No longer follows it.
    pub fn unfollow(&self, hall: &Hall, connection: Connection) {
        let mut state = self.lock();
        state.followers.retain(|(c, _)| *c != connection);
        if state.followers.is_empty() {
            state.bout.leave(hall.now());
        }
    }

    /// Whether it can leave memory: everything about it is stored.
    pub fn is_idle(&self) -> bool {
        let state = self.lock();
        state.followers.is_empty() && state.ticket.is_none()
    }

    /// The game was deleted.
    pub fn close(&self) {
        let mut state = self.lock();
        state.gone = true;
        state.ticket = None;
        state.followers.clear();
    }

    /// Changes the game, stores it, lets the engine think if it is its turn, and tells every
    /// follower but `except`, who is answered by the value returned.
    pub fn change(
        self: &Arc<Self>,
        hall: &Arc<Hall>,
        except: Option<Connection>,
        act: impl FnOnce(&mut Bout) -> Result<(), Trouble>,
    ) -> Result<Value, Trouble> {
        let mut state = self.lock();
        if state.gone {
            return Err(Trouble::missing("the game was deleted"));
        }
        act(&mut state.bout)?;
        // A search about what is no longer on the board is of no use.
        state.ticket = None;
        state.failures = 0;
        self.settle(&mut state, hall, except)
    }

    /// After a change.
    fn settle(
        self: &Arc<Self>,
        state: &mut State,
        hall: &Arc<Hall>,
        except: Option<Connection>,
    ) -> Result<Value, Trouble> {
        let wall = hall.wall();
        state.updated = wall;
        hall.store().save(&self.id, &self.owner, &state.bout, wall)?;
        self.think(state, hall);
        let view = self.view_of(state, hall);
        self.tell(state, except, &view);
        Ok(view)
    }

    fn tell(&self, state: &State, except: Option<Connection>, view: &Value) {
        for (connection, mailbox) in &state.followers {
            mailbox.forget(&format!("thinking:{}", self.id));
            if Some(*connection) != except {
                let view = view.clone();
                mailbox.stream(&format!("game:{}", self.id), true, move || Some(view));
            }
        }
    }

    /// Ends the game if the visitor's time is over.
    pub fn look_at_clock(self: &Arc<Self>, hall: &Arc<Hall>) {
        let mut state = self.lock();
        if !state.gone && state.bout.flag(hall.now()) {
            state.ticket = None;
            // Stored with the next change if the disk is full now; the page is told anyway.
            if self.settle(&mut state, hall, None).is_err() {
                let view = self.view_of(&state, hall);
                self.tell(&state, None, &view);
            }
        }
    }

    /// Lets the engine think if it is to move and does not think yet.
    pub(crate) fn think(self: &Arc<Self>, state: &mut State, hall: &Arc<Hall>) {
        if state.ticket.is_some() || state.gone || !state.bout.engine_to_move() {
            return;
        }
        let Some(asked) = opponent::ask(&state.bout) else { return };
        let listener = Player {
            hall: Arc::downgrade(hall),
            room: Arc::downgrade(self),
            revision: state.bout.revision(),
            position: state.bout.position().clone(),
            lines: Lines::default(),
        };
        let order = Order {
            visitor: self.owner.clone(),
            class: asked.class,
            threads: if asked.wide { usize::MAX } else { 1 },
            engine: asked.engine,
            task: Task::Search(asked.question),
            within: asked.within,
            listener: Box::new(listener),
        };
        state.ticket = Some(hall.pool().submit(order));
    }

    /// A hint for the side to move; the answer goes to the mailbox.
    pub fn hint(
        &self,
        hall: &Hall,
        mailbox: &Arc<Mailbox>,
        id: Option<u64>,
    ) -> Result<Ticket, Trouble> {
        let state = self.lock();
        let turn = state.bout.position().turn();
        if state.bout.ending().is_some() {
            return Err(Trouble::new(Code::GameOver, "the game is over"));
        }
        if !state.bout.setup().you.has(turn) {
            return Err(Trouble::new(Code::NotYourTurn, "the opponent is to move"));
        }
        let mut question = crate::pool::Question::new(state.bout.position().clone());
        question.time = Some(HINT);
        question.options = vec![("EnteringKingRule", state.bout.setup().declaration.clone())];
        let listener = Adviser {
            mailbox: Arc::clone(mailbox),
            id,
            game: self.id.clone(),
            position: state.bout.position().clone(),
            lines: Lines::default(),
        };
        Ok(hall.pool().submit(Order {
            visitor: self.owner.clone(),
            class: Class::Heavy,
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

/// A line of thought for the page.
pub fn thought(position: &AnyPosition, info: &Info) -> Value {
    let turn = position.turn();
    let shown = &info.pv[..info.pv.len().min(SHOWN)];
    let line = notation::line(position, position::last(position), shown);
    let mut value = json!({
        "depth": info.depth, "nodes": info.nodes, "nps": info.nps,
        "ms": info.time.map(|t| t.as_millis() as u64),
        "pv": line.usi, "ja": line.ja, "en": line.en,
    });
    put_score(&mut value, info, turn);
    value
}

/// Adds score and chance, where they are known.
pub fn put_score(value: &mut Value, info: &Info, turn: Color) {
    if let Some((known, _)) = info.score {
        value["score"] = score::view(known, turn);
        value["winrate"] = score::rounded(score::black_wins(known, turn)).into();
    }
}

/// The engine of a game while it thinks.
struct Player {
    hall: Weak<Hall>,
    room: Weak<Room>,
    revision: u64,
    position: AnyPosition,
    lines: Lines,
}

impl Listener for Player {
    fn parked(&mut self) {
        self.lines = Lines::default();
    }

    fn heard(&mut self, info: &Info) {
        self.lines.hear(info);
        if info.multipv.unwrap_or(1) != 1 || info.pv.is_empty() {
            return;
        }
        let Some(room) = self.room.upgrade() else { return };
        let state = room.lock();
        for (_, mailbox) in &state.followers {
            let (position, info) = (self.position.clone(), info.clone());
            let (game, revision) = (room.id.clone(), self.revision);
            mailbox.stream(&format!("thinking:{}", room.id), false, move || {
                let mut value = thought(&position, &info);
                value["type"] = "thinking".into();
                value["game"] = game.into();
                value["revision"] = revision.into();
                Some(value)
            });
        }
    }

    fn ended(&mut self, outcome: Outcome) {
        let (Some(hall), Some(room)) = (self.hall.upgrade(), self.room.upgrade()) else { return };
        let mut state = room.lock();
        if state.gone || state.bout.revision() != self.revision {
            return;
        }
        let now = hall.now();
        state.ticket = None;
        match outcome {
            Outcome::Answered(answer, spent) => {
                state.failures = 0;
                match opponent::decide(&state.bout, answer, &self.lines) {
                    Answer::Move(m) => {
                        if state.bout.answer(m, spent, now).is_err() {
                            state.bout.engine_fails(now);
                        }
                    }
                    Answer::Resign => state.bout.engine_ends(false, now),
                    Answer::Win => state.bout.engine_ends(true, now),
                }
            }
            // Started anew it may do better; twice is enough.
            Outcome::Broken(_) if state.failures == 0 => {
                state.failures = 1;
                room.think(&mut state, &hall);
                return;
            }
            Outcome::Broken(_) | Outcome::Solved(..) => state.bout.engine_fails(now),
            // Nobody will answer any more; the game goes on when it is opened again.
            Outcome::Cancelled => return,
        }
        if room.settle(&mut state, &hall, None).is_err() {
            let view = room.view_of(&state, &hall);
            room.tell(&state, None, &view);
        }
        let idle = state.followers.is_empty() && state.ticket.is_none();
        drop(state);
        if idle {
            hall.tidy();
        }
    }
}

/// Who answers a request for a hint.
struct Adviser {
    mailbox: Arc<Mailbox>,
    id: Option<u64>,
    game: String,
    position: AnyPosition,
    lines: Lines,
}

impl Listener for Adviser {
    fn heard(&mut self, info: &Info) {
        self.lines.hear(info);
    }

    fn ended(&mut self, outcome: Outcome) {
        let message = match outcome {
            Outcome::Answered(Answer::Move(m), _) => {
                let line = notation::line(&self.position, position::last(&self.position), &[m]);
                let mut value = json!({ "type": "hint", "game": self.game,
                    "move": m.usi(self.position.game()), "ja": line.ja.first(), "en": line.en.first() });
                let best = self.lines.ranked().find(|info| info.pv.first() == Some(&m));
                if let Some(info) = best {
                    put_score(&mut value, info, self.position.turn());
                }
                if let Some(id) = self.id {
                    value["id"] = id.into();
                }
                value
            }
            Outcome::Answered(Answer::Win, _) => {
                Trouble::new(Code::NotAllowed, "declare the win").message(self.id)
            }
            Outcome::Cancelled => return,
            _ => Trouble::new(Code::EngineFailed, "there is no hint").message(self.id),
        };
        self.mailbox.post(message);
    }
}
