//! Entries as a file. Moves name the states they lead to by number, so all positions must have theirs before the first is written: 50 to 70
//! bytes for each are in memory, and nothing else of them.

use super::{OPINIONS, encode, put_bytes, put_field};
use crate::losses::Losses;
use crate::model::key_of_position;
use crate::table::Table;
use crate::{BookError, BookMove, Entry, Header, Key};
use rules::{AnyPosition, Color, Game, Position, Shogi};
use std::io::Write;

/// Bytes of the number of a state without moves, which is written when it is known.
const WIDE: usize = 5;

/// The positions of a book in the order of their keys, before there are numbers for them.
#[derive(Default)]
pub(crate) struct Positions {
    keys: Vec<Key>,
    hashes: Vec<u64>,
}

impl Positions {
    /// None yet, of so many at most.
    pub(crate) fn new(most: usize) -> Self {
        Self { keys: Vec::with_capacity(most), hashes: Vec::with_capacity(most) }
    }

    /// The next positions, with the hashes of [`AnyPosition::key`].
    pub(crate) fn add(&mut self, keys: &[Key], hashes: &[u64]) -> Result<(), BookError> {
        let count = self.keys.len() + keys.len();
        if count > i32::MAX as usize {
            return Err(BookError::Unfit(format!("{count} positions in this format")));
        }
        self.keys.extend(keys);
        self.hashes.extend(hashes);
        Ok(())
    }

    /// Their numbers.
    pub(crate) fn numbers(self, threads: usize) -> Result<Numbers, BookError> {
        Ok(Numbers { table: Table::of(&self.hashes, threads)?, keys: self.keys })
    }
}

/// The numbers of positions: their places among all, which are in the order of their keys.
pub(crate) struct Numbers {
    table: Table,
    keys: Vec<Key>,
}

impl Numbers {
    /// The number of the position with a key, from which those after it are counted.
    fn first(&self, key: &Key) -> usize {
        self.keys.partition_point(|known| known < key)
    }

    /// The hash of the position after a move, if there may be one with it; none after a move that is not legal, which a file may
    /// hold.
    #[inline]
    fn hash_after(&self, position: &Position<Shogi>, m: &BookMove) -> Option<u64> {
        let hash = position.is_legal(m.mv).then(|| position.key_after(m.mv))?;
        self.table.touch(hash).then_some(hash)
    }

    /// The number of the position after a move, which has that hash.
    fn after(
        &self,
        position: &mut Position<Shogi>,
        m: &BookMove,
        hash: u64,
    ) -> Result<Option<u32>, BookError> {
        let mut key = None;
        let found = self.table.find(hash, |number| {
            let key = key.get_or_insert_with(|| {
                position.play(m.mv);
                let key = key_of_position(position);
                position.undo();
                key
            });
            key.as_ref().is_ok_and(|key| self.keys[number as usize] == *key)
        });
        match key {
            Some(Err(error)) => Err(error),
            _ => Ok(found),
        }
    }
}

/// Results of a move that leads out of the book, for which there are states without moves: games, won by Black, by White.
type End = [u64; 3];

/// States as bytes.
#[derive(Default)]
pub(crate) struct Part {
    bytes: Vec<u8>,
    /// Where the number of an end is missing.
    ends: Vec<(usize, End)>,
    losses: Losses,
    /// The number of the next state.
    next: Option<usize>,
    state: Vec<u8>,
    inner: Vec<u8>,
    hashes: Vec<Option<u64>>,
    text: String,
}

impl Part {
    /// Adds the next entry in the order of keys.
    pub(crate) fn push(&mut self, entry: &Entry, numbers: &Numbers) -> Result<(), BookError> {
        let number = self.next.unwrap_or_else(|| numbers.first(&entry.key));
        self.next = Some(number + 1);
        let AnyPosition::Shogi(mut position) = entry.position(Game::Shogi)? else {
            return Err(BookError::Unfit("not a position of shogi".to_owned()));
        };
        let (mut state, mut inner) =
            (std::mem::take(&mut self.state), std::mem::take(&mut self.inner));
        // All of them first: what is looked up for one does not wait for another.
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(entry.moves.iter().map(|m| numbers.hash_after(&position, m)));
        state.clear();
        put_head(&mut state, number, entry, &position);
        let ends = self.ends.len();
        for (m, hash) in entry.moves.iter().zip(&hashes) {
            inner.clear();
            let next = match hash {
                Some(hash) => numbers.after(&mut position, m, *hash)?,
                None => None,
            };
            let end = self.put_move(&mut inner, m, &position, next);
            put_bytes(&mut state, 9, &inner);
            if let Some((at, end)) = end {
                self.ends.push((state.len() - inner.len() + at, end));
            }
        }
        for m in &entry.moves {
            let Some(value) = m.value else {
                self.losses.sources += u64::from(m.source.is_some());
                continue;
            };
            inner.clear();
            put_field(&mut inner, 1, i64::from(value) as u64);
            put_field(&mut inner, 2, u64::from(m.depth));
            put_field(&mut inner, 3, 0);
            put_field(&mut inner, 4, 0);
            self.text.clear();
            m.mv.put_usi(Game::Shogi, &mut self.text);
            put_bytes(&mut inner, 5, self.text.as_bytes());
            put_bytes(&mut inner, 6, m.source.as_deref().unwrap_or_default().as_bytes());
            put_bytes(&mut state, 10, &inner);
        }
        put_bytes(&mut self.bytes, 3, &state);
        let start = self.bytes.len() - state.len();
        self.ends[ends..].iter_mut().for_each(|(at, _)| *at += start);
        (self.state, self.inner, self.hashes) = (state, inner, hashes);
        Ok(())
    }

    /// A move; where the number of a state without moves belongs, if it leads to one.
    fn put_move(
        &mut self,
        out: &mut Vec<u8>,
        m: &BookMove,
        position: &Position<Shogi>,
        next: Option<u32>,
    ) -> Option<(usize, End)> {
        let opinion = m.comment.as_deref().and_then(|c| OPINIONS.iter().position(|o| *o == c));
        self.losses.comments += u64::from(m.comment.is_some() && opinion.is_none());
        self.losses.replies += u64::from(m.reply.is_some());
        self.losses.cut_numbers += u64::from(m.count > i32::MAX as u64);
        put_field(out, 1, i64::from(encode(position, m.mv) as i32) as u64);
        put_field(out, 2, opinion.unwrap_or(0) as u64);
        put_field(out, 3, small(m.count));
        if next.is_none() && (m.wins > 0 || m.draws > 0) {
            let lost = m.count.saturating_sub(m.wins).saturating_sub(m.draws);
            let won = if position.turn() == Color::Black { [m.wins, lost] } else { [lost, m.wins] };
            put_field(out, 4, 0);
            let at = out.len() - 1;
            out.resize(at + WIDE, 0);
            return Some((at, [m.count, won[0], won[1]]));
        }
        put_field(out, 4, next.map_or(-1i64 as u64, u64::from));
        None
    }
}

/// Numbers are signed, of 32 bits.
fn small(number: u64) -> u64 {
    number.min(i32::MAX as u64)
}

fn put_head(out: &mut Vec<u8>, number: usize, entry: &Entry, position: &Position<Shogi>) {
    let sum = |of: fn(&BookMove) -> u64| entry.moves.iter().map(of).fold(0, u64::saturating_add);
    let (games, wins, draws) = (sum(|m| m.count), sum(|m| m.wins), sum(|m| m.draws));
    let lost = games.saturating_sub(wins).saturating_sub(draws);
    let won = if position.turn() == Color::Black { [wins, lost] } else { [lost, wins] };
    let known = wins > 0 || draws > 0;
    put_state(out, number, [games, if known { won[0] } else { 0 }, if known { won[1] } else { 0 }]);
    put_bytes(out, 7, position.sfen().as_bytes());
    if let Some(comment) = &entry.comment {
        put_bytes(out, 8, comment.as_bytes());
    }
}

fn put_state(out: &mut Vec<u8>, number: usize, [games, black, white]: End) {
    put_field(out, 1, number as u64);
    put_field(out, 2, 0);
    put_field(out, 3, 0);
    put_field(out, 4, small(games));
    put_field(out, 5, small(black));
    put_field(out, 6, small(white));
}

/// Writes a book of parts that come in order.
pub(crate) struct Writer<W> {
    output: W,
    positions: usize,
    ends: Vec<End>,
    losses: Losses,
}

impl<W: Write> Writer<W> {
    /// Begins a book of so many positions.
    pub(crate) fn new(
        mut output: W,
        header: &Header,
        numbers: &Numbers,
    ) -> Result<Self, BookError> {
        let mut out = Vec::new();
        put_bytes(&mut out, 1, header.get("author").unwrap_or_default().as_bytes());
        put_bytes(&mut out, 2, header.get("description").unwrap_or_default().as_bytes());
        output.write_all(&out)?;
        let positions = numbers.keys.len();
        Ok(Self { output, positions, ends: Vec::new(), losses: Losses::default() })
    }

    /// Writes the next part.
    pub(crate) fn write(&mut self, mut part: Part) -> Result<(), BookError> {
        self.losses.add(part.losses);
        for (at, end) in part.ends {
            let number = self.positions + self.ends.len();
            if number > i32::MAX as usize {
                return Err(BookError::Unfit(format!("{number} states in this format")));
            }
            // As many bytes whatever the number: there was room for so many.
            for (place, byte) in part.bytes[at..at + WIDE].iter_mut().enumerate() {
                let more = if place + 1 < WIDE { 128 } else { 0 };
                *byte = (number >> (7 * place) & 127) as u8 | more;
            }
            self.ends.push(end);
        }
        Ok(self.output.write_all(&part.bytes)?)
    }

    /// Ends the book, and says what had no place in it.
    pub(crate) fn finish(mut self) -> Result<(W, Losses), BookError> {
        let (mut out, mut state) = (Vec::new(), Vec::new());
        for (number, end) in (self.positions..).zip(&self.ends) {
            state.clear();
            put_state(&mut state, number, *end);
            put_bytes(&mut out, 3, &state);
            if out.len() > 1 << 16 {
                self.output.write_all(&out)?;
                out.clear();
            }
        }
        self.output.write_all(&out)?;
        self.output.flush()?;
        Ok((self.output, self.losses))
    }
}
