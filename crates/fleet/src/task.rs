//! What is to be done.

use crate::bytes::Bytes;
use crate::names::{BlobHash, RunId, TaskId};
use crate::needs::Needs;
use arena::opening_maker::OpeningSettings;
use arena::request::MatchRequest;
use arena::selfplay::settings::SelfPlaySettings;
use arena::spsa::Probe;
use arena::tuning_request::TuningRequest;
use assembly::OwnSearch;
use assembly::options::{DNN_MODEL, DNN_WORKER, PV_MATE_THREADS, ROOT_MATE_NODES, UCT_THREADS};
use corpus::Limit;
use reinforce::elsewhere::GamesOrder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use think::OptionKey;
use think::key::universal::THREADS;

/// What a run is: the same for all of its tasks. A queue does not look into it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Spec {
    /// A sum everybody computes alike, for drills and tests of the fleet itself: the last of so many
    /// numbers of the task's seed.
    Checksum {
        rounds: u64,
        /// Sums of one task, each a batch of its own.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        batches: u32,
    },
    /// Games of a match, with an SPRT or without: what `nue match` plays.
    Match(Box<MatchSpec>),
    /// Games of a tuning by SPSA: what `nue tune` plays.
    Tune(Box<TuningRequest>),
    /// Games of an engine against itself: what `nue gen` plays.
    SelfPlay(Box<SelfPlaySpec>),
    /// Games of a generation of reinforcement learning: what `nue learn --method rl` plays.
    Reinforce(Box<GamesOrder>),
    /// Positions scored anew: what `nue data rescore` does.
    Rescore(RescoreSpec),
    /// Openings judged: what `nue openings make` does.
    Openings(Box<OpeningSettings>),
    /// Mates looked for and proven: what `nue mate` does.
    Mate(MateSpec),
    /// Positions searched, with the best moves of each: leaves of a book, or any others.
    Leaves(LeavesSpec),
}

const fn one() -> u32 {
    1
}

/// What the output of a net is divided by where nobody says.
const fn usual_scale() -> i32 {
    assembly::evaluation::DEFAULT_FV_SCALE
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
const fn is_one(n: &u32) -> bool {
    *n == 1
}

/// Games of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchSpec {
    pub request: MatchRequest,
    /// Nodes a second of the machine that times are meant for: a worker half as fast gives twice the time. Those of
    /// the coordinator if missing; 0 has clocks run as they are said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_speed: Option<u64>,
}

/// Games of an engine against itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelfPlaySpec {
    /// With all options the engine is given.
    pub settings: SelfPlaySettings,
    /// A net, tables or `material`; what the engine would play with if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<PathBuf>,
    #[serde(default = "usual_scale")]
    pub fv_scale: i32,
}

/// Positions scored anew.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RescoreSpec {
    /// `shogi` or `minishogi`.
    pub game: String,
    /// What is read, where a coordinator cuts it into pieces. Workers never see the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<PathBuf>,
    pub limit: Limit,
    /// MiB of table.
    pub hash: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<PathBuf>,
    #[serde(default = "usual_scale")]
    pub fv_scale: i32,
}

/// Mates looked for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MateSpec {
    /// A file of problems, where a coordinator reads them. Workers never see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<PathBuf>,
    /// Milliseconds and nodes for each problem.
    pub time: Option<u64>,
    pub nodes: Option<u64>,
    /// MiB of table.
    pub hash: u32,
    pub threads: u16,
    pub shortest: bool,
    pub first_moves: bool,
    pub cooks: bool,
    /// A definition of futile interpositions.
    pub futile: Option<String>,
    /// Whether proofs and disproofs are made.
    pub proof: bool,
}

/// Positions searched, each by itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct LeavesSpec {
    /// `shogi` or `minishogi`.
    pub game: String,
    /// A file of positions, where a coordinator reads them. Workers never see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<PathBuf>,
    /// What bounds a search: one of them, or whichever comes first.
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    /// How many of the best moves are told.
    pub lines: u16,
    /// MiB of table.
    pub hash: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub net: Option<PathBuf>,
    pub fv_scale: i32,
    /// Options of the engine; `Engine` is `puct` for the tree search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
}

impl Default for LeavesSpec {
    fn default() -> Self {
        Self {
            game: "shogi".to_owned(),
            positions: None,
            nodes: None,
            depth: None,
            lines: 1,
            hash: 16,
            net: None,
            fv_scale: usual_scale(),
            options: Vec::new(),
        }
    }
}

impl LeavesSpec {
    /// Whether it can be done at all; what is wrong otherwise.
    pub fn check(&self) -> Result<(), String> {
        if self.nodes.is_none_or(|nodes| nodes == 0) && self.depth.is_none_or(|depth| depth == 0) {
            return Err("how deep? give nodes or depth".to_owned());
        }
        if self.lines > 500 {
            return Err(format!("{} lines of a position: at most 500", self.lines));
        }
        Ok(())
    }
}

/// Whether our engine with these options comes to the same every time: one thread thinks, and nothing is computed
/// elsewhere. The tree search looks for a mate beside its playouts unless it is told not to.
fn repeats(options: &[(String, String)]) -> bool {
    let mates = options.iter().rev().find(|(name, _)| ROOT_MATE_NODES.is_called(name));
    let looks_beside = OwnSearch::is_tree(options) && mates.is_none_or(|(_, nodes)| nodes != "0");
    !looks_beside
        && options.iter().all(|(name, value)| {
            let is = |key: &OptionKey<usize>| key.is_called(name);
            let named = |key: &OptionKey<String>| key.is_called(name);
            if is(&THREADS) {
                value == "1"
            } else if is(&UCT_THREADS) {
                value == "0" || value == "1"
            } else if is(&PV_MATE_THREADS) {
                value == "0"
            } else if named(&DNN_WORKER) {
                value.is_empty()
            } else {
                !(named(&DNN_MODEL) && value.to_ascii_lowercase().ends_with(".onnx"))
            }
        })
}

impl Spec {
    /// Sums, one to a task.
    pub const fn sums(rounds: u64) -> Self {
        Self::Checksum { rounds, batches: one() }
    }

    /// The kind in a word.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Checksum { .. } => "checksum",
            Self::Match(spec) if spec.request.sprt.is_some() => "sprt",
            Self::Match(_) => "match",
            Self::Tune(_) => "tune",
            Self::SelfPlay(_) => "selfplay",
            Self::Reinforce(_) => "reinforce",
            Self::Rescore(_) => "rescore",
            Self::Openings(_) => "openings",
            Self::Mate(_) => "mate",
            Self::Leaves(_) => "leaves",
        }
    }

    /// The spec as workers see it: without files that only the coordinator reads.
    #[must_use]
    pub fn for_workers(&self) -> Self {
        match self {
            Self::Rescore(spec) => {
                Self::Rescore(RescoreSpec { inputs: Vec::new(), ..spec.clone() })
            }
            Self::Mate(spec) => Self::Mate(MateSpec { problems: None, ..spec.clone() }),
            Self::Leaves(spec) => Self::Leaves(LeavesSpec { positions: None, ..spec.clone() }),
            other => other.clone(),
        }
    }

    /// Whether everybody must come to the same answer, bit for bit: nothing is bounded by time, and
    /// one thread thinks.
    pub fn is_reproducible(&self) -> bool {
        let by_nodes = |text: &str| {
            let pairs = arena::spec::pairs(text);
            let has = |wanted: &[&str]| pairs.iter().any(|(key, _)| wanted.contains(&key.as_str()));
            let option = |(key, value): &(String, String)| {
                Some((key.strip_prefix("option.")?.to_owned(), value.clone()))
            };
            let options: Vec<(String, String)> = pairs.iter().filter_map(option).collect();
            let timed = has(&["tc", "byoyomi", "movetime", "ponder"]);
            // What another program does with its nodes nobody knows.
            let other = pairs.iter().any(|(key, value)| key == "cmd" && value != "self");
            (has(&["nodes", "depth"]), timed || other || !repeats(&options))
        };
        match self {
            Self::Checksum { .. } | Self::Reinforce(_) | Self::Rescore(_) => true,
            Self::SelfPlay(spec) => repeats(&spec.settings.options),
            Self::Leaves(spec) => repeats(&spec.options),
            Self::Match(spec) => {
                let each: Vec<_> = spec.request.each.iter().map(|text| by_nodes(text)).collect();
                let all = each.iter().any(|(nodes, _)| *nodes);
                !each.iter().any(|(_, timed)| *timed)
                    && spec.request.engines.iter().all(|text| {
                        let (nodes, timed) = by_nodes(text);
                        (nodes || all) && !timed
                    })
            }
            Self::Tune(request) => {
                let option =
                    |text: &String| text.split_once('=').map(|(k, v)| (k.into(), v.into()));
                let options: Vec<(String, String)> =
                    request.options.iter().filter_map(option).collect();
                request.nodes.is_some() && request.engine.is_none() && repeats(&options)
            }
            Self::Openings(settings) => settings.engine.is_none(),
            // How long a proof may take depends on how long the search took.
            Self::Mate(spec) => spec.time.is_none() && spec.threads <= 1 && !spec.proof,
        }
    }
}

/// Which part of a run a task is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Unit {
    /// The first game, record or position.
    pub first: u64,
    pub count: u64,
    /// The values that meet, in a tuning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// How often this game had been played before, in self-play.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retry: u64,
    /// What is scored anew, answered or searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Something that travels with a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The format of teacher data it is in, by name; `sfen` for problems and leaves.
    pub format: String,
    pub bytes: Bytes,
    /// How long each of several pieces is, one after the other; one piece if missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<usize>,
}

impl Input {
    /// Pieces one after the other.
    pub fn of(format: &str, pieces: &[Vec<u8>]) -> Self {
        let lengths =
            if pieces.len() == 1 { Vec::new() } else { pieces.iter().map(Vec::len).collect() };
        Self { format: format.to_owned(), bytes: Bytes(pieces.concat()), pieces: lengths }
    }

    /// A piece; `None` if there is none of that number.
    pub fn piece(&self, number: usize) -> Option<&[u8]> {
        if self.pieces.is_empty() {
            return (number == 0).then_some(&self.bytes.0[..]);
        }
        let begin: usize = self.pieces.iter().take(number).sum();
        self.bytes.0.get(begin..begin + self.pieces.get(number)?)
    }
}

impl Unit {
    /// A range.
    pub fn new(first: u64, count: u64) -> Self {
        Self { first, count, ..Self::default() }
    }

    /// What of it belongs to a batch, when it is cut into so many.
    pub fn part(&self, batches: u32, number: u32) -> std::ops::Range<u64> {
        let (batches, number) = (u64::from(batches.max(1)), u64::from(number));
        let at = |n: u64| self.first + self.count * n / batches;
        at(number)..at(number + 1)
    }

    /// A batch of it as a unit of its own.
    #[must_use]
    pub fn cut(&self, batches: u32, number: u32) -> Self {
        let range = self.part(batches, number);
        let pieces = |input: &Input| {
            let places =
                range.clone().map(|at| usize::try_from(at - self.first).unwrap_or(usize::MAX));
            let pieces: Vec<Vec<u8>> =
                places.filter_map(|at| input.piece(at)).map(<[u8]>::to_vec).collect();
            Input::of(&input.format, &pieces)
        };
        Self {
            first: range.start,
            count: range.end - range.start,
            input: self.input.as_ref().map(pieces),
            ..self.clone()
        }
    }
}

/// How soon: a task of a higher class goes before all tasks of lower ones.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
}

impl Priority {
    /// All of them, the most urgent first.
    pub const ALL: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

impl std::str::FromStr for Priority {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|priority| priority.name() == text);
        found.ok_or_else(|| format!("expected high, normal or low, not {text:?}"))
    }
}

impl std::fmt::Display for Priority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What must be the same wherever a task is done.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pins {
    /// Nodes a second of the machine that clocks are meant for, where the spec does not say; a coordinator's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_speed: Option<u64>,
    /// Signatures of executables among the files, by hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub signatures: BTreeMap<String, String>,
    /// Files the spec names (nets, openings, inputs), by that name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, BlobHash>,
}

/// What one worker is given at a time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// Its number, never used again.
    pub id: TaskId,
    pub run: RunId,
    /// Its results come in so many batches, numbered from 0; at least 1.
    pub batches: u32,
    #[serde(with = "shared")]
    pub spec: Arc<Spec>,
    pub unit: Unit,
    /// Every random choice of the task comes from it.
    pub seed: u64,
    #[serde(with = "shared")]
    pub pins: Arc<Pins>,
    pub needs: Needs,
    pub priority: Priority,
}

/// A value that many tasks share, written as if each had its own.
mod shared {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (**value).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever writes a run by hand says what is not as usual.
    #[test]
    fn what_is_usual_need_not_be_said() {
        let read = |text: &str| serde_json::from_str::<Spec>(text).unwrap();
        let games = read(r#"{"kind": "self-play", "settings": {"nodes": 10}}"#);
        let Spec::SelfPlay(games) = games else { panic!("{games:?}") };
        assert_eq!((games.settings.nodes, games.fv_scale), (10, usual_scale()));
        let leaves = read(r#"{"kind": "leaves", "nodes": 10}"#);
        assert!(matches!(leaves, Spec::Leaves(leaves) if leaves.lines == 1));
    }
}
