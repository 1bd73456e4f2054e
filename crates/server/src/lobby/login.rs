//! Logging in.

use super::{Checked, ConnId, ConnectionState, Effect, GameRequest, Lobby, Now};
use csa::names::LONGEST_PASSWORD;
use csa::{Secret, ServerLine, UserName};
use std::time::Duration;

/// How long wrong passwords are remembered.
const MEMORY: Duration = Duration::from_secs(600);

/// Addresses remembered at most.
const ADDRESSES: usize = 10_000;

impl Lobby {
    pub(super) fn log_in(
        &mut self,
        id: ConnId,
        name: &str,
        password: &str,
        extended: bool,
        now: Now,
    ) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let peer = connection.peer.clone();
        let blocked = self.failures.get(&peer).is_some_and(|&(count, since)| {
            count >= self.settings.limits.failures && now.at.saturating_sub(since) < MEMORY
        });
        let name = UserName::new(name).ok().filter(|_| password.len() <= LONGEST_PASSWORD);
        let Some(name) = name.filter(|_| !blocked) else {
            self.refuse(id, now);
            return;
        };
        let secret = Secret::parse(password);
        let wait = secret.game.map(|(game, color)| {
            // Nobody may choose the colour in a round.
            let color = color.filter(|_| !self.settings.has_rounds(&game));
            GameRequest { game, color }
        });
        connection.state = ConnectionState::Checking { name: name.clone(), wait, extended };
        self.out.push(Effect::Check { conn: id, name, secret: secret.secret });
    }

    fn refuse(&mut self, id: ConnId, now: Now) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.state = ConnectionState::New;
        let peer = connection.peer.clone();
        if self.failures.len() >= ADDRESSES {
            self.failures.retain(|_, &mut (_, since)| now.at.saturating_sub(since) < MEMORY);
        }
        let entry = self.failures.entry(peer).or_insert((0, now.at));
        if now.at.saturating_sub(entry.1) >= MEMORY {
            *entry = (0, now.at);
        }
        entry.0 += 1;
        self.send(id, &ServerLine::LoginIncorrect.to_string());
        self.offend(id, 10);
    }

    /// The answer to [`Effect::Check`].
    pub fn checked(&mut self, id: ConnId, checked: Checked, now: Now) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let ConnectionState::Checking { name, wait, extended } = connection.state.clone() else {
            return;
        };
        let peer = connection.peer.clone();
        if checked == Checked::Refused {
            self.refuse(id, now);
            return;
        }
        if let Some(&other) = self.present.get(&name) {
            // Who knows the secret is the same player, back after a broken connection. A guest
            // must at least come from where the other came from.
            let same = self.connections.get(&other).is_some_and(|c| {
                (c.known && checked == Checked::Known) || (!c.known && c.peer == peer)
            });
            if !same {
                self.refuse(id, now);
                return;
            }
            self.out.push(Effect::Close(other));
            self.disconnect(other, now);
        }
        let played = wait.as_ref().is_none_or(|w| self.settings.plan(&w.game).is_some());
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.state = ConnectionState::Idle;
        connection.name = Some(name.clone());
        connection.known = checked == Checked::Known;
        connection.extended = extended;
        connection.ready = now.at;
        self.present.insert(name.clone(), id);
        self.send(id, &ServerLine::LoginOk(name.to_string()).to_string());
        if extended {
            self.send(id, "##[LOGIN] +OK x1");
            if !played {
                self.send(id, "##[ERROR] no such game here");
            }
        }
        let in_event = self.events.iter().any(|e| e.has(name.as_str()));
        let usual = GameRequest { game: self.settings.default_game.clone(), color: None };
        let wanted = match wait {
            Some(wait) if played => Some(wait),
            Some(_) => None,
            None => (!extended && !in_event).then_some(usual),
        };
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.wanted.clone_from(&wanted);
        }
        if self.find_game(id, now) {
            return;
        }
        if let Some(wait) = wanted {
            self.wait_for(id, &wait, now);
        }
    }
}
