//! Games read again before anything is learned from them: replayed by the referee, and counted.

use crate::game::rate;
use crate::lots::{Lot, Lots};
use crate::records::RecordError;
use crate::settings::PlaySettings;
use balance::{ResignRule, ResignThreshold, ResignWatch, Wdl};
use play::{GameRules, Outcome, Reason};
use rules::Color;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use teacher::{Game, Reader, as_stored};

/// What the games of a generation came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub games: u64,
    pub positions: u64,
    /// Positions that are learned from.
    pub learned: u64,
    /// Black's, by start, in the order of the settings.
    pub scores: Vec<Wdl>,
    /// Games by how they ended.
    pub endings: BTreeMap<String, u64>,
    /// What is known about resigning after them.
    pub resign: ResignThreshold,
}

impl Review {
    /// Nothing was played yet.
    pub fn new(settings: &PlaySettings, resign: ResignThreshold) -> Self {
        let scores = vec![Wdl::default(); settings.starts.len()];
        Self { games: 0, positions: 0, learned: 0, scores, endings: BTreeMap::new(), resign }
    }

    /// Reads all games of a file that was played with these settings and lots, from game 0, with what was
    /// known about resigning before.
    pub fn read(
        path: &Path,
        settings: &PlaySettings,
        lots: &Lots,
        resign: ResignThreshold,
    ) -> Result<Self, RecordError> {
        let mut review = Self::new(settings, resign);
        read_games(path, settings, lots, &mut |lot, game| review.add(settings, lot, game))?;
        Ok(review)
    }

    fn add(&mut self, settings: &PlaySettings, lot: &Lot, game: &Game) {
        self.games += 1;
        self.positions += game.positions() as u64;
        self.learned += game.plies.iter().filter(|ply| !ply.flags.skip).count() as u64;
        *self.endings.entry(game.reason.to_string()).or_default() += 1;
        // The referee has a result for every game.
        let result = game.outcome.for_side(Color::Black).unwrap_or(0);
        self.scores[lot.assignment.start].add(result);
        if lot.is_played_out {
            self.resign.played_out(&watched(game, &settings.resign), game.outcome);
        }
    }

    /// The games in a line.
    pub fn summary(&self, settings: &PlaySettings) -> String {
        let starts = settings.starts.iter().zip(&self.scores);
        let scores: Vec<String> = starts
            .filter(|(_, score)| score.games() > 0)
            .map(|(start, score)| format!("{} {:.3}", start.name, score.share()))
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
}

/// Hands over the games of a file in order, from game 0, each replayed by the referee and compared with what was
/// decided before it began.
pub(crate) fn read_games(
    path: &Path,
    settings: &PlaySettings,
    lots: &Lots,
    take: &mut dyn FnMut(&Lot, &Game),
) -> Result<(), RecordError> {
    let file = |e| RecordError::file(path, e);
    let input = File::open(path).map_err(|e| RecordError::file(path, e))?;
    let reader = Reader::new(BufReader::with_capacity(1 << 20, input)).map_err(file)?;
    for (number, game) in (0..).zip(reader.games()) {
        let game = game.map_err(file)?;
        let (lot, _) = lots.draw(number);
        check(settings, &lot, &game).map_err(|reason| RecordError::Game {
            path: path.to_owned(),
            number,
            reason,
        })?;
        take(&lot, &game);
    }
    Ok(())
}

/// Whether a game is what it was to be, and what the referee says.
pub(crate) fn check(settings: &PlaySettings, lot: &Lot, game: &Game) -> Result<(), String> {
    let start = &settings.starts[lot.assignment.start];
    if game.start.sfen() != start.sfen {
        return Err(format!("it begins from {}, not from {}", game.start.sfen(), start.name));
    }
    replay(game, &settings.referee())?;
    if lot.is_played_out && game.reason == Reason::Resign {
        return Err("it was to be played out and was given up".to_owned());
    }
    Ok(())
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

/// A game as those who watch for resigning see it.
fn watched(game: &Game, rule: &ResignRule) -> ResignWatch {
    let mut watch = ResignWatch::new(rule);
    let mut side = game.start.turn();
    for ply in &game.plies {
        if let Some(score) = ply.score {
            watch.saw(side, rate(score));
        }
        side = side.opponent();
    }
    watch
}
