//! All integration tests of this room, in one program: everything is linked once.

mod generator;
mod real;
mod roundtrip;
mod storm;
