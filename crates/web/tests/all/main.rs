//! All integration tests of this room, in one program: everything is linked once.

mod analyse;
mod door;
mod harness;
mod levels;
mod play;
