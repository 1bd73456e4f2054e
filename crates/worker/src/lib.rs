//! Policy-value nets computed by another process, as a rule PyTorch on a GPU.
//!
//! [`Worker`] is a back-end (`infer::Backend`): it starts a program, sends it packed planes and
//! labels through a pipe and gets logits and values back through another. The program is watched:
//! if it dies, falls silent or sends what makes no sense it is started again and asked again, a
//! few times; then the back-end ends with a sentence. The other side is python/nue_trainer/serve.py,
//! what is said between them is in docs/worker.md.
//!
//! Deliberately absent: nets, devices, choosing a program.

mod process;
mod protocol;
mod worker;

pub use protocol::{Introduction, ProtocolError, VERSION};
pub use worker::{Canaries, Settings, StartError, Worker};
