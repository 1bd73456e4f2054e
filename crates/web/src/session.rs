//! One connection: every message of the page, understood and acted upon. No sockets here.

use crate::live_game::LiveGame;
use crate::outbox::{Outbox, StreamHandle};
use crate::pool::{Job, JobHandle, Task};
use crate::searches::{AnalysisListener, MateListener, ReviewRun};
use crate::service::{ANALYSES, BoardService, ConnectionGuard, LINES};
use crate::watch::WatchKind;
use board::analysis::Subject;
use board::error::{ApiError, ErrorCode};
use board::position::{self, Asked};
use board::question::Question;
use board::queue::Priority;
use board::rate::Bucket;
use board::request::{
    AnalysisRequest, GameRequest, LineRequest, MateRequest, MoveRequest, ReviewRequest, read,
};
use board::review::{Effort, Review};
use board::setup::GameSettings;
use mate::Bounds;
use rules::{AnyPosition, Declaration, Kings};
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
pub struct Session {
    connected: ConnectionGuard,
    outbox: Arc<Outbox>,
    games: HashMap<String, Arc<LiveGame>>,
    analyses: HashMap<String, Analysis>,
    review: Option<Arc<ReviewRun>>,
    mate: Option<(u64, StreamHandle, JobHandle)>,
    /// Streams opened so far.
    streams: u64,
    hint: Option<JobHandle>,
    bucket: Bucket,
    strikes: u32,
}

/// An analysis under way.
struct Analysis {
    subject: Subject,
    stream: StreamHandle,
    /// `None` where there was nothing to analyse.
    handle: Option<JobHandle>,
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.stream.cut();
        self.handle = None;
    }
}

impl Session {
    /// A connection that has just come.
    pub fn new(connected: ConnectionGuard) -> Self {
        let bucket = Bucket::new(RATE.0, RATE.1, connected.service().now());
        Self {
            connected,
            outbox: Arc::default(),
            games: HashMap::new(),
            analyses: HashMap::new(),
            review: None,
            mate: None,
            streams: 0,
            hint: None,
            bucket,
            strikes: 0,
        }
    }

    /// What waits to be sent.
    pub const fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    fn service(&self) -> &Arc<BoardService> {
        self.connected.service()
    }

    /// A message has come.
    pub fn hear(&mut self, text: &str) {
        if !self.bucket.take(self.service().now()) {
            self.strikes += 1;
            if self.strikes >= PATIENCE {
                self.outbox.close();
            }
            let error = ApiError::new(ErrorCode::TooFast, "too many messages");
            self.outbox.post(error.message(None));
            return;
        }
        self.strikes = self.strikes.saturating_sub(1);
        let message: Value = match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => value,
            Ok(_) => return self.outbox.post(ApiError::bad("expected an object").message(None)),
            Err(e) => return self.outbox.post(ApiError::bad(e.to_string()).message(None)),
        };
        let id = message["id"].as_u64();
        match self.obey(message, id) {
            Ok(Some(mut answer)) => {
                if let Some(id) = id {
                    answer["id"] = id.into();
                }
                self.outbox.post(answer);
            }
            Ok(None) => {}
            Err(error) => self.outbox.post(error.message(id)),
        }
    }

    /// The answer, unless it comes later or by a stream.
    fn obey(&mut self, message: Value, id: Option<u64>) -> Result<Option<Value>, ApiError> {
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
                let mut answer = read::<LineRequest>(message)?.answer()?;
                answer["type"] = "line".into();
                Ok(Some(answer))
            }
            "game.new" => {
                let live = self
                    .service()
                    .open_game(&self.connected.visitor, &read::<GameSettings>(message)?)?;
                Ok(Some(self.follow(live)))
            }
            "game.open" => {
                let asked: GameRequest = read(message)?;
                let live = self.service().game(&self.connected.visitor, &asked.game)?;
                Ok(Some(self.follow(live)))
            }
            "game.close" => {
                let asked: GameRequest = read(message)?;
                if let Some(live) = self.games.remove(&asked.game) {
                    live.unfollow(self.service(), self.connected.connection);
                    drop(live);
                    self.service().tidy();
                }
                ok()
            }
            "game.move" => {
                let asked: MoveRequest = read(message)?;
                let now = self.service().now();
                self.change(&asked.game, |game| game.play(&asked.text, asked.ply, now))
            }
            "game.takeback" | "game.resign" | "game.declare" => {
                let asked: GameRequest = read(message)?;
                let now = self.service().now();
                self.change(&asked.game, |game| match kind.as_str() {
                    "game.takeback" => game.take_back(now),
                    "game.resign" => game.resign(now),
                    _ => game.declare(now),
                })
            }
            "game.hint" => {
                let asked: GameRequest = read(message)?;
                let live = self.live(&asked.game)?;
                self.hint = Some(live.hint(self.service(), &self.outbox, id)?);
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
                Some(review) => Ok(Some(review.stop())),
                None => ok(),
            },
            "mate.start" => self.look_for_mate(&read(message)?).map(Some),
            "mate.stop" => match self.mate.take() {
                Some((serial, stream, _ticket)) => {
                    stream.cut();
                    Ok(Some(board::mate::told(serial, "stopped")))
                }
                None => ok(),
            },
            "watch.start" | "watch.stop" => {
                let what = WatchKind::of(message["what"].as_str().unwrap_or_default())?;
                self.watch(what, kind == "watch.start", id)
            }
            other => Err(ApiError::bad(format!("unknown message {other:?}"))),
        }
    }

    /// A stream of its own.
    fn stream(&mut self) -> StreamHandle {
        self.streams += 1;
        StreamHandle::new(&self.outbox, &format!("stream:{}", self.streams))
    }

    fn follow(&mut self, live: Arc<LiveGame>) -> Value {
        live.follow(self.service(), self.connected.connection, &self.outbox);
        let view = live.view(self.service());
        self.games.insert(live.id.clone(), live);
        view
    }

    fn live(&self, id: &str) -> Result<Arc<LiveGame>, ApiError> {
        match self.games.get(id) {
            Some(live) => Ok(Arc::clone(live)),
            None => self.service().game(&self.connected.visitor, id),
        }
    }

    fn change(
        &mut self,
        id: &str,
        act: impl FnOnce(&mut board::game::Game) -> Result<(), ApiError>,
    ) -> Result<Option<Value>, ApiError> {
        let live = self.live(id)?;
        if !self.games.contains_key(id) {
            self.follow(Arc::clone(&live));
        }
        live.change(self.service(), Some(self.connected.connection), act).map(Some)
    }

    /// The registered engine of that id; `None` for our own.
    fn engine(&self, id: Option<&str>, game: rules::Game) -> Result<Option<String>, ApiError> {
        match id {
            None | Some("nue") => Ok(None),
            Some(id) => {
                let known =
                    self.service().pool().engine(id).ok_or_else(|| {
                        ApiError::missing(format!("no engine {id:?} is registered"))
                    })?;
                if known.plays.contains(&game) {
                    Ok(Some(id.to_owned()))
                } else {
                    Err(ApiError::bad(format!("{} does not play {game}", known.name)))
                }
            }
        }
    }

    fn analyse(&mut self, asked: &AnalysisRequest) -> Result<Value, ApiError> {
        if asked.slot.is_empty() || asked.slot.len() > 16 {
            return Err(ApiError::bad("slot: expected 1 to 16 characters"));
        }
        if !self.analyses.contains_key(&asked.slot) && self.analyses.len() >= ANALYSES {
            return Err(ApiError::new(ErrorCode::TooMany, format!("at most {ANALYSES} analyses")));
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
        let stream = self.stream();
        let mut analysis = Analysis { subject, stream: stream.clone(), handle: None };
        let subject = analysis.subject.clone();
        if let Some(over) = subject.over() {
            self.analyses.insert(asked.slot.clone(), analysis);
            return Ok(over);
        }
        let mut question = Question::new(subject.position.clone());
        question.lines = asked.multipv.unwrap_or(1).clamp(1, LINES);
        let seconds = asked.seconds.unwrap_or(300).clamp(1, LONGEST_ANALYSIS);
        question.time = Some(Duration::from_secs(seconds));
        let job = Job {
            visitor: self.connected.visitor.clone(),
            priority: Priority::Long,
            threads: asked.threads.unwrap_or(usize::MAX).max(1),
            engine,
            task: Task::Search(question),
            within: None,
            listener: Box::new(AnalysisListener::new(subject, stream)),
        };
        let handle = self.service().pool().submit(job);
        let told = analysis.subject.told("queued", Some(handle.ahead().unwrap_or(0)));
        analysis.handle = Some(handle);
        self.analyses.insert(asked.slot.clone(), analysis);
        Ok(told)
    }

    fn review(&mut self, asked: &ReviewRequest) -> Result<Value, ApiError> {
        if asked.position.moves.len() > 1000 {
            return Err(ApiError::new(ErrorCode::TooLarge, "a game of more than 1000 moves"));
        }
        let position = searchable(&asked.position)?;
        let engine = self.engine(asked.engine.as_deref(), position.game())?;
        let review = Review::new(asked.serial, Effort::of(asked.effort.as_deref())?, position);
        if let Some(before) = self.review.take() {
            before.stop();
        }
        let queued = review.queued();
        let (pool, stream) = (self.service().pool().clone(), self.stream());
        let visitor = self.connected.visitor.clone();
        self.review = Some(ReviewRun::start(review, engine, visitor, stream, pool));
        Ok(queued)
    }

    fn look_for_mate(&mut self, asked: &MateRequest) -> Result<Value, ApiError> {
        let position = asked.position.resolve(Kings::Any)?;
        if position.king(position.turn().opponent()).is_none() {
            return Err(ApiError::new(ErrorCode::BadPosition, "there is no king to be mated"));
        }
        let seconds = asked.seconds.unwrap_or(30).clamp(1, LONGEST_ANALYSIS);
        let config = self.service().pool().config();
        let share = (config.hash / config.threads.max(1)).clamp(1, 1024);
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
        let stream = self.stream();
        let solver = MateListener {
            serial: asked.serial,
            problem: position.clone(),
            stream: stream.clone(),
        };
        let handle = self.service().pool().submit(Job {
            visitor: self.connected.visitor.clone(),
            priority: Priority::Long,
            threads: 1,
            engine: None,
            task: Task::Mate(position, bounds),
            within: None,
            listener: Box::new(solver),
        });
        self.mate = Some((asked.serial, stream, handle));
        Ok(board::mate::told(asked.serial, "queued"))
    }

    fn watch(
        &self,
        what: WatchKind,
        begin: bool,
        id: Option<u64>,
    ) -> Result<Option<Value>, ApiError> {
        let connection = self.connected.connection;
        if !begin {
            self.service().turn_away(what, connection);
            self.outbox.forget(&format!("watch:{}", what.word()));
            return Ok(Some(json!({ "type": "ok" })));
        }
        if !self.service().watch().has(what) {
            return Err(ApiError::missing(format!("no {} is watched", what.word())));
        }
        self.service().attend(what, connection, &self.outbox);
        let (outbox, watch) = (Arc::clone(&self.outbox), Arc::clone(self.service().watch()));
        let look = move || {
            let mut answer = match watch.look(what) {
                Ok(data) => json!({ "type": "watch", "what": what.word(), "data": data }),
                Err(error) => return outbox.post(error.message(id)),
            };
            if let Some(id) = id {
                answer["id"] = id.into();
            }
            outbox.post(answer);
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
fn searchable(asked: &Asked) -> Result<AnyPosition, ApiError> {
    let position = asked.resolve(Kings::Both)?;
    Ok(position)
}

impl Drop for Session {
    fn drop(&mut self) {
        let games = std::mem::take(&mut self.games);
        for live in games.values() {
            live.unfollow(self.service(), self.connected.connection);
        }
        drop(games);
        self.service().tidy();
    }
}
