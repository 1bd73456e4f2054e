//! Mate problems (詰将棋) from our own games: chosen by what somebody can solve, and brought back when they would be
//! forgotten.
//!
//! The problems are positions of games Nue played against itself, found by `cargo run --release -p board --example
//! tsume`: the mate is proven and as short as any, every move of the attacker but the last is the only one that
//! mates, and the tests prove it all again.

use crate::error::ApiError;
use crate::notation;
use rules::{AnyPosition, Color, Game, Move};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub id: &'static str,
    pub sfen: &'static str,
    /// How hard it is, from 1.
    pub level: u32,
    pub solution: Vec<Move>,
}

/// Every problem, the easiest first.
pub fn problems() -> &'static [Problem] {
    static ALL: OnceLock<Vec<Problem>> = OnceLock::new();
    ALL.get_or_init(|| include_str!("tsume.tsv").lines().filter_map(Problem::read).collect())
}

/// The problem of that id.
pub fn find(id: &str) -> Result<&'static Problem, ApiError> {
    let known = problems().iter().find(|problem| problem.id == id);
    known.ok_or_else(|| ApiError::missing(format!("there is no problem {id:?}")))
}

impl Problem {
    /// A line of the table: id, level, position, solution.
    fn read(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let (id, level, sfen) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
        let solution: Option<Vec<Move>> =
            fields.next()?.split(' ').map(|text| Move::from_usi(Game::Shogi, text)).collect();
        Some(Self { id, sfen, level, solution: solution? })
    }

    /// The position.
    pub fn position(&self) -> Result<AnyPosition, ApiError> {
        let bad = |e: rules::SfenError| ApiError::bad(e.to_string());
        AnyPosition::from_sfen(Game::Shogi, self.sfen).map_err(bad)
    }

    /// As the page sees it: without its solution.
    pub fn view(&self) -> TsumeProblem {
        let turn = self.position().map_or(Color::Black, |position| position.turn());
        TsumeProblem {
            id: self.id.to_owned(),
            sfen: self.sfen.to_owned(),
            plies: self.solution.len() as u32,
            level: self.level,
            turn: turn.into(),
        }
    }

    /// What the moves of somebody who solves it come to: the attacker's moves so far, the defender's between them.
    pub fn judge(&self, moves: &[String]) -> Result<Judgement, ApiError> {
        let mut at = self.position()?;
        if moves.len() > self.solution.len() || moves.is_empty() {
            return Err(ApiError::bad(
                "moves: expected those of the attacker and the defender so far",
            ));
        }
        for (number, text) in moves.iter().enumerate() {
            let m = at.parse_usi(text).map_err(|e| ApiError::bad(e.to_string()))?;
            let right = self.solution.get(number) == Some(&m);
            at.play(m);
            // Any mate is a mate: only the last move may differ.
            if number % 2 == 0 && at.is_mated() {
                return Ok(Judgement { state: Judged::Solved, reply: None });
            }
            if !right {
                return Ok(Judgement { state: Judged::Wrong, reply: None });
            }
        }
        let reply = self.solution.get(moves.len()).map(|m| m.usi(Game::Shogi));
        Ok(Judgement { state: Judged::Right, reply })
    }

    /// The solution in both notations.
    pub fn solution(&self) -> Result<TsumeSolution, ApiError> {
        let line = notation::line(&self.position()?, None, &self.solution);
        Ok(TsumeSolution { line: line.usi, ja: line.ja, en: line.en })
    }
}

/// A problem as the page sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TsumeProblem {
    pub id: String,
    pub sfen: String,
    /// To the mate.
    pub plies: u32,
    /// How hard it is, from 1.
    pub level: u32,
    /// Who mates.
    pub turn: crate::words::Color,
}

/// A solution, every reply the longest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TsumeSolution {
    pub line: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
}

/// How an attempt stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TsumeState"))]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// So far; the defender's reply comes with it.
    Right,
    Wrong,
    Solved,
}

/// How an attempt stands, and the defender's move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    pub state: Judged,
    pub reply: Option<String>,
}

/// Moves of an attempt, or the wish to be shown the solution.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TsumeAttempt {
    #[serde(default)]
    pub moves: Vec<String>,
    /// Whether something wrong was tried before.
    #[serde(default)]
    pub failed: bool,
    #[serde(default)]
    pub give_up: bool,
}

/// The answer to an attempt.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TsumeAnswer {
    pub state: Judged,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// When it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solution: Option<TsumeSolution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<TsumeProgress>,
}

/// The next problem, and how far somebody has come.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TsumeNext {
    /// Null when every problem is solved and none is due.
    pub problem: Option<TsumeProblem>,
    /// Whether it was met before and is due again.
    pub again: bool,
    pub progress: TsumeProgress,
}

/// How far somebody has come.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TsumeProgress {
    pub level: u32,
    /// Problems met, and solved at least once without a mistake.
    pub met: u32,
    pub solved: u32,
    /// To be repeated now.
    pub due: u32,
    /// Problems there are.
    pub total: u32,
    /// Solved without a mistake in a row.
    pub streak: u32,
    /// Solved and there are, by plies to the mate.
    pub lengths: Vec<TsumeLength>,
}

/// Problems of one length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TsumeLength {
    pub plies: u32,
    pub solved: u32,
    pub total: u32,
}

/// What is remembered of a problem somebody has met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Card {
    /// How often in a row it was solved.
    pub known: u32,
    /// When it comes back, in milliseconds since 1970.
    pub due: i64,
    pub tries: u32,
    pub solved: u32,
}

/// What is remembered of somebody.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Solver {
    /// The level of problems that suits them, with fractions.
    pub level: f64,
    pub streak: u32,
    pub cards: HashMap<String, Card>,
}

impl Default for Solver {
    fn default() -> Self {
        Self { level: 1.0, streak: 0, cards: HashMap::new() }
    }
}

const MINUTE: i64 = 60 * 1000;
const DAY: i64 = 24 * 60 * MINUTE;

/// When a problem comes back after it was solved so many times in a row: each time about twice as late.
const INTERVALS: [i64; 7] = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 16 * DAY, 35 * DAY, 80 * DAY];

impl Card {
    /// After an attempt.
    pub fn after(self, solved: bool, now: i64) -> Self {
        let known = if solved { self.known + 1 } else { 0 };
        let wait = INTERVALS[(known as usize).min(INTERVALS.len() - 1)];
        Self {
            known,
            due: now + wait,
            tries: self.tries + 1,
            solved: self.solved + u32::from(solved),
        }
    }
}

impl Solver {
    /// What is due, the longest overdue first; then something new, nearest to the level.
    pub fn next(&self, now: i64) -> (Option<&'static Problem>, bool) {
        let due = problems()
            .iter()
            .filter_map(|problem| Some((problem, self.cards.get(problem.id)?)))
            .filter(|(_, card)| card.due <= now)
            .min_by_key(|(_, card)| card.due);
        if let Some((problem, _)) = due {
            return (Some(problem), true);
        }
        let fresh = problems().iter().filter(|problem| !self.cards.contains_key(problem.id));
        let far =
            |problem: &&Problem| ((f64::from(problem.level) - self.level).abs() * 100.0) as i64;
        (fresh.min_by_key(far), false)
    }

    /// The next problem, and how far they have come.
    pub fn offer(&self, now: i64) -> TsumeNext {
        let (problem, again) = self.next(now);
        TsumeNext { problem: problem.map(Problem::view), again, progress: self.progress(now) }
    }

    /// An attempt at a problem. Where it is over it counts: the card comes with the answer, to be kept.
    pub fn answer(
        &mut self,
        id: &str,
        attempt: &TsumeAttempt,
        now: i64,
    ) -> Result<(TsumeAnswer, Option<Card>), ApiError> {
        let problem = find(id)?;
        let (state, reply) = if attempt.give_up {
            (Judged::Wrong, None)
        } else {
            let judged = problem.judge(&attempt.moves)?;
            (judged.state, judged.reply)
        };
        if !attempt.give_up && state != Judged::Solved {
            return Ok((TsumeAnswer { state, reply, solution: None, progress: None }, None));
        }
        let card = self.attempt(problem, state == Judged::Solved && !attempt.failed, now);
        let (solution, progress) = (Some(problem.solution()?), Some(self.progress(now)));
        Ok((TsumeAnswer { state, reply, solution, progress }, Some(card)))
    }

    /// After an attempt: the card, and the level when it was met for the first time.
    pub fn attempt(&mut self, problem: &Problem, solved: bool, now: i64) -> Card {
        let card = self.cards.entry(problem.id.to_owned()).or_default();
        let first = card.tries == 0;
        *card = card.after(solved, now);
        self.streak = if solved { self.streak + 1 } else { 0 };
        if first {
            let hardest = problems().iter().map(|p| p.level).max().unwrap_or(1);
            let step = if solved { 0.25 } else { -0.4 };
            self.level = (self.level + step).clamp(1.0, f64::from(hardest));
        }
        *card
    }

    /// As the page sees it.
    pub fn progress(&self, now: i64) -> TsumeProgress {
        let solved =
            |problem: &Problem| self.cards.get(problem.id).is_some_and(|card| card.solved > 0);
        let mut lengths: Vec<TsumeLength> = Vec::new();
        for problem in problems() {
            let plies = problem.solution.len() as u32;
            if !lengths.iter().any(|length| length.plies == plies) {
                lengths.push(TsumeLength { plies, solved: 0, total: 0 });
            }
            for length in lengths.iter_mut().filter(|length| length.plies == plies) {
                length.total += 1;
                length.solved += u32::from(solved(problem));
            }
        }
        lengths.sort_by_key(|length| length.plies);
        TsumeProgress {
            level: self.level.round() as u32,
            met: self.cards.len() as u32,
            solved: lengths.iter().map(|length| length.solved).sum(),
            due: self.cards.values().filter(|card| card.due <= now).count() as u32,
            total: problems().len() as u32,
            streak: self.streak,
            lengths,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mate::{Bounds, Questions, Verdict, study};
    use std::collections::HashSet;
    use think::{Control, ManualTime};

    #[test]
    fn every_problem_is_proven_and_has_one_solution() {
        let rows = include_str!("tsume.tsv").lines().count();
        assert_eq!(problems().len(), rows, "every row can be read");
        assert!(rows >= 60, "{rows}");
        let ids: HashSet<_> = problems().iter().map(|p| p.id).collect();
        assert_eq!(ids.len(), rows);
        for problem in problems() {
            let position = problem.position().unwrap();
            let bounds = Bounds {
                nodes: Some(2_000_000),
                hash: 8 << 20,
                shortest: true,
                ..Bounds::default()
            };
            let questions = Questions { bounds, cooks: true, proof: true, ..Questions::default() };
            let found = study(&position, &questions, &Control::new(false), &ManualTime::new());
            assert_eq!(found.solution.verdict, Verdict::Mate, "{}", problem.id);
            assert!(found.solution.is_shortest, "{}", problem.id);
            assert_eq!(found.solution.line.len(), problem.solution.len(), "{}", problem.id);
            let last = problem.solution.len() - 1;
            let cooks: Vec<_> = found
                .cooks
                .iter()
                .filter(|t| t.at < last && t.verdict != Verdict::NoMate)
                .collect();
            assert!(cooks.is_empty(), "{}: {cooks:?}", problem.id);
            let proof = found.proof.unwrap().unwrap();
            let checked = mate::verify(&proof).unwrap();
            assert_eq!(
                checked.claim,
                mate::Claim::Mate(problem.solution.len() as u32),
                "{}",
                problem.id
            );
        }
    }

    #[test]
    fn attempts_are_judged() {
        let problem = problems().iter().find(|p| p.solution.len() == 3).unwrap();
        let texts: Vec<String> = problem.solution.iter().map(|m| m.usi(Game::Shogi)).collect();
        let first = problem.judge(&texts[..1]).unwrap();
        assert_eq!((first.state, first.reply.as_deref()), (Judged::Right, Some(texts[1].as_str())));
        assert_eq!(problem.judge(&texts).unwrap().state, Judged::Solved);
        let position = problem.position().unwrap();
        let other = position
            .legal_moves()
            .iter()
            .find(|m| **m != problem.solution[0])
            .unwrap()
            .usi(Game::Shogi);
        assert_eq!(problem.judge(&[other]).unwrap().state, Judged::Wrong);
        for bad in [vec![], vec!["9z9z".to_owned()], vec!["7g7f".to_owned(); 9]] {
            assert!(problem.judge(&bad).is_err(), "{bad:?}");
        }
        assert!(find("no such problem").is_err());
    }

    #[test]
    fn what_is_known_comes_back_later_and_later() {
        let mut card = Card::default();
        let mut waits = Vec::new();
        for _ in 0..9 {
            card = card.after(true, 0);
            waits.push(card.due);
        }
        assert!(waits.is_sorted() && waits[0] == DAY && waits[8] == 80 * DAY, "{waits:?}");
        card = card.after(false, 0);
        assert_eq!((card.known, card.due, card.tries, card.solved), (0, 10 * MINUTE, 10, 9));
    }

    #[test]
    fn problems_follow_what_somebody_can_do() {
        let mut solver = Solver::default();
        let (first, again) = solver.next(0);
        assert_eq!((first.unwrap().level, again), (1, false));
        for now in 0..30 {
            let (problem, _) = solver.next(now);
            solver.attempt(problem.unwrap(), true, now);
        }
        assert!(solver.level > 3.0, "{}", solver.level);
        let progress = solver.progress(30);
        assert_eq!((progress.solved, progress.met, progress.streak, progress.due), (30, 30, 30, 0));
        let hard = solver.next(30).0.unwrap();
        solver.attempt(hard, false, 30);
        assert_eq!((solver.progress(30).streak, solver.progress(30).solved), (0, 30));
        // What was not solved is due again after ten minutes, before anything new.
        let (back, again) = solver.next(30 + 10 * MINUTE);
        assert_eq!((back.map(|p| p.id), again), (Some(hard.id), true));
        assert!(solver.next(29 + 2 * DAY).1, "and what was solved a day later");
    }
}
