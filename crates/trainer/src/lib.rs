//! Training of evaluations on the CPU.
//!
//! What is here: nets in real numbers and their files ([`FloatNet`]); the objective and its losses;
//! the trait of anything that learns ([`Model`]; its module says how to add one); NNUE nets
//! ([`NetModel`]) and linear tables ([`TableModel`]) that learn; the loop
//! with its validation, rates and checkpoints ([`Session`]), and with its files
//! ([`TrainingRequest`], [`Run`]); net
//! files of both kinds ([`Stored`]) and tables ([`TableFiles`]), and whether they are sound
//! ([`soundness`]); several put together into one ([`RankParts`]); policy-value nets on games
//! ([`PolicyValueRequest`]).
//!
//! Deliberately absent: making teacher data and batches of it (room `corpus`), printing, clocks, and any other machine than the
//! processor's cores.

mod agreement;
mod batches;
mod by_rank;
mod floatnet;
mod import;
pub mod model;
mod net;
mod objective;
mod optimiser;
mod policy_value;
mod run;
mod sample;
mod schedule;
mod session;
mod soundness;
mod stored;
mod subspace;
mod table_files;
mod tables;
mod verify;
mod words;
mod workers;

pub use agreement::Choices;
pub use by_rank::{AssembleError, PartsOf, RankPart, RankParts};
pub use floatnet::{Clipped, FloatNet, FloatNetError, Quantised};
pub use import::{ImportError, Imported, import};
pub use model::{Encoder, Model};
pub use net::{NetModel, NetOptions};
pub use objective::{Losses, MeanLosses, Objective};
pub use optimiser::{Optimiser, Step};
pub use policy_value::{Accuracy, PolicyValueCheck, PolicyValueError, PolicyValueRequest};
pub use run::{
    Begun, Ended, Files, Learner, Observer, Run, RunError, TableKind, TrainingOptions,
    TrainingRequest, svg_of_log,
};
pub use schedule::Schedule;
pub use session::{CheckpointError, Entry, Next, Progress, Session, Settings, Watch};
pub use soundness::{COMPARED, Rounding, Sound, TOLERANCE, Unsound, ValueDistance, soundness};
pub use stored::{Stored, StoredError};
pub use table_files::{TableFiles, TableInfo};
pub use tables::{FourPiece, Scheme, TableModel, TableOptions, ThreePiece};
pub use verify::Distance;
pub use words::{DifferenceText, NetText};
pub use workers::{Workers, shares};
