//! ShogiGUI's books (docs/formats/book-sbk.md): Protocol Buffers, read and written piece by piece.
//!
//! States know each other by number, which is their place in the file. The keys of boards and hands are
//! 0, as in the books of the converter by ShogiGUI's author: who reads such a book finds positions by
//! their text and by the moves that lead to them.
//!
//! | file | holds |
//! |---|---|
//! | `read` | a file as entries |
//! | `states` | where the states of a file lie, and what moves into them need to know |
//! | `write` | entries as a file |

mod read;
mod states;
#[cfg(test)]
mod tests;
mod write;

pub use read::SbkBook;
pub(crate) use write::{Part, Positions, Writer};

use crate::bytes::{Taker, put_number};
use rules::{Color, Game, Kind, Move, Position, Shogi, Square};

/// Kinds by their number in a move.
const KINDS: [Kind; 8] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::Silver,
    Kind::Gold,
    Kind::Bishop,
    Kind::Rook,
    Kind::King,
];
/// The numbers of kinds in a move, by kind; promoted ones have eight more.
const NUMBERS: [u32; 16] = {
    let mut numbers = [0; 16];
    let mut plain = 0;
    while plain < KINDS.len() {
        numbers[KINDS[plain].index()] = plain as u32 + 1;
        if let Some(promoted) = KINDS[plain].promoted() {
            numbers[promoted.index()] = plain as u32 + 9;
        }
        plain += 1;
    }
    numbers
};
/// What somebody thought of a move, by number, as comments say it.
const OPINIONS: [&str; 5] = ["", "forced", "good", "bad", "blunder"];

/// A field: its number and what it holds.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn field<'a>(from: &mut Taker<'a>) -> Option<(u64, Field<'a>)> {
    let tag = from.number()?;
    let field = match tag & 7 {
        0 => Field::Number(from.number()?),
        1 => Field::Number(from.u64()?),
        2 => {
            let length = usize::try_from(from.number()?).ok()?;
            Field::Bytes(from.take(length)?)
        }
        5 => Field::Number(u64::from(from.u32()?)),
        _ => return None,
    };
    Some((tag >> 3, field))
}

/// Takes a message apart, field by field.
fn each<'a>(bytes: &'a [u8], mut take: impl FnMut(u64, Field<'a>) -> Option<()>) -> Option<()> {
    let mut from = Taker::new(bytes);
    while !from.is_empty() {
        let (number, field) = field(&mut from)?;
        take(number, field)?;
    }
    Some(())
}

/// The move of a code: bits 0–3 rank and 4–7 file it comes from (file 0: a drop), 8–11 and 12–15 where
/// it goes, 19 promotion, 24–27 the piece.
fn decode(code: u32) -> Option<Move> {
    let part = |shift: u32| (code >> shift & 15) as usize;
    let to = Square::at(Game::Shogi, part(12), part(8))?;
    if part(4) == 0 {
        let kind = *KINDS.get(part(24).checked_sub(1)?)?;
        return (kind != Kind::King).then(|| Move::drop(kind, to));
    }
    let from = Square::at(Game::Shogi, part(4), part(0))?;
    (from != to).then(|| Move::board(from, to, code >> 19 & 1 == 1))
}

fn encode(position: &Position<Shogi>, mv: Move) -> u32 {
    let game = Game::Shogi;
    let number = |kind: Kind| NUMBERS[kind.index()];
    let to = mv.to();
    let mut code = (to.rank(game) as u32) << 8 | (to.file(game) as u32) << 12;
    let piece = mv.dropped().or_else(|| position.piece_at(mv.from()).kind());
    code |= piece.map_or(0, number) << 24;
    if !mv.is_drop() {
        code |= mv.from().rank(game) as u32 | (mv.from().file(game) as u32) << 4;
        code |= u32::from(mv.is_promotion()) << 19;
        code |= position.piece_at(to).kind().map_or(0, number) << 20;
    }
    if position.turn() == Color::White { code | 1 << 28 | 1 << 31 } else { code }
}

fn put_field(out: &mut Vec<u8>, number: u64, value: u64) {
    put_number(out, number << 3);
    put_number(out, value);
}

fn put_bytes(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    put_number(out, number << 3 | 2);
    put_number(out, bytes.len() as u64);
    out.extend(bytes);
}
