//! Policy-value nets in ONNX files, computed by the ONNX Runtime that the user has.
//!
//! | file | holds |
//! |---|---|
//! | [`library`](Library) | where the library is looked for, and what it can do |
//! | `model` | what the inputs and outputs of a file say about planes and labels |
//! | `planes` | packed planes written as the numbers of an input |
//! | `net` | a net on one provider: positions in, logits and values out |
//! | [`backend`](Onnx) | the back-end, and what a net must answer before it is believed |
//! | `api` | the library's C interface: the only `unsafe` of the room |
//!
//! Nothing is linked, fetched or built: without the library everything but [`Onnx::open`] works, and
//! that says what was looked for and what to do. docs/onnx.md.
//!
//! Deliberately absent: choosing a file, options, printing.

mod api;
mod backend;
mod library;
mod model;
mod net;
mod planes;

pub use backend::{Onnx, OpenError, Provider, Settings};
pub use library::{Library, LibraryError, Search, Tried, of_python};
pub use model::ModelError;
