//! The `go` and `ponderhit` commands, as typed and as meant.

use crate::ParseError;
use crate::words::{MAX_MILLIS, number, trimmed};
use rules::{AnyPosition, Color, Game};
use std::fmt;
use std::time::Duration;
use think::{Clocks, Limits, MateLimit, Moment};
use thiserror::Error;

/// The clocks as typed, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// Black's time left.
    pub btime: Option<u64>,
    /// White's time left.
    pub wtime: Option<u64>,
    /// For every move when the time is used up.
    pub byoyomi: Option<u64>,
    /// Black's increment.
    pub binc: Option<u64>,
    /// White's increment.
    pub winc: Option<u64>,
}

impl Times {
    /// Reads what follows `ponderhit`.
    pub fn parse(rest: &str) -> Result<Self, ParseError> {
        let mut times = Self::default();
        let mut words = trimmed(rest).split_ascii_whitespace();
        while let Some(word) = words.next() {
            let Some(slot) = times.slot(word) else {
                return Err(ParseError::Unexpected {
                    after: "ponderhit".to_owned(),
                    expected: "clocks",
                    found: word.to_owned(),
                });
            };
            *slot = Some(number(word, words.next(), MAX_MILLIS)?);
        }
        Ok(times)
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<u64>> {
        Some(match name {
            "btime" => &mut self.btime,
            "wtime" => &mut self.wtime,
            "byoyomi" => &mut self.byoyomi,
            "binc" => &mut self.binc,
            "winc" => &mut self.winc,
            _ => return None,
        })
    }

    /// The words for clocks. Some engines stop at words they do not know, so only who plays with
    /// increments hears of them; sudden death is told as byoyomi of nothing, which all understand.
    pub fn of(clocks: &Clocks) -> Self {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let fischer = clocks.increment.iter().any(|increment| !increment.is_zero());
        Self {
            btime: Some(millis(clocks.time[0])),
            wtime: Some(millis(clocks.time[1])),
            binc: fischer.then(|| millis(clocks.increment[0])),
            winc: fischer.then(|| millis(clocks.increment[1])),
            byoyomi: (!fischer || !clocks.byoyomi.is_zero()).then(|| millis(clocks.byoyomi)),
        }
    }

    /// Whether anybody's time grows with a move.
    pub fn has_increments(&self) -> bool {
        [self.binc, self.winc].iter().any(|increment| increment.is_some_and(|ms| ms > 0))
    }

    /// The same in words that every engine knows: what is added with this move can be used in this
    /// move, as byoyomi can.
    #[must_use]
    pub fn increments_as_byoyomi(&self, turn: Color) -> Self {
        let own = if turn == Color::Black { self.binc } else { self.winc };
        let byoyomi = self.byoyomi.unwrap_or(0).saturating_add(own.unwrap_or(0));
        Self { byoyomi: Some(byoyomi), binc: None, winc: None, ..*self }
    }

    /// The clocks meant; `None` if none was given. One that is missing beside others is 0.
    pub fn clocks(&self) -> Option<Clocks> {
        if *self == Self::default() {
            return None;
        }
        let millis = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or(0));
        Some(Clocks {
            time: [millis(self.btime), millis(self.wtime)],
            increment: [millis(self.binc), millis(self.winc)],
            byoyomi: millis(self.byoyomi),
        })
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in [
            ("btime", self.btime),
            ("wtime", self.wtime),
            ("byoyomi", self.byoyomi),
            ("binc", self.binc),
            ("winc", self.winc),
        ] {
            if let Some(value) = value {
                write!(f, " {name} {value}")?;
            }
        }
        Ok(())
    }
}

/// How long `go mate` looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateTime {
    /// Until stopped.
    Infinite,
    /// Milliseconds.
    Millis(u64),
}

/// The `go` command as typed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    pub ponder: bool,
    pub infinite: bool,
    pub times: Times,
    pub mate: Option<MateTime>,
    /// `depth`, in plies.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// `movetime`, in milliseconds.
    pub movetime: Option<u64>,
    /// `rtime`: time drawn at random from here up, in milliseconds.
    pub rtime: Option<u64>,
    /// `perft`, in plies.
    pub perft: Option<u32>,
    /// Words this grammar does not know, to be passed over.
    pub unknown: Vec<String>,
    /// `searchmoves`; empty if not given.
    pub searchmoves: Vec<String>,
}

/// Why a `go` command means no search.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GoError {
    /// A move of `searchmoves` cannot be played.
    #[error("searchmoves: {0}")]
    SearchMove(String),
    /// A king is not on the board: a problem, not a game.
    #[error("{0} has no king: only \"go mate\" can be asked")]
    NoKing(Color),
}

/// Words that end the list after `searchmoves`.
const FIELDS: [&str; 14] = [
    "ponder",
    "infinite",
    "btime",
    "wtime",
    "byoyomi",
    "binc",
    "winc",
    "mate",
    "depth",
    "nodes",
    "movetime",
    "rtime",
    "perft",
    "searchmoves",
];

impl Go {
    /// Reads what follows `go`.
    pub fn parse(rest: &str) -> Result<Self, ParseError> {
        let mut go = Self::default();
        let mut words = trimmed(rest).split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            if let Some(slot) = go.times.slot(word) {
                *slot = Some(number(word, words.next(), MAX_MILLIS)?);
                continue;
            }
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "mate" => {
                    go.mate = Some(match words.next_if(|w| !FIELDS[2..].contains(w)) {
                        None | Some("infinite") => MateTime::Infinite,
                        time => MateTime::Millis(number(word, time, MAX_MILLIS)?),
                    });
                }
                "depth" => go.depth = Some(count(word, words.next())?),
                "perft" => go.perft = Some(count(word, words.next())?),
                "nodes" => go.nodes = Some(number(word, words.next(), u64::MAX)?),
                "movetime" => go.movetime = Some(number(word, words.next(), MAX_MILLIS)?),
                "rtime" => go.rtime = Some(number(word, words.next(), MAX_MILLIS)?),
                "searchmoves" => {
                    while let Some(m) = words.next_if(|w| !FIELDS.contains(w)) {
                        go.searchmoves.push(m.to_owned());
                    }
                }
                _ => go.unknown.push(word.to_owned()),
            }
        }
        Ok(go)
    }

    /// The words for limits of a search in that game. Where nothing bounds it, it is infinite.
    pub fn of(limits: &Limits, game: Game) -> Self {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut go = Self {
            ponder: limits.ponder,
            times: limits.clocks.as_ref().map(Times::of).unwrap_or_default(),
            mate: limits.mate.map(|mate| match mate {
                MateLimit::Infinite => MateTime::Infinite,
                MateLimit::Time(time) => MateTime::Millis(millis(time)),
            }),
            depth: limits.depth,
            nodes: limits.nodes,
            movetime: limits.movetime.map(millis),
            rtime: limits.random_time.map(millis),
            searchmoves: limits.searchmoves.iter().map(|m| m.usi(game)).collect(),
            ..Self::default()
        };
        let bare = Self { ponder: false, searchmoves: Vec::new(), ..go.clone() };
        go.infinite = limits.infinite || bare == Self::default();
        go
    }

    /// The limits meant for a search of this position asked for at `start`.
    pub fn limits(&self, position: &AnyPosition, start: Moment) -> Result<Limits, GoError> {
        let kingless = Color::BOTH.into_iter().find(|&color| position.king(color).is_none());
        if let (Some(color), None) = (kingless, self.mate) {
            return Err(GoError::NoKing(color));
        }
        let parse = |text: &String| {
            position.parse_usi(text).map_err(|e| GoError::SearchMove(e.to_string()))
        };
        Ok(Limits {
            start,
            clocks: self.times.clocks(),
            depth: self.depth,
            nodes: self.nodes,
            movetime: self.movetime.map(Duration::from_millis),
            random_time: self.rtime.map(Duration::from_millis),
            infinite: self.infinite,
            ponder: self.ponder,
            mate: self.mate.map(|mate| match mate {
                MateTime::Infinite => MateLimit::Infinite,
                MateTime::Millis(ms) => MateLimit::Time(Duration::from_millis(ms)),
            }),
            searchmoves: self.searchmoves.iter().map(parse).collect::<Result<_, _>>()?,
        })
    }
}

fn count(field: &str, word: Option<&str>) -> Result<u32, ParseError> {
    number(field, word, u64::from(u32::MAX)).map(|n| n as u32)
}

/// What follows `go`, with a space before every word.
impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ponder {
            f.write_str(" ponder")?;
        }
        write!(f, "{}", self.times)?;
        for (name, value) in [
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("movetime", self.movetime),
            ("rtime", self.rtime),
            ("perft", self.perft.map(u64::from)),
        ] {
            if let Some(value) = value {
                write!(f, " {name} {value}")?;
            }
        }
        match self.mate {
            None => {}
            Some(MateTime::Infinite) => f.write_str(" mate infinite")?,
            Some(MateTime::Millis(ms)) => write!(f, " mate {ms}")?,
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        self.unknown.iter().try_for_each(|word| write!(f, " {word}"))?;
        if !self.searchmoves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        self.searchmoves.iter().try_for_each(|m| write!(f, " {m}"))
    }
}
