//! The first layer: few inputs are 1, so their weights are added up instead of multiplied.

use super::architecture::{Architecture, packed_order};
use super::layers::Integers;
use simd::{AlignedVec, Grid, Mark, Stream};

/// The stem, laid out for packed planes.
pub(super) struct Stem {
    grid: Grid,
    channels: usize,
    stream: Stream,
    /// What each bit of the board planes marks.
    marks: Vec<Mark>,
    /// By plane in packed order, tap, channel.
    stamps: AlignedVec<i16>,
    /// What a plane of ones adds to a square, by plane in packed order, then by which edges of the
    /// board the square is at (3 × 3), then channel.
    flags: AlignedVec<i16>,
    /// The same with no flag at all: the biases.
    base: Vec<i16>,
    /// Which of the nine every square is.
    edges: Vec<usize>,
}

/// Room for one position.
#[derive(Default)]
pub(super) struct StemScratch {
    marks: Vec<Mark>,
    sums: Vec<i16>,
}

impl Stem {
    pub(super) fn new(a: &Architecture, integers: &Integers, stream: Stream) -> Self {
        let (grid, channels) = (a.grid(), a.channels);
        let (boards, flags) = packed_order(a.shape.planes);
        let row = 9 * channels;
        let of = |plane: usize| &integers.stem[plane * row..][..row];
        let mut stamps = AlignedVec::zeroed(boards.len() * row);
        for (to, &plane) in stamps.chunks_exact_mut(row).zip(&boards) {
            to.copy_from_slice(of(plane));
        }
        let mut all_over = AlignedVec::<i16>::zeroed(flags.len() * row);
        for (to, &plane) in all_over.chunks_exact_mut(row).zip(&flags) {
            for (edge, sums) in to.chunks_exact_mut(channels).enumerate() {
                for tap in (0..9).filter(|&tap| has_neighbour(edge, tap)) {
                    let from = &of(plane)[tap * channels..][..channels];
                    sums.iter_mut().zip(from).for_each(|(s, &w)| *s = s.wrapping_add(w));
                }
            }
        }
        let (side, squares) = (grid.side(), grid.squares());
        let marks = (0..boards.len() * squares).map(|bit| Mark {
            plane: (bit / squares) as u16,
            place: grid.place(bit % squares) as u16,
        });
        let edge = |x: usize| usize::from(x > 0) + usize::from(x + 1 == side);
        let edges = (0..squares).map(|square| edge(square / side) * 3 + edge(square % side));
        Self {
            grid,
            channels,
            stream,
            marks: marks.collect(),
            stamps,
            flags: all_over,
            base: integers.stem_bias.repeat(9),
            edges: edges.collect(),
        }
    }

    /// The stream of a packed position before it is rectified.
    pub(super) fn fill(&self, packed: &[u8], scratch: &mut StemScratch, stream: &mut [i16]) {
        let row = self.base.len();
        scratch.marks.clear();
        scratch.sums.clone_from(&self.base);
        for (number, bytes) in packed.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            let mut bits = u64::from_le_bytes(word);
            while bits != 0 {
                let bit = number * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(&mark) = self.marks.get(bit) {
                    scratch.marks.push(mark);
                } else if let Some(flag) = self.flags.chunks_exact(row).nth(bit - self.marks.len())
                {
                    let sums = scratch.sums.iter_mut();
                    sums.zip(flag).for_each(|(sum, &w)| *sum = sum.wrapping_add(w));
                }
            }
        }
        for (square, &edge) in self.edges.iter().enumerate() {
            let from = &scratch.sums[edge * self.channels..][..self.channels];
            let at = self.grid.place(square) * self.channels;
            stream[at..at + self.channels].copy_from_slice(from);
        }
        self.stream.stamp(self.grid, &self.stamps, &scratch.marks, stream);
    }
}

/// Whether a square at these edges has the neighbour a tap reads.
fn has_neighbour(edge: usize, tap: usize) -> bool {
    let within = |edge, tap| !(edge == 0 && tap == 0 || edge == 2 && tap == 2);
    within(edge / 3, tap / 3) && within(edge % 3, tap % 3)
}
