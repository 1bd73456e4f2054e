//! Reading archives: one record after another, whatever happens to one of them.

use crate::encoding::{self, Declared};
use crate::error::{Located, Problem, ReadError};
use crate::format::Format;
use crate::record::Record;
use crate::{csa, jkf, kakinoki, usi};
use rules::Game;
use std::io::{self, BufRead, Read};

/// No game is larger than this; an archive may be.
const MAX_GAME: usize = 64 << 20;
/// Formats without a separator are read whole, up to this.
const MAX_TEXT: usize = 256 << 20;

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// The format; told from content and name if missing.
    pub format: Option<Format>,
    /// The game where the text does not say (`startpos`, no start position at all).
    pub game: Option<Game>,
}

/// What is left to read.
enum Rest {
    /// Nothing was read yet.
    Unopened,
    /// CSA, game by game.
    Games(Option<Declared>),
    /// USI lines.
    Lines,
    /// A text read whole, with the games in it as first line and byte range.
    Text(String, std::vec::IntoIter<(usize, std::ops::Range<usize>)>),
    /// JSON values.
    Values(std::vec::IntoIter<Result<serde_json::Value, Located>>),
    Done,
}

/// An iterator over the records of an input. A game that cannot be read is an error with its
/// place; the next one is tried.
pub struct Reader<R> {
    source: String,
    input: R,
    options: ReadOptions,
    rest: Rest,
    line: usize,
    /// A line read too far: the first of the next game.
    ahead: Option<Vec<u8>>,
    found_any: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads from `input`, called `source` in errors; its extension helps to tell the format.
    pub fn new(source: impl Into<String>, input: R, options: ReadOptions) -> Self {
        Self {
            source: source.into(),
            input,
            options,
            rest: Rest::Unopened,
            line: 0,
            ahead: None,
            found_any: false,
        }
    }

    fn error(&self, line: usize, reason: Problem) -> ReadError {
        ReadError { source_name: self.source.clone(), line: line + 1, reason }
    }

    /// Looks at the beginning and decides how to go on.
    fn open(&mut self) -> Result<(), Problem> {
        self.rest = Rest::Done;
        let beginning = self.input.fill_buf().map_err(Problem::from)?;
        let declared = encoding::declared(beginning);
        let detected = || {
            // The cut may fall inside a character: drop the last, incomplete line.
            let end = beginning.iter().rposition(|&b| b == b'\n').unwrap_or(beginning.len());
            let text = encoding::decode(&beginning[..end], declared).ok()?;
            Format::detect(&text)
        };
        let format = match self.options.format {
            Some(format) => format,
            None if beginning.starts_with(b"\xFF\xFE") || beginning.starts_with(b"\xFE\xFF") => {
                return Err(Problem::Utf16);
            }
            None if beginning.trim_ascii().is_empty() && beginning.len() < 4096 => {
                return Err(Problem::Nothing);
            }
            None => detected()
                .or_else(|| Format::from_file_name(&self.source))
                .ok_or(Problem::Format)?,
        };
        self.rest = match format {
            Format::Csa => Rest::Games(declared),
            Format::Usi => Rest::Lines,
            Format::Kif | Format::Ki2 => {
                let text = self.whole_text(declared)?;
                let games: Vec<_> = kakinoki::split(&text)
                    .into_iter()
                    .map(|(line, part)| {
                        let start = part.as_ptr() as usize - text.as_ptr() as usize;
                        (line, start..start + part.len())
                    })
                    .collect();
                Rest::Text(text, games.into_iter())
            }
            Format::Jkf => {
                let text = self.whole_text(declared)?;
                Rest::Values(jkf::read_all(&text).into_iter())
            }
        };
        Ok(())
    }

    fn whole_text(&mut self, declared: Option<Declared>) -> Result<String, Problem> {
        let mut bytes = Vec::new();
        let limit = MAX_TEXT as u64 + 1;
        (&mut self.input).take(limit).read_to_end(&mut bytes).map_err(Problem::from)?;
        if bytes.len() > MAX_TEXT {
            return Err(Problem::TooLarge(MAX_TEXT >> 20));
        }
        encoding::decode(&bytes, declared)
    }

    /// The next line without its end; `None` at the end of the input. A line longer than a game
    /// may be is cut there.
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut any = false;
        loop {
            let buffer = match self.input.fill_buf() {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            if buffer.is_empty() {
                break;
            }
            any = true;
            let end = buffer.iter().position(|&b| b == b'\n');
            let taken = end.unwrap_or(buffer.len());
            let room = (MAX_GAME + 1).saturating_sub(line.len());
            line.extend_from_slice(&buffer[..taken.min(room)]);
            let used = end.map_or(taken, |e| e + 1);
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.line += usize::from(any);
        Ok(any.then_some(line))
    }

    /// The bytes of the next CSA game and the number of its first line.
    fn next_game(&mut self) -> Result<Option<(usize, Vec<u8>)>, Problem> {
        let mut first = self.line - usize::from(self.ahead.is_some());
        let mut bytes = Vec::new();
        let (mut played, mut too_large) = (false, false);
        loop {
            let line = match self.ahead.take() {
                Some(line) => line,
                None => match self.next_line().map_err(Problem::from)? {
                    Some(line) => line,
                    None => break,
                },
            };
            if csa::separates(&line) {
                if !bytes.trim_ascii().is_empty() || too_large {
                    break;
                }
                bytes.clear();
                first = self.line;
                continue;
            }
            if played && csa::begins_game(&line) {
                self.ahead = Some(line);
                break;
            }
            played |= matches!(line.first(), Some(b'+' | b'-' | b'%'));
            too_large |= bytes.len() + line.len() > MAX_GAME;
            if !too_large {
                bytes.extend_from_slice(&line);
                bytes.push(b'\n');
            }
        }
        if too_large {
            return Err(Problem::TooLarge(MAX_GAME >> 20));
        }
        Ok((!bytes.trim_ascii().is_empty()).then_some((first, bytes)))
    }

    fn csa(&mut self, declared: Option<Declared>) -> Option<Result<Record, ReadError>> {
        let before = self.line;
        let (first, bytes) = match self.next_game() {
            Ok(game) => game?,
            Err(reason) => {
                if matches!(reason, Problem::Io(_)) {
                    self.rest = Rest::Done;
                }
                return Some(Err(self.error(before, reason)));
            }
        };
        let declared = encoding::declared(&bytes).or(declared);
        let read = encoding::decode(&bytes, declared)
            .map_err(|reason| reason.at(0))
            .and_then(|text| csa::read(&text, self.options.game));
        Some(read.map_err(|e| self.error(first + e.line, e.reason)))
    }

    fn usi(&mut self) -> Option<Result<Record, ReadError>> {
        loop {
            let line = match self.next_line() {
                Ok(line) => line?,
                Err(e) => {
                    self.rest = Rest::Done;
                    return Some(Err(self.error(self.line, Problem::from(e))));
                }
            };
            let number = self.line - 1;
            let text = match encoding::decode(&line, None) {
                Ok(text) => text,
                Err(reason) => return Some(Err(self.error(number, reason))),
            };
            if let Some(read) = usi::read(&text, self.options.game.unwrap_or_default()) {
                return Some(read.map_err(|reason| self.error(number, reason)));
            }
        }
    }

    fn advance(&mut self) -> Option<Result<Record, ReadError>> {
        if matches!(self.rest, Rest::Unopened)
            && let Err(reason) = self.open()
        {
            self.rest = Rest::Done;
            return Some(Err(self.error(0, reason)));
        }
        match &mut self.rest {
            Rest::Unopened | Rest::Done => None,
            Rest::Games(declared) => {
                let declared = *declared;
                self.csa(declared)
            }
            Rest::Lines => self.usi(),
            Rest::Text(text, games) => {
                let (first, range) = games.next()?;
                let read = kakinoki::read(&text[range], self.options.game);
                Some(read.map_err(|e| self.error(first + e.line, e.reason)))
            }
            Rest::Values(values) => {
                let read = match values.next()? {
                    Ok(value) => jkf::read(&value).map_err(|reason| reason.at(0)),
                    Err(e) => Err(e),
                };
                Some(read.map_err(|e| self.error(e.line, e.reason)))
            }
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_none() && !self.found_any {
            // Not a word in the whole input: silence would look like success.
            self.found_any = true;
            self.rest = Rest::Done;
            return Some(Err(self.error(0, Problem::Nothing)));
        }
        self.found_any |= next.is_some();
        next
    }
}

/// Reads all records of bytes in memory.
pub fn read(source: &str, bytes: &[u8], options: ReadOptions) -> Vec<Result<Record, ReadError>> {
    Reader::new(source, bytes, options).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(name: &str, text: &[u8]) -> Vec<Result<usize, String>> {
        read(name, text, ReadOptions::default())
            .into_iter()
            .map(|r| r.map(|r| r.moves().len()).map_err(|e| e.to_string()))
            .collect()
    }

    #[test]
    fn a_broken_game_does_not_stop_the_archive() {
        let text = b"V2.2\nPI\n+\n+7776FU\n/\nV2.2\nP1-XX\n+\n+7776FU\n/\n\n/\nV2.2\nPI\n+\n+7776FU\n-3334FU\n";
        let got = results("x.csa", text);
        assert_eq!(got.len(), 3);
        assert_eq!((&got[0], &got[2]), (&Ok(1), &Ok(2)));
        assert_eq!(got[1], Err("x.csa:7: unreadable board line \"P1-XX\"".to_owned()));
        let usi = b"startpos moves 7g7f\n\nsfen x\nstartpos moves 7g7f 3c3d\n";
        let got = results("-", usi);
        assert_eq!((&got[0], &got[2]), (&Ok(1), &Ok(2)));
        assert!(got[1].as_ref().is_err_and(|e| e.starts_with("-:3: ")));
    }

    #[test]
    fn games_without_a_separator() {
        let got = results("x", b"V2.2\nPI\n+\n+7776FU\nV2.2\nPI\n+\n+2726FU\n-3334FU\n");
        assert_eq!(got, [Ok(1), Ok(2)]);
    }

    #[test]
    fn an_input_without_a_game_is_an_error() {
        for (name, text) in [
            ("x.csa", &b""[..]),
            ("x.csa", b"\n\n"),
            ("x.csa", b"/\n/\n"),
            ("x", b"hello"),
            ("x.kif", b"hello"),
            ("x.usi", b"#nothing"),
            ("x.jkf", b"[]"),
            ("x.kif", b"\xFF\xFEa\0"),
        ] {
            let got = results(name, text);
            assert!(got.len() == 1 && got[0].is_err(), "{name} {text:?}: {got:?}");
        }
    }

    #[test]
    fn kif_errors_count_lines_of_the_file() {
        let text = "#KIF\n1 ７六歩(77)\n#KIF\n手合割：百枚落ち\n1 ７六歩(77)\n#KIF\n1 投了\n";
        let got = results("x.kif", text.as_bytes());
        assert_eq!((&got[0], &got[2]), (&Ok(1), &Ok(0)));
        assert_eq!(got[1], Err("x.kif:4: unknown handicap \"百枚落ち\"".to_owned()));
    }
}
