//! Entries as bytes: what the blocks of our own format and the runs of a sort hold.

use crate::bytes::{Taker, put_number, put_signed, put_text};
use crate::model::MOST_MOVES;
use crate::{BookError, BookMove, Entry, Key};
use rules::{Game, Move};
use std::collections::HashMap;
use std::sync::Arc;

/// What follows the 16 bits of a move.
const VALUE: u8 = 1;
const REPLY: u8 = 2;
const DEPTH: u8 = 4;
const COUNT: u8 = 8;
const RESULTS: u8 = 16;
const COMMENT: u8 = 32;
const SOURCE: u8 = 64;

/// Where moves come from, each text once.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sources {
    list: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u64>,
}

impl Sources {
    pub(crate) fn known(&self, source: &Arc<str>) -> Option<u64> {
        self.numbers.get(source).copied()
    }

    pub(crate) fn number(&mut self, source: &Arc<str>) -> u64 {
        if let Some(number) = self.known(source) {
            return number;
        }
        let number = self.list.len() as u64;
        self.list.push(Arc::clone(source));
        self.numbers.insert(Arc::clone(source), number);
        number
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Arc<str>> {
        self.list.get(usize::try_from(number).ok()?)
    }

    pub(crate) fn list(&self) -> &[Arc<str>] {
        &self.list
    }
}

/// Appends an entry; `number` gives every source its number.
pub(crate) fn put_entry(
    out: &mut Vec<u8>,
    entry: &Entry,
    number: &mut dyn FnMut(&Arc<str>) -> u64,
) -> Result<(), BookError> {
    if entry.moves.len() > MOST_MOVES {
        return Err(BookError::Unfit(format!("{} moves in one position", entry.moves.len())));
    }
    out.extend(entry.key);
    put_number(out, u64::from(entry.ply));
    put_text(out, entry.comment.as_deref().unwrap_or_default())?;
    put_number(out, entry.moves.len() as u64);
    for m in &entry.moves {
        put_move(out, m, number)?;
    }
    Ok(())
}

fn put_move(
    out: &mut Vec<u8>,
    m: &BookMove,
    number: &mut dyn FnMut(&Arc<str>) -> u64,
) -> Result<(), BookError> {
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let flags = flag(m.value.is_some(), VALUE)
        | flag(m.reply.is_some(), REPLY)
        | flag(m.depth != 0, DEPTH)
        | flag(m.count != 0, COUNT)
        | flag(m.wins != 0 || m.draws != 0, RESULTS)
        | flag(m.comment.is_some(), COMMENT)
        | flag(m.source.is_some(), SOURCE);
    out.extend(m.mv.bits().to_le_bytes());
    out.push(flags);
    if let Some(value) = m.value {
        put_signed(out, i64::from(value));
    }
    if let Some(reply) = m.reply {
        out.extend(reply.bits().to_le_bytes());
    }
    if m.depth != 0 {
        put_number(out, u64::from(m.depth));
    }
    if m.count != 0 {
        put_number(out, m.count);
    }
    if flags & RESULTS != 0 {
        put_number(out, m.wins);
        put_number(out, m.draws);
    }
    if let Some(comment) = &m.comment {
        put_text(out, comment)?;
    }
    if let Some(source) = &m.source {
        put_number(out, number(source));
    }
    Ok(())
}

/// Takes an entry; `None` where the bytes are none.
pub(crate) fn take_entry(from: &mut Taker<'_>, game: Game, sources: &Sources) -> Option<Entry> {
    let key = from.array()?;
    let ply = u32::try_from(from.number()?).ok()?;
    let comment = from.text()?;
    let comment = (!comment.is_empty()).then(|| comment.into());
    let count = usize::try_from(from.number()?).ok().filter(|&n| n <= MOST_MOVES)?;
    let moves = (0..count).map(|_| take_move(from, game, sources)).collect::<Option<_>>()?;
    Some(Entry { key, ply, comment, moves })
}

/// How many moves an entry has.
pub(crate) fn move_count(entry: &[u8]) -> Option<u64> {
    let mut from = Taker::new(entry);
    from.take(size_of::<Key>())?;
    from.number()?;
    from.skip_text()?;
    from.number()
}

/// Passes over an entry, and gives its key with the place where the entry begins: what a search needs to
/// know of those it does not want.
pub(crate) fn skip_entry(from: &mut Taker<'_>) -> Option<(Key, usize)> {
    let start = from.at;
    let key = from.array()?;
    from.number()?;
    from.skip_text()?;
    let count = usize::try_from(from.number()?).ok().filter(|&n| n <= MOST_MOVES)?;
    for _ in 0..count {
        from.u16()?;
        let flags = from.byte()?;
        let has = |flag: u8| flags & flag != 0;
        if has(VALUE) {
            from.number()?;
        }
        if has(REPLY) {
            from.u16()?;
        }
        let numbers = u8::from(has(DEPTH)) + u8::from(has(COUNT)) + 2 * u8::from(has(RESULTS));
        for _ in 0..numbers {
            from.number()?;
        }
        if has(COMMENT) {
            from.skip_text()?;
        }
        if has(SOURCE) {
            from.number()?;
        }
    }
    Some((key, start))
}

fn take_move(from: &mut Taker<'_>, game: Game, sources: &Sources) -> Option<BookMove> {
    let mut m = BookMove::new(Move::from_bits(game, from.u16()?)?);
    let flags = from.byte()?;
    if flags & VALUE != 0 {
        m.value = Some(i32::try_from(from.signed()?).ok()?);
    }
    if flags & REPLY != 0 {
        m.reply = Some(Move::from_bits(game, from.u16()?)?);
    }
    if flags & DEPTH != 0 {
        m.depth = u32::try_from(from.number()?).ok()?;
    }
    if flags & COUNT != 0 {
        m.count = from.number()?;
    }
    if flags & RESULTS != 0 {
        (m.wins, m.draws) = (from.number()?, from.number()?);
    }
    if flags & COMMENT != 0 {
        m.comment = Some(from.text()?.into());
    }
    if flags & SOURCE != 0 {
        m.source = Some(Arc::clone(sources.get(from.number()?)?));
    }
    Some(m)
}
