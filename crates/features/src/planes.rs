//! What policy-value nets see: planes of the board, packed as bits.
//!
//! Planes are made once, here. A packed position is: the board planes as one bit per square,
//! plane after plane without gaps; then the constant planes that are 0 or 1 as one bit each; zero
//! bits up to a whole byte; then the constant planes with other values as 16-bit numbers. Bit 0 of
//! a byte comes first and numbers are little-endian. The order of the planes as a net sees them is
//! in [`Planes::segments`]; docs/planes.md has every set in full.
//!
//! The side to move always sees the board from its own side: for White it is turned around.
//! Squares of a plane are numbered as [`rules::Square`] is.

mod aoba;
mod attacks;
mod dlshogi;
mod minishogi;
mod pal;
mod writer;

#[cfg(test)]
mod tests;

use rules::{Game, Minishogi, Position, Shogi, Variant};
use std::any::Any;

/// A set of planes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Planes {
    /// dlshogi's 62 planes of the board and 57 constant ones.
    Dlshogi,
    /// PAL's 77.
    Pal,
    /// The 318 of Aoba's handicap nets, with five earlier positions.
    Aoba,
    /// dlshogi's idea over the kinds of minishogi.
    Minishogi,
}

/// Planes that follow each other and are packed alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Segment {
    /// So many planes with a bit for every square.
    Boards(usize),
    /// So many planes that are 0 or 1 all over.
    Flags(usize),
    /// Planes with one value all over, packed as whole numbers: what a whole number of one counts
    /// to the net, plane by plane.
    Values(&'static [f32]),
}

impl Segment {
    /// How many planes.
    pub const fn count(self) -> usize {
        match self {
            Self::Boards(n) | Self::Flags(n) => n,
            Self::Values(units) => units.len(),
        }
    }
}

impl Planes {
    pub const ALL: [Self; 4] = [Self::Dlshogi, Self::Pal, Self::Aoba, Self::Minishogi];

    /// The game.
    pub const fn game(self) -> Game {
        match self {
            Self::Dlshogi | Self::Pal | Self::Aoba => Game::Shogi,
            Self::Minishogi => Game::Minishogi,
        }
    }

    /// The name in net files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dlshogi => "dlshogi",
            Self::Pal => "pal",
            Self::Aoba => "aoba",
            Self::Minishogi => "minishogi",
        }
    }

    /// The set with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|planes| planes.name() == name)
    }

    /// All planes, in the order in which a net sees them.
    pub const fn segments(self) -> &'static [Segment] {
        match self {
            Self::Dlshogi => &dlshogi::SEGMENTS,
            Self::Pal => &pal::SEGMENTS,
            Self::Aoba => &aoba::SEGMENTS,
            Self::Minishogi => &minishogi::SEGMENTS,
        }
    }

    /// How many planes with a bit per square, flags, and values.
    const fn parts(self) -> [usize; 3] {
        let segments = self.segments();
        let mut parts = [0; 3];
        let mut i = 0;
        while i < segments.len() {
            match segments[i] {
                Segment::Boards(n) => parts[0] += n,
                Segment::Flags(n) => parts[1] += n,
                Segment::Values(units) => parts[2] += units.len(),
            }
            i += 1;
        }
        parts
    }

    /// How many planes a net sees.
    pub const fn count(self) -> usize {
        let [boards, flags, values] = self.parts();
        boards + flags + values
    }

    /// Bytes of a packed position.
    pub const fn bytes(self) -> usize {
        let [boards, flags, values] = self.parts();
        (boards * self.game().squares() + flags).div_ceil(8) + 2 * values
    }

    /// Packs a position.
    ///
    /// # Panics
    /// If the position is of another game or `out` is not [`Planes::bytes`] long.
    pub fn pack<V: Variant>(self, position: &Position<V>, out: &mut [u8]) {
        assert_eq!(self.game(), V::GAME, "planes {} are for another game", self.name());
        assert_eq!(out.len(), self.bytes(), "bytes of planes {}", self.name());
        // By name of the game, so that they are compiled here once and not in every room that packs.
        let position: &dyn Any = position;
        if let Some(position) = position.downcast_ref() {
            self.pack_shogi(position, out);
        } else if let Some(position) = position.downcast_ref() {
            minishogi::pack::<Minishogi>(position, out);
        }
    }

    fn pack_shogi(self, position: &Position<Shogi>, out: &mut [u8]) {
        match self {
            Self::Dlshogi => dlshogi::pack(position, out),
            Self::Pal => pal::pack(position, out),
            Self::Aoba => aoba::pack(position, out),
            Self::Minishogi => unreachable!("planes of another game"),
        }
    }

    /// Unpacks a position into `count` planes of one number per square: the definition of the
    /// packing. Back-ends do the same in ways of their own.
    ///
    /// # Panics
    /// If a slice has another length.
    pub fn unpack(self, packed: &[u8], out: &mut [f32]) {
        let squares = self.game().squares();
        assert_eq!(packed.len(), self.bytes(), "bytes of planes {}", self.name());
        assert_eq!(out.len(), self.count() * squares, "numbers of planes {}", self.name());
        let bit = |at: usize| f32::from(packed[at / 8] >> (at % 8) & 1);
        let [boards, flags, _] = self.parts();
        let (mut board, mut flag) = (0, boards * squares);
        let mut value = (boards * squares + flags).div_ceil(8);
        let mut planes = out.chunks_exact_mut(squares);
        for &segment in self.segments() {
            for (number, plane) in planes.by_ref().take(segment.count()).enumerate() {
                match segment {
                    Segment::Boards(_) => {
                        plane.iter_mut().zip(board..).for_each(|(x, at)| *x = bit(at));
                        board += squares;
                    }
                    Segment::Flags(_) => {
                        plane.fill(bit(flag));
                        flag += 1;
                    }
                    Segment::Values(units) => {
                        let n = u16::from_le_bytes([packed[value], packed[value + 1]]);
                        plane.fill(f32::from(n) * units[number]);
                        value += 2;
                    }
                }
            }
        }
    }
}
