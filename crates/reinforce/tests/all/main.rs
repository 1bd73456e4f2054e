//! Games of self-play without a net, the same whatever plays them and right by the referee; and runs of
//! generations, broken off and gone on with.

#[cfg(unix)]
mod generations;
#[cfg(unix)]
mod options;
mod playouts;
mod selfplay;
