//! The messages a page sends over the WebSocket of a server.

use crate::board_state::{Board, Now};
use board::analysis::{AnalysisView, Subject, WorkState};
use board::error::{ApiError, ErrorCode};
use board::game::Game;
use board::mate::{MateState, MateView};
use board::message::{
    ANALYSES, AnalysisRequest, ClientMessage, MateRequest, ReviewRequest, ServerMessage,
};
use board::review::{Review, ReviewView};

impl Board {
    /// A message of the page; the answer carries its number.
    pub(crate) fn message(&mut self, text: &str, now: Now) {
        let (id, message) = ClientMessage::read(text);
        match message.and_then(|message| self.handle(message, id, now)) {
            Ok(Some(answer)) => self.reply(id, answer),
            Ok(None) => {}
            Err(error) => self.reply(id, error),
        }
    }

    /// The answer, unless it comes later.
    fn handle(
        &mut self,
        message: ClientMessage,
        id: Option<u64>,
        now: Now,
    ) -> Result<Option<ServerMessage>, ApiError> {
        let answer = match message {
            ClientMessage::Ping => ServerMessage::Pong,
            ClientMessage::Position(asked) => asked.answer()?.into(),
            ClientMessage::Line(asked) => asked.answer()?.into(),
            ClientMessage::NewGame(settings) => {
                let game = self.open_new(&settings, now)?;
                self.attend(&game, now)?.into()
            }
            ClientMessage::OpenGame(asked) => self.attend(&asked.game, now)?.into(),
            ClientMessage::CloseGame(asked) => {
                self.leave(&asked.game, now)?;
                ServerMessage::Ok
            }
            ClientMessage::Move(asked) => {
                let act = |game: &mut Game, who| game.play(who, &asked.text, asked.ply, now.at);
                self.change(&asked.game, now, act)?.into()
            }
            ClientMessage::TakeBack(asked) => {
                self.change(&asked.game, now, |game, who| game.take_back(who, now.at))?.into()
            }
            ClientMessage::Resign(asked) => {
                self.change(&asked.game, now, |game, who| game.resign(who, now.at))?.into()
            }
            ClientMessage::Declare(asked) => {
                self.change(&asked.game, now, |game, who| game.declare(who, now.at))?.into()
            }
            ClientMessage::Hint(asked) => {
                self.ask_for_hint(&asked.game, id)?;
                return Ok(None);
            }
            ClientMessage::StartAnalysis(asked) => self.analyse(&asked)?.into(),
            ClientMessage::StopAnalysis(asked) => match self.searches.end_analysis(&asked.slot) {
                Some(subject) => subject.in_state(WorkState::Stopped).into(),
                None => ServerMessage::Ok,
            },
            ClientMessage::StartReview(asked) => self.review(&asked)?.into(),
            ClientMessage::StopReview => match self.searches.review.take() {
                Some(run) => run.review.stopped().into(),
                None => ServerMessage::Ok,
            },
            ClientMessage::StartMate(asked) => self.look_for_mate(&asked)?.into(),
            ClientMessage::StopMate => match self.searches.mate.take() {
                Some(run) => board::mate::in_state(run.serial, MateState::Stopped).into(),
                None => ServerMessage::Ok,
            },
            ClientMessage::Join(_)
            | ClientMessage::Offer(_)
            | ClientMessage::Reply(_)
            | ClientMessage::StartWatch(_)
            | ClientMessage::StopWatch(_)
            | ClientMessage::Grow(_)
            | ClientMessage::StopGrowing => return Err(needs_a_server()),
        };
        Ok(Some(answer))
    }

    fn analyse(&mut self, asked: &AnalysisRequest) -> Result<AnalysisView, ApiError> {
        let position = asked.resolve()?;
        let known = self.searches.analyses.iter().any(|run| run.subject.slot == asked.slot);
        if !known && self.searches.analyses.len() >= ANALYSES {
            return Err(ApiError::new(ErrorCode::TooMany, format!("at most {ANALYSES} analyses")));
        }
        own(asked.engine.as_deref())?;
        let scale = self.facts.scales().of(position.game());
        let (slot, engine) = (asked.slot.clone(), "nue".to_owned());
        let subject =
            Subject { slot, serial: asked.serial, engine, scale, position: position.clone() };
        self.searches.end_analysis(&asked.slot);
        if let Some(over) = subject.over() {
            return Ok(over);
        }
        let question = asked.question(position);
        let told = subject.queued(0);
        self.searches.analyse(subject, question);
        Ok(told)
    }

    fn review(&mut self, asked: &ReviewRequest) -> Result<ReviewView, ApiError> {
        let position = asked.resolve()?;
        own(asked.engine.as_deref())?;
        let scale = self.facts.scales().of(position.game());
        let review = Review::new(asked.serial, asked.effort, position, scale);
        let queued = review.queued();
        self.searches.review(review);
        Ok(queued)
    }

    fn look_for_mate(&mut self, asked: &MateRequest) -> Result<MateView, ApiError> {
        let position = asked.resolve()?;
        self.searches.look_for_mate(asked.serial, position, (asked.seconds(), asked.shortest));
        Ok(board::mate::in_state(asked.serial, MateState::Queued))
    }
}

/// There is our own engine and no other.
fn own(engine: Option<&str>) -> Result<(), ApiError> {
    match engine {
        None | Some("nue") => Ok(()),
        Some(id) => Err(ApiError::missing(format!("no engine {id:?} is registered"))),
    }
}

fn needs_a_server() -> ApiError {
    ApiError::new(ErrorCode::Unavailable, "this needs a server: start \"nue web\"")
}
