//! Sets of squares: 81 bits on two 64-bit halves, 25 bits on one 32-bit word.
//!
//! The 9×9 board puts files 1–7 (63 squares) in the low half and files 8–9 (18 squares) in the
//! high half, so that no file is torn: everything along a file is arithmetic on one word.

use crate::Square;
use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// What move generation needs of a set of squares.
pub trait Bits:
    Copy
    + Eq
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Not<Output = Self>
{
    const EMPTY: Self;
    const FULL: Self;

    /// The set of one square.
    fn of(sq: Square) -> Self;
    /// Whether the set is empty.
    fn is_empty(self) -> bool;
    /// Whether the set has a square.
    #[inline]
    fn any(self) -> bool {
        !self.is_empty()
    }
    /// Whether `sq` is in the set.
    fn has(self, sq: Square) -> bool;
    /// How many squares.
    fn count(self) -> u32;
    /// Whether there are two squares or more.
    fn many(self) -> bool;
    /// The first square; the set must not be empty.
    fn first(self) -> Square;
    /// Takes the first square out; the set must not be empty.
    fn pop(&mut self) -> Square;
    /// Every square moved one rank up the board (towards rank 1). The set must have no square on
    /// rank 1.
    fn up(self) -> Self;
    /// Every square moved one rank down. The set must have no square on the last rank.
    fn down(self) -> Self;
    /// All squares of the files on which `pawns` (at most one a file) has none: where the
    /// two-pawn rule allows a drop. One subtraction tests all files of a word at once.
    fn files_without(pawns: Self) -> Self;

    /// A number that differs for different sets, as good as at random.
    fn mix(self) -> u64;
    /// One bit per square: that of square 0 lowest, no gaps.
    fn packed(self) -> u128;

    /// Calls `f` for every square in ascending order.
    #[inline]
    fn each(mut self, mut f: impl FnMut(Square)) {
        while self.any() {
            f(self.pop());
        }
    }
}

/// A set of squares of the 9×9 board.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Bits81 {
    /// Squares 0–62.
    pub lo: u64,
    /// Squares 63–80.
    pub hi: u64,
}

/// Number of squares in the low half.
pub(crate) const LOW: usize = 63;
/// Rank 9 of the seven files of the low half.
const BOTTOM_LO: u64 = 0x4020_1008_0402_0100;
/// Rank 9 of the two files of the high half.
const BOTTOM_HI: u64 = 0x20100;

impl Bits81 {
    /// The set from its 128-bit form (see [`Bits81::raw`]).
    #[inline]
    pub const fn from_raw(raw: u128) -> Self {
        Self { lo: raw as u64, hi: (raw >> 64) as u64 }
    }

    /// Both halves as one number; bit 63 is always clear.
    #[inline]
    pub const fn raw(self) -> u128 {
        (self.hi as u128) << 64 | self.lo as u128
    }
}

impl Debug for Bits81 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bits81({:#x}, {:#x})", self.lo, self.hi)
    }
}

impl Bits for Bits81 {
    const EMPTY: Self = Self { lo: 0, hi: 0 };
    const FULL: Self = Self { lo: (1 << 63) - 1, hi: (1 << 18) - 1 };

    #[inline]
    fn of(sq: Square) -> Self {
        let i = sq.index();
        if i < LOW { Self { lo: 1 << i, hi: 0 } } else { Self { lo: 0, hi: 1 << (i - LOW) } }
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.lo | self.hi == 0
    }

    #[inline]
    fn has(self, sq: Square) -> bool {
        let i = sq.index();
        let (half, bit) = if i < LOW { (self.lo, i) } else { (self.hi, i - LOW) };
        half >> bit & 1 != 0
    }

    #[inline]
    fn count(self) -> u32 {
        self.lo.count_ones() + self.hi.count_ones()
    }

    #[inline]
    fn many(self) -> bool {
        // Bit 63 is free, so the halves can be laid over each other only if both are non-empty;
        // counting is as cheap and plain.
        self.count() > 1
    }

    #[inline]
    fn first(self) -> Square {
        if self.lo != 0 {
            Square::new(self.lo.trailing_zeros() as usize)
        } else {
            Square::new(LOW + self.hi.trailing_zeros() as usize)
        }
    }

    #[inline]
    fn pop(&mut self) -> Square {
        if self.lo != 0 {
            let i = self.lo.trailing_zeros();
            self.lo &= self.lo - 1;
            Square::new(i as usize)
        } else {
            let i = self.hi.trailing_zeros();
            self.hi &= self.hi.wrapping_sub(1);
            Square::new(LOW + i as usize)
        }
    }

    #[inline]
    fn up(self) -> Self {
        Self { lo: self.lo >> 1, hi: self.hi >> 1 }
    }

    #[inline]
    fn down(self) -> Self {
        Self { lo: self.lo << 1, hi: self.hi << 1 }
    }

    #[inline]
    fn files_without(pawns: Self) -> Self {
        // In each group of nine bits: 2^8 - pawn keeps bit 8 only if there was no pawn. Taking
        // that bit, moved to bit 0, from 2^8 again leaves 255 there, and 2^8 elsewhere.
        let lo = ((BOTTOM_LO - pawns.lo) & BOTTOM_LO) >> 8;
        let hi = ((BOTTOM_HI - pawns.hi) & BOTTOM_HI) >> 8;
        Self { lo: BOTTOM_LO ^ (BOTTOM_LO - lo), hi: BOTTOM_HI ^ (BOTTOM_HI - hi) }
    }

    #[inline]
    fn packed(self) -> u128 {
        u128::from(self.lo) | u128::from(self.hi) << LOW
    }

    #[inline]
    fn mix(self) -> u64 {
        (self.lo ^ self.hi << 45).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
            ^ self.hi.wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    #[inline]
    fn each(self, mut f: impl FnMut(Square)) {
        let mut half = self.lo;
        while half != 0 {
            f(Square::new(half.trailing_zeros() as usize));
            half &= half - 1;
        }
        half = self.hi;
        while half != 0 {
            f(Square::new(LOW + half.trailing_zeros() as usize));
            half &= half - 1;
        }
    }
}

macro_rules! halves {
    ($trait:ident, $f:ident, $assign:ident, $fa:ident, $op:tt) => {
        impl $trait for Bits81 {
            type Output = Self;
            #[inline]
            fn $f(self, o: Self) -> Self {
                Self { lo: self.lo $op o.lo, hi: self.hi $op o.hi }
            }
        }
        impl $assign for Bits81 {
            #[inline]
            fn $fa(&mut self, o: Self) {
                *self = *self $op o;
            }
        }
        impl $trait for Bits25 {
            type Output = Self;
            #[inline]
            fn $f(self, o: Self) -> Self {
                Self(self.0 $op o.0)
            }
        }
        impl $assign for Bits25 {
            #[inline]
            fn $fa(&mut self, o: Self) {
                *self = *self $op o;
            }
        }
    };
}
halves!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
halves!(BitOr, bitor, BitOrAssign, bitor_assign, |);
halves!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl Not for Bits81 {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        self ^ Self::FULL
    }
}

/// A set of squares of the 5×5 board.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Bits25(pub u32);

/// Rank 5 of the five files.
const BOTTOM_25: u32 = 0x108_4210;

impl Bits25 {
    /// The set from the geometry tables' wide form.
    #[inline]
    pub const fn from_raw(raw: u128) -> Self {
        Self(raw as u32)
    }
}

impl Debug for Bits25 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bits25({:#x})", self.0)
    }
}

impl Bits for Bits25 {
    const EMPTY: Self = Self(0);
    const FULL: Self = Self((1 << 25) - 1);

    #[inline]
    fn of(sq: Square) -> Self {
        Self(1 << sq.index())
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    fn has(self, sq: Square) -> bool {
        self.0 >> sq.index() & 1 != 0
    }

    #[inline]
    fn count(self) -> u32 {
        self.0.count_ones()
    }

    #[inline]
    fn many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    #[inline]
    fn first(self) -> Square {
        Square::new(self.0.trailing_zeros() as usize)
    }

    #[inline]
    fn pop(&mut self) -> Square {
        let i = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        Square::new(i as usize)
    }

    #[inline]
    fn up(self) -> Self {
        Self(self.0 >> 1)
    }

    #[inline]
    fn down(self) -> Self {
        Self(self.0 << 1)
    }

    #[inline]
    fn packed(self) -> u128 {
        u128::from(self.0)
    }

    #[inline]
    fn mix(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn files_without(pawns: Self) -> Self {
        let free = ((BOTTOM_25 - pawns.0) & BOTTOM_25) >> 4;
        Self(BOTTOM_25 ^ (BOTTOM_25 - free))
    }
}

impl Not for Bits25 {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        self ^ Self::FULL
    }
}
