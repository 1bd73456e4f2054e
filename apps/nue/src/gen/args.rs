//! The command line of `nue gen`.

use crate::evaluation::EvaluationArgs;
use crate::failure::Failure;
use crate::start::GameArg;
use arena::adjudication::{DrawRule, ResignRule};
use arena::selfplay::file::{Existing, Goal};
use arena::selfplay::settings::{Settings, parse_plies};
use arena::selfplay::{NearBest, RandomMoves};
use assembly::options::{
    ENTERING_KING_RULE, HASH, MAX_MOVES_TO_DRAW, PV_INTERVAL, ROOT_MATE_NODES, THREADS,
};
use clap::Args;
use rules::Declaration;
use std::path::PathBuf;
use std::time::Duration;

/// Make teacher data by self-play
///
/// One engine plays both sides with one table. The same settings and seed give the same games on
/// any number of threads; an interrupted run continues with --resume.
#[derive(Args)]
pub(crate) struct GenArgs {
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,

    /// Stop after that many games
    #[arg(long, value_name = "N", required_unless_present_any = ["positions", "minutes"])]
    games: Option<u64>,

    /// Stop after that many positions
    #[arg(long, value_name = "N", conflicts_with = "games")]
    positions: Option<u64>,

    /// Stop after that many minutes of this run
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,

    /// Nodes for each move
    #[arg(long, value_name = "N", default_value = "2500")]
    nodes: Option<u64>,

    /// Depth for each move, instead of nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,

    /// Moves chosen at random in each game
    #[arg(long, value_name = "N", default_value_t = 8)]
    random: usize,

    /// Plies after the opening among which they are: FIRST-LAST
    #[arg(long, value_name = "RANGE", default_value = "1-8", value_parser = parse_plies)]
    random_plies: (usize, usize),

    /// Choose among near-best moves: lines=4,margin=50,until=30
    #[arg(long, value_name = "KEY=VALUE,…")]
    near_best: Option<NearBest>,

    /// Begin anew where the first value after the random moves is further than this from zero
    #[arg(long, value_name = "CP")]
    balance: Option<u32>,

    /// Where games begin, with shares: even, a handicap, "handicaps", "entering" or an SFEN, as in
    /// "even:90", "handicaps:5", "entering:5"
    #[arg(long = "start", value_name = "START[:SHARE]")]
    starts: Vec<String>,

    /// Positions, lines or records to begin from, with a share: FILE[:SHARE]
    #[arg(long, value_name = "FILE[:SHARE]")]
    openings: Vec<String>,

    /// Moves to take from each opening; by default all of USI lines, 24 of game records
    #[arg(long, value_name = "N")]
    plies: Option<usize>,

    /// End games that are lost by score: score=3000,moves=4[,both=false]; "never" plays them out
    #[arg(long, value_name = "KEY=VALUE,…", default_value = "score=3000,moves=4", value_parser = resignation)]
    resign: Resign,

    /// End games that are drawn by score: score=10,moves=20[,from=100]
    #[arg(long, value_name = "KEY=VALUE,…")]
    draw: Option<DrawRule>,

    /// Moves after which a game is drawn; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 320)]
    max_moves: u32,

    /// Entering-king rule
    #[arg(long, value_name = "RULE", default_value = "CSARule27", value_parser = |s: &str| s.parse::<Declaration>())]
    declaration: Declaration,

    /// Which games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Games at a time; as many as processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<usize>,

    /// MiB of table for each game under way
    #[arg(long, value_name = "MIB", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,

    /// Positions after which a block of the file is closed: what a crash can lose
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) block: u64,

    /// Each side with a table of its own, for comparison
    #[arg(long)]
    separate: bool,

    /// Option of the engine: NAME=VALUE
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,

    /// Go on with the file
    #[arg(long, conflicts_with = "force")]
    resume: bool,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub(super) evaluation: EvaluationArgs,

    #[command(flatten)]
    pub(super) game: GameArg,
}

/// When scores end a game.
#[derive(Clone, Copy, Debug)]
struct Resign(Option<ResignRule>);

impl GenArgs {
    /// Games at a time.
    pub(super) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).clamp(1, 1024)
    }

    /// When there is enough.
    pub(super) fn goal(&self) -> Goal {
        // A time that is no time is over at once; one without end never is.
        let time = |minutes: f64| Duration::try_from_secs_f64((minutes * 60.0).max(0.0)).ok();
        Goal { games: self.games, positions: self.positions, time: self.minutes.and_then(time) }
    }

    /// What to do with a file that is there.
    pub(super) const fn existing(&self) -> Existing {
        match (self.resume, self.force) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        }
    }

    /// What to play.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        let (first, last) = self.random_plies;
        Ok(Settings {
            game: self.game.game,
            starts: self.starts.clone(),
            openings: self.openings.clone(),
            plies: self.plies,
            nodes: self.nodes,
            depth: self.depth,
            random: RandomMoves { count: self.random, first, last },
            near_best: self.near_best,
            balance: self.balance,
            resign: self.resign.0,
            draw: self.draw,
            max_moves: self.max_moves,
            declaration: self.declaration,
            seed: self.seed,
            separate: self.separate,
            options: self.engine_options()?,
        })
    }

    fn engine_options(&self) -> Result<Vec<(String, String)>, Failure> {
        let mut options: Vec<(String, String)> = [
            THREADS.to(1),
            HASH.to(self.hash as usize),
            // Only the last line of each search is wanted.
            PV_INTERVAL.to(100_000),
            // Every node is counted, and games are adjudicated: no extra search for mates.
            ROOT_MATE_NODES.to(0),
            ENTERING_KING_RULE.to(self.declaration.name().to_owned()),
            MAX_MOVES_TO_DRAW.to(self.max_moves),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        for text in &self.options {
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| Failure::usage(format!("--option {text:?}: expected NAME=VALUE")))?;
            options.push((name.to_owned(), value.to_owned()));
        }
        Ok(options)
    }
}

fn resignation(text: &str) -> Result<Resign, String> {
    if text == "never" {
        return Ok(Resign(None));
    }
    text.parse().map(|rule| Resign(Some(rule)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_may_be_played_out() {
        assert!(resignation("never").unwrap().0.is_none());
        assert!(resignation("score=3000").unwrap().0.is_some());
        assert!(resignation("sometimes").is_err());
    }
}
