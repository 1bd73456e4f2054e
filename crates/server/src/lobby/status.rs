//! How the server stands, for whoever wants to show it.

use super::{ConnectionState, Lobby, Now};
use crate::tournament::{Game as GameResult, Pair, Row, Stage};
use rules::Color;
use std::time::Duration;

/// A game in progress.
#[derive(Clone, PartialEq, Debug)]
pub struct GameStatus {
    pub id: String,
    pub event: String,
    pub names: [String; 2],
    /// Who of them is connected.
    pub present: [bool; 2],
    pub moves: usize,
    /// The last of them, in USI.
    pub last: Option<String>,
    /// Shogi or minishogi.
    pub game: &'static str,
    /// How long the turn that runs has lasted.
    pub elapsed: Option<Duration>,
    pub sfen: String,
    pub turn: Color,
    /// Time left, byoyomi not counted, as of the beginning of the turn.
    pub remaining: [Duration; 2],
    /// Whether the clock runs.
    pub running: bool,
    /// Whether the referee has stopped it.
    pub paused: bool,
    pub watchers: usize,
}

/// A tournament in progress.
#[derive(Clone, PartialEq, Debug)]
pub struct EventStatus {
    pub name: String,
    /// The stage, from 0.
    pub stage: usize,
    /// The round being played, from 0; `None` when all is over.
    pub round: Option<usize>,
    /// Whether the referee has stopped it.
    pub paused: bool,
    /// Who takes part in this stage, by seed.
    pub entrants: Vec<String>,
    /// The table of this stage.
    pub standings: Vec<Row>,
    /// Who plays whom in the round being played, by seed.
    pub pairs: Vec<Pair>,
    /// The games of this stage that are over.
    pub results: Vec<GameResult>,
    /// The tables of the stages before: names in their order.
    pub before: Vec<Vec<String>>,
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
                let waits = connection
                    .waiting
                    .as_ref()
                    .filter(|_| connection.state == ConnectionState::Idle);
                Some((name.to_string(), waits.map(|w| w.game.to_string())))
            })
            .collect();
        players.sort();
        let mut games: Vec<GameStatus> = self
            .rooms
            .values()
            .map(|open| {
                let room = &open.room;
                let conditions = room.conditions();
                GameStatus {
                    id: conditions.id.clone(),
                    event: conditions.event.clone(),
                    names: conditions.names.clone(),
                    present: open.players.map(|p| p.is_some()),
                    moves: room.played().len(),
                    last: room.played().last().map(|p| p.m.usi(room.position().game())),
                    game: room.position().game().name(),
                    elapsed: room.elapsed(now.at),
                    sfen: room.position().sfen(),
                    turn: room.position().turn(),
                    remaining: Color::BOTH.map(|c| room.remaining(c)),
                    running: room.is_running(),
                    paused: self.is_paused(open),
                    watchers: open.watchers.len(),
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
                paused: self.paused.contains(event.name()),
                entrants: stage.entrants().iter().map(|e| e.name.clone()).collect(),
                standings: stage.standings(),
                pairs: stage.current_round().map(|r| stage.pairs(r)).unwrap_or_default(),
                results: stage.games().to_vec(),
                before: event.earlier().iter().map(|s| s.best(s.entrants().len())).collect(),
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
