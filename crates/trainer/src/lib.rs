//! Training of evaluations on the CPU.
//!
//! What is here: nets in real numbers and their files ([`FloatNet`]); teacher files as batches
//! ([`Corpus`], [`Selection`]); the objective and its losses; the trait of anything that learns
//! ([`Model`]; its module says how to add one); NNUE nets ([`NetModel`])
//! and linear tables ([`TableModel`]) that learn; the loop
//! with its validation, rates and checkpoints ([`Session`]), and with its files ([`TrainingRequest`],
//! [`Run`]); net
//! files of both kinds ([`Stored`]) and whether they are sound ([`soundness`]).
//!
//! Deliberately absent: making teacher data, printing, clocks, and any other machine than the
//! processor's cores.

mod agreement;
mod blocks;
mod floatnet;
mod import;
mod leaf;
pub mod model;
mod net;
mod objective;
mod optimiser;
mod run;
mod sample;
mod selection;
mod session;
mod soundness;
mod stored;
mod stream;
mod tables;
mod verify;
mod workers;

pub use agreement::Choices;
pub use blocks::{Corpus, DataError};
pub use floatnet::{Clipped, FloatNet, FloatNetError, Quantised};
pub use import::{ImportError, Imported, import};
pub use model::{Encoder, Model};
pub use net::{NetModel, NetOptions};
pub use objective::{Label, Losses, MeanLosses, Objective};
pub use optimiser::{Optimiser, Step};
pub use run::{
    Begun, Ended, Files, Learner, Observer, Run, RunError, TableKind, TrainingOptions,
    TrainingRequest,
};
pub use selection::{Samples, Selection, SelectionCounts};
pub use session::{CheckpointError, Entry, Next, Progress, Session, Settings, Watch};
pub use soundness::{COMPARED, Rounding, Sound, TOLERANCE, Unsound, ValueDistance, soundness};
pub use stored::{Stored, StoredError};
pub use tables::{FourPiece, Scheme, TableModel, TableOptions, ThreePiece};
pub use verify::Distance;
pub use workers::{Workers, shares};
