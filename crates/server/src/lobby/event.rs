//! Tournaments held on the server: rounds begin by themselves, who is late pays with its time, who
//! does not come loses, and all of it can be taken up again after a restart.

mod progress;

pub(super) use progress::Event;

use super::{ConnId, Effect, Lobby, NoteKind, Now, RoomKey, Stored, Timer, TournamentResult};
use crate::conditions::Conditions;
use crate::room::{Refusal, Room};
use crate::tournament::Pair;
use csa::TimeRule;
use csa::record::Finish;
use progress::Playing;
use rules::{AnyPosition, Color, Declaration};
use std::sync::Arc;
use std::time::Duration;

/// What kind of tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The championship with its two stages and its final.
    Championship,
    /// One Swiss stage.
    Swiss {
        /// Games each.
        rounds: usize,
    },
    /// Everybody against everybody.
    RoundRobin,
}

/// A tournament.
#[derive(Clone, Debug)]
pub struct EventSettings {
    /// Its name, the first part of its games' ids.
    pub name: String,
    /// Who takes part, in the order of their seeds.
    pub entrants: Vec<String>,
    pub kind: Kind,
    pub times: TimeRule,
    pub max_moves: Option<u32>,
    /// How a win may be declared; as the server has it if `None`.
    pub declaration: Option<Declaration>,
    /// Where games begin.
    pub start_position: AnyPosition,
    /// When the first round begins.
    pub start: i64,
    /// Seconds between the end of a round and the next.
    pub pause: i64,
    /// How late a player may be.
    pub walkover: Duration,
    /// Who has withdrawn, in which stage and before which round of it, both from 0.
    pub withdrawn: Vec<(String, usize, usize)>,
}

/// How long after a rejected proposal it is made again.
const RETRY: Duration = Duration::from_secs(10);

/// How often it is stored how long a round has been waiting for its players.
const KEPT: Duration = Duration::from_secs(30);

/// How long players have at least to come back after a restart.
const RETURN: Duration = Duration::from_secs(60);

impl Lobby {
    /// Holds a tournament, going on from the results stored before.
    pub fn add_event(
        &mut self,
        mut settings: EventSettings,
        scores: &[TournamentResult],
        now: Now,
    ) {
        let name = settings.name.clone();
        let number = |field: Option<&i64>| field.and_then(|&n| usize::try_from(n).ok());
        for (kind, key, fields) in &self.of_events {
            if *kind == NoteKind::Withdrawal
                && let Some((event, who)) = key.split_once('/')
                && event == name
                && let (Some(stage), Some(round)) = (number(fields.first()), number(fields.get(1)))
            {
                settings.withdrawn.push((who.to_owned(), stage, round));
            }
        }
        let mut event = Event::new(settings);
        for score in scores {
            if score.event == event.settings.name {
                event.record(score);
            }
        }
        for (kind, key, fields) in &self.of_events {
            match (kind, key.split('/').collect::<Vec<_>>()[..].as_ref()) {
                (NoteKind::Attempt, [event_name, stage, round]) if *event_name == name => {
                    if let (Ok(stage), Ok(round), Some(&times)) =
                        (stage.parse(), round.parse(), fields.first())
                    {
                        event.attempts.insert((stage, round), u32::try_from(times).unwrap_or(0));
                    }
                }
                (NoteKind::Round, [event_name]) if *event_name == name => {
                    let at = (Some(event.stage_number()), event.stage().current_round());
                    if (number(fields.first()), number(fields.get(1))) == at
                        && let (Some(round), Some(&before)) = (at.1, fields.get(2))
                    {
                        let before = Duration::from_secs(u64::try_from(before).unwrap_or(0));
                        event.playing = Some(Playing { round, since: now.at, before });
                    }
                }
                _ => {}
            }
        }
        let playing = event.playing.map(|p| p.since + event.patience(p));
        self.events.push(event);
        let index = self.events.len() - 1;
        self.timer(now.at, Timer::Event(index));
        if let Some(late) = playing {
            self.timer(late, Timer::Event(index));
            self.timer(now.at + KEPT, Timer::Kept(index));
        }
    }

    /// Stores how long the running round has been played, so that a restart does not give everybody
    /// who is away the whole time once more.
    pub(super) fn keep_round(&mut self, index: usize, now: Now) {
        let Some(event) = self.events.get(index) else { return };
        let Some(playing) = event.playing else { return };
        let (name, stage) = (event.settings.name.clone(), event.stage_number());
        // While it is stopped nobody is late.
        let paused = self.paused.contains(&name);
        let since = if paused { now.at } else { playing.since };
        let played = (playing.before + now.at.saturating_sub(since)).as_secs();
        self.note(NoteKind::Round, &name, &[&stage, &playing.round, &played]);
        self.timer(now.at + KEPT, Timer::Kept(index));
    }

    pub(super) fn event_of(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|e| e.settings.name == name)
    }

    /// Begins rounds that are due, pairs who is there, and ends what nobody came for.
    pub(super) fn wake_event(&mut self, index: usize, now: Now) {
        if self.is_event_paused(index) {
            return;
        }
        let Some(event) = self.events.get_mut(index) else { return };
        let Some(round) = event.stage().current_round() else { return };
        if event.playing.is_none_or(|playing| playing.round != round) {
            let wait = event.next_start - now.wall;
            if wait > 0 || self.draining {
                let wait = Duration::from_secs(u64::try_from(wait).unwrap_or(1).max(1));
                self.timer(now.at + wait, Timer::Event(index));
                return;
            }
            event.playing = Some(Playing { round, since: now.at, before: Duration::ZERO });
            event.refused.clear();
            let deadline = now.at + event.settings.walkover;
            self.timer(deadline, Timer::Event(index));
            self.keep_round(index, now);
        }
        let Some(event) = self.events.get(index) else { return };
        let late = event.is_late(now.at);
        for (round, board, pair) in event.open_boards() {
            self.open_board(index, round, board, pair, late, now);
        }
    }

    fn open_board(
        &mut self,
        index: usize,
        round: usize,
        board: usize,
        pair: Pair,
        late: bool,
        now: Now,
    ) {
        let Some(event) = self.events.get(index) else { return };
        // Results of this very loop may have closed the stage.
        if event.stage().current_round() != Some(round) || event.is_recorded(round, pair) {
            return;
        }
        if let Some(winner) = event.stage().settled(pair, round) {
            let score = event.score(round, pair, winner, None);
            self.score(index, score, now);
            return;
        }
        let names = [event.name_of(pair.black), event.name_of(pair.white)];
        let id = event.game_id(round, board);
        let begun = self
            .rooms
            .iter()
            .find(|(_, open)| open.room.conditions().id == id)
            .map(|(&key, _)| key);
        let mut free = names.each_ref().map(|name| self.free_player(name));
        // Who is there and does not agree is no better than who is not there.
        if late && begun.is_none() {
            for (player, name) in free.iter_mut().zip(&names) {
                *player = player.filter(|_| !event.refused.contains(name));
            }
        }
        match (free, begun) {
            ([Some(black), Some(white)], None) => {
                self.start_pair(index, id, names, [black, white], now);
            }
            ([Some(_), Some(_)], Some(_)) => {
                self.resume(&names[0], now);
            }
            (free, None) if late => {
                let winner = match free {
                    [Some(_), None] => Some(Color::Black),
                    [None, Some(_)] => Some(Color::White),
                    _ => None,
                };
                let Some(event) = self.events.get(index) else { return };
                let score = event.score(round, pair, winner, None);
                self.score(index, score, now);
            }
            (free, Some(key)) if self.has_waited(index, key, now) => {
                // Begun before a restart, and somebody did not come back.
                let loser = if free[0].is_none() { Color::Black } else { Color::White };
                let effects = self.rooms.get_mut(&key).map(|open| open.room.give_up(Some(loser)));
                self.perform(key, effects.unwrap_or_default(), now);
            }
            _ => {}
        }
    }

    /// Whether a game of a tournament has waited long enough for its players.
    fn has_waited(&mut self, index: usize, key: RoomKey, now: Now) -> bool {
        let Some(walkover) = self.events.get(index).map(|event| event.settings.walkover) else {
            return false;
        };
        let Some(open) = self.rooms.get(&key).filter(|open| !self.is_paused(open)) else {
            return false;
        };
        if !self.suspended.contains(&key) {
            return false;
        }
        let due = open.suspended.map(|since| since.saturating_add(walkover));
        if let Some(due) = due.filter(|&due| now.at < due) {
            self.timer(due, Timer::Event(index));
        }
        due.is_some_and(|due| now.at >= due)
    }

    fn start_pair(
        &mut self,
        index: usize,
        id: String,
        names: [String; 2],
        players: [ConnId; 2],
        now: Now,
    ) {
        if self.draining {
            return;
        }
        let Some(event) = self.events.get(index) else { return };
        let since = event.playing.map_or(now.at, |playing| playing.since);
        let rule = &event.settings.times;
        // Article 23-5: what the start is late is taken off the time of who was not ready.
        let times = players.map(|player| {
            let ready = self.connections.get(&player).map_or(now.at, |c| c.ready);
            let late = ready.saturating_sub(since).as_nanos() / rule.unit.as_nanos().max(1);
            let late = u64::try_from(late).unwrap_or(u64::MAX);
            TimeRule { total: rule.total.map(|t| t.saturating_sub(late)), ..rule.clone() }
        });
        let conditions = Conditions {
            ratings: self.ratings_of(&names),
            id,
            event: event.settings.name.clone(),
            names,
            times,
            start: event.settings.start_position.clone(),
            max_moves: event.settings.max_moves,
            declaration: event.settings.declaration.unwrap_or(self.settings.declaration),
            rated: true,
            interruptions: 0,
        };
        let room = Room::new(Arc::new(conditions), self.settings.patience);
        let key = self.open_room(room, [None, None], Some(index));
        self.propose(key, players, now);
    }

    /// A player of a tournament is there: its game begins if the opponent is there too.
    pub(super) fn start_event_game(&mut self, name: &str, now: Now) -> bool {
        let index = self.events.iter().position(|e| {
            let plays = e.playing.is_some() && e.stage().seed(name).is_some();
            plays && !self.paused.contains(e.name())
        });
        let Some(index) = index else { return false };
        let boards = self.events[index].open_boards();
        let seed = self.events[index].stage().seed(name);
        for (round, board, pair) in boards {
            if seed.is_some_and(|seed| pair.has(seed)) {
                self.open_board(index, round, board, pair, false, now);
            }
        }
        self.playing.contains_key(name)
    }

    /// A game of a tournament is over, or did not come about.
    pub(super) fn event_game_over(
        &mut self,
        index: usize,
        conditions: &Conditions,
        finish: Option<&Finish>,
        refused: Option<Refusal>,
        now: Now,
    ) {
        let Some(event) = self.events.get_mut(index) else { return };
        let Some(finish) = finish else {
            if let Some(refusal) = refused {
                event.refused.insert(conditions.names[refusal.by.index()].clone());
            }
            self.timer(now.at + RETRY, Timer::Event(index));
            return;
        };
        let seeds = conditions.names.each_ref().map(|name| event.stage().seed(name));
        let ([Some(black), Some(white)], Some(round)) = (seeds, event.stage().current_round())
        else {
            return;
        };
        let pair = Pair { black, white };
        let score = event.score(round, pair, finish.winner(), Some(conditions.id.clone()));
        self.score(index, score, now);
    }

    fn score(&mut self, index: usize, score: TournamentResult, now: Now) {
        let Some(event) = self.events.get_mut(index) else { return };
        let before = (event.stage_number(), event.stage().current_round());
        if !event.record(&score) {
            return;
        }
        let after = (event.stage_number(), event.stage().current_round());
        if before != after {
            event.playing = None;
            event.next_start = now.wall + event.settings.pause;
            let name = event.settings.name.clone();
            self.timer(now.at, Timer::Event(index));
            self.unnote(NoteKind::Round, &name);
        }
        self.out.push(Effect::Store(Stored::Tournament(score)));
    }
}
