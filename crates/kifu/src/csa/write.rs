//! Writing one game.

use super::read::{SUMMARY, means_something};
use super::words::word_of;
use super::{position, special, write_move};
use crate::analysis::{self, Place};
use crate::headers::{Key, line_of};
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
    headers(record, v3, &mut lines, losses);
    let plain = record.handicap().filter(|_| record.start().ply() == 1);
    lines.extend(position::write(record.start(), plain));
    lines.extend(server_lines(record, &RATES));
    let mut replay = Replay::new(record);
    for id in record.line_from(NodeId::ROOT) {
        let node = record.node(id);
        match &node.step {
            Step::Start => {}
            Step::Move(m) => lines.push(write_move(replay.position(), *m)),
            Step::End(ending) => {
                lines.push(format!("%{}", word_of(ending, record.turn_at(id), v3)));
            }
        }
        lines.extend(time(node, v3, losses));
        replay.go_to(record, id);
        let place = Place { position: replay.position(), last: replay.last_move(record) };
        lines.extend(notes(node, record.turn_at(id), place, v3));
        losses.bookmarks += usize::from(node.bookmark.is_some());
    }
    lines.extend(server_lines(record, &[SUMMARY]));
    lines.push(String::new());
    lines.join("\n")
}

/// Headers that shogi-server writes as comments: those before the position, those between it and
/// the first move; what it says at the end is [`SUMMARY`].
const SERVER_HEADERS: [&str; 2] = ["Least_Time_Per_Move", "Increment"];
const RATES: [&str; 3] = ["rating", "black_rate", "white_rate"];

/// Those of the headers named, as comments.
fn server_lines(record: &Record, names: &[&str]) -> Vec<String> {
    let named = record
        .headers
        .iter()
        .filter(|(key, value)| names.contains(&key.csa()) && !value.is_empty());
    named.map(|(key, value)| format!("'{}:{value}", key.csa())).collect()
}

/// Headers that version 2.2 does not know.
const V3_HEADERS: [&str; 5] = ["NOTE", "TIME", "TIME+", "TIME-", "JISHOGI"];

fn needs_v3(record: &Record) -> bool {
    if record.headers.iter().any(|(key, _)| V3_HEADERS.contains(&key.csa())) {
        return true;
    }
    record.line_from(NodeId::ROOT).map(|id| record.node(id)).any(|node| {
        node.time.is_some_and(|t| t.subsec_millis() > 0)
            || node.ending() == Some(&Termination::MaxMoves)
    })
}

fn headers(record: &Record, v3: bool, lines: &mut Vec<String>, losses: &mut Losses) {
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
        match name {
            _ if SERVER_HEADERS.contains(&name) => lines.push(format!("'{name}:{value}")),
            // In a place of their own.
            _ if RATES.contains(&name) || name == SUMMARY => {}
            "MAX_MOVES" if !v3 => lines.push(format!("'Max_Moves:{value}")),
            "NOTE" if !v3 => lines.extend(value.lines().map(comment)),
            "TIME" if !v3 => match time_limit(&value) {
                Some(limit) => lines.push(format!("$TIME_LIMIT:{limit}")),
                None => losses.headers += 1,
            },
            "TIME+" | "TIME-" | "JISHOGI" if !v3 => losses.headers += 1,
            _ => lines.push(format!("${name}:{}", line_of(key, &value))),
        }
    }
}

/// `HH:MM+SS` of version 2.2 from `seconds+byoyomi+increment` of 3.0, if it can say the same.
fn time_limit(value: &str) -> Option<String> {
    let mut parts = value.split('+').map(|n| n.trim().parse::<u64>());
    let main = parts.next()?.ok()?;
    let byoyomi = parts.next().unwrap_or(Ok(0)).ok()?;
    let increment = parts.next().unwrap_or(Ok(0)).ok()?;
    let fits = main % 60 == 0 && increment == 0 && byoyomi < 100 && parts.next().is_none();
    fits.then(|| format!("{:02}:{:02}+{byoyomi:02}", main / 3600, main / 60 % 60))
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

/// A comment's line. `'**` is reserved for evaluations: any other comment that begins with a star
/// gets a blank before it, which reading takes away.
fn comment(text: &str) -> String {
    let escaped = text.trim_start_matches(' ').starts_with('*') && !analysis::is_floodgate(text);
    format!("'*{}{text}", if escaped { " " } else { "" })
}

/// Comments and remarks after a step.
fn notes(node: &Node, turn: Color, place: Place<'_>, v3: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(ending) = node.ending()
        && special(&word_of(ending, turn, v3)) != *ending
    {
        lines.push(format!("'*{}", ending.to_comment()));
    }
    let eval = analysis::lines_for(node.eval.as_ref(), &node.comments, place, analysis::csa_lines);
    let comments = eval.iter().chain(&node.comments);
    lines.extend(comments.flat_map(|c| c.split(['\n', '\r'])).map(comment));
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

    fn written(text: &str, csa: CsaVersion) -> (String, Losses) {
        let record = super::super::read(text, None).unwrap_or_else(|e| panic!("{}", e.reason));
        let mut losses = Losses::default();
        let options = WriteOptions { csa, ..WriteOptions::default() };
        (write(&record, &options, &mut losses), losses)
    }

    /// What only version 3.0 has a word for is said otherwise in 2.2, or named as lost.
    #[test]
    fn version_2_2_has_its_own_words() {
        let text = "V3.0\nN+a\nN-b\n$TIME:900+10+0\n$MAX_MOVES:320\n$NOTE:one\\ntwo\n$JISHOGI:27\nPI\n+\n\
                    +7776FU\n%MAX_MOVES\n";
        let (v3, losses) = written(text, CsaVersion::Auto);
        for line in ["V3.0", "$TIME:900+10+0", "$MAX_MOVES:320", "$NOTE:one\\ntwo", "%MAX_MOVES"] {
            assert!(v3.lines().any(|l| l == line), "{line}: {v3}");
        }
        assert!(losses.is_none());
        let (v2, losses) = written(text, CsaVersion::V22);
        for line in
            ["V2.2", "$TIME_LIMIT:00:15+10", "'Max_Moves:320", "'*one", "'*two", "%HIKIWAKE"]
        {
            assert!(v2.lines().any(|l| l == line), "{line}: {v2}");
        }
        assert!(!v2.contains("$NOTE") && !v2.contains("$JISHOGI"), "{v2}");
        assert_eq!(losses.headers, 1);
        let again = super::super::read(&v2, None).unwrap_or_else(|e| panic!("{}", e.reason));
        assert_eq!(again.ending(), Some(&Termination::MaxMoves), "the comment tells: {v2}");
        assert_eq!(written("V3.0\n$TIME:61+0+5\nPI\n+\n", CsaVersion::V22).1.headers, 1);
    }

    #[test]
    fn two_stars_are_for_evaluations_and_server_lines_stay() {
        let text = "V2\nN+a\nN-b\n'rating:a+1:b+2\n'black_rate:a+1:2000.0\n'Increment:10\nPI\n+\n\
                    +7776FU\n'** 30 -3334FU\n'**bold\n'* **plain\n'*word\n-3334FU\n%TORYO\n";
        let (out, _) = written(text, CsaVersion::Auto);
        for line in ["'rating:a+1:b+2", "'black_rate:a+1:2000.0", "'Increment:10", "'*word"] {
            assert!(out.lines().any(|l| l == line), "{line}: {out}");
        }
        for line in out.lines().filter(|l| l.starts_with("'**")) {
            assert!(line.starts_with("'** 30"), "{out}");
        }
        let comments = |text: &str| {
            let record = super::super::read(text, None).unwrap_or_else(|e| panic!("{}", e.reason));
            record
                .line_from(NodeId::ROOT)
                .flat_map(|id| record.node(id).comments.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(comments(&out), comments(text));
        assert_eq!(comments(text), ["*bold", "**plain", "word"]);
    }

    /// A log of floodgate keeps what only the server says, in the places where it says it.
    #[test]
    fn lines_of_the_server_stand_where_it_writes_them() {
        let text = "V2\nN+a\nN-b\n'Max_Moves:256\n'Increment:10\n$EVENT:x\nPI\n+\n\
                    'rating:a+1:b+2\n'black_rate:a+1:3912.0\n'white_rate:b+2:3000.5\n\
                    +7776FU\nT3\n-3334FU\nT1\n%TORYO\n'summary:toryo:a lose:b win\n\
                    '$END_TIME:2020/01/01 00:00:00\n";
        let (out, losses) = written(text, CsaVersion::Auto);
        let lines: Vec<&str> = out.lines().collect();
        let at = |line: &str| {
            lines.iter().position(|l| *l == line).unwrap_or_else(|| panic!("{line}: {out}"))
        };
        assert!(at("'Increment:10") < at("PI"));
        for rate in ["'rating:a+1:b+2", "'black_rate:a+1:3912.0", "'white_rate:b+2:3000.5"] {
            assert!((at("+") + 1..at("+7776FU")).contains(&at(rate)), "{out}");
        }
        assert_eq!(at("'summary:toryo:a lose:b win"), lines.len() - 1);
        assert!(losses.is_none());
        // Nothing is told twice, and nothing is lost on the way through another format.
        assert_eq!(written(&out, CsaVersion::Auto).0, out);
        let record = super::super::read(text, None).unwrap_or_else(|e| panic!("{}", e.reason));
        let options = WriteOptions::default();
        let (kif, _) = crate::to_bytes(&record, crate::Format::Kif, &options).unwrap();
        let kif = crate::read("a.kif", &kif, crate::ReadOptions::default()).remove(0).unwrap();
        let (again, _) = crate::to_bytes(&kif, crate::Format::Csa, &options).unwrap();
        assert!(String::from_utf8_lossy(&again).contains("'summary:toryo:a lose:b win\n"));
    }

    #[test]
    fn notes_of_several_lines() {
        let text = "V3.0\n$NOTE:one\\ntwo C:\\\\new\nPI\n+\n+7776FU\n";
        let record = super::super::read(text, None).unwrap_or_else(|e| panic!("{}", e.reason));
        assert_eq!(record.headers.get(&Key::Note), Some("one\ntwo C:\\new"));
        let (v3, _) = written(text, CsaVersion::Auto);
        assert!(v3.lines().any(|l| l == "$NOTE:one\\ntwo C:\\\\new"), "{v3}");
        let (v2, _) = written(text, CsaVersion::V22);
        assert!(v2.contains("\n'*one\n'*two C:\\new\n"), "{v2}");
    }

    #[test]
    fn time_limits() {
        assert!(is_time_limit("00:25+00") && is_time_limit("100:25+30"));
        assert!(!is_time_limit("各５時間") && !is_time_limit("25+00") && !is_time_limit(""));
    }
}
