//! Boards through a layer, written once over [`Vector`].
//!
//! A tile is the `N` squares of a file (or `N` rows) by `K` registers of outputs: `N·K` sums stay
//! in registers over all taps and inputs, each step loads `K` registers of weights and `N` times
//! four bytes. The weights of one tile (18 KB for 64 channels on AVX-512) stay in the first cache
//! while all boards of a batch pass.

use crate::boards::{ByteLayer, Grid, Mark, rescaled, view};
use crate::vector::Vector;

pub(crate) type HiddenFn = unsafe fn(&ByteLayer, usize, *const u8, *mut u8);
pub(crate) type ResidualFn = unsafe fn(&ByteLayer, usize, *const u8, *mut i16, view: i32, *mut u8);
pub(crate) type StampFn = unsafe fn(usize, usize, *const i16, &[Mark], *mut i16);
pub(crate) type RectifyFn = unsafe fn(Grid, usize, usize, *mut i16, view: i32, *mut u8);

/// What an instruction set chooses. Pairs are for 5×5 and 9×9.
#[derive(Clone, Copy)]
pub(crate) struct BoardKernels {
    /// Outputs of a tile: how weights are laid out.
    pub(crate) tile: usize,
    pub(crate) hidden: [HiddenFn; 2],
    pub(crate) residual: [ResidualFn; 2],
    pub(crate) rows: HiddenFn,
    pub(crate) stamp: StampFn,
    pub(crate) rectify: RectifyFn,
}

/// Sums of one tile: 9 × 32 at most.
#[repr(C, align(64))]
struct Sums([i32; 9 * 32]);

/// Where the taps of a tile begin: in the input, and in the tile's weights.
type Taps = ([(*const u8, *const u8); 9], usize);

/// The sums of a tile.
#[inline(always)]
unsafe fn tile<S: Vector, const N: usize, const K: usize>(
    (taps, count): &Taps,
    stride: usize,
    bias: *const i32,
    sums: &mut Sums,
) {
    // SAFETY: the caller vouches for the taps; `N` and `K` fit `Sums`.
    unsafe {
        let mut acc = [[S::zero(); K]; N];
        let mut k = 0;
        while k < K {
            let first = S::load(bias.add(k * S::LANES).cast());
            let mut n = 0;
            while n < N {
                acc[n][k] = first;
                n += 1;
            }
            k += 1;
        }
        let mut tap = 0;
        while tap < *count {
            let (mut x, mut w) = taps[tap];
            let mut group = 0;
            while group < stride / 4 {
                let mut weights = [S::zero(); K];
                let mut k = 0;
                while k < K {
                    weights[k] = S::load(w.add(k * S::BYTES));
                    k += 1;
                }
                let mut n = 0;
                while n < N {
                    let input = S::splat(x.add(n * stride));
                    let mut k = 0;
                    while k < K {
                        acc[n][k] = S::dot(acc[n][k], input, weights[k]);
                        k += 1;
                    }
                    n += 1;
                }
                x = x.add(4);
                w = w.add(K * S::BYTES);
                group += 1;
            }
            tap += 1;
        }
        let to = sums.0.as_mut_ptr().cast::<u8>();
        let mut n = 0;
        while n < N {
            let mut k = 0;
            while k < K {
                S::store(to.add((n * K + k) * S::BYTES), acc[n][k]);
                k += 1;
            }
            n += 1;
        }
    }
}

/// Every file of every board through every tile; `write` gets place, first output and sums.
#[inline(always)]
unsafe fn boards<S: Vector, const N: usize, const K: usize>(
    layer: &ByteLayer,
    boards: usize,
    x: *const u8,
    mut write: impl FnMut(usize, usize, &Sums),
) {
    let (width, stride, file) = (K * S::LANES, layer.stride, N + 1);
    let mut sums = Sums([0; 9 * 32]);
    for first in (0..layer.outputs).step_by(width) {
        // SAFETY: the caller vouches for whole boards; taps beyond the first and the last file are
        // left out, those beyond a file's ends meet the padding.
        unsafe {
            let weights = layer.weights.as_ptr().cast::<u8>().add(first * layer.taps * stride);
            for board in 0..boards {
                for f in 1..=N {
                    let place = (board * (N + 2) + f) * file + board + 1;
                    let mut taps: Taps = ([(x, weights); 9], 0);
                    for tap in 0..9 {
                        let other = f + tap / 3 - 1;
                        if other >= 1 && other <= N {
                            let from = place + (tap / 3) * file + tap % 3 - file - 1;
                            let w = weights.add(tap * stride * width);
                            taps.0[taps.1] = (x.add(from * stride), w);
                            taps.1 += 1;
                        }
                    }
                    tile::<S, N, K>(&taps, stride, layer.bias.as_ptr().add(first), &mut sums);
                    write(place, first, &sums);
                }
            }
        }
    }
}

#[inline(always)]
pub(crate) unsafe fn hidden<S: Vector, const N: usize, const K: usize>(
    layer: &ByteLayer,
    count: usize,
    x: *const u8,
    out: *mut u8,
) {
    // SAFETY: the caller vouches for whole boards.
    unsafe {
        boards::<S, N, K>(layer, count, x, |place, first, sums| {
            for n in 0..N {
                let out = out.add((place + n) * layer.outputs + first);
                clamp::<S, K>(layer, first, &sums.0[n * K * S::LANES..], out);
            }
        });
    }
}

#[inline(always)]
pub(crate) unsafe fn residual<S: Vector, const N: usize, const K: usize>(
    layer: &ByteLayer,
    count: usize,
    x: *const u8,
    stream: *mut i16,
    v: i32,
    out: *mut u8,
) {
    let width = K * S::LANES;
    // SAFETY: the caller vouches for whole boards.
    unsafe {
        boards::<S, N, K>(layer, count, x, |place, first, sums| {
            let multipliers = &layer.multipliers[first..first + width];
            for n in 0..N {
                let at = (place + n) * layer.outputs + first;
                let stream = std::slice::from_raw_parts_mut(stream.add(at), width);
                let out = std::slice::from_raw_parts_mut(out.add(at), width);
                let sums = &sums.0[n * width..][..width];
                for (((s, o), &sum), &m) in stream.iter_mut().zip(out).zip(sums).zip(multipliers) {
                    let sum = i32::from(*s) + rescaled(sum, layer.shift, m);
                    let sum = sum.clamp(0, 32767);
                    *s = sum as i16;
                    *o = view(sum, v);
                }
            }
        });
    }
}

#[inline(always)]
pub(crate) unsafe fn rows<S: Vector, const K: usize>(
    layer: &ByteLayer,
    rows: usize,
    x: *const u8,
    out: *mut u8,
) {
    const N: usize = 9;
    let width = K * S::LANES;
    let mut sums = Sums([0; 9 * 32]);
    for first in (0..layer.outputs).step_by(width) {
        let mut row = 0;
        while row < rows {
            // SAFETY: the caller vouches for whole rows.
            unsafe {
                let weights = layer.weights.as_ptr().cast::<u8>().add(first * layer.stride);
                let taps: Taps = ([(x.add(row * layer.stride), weights); 9], 1);
                let bias = layer.bias.as_ptr().add(first);
                let count = if row + N <= rows { N } else { 1 };
                if count == N {
                    tile::<S, N, K>(&taps, layer.stride, bias, &mut sums);
                } else {
                    tile::<S, 1, K>(&taps, layer.stride, bias, &mut sums);
                }
                for n in 0..count {
                    let out = out.add((row + n) * layer.outputs + first);
                    clamp::<S, K>(layer, first, &sums.0[n * width..], out);
                }
                row += count;
            }
        }
    }
}

/// A tile's sums for one square as bytes.
#[inline(always)]
unsafe fn clamp<S: Vector, const K: usize>(
    layer: &ByteLayer,
    first: usize,
    sums: &[i32],
    out: *mut u8,
) {
    let width = K * S::LANES;
    // SAFETY: the caller vouches for a tile's width of outputs.
    let out = unsafe { std::slice::from_raw_parts_mut(out, width) };
    let multipliers = &layer.multipliers[first..first + width];
    for ((o, &sum), &m) in out.iter_mut().zip(&sums[..width]).zip(multipliers) {
        *o = rescaled(sum, layer.shift, m).clamp(0, 127) as u8;
    }
}

#[inline(always)]
pub(crate) unsafe fn stamp<S: Vector>(
    stride: usize,
    channels: usize,
    stamps: *const i16,
    marks: &[Mark],
    stream: *mut i16,
) {
    let registers = channels * 2 / S::BYTES;
    for mark in marks {
        // SAFETY: the caller vouches for planes and places.
        unsafe {
            let mut from = stamps.add(usize::from(mark.plane) * 9 * channels).cast::<u8>();
            // Taps in order go from the last neighbour to the first: the opposite ones.
            let last = usize::from(mark.place) + stride + 1;
            for file in 0..3 {
                for rank in 0..3 {
                    let to = stream.add((last - file * stride - rank) * channels).cast::<u8>();
                    for r in 0..registers {
                        let to = to.add(r * S::BYTES);
                        S::store(to, S::add16(S::load(to), S::load(from)));
                        from = from.add(S::BYTES);
                    }
                }
            }
        }
    }
}

#[inline(always)]
pub(crate) unsafe fn rectify(
    grid: Grid,
    channels: usize,
    boards: usize,
    stream: *mut i16,
    v: i32,
    out: *mut u8,
) {
    let side = grid.side();
    for board in 0..boards {
        for f in 0..side {
            let at = (board * grid.padded() + grid.place(f * side)) * channels;
            // SAFETY: the caller vouches for whole boards; the squares of a file are one range.
            let (stream, out) = unsafe {
                (
                    std::slice::from_raw_parts_mut(stream.add(at), side * channels),
                    std::slice::from_raw_parts_mut(out.add(at), side * channels),
                )
            };
            for (s, o) in stream.iter_mut().zip(out) {
                *s = (*s).max(0);
                *o = view(i32::from(*s), v);
            }
        }
    }
}

/// The board kernels of one instruction set, with `K` registers of outputs to a tile for 5×5 and
/// 9×9 alike.
macro_rules! instantiate_boards {
    ($vector:ty, $k:literal, $features:literal) => {
        // Not a constant: that would be compiled again wherever it is used.
        pub(crate) static BOARDS: $crate::kernels::boards::BoardKernels = {
            use $crate::boards::{ByteLayer, Grid, Mark};
            use $crate::kernels::boards;
            use $crate::vector::Vector as _;

            #[target_feature(enable = $features)]
            unsafe fn hidden<const N: usize>(
                layer: &ByteLayer,
                count: usize,
                x: *const u8,
                out: *mut u8,
            ) {
                // SAFETY: passed on from the caller, who has the instruction set.
                unsafe { boards::hidden::<$vector, N, $k>(layer, count, x, out) }
            }

            #[target_feature(enable = $features)]
            unsafe fn residual<const N: usize>(
                layer: &ByteLayer,
                count: usize,
                x: *const u8,
                stream: *mut i16,
                view: i32,
                out: *mut u8,
            ) {
                // SAFETY: as above.
                unsafe {
                    boards::residual::<$vector, N, $k>(layer, count, x, stream, view, out);
                }
            }

            #[target_feature(enable = $features)]
            unsafe fn rows(layer: &ByteLayer, count: usize, x: *const u8, out: *mut u8) {
                // SAFETY: as above.
                unsafe { boards::rows::<$vector, $k>(layer, count, x, out) }
            }

            #[target_feature(enable = $features)]
            unsafe fn stamp(
                stride: usize,
                channels: usize,
                stamps: *const i16,
                marks: &[Mark],
                stream: *mut i16,
            ) {
                // SAFETY: as above.
                unsafe { boards::stamp::<$vector>(stride, channels, stamps, marks, stream) }
            }

            #[target_feature(enable = $features)]
            unsafe fn rectify(
                grid: Grid,
                channels: usize,
                count: usize,
                stream: *mut i16,
                view: i32,
                out: *mut u8,
            ) {
                // SAFETY: as above.
                unsafe { boards::rectify(grid, channels, count, stream, view, out) }
            }

            boards::BoardKernels {
                tile: $k * <$vector>::LANES,
                hidden: [hidden::<5>, hidden::<9>],
                residual: [residual::<5>, residual::<9>],
                rows,
                stamp,
                rectify,
            }
        };
    };
}
pub(crate) use instantiate_boards;
