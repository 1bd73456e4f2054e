//! What a coordinator knows of one run: which parts are still to be handed out, what those that came
//! back count, and when it is over. Nothing here knows of workers, leases or databases.

mod leaves;
mod matches;
mod mates;
mod openings;
mod pieces;
mod reinforced;
mod selfplay;
mod tuning;

pub use leaves::leaves;
pub use mates::problems;
pub use pieces::inputs;

use crate::batch::{Fault, FaultKind, Product};
use crate::perform::checksum;
use crate::task::{Input, Spec, Unit};
use arena::request::RequestError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// A part to be handed out: one task.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    pub unit: Unit,
    /// Into how many batches its results are cut.
    pub batches: u32,
}

/// What a batch counted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counted {
    pub games: u64,
    pub positions: u64,
    /// Pairs of games won, drawn and lost by the first side, for whoever compares workers.
    pub pairs: [u64; 3],
    /// Parts that are to be done besides, because of what came.
    pub more: Vec<Part>,
}

/// How far a run is, for people and pages.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunProgress {
    /// Games, records or sums that count.
    pub done: u64,
    /// How many there will be at most; `None` where there is no end.
    pub total: Option<u64>,
    pub positions: u64,
    /// What came of them, by a word for each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tally: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreProgress>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<TuningProgress>,
}

/// The first engine against the second.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScoreProgress {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Pairs by points: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    /// Elo of the first against the second: low end of the 95 % interval, middle, high end. Missing where an end
    /// has no number yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<[f64; 3]>,
    /// Every engine against all others together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineProgress>,
    /// What an SPRT tests, as it was asked for, and what it says so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<(String, String)>,
    /// Log-likelihood ratio and where it ends, of an SPRT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<(f64, f64, f64)>,
    /// (games, ratio) as it went, thinned out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<(u64, f64)>,
}

/// One engine of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EngineProgress {
    pub name: String,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Games it lost otherwise than on the board, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<String, u64>,
}

/// Numbers as they move.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TuningProgress {
    pub iteration: u64,
    pub iterations: u64,
    pub names: Vec<String>,
    pub start: Vec<f64>,
    pub values: Vec<f64>,
    /// (iteration, values) as they went, thinned out.
    pub curve: Vec<(u64, Vec<f64>)>,
}

/// One run.
pub trait Driver: Send {
    /// The next part that nobody has, of about so many batches; `None` where there is none now. A fault ends
    /// the run.
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault>;

    /// How many batches a task has as long as nobody knows how long one takes.
    fn usual(&self) -> u32 {
        1
    }

    /// A part that was handed out before a restart.
    fn handed_out(&mut self, unit: &Unit);

    /// Checks what came for a range of a part, and counts it. A fault counts nothing.
    fn accept(
        &mut self,
        unit: &Unit,
        range: Range<u64>,
        product: &Product,
    ) -> Result<Counted, Fault>;

    /// Why the run is over, if it is.
    fn verdict(&self) -> Option<String>;

    fn progress(&self) -> RunProgress;

    /// Whether what came from one worker may be taken out again: a path that has moved cannot.
    fn can_purge(&self) -> bool {
        true
    }
}

/// Numbers of one sum: whoever computes it cannot be interrupted.
const ROUNDS: u64 = 1 << 24;

/// The driver of a spec.
pub fn driver(spec: &Spec, goal: Option<u64>) -> Result<Box<dyn Driver>, RequestError> {
    Ok(match spec {
        Spec::Checksum { rounds, .. } if *rounds > ROUNDS => {
            let why = format!("{rounds} numbers of a sum are too many: {ROUNDS} at most");
            return Err(RequestError::Usage(why));
        }
        Spec::Checksum { rounds, batches } => Box::new(Sums {
            rounds: *rounds,
            batches: u64::from(*batches),
            parts: Parts::new(goal),
            seed: 0,
            sum: 0,
            done: 0,
        }),
        Spec::Match(spec) => Box::new(matches::Matches::new(spec)?),
        Spec::Tune(request) => Box::new(tuning::Tuning::new(request)?),
        Spec::SelfPlay(spec) => Box::new(selfplay::SelfPlayRun::new(spec, goal)),
        Spec::Reinforce(order) => Box::new(reinforced::Reinforced::new(order, goal)),
        Spec::Rescore(spec) => Box::new(pieces::Rescoring::new(spec)?),
        Spec::Openings(settings) => Box::new(openings::Openings::new(settings)?),
        Spec::Mate(spec) => Box::new(mates::Mates::new(spec)?),
        Spec::Leaves(spec) => Box::new(leaves::Leaves::new(spec)?),
    })
}

fn dishonest(why: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Dishonest, why)
}

/// Ranges handed out one after another, and some again.
#[derive(Debug, Default)]
struct Parts {
    next: u64,
    /// The end; `None` without one.
    total: Option<u64>,
    more: VecDeque<Part>,
}

impl Parts {
    fn new(total: Option<u64>) -> Self {
        Self { total, ..Self::default() }
    }

    fn next(&mut self, count: u64, batch: u64) -> Option<Part> {
        if let Some(part) = self.more.pop_front() {
            return Some(part);
        }
        let count = count.min(self.total.map_or(count, |total| total.saturating_sub(self.next)));
        if count == 0 {
            return None;
        }
        let unit = Unit::new(self.next, count);
        self.next += count;
        let batches = u32::try_from(count.div_ceil(batch.max(1))).unwrap_or(1);
        Some(Part { unit, batches })
    }

    /// The same where every unit takes positions with it.
    fn next_of(&mut self, positions: &[Vec<u8>], batches: u32) -> Option<Part> {
        let mut part = self.next(batches.into(), 1)?;
        let range = part.unit.first as usize..(part.unit.first + part.unit.count) as usize;
        part.unit.input.get_or_insert_with(|| Input::of("sfen", &positions[range]));
        Some(part)
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.next = self.next.max(unit.first + unit.count);
    }
}

/// Checks that there is an answer for each position of a range, and each answer against its position.
fn check_answers<A>(
    (unit, range): (&Unit, Range<u64>),
    answers: &[A],
    (one, many): (&str, &str),
    check: impl Fn(&[u8], &A) -> Result<(), String>,
) -> Result<(), Fault> {
    if answers.len() as u64 != range.end - range.start {
        let came = answers.len();
        return Err(dishonest(format!("{many} {range:?} were asked for, {came} came")));
    }
    for (number, answer) in range.zip(answers) {
        let place = usize::try_from(number - unit.first).unwrap_or(usize::MAX);
        let text = unit.input.as_ref().and_then(|input| input.piece(place)).unwrap_or_default();
        check(text, answer).map_err(|why| dishonest(format!("{one} {number}: {why}")))?;
    }
    Ok(())
}

/// Sums that everybody computes, for drills.
struct Sums {
    rounds: u64,
    /// Sums of a task.
    batches: u64,
    parts: Parts,
    seed: u64,
    sum: u64,
    done: u64,
}

impl Driver for Sums {
    fn next(&mut self, _: u32) -> Result<Option<Part>, Fault> {
        Ok(self.parts.next(self.batches, 1))
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.parts.handed_out(unit);
    }

    fn accept(&mut self, _: &Unit, range: Range<u64>, product: &Product) -> Result<Counted, Fault> {
        let count = range.end - range.start;
        let right = checksum(self.rounds, self.seed, range.clone());
        let (Product::Checksum { sum }, true) = (product, *product == right) else {
            return Err(dishonest(format!("the sum of {range:?} is wrong")));
        };
        self.sum = self.sum.wrapping_add(*sum);
        self.done += count;
        Ok(Counted { games: count, ..Counted::default() })
    }

    fn verdict(&self) -> Option<String> {
        let all = self.parts.total.is_some_and(|total| self.done >= total);
        all.then(|| format!("all sums, together {}", self.sum))
    }

    fn progress(&self) -> RunProgress {
        RunProgress { done: self.done, total: self.parts.total, ..RunProgress::default() }
    }
}

/// A curve of at most so many points: every other one is dropped when it is full.
fn thin<T>(curve: &mut Vec<T>) {
    const MOST: usize = 512;
    if curve.len() >= MOST {
        let mut odd = false;
        curve.retain(|_| {
            odd = !odd;
            odd
        });
    }
}

#[cfg(test)]
mod tests;
