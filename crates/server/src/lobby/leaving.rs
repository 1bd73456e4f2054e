//! What follows when nobody plays in a room any more: a game is over, interrupted, or never began.

use super::{Closing, ConnId, ConnectionState, Lobby, Now, Repeat, RoomKey, Timer};
use crate::room::{Refusal, State};
use rules::Color;
use std::sync::Arc;

impl Lobby {
    pub(super) fn change(&mut self, key: RoomKey, state: &State, now: Now) {
        if *state == State::Running {
            return;
        }
        // Whatever it is, nobody plays in this room any more.
        let Some(open) = self.rooms.get_mut(&key) else { return };
        let players = std::mem::take(&mut open.players);
        let conditions = Arc::clone(open.room.conditions());
        let finish = open.room.finish().cloned();
        let refused = open.room.refused();
        let event = open.event;
        let buoy = open.buoy.clone();
        for name in &conditions.names {
            self.playing.remove(name);
        }
        if *state == State::Suspended {
            self.suspend(key, now);
        } else {
            self.close_room(key);
        }
        if *state != State::Suspended {
            self.end_pause(&conditions.id);
        }
        match (state, buoy) {
            (State::Dropped, Some(owner)) => self.give_back_buoy(&conditions, owner),
            (State::Over, _) => {
                self.give_up_seats(&conditions);
                self.waits_no_longer(&conditions.id);
            }
            _ => {}
        }
        for (color, conn) in Color::BOTH.into_iter().zip(players) {
            let refused = refused.filter(|refusal| refusal.by == color);
            if let Some(conn) = conn {
                self.leave_game(conn, state, refused, now);
            }
        }
        if let Some(index) = event {
            self.event_game_over(index, &conditions, finish.as_ref(), refused, now);
        } else if let Some(finish) = finish {
            self.history.played(&conditions, finish.winner());
        }
    }

    fn close_room(&mut self, key: RoomKey) {
        let Some(open) = self.rooms.remove(&key) else { return };
        if let Some(at) = open.timer {
            self.timers.remove(&(at, Timer::Room(key)));
        }
        self.suspended.retain(|&other| other != key);
        for (conn, _) in open.watchers {
            if let Some(connection) = self.connections.get_mut(&conn) {
                connection.watching.retain(|&other| other != key);
            }
        }
    }

    /// A player leaves its game, or a proposal that it may have refused.
    fn leave_game(&mut self, conn: ConnId, state: &State, refused: Option<Refusal>, now: Now) {
        let Some(connection) = self.connections.get_mut(&conn) else { return };
        connection.state = ConnectionState::Idle;
        connection.ready = now.at;
        connection.fresh = false;
        connection.waiting = None;
        let (extended, wanted) = (connection.extended, connection.wanted.clone());
        let in_event =
            connection.name.as_ref().is_some_and(|n| self.events.iter().any(|e| e.has(n.as_str())));
        if in_event {
            return;
        }
        // Who does not agree must ask again: it would be proposed to again and again, and its
        // opponents with it.
        if let Some(refusal) = refused {
            if extended {
                self.send(conn, "##[ERROR] you did not agree: ask again with %%GAME");
            } else if refusal.silent {
                self.close(conn, Closing::Silent);
            }
            return;
        }
        if *state == State::Over && !extended && self.settings.repeat == Repeat::Close {
            self.close(conn, Closing::GameOver);
            return;
        }
        let Some(wait) = wanted else { return };
        // Who did agree has kept its place.
        let keeps_place = *state == State::Dropped;
        let again = self.settings.has_rounds(&wait.game) || self.settings.repeat == Repeat::Wait;
        if keeps_place || (again && !extended) {
            self.wait_for(conn, &wait, now);
        }
    }
}
