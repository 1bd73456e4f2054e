//! Prepared openings: `%%SETBUOY` and its like, and `%%FORK`, which prepares one from a game.
//!
//! A game whose name begins with `buoy_` is not played before its opening has been prepared; no
//! other game can be given one. On shogi-server only a running game can be forked; here also one
//! that is over, which the executable looks up.

use super::{ConnId, Effect, Lobby, NoteKind, Now};
use crate::conditions::Conditions;
use csa::GameName;
use kifu::wire;
use rules::{AnyPosition, Game};

/// An opening prepared under a game's name.
pub(super) struct Buoy {
    start: AnyPosition,
    left: u32,
    owner: String,
}

/// What the name of a game with a prepared opening begins with.
pub(super) const PREFIX: &str = "buoy_";

/// Buoys on the whole server and of one owner, and games one of them may serve.
const BUOYS: usize = 1000;
const BUOYS_EACH: usize = 20;
const BUOY_GAMES: u32 = 1000;

/// What is asked of `%%FORK`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fork {
    /// The game to be forked.
    pub game: String,
    /// The name to prepare; one is made from the game's if none is given.
    pub name: Option<String>,
    /// After how many moves; all but the last if none is given.
    pub moves: Option<u32>,
}

/// A game to fork.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// What was played.
    pub event: String,
    /// Where it began.
    pub start: AnyPosition,
    /// Its moves in CSA text.
    pub moves: Vec<String>,
}

fn error(why: &str) -> String {
    format!("##[ERROR] {why}")
}

fn wrong_name(name: &str) -> String {
    error(&format!("wrong buoy game name: {name}; one is {PREFIX}mine-300-10F"))
}

impl Lobby {
    pub(super) fn set_buoy(
        &mut self,
        id: ConnId,
        name: &str,
        moves: &str,
        count: u32,
        now: Now,
    ) -> String {
        let Some(plan) = self.buoy_name(name).and_then(|game| self.settings.plan(&game)) else {
            return wrong_name(name);
        };
        let Some(start) = after_moves(plan.start, moves) else {
            return error(&format!("wrong moves: {moves}"));
        };
        match self.prepare(id, name, start, count, now) {
            Ok(()) => "##[SETBUOY] +OK".to_owned(),
            Err(why) => why,
        }
    }

    /// The name of a game that may be given an opening: no game of a timetable or a tournament,
    /// none that others play.
    fn buoy_name(&self, name: &str) -> Option<GameName> {
        GameName::parse(name)
            .filter(|game| game.base().starts_with(PREFIX) && !self.settings.has_rounds(game))
    }

    /// Whose buoys count together: an account's by its name, guests' by their address.
    fn buoy_owner(&self, id: ConnId) -> Option<String> {
        let connection = self.connections.get(&id)?;
        Some(match &connection.name {
            Some(name) if connection.known => name.to_string(),
            _ => format!("guests from {}", connection.peer),
        })
    }

    fn prepare(
        &mut self,
        id: ConnId,
        name: &str,
        start: AnyPosition,
        count: u32,
        now: Now,
    ) -> Result<(), String> {
        if count == 0 || count > BUOY_GAMES {
            return Err(error(&format!("invalid count: {count}")));
        }
        let owner = self.buoy_owner(id).unwrap_or_default();
        let own = self.buoys.values().filter(|buoy| buoy.owner == owner).count();
        if own >= BUOYS_EACH {
            return Err(error(&format!("you have set {own} buoy games: delete one first")));
        }
        if self.buoys.len() >= BUOYS {
            return Err(error("too many buoy games"));
        }
        if self.buoys.contains_key(name) {
            return Err(error(&format!("duplicated buoy game name: {name}")));
        }
        self.buoys.insert(name.to_owned(), Buoy { start, left: count, owner });
        self.note_buoy(name);
        // Who waited for it can play now.
        for waiting in self.waiting.get(name).cloned().unwrap_or_default() {
            let wait = self.connections.get(&waiting).and_then(|c| c.waiting.clone());
            if let Some(wait) = wait {
                self.wait_for(waiting, &wait, now);
            }
        }
        Ok(())
    }

    pub(super) fn delete_buoy(&mut self, id: ConnId, name: &str) -> String {
        let owner = self.buoy_owner(id).unwrap_or_default();
        match self.buoys.get(name) {
            Some(buoy) if buoy.owner == owner => {
                self.buoys.remove(name);
                self.unnote(NoteKind::Buoy, name);
                "##[DELETEBUOY] +OK".to_owned()
            }
            Some(_) => {
                let why = "you are not allowed to delete a buoy game that you did not set";
                error(&format!("{why}: {name}"))
            }
            None => error(&format!("buoy game not found: {name}")),
        }
    }

    /// Games that a prepared opening is left for; −1 if there is none.
    pub(super) fn buoys_left(&self, name: &str) -> i64 {
        self.buoys.get(name).map_or(-1, |buoy| i64::from(buoy.left))
    }

    /// Whether a game has to wait for its opening.
    pub(super) fn lacks_buoy(&self, game: &GameName) -> bool {
        game.base().starts_with(PREFIX) && !self.buoys.contains_key(game.as_str())
    }

    /// The start position prepared for a game, which is used up by it, and who prepared it.
    pub(super) fn take_buoy(&mut self, game: &GameName) -> Option<(AnyPosition, String)> {
        let name = game.as_str();
        let buoy = self.buoys.get_mut(name).filter(|_| game.base().starts_with(PREFIX))?;
        let taken = (buoy.start.clone(), buoy.owner.clone());
        buoy.left -= 1;
        if buoy.left == 0 {
            self.buoys.remove(name);
            self.unnote(NoteKind::Buoy, name);
        } else {
            self.note_buoy(name);
        }
        Some(taken)
    }

    /// A game that was to have a prepared opening did not come about.
    pub(super) fn give_back_buoy(&mut self, conditions: &Conditions, owner: String) {
        let fresh = || Buoy { start: conditions.start.clone(), left: 0, owner };
        let name = &conditions.event;
        self.buoys.entry(name.clone()).or_insert_with(fresh).left += 1;
        self.note_buoy(name);
    }

    fn note_buoy(&mut self, name: &str) {
        let Some(Buoy { start, left, owner }) = self.buoys.get(name) else { return };
        let (game, sfen, left, owner) = (start.game().name(), start.sfen(), *left, owner.clone());
        self.note(NoteKind::Buoy, name, &[&game, &sfen, &left, &owner]);
    }

    pub(super) fn recall_buoy(&mut self, name: &str, fields: &[&str]) {
        let [game, sfen, left, owner] = fields else { return };
        let Ok(game) = game.parse::<Game>() else { return };
        if let (Ok(start), Ok(left)) = (AnyPosition::from_sfen(game, sfen), left.parse()) {
            let owner = (*owner).to_owned();
            self.buoys.insert(name.to_owned(), Buoy { start, left, owner });
        }
    }

    /// Forks a game that is here, or asks for one that is not any more.
    pub(super) fn fork(&mut self, id: ConnId, fork: Fork, now: Now) {
        let open = self.room_of(&fork.game).and_then(|key| self.rooms.get(&key));
        let Some(room) = open.map(|open| &open.room) else {
            self.out.push(Effect::Find { conn: id, fork });
            return;
        };
        let start = room.conditions().start.clone();
        let mut position = start.clone();
        let mut moves = Vec::with_capacity(room.played().len());
        for played in room.played() {
            moves.push(wire::write_move(&position, played.m));
            position.play(played.m);
        }
        let source = Source { event: room.conditions().event.clone(), start, moves };
        self.found(id, &fork, Some(&source), now);
    }

    /// The answer to [`Effect::Find`].
    pub fn found(&mut self, id: ConnId, fork: &Fork, source: Option<&Source>, now: Now) {
        let answer = match source {
            None => error(&format!("wrong source game name: {}", fork.game)),
            Some(source) => self.forked(id, fork, source, now).unwrap_or_else(|why| why),
        };
        self.send(id, &answer);
    }

    fn forked(
        &mut self,
        id: ConnId,
        fork: &Fork,
        source: &Source,
        now: Now,
    ) -> Result<String, String> {
        let count = source.moves.len();
        let keep = fork.moves.map_or(count.saturating_sub(1), |n| n as usize);
        if keep == 0 || keep > count {
            return Err(error(&format!("number of moves to fork is out of range: {count}.")));
        }
        let made = || {
            let played = GameName::parse(&source.event)?;
            let base = played.base();
            let times = played.as_str().get(base.len()..)?;
            Some(format!("buoy_{base}_{keep}{times}"))
        };
        let name = fork.name.clone().or_else(made).ok_or_else(|| {
            let why = "wrong source game name to make a new buoy game name";
            error(&format!("{why}: {}", fork.game))
        })?;
        if self.buoy_name(&name).is_none_or(|game| self.settings.plan(&game).is_none()) {
            return Err(wrong_name(&name));
        }
        let moves = source.moves[..keep].concat();
        let start = after_moves(source.start.clone(), &moves)
            .ok_or_else(|| error(&format!("wrong moves: {moves}")))?;
        self.prepare(id, &name, start, 1, now)?;
        Ok(format!("##[FORK]: new buoy game name: {name}\n##[FORK] +OK"))
    }
}

/// The position after moves written one after the other.
fn after_moves(start: AnyPosition, moves: &str) -> Option<AnyPosition> {
    let mut position = start;
    if !moves.is_ascii() || !moves.len().is_multiple_of(7) || moves.len() > LONGEST {
        return None;
    }
    for index in (0..moves.len()).step_by(7) {
        let m = wire::read_move(&position, &moves[index..index + 7]).ok()?;
        position.play(m);
    }
    Some(position.without_history())
}

/// Longest text of moves: as many as a game can well have.
const LONGEST: usize = 7 * 2000;
