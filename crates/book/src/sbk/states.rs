//! Where the states of a file lie, and what moves that lead to them need to know: some thirty bytes for each.

use super::{Field, each};
use crate::bytes::{ReadAt, Taker, bytes_at};
use crate::losses::Problems;
use crate::parallel::in_order;
use crate::{BookError, Format, Header};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

/// Bytes read at a time.
const PIECE: u64 = 1 << 20;
/// Most bytes before a message: a tag and a length.
const HEAD: usize = 20;

/// A state.
#[derive(Clone, Copy, Default)]
pub(super) struct Span {
    pub(super) at: u64,
    pub(super) length: u32,
    pub(super) games: u32,
    /// By Black, by White.
    pub(super) won: [u32; 2],
    /// It says which position it is.
    pub(super) has_position: bool,
    /// There are moves, values or a comment.
    pub(super) says_something: bool,
    /// One before it has the same number.
    pub(super) is_double: bool,
}

/// The states of a file.
#[derive(Default)]
pub(super) struct States {
    spans: Vec<Span>,
    /// Places by number, where these are not the same.
    places: Option<HashMap<i64, u32>>,
    numbers: Vec<i32>,
}

impl States {
    /// Reads through a file, on so many threads: what it says about itself, and its states.
    pub(super) fn of(
        input: &dyn ReadAt,
        threads: usize,
        header: &mut Header,
        problems: &mut Problems,
    ) -> Result<Self, BookError> {
        let mut states = Self::default();
        let pieces = Pieces { input, at: 0, end: input.length()? };
        if pieces.end == 0 {
            return Err(not_a_book());
        }
        in_order(
            threads,
            pieces,
            |piece| look(&piece),
            |looked| {
                header.pairs.extend(looked.pairs);
                looked.states.into_iter().try_for_each(|(number, span)| states.push(number, span))
            },
        )?;
        if let Some(places) = &states.places {
            for (place, span) in states.spans.iter_mut().enumerate() {
                let number = i64::from(states.numbers[place]);
                if places.get(&number).is_some_and(|&first| first as usize != place) {
                    span.is_double = true;
                    problems.note(|| format!("state {number}: there are two"));
                }
            }
        }
        Ok(states)
    }

    fn push(&mut self, number: i32, span: Span) -> Result<(), BookError> {
        let place = u32::try_from(self.spans.len()).ok().filter(|&place| place < u32::MAX);
        let place = place.ok_or_else(|| BookError::Unfit("more states than numbers".to_owned()))?;
        if self.places.is_none() && i64::from(number) != i64::from(place) {
            let before = (0..place).map(|place| (i64::from(place), place));
            self.places = Some(before.collect());
            self.numbers = (0..place as i32).collect();
        }
        if let Some(places) = &mut self.places {
            if let Slot::Vacant(slot) = places.entry(i64::from(number)) {
                slot.insert(place);
            }
            self.numbers.push(number);
        }
        self.spans.push(span);
        Ok(())
    }

    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The place of the state with a number.
    pub(super) fn place(&self, number: i64) -> Option<u32> {
        match &self.places {
            Some(places) => places.get(&number).copied(),
            None => u32::try_from(number).ok().filter(|&n| (n as usize) < self.spans.len()),
        }
    }

    /// The number of the state at a place.
    pub(super) fn number(&self, place: u32) -> i64 {
        self.numbers.get(place as usize).map_or(i64::from(place), |&number| i64::from(number))
    }
}

pub(super) fn not_a_book() -> BookError {
    BookError::not(Format::Sbk, "not a message of Protocol Buffers, or cut off")
}

/// Some whole fields of a file, and where they begin.
struct Piece {
    at: u64,
    bytes: Vec<u8>,
}

struct Pieces<'a> {
    input: &'a dyn ReadAt,
    at: u64,
    end: u64,
}

impl Pieces<'_> {
    fn piece(&mut self) -> Result<Piece, BookError> {
        let mut wanted = PIECE;
        loop {
            let length = wanted.min(self.end - self.at);
            let mut bytes = bytes_at(self.input, self.at, length as usize)?;
            let is_last = self.at + length == self.end;
            let (whole, needed) = whole_fields(&bytes).ok_or_else(not_a_book)?;
            if whole == 0 {
                // One field is longer than all that was read.
                if is_last || needed > self.end - self.at {
                    return Err(not_a_book());
                }
                wanted = needed;
                continue;
            }
            if is_last && whole < bytes.len() && needed > (bytes.len() - whole) as u64 {
                return Err(not_a_book());
            }
            bytes.truncate(whole);
            let at = self.at;
            self.at += whole as u64;
            return Ok(Piece { at, bytes });
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Result<Piece, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.at < self.end).then(|| self.piece())
    }
}

/// How many bytes whole fields take, and how many the one after them does, as far as can be told; `None` where there is none.
fn whole_fields(bytes: &[u8]) -> Option<(usize, u64)> {
    let mut from = Taker::new(bytes);
    loop {
        let start = from.at;
        if from.is_empty() {
            return Some((start, 0));
        }
        let is_cut = bytes.len() - start < HEAD;
        let cut = Some((start, (bytes.len() - start) as u64 + 1));
        let Some(tag) = from.number() else { return if is_cut { cut } else { None } };
        let length = match tag & 7 {
            0 => match from.number() {
                Some(_) => 0,
                None => return if is_cut { cut } else { None },
            },
            1 => 8,
            2 => match from.number() {
                Some(length) => length,
                None => return if is_cut { cut } else { None },
            },
            5 => 4,
            _ => return None,
        };
        let taken = usize::try_from(length).ok().and_then(|length| from.take(length));
        if taken.is_none() {
            return Some((start, ((from.at - start) as u64).checked_add(length)?));
        }
    }
}

/// What a piece says.
#[derive(Default)]
struct Looked {
    pairs: Vec<(String, String)>,
    states: Vec<(i32, Span)>,
}

fn look(piece: &Piece) -> Result<Looked, BookError> {
    let mut looked = Looked::default();
    let mut from = Taker::new(&piece.bytes);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    while !from.is_empty() {
        let (number, field) = super::field(&mut from).ok_or_else(not_a_book)?;
        match (number, field) {
            (1, Field::Bytes(bytes)) => looked.pairs.push(("author".to_owned(), text(bytes))),
            (2, Field::Bytes(bytes)) => looked.pairs.push(("description".to_owned(), text(bytes))),
            (3, Field::Bytes(bytes)) => {
                let at = piece.at + (from.at - bytes.len()) as u64;
                let (number, span) = span_of(bytes, at).ok_or_else(not_a_book)?;
                looked.states.push((number, span));
            }
            _ => {}
        }
    }
    Ok(looked)
}

fn span_of(bytes: &[u8], at: u64) -> Option<(i32, Span)> {
    let small = |n: u64| n.min(i32::MAX as u64) as u32;
    let (mut number, length) = (0, u32::try_from(bytes.len()).ok()?);
    let mut span = Span { at, length, ..Span::default() };
    each(bytes, |field_number, field| {
        match (field_number, field) {
            (1, Field::Number(n)) => number = n as i32,
            (4, Field::Number(n)) => span.games = small(n),
            (5, Field::Number(n)) => span.won[0] = small(n),
            (6, Field::Number(n)) => span.won[1] = small(n),
            (7, Field::Bytes(bytes)) => span.has_position = !bytes.trim_ascii().is_empty(),
            (8, Field::Bytes(bytes)) => span.says_something |= !bytes.is_empty(),
            (9 | 10, Field::Bytes(_)) => span.says_something = true,
            _ => {}
        }
        Some(())
    })?;
    Some((number, span))
}
