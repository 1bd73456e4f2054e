//! All tests of this room, in one program: the kernels are compiled once.

mod boards;
mod layers;
mod widest;
