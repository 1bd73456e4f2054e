//! What a record says about the game besides the moves: players, event, dates, time limits.
//!
//! Values are kept as written, one line each; only a note may have several. The handicap is not a
//! header here: it is the start position, and each format words it from there.

use std::borrow::Cow;

/// A moment as records have it (`2026/11/20 10:00:00`), in the letters of `strftime`.
pub const DATE_FORM: &str = "%Y/%m/%d %H:%M:%S";

/// A header's name. The well-known ones are typed so that formats can translate them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Key {
    /// Black's name (先手, 下手).
    Black,
    /// White's name (後手, 上手).
    White,
    /// Tournament or match (棋戦).
    Event,
    /// Place (場所).
    Site,
    /// When the game started (開始日時).
    StartTime,
    /// When it ended (終了日時).
    EndTime,
    /// Day of the game where only that is known (対局日).
    Date,
    /// Main time and byoyomi (持ち時間).
    TimeLimit,
    /// Byoyomi where it stands alone (秒読み).
    Byoyomi,
    /// Name of the opening (戦型).
    Opening,
    /// Title of the record (表題).
    Title,
    /// A remark about the whole game (備考), of any number of lines. Text formats have one line for
    /// it: there line breaks are written `\n` and backslashes `\\`.
    Note,
    /// The game is drawn after this many moves (最大手数).
    MaxMoves,
    /// Any other header, by the name it was written with. Made by [`Key::named`].
    Other(String),
}

/// Every well-known key with its CSA and its KIF name.
static NAMES: [(Key, &str, &str); 13] = [
    (Key::Black, "N+", "先手"),
    (Key::White, "N-", "後手"),
    (Key::Event, "EVENT", "棋戦"),
    (Key::Site, "SITE", "場所"),
    (Key::StartTime, "START_TIME", "開始日時"),
    (Key::EndTime, "END_TIME", "終了日時"),
    (Key::Date, "DATE", "対局日"),
    (Key::TimeLimit, "TIME_LIMIT", "持ち時間"),
    (Key::Byoyomi, "BYOYOMI", "秒読み"),
    (Key::Opening, "OPENING", "戦型"),
    (Key::Title, "TITLE", "表題"),
    (Key::Note, "NOTE", "備考"),
    (Key::MaxMoves, "MAX_MOVES", "最大手数"),
];

/// Beginnings that mean something else in one of the text formats: a free key must not have them.
const RESERVED: [&str; 33] = [
    "#",
    "*",
    "&",
    "|",
    "+",
    "-",
    "'",
    "$",
    "変化",
    "まで",
    "手数",
    "手合割",
    "盤面回転",
    "先手番",
    "後手番",
    "下手番",
    "上手番",
    "先手の持駒",
    "後手の持駒",
    "下手の持駒",
    "上手の持駒",
    "▲",
    "△",
    "▼",
    "▽",
    "☗",
    "☖",
    "N+",
    "N-",
    "下手",
    "上手",
    "TIMET",
    "GAME",
];

impl Key {
    /// The key of that name, whether CSA's or KIF's; a name nobody knows is kept, with characters
    /// that would break a line of text replaced by `_`.
    pub fn named(name: &str) -> Self {
        if let Some(key) = Self::known(name) {
            return key;
        }
        let mut clean: String = name
            .chars()
            .map(|c| {
                let breaks = c.is_whitespace() || c.is_control() || matches!(c, ':' | '：' | ',');
                if breaks { '_' } else { c }
            })
            .collect();
        let digit = clean.chars().next().is_none_or(char::is_numeric);
        if digit || RESERVED.iter().any(|r| clean.starts_with(r)) {
            clean.insert(0, '_');
        }
        Self::Other(clean)
    }

    /// The well-known key with this CSA or KIF name.
    fn known(name: &str) -> Option<Self> {
        match name {
            "下手" => return Some(Self::Black),
            "上手" => return Some(Self::White),
            _ => {}
        }
        let found = NAMES.iter().find(|(_, csa, kif)| *csa == name || *kif == name);
        found.map(|(key, _, _)| key.clone())
    }

    /// The name in CSA files, without `$` (`N+` and `N-` for the players).
    pub fn csa(&self) -> &str {
        self.table(|row| row.1)
    }

    /// The name in KIF files.
    pub fn kif(&self) -> &str {
        self.table(|row| row.2)
    }

    fn table(&self, column: impl Fn(&(Self, &'static str, &'static str)) -> &'static str) -> &str {
        match self {
            Self::Other(name) => name,
            known => NAMES.iter().find(|row| row.0 == *known).map_or("", column),
        }
    }
}

/// The headers of a record in the order they were written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Headers {
    entries: Vec<(Key, String)>,
}

impl Headers {
    /// No headers.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// The value of a header.
    pub fn get(&self, key: &Key) -> Option<&str> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Sets a header in place, or adds it at the end. Outer white space goes; line breaks become
    /// `\n`, except in a note, which may have them.
    pub fn set(&mut self, key: Key, value: &str) {
        let value = match key {
            Key::Note => value.trim().replace("\r\n", "\n").replace('\r', "\n"),
            _ => one_line(value),
        };
        match self.entries.iter_mut().find(|(k, _)| *k == key) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((key, value)),
        }
    }

    /// Sets a header from a line of a text format.
    pub(crate) fn set_line(&mut self, key: Key, text: &str) {
        let value = value_of(&key, text.trim());
        self.set(key, &value);
    }

    /// Takes a header out.
    pub fn remove(&mut self, key: &Key) -> Option<String> {
        let index = self.entries.iter().position(|(k, _)| k == key)?;
        Some(self.entries.remove(index).1)
    }

    /// All headers in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &str)> {
        self.entries.iter().map(|(k, v)| (k, v.as_str()))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A value as text formats write it, on one line.
pub(crate) fn line_of<'a>(key: &Key, value: &'a str) -> Cow<'a, str> {
    match key {
        Key::Note => value.replace('\\', "\\\\").replace('\n', "\\n").into(),
        _ => value.into(),
    }
}

/// The value of such a line: [`line_of`] undone. A backslash before anything else than
/// itself or an `n` is just one.
fn value_of<'a>(key: &Key, text: &'a str) -> Cow<'a, str> {
    if *key != Key::Note || !text.contains('\\') {
        return text.into();
    }
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        value.push_str(before);
        let (meant, used) = match after.as_bytes().first() {
            Some(b'n') => ('\n', 1),
            Some(b'\\') => ('\\', 1),
            _ => ('\\', 0),
        };
        value.push(meant);
        rest = &after[used..];
    }
    value.push_str(rest);
    value.into()
}

/// The text on one line: line breaks written out, outer white space (also full width) removed.
pub(crate) fn one_line(text: &str) -> String {
    text.trim().replace("\r\n", "\\n").replace(['\n', '\r'], "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_formats_lead_to_the_same_key() {
        for (key, csa, kif) in &NAMES {
            assert_eq!(Key::named(csa), *key);
            assert_eq!(Key::named(kif), *key);
            assert_eq!((key.csa(), key.kif()), (*csa, *kif));
        }
        assert_eq!(Key::named("上手"), Key::White);
    }

    #[test]
    fn a_free_key_cannot_break_a_line() {
        for (name, want) in [
            ("対局ID", "対局ID"),
            ("a b：c\n", "a_b_c_"),
            ("変化", "_変化"),
            ("12", "_12"),
            ("", "_"),
            ("*x", "_*x"),
        ] {
            assert_eq!(Key::named(name), Key::Other(want.to_owned()), "{name:?}");
        }
    }

    #[test]
    fn notes_have_lines_and_backslashes() {
        for (note, line) in [
            ("one\ntwo", r"one\ntwo"),
            (r"C:\new\records", r"C:\\new\\records"),
            ("a\\\nb", r"a\\\nb"),
            ("plain", "plain"),
        ] {
            let key = Key::Note;
            assert_eq!(line_of(&key, note), line);
            assert_eq!(value_of(&key, line), note);
            let mut headers = Headers::new();
            headers.set_line(Key::Note, line);
            assert_eq!(headers.get(&Key::Note), Some(note));
        }
        // What nobody escaped stays what it is.
        assert_eq!(value_of(&Key::Note, r"a\b\"), r"a\b\");
        // Other headers have no such marks.
        assert_eq!(value_of(&Key::Event, r"a\nb"), r"a\nb");
        assert_eq!(line_of(&Key::Event, r"a\nb"), r"a\nb");
    }

    #[test]
    fn setting_keeps_the_order() {
        let mut headers = Headers::new();
        headers.set(Key::Event, "a");
        headers.set(Key::Black, "b");
        headers.set(Key::Event, " c\nd　");
        let all: Vec<_> = headers.iter().collect();
        assert_eq!(all, [(&Key::Event, "c\\nd"), (&Key::Black, "b")]);
    }
}
