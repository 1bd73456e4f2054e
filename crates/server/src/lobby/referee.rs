//! The referee's orders while the server runs: `%%REFEREE order`, from the accounts named in the
//! settings. Every order is stored with who gave it and what came of it.

use super::{Closing, ConnId, Effect, Lobby, NoteKind, Now, RoomKey, Stored, Timer};
use csa::UserName;
use rules::Color;

/// An order that was given, for the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// When, in seconds since 1970.
    pub wall: i64,
    pub referee: String,
    pub text: String,
    /// What the referee was answered.
    pub answer: String,
}

/// The orders there are.
const ORDERS: &str = "adjudicate GAME black|white|draw, annul GAME, pause GAME|TOURNAMENT, \
                          resume GAME|TOURNAMENT, kick NAME, ban NAME|ADDRESS [MINUTES] [WHY], \
                          unban NAME|ADDRESS, withdraw TOURNAMENT NAME, restart TOURNAMENT";

/// What came of an order, or why nothing did.
type Outcome = Result<String, String>;

impl Lobby {
    pub(super) fn order(&mut self, id: ConnId, text: &str, now: Now) -> String {
        let connection = self.connections.get(&id);
        let name = connection.filter(|c| c.known).and_then(|c| c.name.clone());
        let referee = name.filter(|name| self.settings.referees.iter().any(|r| r == name.as_str()));
        let Some(referee) = referee else {
            self.offend(id, 5);
            return "##[ERROR] you are not a referee here".to_owned();
        };
        let outcome = self.execute(text, now);
        let answer = match &outcome {
            Ok(done) => format!("##[REFEREE] {done}\n##[REFEREE] +OK"),
            Err(why) => format!("##[ERROR] {why}"),
        };
        let order = Order {
            wall: now.wall,
            referee: referee.to_string(),
            text: text.to_owned(),
            answer: outcome.unwrap_or_else(|why| format!("refused: {why}")),
        };
        self.out.push(Effect::Store(Stored::Order(order)));
        answer
    }

    fn execute(&mut self, text: &str, now: Now) -> Outcome {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["adjudicate", game, result] => self.adjudicate(game, result, now),
            ["annul", game] => {
                let key = self.begun_room(game)?;
                let effects = self.rooms.get_mut(&key).map(|open| open.room.annul());
                self.perform(key, effects.unwrap_or_default(), now);
                Ok(format!("{game} has no result"))
            }
            ["pause", what] => self.pause(what, now),
            ["resume", what] => self.resume_order(what, now),
            ["kick", name] => self.kick(name, Closing::Kicked),
            ["ban", who] => self.ban_order(who, None, "", now),
            ["ban", who, minutes, ..] if minutes.parse::<u32>().is_ok() => {
                self.ban_order(who, minutes.parse().ok(), &words[3..].join(" "), now)
            }
            ["ban", who, ..] => self.ban_order(who, None, &words[2..].join(" "), now),
            ["unban", who] => match self.unban(who) {
                true => Ok(format!("{who} may log in again")),
                false => Err(format!("{who} was not banned")),
            },
            ["withdraw", event, name] => self.withdraw_order(event, name, now),
            ["restart", event] => self.restart_round(event, now),
            _ => Err(format!("the orders are: {ORDERS}")),
        }
    }

    fn begun_room(&self, game: &str) -> Result<RoomKey, String> {
        let key = self
            .room_of(game)
            .filter(|key| self.rooms.get(key).is_some_and(|open| open.room.has_begun()));
        key.ok_or_else(|| format!("no game {game} is being played; %%LIST names those that are"))
    }

    fn adjudicate(&mut self, game: &str, result: &str, now: Now) -> Outcome {
        let winner = match result {
            "black" | "+" => Some(Color::Black),
            "white" | "-" => Some(Color::White),
            "draw" | "=" => None,
            _ => return Err(format!("{result} is not black, white or draw")),
        };
        let key = self.begun_room(game)?;
        let effects = self.rooms.get_mut(&key).map(|open| open.room.adjudicate(winner));
        self.perform(key, effects.unwrap_or_default(), now);
        Ok(match winner {
            Some(color) => format!("{game} is won by {}", color_name(color)),
            None => format!("{game} is drawn"),
        })
    }

    /// The rooms of a tournament whose games have begun.
    fn rooms_of_event(&self, index: usize) -> Vec<RoomKey> {
        let mut keys: Vec<RoomKey> = self
            .rooms
            .iter()
            .filter(|(_, open)| open.event == Some(index))
            .map(|(&key, _)| key)
            .collect();
        keys.sort_unstable();
        keys
    }

    fn pause(&mut self, what: &str, now: Now) -> Outcome {
        let keys = match self.event_of(what) {
            Some(index) => {
                self.events[index].paused = true;
                self.rooms_of_event(index)
            }
            None => vec![self.begun_room(what)?],
        };
        for key in keys {
            let effects = self.rooms.get_mut(&key).map(|open| {
                open.paused = true;
                open.room.interrupt(None)
            });
            self.perform(key, effects.unwrap_or_default(), now);
        }
        Ok(format!("{what} is stopped until it is resumed"))
    }

    fn resume_order(&mut self, what: &str, now: Now) -> Outcome {
        let keys = match self.event_of(what) {
            Some(index) => {
                self.events[index].paused = false;
                self.timer(now.at, Timer::Event(index));
                self.rooms_of_event(index)
            }
            None => vec![self.begun_room(what)?],
        };
        for key in keys {
            let Some(open) = self.rooms.get_mut(&key) else { continue };
            open.paused = false;
            // What it was stopped is nobody's absence.
            open.suspended = open.suspended.map(|_| now.at);
            let black = open.room.conditions().names[0].clone();
            self.take_up(&black, true, now);
        }
        Ok(format!("{what} goes on when its players are here"))
    }

    fn kick(&mut self, name: &str, why: Closing) -> Outcome {
        let user = UserName::new(name).map_err(|error| error.to_string())?;
        let &id = self.present.get(&user).ok_or_else(|| format!("{name} is not here"))?;
        self.close(id, why);
        Ok(format!("{name} is sent away"))
    }

    fn ban_order(&mut self, who: &str, minutes: Option<u32>, why: &str, now: Now) -> Outcome {
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

    fn withdraw_order(&mut self, event: &str, name: &str, now: Now) -> Outcome {
        let index = self.event_of(event).ok_or_else(|| format!("no tournament {event} here"))?;
        let from = self.events[index].withdraw_now(name);
        let (stage, round) =
            from.ok_or_else(|| format!("{name} does not play in this stage of {event}"))?;
        self.note(NoteKind::Withdrawal, &format!("{event}/{name}"), &[&stage, &round]);
        // Its game, if it has one, is its opponent's.
        for key in self.rooms_of_event(index) {
            let Some(open) = self.rooms.get_mut(&key) else { continue };
            let side = open.room.conditions().names.iter().position(|other| other == name);
            let Some(side) = side.map(|side| Color::BOTH[side]) else { continue };
            let effects = if open.room.has_begun() {
                open.room.adjudicate(Some(side.opponent()))
            } else {
                open.room.leave(side, now.at)
            };
            self.perform(key, effects, now);
        }
        self.timer(now.at, Timer::Event(index));
        Ok(format!("{name} has left {event} from round {} on", round + 1))
    }

    fn restart_round(&mut self, event: &str, now: Now) -> Outcome {
        let index = self.event_of(event).ok_or_else(|| format!("no tournament {event} here"))?;
        // What is being played belongs to no round any more, and has no result.
        for key in self.rooms_of_event(index) {
            let Some(open) = self.rooms.get_mut(&key) else { continue };
            open.event = None;
            let effects = if open.room.has_begun() {
                open.room.annul()
            } else {
                open.room.leave(Color::Black, now.at)
            };
            self.perform(key, effects, now);
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
        Ok(format!("round {} of {event} begins again", round + 1))
    }
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
