//! Games and tournaments that the referee has stopped. They stay so over a restart.

use super::orders::OrderResult;
use super::{Lobby, NoteKind, Now, OpenRoom, RoomKey, Timer};

impl Lobby {
    pub(super) fn is_paused(&self, open: &OpenRoom) -> bool {
        self.paused.contains(&open.room.conditions().id)
    }

    pub(super) fn is_event_paused(&self, index: usize) -> bool {
        self.events.get(index).is_some_and(|event| self.paused.contains(event.name()))
    }

    fn begin_pause(&mut self, what: &str, now: Now) {
        if self.paused.insert(what.to_owned()) {
            self.note(NoteKind::Pause, what, &[&now.wall]);
        }
    }

    /// Nothing is stopped under this name any more; whether something was.
    pub(super) fn end_pause(&mut self, what: &str) -> bool {
        let was = self.paused.remove(what);
        if was {
            self.unnote(NoteKind::Pause, what);
        }
        was
    }

    pub(super) fn pause(&mut self, what: &str, now: Now) -> OrderResult {
        if self.paused.contains(what) {
            return Err(format!("{what} is stopped already"));
        }
        let keys = match self.event_of(what) {
            Some(index) => {
                self.begin_pause(what, now);
                self.events[index].stop_clock(now.at);
                self.rooms_of_event(index)
            }
            None => vec![self.begun_room(what)?],
        };
        for key in keys {
            let Some(open) = self.rooms.get(&key) else { continue };
            let id = open.room.conditions().id.clone();
            self.begin_pause(&id, now);
            let effects = self.rooms.get_mut(&key).map(|open| {
                let mut effects = open.room.recall();
                effects.extend(open.room.interrupt(None));
                effects
            });
            self.perform(key, effects.unwrap_or_default(), now);
        }
        Ok(format!("{what} is stopped until it is resumed"))
    }

    pub(super) fn end_pause_by_order(&mut self, what: &str, now: Now) -> OrderResult {
        let event = self.event_of(what);
        let keys = match event {
            Some(index) => self.rooms_of_event(index),
            None => vec![self.begun_room(what)?],
        };
        if !self.end_pause(what) {
            return Err(format!("{what} was not stopped"));
        }
        if let Some(index) = event {
            self.timer(now.at, Timer::Event(index));
            if let Some(late) = self.events[index].start_clock(now.at) {
                self.timer(late, Timer::Event(index));
            }
        }
        for key in keys {
            self.go_on(key, now);
        }
        Ok(format!("{what} goes on when its players are here"))
    }

    /// A game that was stopped waits for its players from now on: what it was stopped is nobody's
    /// absence.
    fn go_on(&mut self, key: RoomKey, now: Now) {
        let Some(open) = self.rooms.get(&key) else { return };
        let (id, black) =
            (open.room.conditions().id.clone(), open.room.conditions().names[0].clone());
        self.end_pause(&id);
        if self.suspended.contains(&key) {
            self.suspended.retain(|&other| other != key);
            self.waits_no_longer(&id);
            self.suspend(key, now);
        }
        self.take_up(&black, true, now);
    }
}
