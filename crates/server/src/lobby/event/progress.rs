//! Where a tournament stands.

use super::{EventSettings, Kind, RETURN};
use crate::lobby::TournamentResult;
use crate::room::Moment;
use crate::tournament::{Format, Pair, Plan, Stage};
use rules::Color;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// The round being played.
#[derive(Clone, Copy)]
pub(super) struct Playing {
    pub(super) round: usize,
    /// When it began in this run of the server.
    pub(super) since: Moment,
    /// How long it had been played before the last restart.
    pub(super) before: Duration,
}

/// A tournament and where it stands.
pub(in crate::lobby) struct Event {
    pub(super) settings: EventSettings,
    plan: Plan,
    stages: Vec<Stage>,
    pub(super) playing: Option<Playing>,
    pub(super) next_start: i64,
    /// Who has refused a game of the running round.
    pub(super) refused: HashSet<String>,
    /// How often rounds were begun again, by stage and round.
    pub(super) attempts: HashMap<(usize, usize), u32>,
}

impl Event {
    pub(super) fn new(settings: EventSettings) -> Self {
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
        let mut event = Self {
            settings,
            plan,
            stages: vec![first],
            playing: None,
            next_start,
            refused: HashSet::new(),
            attempts: HashMap::new(),
        };
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

    pub(in crate::lobby) fn name(&self) -> &str {
        &self.settings.name
    }

    pub(in crate::lobby) fn stage_number(&self) -> usize {
        self.stages.len() - 1
    }

    pub(in crate::lobby) fn stage(&self) -> &Stage {
        &self.stages[self.stages.len() - 1]
    }

    /// The stages that are over.
    pub(in crate::lobby) fn earlier(&self) -> &[Stage] {
        &self.stages[..self.stages.len() - 1]
    }

    fn stage_mut(&mut self) -> &mut Stage {
        let last = self.stages.len() - 1;
        &mut self.stages[last]
    }

    /// Whether somebody takes part at all.
    pub(in crate::lobby) fn has(&self, name: &str) -> bool {
        self.settings.entrants.iter().any(|entrant| entrant == name)
    }

    /// Takes in a result, also one stored earlier. `false` if it belongs to no pair.
    pub(super) fn record(&mut self, score: &TournamentResult) -> bool {
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

    pub(super) fn is_recorded(&self, round: usize, pair: Pair) -> bool {
        let games = self.stage().games();
        games.iter().any(|g| g.round == round && g.pair.has(pair.black) && g.pair.has(pair.white))
    }

    pub(super) fn name_of(&self, seed: usize) -> String {
        self.stage().entrants().get(seed).map_or_else(String::new, |e| e.name.clone())
    }

    pub(super) fn score(
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

    pub(super) fn game_id(&self, round: usize, board: usize) -> String {
        let again = match self.attempts.get(&(self.stage_number(), round)) {
            Some(again) => format!("r{}", again + 1),
            None => String::new(),
        };
        format!("{}-{}-{}-{}{again}", self.settings.name, self.stages.len(), round + 1, board + 1)
    }

    /// The referee stops the running round: what has passed of it is kept.
    pub(in crate::lobby) fn stop_clock(&mut self, now: Moment) {
        if let Some(playing) = &mut self.playing {
            playing.before += now.saturating_sub(playing.since);
            playing.since = now;
        }
    }

    /// The running round goes on; until when its players must come.
    pub(in crate::lobby) fn start_clock(&mut self, now: Moment) -> Option<Moment> {
        let playing = self.playing.as_mut()?;
        playing.since = now;
        let playing = *playing;
        Some(now + self.patience(playing))
    }

    /// Whether the time is over in which players of the running round must come.
    pub(super) fn is_late(&self, now: Moment) -> bool {
        self.playing.is_some_and(|p| now >= p.since + self.patience(p))
    }

    /// What is left of that time from the beginning of this run of the server.
    pub(super) fn patience(&self, playing: Playing) -> Duration {
        let walkover = self.settings.walkover;
        if playing.before.is_zero() {
            return walkover;
        }
        walkover.saturating_sub(playing.before).max(RETURN.min(walkover))
    }

    /// Somebody leaves from the running round on.
    pub(in crate::lobby) fn withdraw_now(&mut self, name: &str) -> Option<(usize, usize)> {
        let (stage, round) = (self.stage_number(), self.stage().current_round()?);
        let seed = self.stage().seed(name)?;
        self.stage_mut().withdraw(seed, round);
        self.settings.withdrawn.push((name.to_owned(), stage, round));
        Some((stage, round))
    }

    /// Goes back to the beginning of the running round: stage, round and how often it has been.
    pub(in crate::lobby) fn begin_again(&mut self, wall: i64) -> Option<(usize, usize, u32)> {
        let round = self.playing.map(|p| p.round).or_else(|| self.stage().current_round())?;
        let stage = self.stage_number();
        self.stage_mut().annul(round);
        let attempts = self.attempts.entry((stage, round)).or_insert(0);
        *attempts += 1;
        let attempts = *attempts;
        self.playing = None;
        self.refused.clear();
        self.next_start = wall;
        Some((stage, round, attempts))
    }

    /// The pairs of the running round that still have to play, with their boards.
    pub(super) fn open_boards(&self) -> Vec<(usize, usize, Pair)> {
        let Some(Playing { round, .. }) = self.playing else { return Vec::new() };
        let pairs = self.stage().pairs(round).into_iter().enumerate();
        pairs
            .filter(|(_, p)| !self.is_recorded(round, *p))
            .map(|(board, p)| (round, board, p))
            .collect()
    }
}
