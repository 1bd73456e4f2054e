//! The `info` line.

use crate::ParseError;
use crate::words::{MAX_MILLIS, first, number, trimmed};
use rules::{AnyPosition, Game};
use std::fmt;
use std::time::Duration;
use think::{Bound, Score, Wdl};

/// An `info` line as typed; what is `None` or empty was not given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Plies of this iteration.
    pub depth: Option<u32>,
    /// Plies of the longest line read.
    pub seldepth: Option<u32>,
    /// Rank of this line among several, from 1.
    pub multipv: Option<u32>,
    /// Value for the side to move.
    pub score: Option<(Score, Bound)>,
    /// Chances of the side to move in thousandths.
    pub wdl: Option<Wdl>,
    /// Nodes read so far.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Use of the table in thousandths.
    pub hashfull: Option<u32>,
    /// Milliseconds used so far.
    pub time: Option<u64>,
    /// The move being read.
    pub currmove: Option<String>,
    /// Its rank, from 1.
    pub currmovenumber: Option<u32>,
    /// The line, as typed: it may end with words that are not moves (`rep_draw`, `win`).
    pub pv: Vec<String>,
    /// A remark for the reader; never beside a line.
    pub string: Option<String>,
}

const FIELDS: [&str; 13] = [
    "depth",
    "seldepth",
    "multipv",
    "score",
    "wdl",
    "nodes",
    "nps",
    "hashfull",
    "time",
    "currmove",
    "currmovenumber",
    "pv",
    "string",
];

impl Info {
    /// A remark.
    pub fn string(text: impl Into<String>) -> Self {
        Self { string: Some(text.into()), ..Self::default() }
    }

    /// What an engine reported, in the words of the game it plays.
    pub fn from_thought(info: &think::Info, game: Game) -> Self {
        Self {
            depth: info.depth,
            seldepth: info.seldepth,
            multipv: info.multipv,
            score: info.score,
            wdl: info.wdl,
            nodes: info.nodes,
            nps: info.nps,
            hashfull: info.hashfull,
            time: info.time.map(|t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX)),
            pv: info.pv.iter().map(|m| m.usi(game)).collect(),
            ..Self::default()
        }
    }

    /// What it says about a position, with its moves as far as they can be played.
    pub fn thought(&self, position: &AnyPosition) -> think::Info {
        // Whether the moves can be played does not depend on how the position came about.
        let mut at = position.without_history();
        let mut pv = Vec::new();
        for text in &self.pv {
            let Ok(m) = at.parse_usi(text) else { break };
            at.play(m);
            pv.push(m);
        }
        think::Info {
            depth: self.depth,
            seldepth: self.seldepth,
            multipv: self.multipv,
            score: self.score,
            wdl: self.wdl,
            nodes: self.nodes,
            nps: self.nps,
            hashfull: self.hashfull,
            time: self.time.map(Duration::from_millis),
            pv,
        }
    }

    /// Reads what follows `info`. Fields may come in any order; unknown ones are passed over.
    pub fn parse(rest: &str) -> Result<Self, ParseError> {
        let mut info = Self::default();
        let mut rest = trimmed(rest);
        while !rest.is_empty() {
            let (word, tail) = first(rest);
            rest = tail;
            match word {
                "string" => {
                    info.string = Some(rest.to_owned());
                    break;
                }
                "score" => info.score = Some(score(&mut rest)?),
                "wdl" => info.wdl = Some(wdl(&mut rest)?),
                "pv" => {
                    info.pv.clear();
                    while let Some(m) = take(&mut rest, |w| !FIELDS.contains(&w)) {
                        info.pv.push(m.to_owned());
                    }
                }
                "currmove" => info.currmove = take(&mut rest, |_| true).map(str::to_owned),
                "depth" => info.depth = Some(small(word, &mut rest)?),
                "seldepth" => info.seldepth = Some(small(word, &mut rest)?),
                "multipv" => info.multipv = Some(small(word, &mut rest)?),
                "hashfull" => info.hashfull = Some(small(word, &mut rest)?),
                "currmovenumber" => info.currmovenumber = Some(small(word, &mut rest)?),
                "nodes" => info.nodes = Some(large(word, &mut rest, u64::MAX)?),
                "nps" => info.nps = Some(large(word, &mut rest, u64::MAX)?),
                "time" => info.time = Some(large(word, &mut rest, MAX_MILLIS)?),
                _ => {}
            }
        }
        Ok(info)
    }
}

/// Takes the next word if it satisfies the condition.
fn take<'a>(rest: &mut &'a str, wanted: impl Fn(&str) -> bool) -> Option<&'a str> {
    let (word, tail) = first(rest);
    if word.is_empty() || !wanted(word) {
        return None;
    }
    *rest = tail;
    Some(word)
}

fn large(field: &str, rest: &mut &str, max: u64) -> Result<u64, ParseError> {
    number(field, take(rest, |_| true), max)
}

fn small(field: &str, rest: &mut &str) -> Result<u32, ParseError> {
    large(field, rest, u64::from(u32::MAX)).map(|n| n as u32)
}

/// Three numbers: won, drawn, lost.
fn wdl(rest: &mut &str) -> Result<Wdl, ParseError> {
    let mut part = || large("wdl", rest, 1000).map(|n| n as u16);
    Ok(Wdl { win: part()?, draw: part()?, loss: part()? })
}

fn score(rest: &mut &str) -> Result<(Score, Bound), ParseError> {
    let (after, expected) = ("score".to_owned(), "\"cp\" or \"mate\"");
    let unit = take(rest, |_| true);
    let word = take(rest, |_| true);
    let missing =
        || ParseError::Missing { after: unit.unwrap_or("score").to_owned(), expected: "a value" };
    let score = match unit {
        Some("cp") => Score::Cp(signed("cp", word.ok_or_else(missing)?)?),
        Some("mate") => mate(word.ok_or_else(missing)?)?,
        Some(found) => {
            return Err(ParseError::Unexpected { after, expected, found: found.to_owned() });
        }
        None => return Err(ParseError::Missing { after, expected }),
    };
    let bound = match take(rest, |w| w == "lowerbound" || w == "upperbound") {
        Some("lowerbound") => Bound::Lower,
        Some(_) => Bound::Upper,
        None => Bound::Exact,
    };
    Ok((score, bound))
}

/// Whether a number is negative, and the number without that sign.
fn sign(word: &str) -> (bool, &str) {
    word.strip_prefix('-').map_or((false, word), |digits| (true, digits))
}

/// A centipawn value, clamped to ±`i32::MAX`.
fn signed(field: &str, word: &str) -> Result<i32, ParseError> {
    let (negative, digits) = sign(word);
    let size = number(field, Some(digits), i32::MAX as u64)? as i32;
    Ok(if negative { -size } else { size })
}

/// `+`, `-`, or plies with a sign; 0 means mated already.
fn mate(word: &str) -> Result<Score, ParseError> {
    match word {
        "+" => return Ok(Score::Mate(None)),
        "-" => return Ok(Score::Mated(None)),
        _ => {}
    }
    let (losing, digits) = sign(word);
    let plies = number("mate", Some(digits), i32::MAX as u64)? as u32;
    Ok(if losing || plies == 0 { Score::Mated(Some(plies)) } else { Score::Mate(Some(plies)) })
}

fn write_score(f: &mut fmt::Formatter<'_>, score: Score) -> fmt::Result {
    match score {
        Score::Cp(cp) => write!(f, " score cp {cp}"),
        Score::Mate(Some(plies)) => write!(f, " score mate {plies}"),
        Score::Mate(None) => f.write_str(" score mate +"),
        Score::Mated(Some(plies)) => write!(f, " score mate -{plies}"),
        Score::Mated(None) => f.write_str(" score mate -"),
    }
}

/// What follows `info`, with a space before every word.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<u64>) -> fmt::Result {
            value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
        }
        field(f, "depth", self.depth.map(u64::from))?;
        field(f, "seldepth", self.seldepth.map(u64::from))?;
        field(f, "multipv", self.multipv.map(u64::from))?;
        if let Some((score, bound)) = self.score {
            write_score(f, score)?;
            f.write_str(match bound {
                Bound::Exact => "",
                Bound::Lower => " lowerbound",
                Bound::Upper => " upperbound",
            })?;
        }
        if let Some(Wdl { win, draw, loss }) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hashfull.map(u64::from))?;
        field(f, "time", self.time)?;
        if let Some(m) = &self.currmove {
            write!(f, " currmove {m}")?;
        }
        field(f, "currmovenumber", self.currmovenumber.map(u64::from))?;
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
            self.pv.iter().try_for_each(|m| write!(f, " {m}"))?;
        }
        match &self.string {
            Some(text) => write!(f, " string {text}"),
            None => Ok(()),
        }
    }
}
