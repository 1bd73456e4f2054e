//! One connection: every message of the page, understood and acted upon. No sockets here.

use crate::growth::GrowthRun;
use crate::live_game::LiveGame;
use crate::outbox::{Outbox, StreamHandle};
use crate::pool::{Job, JobHandle, Task};
use crate::searches::{AnalysisListener, MateListener, ReviewRun};
use crate::service::{BoardService, ConnectionGuard};
use board::analysis::{AnalysisView, Subject, WorkState};
use board::book_growth::{GrowRequest, GrowthView};
use board::error::{ApiError, ErrorCode};
use board::game::{Game, GameView};
use board::mate::{MateState, MateView};
use board::message::{
    ANALYSES, AnalysisRequest, Answer, ClientMessage, MateRequest, ReviewRequest, ServerMessage,
    WatchAnswer,
};
use board::queue::Priority;
use board::rate::Bucket;
use board::review::{Review, ReviewView};
use board::setup::VisitorSide;
use board::watch::WatchKind;
use mate::Bounds;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Longest message.
pub const LONGEST: usize = 64 << 10;

/// Messages in a second, and at once.
const RATE: (f64, f64) = (40.0, 120.0);

/// Messages too many before a connection is closed.
const PATIENCE: u32 = 200;

/// A connection.
pub struct Session {
    connected: ConnectionGuard,
    outbox: Arc<Outbox>,
    games: HashMap<String, Arc<LiveGame>>,
    analyses: HashMap<String, Analysis>,
    review: Option<Arc<ReviewRun>>,
    mate: Option<(u64, StreamHandle, JobHandle)>,
    growth: Option<Arc<GrowthRun>>,
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
            growth: None,
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
    pub fn receive(&mut self, text: &str) {
        if !self.bucket.take(self.service().now()) {
            self.strikes += 1;
            if self.strikes >= PATIENCE {
                self.outbox.close();
            }
            let error = ApiError::new(ErrorCode::TooFast, "too many messages");
            return self.outbox.post(ServerMessage::from(error));
        }
        self.strikes = self.strikes.saturating_sub(1);
        let (id, message) = ClientMessage::read(text);
        match message.and_then(|message| self.handle(message, id)) {
            Ok(Some(answer)) => self.outbox.post(Answer::new(id, answer)),
            Ok(None) => {}
            Err(error) => self.outbox.post(Answer::new(id, error.into())),
        }
    }

    /// The answer, unless it comes later or by a stream.
    fn handle(
        &mut self,
        message: ClientMessage,
        id: Option<u64>,
    ) -> Result<Option<ServerMessage>, ApiError> {
        let now = self.service().now();
        let answer = match message {
            ClientMessage::Ping => ServerMessage::Pong,
            ClientMessage::Position(asked) => asked.answer()?.into(),
            ClientMessage::Line(asked) => asked.answer()?.into(),
            ClientMessage::NewGame(settings) => {
                let live = self.service().open_game(&self.connected.visitor, &settings)?;
                self.follow(live).into()
            }
            ClientMessage::OpenGame(asked) => {
                let live = self.service().game(&self.connected.visitor, &asked.game)?;
                self.follow(live).into()
            }
            ClientMessage::CloseGame(asked) => {
                self.close(&asked.game);
                ServerMessage::Ok
            }
            ClientMessage::Move(asked) => {
                let act = |game: &mut Game, who| game.play(who, &asked.text, asked.ply, now);
                self.change(&asked.game, act)?.into()
            }
            ClientMessage::TakeBack(asked) => {
                self.change(&asked.game, |game, who| game.take_back(who, now))?.into()
            }
            ClientMessage::Resign(asked) => {
                self.change(&asked.game, |game, who| game.resign(who, now))?.into()
            }
            ClientMessage::Declare(asked) => {
                self.change(&asked.game, |game, who| game.declare(who, now))?.into()
            }
            ClientMessage::Join(asked) => {
                let live = self.live(&asked.game)?;
                let name = asked.name.as_deref().unwrap_or_default();
                live.join(self.service(), &self.connected.visitor, &asked.key, name)?;
                self.follow(live).into()
            }
            ClientMessage::Offer(asked) => {
                self.change(&asked.game, |game, who| game.offer(who, asked.what))?.into()
            }
            ClientMessage::Reply(asked) => {
                self.change(&asked.game, |game, who| game.reply(who, asked.agree, now))?.into()
            }
            ClientMessage::Hint(asked) => {
                let live = self.live(&asked.game)?;
                let visitor = &self.connected.visitor;
                self.hint = Some(live.hint(self.service(), visitor, &self.outbox, id)?);
                return Ok(None);
            }
            ClientMessage::StartAnalysis(asked) => self.analyse(&asked)?.into(),
            ClientMessage::StopAnalysis(asked) => match self.analyses.remove(&asked.slot) {
                Some(analysis) => analysis.subject.in_state(WorkState::Stopped).into(),
                None => ServerMessage::Ok,
            },
            ClientMessage::StartReview(asked) => self.review(&asked)?.into(),
            ClientMessage::StopReview => match self.review.take() {
                Some(review) => review.stop().into(),
                None => ServerMessage::Ok,
            },
            ClientMessage::StartMate(asked) => self.look_for_mate(&asked)?.into(),
            ClientMessage::StopMate => match self.mate.take() {
                Some((serial, stream, _handle)) => {
                    stream.cut();
                    board::mate::in_state(serial, MateState::Stopped).into()
                }
                None => ServerMessage::Ok,
            },
            ClientMessage::Grow(asked) => self.grow(&asked)?.into(),
            ClientMessage::StopGrowing => match self.growth.take() {
                Some(growth) => growth.stop().into(),
                None => ServerMessage::Ok,
            },
            ClientMessage::StartWatch(asked) => {
                self.watch(asked.what, id)?;
                return Ok(None);
            }
            ClientMessage::StopWatch(asked) => {
                self.service().remove_watcher(asked.what, self.connected.connection);
                self.outbox.forget(&format!("watch:{}", asked.what.word()));
                ServerMessage::Ok
            }
        };
        Ok(Some(answer))
    }

    /// This connection no longer follows the game.
    fn close(&mut self, id: &str) {
        if let Some(live) = self.games.remove(id) {
            live.unfollow(self.service(), self.connected.connection);
            drop(live);
            self.service().tidy();
        }
    }

    /// A stream of its own.
    fn stream(&mut self) -> StreamHandle {
        self.streams += 1;
        StreamHandle::new(&self.outbox, &format!("stream:{}", self.streams))
    }

    fn follow(&mut self, live: Arc<LiveGame>) -> GameView {
        let ConnectionGuard { visitor, connection, .. } = &self.connected;
        live.follow(self.service(), visitor, *connection, &self.outbox);
        let view = live.view(self.service(), visitor);
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
        act: impl FnOnce(&mut Game, VisitorSide) -> Result<(), ApiError>,
    ) -> Result<GameView, ApiError> {
        let live = self.live(id)?;
        if !self.games.contains_key(id) {
            self.follow(Arc::clone(&live));
        }
        let ConnectionGuard { visitor, connection, .. } = &self.connected;
        live.change(self.service(), visitor, Some(*connection), act)
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

    fn analyse(&mut self, asked: &AnalysisRequest) -> Result<AnalysisView, ApiError> {
        let position = asked.resolve()?;
        if !self.analyses.contains_key(&asked.slot) && self.analyses.len() >= ANALYSES {
            return Err(ApiError::new(ErrorCode::TooMany, format!("at most {ANALYSES} analyses")));
        }
        let engine = self.engine(asked.engine.as_deref(), position.game())?;
        let subject = Subject {
            slot: asked.slot.clone(),
            serial: asked.serial,
            engine: engine.clone().unwrap_or_else(|| "nue".to_owned()),
            scale: self.service().scale(engine.as_deref(), position.game()),
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
        let question = asked.question(subject.position.clone());
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
        let told = analysis.subject.queued(handle.ahead().unwrap_or(0));
        analysis.handle = Some(handle);
        self.analyses.insert(asked.slot.clone(), analysis);
        Ok(told)
    }

    fn review(&mut self, asked: &ReviewRequest) -> Result<ReviewView, ApiError> {
        let position = asked.resolve()?;
        let engine = self.engine(asked.engine.as_deref(), position.game())?;
        let scale = self.service().scale(engine.as_deref(), position.game());
        let review = Review::new(asked.serial, asked.effort, position, scale);
        if let Some(before) = self.review.take() {
            before.stop();
        }
        let queued = review.queued();
        let (pool, stream) = (self.service().pool().clone(), self.stream());
        let visitor = self.connected.visitor.clone();
        self.review = Some(ReviewRun::start(review, engine, visitor, stream, pool));
        Ok(queued)
    }

    fn grow(&mut self, asked: &GrowRequest) -> Result<GrowthView, ApiError> {
        if let Some(before) = self.growth.take() {
            before.stop();
        }
        let (stream, visitor) = (self.stream(), self.connected.visitor.clone());
        let (run, told) = GrowthRun::start(self.service(), &visitor, asked, stream)?;
        self.growth = Some(run);
        Ok(told)
    }

    fn look_for_mate(&mut self, asked: &MateRequest) -> Result<MateView, ApiError> {
        let position = asked.resolve()?;
        let config = self.service().pool().config();
        let share = (config.hash / config.threads.max(1)).clamp(1, 1024);
        let bounds = Bounds {
            time: Some(Duration::from_secs(asked.seconds())),
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
        Ok(board::mate::in_state(asked.serial, MateState::Queued))
    }

    /// Watches from now on; how it stands now comes as soon as somebody has looked.
    fn watch(&self, what: WatchKind, id: Option<u64>) -> Result<(), ApiError> {
        if !self.service().watch().has(what) {
            return Err(ApiError::missing(format!("no {} is watched", what.word())));
        }
        self.service().add_watcher(what, self.connected.connection, &self.outbox);
        let (outbox, watch) = (Arc::clone(&self.outbox), Arc::clone(self.service().watch()));
        let look = move || {
            let message = match watch.look(what) {
                Ok(data) => ServerMessage::Watch(WatchAnswer { what, data }),
                Err(error) => error.into(),
            };
            outbox.post(Answer::new(id, message));
        };
        // Files and other programs may be slow; the connection goes on meanwhile.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(look)),
            Err(_) => look(),
        }
        Ok(())
    }
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
