//! Records with their variations, between every format and the page: a flat list of nodes.

use crate::ending::{self, EndingView, one_line};
use crate::error::{ApiError, ErrorCode};
use crate::game::Game;
use crate::hello::Scales;
use crate::notation;
use crate::position;
use crate::score::{self, ScoreView};
use crate::words::{Variant, millis};
use kifu::{
    Encoding, Evaluation, Format, Key, NodeId, ReadOptions, Reader, Record, Replay, Step,
    WriteOptions,
};
use rules::{AnyPosition, Kings};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Games read from one file; the rest is counted.
const GAMES: usize = 50;

/// Moves and endings in one answer.
const NODES: usize = 12_000;

/// A record with its variations. Parents come before children, node 0 is the start, the first
/// child of a node continues the main line.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tree {
    pub variant: Variant,
    pub start: String,
    pub handicap: Option<String>,
    pub headers: Vec<(String, String)>,
    pub black: Option<String>,
    pub white: Option<String>,
    pub nodes: Vec<TreeNode>,
}

/// A node has either `move` or `end`; what has ended has no children.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TreeNode {
    pub parent: Option<u32>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub usi: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ja: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub en: Option<String>,
    /// After the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sfen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bookmark: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval: Option<EvaluationView>,
}

/// What somebody thought of a position.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Evaluation"))]
pub struct EvaluationView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winrate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
}

/// What was read from a file.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trees {
    /// The format, if it is known.
    pub format: Option<String>,
    pub games: Vec<Tree>,
    pub problems: Vec<Problem>,
    /// Games beyond what one answer holds.
    pub left_out: u32,
}

/// A game of a file that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Problem {
    /// From 0.
    pub game: u32,
    pub line: u32,
    pub message: String,
}

/// A record as the page sees it; win rates by that scale.
pub fn view(record: &Record, scales: Scales) -> Tree {
    let mut replay = Replay::new(record);
    let scale = scales.of(record.game());
    let header = |key: &Key| record.headers.get(key).map(str::to_owned);
    Tree {
        variant: record.game().into(),
        start: record.start().sfen(),
        handicap: handicap(record).map(str::to_owned),
        headers: record
            .headers
            .iter()
            .map(|(key, value)| (key.kif().to_owned(), value.to_owned()))
            .collect(),
        black: header(&Key::Black),
        white: header(&Key::White),
        nodes: record.ids().map(|id| node(record, id, &mut replay, scale)).collect(),
    }
}

fn handicap(record: &Record) -> Option<&'static str> {
    match record.game() {
        rules::Game::Shogi => record.handicap().map(rules::Handicap::name),
        rules::Game::Minishogi => {
            let usual = AnyPosition::startpos(rules::Game::Minishogi).sfen();
            (record.start().sfen() == usual).then_some("even")
        }
    }
}

fn node(record: &Record, id: NodeId, replay: &mut Replay, scale: f64) -> TreeNode {
    let node = record.node(id);
    let mut view = TreeNode {
        parent: node.parent().map(|parent| parent.index() as u32),
        ms: node.time.map(millis),
        comments: node.comments.clone(),
        bookmark: node.bookmark.clone(),
        eval: node.eval.as_ref().map(|eval| evaluation(eval, record.game(), scale)),
        ..TreeNode::default()
    };
    if let Some(parent) = node.parent() {
        replay.go_to(record, parent);
    }
    match &node.step {
        Step::Start => {}
        Step::Move(m) => {
            let (at, last) = (replay.position(), replay.last_move(record));
            view.usi = Some(m.usi(at.game()));
            view.ja = Some(notation::japanese(at, last, *m));
            view.en = Some(notation::western(at, *m));
            replay.go_to(record, id);
            view.sfen = Some(replay.position().sfen());
            view.check = Some(replay.position().in_check());
        }
        Step::End(ended) => {
            view.end = Some(ending::of_record(ended, replay.position().turn()));
        }
    }
    view
}

fn evaluation(eval: &Evaluation, game: rules::Game, scale: f64) -> EvaluationView {
    let known = eval.score.map(|score| score::of_record(score, scale));
    EvaluationView {
        score: known.map(|(score, _)| score),
        winrate: known.map(|(_, rate)| rate),
        depth: eval.depth,
        nodes: eval.nodes,
        pv: eval.pv.iter().map(|m| m.usi(game)).collect(),
    }
}

/// Reads every record in a file or a pasted text.
pub fn read(
    bytes: &[u8],
    name: &str,
    variant: Option<&str>,
    scales: Scales,
) -> Result<Trees, ApiError> {
    let game = variant.map(|v| position::variant(Some(v))).transpose()?;
    let format = detected(bytes, name);
    let (mut games, mut problems, mut left_out, mut nodes) = (Vec::new(), Vec::new(), 0, 0);
    let options = ReadOptions { format: None, game };
    for (number, read) in Reader::new(name, bytes, options).enumerate() {
        match read {
            Ok(record) if games.len() >= GAMES || nodes + record.len() > NODES => left_out += 1,
            Ok(record) => {
                nodes += record.len();
                games.push(view(&record, scales));
            }
            Err(error) if problems.len() < GAMES => problems.push(Problem {
                game: number as u32,
                line: error.line as u32,
                message: error.reason.to_string(),
            }),
            Err(_) => {}
        }
    }
    if games.is_empty() && left_out > 0 {
        let message = format!("a record of more than {NODES} moves");
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    }
    if games.is_empty() {
        let first = problems.first().map(|problem| problem.message.as_str());
        let reason = first.unwrap_or("there is no record in it").to_owned();
        return Err(ApiError::new(ErrorCode::Unreadable, reason));
    }
    let format = format.map(|format| format.name().to_owned());
    Ok(Trees { format, games, problems, left_out })
}

fn detected(bytes: &[u8], name: &str) -> Option<Format> {
    let beginning = &bytes[..bytes.len().min(4096)];
    Format::detect(&String::from_utf8_lossy(beginning)).or_else(|| Format::from_file_name(name))
}

/// A record as the page sends it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SentTree {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Variant>"))]
    variant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    black: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    white: Option<String>,
    nodes: Vec<SentNode>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SentNode {
    parent: Option<usize>,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    usi: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<EndingView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bookmark: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    eval: Option<SentEval>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SentEval {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<ScoreView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pv: Vec<String>,
}

impl SentTree {
    /// The record meant; every move is checked.
    pub fn resolve(&self) -> Result<Record, ApiError> {
        let game = position::variant(self.variant.as_deref())?;
        if self.nodes.len() > NODES {
            let message = format!("{} nodes are more than {NODES}", self.nodes.len());
            return Err(ApiError::new(ErrorCode::TooLarge, message));
        }
        let start = position::start(game, self.start.as_deref(), Kings::Any)?;
        let mut record = Record::new(start);
        for (key, name) in [(Key::Black, &self.black), (Key::White, &self.white)] {
            if let Some(name) = name {
                record.headers.set(key, &one_line(name));
            }
        }
        for (name, value) in &self.headers {
            record.headers.set(Key::named(&one_line(name)), &one_line(value));
        }
        let mut replay = Replay::new(&record);
        let mut ids = Vec::with_capacity(self.nodes.len());
        for (number, sent) in self.nodes.iter().enumerate() {
            let id = sent.place(number, &ids, &mut record, &mut replay)?;
            ids.push(id);
            replay.go_to(&record, id);
            sent.describe(id, &mut record, replay.position());
        }
        Ok(record)
    }
}

impl SentNode {
    /// Puts the node where it belongs.
    fn place(
        &self,
        number: usize,
        ids: &[NodeId],
        record: &mut Record,
        replay: &mut Replay,
    ) -> Result<NodeId, ApiError> {
        let Some(parent) = self.parent else {
            return match number {
                0 => Ok(NodeId::ROOT),
                _ => Err(ApiError::bad(format!("node {number} has no parent"))),
            };
        };
        let parent = *ids.get(parent).ok_or_else(|| {
            ApiError::bad(format!("node {number}: its parent {parent} does not come before it"))
        })?;
        if record.node(parent).ending().is_some() {
            return Err(ApiError::bad(format!("node {number} follows an ending")));
        }
        let step = match (&self.usi, &self.end) {
            (Some(text), None) => {
                replay.go_to(record, parent);
                let m = replay.position().parse_usi(text).map_err(|e| {
                    ApiError::new(ErrorCode::IllegalMove, format!("node {number}: {e}"))
                })?;
                Step::Move(m)
            }
            (None, Some(end)) => Step::End(ending::to_record(end).ok_or_else(|| {
                ApiError::bad(format!("node {number}: unknown ending {:?}", end.reason))
            })?),
            _ => return Err(ApiError::bad(format!("node {number} needs either move or end"))),
        };
        Ok(record.add(parent, step))
    }

    /// Writes down what is said about it; `position` is the one after it.
    fn describe(&self, id: NodeId, record: &mut Record, position: &AnyPosition) {
        let node = record.node_mut(id);
        node.time = self.ms.map(Duration::from_millis).or(node.time);
        node.comments = self.comments.iter().flat_map(|c| c.lines()).map(one_line).collect();
        node.bookmark = self.bookmark.as_deref().map(one_line).filter(|b| !b.is_empty());
        node.eval = self.eval.as_ref().and_then(|eval| {
            let mut at = position.without_history();
            let mut pv = Vec::new();
            for text in &eval.pv {
                let Ok(m) = at.parse_usi(text) else { break };
                at.play(m);
                pv.push(m);
            }
            let known = Evaluation {
                score: eval.score.as_ref().and_then(score::from_view),
                pv,
                tail: String::new(),
                nodes: eval.nodes,
                depth: eval.depth,
            };
            (!known.is_empty()).then_some(known)
        });
    }
}

/// A record to be written as a file.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WriteRequest {
    /// `kif`, `ki2`, `csa`, `jkf`, `usi` or `sfen` (the start position alone).
    pub format: String,
    /// `utf-8` where nothing is said, or `shift_jis`.
    #[serde(default)]
    pub encoding: Option<String>,
    pub tree: SentTree,
}

/// A file as it is sent to be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    pub bytes: Vec<u8>,
    pub extension: &'static str,
    /// What they are.
    pub kind: &'static str,
    /// What the format had no room for.
    pub losses: String,
}

/// Writes a record in a format.
pub fn write(record: &Record, format: &str, encoding: Option<&str>) -> Result<File, ApiError> {
    if format == "sfen" {
        let bytes = format!("{}\n", record.start().sfen()).into_bytes();
        let kind = "text/plain; charset=utf-8";
        return Ok(File { bytes, extension: "sfen", kind, losses: String::new() });
    }
    let format: Format =
        format.parse().map_err(|e: kifu::UnknownFormat| ApiError::bad(e.to_string()))?;
    let encoding = match encoding {
        None | Some("") => Encoding::Utf8,
        Some(name) => {
            name.parse().map_err(|e: kifu::UnknownEncoding| ApiError::bad(e.to_string()))?
        }
    };
    let options = WriteOptions { encoding, ..WriteOptions::default() };
    let (bytes, losses) = kifu::to_bytes(record, format, &options)
        .map_err(|e| ApiError::new(ErrorCode::Unwritable, e.to_string()))?;
    let kind = match (format, encoding) {
        (Format::Jkf, _) => "application/json",
        (Format::Usi, _) | (_, Encoding::Utf8) => "text/plain; charset=utf-8",
        (_, Encoding::ShiftJis) => "text/plain; charset=shift_jis",
    };
    let losses = if losses.is_none() { String::new() } else { losses.to_string() };
    Ok(File { bytes, extension: format.name(), kind, losses })
}

/// A game at the board as a record.
pub fn of_game(game: &Game) -> Result<Record, ApiError> {
    let setup = game.setup();
    let start = position::start(setup.game(), Some(&setup.start), Kings::Both)?;
    let mut record = Record::new(start);
    for (key, color) in [(Key::Black, rules::Color::Black), (Key::White, rules::Color::White)] {
        let usual = if setup.you.has(color) || setup.opponent.is_friend() {
            "Player"
        } else {
            setup.name.en.as_str()
        };
        record.headers.set(key, game.name_of(color).unwrap_or(usual));
    }
    let mut at = NodeId::ROOT;
    for played in game.played() {
        at = record.add(at, Step::Move(played.m));
        record.node_mut(at).time = Some(played.spent);
    }
    if let Some(ended) = game.ending() {
        record.add(at, Step::End(ending::recorded(ended, game.position().turn())));
    }
    Ok(record)
}

#[cfg(test)]
mod tests;
