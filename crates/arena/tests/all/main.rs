//! All integration tests of this room, in one program: everything is linked once.

mod load;
mod matches;
mod mocks;
mod peers;
