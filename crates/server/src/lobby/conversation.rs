//! Connections come and go, and what they say finds its way.

use super::{Closing, ConnId, Connection, ConnectionState, Limits, Lobby, Now, RoomKey, Timer};
use crate::room::Moment;
use csa::{ClientLine, Extended, Received, ServerLine};
use rules::Color;
use std::time::Duration;

/// How long must pass between two empty lines, or after anything else said.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// How long after the end of a game or of a proposal lines about it may still arrive.
const CROSSING: Duration = Duration::from_secs(10);

/// Longest line of a password attempt and the like that is let in before anybody knows who it is.
const LONGEST_LOGIN_LINE: usize = 256;

impl Lobby {
    /// Somebody connects. `false`: there is no room, and the connection is to be closed.
    pub fn connect(&mut self, id: ConnId, peer: &str, now: Now) -> bool {
        let limits = &self.settings.limits;
        let here = self.per_address.get(peer).copied().unwrap_or(0);
        if self.connections.len() >= limits.connections || here >= limits.per_address {
            return false;
        }
        *self.per_address.entry(peer.to_owned()).or_default() += 1;
        let deadline = now.at + limits.login;
        let connection = Connection {
            peer: peer.to_owned(),
            state: ConnectionState::New,
            name: None,
            known: false,
            password: String::new(),
            extended: false,
            waiting: None,
            wanted: None,
            ready: now.at,
            last_line: now.at,
            allowance: f64::from(limits.burst),
            refilled: now.at,
            offences: 0,
            watching: Vec::new(),
            fresh: true,
            echo: false,
            closing: false,
        };
        self.connections.insert(id, connection);
        self.timer(deadline, Timer::Login(id));
        true
    }

    /// A connection is gone, whoever closed it.
    pub fn disconnect(&mut self, id: ConnId, now: Now) {
        let Some(connection) = self.connections.remove(&id) else { return };
        match self.per_address.get_mut(&connection.peer) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                self.per_address.remove(&connection.peer);
            }
        }
        for key in &connection.watching {
            if let Some(open) = self.rooms.get_mut(key) {
                open.watchers.retain(|&(conn, _)| conn != id);
            }
        }
        self.forget_wait(id, connection.waiting.as_ref());
        if let Some(name) = &connection.name
            && self.present.get(name) == Some(&id)
        {
            self.present.remove(name);
        }
        if let ConnectionState::Playing(key, color) = connection.state
            && let Some(open) = self.rooms.get_mut(&key)
        {
            open.players[color.index()] = None;
            let effects = open.room.leave(color, now.at);
            self.perform(key, effects, now);
        }
    }

    /// A line arrived.
    pub fn line(&mut self, id: ConnId, received: &Received, now: Now) {
        // Only the beginning of a line ever decides anything: whatever language or length the
        // comment of a move has, the move counts.
        let (Received::Line(text) | Received::NotText(text) | Received::TooLong(text)) = received;
        let line = ClientLine::parse(text);
        let Some(connection) = self.connections.get(&id).filter(|c| !c.closing) else { return };
        let awaited = self.is_awaited(&connection.state, &line);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if !awaited && !connection.spend(&self.settings.limits, now.at) {
            self.close(id, Closing::Flood);
            return;
        }
        if awaited {
            // Who plays on may say one senseless thing with every move.
            connection.offences = connection.offences.saturating_sub(1);
        }
        let quiet = now.at.saturating_sub(connection.last_line);
        connection.last_line = now.at;
        if line == ClientLine::KeepAlive {
            self.keep_alive(id, quiet, now);
            return;
        }
        let (state, extended) = (connection.state.clone(), connection.extended);
        match (state, line) {
            (ConnectionState::New, line) => {
                let short = matches!(received, Received::Line(_) | Received::NotText(_))
                    && text.len() <= LONGEST_LOGIN_LINE;
                match line {
                    ClientLine::Login { name, password, extended } if short => {
                        self.log_in(id, &name, &password, extended, now);
                    }
                    _ if text.starts_with("LOGIN") => self.malformed_login(id),
                    _ => {
                        self.send(id, "##[ERROR] log in first: LOGIN name password");
                        self.offend(id, 5);
                    }
                }
            }
            (ConnectionState::Checking { .. }, _) => self.offend(id, 1),
            // shogi-server lets these pass, too.
            (_, ClientLine::Extended(Extended::Other(text))) if text.starts_with('%') => {}
            (_, ClientLine::Extended(command)) if extended => self.command(id, command, now),
            (_, ClientLine::Extended(_)) => {
                self.send(id, "##[ERROR] %% commands need a login with x1: LOGIN name password x1");
                self.offend(id, 1);
            }
            (ConnectionState::Playing(key, color), ClientLine::Logout)
                if self.rooms.get(&key).is_some_and(|open| !open.room.is_running()) =>
            {
                self.turn_down(key, color, now);
                self.idle_line(id, &ClientLine::Logout, now);
            }
            (ConnectionState::Playing(key, color), line) => {
                let Some(open) = self.rooms.get_mut(&key) else { return };
                if let Some(why) = open.room.misplaced(color, &line) {
                    self.send(id, &format!("##[ERROR] {why}"));
                    self.offend(id, 1);
                    return;
                }
                let effects = open.room.receive(color, &line, now.at);
                self.perform(key, effects, now);
            }
            (ConnectionState::Idle, line) => self.idle_line(id, &line, now),
        }
    }

    /// Whether the server waits for just this: a player's word in its game or on a proposal. It
    /// never counts towards the limit of lines, however fast two players are.
    fn is_awaited(&self, state: &ConnectionState, line: &ClientLine) -> bool {
        let &ConnectionState::Playing(key, color) = state else { return false };
        let Some(open) = self.rooms.get(&key) else { return false };
        let answers = matches!(
            line,
            ClientLine::Move { .. }
                | ClientLine::Special { .. }
                | ClientLine::Agree(_)
                | ClientLine::Reject(_)
        );
        answers && open.room.awaits(color) && open.room.misplaced(color, line).is_none()
    }

    /// Who leaves turns down what was proposed to it.
    fn turn_down(&mut self, key: RoomKey, color: Color, now: Now) {
        let Some(open) = self.rooms.get_mut(&key) else { return };
        let effects = open.room.receive(color, &ClientLine::Reject(None), now.at);
        self.perform(key, effects, now);
    }

    fn idle_line(&mut self, id: ConnId, line: &ClientLine, now: Now) {
        match line {
            ClientLine::Logout => {
                self.send(id, &ServerLine::LogoutCompleted.to_string());
                self.close(id, Closing::LoggedOut);
            }
            ClientLine::Challenge => self.challenge(id, now),
            ClientLine::Agree(_)
            | ClientLine::Reject(_)
            | ClientLine::Move { .. }
            | ClientLine::Special { .. } => self.no_game(id, now),
            ClientLine::Login { .. } => {
                self.send(id, "##[ERROR] you are logged in already");
                self.offend(id, 1);
            }
            ClientLine::Extended(_) | ClientLine::Other(_) => {
                self.send(id, "##[ERROR] unknown command");
                self.offend(id, 1);
            }
            ClientLine::KeepAlive => self.offend(id, 1),
        }
    }

    /// Answers a word about a game to somebody who has none, unless it may have crossed the end of a
    /// game or of a proposal on its way.
    fn no_game(&mut self, id: ConnId, now: Now) {
        let Some(connection) = self.connections.get(&id) else { return };
        if !connection.fresh && now.at.saturating_sub(connection.ready) < CROSSING {
            return;
        }
        let ask = if connection.extended { "%%GAME" } else { "CHALLENGE" };
        let state = self.waits_for(id, now).unwrap_or_else(|| format!("ask for one with {ask}"));
        self.send(id, &format!("##[ERROR] you have no game: {state}"));
    }

    /// Counts senseless lines; too many of them end the connection.
    pub(super) fn offend(&mut self, id: ConnId, weight: u32) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.offences += weight;
        if connection.offences >= self.settings.limits.offences {
            self.close(id, Closing::Offences);
        }
    }

    /// An empty line is answered with one after a short while, unless it came too soon after
    /// anything else: then it is let pass without an answer.
    fn keep_alive(&mut self, id: ConnId, quiet: Duration, now: Now) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if connection.state == ConnectionState::New {
            self.offend(id, 1);
        } else if quiet >= KEEP_ALIVE && !connection.echo {
            connection.echo = true;
            self.timer(now.at + Self::ECHO, Timer::Echo(id));
        }
    }
}

impl Connection {
    /// Whether one more line may be sent now: so many at once, so many a second.
    fn spend(&mut self, limits: &Limits, now: Moment) -> bool {
        let passed = now.saturating_sub(self.refilled).as_secs_f64();
        self.refilled = now;
        let refill = passed * f64::from(limits.rate);
        self.allowance = (self.allowance + refill).min(f64::from(limits.burst)) - 1.0;
        self.allowance >= 0.0
    }
}
