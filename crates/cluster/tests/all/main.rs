//! All integration tests of this room, in one program: everything is linked once.

mod duels;
mod faults;
mod harness;
mod onlookers;
mod processes;
mod remote;
