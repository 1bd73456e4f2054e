//! The client's side of a conversation: lines and thoughts come in, actions go out.
//!
//! No sockets and no clock: what time it is comes with every call, so that whole games can be
//! played in tests.

mod play;
mod thinking;

pub(super) use play::{Finished, Play};

use super::budget::Margin;
use super::mind::{Question, Ticket};
use ::csa::{ClientLine, Message, MessageReader, ServerLine, Summary, Verdict};
use ::server::record::StoredMove;
use kifu::wire;
use rules::{Color, Game};
use std::time::Duration;
use think::{Clocks, Moment};
use usi::GameResult;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(super) struct Wishes {
    pub(super) name: String,
    pub(super) password: String,
    /// Evaluation and line with every move.
    pub(super) comments: bool,
    pub(super) ponder: bool,
    /// Games to play; no end if `None`.
    pub(super) games: Option<u32>,
    /// Ask for another game with `CHALLENGE`.
    pub(super) challenge: bool,
    /// Say something after so long a silence.
    pub(super) keep_alive: Duration,
    /// The margin before any was measured.
    pub(super) margin: Duration,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Send(String),
    Prepare(Game),
    Think(Box<Question>),
    PonderHit(Option<Clocks>),
    Stop,
    Restart(Game),
    GameOver(Option<GameResult>),
    Note(String),
    /// The position has changed.
    Show,
    Save(Box<Finished>),
    /// Hang up, and call again.
    HangUp(String),
    /// Nothing more to do here.
    Close(Farewell),
}

/// Why the session ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Farewell {
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
    Preparing(Box<Play>),
    Agreed(Box<Play>),
    Playing(Box<Play>),
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
pub(super) struct Session {
    wishes: Wishes,
    stage: Stage,
    reader: MessageReader,
    margin: Margin,
    ticket: Ticket,
    played: u32,
    /// When something was last said or heard.
    active: Moment,
    said: Moment,
    leaving: bool,
    /// How often we have been refused since we were let in; `None` before.
    refusals: Option<u32>,
}

impl Session {
    pub(super) fn new(wishes: Wishes) -> Self {
        Self {
            margin: Margin::new(wishes.margin),
            wishes,
            stage: Stage::Login,
            reader: MessageReader::default(),
            ticket: 0,
            played: 0,
            active: Duration::ZERO,
            said: Duration::ZERO,
            leaving: false,
            refusals: None,
        }
    }

    /// Connected, for the first time or again.
    pub(super) fn connected(&mut self, now: Moment) -> Vec<Action> {
        self.reader = MessageReader::default();
        self.stage = Stage::Login;
        let login = ClientLine::Login {
            name: self.wishes.name.clone(),
            password: self.wishes.password.clone(),
            extended: false,
        };
        self.active = now;
        self.send(&login, now)
    }

    /// The connection is gone. A game that ran is kept as it stands; the server may let us take it
    /// up again.
    pub(super) fn disconnected(&mut self) -> Vec<Action> {
        match std::mem::replace(&mut self.stage, Stage::Login) {
            Stage::Playing(play) => {
                vec![Action::Save(Box::new(play.finished(None))), Action::GameOver(None)]
            }
            Stage::Preparing(_) | Stage::Agreed(_) => vec![Action::GameOver(None)],
            Stage::Login | Stage::Waiting => Vec::new(),
        }
    }

    /// Whether we are logged in.
    pub(super) const fn is_in(&self) -> bool {
        !matches!(self.stage, Stage::Login)
    }

    /// Whether all that was asked for is done.
    pub(super) const fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// The game being played.
    pub(super) const fn play(&self) -> Option<&Play> {
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
    pub(super) fn line(&mut self, line: &str, now: Moment) -> Vec<Action> {
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
            Some(Message::Line(line)) => self.hear(line, now),
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
        self.stage = Stage::Preparing(Box::new(Play::new(summary)));
        vec![Action::Note(note), Action::Prepare(game)]
    }

    fn hear(&mut self, line: ServerLine, now: Moment) -> Vec<Action> {
        match line {
            ServerLine::LoginOk(_) => {
                self.stage = Stage::Waiting;
                self.refusals = Some(0);
                vec![Action::Note("logged in".to_owned())]
            }
            ServerLine::LoginIncorrect => self.refused(),
            ServerLine::LogoutCompleted => vec![Action::Close(Farewell::Done)],
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
                if self.wishes.challenge {
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
                vec![Action::HangUp("the server refused the login".to_owned())]
            }
            _ => vec![Action::Close(Farewell::Refused)],
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
        play.moves.push(StoredMove { text: text.to_owned(), time, comment });
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
        if self.wishes.games.is_some_and(|games| self.played >= games) {
            self.leaving = true;
            actions.extend(self.send(&ClientLine::Logout, now));
        } else if self.wishes.challenge {
            actions.extend(self.send(&ClientLine::Challenge, now));
        }
        actions
    }

    /// What is kept of our time. However slow the network has been, two thirds are left to think:
    /// to keep more would be to lose by moves instead of by time.
    fn reserves(&self, play: &Play) -> Reserves {
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
    pub(super) fn next_wake(&self) -> Option<Moment> {
        let quiet = match self.stage {
            Stage::Login => None,
            _ => Some(self.active.max(self.said) + self.wishes.keep_alive),
        };
        let flag = self.play().and_then(|play| {
            let asked = play.asked.filter(|asked| asked.ponder.is_none())?;
            let end = play.end_of_time()?;
            let reserves = self.reserves(play);
            Some(end.saturating_sub(if asked.stopped { reserves.last } else { reserves.stop }))
        });
        quiet.into_iter().chain(flag).min()
    }

    /// Does what is due: stops an engine that takes too long, plays without one that does not
    /// stop, breaks a long silence.
    pub(super) fn wake(&mut self, now: Moment) -> Vec<Action> {
        let mut actions = Vec::new();
        let reserves = self.play().map(|play| self.reserves(play));
        if let Stage::Playing(play) = &mut self.stage
            && let Some(reserves) = reserves
            && let Some(end) = play.end_of_time()
            && let Some(asked) = &mut play.asked
            && asked.ponder.is_none()
        {
            if now >= end.saturating_sub(reserves.last) {
                let game = play.position.game();
                actions.push(Action::Note("the engine does not answer in time".to_owned()));
                actions.extend(self.play_fallback(now));
                actions.push(Action::Restart(game));
            } else if now >= end.saturating_sub(reserves.stop) && !asked.stopped {
                asked.stopped = true;
                actions.push(Action::Stop);
            }
        }
        if !matches!(self.stage, Stage::Login)
            && now >= self.active.max(self.said) + self.wishes.keep_alive
        {
            actions.extend(self.send(&ClientLine::KeepAlive, now));
        }
        actions
    }
}

#[cfg(test)]
mod tests;
