//! Features of a position, and what a move changes in them.

use crate::list::List;
use crate::{Effects, FeatureSet, View};
use rules::{Bits, Color, Delta, Kind, Position, Variant};

/// Pieces a game has besides kings: the number of features of a complete position.
const fn pieces<V: Variant>() -> usize {
    let mut n = 0;
    let mut kind = 1;
    while kind < Kind::King as usize {
        n += V::PIECES[kind];
        kind += 1;
    }
    n
}

/// How many pieces (not kings) are missing from the game: 0 unless it is a handicap.
pub fn missing<V: Variant>(pos: &Position<V>) -> usize {
    let on_board = (pos.occupied() & !pos.kind(Kind::King)).count() as usize;
    let in_hand: usize = Color::BOTH.iter().map(|&c| pos.hand(c).total()).sum();
    const { pieces::<V>() }.saturating_sub(on_board + in_hand)
}

/// All features of one perspective, appended to `list`: board pieces by square, hands, and the
/// feature of an absent piece once for every piece the game lacks.
pub fn active<V: Variant, F: FeatureSet<V>>(
    pos: &Position<V>,
    perspective: Color,
    list: &mut List<64>,
) {
    let view = View::new::<V, F>(perspective, Color::BOTH.map(|c| pos.king(c)));
    let effects = if F::EFFECT_STRIDE > 0 { Some(Effects::of(pos)) } else { None };
    pos.occupied().each(|sq| {
        if let Some(feature) = view.board::<V, F>(pos.piece_at(sq), sq) {
            let code = effects.as_ref().map_or(0, |e| e.code(perspective, sq));
            list.push(feature + (code * F::EFFECT_STRIDE) as u32);
        }
    });
    for owner in Color::BOTH {
        let hand = pos.hand(owner);
        if hand.is_empty() {
            continue;
        }
        for kind in Kind::HAND {
            for copy in 1..=hand.count(kind) {
                list.push(view.hand::<V>(owner, kind, copy));
            }
        }
    }
    for _ in 0..missing(pos) {
        list.push(view.absent());
    }
}

/// Features a move removes and adds: as many of one as of the other, since every piece that
/// leaves a place arrives at another; two at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    len: usize,
    removed: [u32; 2],
    added: [u32; 2],
}

impl Changes {
    /// Features that are no longer.
    #[inline]
    pub fn removed(&self) -> &[u32] {
        &self.removed[..self.len.min(2)]
    }

    /// Features that are new.
    #[inline]
    pub fn added(&self) -> &[u32] {
        &self.added[..self.len.min(2)]
    }
}

/// What a move changes in one perspective, for sets in which a piece's feature depends on
/// nothing but the piece and the kings, and for moves that leave the view as it is.
#[inline]
pub fn changed<V: Variant, F: FeatureSet<V>>(view: View, delta: &Delta) -> Changes {
    debug_assert!(F::EFFECT_STRIDE == 0);
    let copy = usize::from(delta.copy);
    let mut c = Changes::default();
    let capture = delta.captured.is_some();
    if F::KINGS || delta.placed.kind_index() != Kind::King.index() {
        c.len = 1 + usize::from(capture);
        c.added[0] = view.piece::<V, F>(delta.placed, delta.to);
        c.removed[0] = if delta.lifted.is_some() {
            view.piece::<V, F>(delta.lifted, delta.from)
        } else {
            view.hand_index::<V>(delta.color, delta.placed.kind_index(), copy)
        };
        if capture {
            c.removed[1] = view.piece::<V, F>(delta.captured, delta.to);
            c.added[1] = view.hand_index::<V>(delta.color, delta.captured.kind_index(), copy);
        }
    } else if capture {
        c.len = 1;
        c.removed[0] = view.piece::<V, F>(delta.captured, delta.to);
        c.added[0] = view.hand_index::<V>(delta.color, delta.captured.kind_index(), copy);
    }
    c
}
