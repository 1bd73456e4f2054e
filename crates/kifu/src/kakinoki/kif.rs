//! Writing KIF.

use super::{head, words};
use crate::analysis::{self, Place};
use crate::clock;
use crate::movetext;
use crate::options::{Losses, WriteOptions};
use crate::record::{Node, NodeId, Record, Step};
use crate::replay::Replay;
use crate::termination::Termination;
use std::time::Duration;

/// Columns of a move; the time begins after them.
const WIDTH: usize = 13;

/// The text of a record with all its variations.
pub(crate) fn write(record: &Record, options: &WriteOptions, losses: &mut Losses) -> String {
    let mut lines = head::write(record, "#KIF", options.encoding);
    let timed = record.ids().any(|id| record.node(id).time.is_some());
    lines.push(if timed { "手数----指手---------消費時間--" } else { "手数----指手--" }.to_owned());
    let totals = clock::totals(record, losses);
    let mut replay = Replay::new(record);
    for first in record.lines() {
        if first != NodeId::ROOT {
            lines.push(String::new());
            lines.push(format!("変化：{}手", record.node(first).ply()));
        }
        for id in record.line_from(first) {
            lines.extend(step(record, id, &mut replay, &totals));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The lines of one node.
fn step(record: &Record, id: NodeId, replay: &mut Replay, totals: &[Duration]) -> Vec<String> {
    let node = record.node(id);
    let turn = record.turn_at(id);
    let game = record.game();
    let mut lines = Vec::new();
    let text = match &node.step {
        Step::Start => None,
        Step::Move(m) => {
            if let Some(parent) = node.parent() {
                replay.go_to(record, parent);
            }
            Some(movetext::kif(replay.position(), replay.last_move(record), *m))
        }
        Step::End(ending) => Some(words::word(ending, turn, game)),
    };
    if let Some(text) = text {
        let width: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
        let gap = " ".repeat(WIDTH.saturating_sub(width));
        let time = node.time.map_or_else(String::new, |t| spent(t, totals[id.index()]));
        let plus = if has_later_sibling(record, id) { "+" } else { "" };
        let line = format!("{:>4} {text}{gap}{time}{plus}", node.ply());
        lines.push(line.trim_end().to_owned());
    }
    if let Some(ending) = node.ending() {
        let handicap = head::is_handicap(record);
        lines.push(words::sentence(ending, turn, node.ply() - 1, handicap, game));
    }
    replay.go_to(record, id);
    let place = Place { position: replay.position(), last: replay.last_move(record) };
    let read = |e: &Termination| words::ending(&words::word(e, turn, game), turn);
    lines.extend(notes(node, place, |e| read(e) == *e));
    lines
}

/// `( 0:16/00:00:16)`
fn spent(time: Duration, total: Duration) -> String {
    let (now, sum) = (time.as_secs(), total.as_secs());
    format!(
        "({:2}:{:02}/{:02}:{:02}:{:02})",
        now / 60,
        now % 60,
        sum / 3600,
        sum / 60 % 60,
        sum % 60
    )
}

/// Whether alternatives to this step come later in the file.
fn has_later_sibling(record: &Record, id: NodeId) -> bool {
    let siblings = record.node(id).parent().map_or(&[][..], |p| record.node(p).children());
    siblings.last().is_some_and(|&last| last != id)
}

/// Comments, bookmark and remarks of a node. `said` tells whether an ending needs no comment.
pub(super) fn notes(
    node: &Node,
    place: Place<'_>,
    said: impl Fn(&Termination) -> bool,
) -> Vec<String> {
    let mut comments = Vec::new();
    if let Some(ending) = node.ending()
        && !said(ending)
    {
        comments.push(ending.to_comment());
    }
    let japanese = analysis::japanese_lines;
    comments.extend(analysis::lines_for(node.eval.as_ref(), &node.comments, place, japanese));
    comments.extend(node.comments.iter().cloned());
    let each_line = |text: &str, mark: char| -> Vec<String> {
        text.split(['\n', '\r']).map(|line| format!("{mark}{line}")).collect()
    };
    let mut lines: Vec<String> = comments.iter().flat_map(|c| each_line(c, '*')).collect();
    lines.extend(node.bookmark.iter().map(|b| format!("&{}", b.replace(['\n', '\r'], " "))));
    // A remark that begins like the first line of a file would be taken for one.
    let apart = |r: &String| if r.starts_with("KI") { format!(" {r}") } else { r.clone() };
    lines.extend(node.remarks.iter().map(apart).flat_map(|r| each_line(&r, '#')));
    lines
}
