//! Moves in 16 bits and lists of them.
//!
//! The encoding is YaneuraOu's: bits 0–6 destination, 7–13 origin (or the kind dropped),
//! 14 drop, 15 promotion. It is what teacher files and tables store.

use crate::{Bits, Game, Kind, Square};
use std::fmt;

const DROP: u16 = 1 << 14;
const PROMOTE: u16 = 1 << 15;

/// A move of either game. Whether it is legal depends on the position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Move(u16);

impl Move {
    pub const NONE: Self = Self(0);
    /// The null move of the search (a pass); never a move of the game.
    pub const NULL: Self = Self(129);

    /// A piece goes from one square to another.
    #[inline]
    pub const fn board(from: Square, to: Square, promote: bool) -> Self {
        Self(to.index() as u16 | (from.index() as u16) << 7 | if promote { PROMOTE } else { 0 })
    }

    /// A piece is dropped from the hand.
    #[inline]
    pub const fn drop(kind: Kind, to: Square) -> Self {
        Self(to.index() as u16 | (kind as u16) << 7 | DROP)
    }

    /// The same drop on another square; for a drop onto square 0.
    #[inline]
    pub(crate) const fn onto(self, to: Square) -> Self {
        Self(self.0 | to.index() as u16)
    }

    /// Destination.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0 & 127) as usize)
    }

    /// Origin of a board move; for a drop use [`Move::dropped`].
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0 >> 7 & 127) as usize)
    }

    /// Whether a piece is dropped.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.0 & DROP != 0
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTE != 0
    }

    /// The kind dropped, if this is a drop.
    #[inline]
    pub const fn dropped(self) -> Option<Kind> {
        if self.is_drop() { Kind::from_index((self.0 >> 7 & 127) as usize) } else { None }
    }

    /// Whether this is a move at all (neither none nor null).
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0 && self.0 != 129
    }

    /// The 16 bits.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// A move from 16 bits that may come from anywhere: `None` if they cannot be a move of the
    /// game (squares off the board, a drop of a king, …). Says nothing about legality.
    pub fn from_bits(game: Game, bits: u16) -> Option<Self> {
        let m = Self(bits);
        let n = game.squares();
        if (bits & 127) as usize >= n {
            return None;
        }
        if m.is_drop() {
            let kind = m.dropped()?;
            (Kind::HAND.contains(&kind) && !m.is_promotion()).then_some(m)
        } else {
            let from = (bits >> 7 & 127) as usize;
            (from < n && from != (bits & 127) as usize).then_some(m)
        }
    }

    /// A move from 16 bits this program wrote itself, unchecked.
    #[inline]
    pub const fn from_bits_unchecked(bits: u16) -> Self {
        Self(bits)
    }

    /// The move of the position turned by 180 degrees with colours swapped.
    pub fn rotated(self, game: Game) -> Self {
        match self.dropped() {
            Some(kind) => Self::drop(kind, self.to().rotated(game)),
            None => {
                Self::board(self.from().rotated(game), self.to().rotated(game), self.is_promotion())
            }
        }
    }

    /// The move of the position mirrored left to right.
    pub fn mirrored(self, game: Game) -> Self {
        match self.dropped() {
            Some(kind) => Self::drop(kind, self.to().mirrored(game)),
            None => Self::board(
                self.from().mirrored(game),
                self.to().mirrored(game),
                self.is_promotion(),
            ),
        }
    }

    /// USI text: `7g7f`, `8h2b+`, `P*5e`; `none` and `null` for what is not a move.
    pub fn usi(self, game: Game) -> String {
        let mut text = String::with_capacity(5);
        self.put_usi(game, &mut text);
        text
    }

    /// Appends the same to a text.
    pub fn put_usi(self, game: Game, out: &mut String) {
        if self == Self::NONE {
            out.push_str("none");
            return;
        }
        if self == Self::NULL {
            out.push_str("null");
            return;
        }
        if let Some(kind) = self.dropped() {
            out.push(kind.letter());
            out.push('*');
            self.to().put_usi(game, out);
            return;
        }
        self.from().put_usi(game, out);
        self.to().put_usi(game, out);
        if self.is_promotion() {
            out.push('+');
        }
    }

    /// Reads USI text. `None` if it is not the text of a move of this game.
    pub fn from_usi(game: Game, s: &str) -> Option<Self> {
        if !s.is_ascii() || s.len() < 4 || s.len() > 5 {
            return None;
        }
        let to = Square::from_usi(game, &s[2..4])?;
        if s.as_bytes()[1] == b'*' {
            let kind = Kind::from_letter(s.as_bytes()[0] as char)?;
            return (s.len() == 4 && kind != Kind::King).then_some(Self::drop(kind, to));
        }
        let from = Square::from_usi(game, &s[0..2])?;
        match &s[4..] {
            "" if from != to => Some(Self::board(from, to, false)),
            "+" if from != to => Some(Self::board(from, to, true)),
            _ => None,
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.usi(Game::Shogi))
    }
}

/// Room for every legal move of any position: the most known for 9×9 is 593.
const CAPACITY: usize = 600;

/// A list of moves that never allocates. Made once and cleared, it costs nothing to reuse.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [Move; CAPACITY],
}

impl MoveList {
    /// An empty list.
    pub const fn new() -> Self {
        Self { len: 0, moves: [Move::NONE; CAPACITY] }
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a move.
    #[inline]
    pub fn push(&mut self, m: Move) {
        self.moves[self.len] = m;
        self.len += 1;
    }

    /// Adds drops (given as drops onto square 0) on every square of a set. The room is checked
    /// once for all of them: in positions full of drops this loop is half of move generation.
    #[inline]
    pub(crate) fn push_drops<B: Bits, const N: usize>(&mut self, squares: B, drops: [Move; N]) {
        let more = squares.count() as usize * N;
        let room = &mut self.moves[self.len..self.len + more];
        let mut chunks = room.as_chunks_mut::<N>().0.iter_mut();
        squares.each(|to| {
            if let Some(chunk) = chunks.next() {
                *chunk = drops.map(|d| d.onto(to));
            }
        });
        self.len += more;
    }

    /// The moves.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len]
    }

    /// The moves, to be reordered.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Move] {
        &mut self.moves[..self.len]
    }

    /// Keeps only the first `len` moves.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Keeps only the moves for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            let m = self.moves[i];
            if keep(m) {
                self.moves[kept] = m;
                kept += 1;
            }
        }
        self.len = kept;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}
