//! Games read again before anything is learned from them: replayed by the referee, and counted.

use crate::game::{Lot, chance};
use crate::records::RecordError;
use crate::settings::{PlaySettings, ResignRule};
use play::{GameRules, Outcome, Reason};
use rules::Color;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use teacher::{Game, Reader, as_stored};

/// Games played out that are needed to judge a threshold.
const FEWEST: usize = 20;
/// Steps from the highest threshold down to none.
const STEPS: u16 = 20;

/// What the games of a generation came to.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub games: u64,
    pub positions: u64,
    /// Positions that are learned from.
    pub learned: u64,
    /// By start, in the order of the settings.
    pub scores: Vec<StartScore>,
    /// Games by how they ended.
    pub endings: BTreeMap<String, u64>,
    /// Of the games that were played out: the lowest chance to win that each side held, of who lost and
    /// who did not.
    pub lowest: Vec<Lowest>,
}

/// How one start went, for Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartScore {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl StartScore {
    /// How many games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// From 0 to 1; nothing without games.
    pub fn score(&self) -> Option<f64> {
        let points = self.wins as f64 + 0.5 * self.draws as f64;
        (self.games() > 0).then(|| points / self.games() as f64)
    }
}

/// The lowest chance a side held over the moves in a row that resigning asks for.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lowest {
    pub chance: f32,
    pub lost: bool,
}

impl Review {
    /// Reads all games of a file that was played with these settings and this seed, from game 0.
    pub fn read(path: &Path, settings: &PlaySettings, seed: u64) -> Result<Self, RecordError> {
        let file = |e| RecordError::file(path, e);
        let input = File::open(path).map_err(|e| RecordError::file(path, e))?;
        let reader = Reader::new(BufReader::with_capacity(1 << 20, input)).map_err(file)?;
        let scores = vec![StartScore::default(); settings.starts.len()];
        let mut review = Self { scores, ..Self::default() };
        for game in reader.games() {
            let game = game.map_err(file)?;
            let number = review.games;
            review.add(settings, seed, &game).map_err(|reason| RecordError::Game {
                path: path.to_owned(),
                number,
                reason,
            })?;
        }
        Ok(review)
    }

    fn add(&mut self, settings: &PlaySettings, seed: u64, game: &Game) -> Result<(), String> {
        let (lot, _) = Lot::draw(settings, seed, self.games);
        let start = &settings.starts[lot.start];
        if game.start.sfen() != start.sfen {
            return Err(format!("it begins from {}, not from {}", game.start.sfen(), start.name));
        }
        replay(game, &settings.referee())?;
        if lot.is_played_out && game.reason == Reason::Resign {
            return Err("it was to be played out and was given up".to_owned());
        }
        self.games += 1;
        self.positions += game.positions() as u64;
        self.learned += game.plies.iter().filter(|ply| !ply.flags.skip).count() as u64;
        *self.endings.entry(game.reason.to_string()).or_default() += 1;
        let score = &mut self.scores[lot.start];
        match game.outcome {
            Outcome::Won(Color::Black) => score.wins += 1,
            Outcome::Won(Color::White) => score.losses += 1,
            Outcome::Draw | Outcome::Unknown => score.draws += 1,
        }
        if lot.is_played_out {
            self.lowest.extend(lowest(game, settings.resign.held.max(1) as usize));
        }
        Ok(())
    }

    /// The games in a line.
    pub fn summary(&self, settings: &PlaySettings) -> String {
        let starts = settings.starts.iter().zip(&self.scores);
        let scores: Vec<String> = starts
            .filter_map(|(start, score)| Some(format!("{} {:.3}", start.name, score.score()?)))
            .collect();
        let given_up = self.endings.get(&Reason::Resign.to_string()).copied().unwrap_or(0);
        format!(
            "{} games of {:.1} plies, {} positions learned from, {given_up} resigned; Black scores {}",
            self.games,
            self.positions as f64 / self.games.max(1) as f64,
            self.learned,
            scores.join(", ")
        )
    }

    /// The threshold for the next games: the highest at which few enough of the games it ends would have
    /// been saved. The one before where too few games were played out.
    pub fn resign_below(&self, rule: &ResignRule, before: f32) -> f32 {
        if self.lowest.len() < 2 * FEWEST {
            return before;
        }
        let step = |n: u16| rule.most * f32::from(n) / f32::from(STEPS);
        let is_fine = |below: f32| {
            let ended = self.lowest.iter().filter(|side| side.chance < below);
            let (mut all, mut wrong) = (0u32, 0u32);
            for side in ended {
                all += 1;
                wrong += u32::from(!side.lost);
            }
            f64::from(wrong) <= rule.wrong * f64::from(all)
        };
        (1..=STEPS).rev().map(step).find(|&below| is_fine(below)).unwrap_or(0.0)
    }
}

/// Whether the referee says the same of a game as its record.
fn replay(game: &Game, rules: &GameRules) -> Result<(), String> {
    let mut position = game.start.clone();
    let mut end = None;
    for (number, ply) in (1..).zip(&game.plies) {
        if end.is_some() {
            return Err(format!("it went on after its end, with move {number}"));
        }
        if let Some(why) = position.why_illegal(ply.mv) {
            return Err(format!("move {number} is illegal: {why}"));
        }
        end = rules.play(&mut position, ply.mv, number);
    }
    let turn = position.turn();
    let told = (game.outcome, game.reason);
    let is_right = match (end, game.reason) {
        (Some(end), _) => (end.outcome, as_stored(end.reason)) == told,
        (None, Reason::Resign) => game.outcome == Outcome::Won(turn.opponent()),
        (None, Reason::Declaration) => {
            game.outcome == Outcome::Won(turn) && rules.can_declare(&position)
        }
        (None, _) => false,
    };
    let referee = || match end {
        Some(end) => format!("{}, {}", end.outcome, end.reason),
        None => "it is not over".to_owned(),
    };
    match is_right {
        true => Ok(()),
        false => Err(format!("{}, {} by its record; by the referee {}", told.0, told.1, referee())),
    }
}

/// For each side, the lowest chance that so many of its moves in a row stayed below.
fn lowest(game: &Game, held: usize) -> impl Iterator<Item = Lowest> {
    let first = game.start.turn();
    let of = |side: Color| {
        let skip = usize::from(side != first);
        let own: Vec<f32> = game
            .plies
            .iter()
            .skip(skip)
            .step_by(2)
            .map(|ply| ply.score.map_or(1.0, chance))
            .collect();
        let highest = |window: &[f32]| window.iter().copied().fold(0.0, f32::max);
        let chance = own.windows(held).map(highest).fold(1.0, f32::min);
        Lowest { chance, lost: game.outcome == Outcome::Won(side.opponent()) }
    };
    Color::BOTH.map(of).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_the_highest_that_errs_rarely() {
        let rule = ResignRule { most: 0.1, held: 1, played_out: 1.0, wrong: 0.05 };
        let sides = |wrong: usize, below: f32| -> Review {
            let lost = (0..95).map(|n| Lowest { chance: n as f32 / 950.0, lost: true });
            let saved = (0..wrong).map(move |_| Lowest { chance: below, lost: false });
            Review { lowest: lost.chain(saved).collect(), ..Review::default() }
        };
        let close = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!(close(sides(0, 0.0).resign_below(&rule, 0.02), 0.1));
        assert!(close(sides(4, 0.05).resign_below(&rule, 0.02), 0.1), "4 of 99");
        // Ten of those saved had been at 0.052: below that only who lost.
        assert!(close(sides(10, 0.052).resign_below(&rule, 0.02), 0.05));
        assert!(close(sides(100, 0.001).resign_below(&rule, 0.02), 0.0));
        let few = Review::default();
        assert_eq!(few.resign_below(&rule, 0.02), 0.02);
    }

    #[test]
    fn scores_count_draws_as_halves() {
        let score = StartScore { wins: 1, draws: 2, losses: 1 };
        assert_eq!((score.games(), score.score()), (4, Some(0.5)));
        assert_eq!(StartScore::default().score(), None);
    }
}
