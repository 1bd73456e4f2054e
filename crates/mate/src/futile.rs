//! Futile interpositions (無駄合), by definitions one can look up.
//!
//! The game knows no futile moves: the length of a mate counts every legal reply. Composed
//! problems do not count replies that only feed the attacker a piece. There is no agreed
//! definition, so there are three to choose from ([`Futile`]). None of them changes whether there
//! is a mate: a futile reply loses as well.

use rules::{Bits, Move, Position, Variant};
use std::fmt;
use std::str::FromStr;

/// Which interpositions do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Futile {
    /// Every legal reply counts.
    #[default]
    None,
    /// Only mates at a distance: the defender is in check from one slider, every legal reply is a
    /// drop between it and the king, and each of these drops can be taken by that very slider,
    /// promoting or not, giving mate or again a mate at a distance. The line ends with the check.
    /// A drop that merely delays while the king could also step somewhere is counted.
    Distance,
    /// A drop between a checking slider and the king is futile if that very slider can take it at
    /// once and the defender is then mated as soon as it would have been: the drop and its capture
    /// count for nothing. In plies: a position of the defender lasts as long as its longest reply,
    /// and such a drop lasts as long as it does when it is counted, or as long as the position
    /// after its capture, whichever is less.
    Common,
}

impl Futile {
    /// Every definition.
    pub const ALL: [Self; 3] = [Self::None, Self::Distance, Self::Common];

    /// The word for it on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Distance => "distance",
            Self::Common => "common",
        }
    }
}

impl fmt::Display for Futile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no definition's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFutile(String);

impl fmt::Display for UnknownFutile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is none of none, distance, common", self.0)
    }
}

impl std::error::Error for UnknownFutile {}

impl FromStr for Futile {
    type Err = UnknownFutile;

    fn from_str(s: &str) -> Result<Self, UnknownFutile> {
        let known = Self::ALL.into_iter().find(|f| f.name() == s);
        known.ok_or_else(|| UnknownFutile(s.chars().take(40).collect()))
    }
}

/// How many plies of a mating line count where mates at a distance end it.
pub(crate) fn plain_plies<V: Variant>(pos: &Position<V>, line: &[Move]) -> usize {
    let mut pos = pos.without_history();
    for (i, &m) in line.iter().enumerate() {
        pos.play(m);
        if i % 2 == 0 && is_mate_at_a_distance(&mut pos) {
            return i + 1;
        }
    }
    line.len()
}

/// Whether the side to move is mated, or mated at a distance.
pub fn is_mate_at_a_distance<V: Variant>(pos: &mut Position<V>) -> bool {
    let checkers = pos.checkers();
    if checkers.is_empty() {
        return false;
    }
    let replies = pos.legal_moves();
    if replies.iter().any(|m| !m.is_drop()) || checkers.many() {
        return replies.is_empty();
    }
    let slider = checkers.first();
    replies.iter().all(|&drop| {
        pos.play(drop);
        let mated = [true, false].iter().any(|&promote| {
            let take = Move::board(slider, drop.to(), promote);
            pos.is_legal(take) && {
                pos.play(take);
                let mated = is_mate_at_a_distance(pos);
                pos.undo();
                mated
            }
        });
        pos.undo();
        mated
    })
}
