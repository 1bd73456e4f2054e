//! YaneuraOu's text books (docs/formats/book-db.md): read in pieces by several threads, written
//! sorted.

use crate::losses::{Losses, Problems};
use crate::{BookError, BookMove, Entry, Format};
use rules::{AnyPosition, Game, Move};
use std::fmt::Write as _;
use std::io::{Read, Seek, SeekFrom, Write};

/// First line of every file.
pub(crate) const FIRST_LINE: &str = "#YANEURAOU-DB2016 1.00";
/// What one thread reads at a time.
const PIECE: usize = 1 << 20;
/// There must be a position within so many bytes.
const LONGEST: usize = 64 << 20;
/// Lines that are longer hold no position and no move.
const LONGEST_LINE: usize = 64 << 10;
/// What a position begins with.
const MARK: &[u8] = b"sfen ";

/// A file in pieces, each of whole positions: what several threads read at a time.
pub struct Pieces<R> {
    input: R,
    game: Game,
    /// Bytes read but in no piece yet.
    rest: Vec<u8>,
    line: u64,
    is_over: bool,
    /// Bytes taken from the input.
    read: u64,
}

/// Some positions of a file.
pub struct Piece {
    /// The number of the first line.
    line: u64,
    bytes: Vec<u8>,
    /// Where the next piece begins, and the number of its first line.
    pub(crate) next: (u64, u64),
}

impl<R: Read> Pieces<R> {
    /// Begins to read. The first line must be that of the format; which game it is, the first
    /// position says.
    pub fn new(input: R) -> Result<Self, BookError> {
        let (game, rest) = (Game::Shogi, Vec::new());
        let mut pieces = Self { input, game, rest, line: 1, is_over: false, read: 0 };
        pieces.more()?;
        if pieces.rest.starts_with(b"\xEF\xBB\xBF") {
            pieces.rest.drain(..3);
        }
        if !pieces.rest.starts_with(FIRST_LINE.as_bytes()) {
            let why = format!("the first line is not {FIRST_LINE}");
            return Err(BookError::not(Format::Db, why));
        }
        pieces.game = game_of(&pieces.rest);
        Ok(pieces)
    }

    /// Shogi or minishogi.
    pub const fn game(&self) -> Game {
        self.game
    }

    fn more(&mut self) -> Result<(), BookError> {
        let had = self.rest.len();
        self.rest.resize(had + PIECE, 0);
        let read = teacher::fill(&mut self.input, &mut self.rest[had..])?;
        self.rest.truncate(had + read);
        self.read += read as u64;
        self.is_over = read < PIECE;
        Ok(())
    }

    /// The next bytes that end with a whole position.
    fn piece(&mut self) -> Result<Option<Piece>, BookError> {
        loop {
            let cut =
                if self.is_over { self.rest.len() } else { last_mark(&self.rest).unwrap_or(0) };
            if cut > 0 {
                let rest = self.rest.split_off(cut);
                let bytes = std::mem::replace(&mut self.rest, rest);
                let line = self.line;
                self.line += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
                let next = (self.read - self.rest.len() as u64, self.line);
                return Ok(Some(Piece { line, bytes, next }));
            }
            if self.is_over {
                return Ok(None);
            }
            if self.rest.len() > LONGEST {
                let why = format!("no position within {LONGEST} bytes");
                return Err(BookError::damaged(self.read - self.rest.len() as u64, why));
            }
            self.more()?;
        }
    }
}

impl<R: Read + Seek> Pieces<R> {
    /// Goes on where a piece began, and at its line.
    pub(crate) fn skip_to(&mut self, at: u64, line: u64) -> Result<(), BookError> {
        self.input.seek(SeekFrom::Start(at))?;
        self.rest.clear();
        (self.read, self.line, self.is_over) = (at, line, false);
        Ok(())
    }
}

impl<R: Read> Iterator for Pieces<R> {
    type Item = Result<Piece, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.piece() {
            Ok(piece) => piece.map(Ok),
            Err(error) => {
                (self.is_over, self.rest) = (true, Vec::new());
                Some(Err(error))
            }
        }
    }
}

impl Piece {
    /// Its positions, and what could not be read.
    pub(crate) fn entries(&self, game: Game) -> (Vec<Entry>, Problems) {
        parse(game, &self.bytes, self.line)
    }
}

/// Where the last position begins, if it is not the first byte.
fn last_mark(bytes: &[u8]) -> Option<usize> {
    bytes.windows(MARK.len() + 1).rposition(|w| w[0] == b'\n' && &w[1..] == MARK).map(|at| at + 1)
}

/// The game of the first position: a board of five ranks is minishogi's.
pub(crate) fn game_of(bytes: &[u8]) -> Game {
    let first = bytes.split(|&byte| byte == b'\n').find(|line| line.starts_with(MARK));
    let board = first.and_then(|line| line[MARK.len()..].split(|&byte| byte == b' ').next());
    let ranks = board.map_or(0, |board| board.iter().filter(|&&byte| byte == b'/').count());
    if ranks == 4 { Game::Minishogi } else { Game::Shogi }
}

/// Reads lines, of which the first has that number.
pub(crate) fn parse(game: Game, bytes: &[u8], first: u64) -> (Vec<Entry>, Problems) {
    let (mut entries, mut problems) = (Vec::new(), Problems::default());
    let mut current: Option<(Entry, AnyPosition)> = None;
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let number = first + index as u64;
        let line = line.trim_ascii();
        if line.is_empty() || line.len() > LONGEST_LINE {
            if !line.is_empty() {
                problems.note(|| format!("line {number}: {} bytes long", line.len()));
            }
            continue;
        }
        let text = String::from_utf8_lossy(line);
        if let Some(sfen) = text.strip_prefix("sfen ") {
            entries.extend(current.take().map(|(entry, _)| entry));
            match position(game, sfen) {
                Ok(read) => current = Some(read),
                Err(why) => problems.note(|| format!("line {number}: {why}")),
            }
        } else if let Some(comment) = text.strip_prefix("//").or_else(|| text.strip_prefix('#')) {
            if let Some((entry, _)) = &mut current {
                comment_on(entry, comment.trim());
            }
        } else if let Some((entry, position)) = &mut current {
            match read_move(position, &text) {
                Ok(Some(m)) if entry.find(m.mv).is_some() => {
                    problems.note(|| format!("line {number}: {text:?}: the move was there before"));
                }
                Ok(m) => entry.moves.extend(m),
                Err(why) => problems.note(|| format!("line {number}: {text:?}: {why}")),
            }
        } else {
            problems.note(|| format!("line {number}: {text:?} belongs to no position"));
        }
    }
    entries.extend(current.map(|(entry, _)| entry));
    (entries, problems)
}

fn position(game: Game, sfen: &str) -> Result<(Entry, AnyPosition), String> {
    let position = AnyPosition::from_sfen(game, sfen).map_err(|error| error.to_string())?;
    let mut entry = Entry::of(&position).map_err(|error| error.to_string())?;
    let has_ply = sfen.split_ascii_whitespace().count() > 3;
    entry.ply = if has_ply { position.ply() } else { 0 };
    Ok((entry, position))
}

fn comment_on(entry: &mut Entry, comment: &str) {
    let place = match entry.moves.last_mut() {
        Some(m) => &mut m.comment,
        None => &mut entry.comment,
    };
    *place = Some(match place.take() {
        Some(before) => format!("{before}\n{comment}").into(),
        None => comment.into(),
    });
}

/// A move with what follows it; nothing for the words that mean no move.
fn read_move(position: &AnyPosition, line: &str) -> Result<Option<BookMove>, String> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    if ["none", "None", "resign"].contains(&first) {
        return Ok(None);
    }
    let mv = Move::from_usi(position.game(), first).ok_or("not a move")?;
    if let Some(why) = position.why_illegal(mv) {
        return Err(why.to_owned());
    }
    let reply = words.next().and_then(|word| Move::from_usi(position.game(), word));
    let value = words.next().and_then(|word| word.parse().ok());
    let depth = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let count = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    Ok(Some(BookMove { reply, value, depth, count, ..BookMove::new(mv) }))
}

/// What the positions of a file are sorted by: the bytes of the line after `sfen` up to the number of the move. With the number
/// the order is the same, but the same position at two numbers would be two.
pub fn order_of(entry: &Entry, game: Game) -> Result<Vec<u8>, BookError> {
    let mut sfen = entry.position(game)?.sfen();
    sfen.truncate(without_ply(&sfen).len());
    Ok(sfen.into_bytes())
}

/// Board, side to move and hands. Written with a number or without, the order is the same: a space is
/// smaller than everything that can follow.
pub(crate) fn without_ply(sfen: &str) -> &str {
    let third = sfen.match_indices(' ').nth(2);
    third.map_or(sfen, |(at, _)| &sfen[..at])
}

/// Writes a book.
pub struct Writer<W> {
    output: W,
    game: Game,
    losses: Losses,
}

impl<W: Write> Writer<W> {
    /// Begins a book.
    pub fn new(mut output: W, game: Game) -> Result<Self, BookError> {
        writeln!(output, "{FIRST_LINE}")?;
        Ok(Self { output, game, losses: Losses::default() })
    }

    /// Writes a position. The order of the file is the caller's business: see [`order_of`].
    pub fn write(&mut self, entry: &Entry) -> Result<(), BookError> {
        let mut text = String::new();
        let order = order_of(entry, self.game)?;
        let losses = put_text(&mut text, &order, entry, self.game);
        self.write_text(&text, losses)
    }

    /// Writes positions that are text already.
    pub(crate) fn write_text(&mut self, text: &str, losses: Losses) -> Result<(), BookError> {
        self.losses.add(losses);
        Ok(self.output.write_all(text.as_bytes())?)
    }

    /// Ends the book, and says what had no place in it.
    pub fn finish(mut self) -> Result<(W, Losses), BookError> {
        self.output.flush()?;
        Ok((self.output, self.losses))
    }
}

/// A position, sorted by that, as the lines of a file; and what had no place in them.
pub(crate) fn put_text(out: &mut String, order: &[u8], entry: &Entry, game: Game) -> Losses {
    let mut losses = Losses::default();
    let comment = |out: &mut String, comment: Option<&str>| {
        for line in comment.unwrap_or_default().lines() {
            out.extend(["# ", line, "\n"]);
        }
    };
    // Writing to a text cannot fail.
    let _ = writeln!(out, "sfen {} {}", String::from_utf8_lossy(order), entry.ply.max(1));
    comment(out, entry.comment.as_deref());
    for m in &entry.moves {
        m.mv.put_usi(game, out);
        out.push(' ');
        match m.reply {
            Some(reply) => reply.put_usi(game, out),
            None => out.push_str("none"),
        }
        let _ = match m.value {
            Some(value) => write!(out, " {value} {} {}", m.depth, m.count),
            None => write!(out, " none {} {}", m.depth, m.count),
        };
        out.push('\n');
        comment(out, m.comment.as_deref());
        losses.results += u64::from(m.wins > 0 || m.draws > 0);
        losses.sources += u64::from(m.source.is_some());
    }
    losses
}

#[cfg(test)]
mod tests;
