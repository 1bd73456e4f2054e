//! Games that wait for their players: interrupted ones, and those of before a restart.

use super::{Lobby, Now, RoomKey, Timer};
use crate::room::Room;
use rules::Color;

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
        // A tournament has its own rule for players who do not come.
        if let (Some(limit), None) = (self.settings.abandon, open.event) {
            self.timer(now.at.saturating_add(limit), Timer::Abandon(key));
        }
    }

    /// A game has waited long enough: who is not here has lost it; if nobody is, nobody has won.
    pub(super) fn abandon(&mut self, key: RoomKey, now: Now) {
        let (Some(open), Some(limit)) = (self.rooms.get(&key), self.settings.abandon) else {
            return;
        };
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
                self.suspended.retain(|&other| other != key);
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
