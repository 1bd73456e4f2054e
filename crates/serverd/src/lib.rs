//! A CSA server as a process: sockets, data file, accounts, status pages around the room `server`.
//!
//! | file | holds |
//! |---|---|
//! | [`serve()`] | everything put together, from start to stop |
//! | [`config`], `findings` | the settings file, and what is doubtful in it |
//! | `server_loop` | the owner of the lobby: takes in, stores, and only then sends |
//! | `connections` | sockets |
//! | `control` | orders from the server's own computer |
//! | `arrival_times` | when a line arrived, whatever the thread was doing |
//! | `accounts`, `login_queue` | passwords, and who is checked next |
//! | [`store`] | the data file |
//! | `background` | log, records, ratings, checkpoints |
//! | `status_pages`, `status_json`, `metrics` | what the server tells about itself over HTTP |
//! | [`import()`] | what another server has: ratings, records |
//! | [`inspect`] | a server's data file read by another program |
//!
//! Deliberately absent: decisions about games, which are the lobby's, and printing: what a person
//! should read is given to whoever called.

mod accounts;
mod arrival_times;
mod background;
pub mod config;
mod connections;
mod control;
mod error;
mod findings;
mod import;
mod init;
pub mod inspect;
mod login_queue;
mod metrics;
mod serve;
mod server_loop;
mod status_json;
mod status_pages;
pub mod store;

pub use config::Config;
pub use control::give_order;
pub use error::Error;
pub use import::{Imported, import};
pub use init::init;
pub use serve::{Addresses, check, serve, set_password};
pub use server::lobby::ORDERS;
