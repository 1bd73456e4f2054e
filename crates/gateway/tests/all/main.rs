//! The queue over HTTP, for friends and foes.

mod contract;
mod hostile;
