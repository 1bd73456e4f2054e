//! The specification: plain loops over the parameters without padding.

use super::{ByteLayer, Grid, Mark, rescaled, view};
use crate::kernels::boards::BoardKernels;

pub(super) static KERNELS: BoardKernels = BoardKernels {
    tile: super::TILE,
    hidden: [hidden::<5>, hidden::<9>],
    residual: [residual::<5>, residual::<9>],
    rows,
    stamp,
    rectify,
};

/// The sum of one output, its taps at the places `at` of `x`.
unsafe fn sum(layer: &ByteLayer, output: usize, x: *const u8, at: &[usize]) -> i32 {
    let p = &layer.parameters;
    let mut sum = p.bias[output];
    for (tap, &place) in at.iter().enumerate() {
        let row = (output * layer.taps + tap) * layer.inputs;
        for (input, &weight) in p.weights[row..row + layer.inputs].iter().enumerate() {
            // SAFETY: the caller vouches for the places.
            let byte = unsafe { *x.add(place * layer.stride + input) };
            sum += i32::from(byte) * i32::from(weight);
        }
    }
    let rescale = &p.rescale;
    rescaled(sum, rescale.shift, i32::from(rescale.multipliers[output]))
}

/// Every output of every square: where it is written, and its rescaled sum.
unsafe fn each<const N: usize>(
    layer: &ByteLayer,
    boards: usize,
    x: *const u8,
    mut write: impl FnMut(usize, i32),
) {
    let grid = Grid { side: N };
    for board in 0..boards {
        for square in 0..grid.squares() {
            let place = board * grid.padded() + grid.place(square);
            let files = [place - grid.stride(), place, place + grid.stride()];
            let at: Vec<usize> = files.iter().flat_map(|&p| [p - 1, p, p + 1]).collect();
            for output in 0..layer.parameters.bias.len() {
                // SAFETY: a square has all its neighbours.
                write(place * layer.outputs + output, unsafe { sum(layer, output, x, &at) });
            }
        }
    }
}

unsafe fn hidden<const N: usize>(layer: &ByteLayer, boards: usize, x: *const u8, out: *mut u8) {
    // SAFETY: the caller vouches for whole boards.
    unsafe { each::<N>(layer, boards, x, |at, sum| *out.add(at) = sum.clamp(0, 127) as u8) };
}

unsafe fn residual<const N: usize>(
    layer: &ByteLayer,
    boards: usize,
    x: *const u8,
    stream: *mut i16,
    v: i32,
    out: *mut u8,
) {
    // SAFETY: as above.
    unsafe {
        each::<N>(layer, boards, x, |at, sum| {
            let sum = (i32::from(*stream.add(at)) + sum).clamp(0, 32767);
            *stream.add(at) = sum as i16;
            *out.add(at) = view(sum, v);
        });
    }
}

unsafe fn rows(layer: &ByteLayer, rows: usize, x: *const u8, out: *mut u8) {
    for row in 0..rows {
        for output in 0..layer.parameters.bias.len() {
            // SAFETY: as above.
            unsafe {
                let sum = sum(layer, output, x, &[row]);
                *out.add(row * layer.outputs + output) = sum.clamp(0, 127) as u8;
            }
        }
    }
}

unsafe fn stamp(stride: usize, channels: usize, w: *const i16, marks: &[Mark], to: *mut i16) {
    for mark in marks {
        for tap in 0..9 {
            // The input is the tap's neighbour of the output, so the output is the opposite
            // neighbour of the input.
            let output = usize::from(mark.place) + stride + 1 - tap / 3 * stride - tap % 3;
            let from = (usize::from(mark.plane) * 9 + tap) * channels;
            for channel in 0..channels {
                // SAFETY: the caller vouches for planes and places.
                unsafe {
                    let to = to.add(output * channels + channel);
                    *to = (*to).wrapping_add(*w.add(from + channel));
                }
            }
        }
    }
}

unsafe fn rectify(
    grid: Grid,
    channels: usize,
    boards: usize,
    stream: *mut i16,
    v: i32,
    out: *mut u8,
) {
    for board in 0..boards {
        for square in 0..grid.squares() {
            let at = (board * grid.padded() + grid.place(square)) * channels;
            for at in at..at + channels {
                // SAFETY: the caller vouches for whole boards.
                unsafe {
                    *stream.add(at) = (*stream.add(at)).max(0);
                    *out.add(at) = view(i32::from(*stream.add(at)), v);
                }
            }
        }
    }
}
