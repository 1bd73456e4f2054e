//! Records with their variations, between every format and the page: a flat list of nodes.

use crate::ending::{self, one_line};
use crate::error::{ApiError, ErrorCode};
use crate::game::Game;
use crate::notation;
use crate::position;
use crate::score;
use kifu::{
    Encoding, Evaluation, Format, Key, NodeId, ReadOptions, Reader, Record, Replay, Step,
    WriteOptions,
};
use rules::{AnyPosition, Kings};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Games read from one file; the rest is counted.
const GAMES: usize = 50;

/// Moves and endings in one answer.
const NODES: usize = 12_000;

/// A record as the page sees it.
pub fn view(record: &Record) -> Value {
    let mut replay = Replay::new(record);
    let nodes: Vec<Value> = record.ids().map(|id| node(record, id, &mut replay)).collect();
    let headers: Vec<(&str, &str)> =
        record.headers.iter().map(|(key, value)| (key.kif(), value)).collect();
    json!({
        "variant": record.game().name(),
        "start": record.start().sfen(),
        "handicap": handicap(record),
        "headers": headers,
        "black": record.headers.get(&Key::Black),
        "white": record.headers.get(&Key::White),
        "nodes": nodes,
    })
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

fn node(record: &Record, id: NodeId, replay: &mut Replay) -> Value {
    let node = record.node(id);
    let mut map = Map::new();
    map.insert("parent".to_owned(), json!(node.parent().map(NodeId::index)));
    if let Some(parent) = node.parent() {
        replay.go_to(record, parent);
    }
    match &node.step {
        Step::Start => {}
        Step::Move(m) => {
            let (at, last) = (replay.position(), replay.last_move(record));
            map.insert("move".to_owned(), m.usi(at.game()).into());
            map.insert("ja".to_owned(), notation::japanese(at, last, *m).into());
            map.insert("en".to_owned(), notation::western(at, *m).into());
            replay.go_to(record, id);
            map.insert("sfen".to_owned(), replay.position().sfen().into());
            map.insert("check".to_owned(), replay.position().in_check().into());
        }
        Step::End(ended) => {
            let turn = replay.position().turn();
            map.insert("end".to_owned(), ending::of_record(ended, turn));
        }
    }
    if let Some(time) = node.time {
        map.insert("ms".to_owned(), (time.as_millis() as u64).into());
    }
    if !node.comments.is_empty() {
        map.insert("comments".to_owned(), json!(node.comments));
    }
    if let Some(bookmark) = &node.bookmark {
        map.insert("bookmark".to_owned(), bookmark.as_str().into());
    }
    if let Some(eval) = &node.eval {
        map.insert("eval".to_owned(), evaluation(eval, record.game()));
    }
    Value::Object(map)
}

fn evaluation(eval: &Evaluation, game: rules::Game) -> Value {
    let mut map = Map::new();
    if let Some(known) = eval.score {
        let (value, chance) = score::of_record(known);
        map.insert("score".to_owned(), value);
        map.insert("winrate".to_owned(), chance.into());
    }
    if let Some(depth) = eval.depth {
        map.insert("depth".to_owned(), depth.into());
    }
    if let Some(nodes) = eval.nodes {
        map.insert("nodes".to_owned(), nodes.into());
    }
    if !eval.pv.is_empty() {
        map.insert("pv".to_owned(), eval.pv.iter().map(|m| m.usi(game)).collect());
    }
    Value::Object(map)
}

/// Reads every record in a file or a pasted text.
pub fn read(bytes: &[u8], name: &str, variant: Option<&str>) -> Result<Value, ApiError> {
    let game = variant.map(|v| position::variant(Some(v))).transpose()?;
    let format = detected(bytes, name);
    let (mut games, mut problems, mut left_out, mut nodes) = (Vec::new(), Vec::new(), 0, 0);
    let options = ReadOptions { format: None, game };
    for (number, read) in Reader::new(name, bytes, options).enumerate() {
        match read {
            Ok(record) if games.len() >= GAMES || nodes + record.len() > NODES => left_out += 1,
            Ok(record) => {
                nodes += record.len();
                games.push(view(&record));
            }
            Err(error) if problems.len() < GAMES => problems.push(json!({
                "game": number, "line": error.line, "message": error.reason.to_string(),
            })),
            Err(_) => {}
        }
    }
    if games.is_empty() && left_out > 0 {
        return Err(ApiError::new(
            ErrorCode::TooLarge,
            format!("a record of more than {NODES} moves"),
        ));
    }
    if games.is_empty() {
        let first = problems.first().and_then(|p| p["message"].as_str());
        let reason = first.unwrap_or("there is no record in it").to_owned();
        return Err(ApiError::new(ErrorCode::Unreadable, reason));
    }
    let format = format.map(Format::name);
    Ok(json!({ "format": format, "games": games, "problems": problems, "left_out": left_out }))
}

fn detected(bytes: &[u8], name: &str) -> Option<Format> {
    let beginning = &bytes[..bytes.len().min(4096)];
    Format::detect(&String::from_utf8_lossy(beginning)).or_else(|| Format::from_file_name(name))
}

/// A record as the page sends it.
#[derive(Clone, Debug, Deserialize)]
pub struct Sent {
    #[serde(default)]
    variant: Option<String>,
    #[serde(default)]
    start: Option<String>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    #[serde(default)]
    black: Option<String>,
    #[serde(default)]
    white: Option<String>,
    nodes: Vec<SentNode>,
}

#[derive(Clone, Debug, Deserialize)]
struct SentNode {
    parent: Option<usize>,
    #[serde(default, rename = "move")]
    usi: Option<String>,
    #[serde(default)]
    end: Option<Value>,
    #[serde(default)]
    ms: Option<u64>,
    #[serde(default)]
    comments: Vec<String>,
    #[serde(default)]
    bookmark: Option<String>,
    #[serde(default)]
    eval: Option<SentEval>,
}

#[derive(Clone, Debug, Deserialize)]
struct SentEval {
    #[serde(default)]
    score: Option<Value>,
    #[serde(default)]
    depth: Option<u32>,
    #[serde(default)]
    nodes: Option<u64>,
    #[serde(default)]
    pv: Vec<String>,
}

impl Sent {
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
            (None, Some(end)) => Step::End(
                ending::to_record(end)
                    .ok_or_else(|| ApiError::bad(format!("node {number}: unknown ending {end}")))?,
            ),
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

/// A file as it is sent to be kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its extension.
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
        let name = if setup.you.has(color) { "Player" } else { setup.name.en.as_str() };
        record.headers.set(key, name);
    }
    let mut at = NodeId::ROOT;
    for played in game.played() {
        at = record.add(at, Step::Move(played.m));
        record.node_mut(at).time = Some(played.spent);
    }
    if let Some(ended) = game.ending() {
        record.add(at, Step::End(ended.recorded(game.position().turn())));
    }
    Ok(record)
}

#[cfg(test)]
mod tests;
