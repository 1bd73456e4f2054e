//! Writing JKF.

use super::{MAX_NESTING, PRESETS};
use crate::analysis::{self, Place};
use crate::clock;
use crate::csa;
use crate::error::WriteError;
use crate::headers::Key;
use crate::movetext;
use crate::options::Losses;
use crate::placement::Placement;
use crate::record::{Node, NodeId, Record, Step};
use crate::relative;
use crate::replay::Replay;
use rules::{AnyPosition, Color, Game, Handicap, Kind, Move, Square};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The text of a record with all its variations, on one line.
pub(crate) fn write(record: &Record, losses: &mut Losses) -> Result<String, WriteError> {
    let depth = nesting(record);
    if depth > MAX_NESTING {
        return Err(WriteError::Nesting(depth, MAX_NESTING));
    }
    for id in record.ids() {
        let node = record.node(id);
        losses.bookmarks += usize::from(node.bookmark.is_some());
        losses.comments += node.remarks.len();
    }
    let writer = Writer { record, totals: clock::totals(record, losses) };
    let mut root = Map::new();
    root.insert("header".to_owned(), header(record));
    root.insert("initial".to_owned(), initial(record));
    let moves = writer.line(NodeId::ROOT, &mut Replay::new(record));
    root.insert("moves".to_owned(), Value::Array(moves));
    Ok(format!("{}\n", Value::Object(root)))
}

/// How deep variations lie inside variations.
fn nesting(record: &Record) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(record.len());
    for id in record.ids() {
        let parent = record.node(id).parent();
        let above = parent.map_or(0, |p| depths[p.index()]);
        let main = parent.is_none_or(|p| record.node(p).children().first() == Some(&id));
        depths.push(above + usize::from(!main));
    }
    depths.into_iter().max().unwrap_or(0)
}

fn header(record: &Record) -> Value {
    let handicap = record.handicap().is_some_and(|h| h != Handicap::Even);
    let mut map = Map::new();
    for (key, value) in record.headers.iter() {
        let name = match key {
            Key::Black if handicap => "下手",
            Key::White if handicap => "上手",
            key => key.kif(),
        };
        map.insert(name.to_owned(), value.into());
    }
    let name = match record.handicap() {
        Some(handicap) => handicap.kanji(),
        None if record.game() == Game::Minishogi => "5五将棋",
        None => "その他",
    };
    map.insert("手合割".to_owned(), name.into());
    Value::Object(map)
}

fn initial(record: &Record) -> Value {
    if let Some(handicap) = record.handicap() {
        let name = PRESETS.iter().find(|(h, _)| *h == handicap).map_or("OTHER", |(_, n)| n);
        return json!({ "preset": name });
    }
    let board = Placement::of(record.start());
    let n = board.game.size();
    let cell = |file: usize, rank: usize| {
        let piece = Square::at(board.game, file, rank).map(|sq| board.at(sq));
        match piece.and_then(|p| Some((p.color()?, p.kind()?))) {
            Some((color, kind)) => json!({ "color": color.index(), "kind": csa::name(kind) }),
            None => json!({}),
        }
    };
    let files: Vec<Value> =
        (1..=n).map(|file| (1..=n).map(|rank| cell(file, rank)).collect()).collect();
    let hand = |color: Color| -> Value {
        let counts = Kind::HAND.iter().filter(|&&k| board.hand(color, k) > 0);
        counts.map(|&k| (csa::name(k).to_owned(), json!(board.hand(color, k)))).collect()
    };
    let hands = [hand(Color::Black), hand(Color::White)];
    let data = json!({ "color": board.turn.index(), "board": files, "hands": hands });
    json!({ "preset": "OTHER", "data": data })
}

struct Writer<'a> {
    record: &'a Record,
    totals: Vec<Duration>,
}

impl Writer<'_> {
    /// A line from its first node, with the variations that branch from it inside. The recursion
    /// is as deep as variations are nested, which was checked.
    fn line(&self, first: NodeId, replay: &mut Replay) -> Vec<Value> {
        let mut list = Vec::new();
        for id in self.record.line_from(first) {
            let node = self.record.node(id);
            if let Some(parent) = node.parent() {
                replay.go_to(self.record, parent);
            }
            let mut element = self.element(id, replay);
            let siblings = node.parent().map_or(&[][..], |p| self.record.node(p).children());
            if siblings.first() == Some(&id) && siblings.len() > 1 {
                let forks: Vec<Value> = siblings[1..]
                    .iter()
                    .map(|&other| Value::Array(self.line(other, replay)))
                    .collect();
                element.insert("forks".to_owned(), Value::Array(forks));
            }
            list.push(Value::Object(element));
        }
        list
    }

    /// One node; `replay` stands before its move and after it.
    fn element(&self, id: NodeId, replay: &mut Replay) -> Map<String, Value> {
        let node = self.record.node(id);
        let turn = self.record.turn_at(id);
        let mut element = Map::new();
        match &node.step {
            Step::Start => {}
            Step::Move(m) => {
                let last = replay.last_move(self.record);
                element.insert("move".to_owned(), describe(replay.position(), last, *m));
            }
            Step::End(ending) => {
                element.insert("special".to_owned(), csa::word(ending, turn).into());
            }
        }
        if let Some(time) = node.time {
            let (now, total) = (time.as_secs(), self.totals[id.index()].as_secs());
            let now = json!({ "m": now / 60, "s": now % 60 });
            let total = json!({ "h": total / 3600, "m": total / 60 % 60, "s": total % 60 });
            element.insert("time".to_owned(), json!({ "now": now, "total": total }));
        }
        replay.go_to(self.record, id);
        let place = Place { position: replay.position(), last: replay.last_move(self.record) };
        let comments = comments(node, turn, place);
        if !comments.is_empty() {
            element.insert("comments".to_owned(), comments.into());
        }
        element
    }
}

fn comments(node: &Node, turn: Color, place: Place<'_>) -> Vec<String> {
    let mut list = Vec::new();
    if let Some(ending) = node.ending()
        && csa::special(&csa::word(ending, turn)) != *ending
    {
        list.push(ending.to_comment());
    }
    let japanese = analysis::japanese_lines;
    list.extend(analysis::lines_for(node.eval.as_ref(), &node.comments, place, japanese));
    list.extend(node.comments.iter().cloned());
    list
}

fn describe(pos: &AnyPosition, last: Option<Move>, m: Move) -> Value {
    let game = pos.game();
    let place = |sq: Square| json!({ "x": sq.file(game), "y": sq.rank(game) });
    let mut map = Map::new();
    map.insert("color".to_owned(), pos.turn().index().into());
    if !m.is_drop() {
        map.insert("from".to_owned(), place(m.from()));
    }
    map.insert("to".to_owned(), place(m.to()));
    let kind = m.dropped().or_else(|| pos.piece_at(m.from()).kind());
    map.insert("piece".to_owned(), kind.map_or("", csa::name).into());
    if last.is_some_and(|l| l.to() == m.to()) {
        map.insert("same".to_owned(), true.into());
    }
    if m.is_promotion() || movetext::may_promote(pos, m) {
        map.insert("promote".to_owned(), m.is_promotion().into());
    }
    if let Some(captured) = pos.piece_at(m.to()).kind() {
        map.insert("capture".to_owned(), csa::name(captured).into());
    }
    let relative = relative::describe(pos, m).letters();
    if !relative.is_empty() {
        map.insert("relative".to_owned(), relative.into());
    }
    Value::Object(map)
}
