//! All integration tests of this room, in one program: everything is linked once.

mod faults;
mod processes;
