//! Writing one game.

use super::read::means_something;
use super::{position, special, word, write_move};
use crate::analysis::{self, Place};
use crate::headers::Key;
use crate::options::{CsaVersion, Losses, WriteOptions};
use crate::record::{Node, NodeId, Record, Step};
use crate::replay::Replay;
use crate::termination::Termination;
use rules::{Color, Game};

/// The text of a record's main line.
pub(crate) fn write(record: &Record, options: &WriteOptions, losses: &mut Losses) -> String {
    let v3 = match options.csa {
        CsaVersion::Auto => needs_v3(record),
        CsaVersion::V22 => false,
        CsaVersion::V30 => true,
    };
    losses.variations += record.variations();
    let mut lines = vec![
        format!("'CSA encoding={}", options.encoding.name().to_uppercase()),
        if v3 { "V3.0" } else { "V2.2" }.to_owned(),
    ];
    headers(record, &mut lines);
    let plain = record.handicap().filter(|_| record.start().ply() == 1);
    lines.extend(position::write(record.start(), plain));
    let mut replay = Replay::new(record);
    for id in record.line_from(NodeId::ROOT) {
        let node = record.node(id);
        match &node.step {
            Step::Start => {}
            Step::Move(m) => lines.push(write_move(replay.position(), *m)),
            Step::End(ending) => lines.push(format!("%{}", word(ending, record.turn_at(id)))),
        }
        lines.extend(time(node, v3, losses));
        replay.go_to(record, id);
        let place = Place { position: replay.position(), last: replay.last_move(record) };
        lines.extend(notes(node, record.turn_at(id), place));
        losses.bookmarks += usize::from(node.bookmark.is_some());
    }
    lines.push(String::new());
    lines.join("\n")
}

fn needs_v3(record: &Record) -> bool {
    record.line_from(NodeId::ROOT).map(|id| record.node(id)).any(|node| {
        node.time.is_some_and(|t| t.subsec_millis() > 0)
            || node.ending() == Some(&Termination::MaxMoves)
    })
}

fn headers(record: &Record, lines: &mut Vec<String>) {
    // Names come first whatever their order among the headers: some readers insist.
    for (key, sign) in [(Key::Black, "N+"), (Key::White, "N-")] {
        if let Some(name) = record.headers.get(&key).filter(|n| !n.is_empty()) {
            lines.push(format!("{sign}{name}"));
        }
    }
    if record.game() == Game::Minishogi {
        lines.push(format!("$GAME:{}", Game::Minishogi));
    }
    for (key, value) in record.headers.iter().filter(|(_, value)| !value.is_empty()) {
        let (name, value) = match key {
            Key::Black | Key::White => continue,
            Key::StartTime | Key::EndTime => match date(value) {
                Some(date) => (key.csa(), date),
                None => (key.kif(), value.to_owned()),
            },
            Key::TimeLimit if !is_time_limit(value) => (key.kif(), value.to_owned()),
            key => (key.csa(), value.to_owned()),
        };
        lines.push(format!("${name}:{value}"));
    }
}

/// `YYYY/MM/DD[ HH:MM:SS]` from the ways dates are written elsewhere: `2014/7/8(火) 9:00`.
fn date(value: &str) -> Option<String> {
    let (day, time) = value.split_once([' ', '　']).unwrap_or((value, ""));
    let day = day.split(['(', '（']).next()?;
    let numbers = |text: &str, marks: &[char]| {
        text.split(marks).map(|n| n.trim().parse::<u32>().ok()).collect::<Option<Vec<u32>>>()
    };
    let [year, month, day] = numbers(day, &['/', '-'])?[..] else { return None };
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let date = format!("{year:04}/{month:02}/{day:02}");
    if time.trim().is_empty() {
        return Some(date);
    }
    let (hour, minute, second) = match numbers(time, &[':'])?[..] {
        [hour, minute] => (hour, minute, 0),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let valid = hour < 24 && minute < 60 && second < 60;
    valid.then(|| format!("{date} {hour:02}:{minute:02}:{second:02}"))
}

/// `HH:MM+SS`
fn is_time_limit(value: &str) -> bool {
    let digits = |s: &str| s.len() >= 2 && s.bytes().all(|b| b.is_ascii_digit());
    value
        .split_once('+')
        .and_then(|(main, byoyomi)| Some((main.split_once(':')?, byoyomi)))
        .is_some_and(|((h, m), b)| digits(h) && digits(m) && m.len() == 2 && digits(b))
}

fn time(node: &Node, v3: bool, losses: &mut Losses) -> Option<String> {
    let time = node.time?;
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    if millis == 0 {
        return Some(format!("T{seconds}"));
    }
    if v3 {
        let text = format!("T{seconds}.{millis:03}");
        return Some(text.trim_end_matches('0').to_owned());
    }
    losses.times += 1;
    Some(format!("T{seconds}"))
}

/// Comments and remarks after a step.
fn notes(node: &Node, turn: Color, place: Place<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(ending) = node.ending()
        && special(&word(ending, turn)) != *ending
    {
        lines.push(format!("'*{}", ending.to_comment()));
    }
    let eval = analysis::lines_for(node.eval.as_ref(), &node.comments, place, analysis::csa_lines);
    let comments = eval.iter().chain(&node.comments);
    lines.extend(comments.flat_map(|c| c.split(['\n', '\r'])).map(|c| format!("'*{c}")));
    let remarks = node.remarks.iter().flat_map(|r| r.split(['\n', '\r']));
    // A remark that begins like something else would become it.
    lines.extend(remarks.map(|r| format!("'{}{r}", if means_something(r) { " " } else { "" })));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_the_standard_wants_them() {
        for (text, want) in [
            ("2014/09/02 10:00", Some("2014/09/02 10:00:00")),
            ("2014/07/08 9:00", Some("2014/07/08 09:00:00")),
            ("2005/08/23(火) 22:50", Some("2005/08/23 22:50:00")),
            ("2018-1-2", Some("2018/01/02")),
            ("昭和20年", None),
            ("2018/13/01", None),
            ("2018/12/01 25:00", None),
            ("", None),
        ] {
            assert_eq!(date(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn time_limits() {
        assert!(is_time_limit("00:25+00") && is_time_limit("100:25+30"));
        assert!(!is_time_limit("各５時間") && !is_time_limit("25+00") && !is_time_limit(""));
    }
}
