//! Many engines as one: consultation, pondering on several replies, and faults that cost nothing.
//!
//! | file | holds |
//! |---|---|
//! | [`config`] | the file that says which engines there are and how they work together |
//! | [`event`] | what happens to a master and what it wants done, as values |
//! | [`master`] | the master: a state machine in virtual or real time |
//! | `child` | one child as its master knows it |
//! | [`consult`] | how several opinions become one move |
//! | [`replies`] | which replies are likely, and how many groups each is worth |
//! | `switch` | who plays when |
//! | `deadline` | how long an answer may take, whatever the children think |
//! | `fallback` | a move when nobody else has one |
//! | [`verify`] | whether a move begins a mate |
//! | [`journal`] | what is written down |
//! | `known` | the options of children, remembered for the next `usi` |
//! | [`weights`] | what the vote of each child is worth, learned from the log |
//! | `onlookers` | what every child thinks, for whoever looks on |
//! | [`runner`] | a master in real time |
//! | `links` | the ways to a child: inside, program, ssh, socket, broker |
//! | [`offer`] | an engine of this machine for a master elsewhere |
//! | [`simulation`] | whole games in virtual time with children that do everything wrong |
//!
//! A master never waits: it is told what happened and when, and returns what is to be done.
//! Deliberately absent: printing, standard input, and any clock that was not passed in.

mod child;
pub mod config;
pub mod consult;
mod deadline;
pub mod event;
mod fallback;
pub mod journal;
mod known;
mod links;
pub mod master;
pub mod offer;
mod onlookers;
pub mod replies;
pub mod runner;
pub mod simulation;
mod switch;
pub mod verify;
pub mod weights;

pub use config::{Config, ConfigError};
pub use event::{Action, Event, Incarnation};
pub use journal::Entry;
pub use master::Master;
pub use offer::{Broker, OfferSettings, Offered, Place, offer};
pub use runner::{Cluster, ClusterSettings, Input};
