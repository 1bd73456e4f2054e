//! The client's side of a conversation with a server: lines and what the engine says come in,
//! actions go out.
//!
//! No sockets and no clock: what time it is comes with every call, so that whole games can be
//! played in tests.

mod game;
mod thinking;

pub(crate) use game::FinishedGame;
pub use game::OngoingGame;

use crate::time_budget::NetworkMargin;
use csa::record::RecordedMove;
use csa::{ClientLine, Message, MessageReader, ServerLine, Summary, Verdict};
use engines::background::SearchId;
use kifu::wire;
use rules::{AnyPosition, Color, Game};
use std::time::Duration;
use think::{Clocks, Moment};
use usi::GameResult;

/// How to behave on a server.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    pub name: String,
    pub password: String,
    /// Evaluation and line with every move.
    pub comments: bool,
    pub ponder: bool,
    /// Games to play; no end if `None`.
    pub games: Option<u32>,
    /// Ask for another game with `CHALLENGE`.
    pub challenge: bool,
    /// Send an empty line after so long a silence.
    pub keep_alive: Duration,
    /// The margin before any was measured.
    pub margin: Duration,
}

/// A position the engine is to think about.
#[derive(Clone, Debug)]
pub(crate) struct SearchRequest {
    pub(crate) id: SearchId,
    /// With the moves of the game, the last one only expected if `ponder`.
    pub(crate) position: AnyPosition,
    /// `None` if nothing limits the time.
    pub(crate) clocks: Option<Clocks>,
    pub(crate) ponder: bool,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Send(String),
    Prepare(Game),
    Think(Box<SearchRequest>),
    PonderHit(Option<Clocks>),
    Stop,
    Restart(Game),
    GameOver(Option<GameResult>),
    Note(String),
    /// The position has changed.
    Show,
    Save(Box<FinishedGame>),
    /// Close the connection, and connect again.
    Reconnect(String),
    /// Nothing more to do here.
    Close(Goodbye),
}

/// How the session ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goodbye {
    /// All games are played.
    Done,
    /// The server does not let us in.
    Refused,
}

enum Stage {
    /// The password has been sent.
    Login,
    Waiting,
    /// The engine is getting ready.
    Preparing(Box<OngoingGame>),
    Agreed(Box<OngoingGame>),
    Playing(Box<OngoingGame>),
}

/// What is kept over the margin for our own slowness: before doing without the engine, and before
/// stopping it, which is to leave it a moment to answer, a tenth of the time within these bounds.
const LAST_RESERVE: Duration = Duration::from_millis(20);
const STOP_RESERVE: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(300)];

/// How often a login may be refused after one was accepted: fewer times than make a server
/// suspicious.
const REFUSALS: u32 = 8;

/// What is kept of the time of a move.
#[derive(Clone, Copy)]
struct Reserves {
    stop: Duration,
    last: Duration,
}

/// The conversation.
pub(crate) struct Session {
    settings: SessionSettings,
    stage: Stage,
    reader: MessageReader,
    margin: NetworkMargin,
    /// Of the latest search.
    search_id: SearchId,
    played: u32,
    /// When something was last said or heard.
    active: Moment,
    said: Moment,
    leaving: bool,
    /// How often we have been refused since we were let in; `None` before.
    refusals: Option<u32>,
}

impl Session {
    pub(crate) fn new(settings: SessionSettings) -> Self {
        Self {
            margin: NetworkMargin::new(settings.margin),
            settings,
            stage: Stage::Login,
            reader: MessageReader::default(),
            search_id: 0,
            played: 0,
            active: Duration::ZERO,
            said: Duration::ZERO,
            leaving: false,
            refusals: None,
        }
    }

    /// Connected, for the first time or again.
    pub(crate) fn connected(&mut self, now: Moment) -> Vec<Action> {
        self.reader = MessageReader::default();
        self.stage = Stage::Login;
        let login = ClientLine::Login {
            name: self.settings.name.clone(),
            password: self.settings.password.clone(),
            extended: false,
        };
        self.active = now;
        self.send(&login, now)
    }

    /// The connection is gone. A game that ran is kept as it stands; the server may let us take it
    /// up again.
    pub(crate) fn disconnected(&mut self) -> Vec<Action> {
        match std::mem::replace(&mut self.stage, Stage::Login) {
            Stage::Playing(play) => {
                vec![Action::Save(Box::new(play.finished(None))), Action::GameOver(None)]
            }
            Stage::Preparing(_) | Stage::Agreed(_) => vec![Action::GameOver(None)],
            Stage::Login | Stage::Waiting => Vec::new(),
        }
    }

    /// Whether we are logged in.
    pub(crate) const fn is_in(&self) -> bool {
        !matches!(self.stage, Stage::Login)
    }

    /// Whether all that was asked for is done.
    pub(crate) const fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// The game being played.
    pub(crate) const fn game(&self) -> Option<&OngoingGame> {
        match &self.stage {
            Stage::Playing(play) => Some(play),
            _ => None,
        }
    }

    fn send(&mut self, line: &ClientLine, now: Moment) -> Vec<Action> {
        self.active = now;
        self.said = now;
        vec![Action::Send(line.to_string())]
    }

    /// A line from the server.
    pub(crate) fn line(&mut self, line: &str, now: Moment) -> Vec<Action> {
        self.active = now;
        match self.reader.line(line) {
            None => Vec::new(),
            Some(Message::Summary(summary)) => self.proposed(*summary),
            Some(Message::BadSummary(error)) => {
                let mut actions = vec![Action::Note(format!(
                    "a game was proposed that cannot be played: {error}"
                ))];
                actions.extend(self.send(&ClientLine::Reject(None), now));
                actions
            }
            Some(Message::Line(line)) => self.receive(line, now),
        }
    }

    fn proposed(&mut self, summary: Summary) -> Vec<Action> {
        let game = summary.start.game();
        let note = format!(
            "{}: {} against {}, we are {}{}",
            summary.id,
            summary.names[0],
            summary.names[1],
            if summary.your_turn == Color::Black { "Black" } else { "White" },
            if summary.played.is_empty() {
                String::new()
            } else {
                format!(", {} moves played", summary.played.len())
            },
        );
        self.stage = Stage::Preparing(Box::new(OngoingGame::new(summary)));
        vec![Action::Note(note), Action::Prepare(game)]
    }

    fn receive(&mut self, line: ServerLine, now: Moment) -> Vec<Action> {
        match line {
            ServerLine::LoginOk(_) => {
                self.stage = Stage::Waiting;
                self.refusals = Some(0);
                vec![Action::Note("logged in".to_owned())]
            }
            ServerLine::LoginIncorrect => self.refused(),
            ServerLine::LogoutCompleted => vec![Action::Close(Goodbye::Done)],
            ServerLine::Start(_) => match std::mem::replace(&mut self.stage, Stage::Waiting) {
                Stage::Agreed(mut play) => {
                    play.turn_since = now;
                    self.stage = Stage::Playing(play);
                    let mut actions = vec![Action::Show];
                    actions.extend(self.begin_turn(None, now));
                    actions
                }
                other => {
                    self.stage = other;
                    Vec::new()
                }
            },
            ServerLine::Rejected { by, .. } => {
                self.stage = Stage::Waiting;
                let note = Action::Note(format!("{by} rejected the game"));
                let mut actions = vec![Action::GameOver(None), note];
                if self.settings.challenge {
                    actions.extend(self.send(&ClientLine::Challenge, now));
                }
                actions
            }
            ServerLine::Move { text, time } => self.moved(&text, time.unwrap_or_default(), now),
            ServerLine::Special { special, time } => {
                if let Stage::Playing(play) = &mut self.stage {
                    play.last = Some((special.word().to_owned(), time.unwrap_or_default()));
                }
                Vec::new()
            }
            ServerLine::Reason(reason) => {
                if let Stage::Playing(play) = &mut self.stage {
                    play.reason = Some(reason);
                }
                Vec::new()
            }
            ServerLine::Verdict(verdict) => self.ended(verdict, now),
            ServerLine::ChallengeAccepted | ServerLine::KeepAlive => Vec::new(),
            ServerLine::Info { tag, text } => vec![Action::Note(format!("[{tag}] {text}"))],
            ServerLine::Other(text) => {
                if let Stage::Playing(play) = &mut self.stage {
                    play.last = Some((text.clone(), Duration::ZERO));
                }
                vec![Action::Note(format!("the server says {text:?}"))]
            }
        }
    }

    /// Whoever was let in with this password will be again: the server may think that our old
    /// connection still stands, or have too much to do.
    fn refused(&mut self) -> Vec<Action> {
        match &mut self.refusals {
            Some(count) if *count < REFUSALS => {
                *count += 1;
                vec![Action::Reconnect("the server refused the login".to_owned())]
            }
            _ => vec![Action::Close(Goodbye::Refused)],
        }
    }

    fn moved(&mut self, text: &str, time: Duration, now: Moment) -> Vec<Action> {
        let margin = &mut self.margin;
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        let Ok(m) = wire::read_move(&play.position, text) else {
            // The end of the game follows, if the server has the same rules.
            play.last = Some((text.to_owned(), time));
            return vec![Action::Note(format!("{text} is not legal here"))];
        };
        let mover = play.position.turn();
        play.position.play(m);
        play.budget.played(mover, time);
        play.turn_since = now;
        play.passed = Duration::ZERO;
        let mut comment = None;
        if mover == play.us
            && let Some((sent, said)) = play.sent.take()
        {
            margin.learn(now.saturating_sub(sent));
            comment = said;
        }
        play.moves.push(RecordedMove { text: text.to_owned(), time, comment });
        let mut actions = vec![Action::Show];
        if mover == play.us {
            actions.extend(self.begin_pondering());
        } else {
            actions.extend(self.begin_turn(Some(m), now));
        }
        actions
    }

    fn ended(&mut self, verdict: Verdict, now: Moment) -> Vec<Action> {
        let Stage::Playing(play) = std::mem::replace(&mut self.stage, Stage::Waiting) else {
            return Vec::new();
        };
        let result = match verdict {
            Verdict::Win => Some(GameResult::Win),
            Verdict::Lose => Some(GameResult::Lose),
            Verdict::Draw | Verdict::Censored => Some(GameResult::Draw),
            Verdict::Chudan => None,
        };
        let end = match (play.reason, verdict) {
            (_, Verdict::Chudan) | (None, _) => None,
            (Some(reason), verdict) => Some((reason, verdict)),
        };
        let why = play.reason.map_or_else(String::new, |reason| format!(" by {}", reason.word()));
        let note = format!("{}: {}{why}", play.summary.id, verdict.word());
        let mut actions = vec![
            Action::GameOver(result),
            Action::Note(note),
            Action::Save(Box::new(play.finished(end))),
        ];
        if verdict != Verdict::Chudan {
            self.played += 1;
        }
        if self.settings.games.is_some_and(|games| self.played >= games) {
            self.leaving = true;
            actions.extend(self.send(&ClientLine::Logout, now));
        } else if self.settings.challenge {
            actions.extend(self.send(&ClientLine::Challenge, now));
        }
        actions
    }

    /// What is kept of our time. However slow the network has been, two thirds are left to think:
    /// to keep more would be to lose by moves instead of by time.
    fn reserves(&self, play: &OngoingGame) -> Reserves {
        let margin = self.margin.now();
        let [least, most] = STOP_RESERVE;
        let Some(available) = play.budget.available(play.us) else {
            return Reserves { stop: margin + least, last: margin + LAST_RESERVE };
        };
        let stop = margin + (available / 10).clamp(least, most);
        let last = margin + LAST_RESERVE;
        Reserves { stop: stop.min(available / 3), last: last.min(available / 4) }
    }

    /// When [`Session::wake`] has something to do.
    pub(crate) fn next_wake(&self) -> Option<Moment> {
        let quiet = match self.stage {
            Stage::Login => None,
            _ => Some(self.active.max(self.said) + self.settings.keep_alive),
        };
        let flag = self.game().and_then(|play| {
            let search = play.search.filter(|search| search.ponder.is_none())?;
            let end = play.end_of_time()?;
            let reserves = self.reserves(play);
            Some(end.saturating_sub(if search.stopped { reserves.last } else { reserves.stop }))
        });
        quiet.into_iter().chain(flag).min()
    }

    /// Does what is due: stops an engine that takes too long, plays without one that does not
    /// stop, breaks a long silence.
    pub(crate) fn wake(&mut self, now: Moment) -> Vec<Action> {
        let mut actions = Vec::new();
        let reserves = self.game().map(|play| self.reserves(play));
        if let Stage::Playing(play) = &mut self.stage
            && let Some(reserves) = reserves
            && let Some(end) = play.end_of_time()
            && let Some(search) = &mut play.search
            && search.ponder.is_none()
        {
            if now >= end.saturating_sub(reserves.last) {
                let game = play.position.game();
                actions.push(Action::Note("the engine does not answer in time".to_owned()));
                actions.extend(self.play_fallback(now));
                actions.push(Action::Restart(game));
            } else if now >= end.saturating_sub(reserves.stop) && !search.stopped {
                search.stopped = true;
                actions.push(Action::Stop);
            }
        }
        if !matches!(self.stage, Stage::Login)
            && now >= self.active.max(self.said) + self.settings.keep_alive
        {
            actions.extend(self.send(&ClientLine::KeepAlive, now));
        }
        actions
    }
}

#[cfg(test)]
mod tests;
