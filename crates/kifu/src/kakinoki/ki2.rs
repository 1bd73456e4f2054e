//! Writing KI2. It has no times and no move numbers.

use super::{head, kif::notes, words};
use crate::analysis::Place;
use crate::movetext;
use crate::options::{Losses, WriteOptions};
use crate::record::{NodeId, Record, Step};
use crate::replay::Replay;
use crate::termination::Termination;

/// Moves on a line, and columns of each.
const PER_LINE: usize = 6;
const WIDTH: usize = 12;

/// Lines of text with moves gathered several to a line.
#[derive(Default)]
struct Page {
    lines: Vec<String>,
    row: Vec<String>,
}

impl Page {
    fn push(&mut self, line: String) {
        self.flush();
        self.lines.push(line);
    }

    fn push_move(&mut self, text: String) {
        self.row.push(text);
        if self.row.len() == PER_LINE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let padded = self.row.drain(..).map(|text| {
            let gap = WIDTH.saturating_sub(2 * text.chars().count());
            format!("{text}{}", " ".repeat(gap.max(1)))
        });
        let line: String = padded.collect();
        if !line.is_empty() {
            self.lines.push(line.trim_end().to_owned());
        }
    }
}

/// The text of a record with all its variations.
pub(crate) fn write(record: &Record, options: &WriteOptions, losses: &mut Losses) -> String {
    let lines = head::write(record, "#KI2", options.encoding);
    let mut page = Page { lines, row: Vec::new() };
    page.push(String::new());
    let mut replay = Replay::new(record);
    for first in record.lines() {
        if first != NodeId::ROOT {
            page.push(String::new());
            page.push(format!("変化：{}手", record.node(first).ply()));
        }
        for id in record.line_from(first) {
            step(record, id, &mut replay, &mut page);
            losses.times += usize::from(record.node(id).time.is_some());
        }
    }
    page.push(String::new());
    page.lines.join("\n")
}

fn step(record: &Record, id: NodeId, replay: &mut Replay, page: &mut Page) {
    let node = record.node(id);
    let (turn, game) = (record.turn_at(id), record.game());
    let sentence =
        |e: &Termination| words::sentence(e, turn, node.ply() - 1, head::is_handicap(record), game);
    match &node.step {
        Step::Start => {}
        Step::Move(m) => {
            if let Some(parent) = node.parent() {
                replay.go_to(record, parent);
            }
            page.push_move(movetext::ki2(replay.position(), replay.last_move(record), *m));
        }
        Step::End(ending) => page.push(sentence(ending)),
    }
    replay.go_to(record, id);
    let place = Place { position: replay.position(), last: replay.last_move(record) };
    let said = |e: &Termination| words::read_sentence(&sentence(e), turn).as_ref() == Some(e);
    for line in notes(node, place, said) {
        page.push(line);
    }
}
