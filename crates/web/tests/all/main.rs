//! All integration tests of this room, in one program: everything is linked once.

mod access;
mod analyse;
mod books;
mod friends;
mod harness;
mod levels;
mod play;
mod practice;
mod studies;
