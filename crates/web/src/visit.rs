//! One connection: every message of the page, understood and acted upon. No sockets here.

use crate::analysis::{Analyst, Subject};
use crate::hall::{ANALYSES, Hall, LINES, Presence};
use crate::mailbox::{Mailbox, Outlet};
use crate::matesearch::{self, Solver};
use crate::pool::{Class, Order, Question, Task, Ticket};
use crate::position::{self, Asked};
use crate::rate::Bucket;
use crate::request::{
    AnalysisAsked, GameAsked, LineAsked, MateAsked, MoveAsked, ReviewAsked, read,
};
use crate::review::{Effort, Review, Wanted};
use crate::room::Room;
use crate::setup::Wish;
use crate::trouble::{Code, Trouble};
use crate::watch::What;
use mate::Bounds;
use rules::{AnyPosition, Declaration, Game, Kings};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Longest message.
pub const LONGEST: usize = 64 << 10;

/// Messages in a second, and at once.
const RATE: (f64, f64) = (40.0, 120.0);

/// Messages too many before a connection is closed.
const PATIENCE: u32 = 200;

/// Longest analysis and search for a mate, in seconds.
const LONGEST_ANALYSIS: u64 = 3600;

/// A connection.
pub struct Visit {
    presence: Presence,
    mailbox: Arc<Mailbox>,
    games: HashMap<String, Arc<Room>>,
    analyses: HashMap<String, Analysis>,
    review: Option<Arc<Review>>,
    mate: Option<(u64, Outlet, Ticket)>,
    /// Streams opened so far.
    outlets: u64,
    hint: Option<Ticket>,
    bucket: Bucket,
    strikes: u32,
}

/// An analysis under way.
struct Analysis {
    subject: Subject,
    outlet: Outlet,
    /// `None` where there was nothing to analyse.
    ticket: Option<Ticket>,
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.outlet.cut();
        self.ticket = None;
    }
}

impl Visit {
    /// A connection that has just come.
    pub fn new(presence: Presence) -> Self {
        let bucket = Bucket::new(RATE.0, RATE.1, presence.hall().now());
        Self {
            presence,
            mailbox: Arc::default(),
            games: HashMap::new(),
            analyses: HashMap::new(),
            review: None,
            mate: None,
            outlets: 0,
            hint: None,
            bucket,
            strikes: 0,
        }
    }

    /// What waits to be sent.
    pub const fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }

    fn hall(&self) -> &Arc<Hall> {
        self.presence.hall()
    }

    /// A message has come.
    pub fn hear(&mut self, text: &str) {
        if !self.bucket.take(self.hall().now()) {
            self.strikes += 1;
            if self.strikes >= PATIENCE {
                self.mailbox.close();
            }
            let trouble = Trouble::new(Code::TooFast, "too many messages");
            self.mailbox.post(trouble.message(None));
            return;
        }
        self.strikes = self.strikes.saturating_sub(1);
        let message: Value = match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => value,
            Ok(_) => return self.mailbox.post(Trouble::bad("expected an object").message(None)),
            Err(e) => return self.mailbox.post(Trouble::bad(e.to_string()).message(None)),
        };
        let id = message["id"].as_u64();
        match self.obey(message, id) {
            Ok(Some(mut answer)) => {
                if let Some(id) = id {
                    answer["id"] = id.into();
                }
                self.mailbox.post(answer);
            }
            Ok(None) => {}
            Err(trouble) => self.mailbox.post(trouble.message(id)),
        }
    }

    /// The answer, unless it comes later or by a stream.
    fn obey(&mut self, message: Value, id: Option<u64>) -> Result<Option<Value>, Trouble> {
        let kind = message["type"].as_str().unwrap_or_default().to_owned();
        let ok = || Ok(Some(json!({ "type": "ok" })));
        match kind.as_str() {
            "ping" => Ok(Some(json!({ "type": "pong" }))),
            "position" => {
                let position = read::<Asked>(message)?.resolve(Kings::Any)?;
                let view = position::view(&position, Declaration::default());
                Ok(Some(json!({ "type": "position", "position": view })))
            }
            "line" => {
                let mut answer = read::<LineAsked>(message)?.answer()?;
                answer["type"] = "line".into();
                Ok(Some(answer))
            }
            "game.new" => {
                let room =
                    self.hall().open_game(&self.presence.visitor, &read::<Wish>(message)?)?;
                Ok(Some(self.follow(room)))
            }
            "game.open" => {
                let asked: GameAsked = read(message)?;
                let room = self.hall().game(&self.presence.visitor, &asked.game)?;
                Ok(Some(self.follow(room)))
            }
            "game.close" => {
                let asked: GameAsked = read(message)?;
                if let Some(room) = self.games.remove(&asked.game) {
                    room.unfollow(self.hall(), self.presence.connection);
                    drop(room);
                    self.hall().tidy();
                }
                ok()
            }
            "game.move" => {
                let asked: MoveAsked = read(message)?;
                let now = self.hall().now();
                self.change(&asked.game, |bout| bout.play(&asked.text, asked.ply, now))
            }
            "game.takeback" | "game.resign" | "game.declare" => {
                let asked: GameAsked = read(message)?;
                let now = self.hall().now();
                self.change(&asked.game, |bout| match kind.as_str() {
                    "game.takeback" => bout.take_back(now),
                    "game.resign" => bout.resign(now),
                    _ => bout.declare(now),
                })
            }
            "game.hint" => {
                let asked: GameAsked = read(message)?;
                let room = self.room(&asked.game)?;
                self.hint = Some(room.hint(self.hall(), &self.mailbox, id)?);
                Ok(None)
            }
            "analysis.start" => self.analyse(&read(message)?).map(Some),
            "analysis.stop" => {
                let slot = message["slot"].as_str().unwrap_or_default().to_owned();
                match self.analyses.remove(&slot) {
                    Some(analysis) => Ok(Some(analysis.subject.told("stopped", None))),
                    None => ok(),
                }
            }
            "review.start" => self.review(&read(message)?).map(Some),
            "review.stop" => match self.review.take() {
                Some(review) => {
                    review.cut();
                    Ok(Some(review.stopped()))
                }
                None => ok(),
            },
            "mate.start" => self.look_for_mate(&read(message)?).map(Some),
            "mate.stop" => match self.mate.take() {
                Some((serial, outlet, _ticket)) => {
                    outlet.cut();
                    Ok(Some(matesearch::told(serial, "stopped")))
                }
                None => ok(),
            },
            "watch.start" | "watch.stop" => {
                let what = What::of(message["what"].as_str().unwrap_or_default())?;
                self.watch(what, kind == "watch.start", id)
            }
            other => Err(Trouble::bad(format!("unknown message {other:?}"))),
        }
    }

    /// A stream of its own.
    fn outlet(&mut self) -> Outlet {
        self.outlets += 1;
        Outlet::new(&self.mailbox, &format!("outlet:{}", self.outlets))
    }

    fn follow(&mut self, room: Arc<Room>) -> Value {
        room.follow(self.hall(), self.presence.connection, &self.mailbox);
        let view = room.view(self.hall());
        self.games.insert(room.id.clone(), room);
        view
    }

    fn room(&self, id: &str) -> Result<Arc<Room>, Trouble> {
        match self.games.get(id) {
            Some(room) => Ok(Arc::clone(room)),
            None => self.hall().game(&self.presence.visitor, id),
        }
    }

    fn change(
        &mut self,
        id: &str,
        act: impl FnOnce(&mut crate::bout::Bout) -> Result<(), Trouble>,
    ) -> Result<Option<Value>, Trouble> {
        let room = self.room(id)?;
        if !self.games.contains_key(id) {
            self.follow(Arc::clone(&room));
        }
        room.change(self.hall(), Some(self.presence.connection), act).map(Some)
    }

    /// The registered engine of that id; `None` for our own.
    fn engine(&self, id: Option<&str>, game: Game) -> Result<Option<String>, Trouble> {
        match id {
            None | Some("nue") => Ok(None),
            Some(id) => {
                let known =
                    self.hall().pool().engine(id).ok_or_else(|| {
                        Trouble::missing(format!("no engine {id:?} is registered"))
                    })?;
                if known.plays.contains(&game) {
                    Ok(Some(id.to_owned()))
                } else {
                    Err(Trouble::bad(format!("{} does not play {game}", known.name)))
                }
            }
        }
    }

    fn analyse(&mut self, asked: &AnalysisAsked) -> Result<Value, Trouble> {
        if asked.slot.is_empty() || asked.slot.len() > 16 {
            return Err(Trouble::bad("slot: expected 1 to 16 characters"));
        }
        if !self.analyses.contains_key(&asked.slot) && self.analyses.len() >= ANALYSES {
            return Err(Trouble::new(Code::TooMany, format!("at most {ANALYSES} analyses")));
        }
        let position = searchable(&asked.position)?;
        let engine = self.engine(asked.engine.as_deref(), position.game())?;
        let subject = Subject {
            slot: asked.slot.clone(),
            serial: asked.serial,
            engine: engine.clone().unwrap_or_else(|| "nue".to_owned()),
            position,
        };
        // The one before ends here, and what it still had to say is not sent.
        self.analyses.remove(&asked.slot);
        let outlet = self.outlet();
        let mut analysis = Analysis { subject, outlet: outlet.clone(), ticket: None };
        let subject = analysis.subject.clone();
        if let Some(over) = subject.over() {
            self.analyses.insert(asked.slot.clone(), analysis);
            return Ok(over);
        }
        let mut question = Question::new(subject.position.clone());
        question.lines = asked.multipv.unwrap_or(1).clamp(1, LINES);
        let seconds = asked.seconds.unwrap_or(300).clamp(1, LONGEST_ANALYSIS);
        question.time = Some(Duration::from_secs(seconds));
        let order = Order {
            visitor: self.presence.visitor.clone(),
            class: Class::Long,
            threads: asked.threads.unwrap_or(usize::MAX).max(1),
            engine,
            task: Task::Search(question),
            within: None,
            listener: Box::new(Analyst::new(subject, outlet)),
        };
        let ticket = self.hall().pool().submit(order);
        let told = analysis.subject.told("queued", Some(ticket.ahead().unwrap_or(0)));
        analysis.ticket = Some(ticket);
        self.analyses.insert(asked.slot.clone(), analysis);
        Ok(told)
    }

    fn review(&mut self, asked: &ReviewAsked) -> Result<Value, Trouble> {
        if asked.position.moves.len() > 1000 {
            return Err(Trouble::new(Code::TooLarge, "a game of more than 1000 moves"));
        }
        let position = searchable(&asked.position)?;
        let engine = self.engine(asked.engine.as_deref(), position.game())?;
        let wanted = Wanted {
            serial: asked.serial,
            engine,
            visitor: self.presence.visitor.clone(),
            effort: Effort::of(asked.effort.as_deref())?,
            position,
        };
        if let Some(before) = self.review.take() {
            before.cut();
        }
        let total = wanted.position.played() + 1;
        let (pool, outlet) = (self.hall().pool().clone(), self.outlet());
        self.review = Some(Review::start(wanted, outlet, pool));
        Ok(json!({ "type": "review", "serial": asked.serial, "state": "queued", "done": 0,
            "total": total, "evaluations": [] }))
    }

    fn look_for_mate(&mut self, asked: &MateAsked) -> Result<Value, Trouble> {
        let position = asked.position.resolve(Kings::Any)?;
        if position.king(position.turn().opponent()).is_none() {
            return Err(Trouble::new(Code::BadPosition, "there is no king to be mated"));
        }
        let seconds = asked.seconds.unwrap_or(30).clamp(1, LONGEST_ANALYSIS);
        let means = self.hall().pool().means();
        let share = (means.hash / means.threads.max(1)).clamp(1, 1024);
        let bounds = Bounds {
            time: Some(Duration::from_secs(seconds)),
            nodes: None,
            hash: share << 20,
            threads: 1,
            shortest: asked.shortest,
        };
        if let Some((_, before, _ticket)) = self.mate.take() {
            before.cut();
        }
        let outlet = self.outlet();
        let solver =
            Solver { serial: asked.serial, position: position.clone(), outlet: outlet.clone() };
        let ticket = self.hall().pool().submit(Order {
            visitor: self.presence.visitor.clone(),
            class: Class::Long,
            threads: 1,
            engine: None,
            task: Task::Mate(position, bounds),
            within: None,
            listener: Box::new(solver),
        });
        self.mate = Some((asked.serial, outlet, ticket));
        Ok(matesearch::told(asked.serial, "queued"))
    }

    fn watch(&self, what: What, begin: bool, id: Option<u64>) -> Result<Option<Value>, Trouble> {
        let connection = self.presence.connection;
        if !begin {
            self.hall().turn_away(what, connection);
            self.mailbox.forget(&format!("watch:{}", what.word()));
            return Ok(Some(json!({ "type": "ok" })));
        }
        if !self.hall().watch().has(what) {
            return Err(Trouble::missing(format!("no {} is watched", what.word())));
        }
        self.hall().attend(what, connection, &self.mailbox);
        let (mailbox, watch) = (Arc::clone(&self.mailbox), Arc::clone(self.hall().watch()));
        let look = move || {
            let mut answer = match watch.look(what) {
                Ok(data) => json!({ "type": "watch", "what": what.word(), "data": data }),
                Err(trouble) => return mailbox.post(trouble.message(id)),
            };
            if let Some(id) = id {
                answer["id"] = id.into();
            }
            mailbox.post(answer);
        };
        // Files and other programs may be slow; the connection goes on meanwhile.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(look)),
            Err(_) => look(),
        }
        Ok(None)
    }
}

/// A position an engine can be asked about: with both kings.
fn searchable(asked: &Asked) -> Result<AnyPosition, Trouble> {
    let position = asked.resolve(Kings::Both)?;
    Ok(position)
}

impl Drop for Visit {
    fn drop(&mut self) {
        let games = std::mem::take(&mut self.games);
        for room in games.values() {
            room.unfollow(self.hall(), self.presence.connection);
        }
        drop(games);
        self.hall().tidy();
    }
}
