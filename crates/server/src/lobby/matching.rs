//! Finding opponents.

use super::{ConnId, ConnectionState, GameRequest, Lobby, Now, RoomKey, Timetable};
use crate::calendar;
use crate::conditions::Conditions;
use crate::room::Room;
use csa::ServerLine;
use rules::Color;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

impl Lobby {
    /// Back to a game that runs, to one that was interrupted, or to a tournament's.
    pub(super) fn find_game(&mut self, id: ConnId, now: Now) -> bool {
        let Some(name) = self.name_of(id) else { return false };
        if let Some(&key) = self.playing.get(&name) {
            return self.come_back(id, key, &name, now);
        }
        self.resume(&name, now) || self.start_event_game(&name, now)
    }

    pub(super) fn name_of(&self, id: ConnId) -> Option<String> {
        Some(self.connections.get(&id)?.name.as_ref()?.to_string())
    }

    /// The connection of somebody who is in and not playing.
    pub(super) fn free_player(&self, name: &str) -> Option<ConnId> {
        let name = csa::UserName::new(name).ok()?;
        let &id = self.present.get(&name)?;
        let connection = self.connections.get(&id)?;
        (connection.state == ConnectionState::Idle).then_some(id)
    }

    /// Whether somebody who is not playing waits for any kind of game.
    fn is_willing(&self, id: ConnId) -> bool {
        self.connections.get(&id).is_some_and(|c| {
            let in_event = |name: &csa::UserName| self.events.iter().any(|e| e.has(name.as_str()));
            c.waiting.is_some() || c.fresh || c.name.as_ref().is_some_and(in_event)
        })
    }

    fn come_back(&mut self, id: ConnId, key: RoomKey, name: &str, now: Now) -> bool {
        let Some(open) = self.rooms.get_mut(&key) else { return false };
        let side = open.room.conditions().names.iter().position(|n| n == name);
        let Some(color) = side.map(|i| Color::BOTH[i]) else { return false };
        if !open.room.is_running() {
            return false;
        }
        open.players[color.index()] = Some(id);
        let effects = open.room.come_back(color, now.at);
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.state = ConnectionState::Playing(key, color);
        }
        self.perform(key, effects, now);
        true
    }

    /// Proposes to take up a game again, if both its players are free and wait for a game.
    pub(super) fn resume(&mut self, name: &str, now: Now) -> bool {
        self.take_up(name, false, now)
    }

    /// The same; by order of the referee also if they do not wait.
    pub(super) fn take_up(&mut self, name: &str, ordered: bool, now: Now) -> bool {
        if self.draining {
            return false;
        }
        let found = self.suspended.iter().copied().find_map(|key| {
            let open = self.rooms.get(&key).filter(|open| !self.is_paused(open))?;
            let [black, white] = &open.room.conditions().names;
            if black != name && white != name {
                return None;
            }
            let players = [self.free_player(black)?, self.free_player(white)?];
            let willing = [black, white]
                .iter()
                .zip(players)
                .all(|(other, id)| ordered || *other == name || self.is_willing(id));
            willing.then_some((key, players))
        });
        let Some((key, players)) = found else { return false };
        self.suspended.retain(|&other| other != key);
        self.propose(key, players, now);
        true
    }

    /// Proposes a game to its two players.
    pub(super) fn propose(&mut self, key: RoomKey, players: [ConnId; 2], now: Now) {
        for (color, &id) in Color::BOTH.iter().zip(&players) {
            let waiting = self.connections.get_mut(&id).and_then(|c| {
                c.state = ConnectionState::Playing(key, *color);
                c.waiting.take()
            });
            self.forget_wait(id, waiting.as_ref());
        }
        let Some(open) = self.rooms.get_mut(&key) else { return };
        open.players = players.map(Some);
        for name in open.room.conditions().names.clone() {
            self.playing.insert(name, key);
        }
        let effects = open.room.propose(now.at);
        self.perform(key, effects, now);
    }

    pub(super) fn forget_wait(&mut self, id: ConnId, wait: Option<&GameRequest>) {
        let Some(wait) = wait else { return };
        let name = wait.game.as_str();
        if let Some(queue) = self.waiting.get_mut(name) {
            queue.retain(|&other| other != id);
            if queue.is_empty() {
                self.waiting.remove(name);
            }
        }
    }

    /// Somebody waits for a game, or plays at once if an opponent waits already.
    pub(super) fn wait_for(&mut self, id: ConnId, wait: &GameRequest, now: Now) -> bool {
        let Some(connection) = self.connections.get_mut(&id) else { return false };
        if connection.state != ConnectionState::Idle {
            return false;
        }
        let before = connection.waiting.replace(wait.clone());
        self.forget_wait(id, before.as_ref());
        if !self.settings.has_rounds(&wait.game)
            && !self.draining
            && !self.lacks_buoy(&wait.game)
            && let Some(opponent) = self.opponent_for(wait)
        {
            self.start_free_game(id, opponent, wait, now);
            return true;
        }
        self.waiting.entry(wait.game.to_string()).or_default().push(id);
        false
    }

    /// The first who waits for the same and does not insist on the same colour.
    fn opponent_for(&self, wait: &GameRequest) -> Option<ConnId> {
        let queue = self.waiting.get(wait.game.as_str())?;
        queue.iter().copied().find(|id| {
            let other = self.connections.get(id).and_then(|c| c.waiting.as_ref());
            other.is_some_and(|other| match (wait.color, other.color) {
                (Some(mine), Some(theirs)) => mine != theirs,
                _ => true,
            })
        })
    }

    fn start_free_game(&mut self, id: ConnId, opponent: ConnId, wait: &GameRequest, now: Now) {
        let their_color = self.connections.get(&opponent).and_then(|c| c.waiting.as_ref()?.color);
        let mine = match (wait.color, their_color) {
            (Some(color), _) => color,
            (None, Some(theirs)) => theirs.opponent(),
            _ if self.toss() => Color::Black,
            _ => Color::White,
        };
        let players = if mine == Color::Black { [id, opponent] } else { [opponent, id] };
        self.start_game(players, wait, None, now);
    }

    /// A new game between two, by its name; a round of a timetable may have limits of its own.
    pub(super) fn start_game(
        &mut self,
        players: [ConnId; 2],
        wait: &GameRequest,
        round: Option<&Timetable>,
        now: Now,
    ) {
        let names = players.map(|id| self.name_of(id).unwrap_or_default());
        if self.resume_between(&names, now) {
            return;
        }
        let Some(plan) = self.settings.plan(&wait.game) else { return };
        let known = |id: &ConnId| self.connections.get(id).is_some_and(|c| c.known);
        let rated = players.iter().all(known) && plan.ratable;
        let buoy = self.take_buoy(&wait.game);
        let rated = rated && buoy.is_none();
        let (start, buoy) = buoy.map_or((plan.start, None), |(start, owner)| (start, Some(owner)));
        let mut times = plan.times;
        if let Some(least) = round.and_then(|table| table.least_time) {
            times.iter_mut().for_each(|rule| rule.least = least);
        }
        let conditions = Conditions {
            ratings: self.ratings_of(&names),
            id: self.game_id(wait.game.as_str(), &names, now),
            event: wait.game.to_string(),
            names,
            times,
            start,
            max_moves: round.and_then(|table| table.max_moves).or(plan.max_moves),
            declaration: round.and_then(|table| table.declaration).unwrap_or(plan.declaration),
            rated,
            // In a round nobody may stop the clock.
            interruptions: if self.settings.has_rounds(&wait.game) {
                0
            } else {
                self.settings.interruptions
            },
        };
        let room = Room::new(Arc::new(conditions), self.settings.patience);
        let key = self.open_room(room, [None, None], None);
        if let Some(open) = self.rooms.get_mut(&key) {
            open.buoy = buoy;
        }
        self.propose(key, players, now);
    }

    pub(super) fn ratings_of(&self, names: &[String; 2]) -> [Option<i32>; 2] {
        names.each_ref().map(|name| self.ratings.get(name).map(|rating| rating.round() as i32))
    }

    /// Whether these two have a game to finish, which is then taken up.
    fn resume_between(&mut self, names: &[String; 2], now: Now) -> bool {
        let has_one = self.suspended.iter().any(|key| {
            self.rooms.get(key).is_some_and(|open| {
                names.iter().all(|name| open.room.conditions().names.contains(name))
            })
        });
        has_one && self.resume(&names[0], now)
    }

    fn game_id(&mut self, game: &str, names: &[String; 2], now: Now) -> String {
        let date = calendar::digits(now.wall);
        let base = format!("{}+{game}+{}+{}+{date}", self.settings.event, names[0], names[1]);
        // Within the same second, and after the machine's clock was set back, two of the same players
        // would have the same name.
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let mut ids = std::iter::once(base.clone()).chain(numbered);
        let id = ids.find(|id| self.issued.insert(digest(id)));
        id.unwrap_or(base)
    }

    /// Ids of games of earlier runs of the server, which no other game may have.
    pub fn add_known_ids(&mut self, ids: &[String]) {
        self.issued.extend(ids.iter().map(|id| digest(id)));
    }

    /// `CHALLENGE`: wait again as after the login.
    pub(super) fn challenge(&mut self, id: ConnId, now: Now) {
        if self.find_game(id, now) {
            return;
        }
        let Some(connection) = self.connections.get(&id) else { return };
        let usual = GameRequest { game: self.settings.default_game.clone(), color: None };
        let wait = connection.wanted.clone().unwrap_or(usual);
        if !self.wait_for(id, &wait, now) {
            self.send(id, &ServerLine::ChallengeAccepted.to_string());
        }
    }
}

/// What is remembered of an id, eight bytes a game. Two with the same digest cost a number too many. It
/// is never stored: the standard library's hasher may change with the compiler.
fn digest(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
