//! Kinds of pieces and coloured pieces, numbered as the whole field does
//! (YaneuraOu, Apery, dlshogi): promotion is `| 8`, White is `+ 16`.

use crate::Color;

/// What a piece is, whoever owns it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// 歩
    Pawn = 1,
    /// 香
    Lance = 2,
    /// 桂
    Knight = 3,
    /// 銀
    Silver = 4,
    /// 角
    Bishop = 5,
    /// 飛
    Rook = 6,
    /// 金
    Gold = 7,
    /// 玉
    King = 8,
    /// と
    ProPawn = 9,
    /// 成香
    ProLance = 10,
    /// 成桂
    ProKnight = 11,
    /// 成銀
    ProSilver = 12,
    /// 馬
    Horse = 13,
    /// 龍
    Dragon = 14,
}

impl Kind {
    pub const ALL: [Self; 14] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
        Self::King,
        Self::ProPawn,
        Self::ProLance,
        Self::ProKnight,
        Self::ProSilver,
        Self::Horse,
        Self::Dragon,
    ];

    /// Kinds that can be held in hand, in the order SFEN writes them.
    pub const SFEN_HAND_ORDER: [Self; 7] =
        [Self::Rook, Self::Bishop, Self::Gold, Self::Silver, Self::Knight, Self::Lance, Self::Pawn];

    /// Kinds that can be held in hand, by number (pawn … rook, gold).
    pub const HAND: [Self; 7] =
        [Self::Pawn, Self::Lance, Self::Knight, Self::Silver, Self::Bishop, Self::Rook, Self::Gold];

    /// The number, 1 to 14.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this number.
    #[inline]
    pub const fn from_index(n: usize) -> Option<Self> {
        // Written out it costs a comparison; through `ALL` a comparison and a load.
        Some(match n {
            1 => Self::Pawn,
            2 => Self::Lance,
            3 => Self::Knight,
            4 => Self::Silver,
            5 => Self::Bishop,
            6 => Self::Rook,
            7 => Self::Gold,
            8 => Self::King,
            9 => Self::ProPawn,
            10 => Self::ProLance,
            11 => Self::ProKnight,
            12 => Self::ProSilver,
            13 => Self::Horse,
            14 => Self::Dragon,
            _ => return None,
        })
    }

    /// Whether this is a promoted kind.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 > 8
    }

    /// Whether an unpromoted piece of this kind has a promoted side.
    #[inline]
    pub const fn can_promote(self) -> bool {
        (self as u8) < 7
    }

    /// The promoted kind, if there is one.
    #[inline]
    pub const fn promoted(self) -> Option<Self> {
        if self.can_promote() { Some(Self::ALL[(self as usize | 8) - 1]) } else { None }
    }

    /// The kind the piece has in hand: promotion undone.
    #[inline]
    pub const fn unpromoted(self) -> Self {
        if self.is_promoted() { Self::ALL[(self as usize & 7) - 1] } else { self }
    }

    /// Gold and everything that moves like it.
    #[inline]
    pub const fn moves_like_gold(self) -> bool {
        matches!(
            self,
            Self::Gold | Self::ProPawn | Self::ProLance | Self::ProKnight | Self::ProSilver
        )
    }

    /// The capital letter of SFEN, without `+`.
    pub const fn letter(self) -> char {
        match self.unpromoted() {
            Self::Pawn => 'P',
            Self::Lance => 'L',
            Self::Knight => 'N',
            Self::Silver => 'S',
            Self::Bishop => 'B',
            Self::Rook => 'R',
            Self::Gold => 'G',
            _ => 'K',
        }
    }

    /// The unpromoted kind of a capital SFEN letter.
    pub const fn from_letter(c: char) -> Option<Self> {
        Some(match c {
            'P' => Self::Pawn,
            'L' => Self::Lance,
            'N' => Self::Knight,
            'S' => Self::Silver,
            'B' => Self::Bishop,
            'R' => Self::Rook,
            'G' => Self::Gold,
            'K' => Self::King,
            _ => return None,
        })
    }
}

/// A coloured piece on a square, or nothing. One byte: kind, plus 16 for White; 0 is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Piece(u8);

impl Piece {
    /// An empty square.
    pub const NONE: Self = Self(0);
    /// One more than the largest piece number: the size of tables indexed by piece.
    pub const COUNT: usize = 31;

    /// The piece of that colour and kind.
    #[inline]
    pub const fn new(color: Color, kind: Kind) -> Self {
        Self(kind as u8 | ((color as u8) << 4))
    }

    /// Whether the square is empty.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether there is a piece.
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The number, 0 to 30.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The kind; `None` for an empty square.
    #[inline]
    pub const fn kind(self) -> Option<Kind> {
        Kind::from_index((self.0 & 15) as usize)
    }

    /// The kind's number without colour: 0 for an empty square, 1 to 14 otherwise.
    #[inline]
    pub const fn kind_index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The owner; `None` for an empty square.
    #[inline]
    pub const fn color(self) -> Option<Color> {
        if self.0 == 0 {
            None
        } else if self.0 & 16 == 0 {
            Some(Color::Black)
        } else {
            Some(Color::White)
        }
    }

    /// Whether this is a piece of that colour.
    #[inline]
    pub const fn is_of(self, color: Color) -> bool {
        self.0 != 0 && (self.0 >> 4) == color as u8
    }

    /// The same piece promoted, or unchanged if it cannot be.
    #[inline]
    pub const fn promoted(self) -> Self {
        if self.0 & 15 < 7 && self.0 != 0 { Self(self.0 | 8) } else { self }
    }

    /// The SFEN text: `P`, `+p`, …; empty for an empty square.
    pub fn sfen(self) -> String {
        let mut text = String::new();
        self.put_sfen(&mut text);
        text
    }

    /// Appends the same.
    pub(crate) fn put_sfen(self, out: &mut String) {
        let (Some(kind), Some(color)) = (self.kind(), self.color()) else { return };
        if kind.is_promoted() {
            out.push('+');
        }
        out.push(match color {
            Color::Black => kind.letter(),
            Color::White => kind.letter().to_ascii_lowercase(),
        });
    }
}
