//! How the server stands, for whoever wants to show it.

use super::{Lobby, Now, Place};
use crate::tournament::{Row, Stage};
use rules::Color;
use std::time::Duration;

/// A game in progress.
#[derive(Clone, PartialEq, Debug)]
pub struct GameStatus {
    /// Its id.
    pub id: String,
    /// What is played.
    pub event: String,
    /// Black and White.
    pub names: [String; 2],
    /// Who of them is connected.
    pub present: [bool; 2],
    /// Moves so far.
    pub moves: usize,
    /// Where it stands.
    pub sfen: String,
    /// Whose turn it is.
    pub turn: Color,
    /// Time left, byoyomi not counted, as of the beginning of the turn.
    pub remaining: [Duration; 2],
    /// Whether the clock runs.
    pub running: bool,
    /// Who watches.
    pub watchers: usize,
}

/// A tournament in progress.
#[derive(Clone, PartialEq, Debug)]
pub struct EventStatus {
    /// Its name.
    pub name: String,
    /// The stage, from 0.
    pub stage: usize,
    /// The round being played, from 0; `None` when all is over.
    pub round: Option<usize>,
    /// Who takes part in this stage, by seed.
    pub entrants: Vec<String>,
    /// The table of this stage.
    pub standings: Vec<Row>,
}

/// The server.
#[derive(Clone, PartialEq, Debug)]
pub struct Status {
    /// Connections, logged in or not.
    pub connections: usize,
    /// Names of those logged in, and what they wait for.
    pub players: Vec<(String, Option<String>)>,
    /// Games that run, are proposed or wait for their players.
    pub games: Vec<GameStatus>,
    /// Tournaments.
    pub events: Vec<EventStatus>,
    /// Whether new games begin.
    pub draining: bool,
    /// When this was so.
    pub wall: i64,
}

impl Lobby {
    /// How the server stands.
    pub fn status(&self, now: Now) -> Status {
        let mut players: Vec<(String, Option<String>)> = self
            .present
            .iter()
            .filter_map(|(name, id)| {
                let connection = self.connections.get(id)?;
                let waits = connection.waiting.as_ref().filter(|_| connection.place == Place::Hall);
                Some((name.to_string(), waits.map(|w| w.game.to_string())))
            })
            .collect();
        players.sort();
        let mut games: Vec<GameStatus> = self
            .rooms
            .values()
            .map(|seat| {
                let room = &seat.room;
                let conditions = room.conditions();
                GameStatus {
                    id: conditions.id.clone(),
                    event: conditions.event.clone(),
                    names: conditions.names.clone(),
                    present: seat.players.map(|p| p.is_some()),
                    moves: room.played().len(),
                    sfen: room.position().sfen(),
                    turn: room.position().turn(),
                    remaining: Color::BOTH.map(|c| room.remaining(c)),
                    running: room.is_running(),
                    watchers: seat.watchers.len(),
                }
            })
            .collect();
        games.sort_by(|a, b| a.id.cmp(&b.id));
        let events = self.events.iter().map(|event| {
            let stage: &Stage = event.stage();
            EventStatus {
                name: event.name().to_owned(),
                stage: event.stage_number(),
                round: stage.current_round(),
                entrants: stage.entrants().iter().map(|e| e.name.clone()).collect(),
                standings: stage.standings(),
            }
        });
        Status {
            connections: self.connections.len(),
            players,
            games,
            events: events.collect(),
            draining: self.draining,
            wall: now.wall,
        }
    }
}
