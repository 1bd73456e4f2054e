//! Squares, numbered file by file from Black's right: `(file - 1) * ranks + (rank - 1)`.
//!
//! On 9×9 this is the numbering of every engine of the field (1a = 0, 1b = 1, … 9i = 80). On 5×5
//! the same rule gives 0 to 24. A `Square` does not carry its game: what needs file and rank
//! takes [`Game`] (or the `Variant`) beside it.

use crate::Game;

/// A square of either board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// No square: the place of a king that is not on the board.
    pub const NONE: Self = Self(127);

    /// The square with this number. The caller vouches that it is on the board in question.
    #[inline]
    pub const fn new(index: usize) -> Self {
        debug_assert!(index < 81 || index == 127);
        Self(index as u8)
    }

    /// The square on that file and rank, both counted from 1; `None` off the board.
    pub const fn at(game: Game, file: usize, rank: usize) -> Option<Self> {
        let n = game.size();
        if file < 1 || file > n || rank < 1 || rank > n {
            return None;
        }
        Some(Self(((file - 1) * n + rank - 1) as u8))
    }

    /// The number.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is [`Square::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 127
    }

    /// File, counted from 1 at Black's right.
    #[inline]
    pub const fn file(self, game: Game) -> usize {
        self.0 as usize / game.size() + 1
    }

    /// Rank, counted from 1 at White's side.
    #[inline]
    pub const fn rank(self, game: Game) -> usize {
        self.0 as usize % game.size() + 1
    }

    /// The square seen from the other side of the board (turned by 180 degrees).
    #[inline]
    pub const fn rotated(self, game: Game) -> Self {
        Self((game.squares() - 1 - self.0 as usize) as u8)
    }

    /// The square mirrored left to right.
    #[inline]
    pub const fn mirrored(self, game: Game) -> Self {
        let n = game.size();
        let (file, rank) = (self.0 as usize / n, self.0 as usize % n);
        Self(((n - 1 - file) * n + rank) as u8)
    }

    /// USI text such as `7g`.
    pub fn usi(self, game: Game) -> String {
        let mut text = String::with_capacity(2);
        self.put_usi(game, &mut text);
        text
    }

    /// Appends the same. Boards have at most nine files.
    pub(crate) fn put_usi(self, game: Game, out: &mut String) {
        out.push((b'0' + self.file(game) as u8) as char);
        out.push((b'a' + (self.rank(game) - 1) as u8) as char);
    }

    /// Reads USI text such as `7g`.
    pub fn from_usi(game: Game, s: &str) -> Option<Self> {
        let &[file, rank] = s.as_bytes() else { return None };
        if !file.is_ascii_digit() || !rank.is_ascii_lowercase() {
            return None;
        }
        Self::at(game, (file - b'0') as usize, (rank - b'a') as usize + 1)
    }

    /// All squares of the board in order.
    pub fn all(game: Game) -> impl Iterator<Item = Self> {
        (0..game.squares()).map(Self::new)
    }
}
