//! Who takes part: an engine, how it is started and how long it may think.
//!
//! A specification is a list of `key=value` pairs, whether it stood on a command line or in a
//! file: see [`EngineSpec::from_pairs`].

use crate::time_control::TimeControl;
use engines::{PlayerSettings, ProgramCommand};
use play::{GameRules, GameTime};
use std::time::Duration;
use think::key::universal::{PONDER, THREADS};
use think::quote;
use think::usual::{NETWORK_DELAY, NETWORK_DELAY_2};
use thiserror::Error;

/// Where an engine runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Launch {
    /// In a process of its own, spoken to in USI.
    Process(ProgramCommand),
    /// In this process: our own engine.
    Inside,
}

/// One participant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Its name in tables and records.
    pub name: String,
    /// Where it runs.
    pub launch: Launch,
    /// Options it is given, in order.
    pub options: Vec<(String, String)>,
    /// How long it may think.
    pub control: TimeControl,
    /// Whether it thinks on the opponent's time.
    pub ponder: bool,
    /// How long it may take to answer `usi` and `isready`.
    pub startup: Duration,
    /// How long past its limit, or after the question if there is none, before it counts as hung.
    pub stall: Option<Duration>,
}

/// Why a specification is none.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SpecError {
    /// No such key.
    #[error("unknown key {} (known: {KEYS})", quote(.0))]
    Key(String),
    /// The value of a key cannot be read.
    #[error("{key} takes {expected}, not {}", quote(value))]
    Value {
        key: String,
        /// What it takes.
        expected: &'static str,
        value: String,
    },
    /// No engine is named.
    #[error("an engine needs cmd=PROGRAM (or cmd=self for this program's own engine)")]
    NoCommand,
    /// Nothing bounds its thinking.
    #[error("engine {0:?} has no limit: give tc, byoyomi, movetime, nodes or depth")]
    Unbounded(String),
}

const KEYS: &str = "cmd, name, arg, dir, env.NAME, option.NAME, tc, byoyomi, movetime, nodes, \
                    depth, margin, ponder, startup, stall";

/// Milliseconds an answer may lose at worst on its way inside one machine.
const LOCAL_DELAY: u64 = 10;

/// The word for our own engine in this process.
const INSIDE: &str = "self";

impl EngineSpec {
    /// Reads pairs; later ones override earlier ones, `arg`, `env.` and `option.` add up.
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SpecError> {
        let mut draft = Draft::default();
        for (key, value) in pairs {
            draft.set(key, value)?;
        }
        draft.finish()
    }

    /// How it is set up as a player of games by those rules, on those processors if any are named.
    pub fn settings(&self, cpus: &[usize], rules: GameRules) -> PlayerSettings {
        // There is no network between engine and clock: who has options for its delays gets to use the
        // time a network would need.
        let delays = [NETWORK_DELAY.to(0), NETWORK_DELAY_2.to(LOCAL_DELAY)];
        PlayerSettings {
            options: self.options.clone(),
            optional: delays.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            rules: Some(rules),
            ponder: self.ponder,
            startup: self.startup,
            stall: self.stall,
            cpus: cpus.to_vec(),
            ..PlayerSettings::default()
        }
    }

    /// Threads it searches with, as far as its options tell.
    pub fn threads(&self) -> usize {
        let named =
            // Some engines call it by another name.
            |name: &str| THREADS.is_called(name) || name.eq_ignore_ascii_case("Thread");
        let given = self.options.iter().rev().find(|(name, _)| named(name));
        given.and_then(|(_, value)| value.parse().ok()).unwrap_or(1).max(1)
    }
}

#[derive(Default)]
struct Draft {
    name: Option<String>,
    command: ProgramCommand,
    options: Vec<(String, String)>,
    main: Option<(Duration, Duration)>,
    byoyomi: Option<Duration>,
    control: TimeControl,
    ponder: bool,
    startup: Option<Duration>,
    stall: Option<Duration>,
}

impl Draft {
    fn set(&mut self, key: &str, value: &str) -> Result<(), SpecError> {
        let wrong =
            |expected| SpecError::Value { key: key.to_owned(), expected, value: value.to_owned() };
        let time = |unit| duration(value, unit).ok_or_else(|| wrong(TIME));
        match key {
            "cmd" => value.clone_into(&mut self.command.program),
            "name" => self.name = Some(value.to_owned()),
            "arg" => self.command.args.push(value.to_owned()),
            "dir" => self.command.dir = Some(value.to_owned()),
            "tc" => {
                let clock = fischer(value).filter(|(main, more)| !(*main + *more).is_zero());
                self.main = Some(clock.ok_or_else(|| wrong(CLOCK))?);
            }
            "byoyomi" => {
                self.byoyomi = Some(above_zero(time(MILLI)?).ok_or_else(|| wrong(SOME_TIME))?);
            }
            "movetime" => {
                let time = above_zero(time(MILLI)?).ok_or_else(|| wrong(SOME_TIME))?;
                self.control.movetime = Some(time);
            }
            "nodes" => self.control.nodes = Some(count(value).ok_or_else(|| wrong(COUNT))?),
            "depth" => {
                let depth = count(value).and_then(|n| u32::try_from(n).ok());
                self.control.depth = Some(depth.ok_or_else(|| wrong(COUNT))?);
            }
            "margin" => self.control.margin = Some(time(MILLI)?),
            "ponder" => self.ponder = value.parse().map_err(|_| wrong("true or false"))?,
            "startup" => self.startup = Some(time(SECOND)?),
            "stall" => self.stall = Some(time(SECOND)?),
            _ => match key.split_once('.') {
                Some(("option", name)) if !name.is_empty() => {
                    replace(&mut self.options, name, value);
                }
                Some(("env", name)) if !name.is_empty() => {
                    replace(&mut self.command.env, name, value);
                }
                _ => return Err(SpecError::Key(key.to_owned())),
            },
        }
        Ok(())
    }

    fn finish(mut self) -> Result<EngineSpec, SpecError> {
        if self.command.program.is_empty() {
            return Err(SpecError::NoCommand);
        }
        if self.main.is_some() || self.byoyomi.is_some() {
            let (main, increment) = self.main.unwrap_or_default();
            let byoyomi = self.byoyomi.unwrap_or_default();
            self.control.clock = Some(GameTime { main, increment, byoyomi, ..GameTime::default() });
        }
        let stem = std::path::Path::new(&self.command.program).file_stem();
        let stem = stem.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let inside = self.command.program == INSIDE;
        let name = self.name.filter(|n| !n.trim().is_empty()).unwrap_or(stem);
        if !self.control.is_bounded() {
            return Err(SpecError::Unbounded(name));
        }
        let named = |(name, _): &(String, String)| PONDER.is_called(name);
        if self.ponder && !self.options.iter().any(named) {
            self.options.push((PONDER.name().to_owned(), "true".to_owned()));
        }
        Ok(EngineSpec {
            name,
            ponder: self.ponder,
            launch: if inside { Launch::Inside } else { Launch::Process(self.command) },
            options: self.options,
            control: self.control,
            startup: self.startup.unwrap_or(Duration::from_secs(60)),
            stall: self.stall,
        })
    }
}

fn replace(list: &mut Vec<(String, String)>, name: &str, value: &str) {
    list.retain(|(earlier, _)| earlier != name);
    list.push((name.to_owned(), value.to_owned()));
}

const TIME: &str = "a time such as 500ms, 2s or 5m";
const SOME_TIME: &str = "a time above 0, such as 500ms, 2s or 5m";
const CLOCK: &str = "a clock such as 10, 10+0.1 or 5:00+3 (seconds)";
const COUNT: &str = "a whole number above 0, such as 5000, 100k or 2M";
const MILLI: f64 = 0.001;
const SECOND: f64 = 1.0;

/// The longest time anybody means: ten days.
const LONGEST: f64 = 864_000.0;

/// A time with a unit, or with that unit where there is none.
fn duration(text: &str, unit: f64) -> Option<Duration> {
    let units = [("ms", MILLI), ("s", SECOND), ("m", 60.0)];
    let found = units.iter().find_map(|(end, unit)| Some((text.strip_suffix(end)?, *unit)));
    let (number, unit) = found.unwrap_or((text, unit));
    seconds(number.trim(), unit)
}

fn seconds(number: &str, unit: f64) -> Option<Duration> {
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value: f64 = number.parse().ok().filter(|_| plain)?;
    let nanos = (value * unit * 1e9).round();
    (nanos <= LONGEST * 1e9).then(|| Duration::from_nanos(nanos as u64))
}

/// A time in which something can be thought.
fn above_zero(time: Duration) -> Option<Duration> {
    (!time.is_zero()).then_some(time)
}

/// `main+increment`, each in seconds or as `minutes:seconds`.
fn fischer(text: &str) -> Option<(Duration, Duration)> {
    let part = |text: &str| match text.split_once(':') {
        Some((minutes, rest)) => Some(seconds(minutes, 60.0)? + seconds(rest, SECOND)?),
        None => duration(text, SECOND),
    };
    match text.split_once('+') {
        Some((main, increment)) => Some((part(main)?, part(increment)?)),
        None => Some((part(text)?, Duration::ZERO)),
    }
}

/// A count above 0, with `k` and `M` for thousands and millions.
fn count(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1000),
        None => text.strip_suffix('M').map_or((text, 1), |digits| (digits, 1_000_000)),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|&n| n > 0)
}

/// Cuts `key=value,key=value` into pairs. A comma or backslash inside a value is written with a
/// backslash before it. A part without `=` is a key without value.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let next = chars.next();
                let part = parts.last_mut();
                if let Some(part) = part {
                    // Only these two need it: paths with backslashes stay what they are.
                    if !matches!(next, Some(',' | '\\')) {
                        part.push('\\');
                    }
                    part.extend(next);
                }
            }
            ',' => parts.push(String::new()),
            c => {
                if let Some(part) = parts.last_mut() {
                    part.push(c);
                }
            }
        }
    }
    parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (key.trim().to_owned(), value.to_owned())
        })
        .collect()
}

/// Reads `key=value,…` where each key is known and takes a number (or true or false).
pub(crate) fn numbers<const N: usize>(
    text: &str,
    keys: [(&str, Option<f64>); N],
) -> Result<[f64; N], String> {
    let mut values = keys.map(|(_, default)| default);
    for (key, value) in pairs(text) {
        let known = || keys.map(|(name, _)| name).join(", ");
        let index = keys.iter().position(|(name, _)| *name == key);
        let index = index.ok_or_else(|| format!("unknown key {key:?}: expected {}", known()))?;
        let number = match value.as_str() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            other => other.parse::<f64>().ok().filter(|n| n.is_finite()),
        };
        values[index] = Some(number.ok_or_else(|| format!("{key} takes a number, not {value:?}"))?);
    }
    let missing = keys.iter().zip(values).find(|(_, value)| value.is_none());
    if let Some(((name, _), _)) = missing {
        return Err(format!("{name} is missing"));
    }
    Ok(values.map(Option::unwrap_or_default))
}

/// A value as [`pairs`] reads it back.
pub fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace(',', "\\,")
}

#[cfg(test)]
mod tests;
