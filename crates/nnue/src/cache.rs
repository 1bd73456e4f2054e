//! Accumulators remembered for every own king square (and rank of the other king, where that
//! matters), with the position each was computed for.
//!
//! When a king moves, all features of its owner change. But somewhere in the tree that king has
//! stood on that square before, with nearly the same pieces around: the accumulator remembered
//! for the square plus the difference of the two positions is the new one.

use features::{Effects, FeatureSet, List, View};
use rules::{Bits, Color, Hand, Kind, Piece, Position, Square, Variant};
use simd::AlignedVec;

use crate::net::Net;

/// 81 squares in words of eight.
const WORDS: usize = 11;
/// Room for every feature of two unrelated positions.
type Features = List<128>;

/// A position as the cache compares it: one byte a square, eight squares at a time.
#[derive(Clone, Copy)]
pub(crate) struct Snapshot {
    pieces: [u8; 8 * WORDS],
    /// Attacks on pieces (3 · Black's + White's), for sets that have them.
    effects: [u8; 8 * WORDS],
    hands: [Hand; 2],
    kings: [Option<Square>; 2],
    missing: u8,
}

impl Snapshot {
    const EMPTY: Self = Self {
        pieces: [0; 8 * WORDS],
        effects: [0; 8 * WORDS],
        hands: [Hand::EMPTY; 2],
        kings: [None; 2],
        missing: 0,
    };

    #[inline]
    pub(crate) fn of<V: Variant, F: FeatureSet<V>>(pos: &Position<V>) -> Self {
        let mut s = Self::EMPTY;
        for (i, byte) in s.pieces[..V::SQUARES].iter_mut().enumerate() {
            *byte = pos.piece_at(Square::new(i)).index() as u8;
        }
        if F::EFFECT_STRIDE > 0 {
            let effects = Effects::of(pos);
            (pos.occupied() & !pos.kind(Kind::King)).each(|sq| {
                s.effects[sq.index()] = effects.code(Color::Black, sq) as u8;
            });
        }
        s.hands = Color::BOTH.map(|c| pos.hand(c));
        s.kings = Color::BOTH.map(|c| pos.king(c));
        s.missing = features::missing(pos) as u8;
        s
    }
}

fn word(bytes: &[u8; 8 * WORDS], i: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[8 * i..8 * i + 8]);
    u64::from_le_bytes(eight)
}

fn piece(byte: u8) -> Piece {
    // Bytes came from pieces, so the kind is known and the colour is bit 4.
    let color = if byte & 16 == 0 { Color::Black } else { Color::White };
    Kind::from_index(usize::from(byte & 15)).map_or(Piece::NONE, |kind| Piece::new(color, kind))
}

/// The cache of one thread.
pub(crate) struct Cache {
    snapshots: Vec<Snapshot>,
    accumulators: AlignedVec<i16>,
    added: Features,
    removed: Features,
}

impl Cache {
    /// A cache that knows only the empty board, for which every accumulator is the biases.
    pub(crate) fn new<V: Variant, F: FeatureSet<V>>(net: &Net<V, F>) -> Self {
        let squares = if F::BY_KING || F::MIRRORED { V::SQUARES } else { 1 };
        let ranks = if F::BY_OTHER_KING { V::SIZE } else { 1 };
        let entries = 2 * squares * ranks;
        let biases = &net.transformer().biases;
        let mut accumulators = AlignedVec::zeroed(entries * biases.len());
        for entry in accumulators.chunks_exact_mut(biases.len()) {
            entry.copy_from_slice(biases);
        }
        Self {
            snapshots: vec![Snapshot::EMPTY; entries],
            accumulators,
            added: Features::new(),
            removed: Features::new(),
        }
    }

    /// The accumulator of a position for one side, written to `out`.
    pub(crate) fn refresh<V: Variant, F: FeatureSet<V>>(
        &mut self,
        net: &Net<V, F>,
        new: &Snapshot,
        side: Color,
        out: &mut [i16],
    ) {
        let view = View::new::<V, F>(side, new.kings);
        let square = |side: Color| new.kings[side.index()].map_or(0, Square::index);
        let mut place = if F::BY_KING || F::MIRRORED { square(side) } else { 0 };
        if F::BY_OTHER_KING {
            place = place * V::SIZE + square(side.opponent()) % V::SIZE;
        }
        let entry = 2 * place + side.index();
        self.compare::<V, F>(view, entry, new);
        self.snapshots[entry] = *new;
        let l0 = out.len();
        let acc = &mut self.accumulators[entry * l0..][..l0];
        let rows = &net.transformer().weights;
        net.layers().update_in_place(acc, rows, &self.added, &self.removed);
        out.copy_from_slice(acc);
    }

    /// Collects the features in which a new position differs from the remembered one.
    fn compare<V: Variant, F: FeatureSet<V>>(&mut self, view: View, entry: usize, new: &Snapshot) {
        let old = &self.snapshots[entry];
        let (added, removed) = (&mut self.added, &mut self.removed);
        added.clear();
        removed.clear();
        for i in 0..V::SQUARES.div_ceil(8) {
            let mut differ = word(&old.pieces, i) ^ word(&new.pieces, i);
            if F::EFFECT_STRIDE > 0 {
                differ |= word(&old.effects, i) ^ word(&new.effects, i);
            }
            while differ != 0 {
                let byte = differ.trailing_zeros() as usize / 8;
                differ &= !(0xFF << (8 * byte));
                let at = 8 * i + byte;
                removed_or_added::<V, F>(view, old, at, removed);
                removed_or_added::<V, F>(view, new, at, added);
            }
        }
        for owner in Color::BOTH {
            let (before, now) = (old.hands[owner.index()], new.hands[owner.index()]);
            if before == now {
                continue;
            }
            for kind in Kind::HAND {
                let (before, now) = (before.count(kind), now.count(kind));
                for copy in before + 1..=now {
                    added.push(view.hand::<V>(owner, kind, copy));
                }
                for copy in now + 1..=before {
                    removed.push(view.hand::<V>(owner, kind, copy));
                }
            }
        }
        for _ in old.missing..new.missing {
            added.push(view.absent());
        }
        for _ in new.missing..old.missing {
            removed.push(view.absent());
        }
    }
}

#[inline]
fn removed_or_added<V: Variant, F: FeatureSet<V>>(
    view: View,
    snapshot: &Snapshot,
    at: usize,
    list: &mut Features,
) {
    if let Some(feature) = view.board::<V, F>(piece(snapshot.pieces[at]), Square::new(at)) {
        let code = usize::from(snapshot.effects[at]);
        let code = match view.perspective() {
            Color::Black => code,
            Color::White => code % 3 * 3 + code / 3,
        };
        list.push(feature + (code * F::EFFECT_STRIDE) as u32);
    }
}
