//! Positions as lists of features, both sides' in a fixed number of words.

use crate::model::Encoder;
use features::{FeatureSet, List, Numbering, active};
use rules::{Kind, Position, Variant};
use std::marker::PhantomData;

/// How the features of both sides lie in the words of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packing {
    /// Features of each side.
    pub(crate) active: usize,
    /// Two features share a word, the side to move's below.
    pub(crate) paired: bool,
}

impl Packing {
    /// Of a feature set: every piece of the game is a feature of either side, on the board, in
    /// a hand or absent; kings only where the set has them.
    pub(crate) fn of<V: Variant, F: FeatureSet<V>>() -> Self {
        let pieces: usize = V::PIECES[1..Kind::King.index()].iter().sum();
        let active = pieces + if F::KINGS { 2 } else { 0 };
        Self { active, paired: F::INPUTS <= 1 << 16 }
    }

    pub(crate) const fn words(self) -> usize {
        if self.paired { self.active } else { 2 * self.active }
    }

    /// Calls `each` with the side (0: to move) and every feature of a sample.
    #[inline(always)]
    pub(crate) fn each(self, sample: &[u32], mut each: impl FnMut(usize, u32)) {
        if self.paired {
            sample.iter().for_each(|&word| each(0, word & 0xFFFF));
            sample.iter().for_each(|&word| each(1, word >> 16));
        } else {
            let (us, them) = sample.split_at(self.active);
            us.iter().for_each(|&f| each(0, f));
            them.iter().for_each(|&f| each(1, f));
        }
    }
}

/// Encodes positions for nets over `F`.
pub(crate) struct NetEncoder<V, F> {
    packing: Packing,
    /// Every feature as it is on the mirrored board.
    mirrored: Vec<u32>,
    set: PhantomData<(V, F)>,
}

impl<V: Variant, F: FeatureSet<V>> NetEncoder<V, F> {
    pub(crate) fn new() -> Self {
        let mut mirrored: Vec<u32> = (0..F::INPUTS as u32).collect();
        let numbering = Numbering::of(V::GAME);
        let numbers = if F::KINGS { numbering.kings_end() } else { numbering.end() };
        let kings = if F::BY_KING { V::SQUARES } else { 1 };
        let ranks = if F::BY_OTHER_KING { V::SIZE } else { 1 };
        let codes = if F::EFFECT_STRIDE > 0 { 9 } else { 1 };
        for king in 0..kings {
            let other = (V::SIZE - 1 - king / V::SIZE) * V::SIZE + king % V::SIZE;
            let other = if F::BY_KING { other } else { king };
            // Ranks stay what they are.
            for (code, rank) in (0..codes).flat_map(|code| (0..ranks).map(move |r| (code, r))) {
                let base = code * F::EFFECT_STRIDE + F::other_offset(rank);
                for number in 0..numbers {
                    // Mirrored sets see both boards alike: there is nothing to turn.
                    let turned = if F::MIRRORED { number } else { numbering.mirrored(number) };
                    let to = base + F::offset(other) + turned;
                    mirrored[base + F::offset(king) + number] = to as u32;
                }
            }
        }
        Self { packing: Packing::of::<V, F>(), mirrored, set: PhantomData }
    }
}

impl<V: Variant, F: FeatureSet<V>> Encoder<V> for NetEncoder<V, F> {
    fn words(&self) -> usize {
        self.packing.words()
    }

    fn encode(&self, position: &Position<V>, mirrored: bool, words: &mut [u32]) -> bool {
        let us = position.turn();
        if position.king(us).is_none() || position.king(us.opponent()).is_none() {
            return false;
        }
        let mut lists = [List::new(), List::new()];
        active::<V, F>(position, us, &mut lists[0]);
        active::<V, F>(position, us.opponent(), &mut lists[1]);
        let [us, them] = &lists;
        if us.len() != self.packing.active || them.len() != self.packing.active {
            return false;
        }
        let turned = |f: u32| if mirrored { self.mirrored[f as usize] } else { f };
        if self.packing.paired {
            for ((word, &a), &b) in words.iter_mut().zip(us.iter()).zip(them.iter()) {
                *word = turned(a) | turned(b) << 16;
            }
        } else {
            for (word, &f) in words.iter_mut().zip(us.iter().chain(them.iter())) {
                *word = turned(f);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use features::{HalfKp, HalfKpE9, HalfKpKrank, KP};
    use rules::{Minishogi, Piece, Shogi, Square};

    /// A position mirrored the slow way: every row of its text turned around.
    fn mirror<V: Variant>(pos: &Position<V>) -> Position<V> {
        let sfen = pos.sfen();
        let (board, rest) = sfen.split_once(' ').unwrap();
        let mut rows = Vec::new();
        for row in board.split('/') {
            let mut squares: Vec<String> = Vec::new();
            for c in row.chars() {
                match squares.last_mut() {
                    Some(last) if last == "+" => last.push(c),
                    _ => squares.push(c.to_string()),
                }
            }
            squares.reverse();
            rows.push(squares.concat());
        }
        let mirrored = Position::from_sfen(&format!("{} {rest}", rows.join("/"))).unwrap();
        assert_eq!(
            mirrored.piece_at(Square::new(0).mirrored(V::GAME)),
            pos.piece_at(Square::new(0))
        );
        mirrored
    }

    fn check<V: Variant, F: FeatureSet<V>>(seed: u64) {
        let encoder = NetEncoder::<V, F>::new();
        let sorted = |pos: &Position<V>, mirrored| {
            let mut words = vec![0; encoder.words()];
            assert!(encoder.encode(pos, mirrored, &mut words));
            let mut sides = [Vec::new(), Vec::new()];
            encoder.packing.each(&words, |side, f| sides[side].push(f));
            sides.iter_mut().for_each(|s| s.sort_unstable());
            sides
        };
        let mut pos = Position::<V>::startpos();
        let mut rng = seed::Rng::new(seed);
        for _ in 0..60 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos.play(moves[rng.below(moves.len())]);
            let other = mirror(&pos);
            assert_eq!(sorted(&pos, true), sorted(&other, false), "{}", pos.sfen());
            assert_eq!(sorted(&other, true), sorted(&pos, false));
            let mut list = List::new();
            active::<V, F>(&pos, pos.turn(), &mut list);
            let mut list = list.to_vec();
            list.sort_unstable();
            assert_eq!(sorted(&pos, false)[0], list);
        }
    }

    #[test]
    fn mirrored_features_are_those_of_the_mirrored_position() {
        for seed in 0..4 {
            check::<Shogi, HalfKp>(seed);
            check::<Shogi, KP>(seed);
            check::<Shogi, HalfKpKrank>(seed);
            check::<Shogi, HalfKpE9>(seed);
            check::<Minishogi, HalfKp>(seed);
        }
        assert_eq!(Piece::NONE.index(), 0);
    }

    #[test]
    fn positions_without_a_king_are_left_out() {
        let sfen = "4k4/9/9/9/9/9/9/9/9 b - 1";
        let pos = Position::<Shogi>::from_sfen_with(sfen, rules::Kings::Any).unwrap();
        let encoder = NetEncoder::<Shogi, KP>::new();
        assert!(!encoder.encode(&pos, false, &mut vec![0; encoder.words()]));
    }
}
