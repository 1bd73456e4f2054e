//! All integration tests of this room, in one program: everything is linked once.

mod brute;
mod futile;
mod limits;
mod one;
mod proofs;
mod random;
mod solve;
mod study;
mod traps;
