//! Self-play as somebody asks for it, made into a plan and the header of its file.

use super::earlier_games::{self, Kind};
use super::starts::{Set, Starts};
use super::{LinePolicy, NearBest, RandomMoves, SelfPlayPlan};
use crate::adjudication::{Adjudication, DrawRule, ResignRule, Resignation};
use crate::game::game_rules;
use crate::opening::{Opening, PlyRange};
use crate::request::{OpeningSource, RequestError};
use rules::{Declaration, Game, Handicap};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use teacher::Header;

/// What is asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlaySettings {
    #[serde(with = "crate::as_text")]
    pub game: Game,
    /// Where games begin, each `START[:SHARE]`: a position by name or SFEN, `handicaps`,
    /// `entering`, or `entering=FILE` and `late=FILE` for games that were played before.
    pub starts: Vec<String>,
    /// Files to begin from, each `FILE[:SHARE]`.
    pub openings: Vec<String>,
    /// Moves taken of each opening in a file.
    pub plies: Option<usize>,
    /// Nodes for each move, unless there is a depth.
    pub nodes: u64,
    pub depth: Option<u32>,
    pub random: RandomMoves,
    #[serde(with = "crate::as_text::option")]
    pub near_best: Option<NearBest>,
    #[serde(with = "crate::as_text::option")]
    pub policy: Option<LinePolicy>,
    /// In hundredths of a pawn.
    pub balance: Option<u32>,
    #[serde(with = "crate::as_text::option")]
    pub resign: Option<ResignRule>,
    #[serde(with = "crate::as_text::option")]
    pub draw: Option<DrawRule>,
    pub max_moves: u32,
    #[serde(with = "crate::as_text")]
    pub declaration: Declaration,
    pub seed: u64,
    /// Each side thinks with an engine of its own.
    pub separate: bool,
    /// Options of the engine.
    pub options: Vec<(String, String)>,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        Self {
            game: Game::Shogi,
            starts: Vec::new(),
            openings: Vec::new(),
            plies: None,
            nodes: 2500,
            depth: None,
            random: RandomMoves { count: 8, plies: PlyRange { first: 1, last: 8 } },
            near_best: None,
            policy: None,
            balance: None,
            resign: Some(ResignRule { score: 3000, moves: 4, both: true }),
            draw: None,
            max_moves: play::MAX_MOVES,
            declaration: Declaration::default(),
            seed: 1,
            separate: false,
            options: Vec::new(),
        }
    }
}

impl SelfPlaySettings {
    /// What to play.
    pub fn plan(&self) -> Result<SelfPlayPlan, RequestError> {
        Ok(SelfPlayPlan {
            game: self.game,
            starts: self.start_sets()?,
            nodes: self.depth.is_none().then_some(self.nodes.max(1)),
            depth: self.depth,
            random: self.random,
            near_best: self.near_best,
            policy: self.policy,
            balance: self.balance.map(|cp| i32::try_from(cp).unwrap_or(i32::MAX)),
            rules: game_rules(self.declaration, self.max_moves),
            adjudication: Adjudication { resign: self.resign, draw: self.draw },
            seed: self.seed,
            separate: self.separate,
            options: self.options.clone(),
        })
    }

    /// What the file says about itself: everything the games follow from.
    pub fn header(&self, engine: &str, net: &str) -> Header {
        let RandomMoves { count, plies: PlyRange { first, last } } = self.random;
        let mut header = Header::new(self.game)
            .with("engine", engine)
            .with("net", net)
            .with("scores", "evaluation units")
            .with("seed", self.seed)
            .with("random", format!("{count} of plies {first}-{last}"))
            .with("resign", Resignation(self.resign))
            .with("draw", self.draw.map_or("never".to_owned(), |rule| rule.to_string()))
            .with("max-moves", self.max_moves)
            .with("declaration", self.declaration)
            .with("tables", if self.separate { "separate" } else { "shared" });
        header = match (self.depth, self.nodes) {
            (Some(depth), _) => header.with("depth", depth),
            (None, nodes) => header.with("nodes", nodes.max(1)),
        };
        if let Some(near) = self.near_best {
            header = header.with("near-best", near);
        }
        if let Some(policy) = self.policy {
            header = header.with("policy", policy);
        }
        if let Some(balance) = self.balance {
            header = header.with("balance", balance);
        }
        for (name, texts) in [("start", &self.starts), ("openings", &self.openings)] {
            if !texts.is_empty() {
                header = header.with(name, texts.join(" "));
            }
        }
        for (name, value) in &self.options {
            header = header.with(&format!("option.{name}"), value);
        }
        header
    }

    fn start_sets(&self) -> Result<Starts, RequestError> {
        let mut starts = Starts::default();
        for text in &self.starts {
            let (name, share) = shared(text)?;
            starts.add(self.start_set(name)?, share);
        }
        for text in &self.openings {
            let (path, share) = shared(text)?;
            let mut problems = Vec::new();
            let openings = self.source(Some(path), "startpos").read(&mut problems)?;
            if let Some(problem) = problems.first() {
                return Err(RequestError::Failed(format!("{path}: {problem}")));
            }
            starts.add(Set::Openings(openings), share);
        }
        if self.starts.is_empty() && self.openings.is_empty() {
            starts.add(Set::Openings(vec![Opening::even(self.game)]), 1.0);
        }
        if starts.is_empty() {
            let why = "every --start has the share 0: nothing to begin from";
            return Err(RequestError::Usage(why.to_owned()));
        }
        Ok(starts)
    }

    fn start_set(&self, name: &str) -> Result<Set, RequestError> {
        let named = |name: &str| self.source(None, name).read(&mut Vec::new());
        for (prefix, kind) in [("entering=", Kind::KingEntries), ("late=", Kind::Late)] {
            if let Some(path) = name.strip_prefix(prefix) {
                return self.of_earlier_games(path, kind);
            }
        }
        match name {
            "entering" if self.game == Game::Shogi => Ok(Set::EnteringKings),
            "handicaps" if self.game == Game::Shogi => {
                let mut openings = Vec::new();
                for handicap in Handicap::ALL.into_iter().filter(|&h| h != Handicap::Even) {
                    openings.extend(named(handicap.name())?);
                }
                Ok(Set::Openings(openings))
            }
            "entering" | "handicaps" => {
                Err(RequestError::Usage(format!("--start {name}: not found in {}", self.game)))
            }
            _ => named(name).map(Set::Openings),
        }
    }

    /// Positions of games in a teacher file.
    fn of_earlier_games(&self, path: &str, kind: Kind) -> Result<Set, RequestError> {
        let failed = |why: &str| RequestError::Failed(format!("{path}: {why}"));
        let found = earlier_games::read(path.as_ref(), kind, self.game, self.seed);
        let found = found.map_err(|e| failed(&e))?;
        if found.is_empty() {
            return Err(failed(&kind.nothing()));
        }
        Ok(Set::Openings(found))
    }

    fn source(&self, file: Option<&str>, start: &str) -> OpeningSource {
        OpeningSource {
            game: self.game,
            file: file.map(Into::into),
            plies: self.plies,
            start: start.to_owned(),
            max_moves: self.max_moves,
        }
    }
}

/// A text with a share behind a colon; 1 where there is none.
fn shared(text: &str) -> Result<(&str, f64), RequestError> {
    match text.rsplit_once(':') {
        Some((name, share)) if !share.is_empty() => match share.parse::<f64>() {
            Ok(share) if share >= 0.0 && share.is_finite() => Ok((name, share)),
            Ok(_) => {
                Err(RequestError::Usage(format!("{text:?}: a share is a number from 0 upwards")))
            }
            // A colon of the name itself.
            Err(_) => Ok((text, 1.0)),
        },
        _ => Ok((text, 1.0)),
    }
}

/// A range of plies, from 1: `1-8`, or `5` for that one alone.
pub fn parse_plies(text: &str) -> Result<PlyRange, String> {
    PlyRange::within(text, 1..=1000)
        .ok_or_else(|| "expected a range such as 1-8, from 1 to 1000".to_owned())
}

/// `lines=4,margin=50,until=30`: what is missing stays as it is here.
impl FromStr for NearBest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut near = Self { lines: 4, margin: 50, last: 30 };
        for pair in text.split(',') {
            let wrong = || {
                format!(
                    "{pair:?}: expected lines=N, margin=CP or until=PLY with commas between them"
                )
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
}

impl fmt::Display for NearBest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lines={},margin={},until={}", self.lines, self.margin, self.last)
    }
}

/// `lines=5,scale=100`: what is missing stays as it is here, PAL's numbers.
impl FromStr for LinePolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut policy = Self { lines: 5, scale: 100 };
        for pair in text.split(',') {
            let wrong =
                || format!("{pair:?}: expected lines=N or scale=UNITS with a comma between");
            let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
            let number: u32 = value.parse().map_err(|_| wrong())?;
            match key {
                "lines" if (2..=100).contains(&number) => policy.lines = number as usize,
                "scale" if (1..=30_000).contains(&number) => policy.scale = number,
                _ => return Err(wrong()),
            }
        }
        Ok(policy)
    }
}

impl fmt::Display for LinePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lines={},scale={}", self.lines, self.scale)
    }
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
        assert_eq!(parse_plies("1-8"), Ok(PlyRange { first: 1, last: 8 }));
        assert_eq!(parse_plies("5"), Ok(PlyRange { first: 5, last: 5 }));
        for wrong in ["", "0-3", "8-1", "x", "1-1001", "-"] {
            assert!(parse_plies(wrong).is_err(), "{wrong}");
        }
        let near: NearBest = "lines=3,margin=20,until=12".parse().unwrap();
        assert_eq!(near.to_string(), "lines=3,margin=20,until=12");
        assert_eq!((near.lines, near.margin, near.last), (3, 20, 12));
        let policy: LinePolicy = "scale=80".parse().unwrap();
        assert_eq!(policy.to_string(), "lines=5,scale=80");
        for wrong in ["", "lines=1", "scale=0", "scale=x", "margin=3"] {
            assert!(wrong.parse::<LinePolicy>().is_err(), "{wrong}");
        }
        for wrong in ["", "lines", "lines=0", "margin=-1", "until=x", "colour=3"] {
            assert!(wrong.parse::<NearBest>().is_err(), "{wrong}");
        }
    }
}
