//! A tuning by SPSA: results are applied in the order of the iterations, whenever they come.

use super::{Counted, Driver, Part, RunProgress, TuningProgress, dishonest, thin};
use crate::batch::{Fault, Product};
use crate::perform::own_numbers;
use crate::task::Unit;
use arena::Plan;
use arena::request::RequestError;
use arena::spsa::Spsa;
use arena::tuning::{Step, TuningResult};
use arena::tuning_request::TuningRequest;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

pub(super) struct Tuning {
    plan: Plan,
    spsa: Spsa,
    pairs: u64,
    /// The next pair of games, over the whole tuning.
    next: u64,
    open: BTreeMap<u64, Step>,
    more: VecDeque<Part>,
    games: u64,
    start: Vec<f64>,
    curve: Vec<(u64, Vec<f64>)>,
}

impl Tuning {
    pub(super) fn new(request: &TuningRequest) -> Result<Self, RequestError> {
        let entered = match (&request.engine, request.numbers.is_empty()) {
            (None, _) => request.plan(&own_numbers(request.openings.game))?,
            (Some(_), false) => request.plan(&request.numbers)?,
            (Some(engine), true) => {
                let why = format!("nobody has asked {engine:?} which numbers it has");
                return Err(RequestError::Usage(why));
            }
        };
        let spsa = Spsa::new(entered.parameters, entered.gains, request.seed);
        Ok(Self {
            plan: entered.plan,
            pairs: request.pairs.max(1),
            next: 0,
            open: BTreeMap::new(),
            more: VecDeque::new(),
            games: 0,
            start: spsa.values().to_vec(),
            curve: Vec::new(),
            spsa,
        })
    }
}

impl Driver for Tuning {
    /// One pair, however long it takes: the next values depend on it.
    fn next(&mut self, _: u32) -> Result<Option<Part>, Fault> {
        if let Some(part) = self.more.pop_front() {
            return Ok(Some(part));
        }
        // Only so many iterations ahead: the values of later ones are not known yet.
        let Some(probe) = self.spsa.probe(self.next / self.pairs) else { return Ok(None) };
        let unit = Unit { probe: Some(probe), ..Unit::new(self.next * 2, 2) };
        self.next += 1;
        Ok(Some(Part { unit, batches: 1 }))
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.next = self.next.max((unit.first + unit.count) / 2);
    }

    fn accept(
        &mut self,
        unit: &Unit,
        range: Range<u64>,
        product: &Product,
    ) -> Result<Counted, Fault> {
        let Product::Games { games } = product else {
            return Err(dishonest("games were asked for"));
        };
        let ids: Vec<u64> = games.iter().map(|game| game.id).collect();
        if ids != range.clone().collect::<Vec<_>>() {
            return Err(dishonest(format!("games {range:?} were asked for, {ids:?} came")));
        }
        let iteration = unit.probe.as_ref().map(|probe| probe.iteration);
        let iteration = iteration.ok_or_else(|| dishonest("a tuning without values"))?;
        let replayed: Result<Vec<_>, _> =
            games.iter().map(|game| game.replay(&self.plan)).collect();
        let replayed = replayed.map_err(|e| dishonest(e.to_string()))?;
        let mut counted = Counted { games: ids.len() as u64, ..Counted::default() };
        let mut points = 0;
        let step = self.open.entry(iteration).or_insert_with(|| Step::new(iteration));
        for game in &replayed {
            let result = TuningResult::of(&game.scheduled, &game.played);
            points += result.half_points;
            step.add(result);
            counted.positions += game.played.moves.len() as u64;
        }
        counted.pairs[match points {
            0 | 1 => 2,
            2 => 1,
            _ => 0,
        }] += 1;
        self.games += counted.games;
        while let Some(step) = self.open.remove(&self.spsa.applied()) {
            if step.games() < self.pairs * 2 {
                self.open.insert(step.iteration, step);
                break;
            }
            self.spsa.apply(step.result());
            thin(&mut self.curve);
            self.curve.push((self.spsa.applied(), self.spsa.values().to_vec()));
        }
        Ok(counted)
    }

    fn verdict(&self) -> Option<String> {
        let all = self.spsa.applied() >= self.spsa.gains().iterations;
        all.then(|| "all iterations are done".to_owned())
    }

    fn progress(&self) -> RunProgress {
        let iterations = self.spsa.gains().iterations;
        let tuning = TuningProgress {
            iteration: self.spsa.applied(),
            iterations,
            names: self.spsa.parameters().iter().map(|p| p.name.clone()).collect(),
            start: self.start.clone(),
            values: self.spsa.values().to_vec(),
            curve: self.curve.clone(),
        };
        RunProgress {
            done: self.games,
            total: Some(iterations * self.pairs * 2),
            tuning: Some(tuning),
            ..RunProgress::default()
        }
    }

    fn can_purge(&self) -> bool {
        false
    }
}
