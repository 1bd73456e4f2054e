//! The back-end that needs nothing: integer nets on this machine's vector instructions, small
//! enough to stand inside the executable.
//!
//! A net is trained in real numbers, arrives as a float file ([`Floats`]), is calibrated on
//! positions and becomes integers ([`import`]); the engine's file ([`Net::write`]) holds those
//! and the answers the net gave when it was made, which are asked for again at every load. From
//! the planes to the last layer everything is integer arithmetic, and the few operations on real
//! numbers behind it are in one order on every machine: the same bits everywhere.
//! docs/infer.md has the arithmetic, docs/formats/nued.md the file.

mod architecture;
mod backend;
mod calibration;
mod file;
mod floats;
mod import;
mod kind;
mod layers;
mod net;
mod noise;
mod quantise;
mod reference;
mod stem;

#[cfg(test)]
mod tests;

pub use architecture::{Architecture, ArchitectureError};
pub use backend::Native;
pub use file::{FileError, MAGIC};
pub use floats::{Convolution, Floats, FloatsError};
pub use import::{Counts, ImportError, Imported, Report, Watch, import, import_file, positions};
pub use kind::FileKind;
pub use net::Net;
pub use quantise::QuantiseError;
pub use reference::Reference;
