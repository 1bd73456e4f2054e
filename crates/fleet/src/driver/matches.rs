//! A match, with an SPRT or without.

use super::{
    Counted, Driver, EngineProgress, Part, Parts, RunProgress, ScoreProgress, dishonest, thin,
};
use crate::batch::{Fault, Product};
use crate::task::{MatchSpec, Unit};
use arena::Plan;
use arena::request::RequestError;
use arena::standings::{CountedGame, Standings};
use arena::stats::{Estimate, MatchScore, Sprt, Verdict};
use std::ops::Range;

/// Games of one batch: a pair.
const PAIR: u64 = 2;

pub(super) struct Matches {
    plan: Plan,
    sprt: Option<Sprt>,
    give_up: u64,
    standings: Standings,
    parts: Parts,
    curve: Vec<(u64, f64)>,
}

impl Matches {
    pub(super) fn new(spec: &MatchSpec) -> Result<Self, RequestError> {
        let request = &spec.request;
        let (plan, _) = request.plan()?;
        let standings = Standings::new(&plan.schedule, plan.engines.len());
        let parts = Parts::new(Some(plan.schedule.games()));
        let (sprt, give_up) = (request.sprt, request.give_up);
        Ok(Self { plan, sprt, give_up, standings, parts, curve: Vec::new() })
    }

    fn score(&self) -> MatchScore {
        self.standings.pairings().next().map_or_else(MatchScore::default, |(_, score)| *score)
    }

    fn engine(&self, index: usize, name: &str) -> EngineProgress {
        let MatchScore { wins, draws, losses, .. } = self.standings.score(index);
        let faults = self.standings.faults(index).iter();
        let faults = faults.map(|(kind, times)| (kind.to_string(), *times)).collect();
        EngineProgress { name: name.to_owned(), wins, draws, losses, faults }
    }
}

impl Driver for Matches {
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault> {
        Ok(self.parts.next(PAIR * u64::from(batches), PAIR))
    }

    fn usual(&self) -> u32 {
        4
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.parts.handed_out(unit);
    }

    fn accept(&mut self, _: &Unit, range: Range<u64>, product: &Product) -> Result<Counted, Fault> {
        let Product::Games { games } = product else {
            return Err(dishonest("games were asked for"));
        };
        let ids: Vec<u64> = games.iter().map(|game| game.id).collect();
        if ids != range.clone().collect::<Vec<_>>() {
            return Err(dishonest(format!("games {range:?} were asked for, {ids:?} came")));
        }
        // All are replayed before the first counts.
        let replayed: Result<Vec<_>, _> =
            games.iter().map(|game| game.replay(&self.plan)).collect();
        let replayed = replayed.map_err(|e| dishonest(e.to_string()))?;
        let before = self.score();
        let mut counted = Counted { games: ids.len() as u64, ..Counted::default() };
        for game in &replayed {
            let played = &game.played;
            counted.positions += played.moves.len() as u64;
            let fault = played.end.fault().map(|(_, fault)| fault.kind);
            let outcome = CountedGame { winner: played.winner(), fault };
            self.standings.add(&game.scheduled, outcome);
        }
        let after = self.score();
        let new = |of: &dyn Fn(&MatchScore) -> u64| of(&after) - of(&before);
        counted.pairs = [
            new(&|score| score.pairs[3] + score.pairs[4]),
            new(&|score| score.pairs[2]),
            new(&|score| score.pairs[0] + score.pairs[1]),
        ];
        if let Some(sprt) = &self.sprt {
            thin(&mut self.curve);
            self.curve.push((after.games(), sprt.ratio(&after)));
        }
        Ok(counted)
    }

    fn verdict(&self) -> Option<String> {
        if let Some(engine) = self.standings.hopeless(self.give_up) {
            let name = &self.plan.engines[engine].name;
            return Some(format!("{name} lost {} games in a row by faults", self.give_up));
        }
        match self.sprt.as_ref().map(|sprt| sprt.verdict(&self.score())) {
            Some(Verdict::Accepted) => return Some("SPRT: accepted".to_owned()),
            Some(Verdict::Rejected) => return Some("SPRT: rejected".to_owned()),
            Some(Verdict::Undecided) | None => {}
        }
        let all = self.standings.games() >= self.plan.schedule.games();
        all.then(|| "all games are played".to_owned())
    }

    fn progress(&self) -> RunProgress {
        let score = self.score();
        let ratio = self.sprt.as_ref().map(|sprt| {
            let (low, high) = sprt.bounds();
            (sprt.ratio(&score), low, high)
        });
        let test = self.sprt.as_ref().map(|sprt| {
            let verdict = sprt.verdict(&score).name();
            (sprt.to_string(), verdict.to_owned())
        });
        let elo = Estimate::of(&score).map(|estimate| estimate.elo);
        let elo = elo.map(|elo| [elo.low, elo.mid, elo.high]);
        let engines = self.plan.engines.iter().enumerate();
        let engines = engines.map(|(index, engine)| self.engine(index, &engine.name)).collect();
        let MatchScore { wins, draws, losses, pairs } = score;
        RunProgress {
            done: self.standings.games(),
            total: Some(self.plan.schedule.games()),
            score: Some(ScoreProgress {
                wins,
                draws,
                losses,
                pairs,
                elo: elo.filter(|ends| ends.iter().all(|end| end.is_finite())),
                engines,
                test,
                ratio,
                curve: self.curve.clone(),
            }),
            ..RunProgress::default()
        }
    }
}
