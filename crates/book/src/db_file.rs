//! A sorted text book searched where it lies (`BookOnTheFly`).

use crate::bytes::{ReadAt, bytes_at};
use crate::combine::Combine;
use crate::db::{FIRST_LINE, game_of, parse, without_ply};
use crate::{BookError, Entry, Format};
use rules::{AnyPosition, Game};
use std::cmp::Ordering;

/// Read at a time when looking for the beginning of a position.
const WINDOW: usize = 1024;
/// There must be one within so many bytes.
const LONGEST: u64 = 1 << 20;
/// Places looked at when a file is opened, to see whether it is sorted.
const SAMPLES: u64 = 64;

/// The book.
pub struct DbFile {
    input: Box<dyn ReadAt>,
    game: Game,
    length: u64,
}

/// A line `sfen …`, where it begins, and where the next line does.
struct Line {
    text: String,
    start: u64,
    end: u64,
}

impl DbFile {
    /// Opens a book. A look at some of its positions tells whether they ascend.
    pub fn open(input: Box<dyn ReadAt>) -> Result<Self, BookError> {
        let length = input.length()?;
        let start = bytes_at(&*input, 0, length.min(1 << 16) as usize)?;
        let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start);
        if !text.starts_with(FIRST_LINE.as_bytes()) {
            return Err(BookError::not(Format::Db, format!("the first line is not {FIRST_LINE}")));
        }
        let book = Self { input, game: game_of(text), length };
        let mut last: Option<Line> = None;
        for sample in 0..SAMPLES {
            let Some(line) = book.line_from(length / SAMPLES * sample)? else { continue };
            // The sample and the one after it.
            let next = book.line_from(line.end)?;
            for line in [Some(line), next].into_iter().flatten() {
                match &last {
                    Some(earlier) if earlier.start >= line.start => continue,
                    Some(earlier) if earlier.text > line.text => {
                        let earlier = earlier.text.clone();
                        return Err(BookError::Unsorted { earlier, later: line.text });
                    }
                    _ => last = Some(line),
                }
            }
        }
        Ok(book)
    }

    /// Shogi or minishogi.
    pub const fn game(&self) -> Game {
        self.game
    }

    /// The first line of a position that begins there or later.
    fn line_from(&self, mut at: u64) -> Result<Option<Line>, BookError> {
        // A line begins after a line end: one byte earlier, to see that of the line before.
        let from = at;
        at = at.saturating_sub(1);
        let mut bytes = Vec::new();
        while at < self.length {
            let more = bytes_at(&*self.input, at, (self.length - at).min(WINDOW as u64) as usize)?;
            at += more.len() as u64;
            bytes.extend(more);
            let is_over = at == self.length;
            let found = bytes.windows(6).position(|w| w == b"\nsfen ");
            let end = found.and_then(|found| {
                let rest = &bytes[found + 1..];
                rest.iter().position(|&byte| byte == b'\n').or(is_over.then_some(rest.len()))
            });
            if let (Some(found), Some(length)) = (found, end) {
                let text = &bytes[found + 6..found + 1 + length];
                let start = at - bytes.len() as u64 + found as u64 + 1;
                let text = String::from_utf8_lossy(text).trim_end().to_owned();
                return Ok(Some(Line { text, start, end: start + length as u64 }));
            }
            if bytes.len() as u64 > LONGEST {
                return Err(BookError::damaged(
                    from,
                    format!("no position within {LONGEST} bytes"),
                ));
            }
            if found.is_none() && bytes.len() > 8 {
                bytes.drain(..bytes.len() - 8);
                if at - from > LONGEST {
                    return Err(BookError::damaged(
                        from,
                        format!("no position within {LONGEST} bytes"),
                    ));
                }
            }
        }
        Ok(None)
    }

    /// The entry of a position, whatever its move number in the file.
    pub fn find(&self, position: &AnyPosition) -> Result<Option<Entry>, BookError> {
        let sfen = position.sfen();
        let wanted = without_ply(&sfen);
        // The position, if it is there, begins in low..high.
        let (mut low, mut high) = (0, self.length);
        while low < high {
            let middle = low.midpoint(high);
            match self.line_from(middle)? {
                Some(line) if line.start < high => match without_ply(&line.text).cmp(wanted) {
                    Ordering::Less => low = line.end,
                    // The line itself may be it: it is the first one after what is left.
                    _ => high = middle,
                },
                _ => high = middle,
            }
        }
        let mut found: Option<Entry> = None;
        let mut at = low;
        while let Some(line) = self.line_from(at)? {
            if without_ply(&line.text) != wanted {
                break;
            }
            let entry = self.entry(&line)?;
            match (&mut found, entry) {
                (Some(found), Some(entry)) => Combine::First.add(found, entry),
                (none, entry) => *none = entry,
            }
            at = line.end;
        }
        Ok(found)
    }

    fn entry(&self, line: &Line) -> Result<Option<Entry>, BookError> {
        let end = self.line_from(line.end)?.map_or(self.length, |next| next.start);
        if end - line.start > LONGEST {
            return Err(BookError::damaged(line.start, "a position with endless moves"));
        }
        let bytes = bytes_at(&*self.input, line.start, (end - line.start) as usize)?;
        let (entries, _) = parse(self.game, &bytes, 1);
        Ok(entries.into_iter().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Writer, order_of};
    use crate::sample::{leak, random_entries};
    use rules::Move;

    fn book(game: Game, entries: &[Entry]) -> Result<DbFile, BookError> {
        let mut writer = Writer::new(Vec::new(), game).unwrap();
        entries.iter().for_each(|entry| writer.write(entry).unwrap());
        DbFile::open(Box::new(leak(&writer.finish().unwrap().0)))
    }

    fn sorted(game: Game, count: usize) -> Vec<Entry> {
        let mut entries = random_entries(game, count, 51);
        entries.sort_by_key(|entry| order_of(entry, game).unwrap());
        entries
    }

    #[test]
    fn every_position_is_found_and_no_other() {
        for game in [Game::Shogi, Game::Minishogi] {
            for count in [1, 2, 3, 300] {
                let entries = sorted(game, count);
                let book = book(game, &entries).unwrap();
                for entry in &entries {
                    let found = book.find(&entry.position(game).unwrap()).unwrap().unwrap();
                    assert_eq!((found.key, found.moves.len()), (entry.key, entry.moves.len()));
                }
                for other in random_entries(game, 200, 99) {
                    let found = book.find(&other.position(game).unwrap()).unwrap();
                    assert_eq!(found.is_some(), entries.iter().any(|e| e.key == other.key));
                }
            }
        }
    }

    #[test]
    fn the_same_position_at_several_plies_is_one() {
        let mut first = Entry::of(&AnyPosition::startpos(Game::Shogi)).unwrap();
        first.moves = vec![crate::BookMove::new(Move::from_usi(Game::Shogi, "7g7f").unwrap())];
        let mut later = Entry { ply: 21, ..first.clone() };
        later.moves = vec![crate::BookMove::new(Move::from_usi(Game::Shogi, "2g2f").unwrap())];
        let book = book(Game::Shogi, &[first, later]).unwrap();
        let found = book.find(&AnyPosition::startpos(Game::Shogi)).unwrap().unwrap();
        assert_eq!((found.ply, found.moves.len()), (1, 2));
    }

    #[test]
    fn an_unsorted_file_is_refused() {
        let mut entries = sorted(Game::Shogi, 300);
        entries.reverse();
        assert!(matches!(book(Game::Shogi, &entries), Err(BookError::Unsorted { .. })));
    }

    #[test]
    fn rubbish_ends() {
        let mut bytes = format!("{FIRST_LINE}\n").into_bytes();
        bytes.resize(3 << 20, b'x');
        let opened = DbFile::open(Box::new(leak(&bytes)));
        assert!(matches!(opened, Err(BookError::Damaged { .. })));
        assert!(DbFile::open(Box::new(leak(b"hello"))).is_err());
    }
}
