//! A game against somebody whose moves are typed in, as the championship's rules demand of every
//! entrant: board and clocks are shown, and a game can begin anywhere with any time left.

use crate::error::Error;
use crate::inputs::{Event, Events};
use crate::local_game::{Conditions, LocalGame};
use crate::player::SessionEngine;
use crate::records;
use crate::session::{Action, Session, SessionSettings};
use crate::{EngineSettings, Report, Reporter};
use csa::{ClientLine, Special, TimeRule};
use kifu::wire;
use rules::{AnyPosition, Color, Move};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

const HELP: &str =
    "type a move (3c3d, +3334FU or 3334FU), resign, win, back [MOVES], board, help or quit";

/// A game to be played by hand.
#[derive(Clone, Debug)]
pub struct ManualSettings {
    pub engine: EngineSettings,
    pub engine_color: Color,
    pub engine_time: TimeRule,
    pub opponent_time: TimeRule,
    /// Where it begins, with moves already played.
    pub position: AnyPosition,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// Where the record is kept.
    pub records: Option<PathBuf>,
}

/// Plays a game against whoever types.
pub fn play_manually(
    settings: ManualSettings,
    events: &Events,
    report: Reporter<'_>,
) -> Result<(), Error> {
    let (own, other) = (settings.engine_time, settings.opponent_time);
    let times = if settings.engine_color == Color::Black { [own, other] } else { [other, own] };
    let moves = settings.position.moves_played();
    let mut start = settings.position;
    for _ in &moves {
        start.undo();
    }
    let conditions = Conditions { engine: settings.engine_color, start, times };
    let mut manual = ManualGame {
        game: LocalGame::new(conditions, &moves).ok_or(Error::Moves)?,
        session: Session::new(session_settings(settings.ponder)),
        ponder: settings.ponder,
        engine: SessionEngine::start(&settings.engine, events),
        records: settings.records,
        report,
        ended: false,
        ahead: VecDeque::new(),
    };
    manual.say(HELP)?;
    manual.propose()?;
    manual.converse(events)
}

fn session_settings(ponder: bool) -> SessionSettings {
    SessionSettings {
        name: "engine".to_owned(),
        password: String::new(),
        comments: true,
        ponder,
        games: None,
        challenge: false,
        keep_alive: Duration::from_secs(864_000),
        // Nothing lies between engine and clock but this program.
        margin: Duration::from_millis(20),
    }
}

struct ManualGame<'a> {
    game: LocalGame,
    session: Session,
    ponder: bool,
    engine: SessionEngine,
    records: Option<PathBuf>,
    report: Reporter<'a>,
    ended: bool,
    /// Typed before the game could begin.
    ahead: VecDeque<String>,
}

impl ManualGame<'_> {
    /// Proposes the game to the engine, from where it stands.
    fn propose(&mut self) -> Result<(), Error> {
        self.session = Session::new(session_settings(self.ponder));
        let now = self.engine.now();
        self.session.connected(now);
        let actions = self.session.line("LOGIN:engine OK", now);
        self.perform(actions)?;
        let proposal = self.game.proposal();
        self.pass_to_session(&proposal)
    }

    fn converse(&mut self, events: &Events) -> Result<(), Error> {
        while !self.ended {
            let now = self.engine.now();
            let due = self.session.next_wake().into_iter().chain(self.game.deadline()).min();
            let wait = due.map_or(Duration::from_secs(60), |at| at.saturating_sub(now));
            match events.receive(wait) {
                Ok(Event::Engine(event)) => {
                    let actions = self.session.engine(event, self.engine.now());
                    self.perform(actions)?;
                }
                Ok(Event::Typed(Some(text))) => self.ahead.push_back(text),
                Ok(Event::Typed(None) | Event::Interrupt) | Err(RecvTimeoutError::Disconnected) => {
                    return Ok(());
                }
                Ok(Event::Connection(..)) | Err(RecvTimeoutError::Timeout) => {}
            }
            while self.game.is_running()
                && let Some(text) = self.ahead.pop_front()
            {
                self.typed(&text)?;
            }
            let actions = self.session.wake(self.engine.now());
            self.perform(actions)?;
            if let Some(text) = self.game.wake(self.engine.now()) {
                self.pass_to_session(&text)?;
            }
        }
        Ok(())
    }

    fn say_to_game(&mut self, from: Color, line: &ClientLine) -> Result<(), Error> {
        let reply = self.game.receive(from, line, self.engine.now());
        reply.map_or(Ok(()), |text| self.pass_to_session(&text))
    }

    /// What the game says goes to the engine's session; the other player reads the screen.
    fn pass_to_session(&mut self, text: &str) -> Result<(), Error> {
        for line in text.split('\n') {
            let actions = self.session.line(line, self.engine.now());
            self.perform(actions)?;
        }
        Ok(())
    }

    fn perform(&mut self, actions: Vec<Action>) -> Result<(), Error> {
        for action in actions {
            match action {
                Action::Send(line) => {
                    let line = ClientLine::parse(&line);
                    if let ClientLine::Move { text, .. } = &line {
                        self.say(&format!("engine: {text}"))?;
                    }
                    if !matches!(line, ClientLine::Login { .. } | ClientLine::KeepAlive) {
                        self.say_to_game(self.game.conditions().engine, &line)?;
                    }
                }
                Action::GameOver(_) => {
                    self.engine.perform(action);
                    self.ended = self.game.is_over();
                }
                Action::Note(text) => self.say(&text)?,
                Action::Show => {
                    if let Some(game) = self.session.game() {
                        (self.report)(Report::Game(game))?;
                    }
                }
                Action::Save(game) => {
                    if let Some(folder) = &self.records {
                        let path = records::save(folder, &game)?;
                        self.say(&format!("record: {}", path.display()))?;
                    }
                }
                Action::Close(_) | Action::Reconnect(_) => self.ended = true,
                other => drop(self.engine.perform(other)),
            }
        }
        Ok(())
    }

    fn typed(&mut self, text: &str) -> Result<(), Error> {
        let them = self.game.conditions().engine.opponent();
        let mut words = text.split_whitespace();
        match (words.next().unwrap_or_default(), words.next()) {
            ("", _) => Ok(()),
            ("quit", _) => {
                self.ended = true;
                Ok(())
            }
            ("help", _) => self.say(HELP),
            ("board", _) => Ok((self.report)(Report::Board(self.game.position()))?),
            ("back", count) => self.back(count),
            (_, _) if self.game.position().turn() != them => {
                self.say("it is not the opponent's turn")
            }
            ("resign", _) => self.say_to_game(them, &special(Special::Resign)),
            ("win", _) if self.game.can_declare() => {
                self.say_to_game(them, &special(Special::Declare))
            }
            ("win", _) => self.say("the conditions of a declaration are not met"),
            (text, _) => match parse_move(self.game.position(), text) {
                Some(m) => {
                    let line = ClientLine::plain_move(&wire::write_move(self.game.position(), m));
                    self.say_to_game(them, &line)
                }
                None => self.say(&format!("{text:?} is not a legal move here; {HELP}")),
            },
        }
    }

    /// Takes moves back, two unless told otherwise.
    fn back(&mut self, count: Option<&str>) -> Result<(), Error> {
        let count = count.map_or(Some(2), |c| c.parse().ok());
        let Some(count) = count else { return self.say("back takes a number of moves") };
        let mut moves = self.game.position().moves_played();
        moves.truncate(moves.len().saturating_sub(count));
        self.engine.break_off();
        let conditions = self.game.conditions().clone();
        self.game = LocalGame::new(conditions, &moves).ok_or(Error::Moves)?;
        self.propose()
    }

    fn say(&mut self, text: &str) -> Result<(), Error> {
        Ok((self.report)(Report::Note(text))?)
    }
}

fn special(special: Special) -> ClientLine {
    ClientLine::Special { special, comment: None }
}

/// A typed move in either notation.
fn parse_move(position: &AnyPosition, text: &str) -> Option<Move> {
    let sign = if position.turn() == Color::Black { '+' } else { '-' };
    let upper = text.to_ascii_uppercase();
    position
        .parse_usi(text)
        .ok()
        .or_else(|| wire::read_move(position, &upper).ok())
        .or_else(|| wire::read_move(position, &format!("{sign}{upper}")).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    #[test]
    fn moves_as_people_type_them() {
        let position = AnyPosition::startpos(Game::Shogi);
        let want = position.parse_usi("7g7f").ok();
        for text in ["7g7f", "+7776FU", "7776FU", "7776fu"] {
            assert_eq!(parse_move(&position, text), want, "{text}");
        }
        for text in ["7g7e", "-7776FU", "x", "7776", "鵺"] {
            assert_eq!(parse_move(&position, text), None, "{text}");
        }
    }
}
