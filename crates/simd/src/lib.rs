//! Vector kernels of the evaluations.
//!
//! One file per instruction set ([`Isa`]), the same names in the same order; `scalar` is the
//! specification and every other path must give the same bits. The choice is made once, at run
//! time, so one executable serves every machine.
//!
//! Kernels are coarse on purpose: a whole accumulator update ([`Layers::update`]), a whole
//! forward pass ([`Layers::forward`]), both for a move ([`Layers::advance`]), a whole
//! gather-and-sum ([`Gather`]), a whole convolution over a batch of boards ([`ByteLayer`]). Choosing
//! the instruction set then costs one indirect call per evaluation instead of one per vector. Loops
//! over floating-point numbers, which only training has, are left to the compiler ([`widest`]).
//!
//! Deliberately absent: any knowledge of shogi, of files, or of what the numbers mean. Together
//! with the transposition table this is the only place where `unsafe` is allowed.

#![allow(unsafe_code)]

mod aligned;
mod boards;
mod gather;
mod isa;
mod kernels;
mod layers;
mod scalar;
mod vector;
mod widest;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse41;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

pub use aligned::{AlignedVec, Plain};
pub use boards::{
    ByteLayer, ByteLayerError, Grid, LayerParameters, Mark, Rescale, Stream, rescaled, view,
};
pub use gather::Gather;
pub use isa::{Isa, UnknownIsa};
pub use layers::{Change, Layers, LayersError, Parameters, Shape};
pub use widest::{Task, widest};
