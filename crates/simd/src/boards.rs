//! Convolutions over small square boards, for policy-value nets: bytes 0..=127 times signed bytes,
//! 32-bit sums, everything exact.
//!
//! A board lies in memory square by square, file by file, each square with all its channels side by
//! side, so that a register holds channels. Between files stands one square of padding, and a
//! whole file of it before and behind ([`Grid`]): a 3×3 neighbourhood is then nine constant
//! distances. Padding of inputs must be zero; no kernel writes padding of outputs, but that of a
//! [`Grid::stream`] may hold anything.

mod spec;

use crate::aligned::AlignedVec;
use crate::isa::{Isa, Level};
use crate::kernels::boards::BoardKernels;
use std::fmt;

/// Channels of a square are padded to this: whole tiles on every instruction set.
const TILE: usize = 32;

/// A square board and the padding around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    side: usize,
}

impl Grid {
    /// Boards that kernels exist for.
    pub const SIDES: [usize; 2] = [5, 9];

    /// A board with `side` files and ranks, if kernels exist for it.
    pub fn new(side: usize) -> Option<Self> {
        Self::SIDES.contains(&side).then_some(Self { side })
    }

    /// Files, and ranks.
    pub const fn side(self) -> usize {
        self.side
    }

    /// Squares of the board, without padding.
    pub const fn squares(self) -> usize {
        self.side * self.side
    }

    /// Squares in memory.
    pub const fn padded(self) -> usize {
        (self.side + 2) * self.stride() + 1
    }

    /// The place in memory of a square counted file by file.
    pub const fn place(self, square: usize) -> usize {
        (square / self.side + 1) * self.stride() + square % self.side + 1
    }

    /// From a square to the same one on the next file.
    pub(crate) const fn stride(self) -> usize {
        self.side + 1
    }

    /// Channels as they lie in memory.
    pub const fn channels(count: usize) -> usize {
        count.next_multiple_of(TILE)
    }
}

/// How 32-bit sums become small numbers again: `(clamp16(sum >> shift) · multiplier + 2¹⁴) >> 15`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rescale {
    /// The same for all outputs.
    pub shift: u32,
    /// One per output, none negative.
    pub multipliers: Vec<i16>,
}

/// What a layer is made of, without padding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LayerParameters {
    /// By output, then tap (file by file, as squares are counted), then input.
    pub weights: Vec<i8>,
    /// One per output.
    pub bias: Vec<i32>,
    pub rescale: Rescale,
}

/// A layer laid out for one instruction set: nine taps (3×3) or one.
pub struct ByteLayer {
    isa: Isa,
    kernels: BoardKernels,
    parameters: LayerParameters,
    pub(crate) taps: usize,
    /// Without padding.
    inputs: usize,
    /// Channels of a square of the input as it lies in memory.
    pub(crate) stride: usize,
    pub(crate) outputs: usize,
    pub(crate) weights: AlignedVec<i8>,
    pub(crate) bias: AlignedVec<i32>,
    pub(crate) multipliers: AlignedVec<i32>,
    pub(crate) shift: u32,
}

/// Parameters that make no layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByteLayerError(String);

impl fmt::Display for ByteLayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ByteLayerError {}

impl ByteLayer {
    /// A layer of nine taps or one, with inputs that lie in memory as [`Grid::channels`] says.
    pub fn new(
        isa: Isa,
        taps: usize,
        inputs: usize,
        parameters: LayerParameters,
    ) -> Result<Self, ByteLayerError> {
        let outputs = parameters.bias.len();
        let expected = (outputs * taps * inputs, outputs);
        let found = (parameters.weights.len(), parameters.rescale.multipliers.len());
        if found != expected || ![1, 9].contains(&taps) || inputs == 0 || outputs == 0 {
            return Err(ByteLayerError(format!(
                "a layer of {taps} taps, {inputs} inputs and {outputs} outputs has {} weights and \
                 {} multipliers",
                found.0, found.1
            )));
        }
        let rescale = &parameters.rescale;
        if rescale.shift > 31 || rescale.multipliers.iter().any(|&m| m < 0) {
            return Err(ByteLayerError(format!(
                "a layer is scaled by a shift of {} and multipliers from {}",
                rescale.shift,
                rescale.multipliers.iter().min().copied().unwrap_or_default()
            )));
        }
        // Every sum fits 32 bits whatever the inputs.
        let widest = parameters.weights.chunks_exact(taps * inputs).zip(&parameters.bias);
        let bounds = widest.map(|(row, &bias)| {
            row.iter().map(|&w| 127 * i64::from(w).abs()).sum::<i64>() + i64::from(bias).abs()
        });
        if let Some(bound) = bounds.max().filter(|&bound| bound > i64::from(i32::MAX)) {
            return Err(ByteLayerError(format!("sums of a layer can reach {bound}")));
        }
        let kernels = kernels(isa);
        let stride = Grid::channels(inputs);
        let padded = Grid::channels(outputs);
        let mut bias = AlignedVec::zeroed(padded);
        bias[..outputs].copy_from_slice(&parameters.bias);
        let mut multipliers = AlignedVec::zeroed(padded);
        for (to, &from) in multipliers.iter_mut().zip(&rescale.multipliers) {
            *to = i32::from(from);
        }
        let mut layer = Self {
            isa,
            kernels,
            taps,
            inputs,
            stride,
            outputs: padded,
            weights: AlignedVec::zeroed(padded * taps * stride),
            bias,
            multipliers,
            shift: rescale.shift,
            parameters,
        };
        layer.lay_out(outputs);
        Ok(layer)
    }

    /// Weights by tile of outputs, then tap, then four inputs, then output, then input.
    fn lay_out(&mut self, outputs: usize) {
        let (tile, row) = (self.kernels.tile, self.taps * self.stride);
        for output in 0..outputs {
            for tap in 0..self.taps {
                for input in 0..self.inputs {
                    let from = (output * self.taps + tap) * self.inputs + input;
                    let group = (tap * self.stride + input) / 4;
                    let to = output / tile * tile * row + (group * tile + output % tile) * 4;
                    self.weights[to + input % 4] = self.parameters.weights[from];
                }
            }
        }
    }

    /// The same layer for another instruction set.
    pub fn with_isa(&self, isa: Isa) -> Self {
        Self::new(isa, self.taps, self.inputs, self.parameters.clone())
            .expect("the parameters made a layer before")
    }

    /// The instruction set in use.
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Inputs without padding.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// The parameters without padding.
    pub const fn parameters(&self) -> &LayerParameters {
        &self.parameters
    }

    /// Boards through a 3×3 layer; outputs clamped to 0..=127.
    ///
    /// # Panics
    /// If the layer has one tap, or the lengths are not those of the same number of boards.
    pub fn convolve(&self, grid: Grid, x: &[u8], out: &mut [u8]) {
        let boards = self.boards(grid, x, out);
        let kernel = self.kernels.hidden[usize::from(grid.side == 9)];
        // SAFETY: lengths were just checked; `isa` is on this machine.
        unsafe { kernel(self, boards, x.as_ptr(), out.as_mut_ptr()) }
    }

    /// The second half of a residual block: adds the rescaled outputs to the stream, clamps it to
    /// 0..=32767 and writes it to `out` as [`view`] shows it.
    ///
    /// # Panics
    /// As [`ByteLayer::convolve`]; or if the stream has another length than `out`, or the view is negative.
    pub fn add_to(&self, grid: Grid, x: &[u8], stream: &mut [i16], view: i16, out: &mut [u8]) {
        let boards = self.boards(grid, x, out);
        assert!(stream.len() == out.len() && view >= 0, "a stream beside its bytes");
        let kernel = self.kernels.residual[usize::from(grid.side == 9)];
        let (stream, out) = (stream.as_mut_ptr(), out.as_mut_ptr());
        // SAFETY: as above.
        unsafe { kernel(self, boards, x.as_ptr(), stream, i32::from(view), out) }
    }

    /// Rows through a layer of one tap; outputs clamped to 0..=127.
    ///
    /// # Panics
    /// If the layer has nine taps, or the lengths are not those of the same number of rows.
    pub fn rows(&self, x: &[u8], out: &mut [u8]) {
        let rows = x.len() / self.stride;
        assert!(self.taps == 1, "rows go through a layer of one tap");
        assert!(x.len() == rows * self.stride && out.len() == rows * self.outputs, "whole rows");
        // SAFETY: as above.
        unsafe { (self.kernels.rows)(self, rows, x.as_ptr(), out.as_mut_ptr()) }
    }

    fn boards(&self, grid: Grid, x: &[u8], out: &[u8]) -> usize {
        let boards = x.len() / (grid.padded() * self.stride);
        let lengths = (boards * grid.padded() * self.stride, boards * grid.padded() * self.outputs);
        assert!(self.taps == 9, "boards go through a layer of nine taps");
        assert!((x.len(), out.len()) == lengths, "whole boards");
        boards
    }
}

impl fmt::Debug for ByteLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outputs = self.parameters.bias.len();
        write!(f, "ByteLayer({}×{}→{outputs}, {})", self.taps, self.inputs, self.isa)
    }
}

/// The other two things done with a stream of 16-bit numbers.
#[derive(Clone, Copy)]
pub struct Stream {
    kernels: BoardKernels,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

impl Stream {
    /// For one instruction set.
    pub fn new(isa: Isa) -> Self {
        Self { kernels: kernels(isa) }
    }

    /// Adds a 3×3 stamp around every place of a board: what a convolution does with the few inputs
    /// that are 1. Stamps are numbered by plane, nine taps of all channels each (the tap is seen
    /// from the output, as in a convolution); sums wrap.
    ///
    /// # Panics
    /// If a place is not on the board, a plane has no stamp, or the stream is no whole board.
    pub fn stamp(self, grid: Grid, stamps: &[i16], marks: &[Mark], stream: &mut [i16]) {
        let channels = stream.len() / grid.padded();
        assert!(stream.len() == channels * grid.padded() && channels.is_multiple_of(TILE));
        let planes = stamps.len() / (9 * channels);
        let (first, last) = (grid.place(0), grid.place(grid.squares() - 1));
        for mark in marks {
            let place = usize::from(mark.place);
            let inside = (first..=last).contains(&place) && usize::from(mark.plane) < planes;
            assert!(inside, "{mark:?} of {planes} planes");
        }
        let stride = grid.stride();
        // SAFETY: every mark was just checked, and a place on the board has all its neighbours.
        unsafe {
            (self.kernels.stamp)(stride, channels, stamps.as_ptr(), marks, stream.as_mut_ptr());
        }
    }

    /// Clamps a stream to 0..=32767 and writes it as [`view`] shows it, on the squares of whole
    /// boards.
    ///
    /// # Panics
    /// If the lengths are not those of the same number of boards, or the view is negative.
    pub fn rectify(self, grid: Grid, channels: usize, stream: &mut [i16], v: i16, out: &mut [u8]) {
        let boards = stream.len() / (grid.padded() * channels);
        assert!(stream.len() == boards * grid.padded() * channels && stream.len() == out.len());
        assert!(v >= 0, "a view of {v}");
        let (stream, out) = (stream.as_mut_ptr(), out.as_mut_ptr());
        // SAFETY: lengths were just checked.
        unsafe { (self.kernels.rectify)(grid, channels, boards, stream, i32::from(v), out) }
    }
}

/// An input that is 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub plane: u16,
    /// As [`Grid::place`] numbers it.
    pub place: u16,
}

/// A sum made small: see [`Rescale`].
#[inline(always)]
pub const fn rescaled(sum: i32, shift: u32, multiplier: i32) -> i32 {
    let sum = sum >> shift;
    let sum = if sum < -32768 { -32768 } else { sum };
    let sum = if sum > 32767 { 32767 } else { sum };
    (sum * multiplier + (1 << 14)) >> 15
}

/// A number of the stream as the next layer sees it: `min(127, (x · view + 2¹⁴) >> 15)`.
#[inline(always)]
pub const fn view(x: i32, view: i32) -> u8 {
    let x = (x * view + (1 << 14)) >> 15;
    if x > 127 { 127 } else { x as u8 }
}

fn kernels(isa: Isa) -> BoardKernels {
    match isa.0 {
        Level::Scalar => spec::KERNELS,
        #[cfg(target_arch = "x86_64")]
        Level::Sse41 => crate::sse41::BOARDS,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => crate::avx2::plain::BOARDS,
        #[cfg(target_arch = "x86_64")]
        Level::AvxVnni => crate::avx2::vnni::BOARDS,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => crate::avx512::bw::BOARDS,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512Vnni => crate::avx512::vnni::BOARDS,
        #[cfg(target_arch = "aarch64")]
        Level::Neon => crate::neon::BOARDS,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Level::Simd128 => crate::wasm::BOARDS,
    }
}
