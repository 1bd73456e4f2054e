//! Connections come and go, and what they say finds its way.

use super::{ConnId, Connection, ConnectionState, Effect, Lobby, Now, Timer};
use csa::{ClientLine, Extended, Received, ServerLine};
use std::time::Duration;

/// How long must pass between two empty lines, or after anything else said.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

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
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let limits = self.settings.limits;
        // So many at once, so many a second.
        let passed = now.at.saturating_sub(connection.refilled).as_secs_f64();
        connection.refilled = now.at;
        let refill = passed * f64::from(limits.rate);
        connection.allowance = (connection.allowance + refill).min(f64::from(limits.burst)) - 1.0;
        if connection.allowance < 0.0 {
            self.out.push(Effect::Close(id));
            return;
        }
        let quiet = now.at.saturating_sub(connection.last_line);
        connection.last_line = now.at;
        let line = match received {
            Received::Line(text) if is_plain(text) => ClientLine::parse(text),
            Received::Line(text) | Received::NotText(text) => ClientLine::Other(text.clone()),
            Received::TooLong => ClientLine::Other("(too long)".to_owned()),
        };
        if line == ClientLine::KeepAlive {
            self.keep_alive(id, quiet, now);
            return;
        }
        let (state, extended) = (connection.state.clone(), connection.extended);
        match (state, line) {
            (ConnectionState::New, line) => {
                let short =
                    matches!(received, Received::Line(text) if text.len() <= LONGEST_LOGIN_LINE);
                match line {
                    ClientLine::Login { name, password, extended } if short => {
                        self.log_in(id, &name, &password, extended, now);
                    }
                    _ => self.offend(id, 5),
                }
            }
            (ConnectionState::Checking { .. }, _) => self.offend(id, 1),
            (_, ClientLine::Extended(command)) if extended => self.command(id, command, now),
            (ConnectionState::Playing(key, color), line) => {
                let Some(open) = self.rooms.get_mut(&key) else { return };
                let effects = open.room.receive(color, &line, now.at);
                self.perform(key, effects, now);
            }
            (ConnectionState::Idle, line) => self.idle_line(id, &line, now),
        }
    }

    fn idle_line(&mut self, id: ConnId, line: &ClientLine, now: Now) {
        match line {
            ClientLine::Logout => {
                self.send(id, &ServerLine::LogoutCompleted.to_string());
                self.out.push(Effect::Close(id));
            }
            ClientLine::Challenge => self.challenge(id, now),
            // These crossed the end of a game or of a proposal on their way.
            ClientLine::Agree(_)
            | ClientLine::Reject(_)
            | ClientLine::Move { .. }
            | ClientLine::Special { .. } => self.offend(id, 0),
            ClientLine::Extended(Extended::Other(_))
            | ClientLine::Other(_)
            | ClientLine::Login { .. } => {
                self.offend(id, 1);
                if self.connections.get(&id).is_some_and(|c| c.extended) {
                    self.send(id, "##[ERROR] unknown command");
                }
            }
            ClientLine::Extended(_) | ClientLine::KeepAlive => self.offend(id, 1),
        }
    }

    /// Counts senseless lines; too many of them end the connection.
    pub(super) fn offend(&mut self, id: ConnId, weight: u32) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.offences += weight;
        if connection.offences >= self.settings.limits.offences {
            self.out.push(Effect::Close(id));
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

/// Whether a line keeps to the characters of the protocol; comments and chat may be in any
/// language.
fn is_plain(line: &str) -> bool {
    let body = line.split_once(",'").map_or(line, |(body, _)| body);
    let free = line.starts_with("%%CHAT ");
    !line.chars().any(char::is_control) && (free || body.is_ascii())
}
