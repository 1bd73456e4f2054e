//! Nothing hangs without a word: what should have happened by now is asked about, and a server that
//! does not answer is left.

use super::{Action, Goodbye, Session, Stage};
use std::time::Duration;
use think::Moment;

/// How long the reason of a refusal may take to follow it.
const REASON: Duration = Duration::from_millis(500);

/// How long the server may take to answer a login, a goodbye and a move, and how long anything else
/// goes on without a remark.
const LOGIN: Duration = Duration::from_secs(30);
const GOODBYE: Duration = Duration::from_secs(10);
const ECHO: Duration = Duration::from_secs(10);
const ENGINE: Duration = Duration::from_secs(30);
const OPPONENT: Duration = Duration::from_secs(60);
const GAME: Duration = Duration::from_secs(600);

/// After so many remarks about a move that does not come back the connection counts as dead.
const ECHOES: u32 = 6;

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// What to say to a login.
    Login,
    /// The end of the session.
    Goodbye,
    Engine,
    /// That the opponent agrees.
    Agreement,
    /// Our own move.
    Echo,
    /// The opponent's move, past its time.
    Move,
    /// What follows when we have resigned or declared, or the engine is started again.
    Sequel,
    Game,
}

impl Session {
    /// Something happens.
    pub(super) const fn went_on(&mut self, now: Moment) {
        self.progress = now;
        self.nags = 0;
    }

    /// What is waited for, and how long without a word.
    fn awaited(&self) -> Option<(Awaited, Duration)> {
        if !self.connected {
            return None;
        }
        if self.leaving {
            return Some((Awaited::Goodbye, GOODBYE));
        }
        Some(match &self.stage {
            Stage::Login => (Awaited::Login, LOGIN),
            Stage::Waiting => (Awaited::Game, GAME),
            Stage::Preparing(_) => (Awaited::Engine, ENGINE),
            Stage::Agreed(_) => (Awaited::Agreement, OPPONENT),
            Stage::Playing(play) if play.sent.is_some() => (Awaited::Echo, ECHO),
            Stage::Playing(play) if play.position.turn() != play.us => {
                // Only a server that lets flags fall says when an opponent should have moved.
                (Awaited::Move, play.budget.available(play.us.opponent())? + OPPONENT)
            }
            Stage::Playing(play) if play.search.is_none() => (Awaited::Sequel, ENGINE),
            Stage::Playing(_) => return None,
        })
    }

    /// When [`Session::worry`] has something to say.
    pub(super) fn next_worry(&self) -> Option<Moment> {
        if let Some(at) = self.refused_at {
            return Some(at + REASON);
        }
        let (_, patience) = self.awaited()?;
        Some(self.progress + patience * (self.nags + 1))
    }

    /// Remarks on what should have happened by now.
    pub(super) fn worry(&mut self, now: Moment) -> Vec<Action> {
        if self.next_worry().is_none_or(|at| now < at) {
            return Vec::new();
        }
        if self.refused_at.take().is_some() {
            return vec![self.refused()];
        }
        let Some((awaited, _)) = self.awaited() else { return Vec::new() };
        self.nags += 1;
        let seconds = now.saturating_sub(self.progress).as_secs();
        let note = |text: String| vec![Action::Note(text)];
        match awaited {
            Awaited::Login => {
                let why = format!("the server has not answered the login for {seconds} s");
                vec![Action::Reconnect(why)]
            }
            Awaited::Goodbye => {
                let text = format!("the server has not answered LOGOUT for {seconds} s");
                vec![Action::Note(text), Action::Close(Goodbye::Done)]
            }
            Awaited::Echo if self.nags >= ECHOES => {
                vec![Action::Reconnect(format!("our move has not come back for {seconds} s"))]
            }
            Awaited::Echo => note(format!("our move has not come back for {seconds} s")),
            Awaited::Engine => note(format!("the engine is still getting ready after {seconds} s")),
            Awaited::Agreement => note(format!("the opponent has not agreed for {seconds} s")),
            Awaited::Move => note(format!("the opponent has not moved for {seconds} s")),
            Awaited::Sequel => note(format!("the game has not gone on for {seconds} s")),
            Awaited::Game => note(format!("still waiting for a game after {} min", seconds / 60)),
        }
    }
}
