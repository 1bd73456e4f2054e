//! Tournaments held on the server: rounds begin by themselves, who is late pays with its time, who
//! does not come loses, and all of it can be taken up again after a restart.

use super::{ConnId, Effect, Lobby, Now, Stored, Timer, TournamentResult};
use crate::conditions::Conditions;
use crate::room::{Moment, Room};
use crate::tournament::{Format, Pair, Plan, Stage};
use csa::TimeRule;
use csa::record::Finish;
use rules::{AnyPosition, Color};
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

/// A tournament and where it stands.
pub(super) struct Event {
    settings: EventSettings,
    plan: Plan,
    stages: Vec<Stage>,
    /// The round being played and when it began.
    playing: Option<(usize, Moment)>,
    next_start: i64,
}

impl Event {
    fn new(settings: EventSettings) -> Self {
        let plan = Plan::of(settings.entrants.len());
        let first = match settings.kind {
            Kind::Championship if plan.promoted > 0 => {
                let rest: Vec<String> =
                    settings.entrants.iter().skip(plan.seeded).cloned().collect();
                Stage::new(&rest, Format::Championship { rounds: plan.rounds[0] })
            }
            Kind::Championship => {
                Stage::new(&settings.entrants, Format::Championship { rounds: plan.rounds[1] })
            }
            Kind::Swiss { rounds } => Stage::new(&settings.entrants, Format::Swiss { rounds }),
            Kind::RoundRobin => Stage::new(&settings.entrants, Format::RoundRobin),
        };
        let next_start = settings.start;
        let mut event = Self { settings, plan, stages: vec![first], playing: None, next_start };
        event.withdraw();
        event
    }

    /// Takes those out of a stage just opened who have withdrawn from it.
    fn withdraw(&mut self) {
        let at = self.stage_number();
        for (name, stage, round) in self.settings.withdrawn.clone() {
            if stage == at
                && let Some(seed) = self.stage().seed(&name)
            {
                self.stage_mut().withdraw(seed, round);
            }
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.settings.name
    }

    pub(super) fn stage_number(&self) -> usize {
        self.stages.len() - 1
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.stages[self.stages.len() - 1]
    }

    /// The stages that are over.
    pub(super) fn earlier(&self) -> &[Stage] {
        &self.stages[..self.stages.len() - 1]
    }

    fn stage_mut(&mut self) -> &mut Stage {
        let last = self.stages.len() - 1;
        &mut self.stages[last]
    }

    /// Whether somebody takes part at all.
    pub(super) fn has(&self, name: &str) -> bool {
        self.settings.entrants.iter().any(|entrant| entrant == name)
    }

    /// Takes in a result, also one stored earlier. `false` if it belongs to no pair.
    fn record(&mut self, score: &TournamentResult) -> bool {
        if score.stage != self.stage_number() {
            return false;
        }
        let stage = self.stage_mut();
        let seed = |name: &String| stage.entrants().iter().position(|e| e.name == *name);
        let (Some(black), Some(white)) = (seed(&score.black), seed(&score.white)) else {
            return false;
        };
        stage.record(score.round, Pair { black, white }, score.winner);
        if stage.current_round().is_none() {
            self.next_stage();
        }
        true
    }

    /// Opens the stage that follows, if one does.
    fn next_stage(&mut self) {
        let championship = self.settings.kind == Kind::Championship;
        let second = usize::from(self.plan.promoted > 0);
        let at = self.stage_number();
        if !championship || at > second {
            return;
        }
        let stage = if at < second {
            let promoted = self.stage().best(self.plan.promoted);
            let names = self.plan.second_stage(&self.settings.entrants, &promoted);
            Stage::new(&names, Format::Championship { rounds: self.plan.rounds[1] })
        } else {
            Stage::new(&self.stage().best(self.plan.finalists), Format::RoundRobin)
        };
        self.stages.push(stage);
        self.withdraw();
    }

    fn is_recorded(&self, round: usize, pair: Pair) -> bool {
        let games = self.stage().games();
        games.iter().any(|g| g.round == round && g.pair.has(pair.black) && g.pair.has(pair.white))
    }

    fn name_of(&self, seed: usize) -> String {
        self.stage().entrants().get(seed).map_or_else(String::new, |e| e.name.clone())
    }

    fn score(
        &self,
        round: usize,
        pair: Pair,
        winner: Option<Color>,
        game: Option<String>,
    ) -> TournamentResult {
        TournamentResult {
            event: self.settings.name.clone(),
            stage: self.stage_number(),
            round,
            black: self.name_of(pair.black),
            white: self.name_of(pair.white),
            winner,
            game,
        }
    }

    fn game_id(&self, round: usize, board: usize) -> String {
        format!("{}-{}-{}-{}", self.settings.name, self.stages.len(), round + 1, board + 1)
    }

    /// The pairs of the running round that still have to play, with their boards.
    fn open_boards(&self) -> Vec<(usize, usize, Pair)> {
        let Some((round, _)) = self.playing else { return Vec::new() };
        let pairs = self.stage().pairs(round).into_iter().enumerate();
        pairs
            .filter(|(_, p)| !self.is_recorded(round, *p))
            .map(|(board, p)| (round, board, p))
            .collect()
    }
}

impl Lobby {
    /// Holds a tournament, going on from the results stored before.
    pub fn add_event(&mut self, settings: EventSettings, scores: &[TournamentResult], now: Now) {
        let mut event = Event::new(settings);
        for score in scores {
            if score.event == event.settings.name {
                event.record(score);
            }
        }
        self.events.push(event);
        let index = self.events.len() - 1;
        self.timer(now.at, Timer::Event(index));
    }

    pub(super) fn event_of(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|e| e.settings.name == name)
    }

    /// Begins rounds that are due, pair_players who is there, and ends what nobody came for.
    pub(super) fn wake_event(&mut self, index: usize, now: Now) {
        let Some(event) = self.events.get_mut(index) else { return };
        let Some(round) = event.stage().current_round() else { return };
        if event.playing.is_none_or(|(playing, _)| playing != round) {
            let wait = event.next_start - now.wall;
            if wait > 0 || self.draining {
                let wait = Duration::from_secs(u64::try_from(wait).unwrap_or(1).max(1));
                self.timer(now.at + wait, Timer::Event(index));
                return;
            }
            event.playing = Some((round, now.at));
            let deadline = now.at + event.settings.walkover;
            self.timer(deadline, Timer::Event(index));
        }
        let Some(event) = self.events.get(index) else { return };
        let late =
            event.playing.is_some_and(|(_, since)| now.at >= since + event.settings.walkover);
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
        let free = names.each_ref().map(|name| self.free_player(name));
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
            (free, Some(key)) if late && self.suspended.contains(&key) => {
                // Begun before a restart, and somebody did not come back.
                let loser = if free[0].is_none() { Color::Black } else { Color::White };
                let effects = self.rooms.get_mut(&key).map(|open| open.room.give_up(Some(loser)));
                self.perform(key, effects.unwrap_or_default(), now);
            }
            _ => {}
        }
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
        let since = event.playing.map_or(now.at, |(_, since)| since);
        let rule = &event.settings.times;
        // Article 23-5: what the start is late is taken off the time of who was not ready.
        let times = players.map(|player| {
            let ready = self.connections.get(&player).map_or(now.at, |c| c.ready);
            let late = ready.saturating_sub(since).as_nanos() / rule.unit.as_nanos().max(1);
            let late = u64::try_from(late).unwrap_or(u64::MAX);
            TimeRule { total: rule.total.map(|t| t.saturating_sub(late)), ..rule.clone() }
        });
        let conditions = Conditions {
            id,
            event: event.settings.name.clone(),
            names,
            times,
            start: event.settings.start_position.clone(),
            max_moves: event.settings.max_moves,
            declaration: self.settings.declaration,
            rated: true,
            interruptions: 0,
        };
        let room = Room::new(Arc::new(conditions), self.settings.patience);
        let key = self.open_room(room, [None, None], Some(index));
        self.propose(key, players, now);
    }

    /// A player of a tournament is there: its game begins if the opponent is there too.
    pub(super) fn start_event_game(&mut self, name: &str, now: Now) -> bool {
        let index =
            self.events.iter().position(|e| e.playing.is_some() && e.stage().seed(name).is_some());
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
        now: Now,
    ) {
        let Some(event) = self.events.get(index) else { return };
        let Some(finish) = finish else {
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
            self.timer(now.at, Timer::Event(index));
        }
        self.out.push(Effect::Store(Stored::Tournament(score)));
    }
}
