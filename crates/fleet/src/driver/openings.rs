//! Openings: candidates judged by workers, taken in the order of their numbers.

use super::{Counted, Driver, Part, Parts, RunProgress, dishonest};
use crate::batch::{Fault, Product};
use crate::task::Unit;
use arena::opening_maker::{OpeningCollector, OpeningSettings};
use arena::request::RequestError;
use std::ops::Range;

/// Candidates of one batch.
const BATCH: u64 = 16;

/// Candidates that may wait for one before them: further ones are not handed out meanwhile.
const AHEAD: u64 = 8192;

pub(super) struct Openings {
    collector: OpeningCollector,
    wanted: u64,
    parts: Parts,
    done: u64,
}

impl Openings {
    pub(super) fn new(settings: &OpeningSettings) -> Result<Self, RequestError> {
        let collector = OpeningCollector::new(settings)?;
        Ok(Self { collector, wanted: settings.count as u64, parts: Parts::new(None), done: 0 })
    }
}

impl Driver for Openings {
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault> {
        if self.parts.more.is_empty() && self.parts.next > self.collector.candidates() + AHEAD {
            return Ok(None);
        }
        Ok(self.parts.next(BATCH * u64::from(batches), BATCH))
    }

    fn usual(&self) -> u32 {
        4
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.parts.handed_out(unit);
    }

    fn accept(&mut self, _: &Unit, range: Range<u64>, product: &Product) -> Result<Counted, Fault> {
        let Product::Values { values } = product else {
            return Err(dishonest("values of candidates were asked for"));
        };
        if values.len() as u64 != range.end - range.start {
            let came = values.len();
            return Err(dishonest(format!("candidates {range:?} were asked for, {came} came")));
        }
        for (number, value) in range.zip(values) {
            self.collector.judged(number, *value);
        }
        self.done += values.len() as u64;
        Ok(Counted { games: values.len() as u64, ..Counted::default() })
    }

    fn verdict(&self) -> Option<String> {
        let (made, taken) = (self.collector.count(), self.collector.candidates());
        self.collector.is_over().then(|| format!("{made} openings of {taken} candidates"))
    }

    fn progress(&self) -> RunProgress {
        let tally = [("openings".to_owned(), self.collector.count() as u64)];
        let wanted = ("wanted".to_owned(), self.wanted);
        let tally = tally.into_iter().chain([wanted]).collect();
        RunProgress { done: self.done, tally, ..RunProgress::default() }
    }
}
