//! All integration tests of this room, in one program: everything is linked once.

mod load;
mod logs;
mod matches;
mod mocks;
mod peers;
mod tuning;
