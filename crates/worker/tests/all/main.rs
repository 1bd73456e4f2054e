//! Workers as programs of their own: fakes that fail in every way, and PyTorch where it is at hand.

mod failures;
mod torch;
