//! A game against somebody whose moves are typed in, as the championship's rules demand of every
//! entrant: board and clocks are shown, and a game can begin anywhere with any time left.
//!
//! The game is played in a room of the server, of which the engine is one player and whoever types
//! is the other.

use super::mind::Mind;
use super::session::{Action, Session, Wishes};
use super::{CsaArgs, Event, keep, standing};
use crate::failure::{Failure, Outcome};
use crate::input::{Line, next_line};
use ::csa::{ClientLine, Special, TimeRule};
use ::server::conditions::Conditions;
use ::server::room::{Effect, Room};
use kifu::wire;
use rules::{AnyPosition, Color, Declaration, Move};
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use think::TimeSource;

const HELP: &str =
    "type a move (3c3d, +3334FU or 3334FU), resign, win, back [MOVES], board, help or quit";

struct Manual<'a> {
    args: &'a CsaArgs,
    room: Room,
    session: Session,
    mind: Box<dyn Mind>,
    time: Arc<dyn TimeSource>,
    us: Color,
    over: bool,
    /// Typed before the game could begin.
    ahead: VecDeque<String>,
}

pub(super) fn run(
    args: &CsaArgs,
    mind: Box<dyn Mind>,
    time: &Arc<dyn TimeSource>,
    sender: &Sender<Event>,
    events: &Receiver<Event>,
) -> Outcome {
    let us = match args.color.as_str() {
        "black" => Color::Black,
        "white" => Color::White,
        other => return Err(Failure::usage(format!("--color is black or white, not {other:?}"))),
    };
    let own = rule(&args.time)?;
    let other = args.opponent_time.as_deref().map_or_else(|| Ok(own.clone()), rule)?;
    let position = args.position.resolve()?;
    let times = if us == Color::Black { [own, other] } else { [other, own] };
    let names = if us == Color::Black { ["engine", "opponent"] } else { ["opponent", "engine"] };
    let moves = position.moves_played();
    let mut start = position;
    for _ in &moves {
        start.undo();
    }
    let conditions = Conditions {
        id: "manual".to_owned(),
        times,
        start,
        ..Conditions::plain("manual", names, TimeRule::default())
    };
    let typed = sender.clone();
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(line) = next_line(&mut input) {
            let (Line::Text(text) | Line::NotText(text)) = line else { continue };
            if typed.send(Event::Typed(Some(text.trim().to_owned()))).is_err() {
                return;
            }
        }
        let _ = typed.send(Event::Typed(None));
    })?;
    let mut manual = Manual {
        args,
        room: Room::new(Arc::new(conditions.clone()), None),
        session: session(args),
        mind,
        time: Arc::clone(time),
        us,
        over: false,
        ahead: VecDeque::new(),
    };
    say(HELP)?;
    manual.begin(conditions, &moves)?;
    manual.converse(events)
}

fn session(args: &CsaArgs) -> Session {
    Session::new(Wishes {
        name: "engine".to_owned(),
        password: String::new(),
        comments: true,
        ponder: !args.no_ponder,
        games: None,
        challenge: false,
        keep_alive: Duration::from_secs(864_000),
        // Nothing lies between engine and clock but this program.
        margin: Duration::from_millis(20),
    })
}

fn say(text: &str) -> Outcome {
    writeln!(std::io::stdout().lock(), "{text}")?;
    Ok(())
}

/// `900+5`, `600/10`, `900`.
fn rule(text: &str) -> Result<TimeRule, Failure> {
    let number = |text: &str| {
        let plain = text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u64>().ok().filter(|&n| plain && n <= 864_000)
    };
    let parsed = if let Some((total, increment)) = text.split_once('+') {
        number(total).zip(number(increment)).map(|(t, i)| TimeRule::fischer(t, i))
    } else {
        let (total, byoyomi) = text.split_once('/').unwrap_or((text, "0"));
        number(total).zip(number(byoyomi)).map(|(t, b)| TimeRule::seconds(t, b))
    };
    parsed.ok_or_else(|| {
        Failure::usage(format!("{text:?} is no time: seconds, as 900, 900+5 or 600/10"))
    })
}

impl Manual<'_> {
    /// Begins or goes on from those moves.
    fn begin(&mut self, conditions: Conditions, moves: &[Move]) -> Outcome {
        let mut position = conditions.start.clone();
        let mut played = Vec::new();
        for &m in moves {
            played.push((wire::write_move(&position, m), Duration::ZERO));
            position.play(m);
        }
        let stored = played.iter().map(|(text, time)| (text.as_str(), *time));
        let room = Room::restore(Arc::new(conditions), None, stored, [0; 2]);
        self.room = room.ok_or_else(|| Failure::failed("these moves cannot be played"))?;
        self.session = session(self.args);
        let now = self.time.now();
        self.session.connected(now);
        let actions = self.session.line("LOGIN:engine OK", now);
        self.perform(actions)?;
        let effects = self.room.propose(self.time.now());
        self.effects(effects)?;
        self.hear(self.us.opponent(), &ClientLine::Agree(None))
    }

    fn converse(&mut self, events: &Receiver<Event>) -> Outcome {
        while !self.over {
            let now = self.time.now();
            let due = self.session.next_wake().into_iter().chain(self.room.deadline()).min();
            let wait = due.map_or(Duration::from_secs(60), |at| at.saturating_sub(now));
            match events.recv_timeout(wait) {
                Ok(Event::Mind(thought)) => {
                    let actions = self.session.thought(thought, self.time.now());
                    self.perform(actions)?;
                }
                Ok(Event::Typed(Some(text))) => self.ahead.push_back(text),
                Ok(Event::Typed(None) | Event::Interrupt) | Err(RecvTimeoutError::Disconnected) => {
                    return Ok(());
                }
                Ok(Event::Link(..)) | Err(RecvTimeoutError::Timeout) => {}
            }
            while self.room.is_running()
                && let Some(text) = self.ahead.pop_front()
            {
                self.typed(&text)?;
            }
            let now = self.time.now();
            let actions = self.session.wake(now);
            self.perform(actions)?;
            let effects = self.room.wake(self.time.now());
            self.effects(effects)?;
        }
        Ok(())
    }

    fn hear(&mut self, from: Color, line: &ClientLine) -> Outcome {
        let effects = self.room.hear(from, line, self.time.now());
        self.effects(effects)
    }

    /// What the room says to the engine goes to its session; the other player reads the screen.
    fn effects(&mut self, effects: Vec<Effect>) -> Outcome {
        for effect in effects {
            if let Effect::Tell(to, text) = effect
                && to == self.us
            {
                for line in text.split('\n') {
                    let actions = self.session.line(line, self.time.now());
                    self.perform(actions)?;
                }
            }
        }
        Ok(())
    }

    fn perform(&mut self, actions: Vec<Action>) -> Outcome {
        for action in actions {
            match action {
                Action::Send(line) => {
                    let line = ClientLine::parse(&line);
                    if let ClientLine::Move { text, .. } = &line {
                        say(&format!("engine: {text}"))?;
                    }
                    if !matches!(line, ClientLine::Login { .. } | ClientLine::KeepAlive) {
                        self.hear(self.us, &line)?;
                    }
                }
                Action::Prepare(game) => self.mind.prepare(game),
                Action::Think(question) => self.mind.think(*question),
                Action::PonderHit(clocks) => self.mind.ponderhit(clocks),
                Action::Stop => self.mind.stop(),
                Action::Restart(game) => self.mind.restart(game),
                Action::GameOver(result) => {
                    self.mind.game_over(result);
                    self.over = self.room.finish().is_some();
                }
                Action::Note(text) => say(&text)?,
                Action::Show => {
                    if let Some(play) = self.session.play() {
                        say(&standing(play, true))?;
                    }
                }
                Action::Save(game) => {
                    if let Some(folder) = &self.args.records {
                        let path = keep::save(folder, &game).map_err(Failure::failed)?;
                        say(&format!("record: {}", path.display()))?;
                    }
                }
                Action::Close(_) | Action::HangUp(_) => self.over = true,
            }
        }
        Ok(())
    }

    fn typed(&mut self, text: &str) -> Outcome {
        let them = self.us.opponent();
        let mut words = text.split_whitespace();
        match (words.next().unwrap_or_default(), words.next()) {
            ("", _) => Ok(()),
            ("quit", _) => {
                self.over = true;
                Ok(())
            }
            ("help", _) => say(HELP),
            ("board", _) => say(&kifu::diagram(self.room.position())),
            ("back", count) => {
                let count = count.map_or(Some(2), |c| c.parse().ok());
                let Some(count) = count else { return say("back takes a number of moves") };
                let mut moves = self.room.position().moves_played();
                moves.truncate(moves.len().saturating_sub(count));
                self.mind.game_over(None);
                let conditions = (**self.room.conditions()).clone();
                self.begin(conditions, &moves)
            }
            (_, _) if self.room.position().turn() != them => say("it is not the opponent's turn"),
            ("resign", _) => {
                let special = Special::Resign;
                self.hear(them, &ClientLine::Special { special, comment: None })
            }
            ("win", _) if self.room.position().can_declare(Declaration::Points27) => {
                let special = Special::Declare;
                self.hear(them, &ClientLine::Special { special, comment: None })
            }
            ("win", _) => say("the conditions of a declaration are not met"),
            (text, _) => match understood(self.room.position(), text) {
                Some(m) => {
                    let line = ClientLine::plain_move(&wire::write_move(self.room.position(), m));
                    self.hear(them, &line)
                }
                None => say(&format!("{text:?} is no legal move here; {HELP}")),
            },
        }
    }
}

/// A typed move in either notation.
fn understood(position: &AnyPosition, text: &str) -> Option<Move> {
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
            assert_eq!(understood(&position, text), want, "{text}");
        }
        for text in ["7g7e", "-7776FU", "x", "7776", "鵺"] {
            assert_eq!(understood(&position, text), None, "{text}");
        }
    }

    #[test]
    fn times_as_people_type_them() {
        assert_eq!(rule("900+5").unwrap(), TimeRule::fischer(900, 5));
        assert_eq!(rule("600/10").unwrap(), TimeRule::seconds(600, 10));
        assert_eq!(rule("60").unwrap(), TimeRule::seconds(60, 0));
        for bad in ["", "x", "1+", "1+x", "-1", "99999999"] {
            assert!(rule(bad).is_err(), "{bad}");
        }
    }
}
