//! The two games as two types, and what differs between them.

use crate::bits::{Bits, Bits25, Bits81};
use crate::geometry::{self, RingAttackers, Tables, tables};
use crate::movegen::{self, Gen};
use crate::sfen::{self, Kings, SfenError};
use crate::sliding;
use crate::{AnyPosition, Color, Game, Kind, MoveList, Position, Square};
use std::fmt::Debug;
use std::ops::{Index, IndexMut};

mod sealed {
    /// Nobody else can add a game: the set of two is part of the design.
    pub trait Sealed {}
    impl Sealed for super::Shogi {}
    impl Sealed for super::Minishogi {}
}

/// One value per square of the board (stable Rust has no `[T; V::SQUARES]`).
pub trait PerSquare<T>:
    Index<usize, Output = T> + IndexMut<usize> + AsRef<[T]> + Clone + Debug + Send + Sync
{
}

impl<T: Clone + Debug + Send + Sync, const N: usize> PerSquare<T> for [T; N] {}

/// A page of facts about one game. Exactly two types implement it.
pub trait Variant: sealed::Sealed + Copy + Clone + Default + Debug + Send + Sync + 'static {
    /// The same fact as a run-time value.
    const GAME: Game;
    /// Files, and ranks: both boards are square.
    const SIZE: usize;
    const SQUARES: usize;
    /// How many ranks at the far side promote.
    const PROMOTION_RANKS: usize;
    /// How many pieces of each kind the game has, by kind number (unpromoted).
    const PIECES: [usize; 9];
    /// Fourfold repetition loses for Black (minishogi) instead of drawing.
    const REPETITION_LOSES_FOR_BLACK: bool;
    const START: &'static str;
    /// Sets of squares.
    type Bits: Bits;
    /// One value per square.
    type PerSquare<T: Copy + Debug + Send + Sync>: PerSquare<T>;

    /// An array with the same value everywhere.
    fn filled<T: Copy + Debug + Send + Sync>(value: T) -> Self::PerSquare<T>;
    /// Where a piece goes on an empty board.
    fn reach(color: Color, kind: Kind, sq: Square) -> Self::Bits;
    /// Squares strictly between two squares of one line.
    fn between(a: Square, b: Square) -> Self::Bits;
    /// The whole line through two squares; empty if they share none.
    fn line(a: Square, b: Square) -> Self::Bits;
    /// Squares at most two king's steps away, the square itself left out: from anywhere else no
    /// piece but a knight or a slider attacks a square next to it.
    fn near(sq: Square) -> Self::Bits;
    /// From where pieces of that colour attack a square next to `sq` on an empty board.
    fn ring_attackers(color: Color, sq: Square) -> &'static RingAttackers<Self::Bits>;
    /// The first `count` ranks as that colour sees the far side of the board.
    fn far_ranks(color: Color, count: usize) -> Self::Bits;
    /// Squares a lance attacks.
    fn lance_attacks(color: Color, sq: Square, occupied: Self::Bits) -> Self::Bits;
    /// Squares a bishop attacks.
    fn bishop_attacks(sq: Square, occupied: Self::Bits) -> Self::Bits;
    /// Squares a rook attacks.
    fn rook_attacks(sq: Square, occupied: Self::Bits) -> Self::Bits;
    /// The position, if it is one of this game.
    fn position(any: AnyPosition) -> Option<Position<Self>>;
    /// The position, for code that is not generic.
    fn any(position: Position<Self>) -> AnyPosition;
    /// Calls the function of this game: long ones are compiled once a game in the crate they stand in,
    /// and not again in every crate that calls them.
    fn by_game<R>(
        position: &Position<Self>,
        shogi: fn(&Position<Shogi>) -> R,
        minishogi: fn(&Position<Minishogi>) -> R,
    ) -> R;
    /// [`Position::generate`] (`full`) and [`Position::generate_useful`]. Long functions of the
    /// position are asked of the game like this, so that they are compiled here, once for each game,
    /// and not again in every crate that calls them.
    fn generate(position: &Position<Self>, what: Gen, full: bool, list: &mut MoveList);
    /// [`Position::from_sfen_with`].
    fn from_sfen(s: &str, kings: Kings) -> Result<Position<Self>, SfenError>;

    /// Where pieces of that colour may promote.
    #[inline]
    fn promotion_zone(color: Color) -> Self::Bits {
        Self::far_ranks(color, Self::PROMOTION_RANKS)
    }

    /// Squares from which a piece of that kind could never move again.
    #[inline]
    fn dead_zone(color: Color, kind: Kind) -> Self::Bits {
        match kind {
            Kind::Pawn | Kind::Lance => Self::far_ranks(color, 1),
            Kind::Knight => Self::far_ranks(color, 2),
            _ => Self::Bits::EMPTY,
        }
    }

    /// Squares a piece attacks.
    #[inline]
    fn attacks(color: Color, kind: Kind, sq: Square, occupied: Self::Bits) -> Self::Bits {
        match kind {
            Kind::Lance => Self::lance_attacks(color, sq, occupied),
            Kind::Bishop => Self::bishop_attacks(sq, occupied),
            Kind::Rook => Self::rook_attacks(sq, occupied),
            Kind::Horse => Self::bishop_attacks(sq, occupied) | Self::reach(color, Kind::King, sq),
            Kind::Dragon => Self::rook_attacks(sq, occupied) | Self::reach(color, Kind::King, sq),
            _ => Self::reach(color, kind, sq),
        }
    }
}

/// Shogi on 9×9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shogi;

/// Minishogi (5五将棋) on 5×5, with the UEC Cup's rules: one promotion rank, repetition wins for
/// White.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Minishogi;

static TABLES_81: Tables<Bits81, 81> = tables!(Bits81, 9, 81);
static TABLES_25: Tables<Bits25, 25> = tables!(Bits25, 5, 25);

/// The first 0 to 3 ranks seen by each colour.
const fn far_ranks_table(size: usize) -> [[u128; 4]; 2] {
    let mut t = [[0; 4]; 2];
    let mut n = 1;
    while n < 4 {
        t[0][n] = t[0][n - 1] | geometry::rank(size, n - 1);
        t[1][n] = t[1][n - 1] | geometry::rank(size, size - n);
        n += 1;
    }
    t
}
const FAR_81: [[u128; 4]; 2] = far_ranks_table(9);
const FAR_25: [[u128; 4]; 2] = far_ranks_table(5);

macro_rules! from_tables {
    ($tables:ident, $far:ident, $bits:ident, $squares:literal) => {
        type Bits = $bits;
        type PerSquare<T: Copy + Debug + Send + Sync> = [T; $squares];

        fn filled<T: Copy + Debug + Send + Sync>(value: T) -> [T; $squares] {
            [value; $squares]
        }

        #[inline]
        fn reach(color: Color, kind: Kind, sq: Square) -> $bits {
            $tables.reach[color.index()][kind.index()][sq.index()]
        }

        #[inline]
        fn between(a: Square, b: Square) -> $bits {
            $tables.between[a.index()][b.index()]
        }

        #[inline]
        fn line(a: Square, b: Square) -> $bits {
            $tables.line[a.index()][b.index()]
        }

        #[inline]
        fn near(sq: Square) -> $bits {
            $tables.near[sq.index()]
        }

        #[inline]
        fn ring_attackers(color: Color, sq: Square) -> &'static RingAttackers<$bits> {
            &$tables.ring[color.index()][sq.index()]
        }

        #[inline]
        fn far_ranks(color: Color, count: usize) -> $bits {
            $bits::from_raw($far[color.index()][count])
        }
    };
}

impl Variant for Shogi {
    const GAME: Game = Game::Shogi;
    const SIZE: usize = 9;
    const SQUARES: usize = 81;
    const PROMOTION_RANKS: usize = 3;
    const PIECES: [usize; 9] = [0, 18, 4, 4, 4, 2, 2, 4, 2];
    const REPETITION_LOSES_FOR_BLACK: bool = false;
    const START: &'static str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    from_tables!(TABLES_81, FAR_81, Bits81, 81);

    #[inline]
    fn lance_attacks(color: Color, sq: Square, occupied: Bits81) -> Bits81 {
        sliding::lance_81(color, sq, occupied)
    }

    #[inline]
    fn bishop_attacks(sq: Square, occupied: Bits81) -> Bits81 {
        sliding::bishop_81(sq, occupied)
    }

    #[inline]
    fn rook_attacks(sq: Square, occupied: Bits81) -> Bits81 {
        sliding::rook_81(sq, occupied)
    }

    fn position(any: AnyPosition) -> Option<Position<Self>> {
        match any {
            AnyPosition::Shogi(position) => Some(position),
            AnyPosition::Minishogi(_) => None,
        }
    }

    fn any(position: Position<Self>) -> AnyPosition {
        AnyPosition::Shogi(position)
    }

    #[inline]
    fn by_game<R>(
        position: &Position<Self>,
        shogi: fn(&Position<Shogi>) -> R,
        _minishogi: fn(&Position<Minishogi>) -> R,
    ) -> R {
        shogi(position)
    }

    fn generate(position: &Position<Self>, what: Gen, full: bool, list: &mut MoveList) {
        movegen::generate(position, what, full, list);
    }

    fn from_sfen(s: &str, kings: Kings) -> Result<Position<Self>, SfenError> {
        sfen::from_sfen(s, kings)
    }
}

impl Variant for Minishogi {
    const GAME: Game = Game::Minishogi;
    const SIZE: usize = 5;
    const SQUARES: usize = 25;
    const PROMOTION_RANKS: usize = 1;
    const PIECES: [usize; 9] = [0, 2, 0, 0, 2, 2, 2, 2, 2];
    const REPETITION_LOSES_FOR_BLACK: bool = true;
    const START: &'static str = "rbsgk/4p/5/P4/KGSBR b - 1";
    from_tables!(TABLES_25, FAR_25, Bits25, 25);

    #[inline]
    fn lance_attacks(color: Color, sq: Square, occupied: Bits25) -> Bits25 {
        sliding::lance_25(color, sq, occupied)
    }

    #[inline]
    fn bishop_attacks(sq: Square, occupied: Bits25) -> Bits25 {
        sliding::bishop_25(sq, occupied)
    }

    #[inline]
    fn rook_attacks(sq: Square, occupied: Bits25) -> Bits25 {
        sliding::rook_25(sq, occupied)
    }

    fn position(any: AnyPosition) -> Option<Position<Self>> {
        match any {
            AnyPosition::Minishogi(position) => Some(position),
            AnyPosition::Shogi(_) => None,
        }
    }

    fn any(position: Position<Self>) -> AnyPosition {
        AnyPosition::Minishogi(position)
    }

    #[inline]
    fn by_game<R>(
        position: &Position<Self>,
        _shogi: fn(&Position<Shogi>) -> R,
        minishogi: fn(&Position<Minishogi>) -> R,
    ) -> R {
        minishogi(position)
    }

    fn generate(position: &Position<Self>, what: Gen, full: bool, list: &mut MoveList) {
        movegen::generate(position, what, full, list);
    }

    fn from_sfen(s: &str, kings: Kings) -> Result<Position<Self>, SfenError> {
        sfen::from_sfen(s, kings)
    }
}
