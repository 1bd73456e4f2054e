//! What somebody asks for, made into a plan: who plays, from where, by which rules.

use crate::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::engine_logs::EngineLogs;
use crate::game::game_rules;
use crate::opening::Opening;
use crate::progress::MatchOptions;
use crate::runner::Plan;
use crate::schedule::{Format, Schedule};
use crate::spec::{EngineSpec, Launch, pairs};
use crate::stats::Sprt;
use crate::timed_game::Terms;
use kifu::archive::Source;
use kifu::{ReadOptions, Reader};
use rules::{Declaration, Game};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;
use usi::{PositionError, SetPosition};

/// Moves of a game record that count as its opening.
const RECORD_PLIES: usize = 24;

/// Why a request cannot be met.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RequestError {
    /// It makes no sense as it is.
    #[error("{0}")]
    Usage(String),
    /// It makes sense, but something it names cannot be used.
    #[error("{0}")]
    Failed(String),
}

/// A match somebody asks for. In a file it is written as on a command line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchRequest {
    /// Engines as lists of `key=value`, at least two.
    pub engines: Vec<String>,
    /// Pairs for every engine, which its own override.
    pub each: Vec<String>,
    #[serde(with = "crate::as_text")]
    pub game: Game,
    /// A file of positions, lines or game records to begin from.
    pub openings: Option<PathBuf>,
    /// Moves taken of each opening; all of lines, 24 of game records if nothing is said.
    pub plies: Option<usize>,
    /// Without a file: `startpos`, a handicap or an SFEN.
    pub start: String,
    /// Games of every pairing, half of them from each side.
    pub games: u64,
    #[serde(with = "crate::as_text")]
    pub format: Format,
    /// Of the order of openings; part of what the match is.
    pub seed: u64,
    pub concurrency: usize,
    /// Whether each game at a time gets processors of its own.
    pub pin: bool,
    /// Stop when the difference is known.
    #[serde(with = "crate::as_text::option")]
    pub sprt: Option<Sprt>,
    #[serde(with = "crate::as_text::option")]
    pub resign: Option<ResignRule>,
    #[serde(with = "crate::as_text::option")]
    pub draw: Option<DrawRule>,
    /// Moves after which a game is drawn; 0 for no limit.
    pub max_moves: u32,
    #[serde(with = "crate::as_text")]
    pub declaration: Declaration,
    /// How much a player may overstep its time.
    pub margin: Duration,
    /// Stop when an engine loses this many games in a row by faults; 0 for never.
    pub give_up: u64,
    /// CSA file all games are appended to, with a journal beside it.
    pub out: Option<PathBuf>,
    /// Go on with the match in that file.
    pub resume: bool,
    /// Replace it.
    pub force: bool,
    /// Folder for logs of what is said to and by the engines.
    pub log: Option<PathBuf>,
}

impl Default for MatchRequest {
    fn default() -> Self {
        Self {
            engines: Vec::new(),
            each: Vec::new(),
            game: Game::Shogi,
            openings: None,
            plies: None,
            start: "startpos".to_owned(),
            games: 100,
            format: Format::RoundRobin,
            seed: 1,
            concurrency: 1,
            pin: false,
            sprt: None,
            resign: None,
            draw: None,
            max_moves: play::MAX_MOVES,
            declaration: Declaration::default(),
            margin: Duration::from_millis(50),
            give_up: 20,
            out: None,
            resume: false,
            force: false,
            log: None,
        }
    }
}

impl MatchRequest {
    /// The plan, and what the user should know about it.
    pub fn plan(&self) -> Result<(Plan, Vec<String>), RequestError> {
        let engines = self.specs()?;
        let mut warnings = Vec::new();
        let openings = self.source().read(&mut warnings)?;
        let rounds = self.games.div_ceil(2);
        check_pairs(self.games).map_err(|why| RequestError::Usage(format!("--games: {why}")))?;
        let schedule = Schedule::new(self.format, engines.len(), rounds, openings.len(), self.seed);
        if schedule.repeats_openings() {
            warnings.push(format!(
                "{} openings for {rounds} pairs of games: they will be repeated",
                openings.len()
            ));
        }
        if self.sprt.is_some() && schedule.pairings().len() != 1 {
            return Err(RequestError::Usage("--sprt is for a match of two engines".to_owned()));
        }
        let mut plan = Plan {
            game: self.game,
            engines,
            schedule,
            openings,
            terms: Terms {
                rules: game_rules(self.declaration, self.max_moves),
                adjudication: Adjudication { resign: self.resign, draw: self.draw },
                margin: self.margin,
            },
            concurrency: self.concurrency,
            cpus: Vec::new(),
        };
        self.share_processors(&mut plan, &mut warnings);
        Ok((plan, warnings))
    }

    /// The logs asked for, and a warning where they will miss somebody.
    pub fn logs(&self, plan: &Plan) -> Result<(Option<EngineLogs>, Option<String>), RequestError> {
        logs_in(self.log.as_deref(), plan)
    }

    /// Where the match is kept, and when it ends early.
    pub fn options(&self) -> MatchOptions {
        MatchOptions {
            out: self.out.clone(),
            resume: self.resume,
            force: self.force,
            seed: self.seed,
            sprt: self.sprt,
            give_up: self.give_up,
        }
    }

    fn source(&self) -> OpeningSource {
        OpeningSource {
            game: self.game,
            file: self.openings.clone(),
            plies: self.plies,
            start: self.start.clone(),
            max_moves: self.max_moves,
        }
    }

    fn share_processors(&self, plan: &mut Plan, warnings: &mut Vec<String>) {
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        if plan.threads() > count {
            warnings.push(format!(
                "oversubscribed: up to {} threads think at the same time on {count} processors; \
                 times and results will suffer",
                plan.threads()
            ));
        }
        if !self.pin {
            return;
        }
        let cpus = os::affinity::available();
        match shares(&cpus, plan.threads() / plan.concurrency, plan.concurrency) {
            Some(shares) => plan.cpus = shares,
            None => warnings.push("not pinned: too few processors, or none to choose".to_owned()),
        }
    }

    fn specs(&self) -> Result<Vec<EngineSpec>, RequestError> {
        if self.engines.len() < 2 {
            let why = "a match needs two engines: give --engine twice or more";
            return Err(RequestError::Usage(why.to_owned()));
        }
        let shared: Vec<_> = self.each.iter().flat_map(|text| pairs(text)).collect();
        let mut engines: Vec<EngineSpec> = Vec::new();
        for text in &self.engines {
            let own = pairs(text);
            let all = shared.iter().chain(&own).map(|(key, value)| (key.as_str(), value.as_str()));
            let mut engine = EngineSpec::from_pairs(all)
                .map_err(|e| RequestError::Usage(format!("--engine {text}: {e}")))?;
            let taken = |name: &str| engines.iter().any(|other| other.name == name);
            if taken(&engine.name) {
                let free = (2..).map(|n| format!("{} {n}", engine.name)).find(|name| !taken(name));
                engine.name = free.unwrap_or_default();
            }
            engines.push(engine);
        }
        Ok(engines)
    }
}

/// Whether a match can have so many games: every opening is played from both sides.
pub fn check_pairs(games: u64) -> Result<(), String> {
    match games {
        0 => Err("no games to play".to_owned()),
        1 => Err("1 game is not a pair: every opening is played from both sides; use 2".to_owned()),
        n if !n.is_multiple_of(2) => {
            let (fewer, more) = (n - 1, n.saturating_add(1));
            Err(format!(
                "{n} games are not whole pairs: every opening is played from both sides; use {fewer} or {more}"
            ))
        }
        _ => Ok(()),
    }
}

/// Processors for each game at a time, none used twice.
fn shares(cpus: &[usize], each: usize, games: usize) -> Option<Vec<Vec<usize>>> {
    let shares: Vec<Vec<usize>> =
        cpus.chunks_exact(each.max(1)).take(games).map(<[usize]>::to_vec).collect();
    (shares.len() == games).then_some(shares)
}

/// The file itself, or the records in a folder in a stable order: the same folder makes the same match.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, RequestError> {
    let mut errors = Vec::new();
    let sources = Source::collect(&[path.to_owned()], false, &mut errors);
    match errors.into_iter().next() {
        Some(error) => Err(RequestError::Failed(error)),
        None => Ok(sources.into_iter().filter_map(|source| source.path).collect()),
    }
}

/// Where games begin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningSource {
    #[serde(with = "crate::as_text")]
    pub game: Game,
    /// A file of positions, lines or game records, or a folder of such files.
    pub file: Option<PathBuf>,
    /// Moves taken of each; all of lines, 24 of game records if nothing is said.
    pub plies: Option<usize>,
    /// Without a file: `startpos`, a handicap or an SFEN.
    pub start: String,
    /// Openings as long as a whole game are none; 0 for no such limit.
    pub max_moves: u32,
}

impl OpeningSource {
    /// The openings; those that are none are left out with a warning.
    pub fn read(&self, warnings: &mut Vec<String>) -> Result<Vec<Opening>, RequestError> {
        let Some(path) = &self.file else { return Ok(vec![self.named()?]) };
        let (mut openings, mut problems) = (Vec::new(), Vec::new());
        for file in files_of(path)? {
            let (good, bad) = self.read_file(&file)?;
            openings.extend(good);
            // Which file it was matters where there are several.
            let place = if file == *path { String::new() } else { format!("{}: ", file.display()) };
            problems.extend(bad.into_iter().map(|problem| place.clone() + &problem));
        }
        if openings.is_empty() {
            let why =
                problems.first().map_or_else(|| "there is nothing in it".to_owned(), Clone::clone);
            return Err(RequestError::Failed(format!("no opening in {}: {why}", path.display())));
        }
        if let Some(first) = problems.first() {
            warnings.push(format!("{} openings left out, the first: {first}", problems.len()));
        }
        Ok(openings)
    }

    /// The opening of one position, by its name.
    pub(crate) fn named(&self) -> Result<Opening, RequestError> {
        let position = SetPosition::named(self.game, &self.start, &[])
            .and_then(|set| set.resolve(self.game))
            .map_err(|error| match error {
                PositionError::Name(_) => RequestError::Usage(error.to_string()),
                PositionError::OtherGame { .. } => {
                    RequestError::Failed(format!("{error} (on the command line: --game)"))
                }
                _ => RequestError::Failed(error.to_string()),
            })?;
        Opening::new(position, Vec::new())
            .map_err(|e| RequestError::Failed(format!("--start {:?}: {e}", self.start)))
    }

    fn read_file(&self, path: &Path) -> Result<(Vec<Opening>, Vec<String>), RequestError> {
        let file = File::open(path)
            .map_err(|e| RequestError::Failed(format!("{}: {e}", path.display())))?;
        let options = ReadOptions { format: None, game: Some(self.game) };
        let reader = Reader::new(
            path.display().to_string(),
            BufReader::with_capacity(1 << 16, file),
            options,
        );
        let whole_lines = is_lines(path);
        let plies = self.plies.or((!whole_lines).then_some(RECORD_PLIES));
        let (mut openings, mut problems) = (Vec::new(), Vec::new());
        for (index, read) in reader.enumerate() {
            let opening = read.map_err(|e| e.to_string()).and_then(|record| {
                let opening = Opening::from_record(&record, plies).map_err(|e| e.to_string())?;
                if opening.game() != self.game {
                    return Err(format!("a position of {}", opening.game()));
                }
                let played = opening.position().ply().saturating_sub(1);
                if self.max_moves > 0 && played >= self.max_moves {
                    return Err(format!("{played} moves are the limit of the game or more"));
                }
                Ok(opening)
            });
            match opening {
                Ok(opening) => openings.push(opening),
                Err(problem) => problems.push(format!("opening {}: {problem}", index + 1)),
            }
        }
        Ok((openings, problems))
    }
}

/// Whether the file holds lines of openings rather than records of games.
fn is_lines(path: &Path) -> bool {
    let mut beginning = String::new();
    let read = File::open(path).map(|file| {
        let mut file = file.take(4096);
        let mut bytes = Vec::new();
        let _ = file.read_to_end(&mut bytes);
        beginning = String::from_utf8_lossy(&bytes).into_owned();
    });
    let by_name = || kifu::Format::from_file_name(&path.to_string_lossy());
    let format = read.ok().and_then(|()| kifu::Format::detect(&beginning)).or_else(by_name);
    format.is_none_or(|format| format == kifu::Format::Usi)
}

/// Logs in a folder, if there is to be one, and a warning where they will miss somebody.
pub fn logs_in(
    folder: Option<&Path>,
    plan: &Plan,
) -> Result<(Option<EngineLogs>, Option<String>), RequestError> {
    let Some(folder) = folder else { return Ok((None, None)) };
    let logs = EngineLogs::in_folder(folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotADirectory => {
            let folder = folder.display();
            RequestError::Usage(format!("{folder} is a file: name a folder for the logs"))
        }
        _ => RequestError::Failed(format!("{}: {error}", folder.display())),
    })?;
    let inside = plan
        .engines
        .iter()
        .filter(|engine| engine.launch == Launch::Inside && !plan.is_timed_among_programs());
    let silent: Vec<&str> = inside.map(|engine| engine.name.as_str()).collect();
    let warning = (!silent.is_empty()).then(|| {
        let names = silent.join(", ");
        format!("--log: nothing is said to {names}, inside this program; cmd=PROGRAM is logged")
    });
    Ok((Some(logs), warning))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(file: &Path) -> OpeningSource {
        OpeningSource {
            game: Game::Shogi,
            file: Some(file.to_owned()),
            plies: None,
            start: "startpos".to_owned(),
            max_moves: 320,
        }
    }

    #[test]
    fn openings_are_read_from_a_folder_in_order_and_what_is_wrong_has_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("b.usi", "startpos moves 7g7f\nhello\n");
        std::fs::create_dir(folder.path().join("a")).unwrap();
        write("a/x.usi", "startpos moves 2g2f 8c8d\n");
        write("notes.txt", "no record");
        let mut warnings = Vec::new();
        let openings = source(folder.path()).read(&mut warnings).unwrap();
        let plies: Vec<u32> = openings.iter().map(|opening| opening.position().ply()).collect();
        assert_eq!(plies, [3, 2]);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("b.usi"), "{warnings:?}");
    }

    #[test]
    fn a_line_with_an_illegal_move_is_left_out_unless_it_comes_after_what_is_played() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lines.usi");
        std::fs::write(&file, "startpos moves 7g7f 1a1c\nstartpos moves 2g2f 8c8d\n").unwrap();
        let mut warnings = Vec::new();
        let openings = source(&file).read(&mut warnings).unwrap();
        assert_eq!(openings.len(), 1);
        assert_eq!(
            warnings,
            [
                "1 openings left out, the first: opening 1: \"1a1c\" cannot be played: it is illegal at ply 2"
            ]
        );
        // One ply of each is what was asked for.
        let mut warnings = Vec::new();
        let one = OpeningSource { plies: Some(1), ..source(&file) };
        assert_eq!((one.read(&mut warnings).unwrap().len(), warnings.len()), (2, 0));
    }

    #[test]
    fn a_folder_without_records_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = source(folder.path()).read(&mut Vec::new()).unwrap_err();
        assert!(refused.to_string().contains("no records in this folder"), "{refused}");
    }
}
