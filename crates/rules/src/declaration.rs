//! Winning by declaration when the king has entered the enemy's camp (宣言勝ち), and the try rule.

use crate::bits::Bits;
use crate::position::Position;
use crate::{Color, Game, Kind, Move, Square, Variant};
use std::fmt;
use std::str::FromStr;

/// Which entering-king rule is in force. Names are those of the `EnteringKingRule` option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Declaration {
    None,
    /// 31 points win (24-point rule).
    Points24,
    /// As `Points24`; in handicap games the missing pieces count for the giver.
    Points24H,
    /// 28 points for Black, 27 for White: the rule of computer-shogi championships.
    Points27,
    /// As `Points27`; in handicap games the missing pieces count for the giver. In even games both
    /// are the same, so this is the rule where nobody names one.
    #[default]
    Points27H,
    /// The king reaching the opponent's king square (5a for Black, 5i for White) wins.
    Try,
}

impl Declaration {
    pub const ALL: [Self; 6] =
        [Self::None, Self::Points24, Self::Points24H, Self::Points27, Self::Points27H, Self::Try];

    /// The option's word for the rule.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NoEnteringKing",
            Self::Points24 => "CSARule24",
            Self::Points24H => "CSARule24H",
            Self::Points27 => "CSARule27",
            Self::Points27H => "CSARule27H",
            Self::Try => "TryRule",
        }
    }

    /// Points the player needs, before any handicap correction.
    const fn points(self, color: Color) -> Option<u32> {
        match (self, color) {
            (Self::None | Self::Try, _) => None,
            (Self::Points24 | Self::Points24H, _) => Some(31),
            (_, Color::Black) => Some(28),
            (_, Color::White) => Some(27),
        }
    }

    /// The same rule with points counted as if nothing were missing.
    #[must_use]
    pub const fn without_handicaps(self) -> Self {
        match self {
            Self::Points24H => Self::Points24,
            Self::Points27H => Self::Points27,
            rule => rule,
        }
    }

    const fn corrects_handicap(self) -> bool {
        matches!(self, Self::Points24H | Self::Points27H)
    }
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A rule name nobody knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownDeclaration(pub String);

impl fmt::Display for UnknownDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Declaration::ALL.map(Declaration::name).join(", ");
        write!(f, "unknown entering-king rule {:?}: expected one of {names}", self.0)
    }
}

impl std::error::Error for UnknownDeclaration {}

impl FromStr for Declaration {
    type Err = UnknownDeclaration;

    fn from_str(s: &str) -> Result<Self, UnknownDeclaration> {
        Self::ALL
            .into_iter()
            .find(|d| d.name().eq_ignore_ascii_case(s))
            .ok_or_else(|| UnknownDeclaration(s.to_owned()))
    }
}

/// What the rule counts for one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeclarationCount {
    /// The king stands in the enemy's three ranks.
    pub king_entered: bool,
    /// Own pieces there besides the king.
    pub pieces: u32,
    /// Points of those pieces and of the hand: 5 for bishop and rook, 1 for the rest.
    pub points: u32,
    /// Points the rule asks for, handicap correction included.
    pub needed: u32,
}

impl<V: Variant> Position<V> {
    /// Whether the side to move wins by declaring (or by the try rule) now.
    pub fn can_declare(&self, rule: Declaration) -> bool {
        if rule == Declaration::Try {
            return self.try_move().is_some();
        }
        // Cheap tests first: nearly every position fails one of them.
        let us = self.turn();
        match self.king(us) {
            Some(king) if V::far_ranks(us, 3).has(king) && !self.in_check() => {}
            _ => return false,
        }
        self.declaration_count(us, rule)
            .is_some_and(|c| c.king_entered && c.pieces >= 10 && c.points >= c.needed)
    }

    /// What counts for `color` under a points rule; `None` if the rule counts nothing or the game
    /// has no declaration.
    pub fn declaration_count(&self, color: Color, rule: Declaration) -> Option<DeclarationCount> {
        let base = rule.points(color)?;
        if V::GAME != Game::Shogi {
            return None;
        }
        let zone = V::far_ranks(color, 3);
        let inside = self.pieces(color) & zone;
        let king = self.pieces_of(color, Kind::King) & zone;
        let pieces = (inside & !king).count();
        let great = self.kind(Kind::Bishop)
            | self.kind(Kind::Rook)
            | self.kind(Kind::Horse)
            | self.kind(Kind::Dragon);
        let hand = self.hand(color);
        let great_in_hand = (hand.count(Kind::Bishop) + hand.count(Kind::Rook)) as u32;
        let points =
            pieces + 4 * (inside & great).count() + hand.total() as u32 + 4 * great_in_hand;
        let given = if rule.corrects_handicap() { u32::from(self.given[color.index()]) } else { 0 };
        Some(DeclarationCount {
            king_entered: king.any(),
            pieces,
            points,
            needed: base.saturating_sub(given),
        })
    }

    /// The king move that wins under the try rule, if it is legal now.
    pub fn try_move(&self) -> Option<Move> {
        if V::GAME != Game::Shogi {
            return None;
        }
        let us = self.turn();
        let goal = match us {
            Color::Black => Square::at(V::GAME, 5, 1)?,
            Color::White => Square::at(V::GAME, 5, 9)?,
        };
        let m = Move::board(self.king(us)?, goal, false);
        (m.from() != goal && self.is_legal(m)).then_some(m)
    }

    /// Points of pieces that each side does not have because they were given as a handicap.
    ///
    /// A position does not say who gave them. The giver is White, as in every handicap game of
    /// USI, unless nothing has been captured yet and it is plainly Black whose pieces are missing.
    pub(crate) fn points_given(&self) -> [u8; 2] {
        let worth = |color: Color| {
            let great = self.kind(Kind::Bishop)
                | self.kind(Kind::Rook)
                | self.kind(Kind::Horse)
                | self.kind(Kind::Dragon);
            let own = self.pieces(color) & !self.kind(Kind::King);
            let hand = self.hand(color);
            let great_in_hand = (hand.count(Kind::Bishop) + hand.count(Kind::Rook)) as u32;
            own.count() + 4 * (own & great).count() + hand.total() as u32 + 4 * great_in_hand
        };
        let (black, white) = (worth(Color::Black), worth(Color::White));
        let missing = 54u32.saturating_sub(black + white) as u8;
        let untouched = self.hand(Color::Black).is_empty() && self.hand(Color::White).is_empty();
        if V::GAME != Game::Shogi {
            [0, 0]
        } else if untouched && white == 27 && black < 27 {
            [missing, 0]
        } else {
            [0, missing]
        }
    }
}
