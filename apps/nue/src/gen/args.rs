//! The command line of `nue gen`, and what it means.

use crate::evaluation::{Evaluation, EvaluationArgs};
use crate::failure::Failure;
use crate::start::{self, GameArg};
use arena::Opening;
use arena::adjudication::{Adjudication, DrawRule, ResignRule};
use arena::game_rules;
use arena::request::OpeningSource;
use arena::selfplay::starts::{Set, Starts};
use arena::selfplay::{NearBest, RandomMoves, Recipe};
use assembly::options::{
    ENTERING_KING_RULE, HASH, MAX_MOVES_TO_DRAW, PV_INTERVAL, ROOT_MATE_NODES, THREADS,
};
use clap::Args;
use rules::{Declaration, Game, Handicap};
use std::path::PathBuf;
use teacher::Header;

/// Make teacher data by self-play
///
/// One engine plays both sides with one table. The same settings and seed give the same games on
/// any number of threads; a run that was broken off goes on with --resume.
#[derive(Args)]
pub(crate) struct GenArgs {
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,

    /// Stop after that many games
    #[arg(long, value_name = "N", required_unless_present_any = ["positions", "minutes"])]
    pub(super) games: Option<u64>,

    /// Stop after that many positions
    #[arg(long, value_name = "N", conflicts_with = "games")]
    pub(super) positions: Option<u64>,

    /// Stop after that many minutes of this run
    #[arg(long, value_name = "N")]
    pub(super) minutes: Option<f64>,

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
    #[arg(long, value_name = "RANGE", default_value = "1-8", value_parser = plies)]
    random_plies: (usize, usize),

    /// Choose among near-best moves: lines=4,margin=50,until=30
    #[arg(long, value_name = "KEY=VALUE,…", value_parser = near_best)]
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

    /// Moves taken of each opening; all of USI lines, 24 of game records
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
    pub(super) resume: bool,

    /// Replace the file if it exists
    #[arg(long)]
    pub(super) force: bool,

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

    /// What to play.
    pub(super) fn recipe(&self) -> Result<Recipe, Failure> {
        let (first, last) = self.random_plies;
        let random = RandomMoves { count: self.random, first, last };
        Ok(Recipe {
            game: self.game.game,
            starts: self.beginnings()?,
            nodes: if self.depth.is_some() { None } else { self.nodes.map(|n| n.max(1)) },
            depth: self.depth,
            random,
            near_best: self.near_best,
            balance: self.balance.map(|cp| i32::try_from(cp).unwrap_or(i32::MAX)),
            rules: game_rules(self.declaration, self.max_moves),
            adjudication: Adjudication { resign: self.resign.0, draw: self.draw },
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

    fn beginnings(&self) -> Result<Starts, Failure> {
        let mut starts = Starts::default();
        let game = self.game.game;
        for text in &self.starts {
            let (name, share) = shared(text)?;
            starts.add(self.set(name)?, share);
        }
        for text in &self.openings {
            let (path, share) = shared(text)?;
            let source = OpeningSource {
                game,
                file: Some(path.into()),
                plies: self.plies,
                start: "startpos".to_owned(),
                max_moves: self.max_moves,
            };
            let mut problems = Vec::new();
            let openings = source.read(&mut problems)?;
            if let Some(problem) = problems.first() {
                return Err(Failure::failed(format!("{path}: {problem}")));
            }
            starts.add(Set::Openings(openings), share);
        }
        if self.starts.is_empty() && self.openings.is_empty() {
            starts.add(Set::Openings(vec![Opening::even(game)]), 1.0);
        }
        if starts.is_empty() {
            return Err(Failure::usage("every --start has the share 0: nothing to begin from"));
        }
        Ok(starts)
    }

    fn set(&self, name: &str) -> Result<Set, Failure> {
        let game = self.game.game;
        let opening = |position| {
            Opening::new(position, Vec::new())
                .map_err(|e| Failure::failed(format!("--start {name:?}: {e}")))
        };
        match name {
            "entering" if game == Game::Shogi => Ok(Set::EnteringKings),
            "handicaps" if game == Game::Shogi => Handicap::ALL
                .into_iter()
                .filter(|&handicap| handicap != Handicap::Even)
                .map(|handicap| opening(start::resolve(game, handicap.name(), &[])?))
                .collect::<Result<Vec<_>, _>>()
                .map(Set::Openings),
            "entering" | "handicaps" => {
                Err(Failure::usage(format!("--start {name}: there is no such thing in {game}")))
            }
            _ => Ok(Set::Openings(vec![opening(start::resolve(game, name, &[])?)?])),
        }
    }

    /// What the file says about itself: everything the games follow from.
    pub(super) fn header(
        &self,
        recipe: &Recipe,
        evaluation: &Evaluation,
    ) -> Result<Header, Failure> {
        let mut header = Header::new(self.game.game)
            .with("engine", format!("Nue {}", env!("CARGO_PKG_VERSION")))
            .with("net", evaluation.fingerprint()?)
            .with("scores", "evaluation units")
            .with("seed", self.seed)
            .with("random", format!("{} of {:?}", self.random, self.random_plies))
            .with("resign", format!("{:?}", self.resign.0))
            .with("draw", format!("{:?}", self.draw))
            .with("max-moves", self.max_moves)
            .with("declaration", self.declaration)
            .with("tables", if self.separate { "separate" } else { "shared" });
        header = match (recipe.depth, recipe.nodes) {
            (Some(depth), _) => header.with("depth", depth),
            (None, nodes) => header.with("nodes", nodes.unwrap_or(0)),
        };
        if let Some(near) = self.near_best {
            header = header.with("near-best", format!("{near:?}"));
        }
        if let Some(balance) = self.balance {
            header = header.with("balance", balance);
        }
        for (name, texts) in [("start", &self.starts), ("openings", &self.openings)] {
            if !texts.is_empty() {
                header = header.with(name, texts.join(" "));
            }
        }
        for (name, value) in &recipe.options {
            header = header.with(&format!("option.{name}"), value);
        }
        Ok(header)
    }
}

/// A text with a share behind a colon; 1 where there is none.
fn shared(text: &str) -> Result<(&str, f64), Failure> {
    match text.rsplit_once(':') {
        Some((name, share)) if !share.is_empty() => match share.parse::<f64>() {
            Ok(share) if share >= 0.0 && share.is_finite() => Ok((name, share)),
            Ok(_) => Err(Failure::usage(format!("{text:?}: a share is a number from 0 on"))),
            // A colon of the name itself.
            Err(_) => Ok((text, 1.0)),
        },
        _ => Ok((text, 1.0)),
    }
}

fn plies(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "expected a range such as 1-8, from 1 to 1000".to_owned();
    let number = |text: &str| text.parse().ok().filter(|n: &usize| (1..=1000).contains(n));
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = (number(first).ok_or_else(wrong)?, number(last).ok_or_else(wrong)?);
    if range.0 > range.1 { Err(wrong()) } else { Ok(range) }
}

fn near_best(text: &str) -> Result<NearBest, String> {
    let mut near = NearBest { lines: 4, margin: 50, last: 30 };
    for pair in text.split(',') {
        let wrong = || {
            format!("{pair:?}: expected lines=N, margin=CP or until=PLY with commas between them")
        };
        let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
        let number: usize = value.parse().map_err(|_| wrong())?;
        match key {
            "lines" if (1..=100).contains(&number) => near.lines = number,
            "margin" if number <= 30_000 => near.margin = number as i32,
            "until" if number <= 10_000 => near.last = number,
            _ => return Err(wrong()),
        }
    }
    Ok(near)
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
    fn shares_are_behind_the_last_colon() {
        assert_eq!(shared("even:90").unwrap(), ("even", 90.0));
        assert_eq!(shared("even").unwrap(), ("even", 1.0));
        assert_eq!(shared("C:file").unwrap(), ("C:file", 1.0));
        assert_eq!(shared("a:b:0.5").unwrap(), ("a:b", 0.5));
        assert!(shared("even:-1").is_err());
        assert!(shared("even:inf").is_err());
    }

    #[test]
    fn ranges_and_choices() {
        assert_eq!(plies("1-8"), Ok((1, 8)));
        assert_eq!(plies("5"), Ok((5, 5)));
        for wrong in ["", "0-3", "8-1", "x", "1-1001", "-"] {
            assert!(plies(wrong).is_err(), "{wrong}");
        }
        let near = near_best("lines=3,margin=20,until=12").unwrap();
        assert_eq!((near.lines, near.margin, near.last), (3, 20, 12));
        for wrong in ["", "lines", "lines=0", "margin=-1", "until=x", "colour=3"] {
            assert!(near_best(wrong).is_err(), "{wrong}");
        }
        assert!(resignation("never").unwrap().0.is_none());
        assert!(resignation("sometimes").is_err());
    }
}
