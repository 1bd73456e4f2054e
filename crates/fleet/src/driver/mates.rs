//! Problems of mate: a batch for each, every answer checked.

use super::{Counted, Driver, Part, Parts, RunProgress, check_answers, dishonest};
use crate::batch::{Fault, Product};
use crate::mates::{VerdictRecord, problem, problem_text};
use crate::task::{MateSpec, Unit};
use arena::request::RequestError;
use kifu::MateProblem;
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) struct Mates {
    /// As they travel.
    problems: Vec<Vec<u8>>,
    unreadable: u64,
    parts: Parts,
    done: u64,
    tally: BTreeMap<String, u64>,
}

/// The problems of a spec that can be read, as they travel, and how many cannot.
pub fn problems(spec: &MateSpec) -> Result<(Vec<Vec<u8>>, u64), RequestError> {
    let Some(path) = &spec.problems else {
        return Err(RequestError::Usage("which problems? name a file of them".to_owned()));
    };
    let usage = |why: String| RequestError::Usage(format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| usage(e.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let all = MateProblem::from_file(&name, &bytes, None);
    let count = all.len() as u64;
    let read = all.into_iter().filter_map(|problem| problem.position.ok());
    let texts: Vec<Vec<u8>> = read.map(|position| problem_text(&position).into_bytes()).collect();
    if texts.is_empty() {
        return Err(usage("there is no problem in it".to_owned()));
    }
    let unreadable = count - texts.len() as u64;
    Ok((texts, unreadable))
}

impl Mates {
    pub(super) fn new(spec: &MateSpec) -> Result<Self, RequestError> {
        spec.questions().map_err(RequestError::Usage)?;
        let (problems, unreadable) = problems(spec)?;
        let parts = Parts::new(Some(problems.len() as u64));
        Ok(Self { problems, unreadable, parts, done: 0, tally: BTreeMap::new() })
    }
}

impl Driver for Mates {
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault> {
        Ok(self.parts.next_of(&self.problems, batches))
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.parts.handed_out(unit);
    }

    fn accept(
        &mut self,
        unit: &Unit,
        range: Range<u64>,
        product: &Product,
    ) -> Result<Counted, Fault> {
        let Product::Mates { answers } = product else {
            return Err(dishonest("answers to problems of mate were asked for"));
        };
        check_answers((unit, range), answers, ("problem", "problems"), |text, answer| {
            answer.study(&problem(text)?).map(drop)
        })?;
        for answer in answers {
            let word = match answer.verdict {
                VerdictRecord::Mate => "mates",
                VerdictRecord::NoMate => "without mate",
                _ => "unsolved",
            };
            *self.tally.entry(word.to_owned()).or_default() += 1;
        }
        self.done += answers.len() as u64;
        Ok(Counted { games: answers.len() as u64, ..Counted::default() })
    }

    fn verdict(&self) -> Option<String> {
        let all = self.parts.total.is_some_and(|total| self.done >= total);
        all.then(|| "all problems are answered".to_owned())
    }

    fn progress(&self) -> RunProgress {
        let mut tally = self.tally.clone();
        if self.unreadable > 0 {
            tally.insert("unreadable".to_owned(), self.unreadable);
        }
        RunProgress { done: self.done, total: self.parts.total, tally, ..RunProgress::default() }
    }
}
