//! The formats, and how to tell them apart.

use crate::notation::MARKS;
use rules::{Game, Move};
use std::fmt;
use std::str::FromStr;

/// A format of records.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// The Computer Shogi Association's standard.
    Csa,
    /// Kakinoki's format with numbered moves and times.
    Kif,
    /// Kakinoki's format for reading by eye.
    Ki2,
    Jkf,
    /// Lines of SFEN and USI moves.
    Usi,
}

impl Format {
    pub const ALL: [Self; 5] = [Self::Csa, Self::Kif, Self::Ki2, Self::Jkf, Self::Usi];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        self.extensions()[0]
    }

    /// Extensions of its files, the usual one first.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Csa => &["csa"],
            Self::Kif => &["kif", "kifu"],
            Self::Ki2 => &["ki2", "ki2u"],
            Self::Jkf => &["jkf", "json"],
            Self::Usi => &["usi", "sfen"],
        }
    }

    /// The format of a file name, by its extension.
    pub fn from_file_name(name: &str) -> Option<Self> {
        let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
        Self::ALL.into_iter().find(|f| f.extensions().contains(&extension.as_str()))
    }

    /// The format of a text, by its beginning.
    pub fn detect(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let mut fallback = None;
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
            if let Some(format) = telling(line) {
                return Some(format);
            }
            if line.starts_with('\'') {
                fallback = fallback.or(Some(Self::Csa));
            } else if line.starts_with(['#', '*', '|']) || line.contains('：') {
                fallback = fallback.or(Some(Self::Kif));
            }
        }
        fallback
    }
}

/// The format of which a line is typical.
fn telling(line: &str) -> Option<Format> {
    let b = line.as_bytes();
    match b {
        [b'{' | b'[', ..] => return Some(Format::Jkf),
        [b'V', b'0'..=b'9', ..] | [b'N', b'+' | b'-', ..] | [b'%', b'A'..=b'Z', ..] => {
            return Some(Format::Csa);
        }
        [b'P', b'I' | b'+' | b'-' | b'1'..=b'9', ..] | [b'$', b'A'..=b'Z', ..] => {
            return Some(Format::Csa);
        }
        [b'+' | b'-', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', ..] => {
            return Some(Format::Csa);
        }
        _ => {}
    }
    if line.starts_with("'CSA") {
        return Some(Format::Csa);
    }
    if line.starts_with("#KI2") || line.starts_with(MARKS) {
        return Some(Format::Ki2);
    }
    if line.starts_with("#KIF") || line.starts_with("手数--") {
        return Some(Format::Kif);
    }
    let first = line.split_ascii_whitespace().next()?;
    let is_board = first.matches('/').count() >= 4 && first.is_ascii();
    let is_move = Game::ALL.iter().any(|&g| Move::from_usi(g, first).is_some());
    if matches!(first, "position" | "startpos" | "sfen") || is_board || is_move {
        return Some(Format::Usi);
    }
    let numbered = first.bytes().all(|c| c.is_ascii_digit()) && first.len() < line.len();
    (numbered && !line.is_ascii()).then_some(Format::Kif)
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format nobody knows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown format {0:?}: expected csa, kif, ki2, jkf or usi")]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(s: &str) -> Result<Self, UnknownFormat> {
        let wanted = s.to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|f| f.extensions().contains(&wanted.as_str()));
        known.ok_or_else(|| UnknownFormat(s.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_tell_their_format() {
        for (text, want) in [
            ("V2.2\nN+a", Some(Format::Csa)),
            ("'comment\nPI\n+", Some(Format::Csa)),
            ("'only a comment", Some(Format::Csa)),
            ("\u{feff}#KIF version=2.0 encoding=UTF-8", Some(Format::Kif)),
            ("開始日時：2014\n手合割：平手\n手数----指手--", Some(Format::Kif)),
            ("開始日時：2014\n   1 ７六歩(77)", Some(Format::Kif)),
            ("先手：a\n\n▲７六歩", Some(Format::Ki2)),
            ("先手：a\n後手：b\n", Some(Format::Kif)),
            (" {\"header\":{}}", Some(Format::Jkf)),
            ("position startpos moves 7g7f", Some(Format::Usi)),
            ("7g7f 3c3d", Some(Format::Usi)),
            ("3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1", Some(Format::Usi)),
            ("hello", None),
            ("", None),
        ] {
            assert_eq!(Format::detect(text), want, "{text}");
        }
    }

    #[test]
    fn names_and_extensions() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            for extension in format.extensions() {
                assert_eq!(Format::from_file_name(&format!("a.b.{extension}")), Some(format));
            }
        }
        assert_eq!(Format::from_file_name("x.KIF"), Some(Format::Kif));
        assert_eq!(Format::from_file_name("kif"), None);
    }
}
