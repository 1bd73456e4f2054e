//! The file that says which engines there are and how they work together.
//!
//! A file is read faithfully first ([`Config`]) and checked then ([`Config::parse`]): every error
//! names the line and the value, and what may stand there.

use crate::weights::Weights;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use think::key::universal::{HASH, THREADS};
use thiserror::Error;
use toml::Spanned;

/// Many engines as one: the whole file.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Config {
    /// `id name`
    pub name: String,
    /// Milliseconds of every move kept back for the way to the interface and for this program.
    pub margin: u64,
    /// Every child's move, value and time, one line of JSON each; appended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// Where what everybody thinks is written all the time, for `nue web --watch-cluster`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<PathBuf>,
    /// Where the options that children declare are remembered, so that the next `usi` has them at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<PathBuf>,
    /// Weights that were learned from past disagreements, instead of those given here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ponder: Option<PonderConfig>,
    #[serde(rename = "child")]
    pub children: Vec<ChildConfig>,
    /// Never empty once checked; the first is the one that answers when nothing was foreseen.
    #[serde(rename = "group")]
    pub groups: Vec<GroupConfig>,
}

/// One engine.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChildConfig {
    pub name: String,
    #[serde(default)]
    pub role: Role,
    /// An engine inside this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
    /// The command line of a USI program, here or (with `ssh`) there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The folder it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// Where `ssh` starts it: `user@host`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssh: Option<String>,
    /// Further arguments of `ssh`, before the host: `["-p", "2222"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ssh_args: Vec<String>,
    /// Where `nue cluster child` listens: `host:port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<String>,
    /// The file with the token it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// The broker of a fleet where it is offered: `nats://host:4222`, `tls://host:4222`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<String>,
    /// What it is called there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The first word of the fleet's subjects; `fleet` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The file with the nkey to log in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nkey: Option<PathBuf>,
    /// The certificates that are trusted: the connection is encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The score, in hundredths of a pawn, at which it wins 73 % of its games; where none is given, what
    /// an engine of ours says, or the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// What its vote counts.
    #[serde(default = "one")]
    pub weight: f64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, OptionValue>,
}

/// What a child is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Thinks about moves, and ponders.
    #[default]
    Player,
    /// Thinks from the first millisecond of every move and is asked only if nobody else answers.
    Guard,
    /// Asked only when the players of its group disagree.
    Arbiter,
    /// Says which replies are likely.
    Predictor,
    /// Looks for mates.
    Mate,
}

/// A search of this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inside {
    Alphabeta,
    Puct,
}

impl Inside {
    /// The value of the option `Engine`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alphabeta => "alphabeta",
            Self::Puct => "puct",
        }
    }
}

/// A value of a USI option, written as suits it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    Check(bool),
    Number(i64),
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(value) => f.write_str(value),
        }
    }
}

/// Engines that think about the same position and decide together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupConfig {
    pub name: String,
    /// The names of its players, the first counting most where nothing else decides.
    pub children: Vec<String>,
    #[serde(default)]
    pub consult: Consult,
    /// Who is asked when the players disagree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arbiter: Option<String>,
    /// Who plays when; the first that fits.
    #[serde(default, rename = "switch", skip_serializing_if = "Vec::is_empty")]
    pub switches: Vec<Switch>,
}

/// How a group decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consult {
    /// The move most want; of equals the one valued highest.
    #[default]
    Majority,
    /// The move of whoever values the position highest.
    Optimistic,
    /// The move of whoever values the position lowest.
    Pessimistic,
    /// After half the time everybody values the others' moves; the largest sum wins.
    Exchange,
    /// One plays, by ply, phase or value ([`Switch`]).
    Switch,
}

/// When a child plays: every condition given must hold.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    pub child: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ply: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ply: Option<u32>,
    /// By pieces captured so far: see [`Phase`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The win rate of our last move, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_win_rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_win_rate: Option<f64>,
}

/// The phase of a game, by the pieces in both hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Up to three.
    Opening,
    /// Four to nine.
    Middle,
    /// Ten and more.
    End,
}

/// Pondering on several replies.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PonderConfig {
    /// Who says which replies are likely, by `MultiPV`.
    pub predictor: String,
    /// What of its lines says how likely they are.
    #[serde(default)]
    pub by: By,
    /// How many replies it names.
    #[serde(default = "eight")]
    pub replies: usize,
    /// Milliseconds until a player that predicts ponders itself; a predictor by role goes on.
    #[serde(default = "three_hundred")]
    pub predict: u64,
    /// Milliseconds a group stays with a reply before it may be given another.
    #[serde(default = "thousand")]
    pub dwell: u64,
    /// Who thinks about a reply that nobody pondered on.
    #[serde(default)]
    pub miss: Miss,
    /// Whether groups that are not thinking about our move ponder on replies to it already.
    #[serde(default = "yes")]
    pub ahead: bool,
}

/// Which group thinks about a reply that nobody pondered on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Miss {
    /// The first: where it is the strongest.
    #[default]
    First,
    /// The one that thought about our last move, whose hash table is the fullest: where all are alike.
    Last,
}

/// What of a predictor's lines says how likely a reply is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Their scores.
    #[default]
    Score,
    /// Their order: for a policy net, whose tree lists moves by visits and then by what the net expects.
    Rank,
}

const fn one() -> f64 {
    1.0
}

const fn eight() -> usize {
    8
}

const fn three_hundred() -> u64 {
    300
}

const fn thousand() -> u64 {
    1000
}

const fn yes() -> bool {
    true
}

fn usual_name() -> String {
    "Nue cluster".to_owned()
}

const fn usual_margin() -> u64 {
    200
}

/// The file with the places of its tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default = "usual_name")]
    name: String,
    #[serde(default = "usual_margin")]
    margin: u64,
    log: Option<PathBuf>,
    view: Option<PathBuf>,
    known: Option<PathBuf>,
    weights: Option<PathBuf>,
    ponder: Option<Spanned<PonderConfig>>,
    #[serde(default)]
    child: Vec<Spanned<ChildConfig>>,
    #[serde(default)]
    group: Vec<Spanned<GroupConfig>>,
}

/// Why a file is of no use.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {what}")]
pub struct ConfigError {
    /// From 1.
    pub line: usize,
    /// With the value, and what to do.
    pub what: String,
}

impl Config {
    /// Reads and checks the text of a file.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let shown = error.span().and_then(|span| text.get(span)).unwrap_or_default();
            let shown = shown.lines().next().unwrap_or_default().trim();
            let value = if shown.is_empty() { String::new() } else { format!(" ({shown})") };
            let what = error.message().replace('\n', "; ");
            ConfigError { line: line_at(text, at), what: format!("{what}{value}") }
        })?;
        Checked { text, file: &file }.check()?;
        let plain = |list: Vec<Spanned<ChildConfig>>| list.into_iter().map(Spanned::into_inner);
        let mut config = Self {
            name: file.name,
            margin: file.margin,
            log: file.log,
            view: file.view,
            known: file.known,
            weights: file.weights,
            ponder: file.ponder.map(Spanned::into_inner),
            children: plain(file.child).collect(),
            groups: file.group.into_iter().map(Spanned::into_inner).collect(),
        };
        config.complete();
        Ok(config)
    }

    /// The text of a file that says the same.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// Takes over what was learned; who is not among it keeps its weight.
    pub fn weigh(&mut self, learned: &Weights) {
        for child in &mut self.children {
            child.weight = learned.of(&child.name).unwrap_or(child.weight);
        }
    }

    /// The place of a child in the list.
    pub fn child(&self, name: &str) -> Option<usize> {
        self.children.iter().position(|child| child.name == name)
    }

    /// Adds what goes without saying: groups where none are named, and a guard where the first
    /// group has no engine inside this process.
    fn complete(&mut self) {
        if self.groups.is_empty() {
            let players = self.children.iter().filter(|child| child.role == Role::Player);
            let names: Vec<String> = players.map(|child| child.name.clone()).collect();
            let group = |name: &str, children| GroupConfig {
                name: name.to_owned(),
                children,
                ..GroupConfig::default()
            };
            self.groups = match self.ponder {
                Some(_) => names.into_iter().map(|n| group(&n.clone(), vec![n])).collect(),
                None => vec![group("all", names)],
            };
        }
        let leads = |child: &ChildConfig| {
            self.groups.first().is_some_and(|group| group.children.contains(&child.name))
        };
        let is_safe = |child: &ChildConfig| {
            child.inside.is_some() && (child.role == Role::Guard || leads(child))
        };
        if !self.children.iter().any(is_safe) {
            let mut name = "guard".to_owned();
            while self.child(&name).is_some() {
                name.push('_');
            }
            let options = [(THREADS.name(), 1), (HASH.name(), 64)];
            self.children.push(ChildConfig {
                name,
                role: Role::Guard,
                inside: Some(Inside::Alphabeta),
                weight: 1.0,
                options: options
                    .map(|(name, value)| (name.to_owned(), OptionValue::Number(value)))
                    .into(),
                ..ChildConfig::default()
            });
        }
    }
}

/// Reads a file, and says where its paths are meant from; without one it is the preset for as many
/// threads as this machine has.
pub fn load(path: Option<&Path>) -> io::Result<(Config, PathBuf)> {
    let Some(path) = path else {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        return Ok((preset::duo(threads).map_err(io::Error::other)?, PathBuf::new()));
    };
    let named = |error: &dyn fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
    let mut config = Config::parse(&text).map_err(|error| named(&error))?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    if let Some(weights) = &config.weights {
        let path = folder.join(weights);
        let named = |error: &dyn fmt::Display| {
            io::Error::other(format!(
                "weights {}: {error}; nue cluster learn writes them",
                path.display()
            ))
        };
        let text = std::fs::read_to_string(&path).map_err(|error| named(&error))?;
        config.weigh(&Weights::parse(&text).map_err(|error| named(&error))?);
    }
    Ok((config, folder))
}

fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

pub(crate) mod check;
use check::Checked;
pub mod preset;

#[cfg(test)]
mod tests;
