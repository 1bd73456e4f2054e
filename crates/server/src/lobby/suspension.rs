//! Games that wait for their players: interrupted ones, and those of before a restart.

use super::{Lobby, NoteKind, Now, RoomKey, Timer};
use crate::room::Room;
use rules::Color;
use std::time::Duration;

/// How long players have at least to come back after a restart.
const RETURN: Duration = Duration::from_secs(600);

impl Lobby {
    /// A game that had begun when the server last stopped: it waits for both players.
    pub fn restore(&mut self, room: Room, now: Now) {
        let event = self.event_of(&room.conditions().event);
        let key = self.open_room(room, [None, None], event);
        self.suspend(key, now);
    }

    pub(super) fn suspend(&mut self, key: RoomKey, now: Now) {
        self.suspended.push(key);
        let Some(open) = self.rooms.get_mut(&key) else { return };
        open.suspended = Some(now.at);
        let (id, event) = (open.room.conditions().id.clone(), open.event);
        // A tournament has its own rule for players who do not come.
        let (Some(limit), None) = (self.settings.abandon, event) else { return };
        // What a game has waited before a restart counts, but nobody loses it in the very moment
        // the server is back.
        let since = *self.waiting_since.entry(id.clone()).or_insert(now.wall);
        let waited = Duration::from_secs(u64::try_from(now.wall - since).unwrap_or(0));
        let left = limit.saturating_sub(waited).max(RETURN.min(limit));
        if let Some(open) = self.rooms.get_mut(&key) {
            open.suspended = Some((now.at + left).saturating_sub(limit));
        }
        self.note(NoteKind::Waiting, &id, &[&since]);
        self.timer(now.at.saturating_add(left), Timer::Abandon(key));
    }

    /// A game waits no longer: it is played, or over.
    pub(super) fn waits_no_longer(&mut self, id: &str) {
        if self.waiting_since.remove(id).is_some() {
            self.unnote(NoteKind::Waiting, id);
        }
    }

    /// A game has waited long enough: who is not here has lost it; if nobody is, nobody has won.
    pub(super) fn abandon(&mut self, key: RoomKey, now: Now) {
        let (Some(open), Some(limit)) = (self.rooms.get(&key), self.settings.abandon) else {
            return;
        };
        if self.is_paused(open) {
            return;
        }
        // It may have been played meanwhile, and interrupted again.
        let due = open.suspended.map(|since| since.saturating_add(limit));
        if !self.suspended.contains(&key) || due.is_none_or(|due| due > now.at) {
            return;
        }
        let names = &open.room.conditions().names;
        let here = names.each_ref().map(|name| self.present.keys().any(|p| p.as_str() == name));
        let loser = match here {
            [true, true] => {
                // Both are about, and have yet to meet.
                let id = open.room.conditions().id.clone();
                self.suspended.retain(|&other| other != key);
                self.waits_no_longer(&id);
                self.suspend(key, now);
                return;
            }
            [true, false] => Some(Color::White),
            [false, true] => Some(Color::Black),
            [false, false] => None,
        };
        let effects = self.rooms.get_mut(&key).map(|open| open.room.give_up(loser));
        self.perform(key, effects.unwrap_or_default(), now);
    }
}
