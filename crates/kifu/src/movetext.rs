//! Moves in Japanese: `７六歩(77)` of KIF, `▲５八金右` of KI2 and of engine lines.

use crate::notation::{self, MARKS};
use crate::relative::{self, Relative, Unresolved};
use rules::{AnyPosition, Color, Game, Kind, Move, Square};

/// A move as written, before it is looked for on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Written {
    /// `None` for 同: where the last move went.
    to: Option<Square>,
    kind: Kind,
    words: Relative,
    promote: bool,
    from: Option<Square>,
}

/// Why a text is not a move of the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAMove {
    /// It does not read as a move at all.
    #[error("is not a move")]
    Unreadable,
    /// It reads as a move, but not as a legal one.
    #[error("is not legal there")]
    Illegal,
    /// More than one move fits.
    #[error("could be several moves")]
    Ambiguous,
}

/// Reads a move of the side to move. `last` is the move before, which 同 refers to.
pub(crate) fn read(pos: &AnyPosition, last: Option<Move>, text: &str) -> Result<Move, NotAMove> {
    let written = parse(pos.game(), text).ok_or(NotAMove::Unreadable)?;
    let to = written.to.or(last.map(Move::to)).ok_or(NotAMove::Illegal)?;
    if let Some(from) = written.from {
        let m = Move::board(from, to, written.promote);
        let named = pos.piece_at(from).kind() == Some(written.kind);
        return if named && pos.is_legal(m) { Ok(m) } else { Err(NotAMove::Illegal) };
    }
    relative::resolve(pos, written.kind, to, written.words, written.promote).map_err(|e| match e {
        Unresolved::Illegal => NotAMove::Illegal,
        Unresolved::Ambiguous => NotAMove::Ambiguous,
    })
}

/// Whether a text reads as a move, legal or not.
pub(crate) fn looks_like_a_move(game: Game, text: &str) -> bool {
    parse(game, text).is_some()
}

fn parse(game: Game, text: &str) -> Option<Written> {
    let text = text.trim().trim_start_matches(MARKS);
    let (body, from) = match text.split_once(['(', '（']) {
        Some((body, origin)) => (body, Some(read_origin(game, origin)?)),
        None => (text, None),
    };
    let mut chars = body.chars().filter(|c| !c.is_whitespace()).peekable();
    let to = match chars.next()? {
        '同' => None,
        file => Some(Square::at(game, notation::digit(file)?, notation::digit(chars.next()?)?)?),
    };
    let kind = match chars.next()? {
        '成' => notation::piece(chars.next()?)?.promoted()?,
        c => notation::piece(c)?,
    };
    let mut written = Written { to, kind, words: Relative::default(), promote: false, from };
    while let Some(c) = chars.next() {
        match c {
            '成' => written.promote = true,
            '不' if chars.next_if_eq(&'成').is_some() => {}
            '生' => {}
            _ if c.is_ascii() || !written.words.read(c) => return None,
            _ => {}
        }
    }
    Some(written)
}

/// The origin after the bracket: `77)`.
fn read_origin(game: Game, text: &str) -> Option<Square> {
    let mut chars = text.chars();
    let (file, rank) = (chars.next()?, chars.next()?);
    let closed = chars.next().is_some_and(|c| matches!(c, ')' | '）'));
    if !closed {
        return None;
    }
    Square::at(game, notation::digit(file)?, notation::digit(rank)?)
}

/// The destination: `７六`, or `同　` if the last move went there too.
fn destination(game: Game, last: Option<Move>, to: Square, same: &str) -> String {
    if last.is_some_and(|l| l.to() == to) { same.to_owned() } else { notation::square(game, to) }
}

/// The move as KIF writes it: `７六歩(77)`, `２三歩打`, `同　銀成(31)`.
pub(crate) fn kif(pos: &AnyPosition, last: Option<Move>, m: Move) -> String {
    let game = pos.game();
    let to = destination(game, last, m.to(), "同　");
    if let Some(kind) = m.dropped() {
        return format!("{to}{}打", notation::piece_in_move(kind));
    }
    let piece = pos.piece_at(m.from()).kind().map_or("", notation::piece_in_move);
    let promotion = if m.is_promotion() { "成" } else { "" };
    let (file, rank) = (m.from().file(game), m.from().rank(game));
    format!("{to}{piece}{promotion}({file}{rank})")
}

/// The move as KI2 writes it, with the mark of its side: `▲５八金右`, `△同　飛成`.
pub(crate) fn ki2(pos: &AnyPosition, last: Option<Move>, m: Move) -> String {
    let mark = if pos.turn() == Color::Black { '▲' } else { '△' };
    let kind = m.dropped().or_else(|| pos.piece_at(m.from()).kind());
    let piece = kind.map_or("", notation::piece_in_move);
    let words = relative::describe(pos, m).kanji();
    let promotion = if m.is_promotion() {
        "成"
    } else if may_promote(pos, m) {
        "不成"
    } else {
        ""
    };
    // 同　銀 but 同銀成, 同成銀, 同銀右: the gap fills a short word to the length of ７六銀.
    let long = piece.chars().count() > 1 || !words.is_empty() || !promotion.is_empty();
    let to = destination(pos.game(), last, m.to(), if long { "同" } else { "同　" });
    format!("{mark}{to}{piece}{words}{promotion}")
}

/// Whether the piece could have promoted with this move.
pub(crate) fn may_promote(pos: &AnyPosition, m: Move) -> bool {
    !m.is_drop() && pos.is_legal(Move::board(m.from(), m.to(), true))
}

/// Reads a line of marked moves (`▲７六歩△３四歩 …`) from a position: the moves, and the text
/// from the first that is none.
pub(crate) fn read_line(pos: &AnyPosition, last: Option<Move>, text: &str) -> (Vec<Move>, String) {
    let mut pos = pos.without_history();
    let (mut last, mut moves, mut rest) = (last, Vec::new(), text);
    while let Some(token) = first_token(rest) {
        // What follows the last move of a line is not marked: it begins after a space.
        let start = token.len() - token.trim_start().len();
        let word = token[start..].find(' ').map_or(token, |end| &token[..start + end]);
        let read = |text| read(&pos, last, text).map(|m| (m, text));
        let Ok((m, used)) = read(token).or_else(|_| read(word)) else { break };
        pos.play(m);
        moves.push(m);
        last = Some(m);
        rest = &rest[used.len()..];
    }
    (moves, rest.trim().to_owned())
}

/// The text up to the next mark.
fn first_token(text: &str) -> Option<&str> {
    let marked = text.trim_start();
    let first = marked.chars().next()?;
    let skip = text.len() - marked.len() + first.len_utf8();
    let end = text[skip..].find(MARKS).map_or(text.len(), |i| skip + i);
    Some(&text[..end])
}

/// Writes a line of moves from a position as people read it: `▲７六歩△３四歩`. The moves must be
/// legal one after the other; `last` is the move before them, which 同 refers to.
pub fn write_line(pos: &AnyPosition, last: Option<Move>, moves: &[Move]) -> String {
    let (mut pos, mut last) = (pos.without_history(), last);
    let mut text = String::new();
    for &m in moves {
        text.push_str(&ki2(&pos, last, m));
        pos.play(m);
        last = Some(m);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_what_they_mean() {
        let pos = AnyPosition::startpos(Game::Shogi);
        for (text, want) in [
            ("７六歩(77)", Ok("7g7f")),
            ("▲76歩", Ok("7g7f")),
            ("７六歩", Ok("7g7f")),
            ("☗５八金右", Ok("4i5h")),
            ("５八金", Err(NotAMove::Ambiguous)),
            ("７五歩(77)", Err(NotAMove::Illegal)),
            ("７六銀(77)", Err(NotAMove::Illegal)),
            ("同　歩", Err(NotAMove::Illegal)),
            ("投了", Err(NotAMove::Unreadable)),
            ("７六歩(7", Err(NotAMove::Unreadable)),
            ("", Err(NotAMove::Unreadable)),
            ("７", Err(NotAMove::Unreadable)),
            ("７六歩x", Err(NotAMove::Unreadable)),
        ] {
            let got = read(&pos, None, text).map(|m| m.usi(Game::Shogi));
            assert_eq!(got, want.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_line_reads_up_to_what_is_no_move() {
        let pos = AnyPosition::startpos(Game::Shogi);
        let (moves, rest) = read_line(&pos, None, "▲７六歩 △３四歩▲２二角成△同　銀 ▲投了");
        assert_eq!(moves.len(), 4);
        assert_eq!(rest, "▲投了");
        assert_eq!(write_line(&pos, None, &moves), "▲７六歩△３四歩▲２二角成△同　銀");
    }

    #[test]
    fn both_notations_read_back_for_every_move() {
        for (game, sfen) in [
            (Game::Shogi, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"),
            (Game::Shogi, "4k4/2B6/2P6/2+P1+P4/2+P+P+P4/4+B4/9/3+R1+R3/4K4 b GSNL4P 1"),
            (Game::Minishogi, "r1s1k/P3b/1P3/5/K1SBR b 2G 1"),
        ] {
            let pos = AnyPosition::from_sfen(game, sfen).unwrap();
            for &m in &pos.legal_moves() {
                for last in [None, Some(m)] {
                    for text in [kif(&pos, last, m), ki2(&pos, last, m)] {
                        assert_eq!(read(&pos, last, &text), Ok(m), "{text}");
                    }
                }
            }
        }
    }
}
