//! Moves as small numbers: which piece, then which of the squares it can go to.
//!
//! The first number (the slot) counts the pieces of the side to move in the order of squares,
//! then the kinds in its hand in the order of their numbers. The second counts the squares the
//! piece attacks that hold no own piece, and then the same squares once more with promotion; for
//! a drop it counts the empty squares. Where only one move of the slot is conceivable there is no
//! second number. Second numbers of steps, of slides and of drops have different statistics, so
//! each goes to a column of its own.
//!
//! Geometry is all this depends on: the numbers mean the same for ever, whatever order moves are
//! generated in. A number among the sorted legal moves is 0.12 bytes smaller after compression but
//! needs every legal move to be counted, which is many times slower to read.

use crate::bytes::ColumnReader;
use rules::{Bits, Kind, Move, Position, Square, Variant};

/// Columns of second numbers.
pub(crate) const CLASSES: usize = 3;
const STEPS: usize = 0;
const SLIDES: usize = 1;
const DROPS: usize = 2;

/// The numbers of a move: slot, and class and number of the destination.
type Code = (u8, Option<(usize, u8)>);

/// What a slot can do.
struct Slot<V: Variant> {
    class: usize,
    targets: V::Bits,
    /// Whether there may be more than one move.
    open: bool,
}

impl<V: Variant> Slot<V> {
    #[inline]
    fn of_piece(pos: &Position<V>, from: Square, kind: Kind) -> Self {
        let us = pos.turn();
        let targets = V::attacks(us, kind, from, pos.occupied()) & !pos.pieces(us);
        let class = match kind {
            Kind::Lance | Kind::Bishop | Kind::Rook | Kind::Horse | Kind::Dragon => SLIDES,
            _ => STEPS,
        };
        let zone = V::promotion_zone(us);
        let open = targets.many()
            || kind.can_promote() && (targets.any() && zone.has(from) || (targets & zone).any());
        Self { class, targets, open }
    }

    #[inline]
    fn of_hand(pos: &Position<V>) -> Self {
        Self { class: DROPS, targets: !pos.occupied(), open: true }
    }
}

/// The numbers of a legal move.
pub(crate) fn encode<V: Variant>(pos: &Position<V>, m: Move) -> Code {
    let us = pos.turn();
    let own = pos.pieces(us);
    let (number, slot) = if let Some(kind) = m.dropped() {
        let before = Kind::HAND.iter().take_while(|&&k| k != kind);
        let held = before.filter(|&&k| pos.hand(us).has(k)).count();
        (own.count() as usize + held, Slot::of_hand(pos))
    } else {
        let kind = pos.piece_at(m.from()).kind().unwrap_or(Kind::King);
        (below(own, m.from()), Slot::of_piece(pos, m.from(), kind))
    };
    let promoted = if m.is_promotion() { slot.targets.count() as usize } else { 0 };
    let second = (below(slot.targets, m.to()) + promoted) as u8;
    (number as u8, slot.open.then_some((slot.class, second)))
}

/// Reads a move; `None` if the numbers are those of no legal move.
#[inline]
pub(crate) fn decode<V: Variant>(
    pos: &Position<V>,
    slots: &mut ColumnReader,
    classes: &mut [ColumnReader; CLASSES],
) -> Option<Move> {
    let us = pos.turn();
    let own = pos.pieces(us);
    let number = u32::from(slots.byte()?);
    let pieces = own.count();
    let m = if number < pieces {
        let from = pick(own, number);
        let slot = Slot::of_piece(pos, from, pos.piece_at(from).kind()?);
        let second = if slot.open { u32::from(classes[slot.class].byte()?) } else { 0 };
        let count = slot.targets.count();
        let promote = second >= count;
        let target = if promote { second - count } else { second };
        if target >= count {
            return None;
        }
        Move::board(from, pick(slot.targets, target), promote)
    } else {
        let hand = pos.hand(us);
        let mut held = Kind::HAND.into_iter().filter(|&k| hand.has(k));
        let kind = held.nth((number - pieces) as usize)?;
        let slot = Slot::of_hand(pos);
        let second = u32::from(classes[DROPS].byte()?);
        if second >= slot.targets.count() {
            return None;
        }
        Move::drop(kind, pick(slot.targets, second))
    };
    pos.is_legal(m).then_some(m)
}

/// How many squares of a set come before `sq`.
fn below<B: Bits>(set: B, sq: Square) -> usize {
    let mut n = 0;
    set.each(|other| n += usize::from(other < sq));
    n
}

/// The square with that number; there must be as many.
#[inline]
fn pick<B: Bits>(mut set: B, number: u32) -> Square {
    for _ in 0..number {
        set.pop();
    }
    set.pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rules::{Kings, Minishogi, Shogi};
    use std::collections::HashSet;

    fn column(bytes: &[u8]) -> ColumnReader {
        ColumnReader { bytes: bytes.to_vec(), at: 0 }
    }

    /// Every legal move reads back, and no two share their numbers.
    fn check<V: Variant>(pos: &Position<V>) {
        let mut seen = HashSet::new();
        for &m in &pos.legal_moves() {
            let (slot, second) = encode(pos, m);
            assert!(seen.insert((slot, second)), "{m:?} in {}", pos.sfen());
            let mut classes: [ColumnReader; CLASSES] = Default::default();
            if let Some((class, number)) = second {
                classes[class].bytes.push(number);
            }
            let read = decode(pos, &mut column(&[slot]), &mut classes);
            assert_eq!(read, Some(m), "{slot} {second:?} in {}", pos.sfen());
            assert!(classes.iter().all(|c| c.at == c.bytes.len()));
        }
    }

    #[test]
    fn hard_positions() {
        for sfen in [
            // 593 moves, a double check, a pawn that would mate, no kings, endless drops.
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            "4r4/9/3b5/4K4/9/9/9/9/4k4 b RB4G4S4N4L18P 1",
            "7lk/7n1/7S1/9/9/9/9/9/4K4 b P2R 1",
            "9/9/3P5/9/9/9/9/9/9 b 2R2B4G4S4N4L17P 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/P7P/4P4/4P4/9/9/9/P8/P3K4 b 3P 1",
        ] {
            check(&Position::<Shogi>::from_sfen_with(sfen, Kings::Lenient).unwrap());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn every_move_of_random_games(choices in prop::collection::vec(any::<u16>(), 1..150)) {
            let mut shogi = Position::<Shogi>::startpos();
            let mut mini = Position::<Minishogi>::startpos();
            for &choice in &choices {
                check(&shogi);
                check(&mini);
                let (a, b) = (shogi.legal_moves(), mini.legal_moves());
                if a.is_empty() || b.is_empty() {
                    break;
                }
                shogi.play(a[usize::from(choice) % a.len()]);
                mini.play(b[usize::from(choice) % b.len()]);
            }
        }

        #[test]
        fn junk_gives_legal_moves_or_none(junk in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut pos = Position::<Shogi>::startpos();
            let mut slots = column(&junk);
            let mut classes = [column(&junk), column(&junk), column(&junk)];
            while let Some(m) = decode(&pos, &mut slots, &mut classes) {
                prop_assert!(pos.is_legal(m));
                pos.play(m);
            }
        }
    }
}
