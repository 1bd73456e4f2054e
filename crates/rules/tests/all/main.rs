//! All integration tests of this room, in one program: everything is linked once.

mod against_reference;
mod facts;
mod oracles;
mod perft;
mod placement;
mod reference;
mod storm;
