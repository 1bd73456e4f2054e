//! What the referee's orders do.

use super::orders::OrderResult;
use super::{Closing, ConnId, Effect, Lobby, NoteKind, Now, RoomKey, Stored, Timer};
use crate::room::{self, Room};
use csa::UserName;
use rules::Color;

impl Lobby {
    pub(super) fn begun_room(&self, game: &str) -> Result<RoomKey, String> {
        let key = self
            .room_of(game)
            .filter(|key| self.rooms.get(key).is_some_and(|open| open.room.has_begun()));
        key.ok_or_else(|| format!("no game {game} is being played; list names those that are"))
    }

    /// Takes back what is proposed in a room; a game that has begun ends as `end` says.
    fn end_room(
        &mut self,
        key: RoomKey,
        end: impl FnOnce(&mut Room) -> Vec<room::Effect>,
        now: Now,
    ) {
        let effects = self.rooms.get_mut(&key).map(|open| open.room.recall());
        self.perform(key, effects.unwrap_or_default(), now);
        let begun = self.rooms.get_mut(&key).filter(|open| open.room.has_begun());
        let effects = begun.map(|open| end(&mut open.room));
        self.perform(key, effects.unwrap_or_default(), now);
    }

    pub(super) fn annul(&mut self, game: &str, now: Now) -> OrderResult {
        let key = self.begun_room(game)?;
        self.end_room(key, Room::annul, now);
        Ok(format!("{game} has no result"))
    }

    pub(super) fn adjudicate(&mut self, game: &str, result: &str, now: Now) -> OrderResult {
        let winner = match result {
            "black" | "+" => Some(Color::Black),
            "white" | "-" => Some(Color::White),
            "draw" | "=" => None,
            _ => return Err(format!("{result} is not black, white or draw")),
        };
        let key = self.begun_room(game)?;
        self.end_room(key, |room| room.adjudicate(winner), now);
        Ok(match winner {
            Some(color) => format!("{game} is won by {}", color_name(color)),
            None => format!("{game} is drawn"),
        })
    }

    /// The rooms of a tournament.
    pub(super) fn rooms_of_event(&self, index: usize) -> Vec<RoomKey> {
        let mut keys: Vec<RoomKey> = self
            .rooms
            .iter()
            .filter(|(_, open)| open.event == Some(index))
            .map(|(&key, _)| key)
            .collect();
        keys.sort_unstable();
        keys
    }

    pub(super) fn kick(&mut self, name: &str, why: Closing) -> OrderResult {
        let user = UserName::new(name).map_err(|error| error.to_string())?;
        let &id = self.present.get(&user).ok_or_else(|| format!("{name} is not here"))?;
        self.close(id, why);
        Ok(format!("{name} is sent away"))
    }

    pub(super) fn ban_order(
        &mut self,
        who: &str,
        minutes: Option<u32>,
        why: &str,
        now: Now,
    ) -> OrderResult {
        self.ban(who, minutes, why, now);
        let there: Vec<ConnId> = self
            .connections
            .iter()
            .filter(|(_, c)| c.peer == who || c.name.as_ref().is_some_and(|n| n.as_str() == who))
            .map(|(&id, _)| id)
            .collect();
        for id in there {
            self.close(id, Closing::Banned);
        }
        Ok(match minutes {
            Some(minutes) => format!("{who} is banned for {minutes} minutes"),
            None => format!("{who} is banned"),
        })
    }

    pub(super) fn withdraw_order(&mut self, event: &str, name: &str, now: Now) -> OrderResult {
        let index = self.event_of(event).ok_or_else(|| format!("no tournament {event} here"))?;
        let from = self.events[index].withdraw_now(name);
        let (stage, round) =
            from.ok_or_else(|| format!("{name} does not play in this stage of {event}"))?;
        self.note(NoteKind::Withdrawal, &format!("{event}/{name}"), &[&stage, &round]);
        // Its game, if it has one, is its opponent's.
        for key in self.rooms_of_event(index) {
            let Some(open) = self.rooms.get(&key) else { continue };
            let side = open.room.conditions().names.iter().position(|other| other == name);
            let Some(side) = side.map(|side| Color::BOTH[side]) else { continue };
            self.end_room(key, |room| room.adjudicate(Some(side.opponent())), now);
        }
        self.timer(now.at, Timer::Event(index));
        Ok(format!("{name} has left {event} from round {} on", round + 1))
    }

    pub(super) fn restart_round(&mut self, event: &str, now: Now) -> OrderResult {
        let index = self.event_of(event).ok_or_else(|| format!("no tournament {event} here"))?;
        // What is being played belongs to no round any more, and has no result.
        for key in self.rooms_of_event(index) {
            let Some(open) = self.rooms.get_mut(&key) else { continue };
            open.event = None;
            self.end_room(key, Room::annul, now);
        }
        let begun = self.events[index].begin_again(now.wall);
        let (stage, round, times) =
            begun.ok_or_else(|| format!("{event} is over: no round can be played again"))?;
        let key = format!("{event}/{stage}/{round}");
        self.note(NoteKind::Attempt, &key, &[&times]);
        self.unnote(NoteKind::Round, event);
        let event_name = event.to_owned();
        self.out.push(Effect::Store(Stored::Annulled { event: event_name, stage, round }));
        self.timer(now.at, Timer::Event(index));
        let when = if self.is_event_paused(index) { " when it is resumed" } else { "" };
        Ok(format!("round {} of {event} begins again{when}", round + 1))
    }
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
