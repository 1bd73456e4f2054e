//! Making openings: random moves, kept where a short search finds the position balanced.
//!
//! Every candidate follows from the seed and its number alone, and candidates are taken in order,
//! so the same recipe gives the same openings however many are judged at a time.

use crate::opening::Opening;
use crate::runner::{MatchRunner, Plan};
use engines::{Allowed, Player, PlayerError, SearchRequest};
use seed::Rng;
use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use think::Score;
use usi::Go;

/// What openings to make.
#[derive(Clone, Debug)]
pub struct OpeningRecipe {
    /// Where all begin.
    pub start: Opening,
    /// How many random moves.
    pub plies: RangeInclusive<usize>,
    /// How far from zero the value may be, in hundredths of a pawn.
    pub margin: i32,
    /// How many to make.
    pub count: usize,
    pub seed: u64,
}

/// An opening that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedOpening {
    pub opening: Opening,
    /// Its value for the side to move, in hundredths of a pawn.
    pub value: i32,
}

/// Candidates that may fail in a row before the recipe counts as hopeless.
const PATIENCE: u64 = 20_000;

impl OpeningRecipe {
    /// The file of openings made by it: a line that says how, and one for each; `judge` says who
    /// judged them.
    pub fn text(&self, made: &[JudgedOpening], judge: &str) -> String {
        let (least, most) = (self.plies.start(), self.plies.end());
        let mut text = format!(
            "# {} openings: {least} to {most} random moves, within {} of zero, {judge}, seed {}\n",
            made.len(),
            self.margin,
            self.seed
        );
        for made in made {
            text += &format!("{}\n", made.opening.line());
        }
        text
    }

    /// The candidate of that number; `None` where its moves ran into an end or a check.
    pub fn candidate(&self, number: u64) -> Option<Opening> {
        let mut random = Rng::new(self.seed).split(number);
        let (least, most) = (*self.plies.start(), *self.plies.end());
        let plies = least + random.below(most.saturating_sub(least) + 1);
        let mut position = self.start.position().clone();
        let mut moves = self.start.moves().to_vec();
        for _ in 0..plies {
            let legal = position.legal_moves();
            let m = *legal.get(random.below(legal.len()))?;
            position.play(m);
            moves.push(m);
        }
        // A position in check is nobody's choice.
        let quiet = !position.in_check();
        quiet.then(|| Opening::new(self.start.start().clone(), moves).ok()).flatten()
    }
}

/// What became of a candidate.
type Judged = Result<Option<JudgedOpening>, PlayerError>;

/// Makes openings; the first engine of the plan judges, as many at a time as the plan says.
/// `progress` is told how many there are and how many candidates were needed. Fewer than asked for
/// come back where the recipe is hopeless or the runner was told to stop.
pub fn make(
    recipe: &OpeningRecipe,
    plan: &Plan,
    runner: &MatchRunner,
    progress: &mut dyn FnMut(usize, u64),
) -> Result<Vec<JudgedOpening>, PlayerError> {
    let next = AtomicU64::new(0);
    let enough = AtomicBool::new(false);
    let (sender, judged) = channel();
    thread::scope(|scope| {
        for _ in 0..plan.concurrency.max(1) {
            let (sender, next, enough) = (sender.clone(), &next, &enough);
            scope.spawn(move || judge_all(recipe, plan, runner, next, enough, &sender));
        }
        drop(sender);
        let mut waiting: BTreeMap<u64, Judged> = BTreeMap::new();
        let mut collector = Collector::new(recipe.count);
        let mut outcome = Ok(());
        while let Ok((number, judgement)) = judged.recv() {
            waiting.insert(number, judgement);
            while let Some(judgement) = waiting.remove(&collector.taken) {
                match judgement {
                    Ok(made) => collector.take(made),
                    Err(error) => outcome = Err(error),
                }
                progress(collector.made.len(), collector.taken);
                if collector.is_over() || outcome.is_err() {
                    enough.store(true, Ordering::Relaxed);
                    return outcome.map(|()| collector.made);
                }
            }
        }
        Ok(collector.made)
    })
}

fn judge_all(
    recipe: &OpeningRecipe,
    plan: &Plan,
    runner: &MatchRunner,
    next: &AtomicU64,
    enough: &AtomicBool,
    sender: &Sender<(u64, Judged)>,
) {
    let mut judge = runner.player(&plan.engines[0], &[], plan.terms.rules);
    while !enough.load(Ordering::Relaxed) && !runner.abandoned.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let judged = match recipe.candidate(number) {
            None => Ok(None),
            Some(opening) => value_of(&opening, plan, &mut *judge)
                .map(|value| value.map(|value| JudgedOpening { opening, value }))
                .map(|made| made.filter(|made| made.value.abs() <= recipe.margin)),
        };
        if matches!(judged, Err(PlayerError::Abandoned)) || sender.send((number, judged)).is_err() {
            return;
        }
    }
}

/// What the judge thinks of a position, without what it thought of others.
fn value_of(
    opening: &Opening,
    plan: &Plan,
    judge: &mut dyn Player,
) -> Result<Option<i32>, PlayerError> {
    judge.prepare(opening.game(), &mut |_| ())?;
    let control = plan.engines[0].control;
    let line = opening.game_line();
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let go = Go {
        nodes: control.nodes,
        depth: control.depth,
        movetime: control.movetime.map(millis),
        ..Go::default()
    };
    let decision = judge.think(&SearchRequest::new(&line, go, Allowed::Untimed), None)?;
    Ok(match decision.info.and_then(|info| info.score) {
        Some((Score::Cp(value), _)) => Some(value),
        _ => None,
    })
}

/// What has been made so far.
struct Collector {
    wanted: usize,
    made: Vec<JudgedOpening>,
    seen: HashSet<String>,
    /// Candidates looked at, and how many of them since the last that was kept.
    taken: u64,
    failed_in_a_row: u64,
}

impl Collector {
    fn new(wanted: usize) -> Self {
        Self { wanted, made: Vec::new(), seen: HashSet::new(), taken: 0, failed_in_a_row: 0 }
    }

    fn take(&mut self, made: Option<JudgedOpening>) {
        self.taken += 1;
        self.failed_in_a_row += 1;
        let Some(made) = made else { return };
        // The number of moves does not make a position another one.
        let sfen = made.opening.position().sfen();
        let position = sfen.rsplit_once(' ').map_or(sfen.as_str(), |(position, _)| position);
        if self.seen.insert(position.to_owned()) {
            self.made.push(made);
            self.failed_in_a_row = 0;
        }
    }

    fn is_over(&self) -> bool {
        self.made.len() >= self.wanted || self.failed_in_a_row >= PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    fn recipe(plies: RangeInclusive<usize>) -> OpeningRecipe {
        let start = Opening::even(Game::Shogi);
        OpeningRecipe { start, plies, margin: 100, count: 10, seed: 7 }
    }

    #[test]
    fn candidates_follow_from_seed_and_number() {
        let recipe = recipe(4..=9);
        for number in 0..50 {
            let Some(opening) = recipe.candidate(number) else { continue };
            assert_eq!(recipe.candidate(number).as_ref(), Some(&opening));
            assert!((4..=9).contains(&opening.moves().len()));
            assert!(!opening.position().in_check());
        }
        let other = OpeningRecipe { seed: 8, ..recipe.clone() };
        assert_ne!(recipe.candidate(1), other.candidate(1));
    }

    #[test]
    fn every_position_is_kept_once() {
        let mut collector = Collector::new(100);
        let made = |moves: &[&str]| {
            let mut position = rules::AnyPosition::startpos(Game::Shogi);
            let start = position.clone();
            let mut played = Vec::new();
            for text in moves {
                let m = position.parse_usi(text).unwrap();
                position.play(m);
                played.push(m);
            }
            Some(JudgedOpening { opening: Opening::new(start, played).unwrap(), value: 0 })
        };
        collector.take(made(&["7g7f", "3c3d", "2g2f"]));
        collector.take(made(&["2g2f", "3c3d", "7g7f"]));
        // The same again two moves later.
        collector.take(made(&["2g2f", "3c3d", "7g7f", "5a5b", "5i5h", "5b5a", "5h5i"]));
        collector.take(None);
        assert_eq!((collector.made.len(), collector.taken, collector.failed_in_a_row), (1, 4, 3));
        assert!(!collector.is_over());
    }
}
