//! Packed planes written as the numbers of an input.
//!
//! A device is fed by this: dlshogi's planes are 9,639 numbers a position, so that most bits are
//! written eight at a time by a table and constant planes all at once.

use features::{Planes, Segment};
use infer::{Batch, half};
use std::ops::Range;

/// A kind of number an input may have.
pub(crate) trait Number: Copy + Default {
    fn of(number: f32) -> Self;
}

impl Number for f32 {
    fn of(number: f32) -> Self {
        number
    }
}

/// In 16 bits.
impl Number for u16 {
    fn of(number: f32) -> Self {
        half::from_f32(number)
    }
}

/// Writes some of a set's planes: those of one input.
pub(crate) struct Unpacker<T> {
    squares: usize,
    segments: &'static [Segment],
    /// Where the first of each kind stands: a bit, a bit, a byte.
    board: usize,
    flag: usize,
    value: usize,
    /// The eight numbers of every byte.
    bytes: Vec<[T; 8]>,
}

impl<T: Number> Unpacker<T> {
    /// For `count` planes after the first `skipped`. Both are whole segments.
    pub(crate) fn new(planes: Planes, skipped: usize, count: usize) -> Self {
        let (segments, squares) = (planes.segments(), planes.game().squares());
        let up_to = |most: usize| {
            let mut planes = 0;
            segments.iter().take_while(move |segment| {
                planes += segment.count();
                planes <= most
            })
        };
        let (from, to) = (up_to(skipped).count(), up_to(skipped + count).count());
        let counted = |segments: &[Segment], which: fn(&Segment) -> bool| {
            segments.iter().filter(|s| which(s)).map(|s| s.count()).sum::<usize>()
        };
        let is_board: fn(&Segment) -> bool = |s| matches!(s, Segment::Boards(_));
        let is_flag: fn(&Segment) -> bool = |s| matches!(s, Segment::Flags(_));
        let is_value: fn(&Segment) -> bool = |s| matches!(s, Segment::Values(_));
        let (before, flags) = (&segments[..from], squares * counted(segments, is_board));
        let values = (flags + counted(segments, is_flag)).div_ceil(8);
        let bit = |byte: usize, at: usize| T::of((byte >> at & 1) as f32);
        Self {
            squares,
            segments: &segments[from..to],
            board: squares * counted(before, is_board),
            flag: flags + counted(before, is_flag),
            value: values + 2 * counted(before, is_value),
            bytes: (0..256).map(|byte| std::array::from_fn(|at| bit(byte, at))).collect(),
        }
    }

    /// Numbers of a position.
    pub(crate) fn size(&self) -> usize {
        self.squares * self.segments.iter().map(|segment| segment.count()).sum::<usize>()
    }

    /// As [`Planes::unpack`] has them.
    pub(crate) fn unpack(&self, packed: &[u8], out: &mut [T]) {
        let bit = |at: usize| f32::from(packed[at / 8] >> (at % 8) & 1);
        let (mut board, mut flag, mut value) = (self.board, self.flag, self.value);
        let mut rest = out;
        for &segment in self.segments {
            let (these, others) = rest.split_at_mut(segment.count() * self.squares);
            rest = others;
            match segment {
                Segment::Boards(_) => {
                    self.bits(packed, board, these);
                    board += these.len();
                }
                Segment::Flags(_) => {
                    for plane in these.chunks_exact_mut(self.squares) {
                        plane.fill(T::of(bit(flag)));
                        flag += 1;
                    }
                }
                Segment::Values(units) => {
                    for (plane, unit) in these.chunks_exact_mut(self.squares).zip(units) {
                        let number = u16::from_le_bytes([packed[value], packed[value + 1]]);
                        plane.fill(T::of(f32::from(number) * unit));
                        value += 2;
                    }
                }
            }
        }
    }

    /// Bits from `start` on as numbers.
    fn bits(&self, packed: &[u8], start: usize, out: &mut [T]) {
        let (skipped, mut byte) = (start % 8, start / 8);
        let mut rest = out;
        if skipped > 0 {
            let count = (8 - skipped).min(rest.len());
            let (first, others) = rest.split_at_mut(count);
            first.copy_from_slice(&self.bytes[usize::from(packed[byte])][skipped..][..count]);
            (rest, byte) = (others, byte + 1);
        }
        for eight in rest.chunks_mut(8) {
            let count = eight.len();
            eight.copy_from_slice(&self.bytes[usize::from(packed[byte])][..count]);
            byte += 1;
        }
    }

    /// Some positions of a batch one after the other, and zeros up to `size` of them.
    pub(crate) fn fill(&self, batch: &Batch, range: Range<usize>, size: usize, out: &mut Vec<T>) {
        let width = self.size();
        // What stands there from before is written over, not cleared first: 10 MB for 256 positions.
        out.resize(size * width, T::default());
        let (filled, rest) = out.split_at_mut(range.len() * width);
        for (index, numbers) in range.zip(filled.chunks_exact_mut(width)) {
            self.unpack(batch.planes(index), numbers);
        }
        rest.fill(T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use features::Labels;
    use infer::{Shape, random_positions};

    #[test]
    fn all_planes_are_as_their_definition_has_them() {
        for planes in Planes::ALL {
            let game = planes.game();
            let labels = Labels::ALL.into_iter().find(|l| l.game() == game).unwrap();
            let positions = random_positions(Shape { game, planes, labels }, 40, 3);
            let first = planes.segments()[0].count();
            let whole = Unpacker::<f32>::new(planes, 0, planes.count());
            let second = Unpacker::<u16>::new(planes, first, planes.count() - first);
            for index in 0..positions.len() {
                let packed = positions.planes(index);
                let mut wanted = vec![0.0; planes.count() * game.squares()];
                planes.unpack(packed, &mut wanted);
                let mut found = vec![0.5; whole.size()];
                whole.unpack(packed, &mut found);
                assert!(wanted == found, "{planes:?}, position {index}");
                let mut found = vec![1; second.size()];
                second.unpack(packed, &mut found);
                let same = |(&a, &b): (&f32, &u16)| half::from_f32(a) == b;
                let rest = &wanted[first * game.squares()..];
                assert_eq!(rest.len(), found.len());
                assert!(rest.iter().zip(&found).all(same), "{planes:?} in 16 bits");
            }
            let mut filled = vec![7.0; 4 * whole.size()];
            whole.fill(&positions, 2..4, 3, &mut filled);
            assert_eq!(filled.len(), 3 * whole.size());
            assert!(filled[2 * whole.size()..].iter().all(|&x| x == 0.0));
            let mut wanted = vec![0.0; whole.size()];
            planes.unpack(positions.planes(3), &mut wanted);
            assert!(filled[whole.size()..2 * whole.size()] == wanted, "{planes:?}");
        }
    }
}
