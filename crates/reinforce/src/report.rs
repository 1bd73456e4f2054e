//! What a run has learned about its starts, from what it recorded: tables and pictures.
//!
//! Scores and temperatures come from the plans and reviews of its generations; positions and openings from the
//! games that are still there.

use crate::error::RunError;
use crate::files;
use crate::plan::{GenerationPlan, LoopSettings};
use crate::playouts::MeasuredPlayouts;
use crate::review::{Review, read_games};
use crate::run::{GAMES, PLAN, REVIEW, Run};
use balance::{
    Balance, OpeningRule, Role, Statistics, StatisticsError, StatisticsSettings, plots, worth,
};
use lab::LabError;
use lab::folder::{LabFolder, write_whole};
use play::Ending;
use rating::Rating;
use rules::{Game, Handicap};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Entries of a start's history that its worth comes from.
const LATEST: usize = 4;
/// Commonest openings that are told of each start.
const LINES: usize = 3;
/// Points of a start's curve at most, about; and its games that a point should have, so that it is not all chance.
const POINTS: u64 = 60;
const GAMES_EACH: u64 = 100;
/// Points it should have even if their games are fewer.
const FEWEST_POINTS: u64 = 8;

/// Games of a point in the curve of a start with so many.
fn games_each(games: u64) -> u64 {
    (games / POINTS).max(GAMES_EACH.min(games / FEWEST_POINTS)).max(1)
}

/// What a run recorded.
#[derive(Clone, Debug)]
pub struct Report {
    settings: LoopSettings,
    generations: u32,
    balance: Balance,
    statistics: Statistics,
    /// Generations whose games are still there.
    read: u32,
    /// Strength by playouts of its net, where that was measured.
    playouts: Option<MeasuredPlayouts>,
}

impl Report {
    /// Reads a folder.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let missing = || LabError::at(folder, &"is no folder of nue learn --method rl");
        let settings = Run::settings_of(folder)?.ok_or_else(missing)?;
        let lab = LabFolder::open(folder)?;
        let (play, mut read, mut generations, mut last) = (&settings.play, 0, 0, None);
        let finished = (1..).take_while(|&n| lab.generation(n).path().join(REVIEW).is_file());
        let all: Vec<u32> = finished.collect();
        let games = settings.games.saturating_mul(all.len() as u64) / play.starts.len() as u64;
        let rule =
            StatisticsSettings { games_each: games_each(games), ..StatisticsSettings::default() };
        let mut statistics = Statistics::new(play.game, play.starts.clone(), rule);
        for number in all {
            let path = lab.generation(number).path().to_owned();
            let need = |name: &str| LabError::at(&path.join(name), &"is missing");
            let plan: GenerationPlan = files::read(&path.join(PLAN))?.ok_or_else(|| need(PLAN))?;
            let review: Review = files::read(&path.join(REVIEW))?.ok_or_else(|| need(REVIEW))?;
            if path.join(GAMES).is_file() {
                add(&mut statistics, &settings, &plan, &path.join(GAMES))?;
                read += 1;
            }
            generations = number;
            last = Some(plan.next(&settings, &review, None, plan.seed, Some(number))?.balance);
        }
        let balance =
            last.ok_or_else(|| LabError::at(folder, &"has no generation that was played"))?;
        Ok(Self { settings, generations, balance, statistics, read, playouts: None })
    }

    /// With strength by playouts, which is measured by itself.
    #[must_use]
    pub fn with_playouts(self, playouts: Option<MeasuredPlayouts>) -> Self {
        Self { playouts, ..self }
    }

    /// What each start is worth to Black, where that is known.
    pub fn worths(&self) -> Vec<(String, Rating)> {
        let known = |start: &balance::StartBalance| {
            Some((start.start().name.clone(), start.worth(LATEST)?))
        };
        self.balance.starts().iter().filter_map(known).collect()
    }

    /// The report in Markdown, with links to the pictures beside it.
    pub fn text(&self) -> Result<String, StatisticsError> {
        let (game, mut text) = (self.settings.play.game, String::new());
        let _ = writeln!(
            text,
            "# Starts of a run of reinforcement learning\n\n{game}, {} generations of {} games, {} playouts a \
             move. Openings and positions are those of {} generations whose games are still there.\n",
            self.generations, self.settings.games, self.settings.play.playouts, self.read
        );
        text.push_str("| start | games | Black's score | different at ply 30 | mean plies | temperature | worth (Elo) | the paper's |\n|---|---|---|---|---|---|---|---|\n");
        for (held, counted) in self.balance.starts().iter().zip(self.statistics.starts()) {
            let (black, white) = self.balance.temperatures(held);
            let hot =
                if white > black { format!("White {white}") } else { format!("Black {black}") };
            let worth = held
                .worth(LATEST)
                .map_or_else(|| "–".to_owned(), |r| format!("{:.0} ± {:.0}", r.elo, 2.0 * r.error));
            let _ = writeln!(
                text,
                "| {} | {} | {:.3} | {} | {:.1} | {hot} | {worth} | {} |",
                held.start().name,
                counted.games(),
                counted.score().share(),
                different(counted),
                counted.mean_plies(),
                published(game, &held.start().name)
            );
        }
        text.push_str(
            "\nErrors are two standard errors.\n\n![Score by start](score.svg)\n![Weakening by start](weakening.svg)\n\
             ![Worth of the starts](worth.svg)\n![Elo by temperature](temperature.svg)\n\n## Commonest first plies\n\n",
        );
        for (number, start) in self.statistics.starts().iter().enumerate() {
            for (line, count) in self.statistics.lines(number, LINES)? {
                let moves: Vec<String> = line.iter().map(|mv| mv.usi(game)).collect();
                let _ =
                    writeln!(text, "- {}, {count} games: {}", start.start().name, moves.join(" "));
            }
        }
        if let Some(playouts) = &self.playouts {
            text.push('\n');
            text.push_str(&playouts.markdown());
            text.push_str(
                "\n![Elo of the giver](giver.svg)\n![Elo of the receiver](receiver.svg)\n",
            );
        }
        Ok(text)
    }

    /// Writes report, pictures and opening sets into a folder that is new or empty.
    pub fn write(&self, folder: &Path) -> Result<(), RunError> {
        fs::create_dir_all(folder).map_err(|e| LabError::at(folder, &e))?;
        let mut there = fs::read_dir(folder).map_err(|e| LabError::at(folder, &e))?;
        if there.next().is_some() {
            return Err(LabError::at(folder, &"is not empty; name another folder").into());
        }
        let damaged = |e: StatisticsError| RunError::from(LabError::at(folder, &e));
        let mut all = vec![
            ("report.md".to_owned(), self.text().map_err(damaged)?),
            ("score.svg".to_owned(), plots::score_over_time(&self.statistics)),
            ("weakening.svg".to_owned(), plots::weakening_over_time(&self.balance)),
            ("worth.svg".to_owned(), plots::worth_of_starts(&self.worths())),
            ("temperature.svg".to_owned(), plots::temperature_table(self.balance.table())),
        ];
        if let Some(playouts) = &self.playouts {
            for (role, name) in [(Role::Giver, "giver.svg"), (Role::Receiver, "receiver.svg")] {
                let picture = plots::strength_by_playouts(&playouts.strengths(role), role);
                all.push((name.to_owned(), picture));
            }
        }
        let game = self.settings.play.game;
        for (number, start) in self.settings.play.starts.iter().enumerate() {
            let set =
                self.statistics.opening_set(number, OpeningRule::default()).map_err(damaged)?;
            let lines: Vec<String> = set.iter().map(|opening| opening.line(game, start)).collect();
            if !lines.is_empty() {
                all.push((format!("openings-{}.usi", number + 1), lines.join("\n") + "\n"));
            }
        }
        for (name, text) in all {
            write_whole(&folder.join(name), text.as_bytes())?;
        }
        Ok(())
    }
}

/// Different positions at the ply that is compared, and their share of all.
fn different(counted: &balance::StartStatistics) -> String {
    let distinct = counted.distinct();
    match distinct.different_share() {
        Some(share) => format!("{} ({:.0} %)", distinct.different(), 100.0 * share),
        None => "–".to_owned(),
    }
}

/// What the paper found for a start of shogi.
fn published(game: Game, name: &str) -> String {
    let handicap = name.parse::<Handicap>().ok().filter(|_| game == Game::Shogi);
    let elo = handicap.and_then(worth::between_nets);
    elo.map_or_else(|| "–".to_owned(), |elo| elo.to_string())
}

/// Counts the games of a generation.
fn add(
    statistics: &mut Statistics,
    settings: &LoopSettings,
    plan: &GenerationPlan,
    path: &Path,
) -> Result<(), RunError> {
    let mut refused = None;
    read_games(path, &settings.play, &plan.lots(settings), &mut |lot, game| {
        let moves: Vec<_> = game.plies.iter().map(|ply| ply.mv).collect();
        let ending = Ending { outcome: game.outcome, reason: game.reason };
        refused = refused.take().or(statistics.add(lot.assignment.start, &moves, ending).err());
    })?;
    match refused {
        Some(error) => Err(LabError::at(path, &error).into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::games_each;

    #[test]
    fn points_of_a_curve_have_enough_games_and_are_not_too_many() {
        let cases =
            [(0, 1), (7, 1), (80, 10), (800, 100), (1_150, 100), (6_000, 100), (22_800, 380)];
        for (games, each) in cases {
            assert_eq!(games_each(games), each, "{games}");
        }
    }
}
