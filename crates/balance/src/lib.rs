//! Games from handicap starts kept even: what a learner that plays itself must know besides how to play.
//!
//! One net plays every start, and the stronger side is weakened until it scores one half: a search
//! that wins or loses whatever it does cannot tell good moves from bad ones (Yamashita, "Aoba
//! komaochi", 2021). Finished games go in, temperatures come out.
//!
//! | file | holds |
//! |---|---|
//! | [`start`] | where games begin |
//! | [`temperature`], [`choice`], `power` | temperatures, and a move chosen from visits by one, in integers |
//! | [`table`] | how much weaker a temperature makes a player, measured |
//! | [`controller`] | the temperature of every start, adjusted by what was scored |
//! | [`resign`] | the win rate below which games are given up |
//! | [`stats`] | what millions of games had in common, in bounded memory |
//! | [`openings`] | openings from the commonest positions |
//! | [`strength`] | strength as giver and as receiver, by playouts |
//! | [`plots`] | all of this as SVG |
//! | [`worth`] | what handicaps are worth, as measured between levels and as published |
//! | [`elo`], [`wdl`], [`series`] | rating points, results, curves that never grow too long |
//!
//! All state is integers, made for being stored: a run that was killed and goes on from its state is
//! the same run, on any machine. Deliberately absent: playing, nets, files, threads.

pub mod choice;
pub mod controller;
pub mod elo;
pub mod openings;
mod pairs;
pub mod plots;
mod power;
pub mod resign;
pub mod series;
pub mod start;
pub mod stats;
pub mod strength;
pub mod table;
pub mod temperature;
pub mod wdl;
pub mod worth;

pub use choice::choose;
pub use controller::{Adjustment, Assignment, Balance, BalanceError, Settings, StartBalance};
pub use elo::Elo;
pub use openings::{Opening, OpeningRule, opening_set};
pub use resign::{ResignRule, ResignThreshold, ResignWatch, WinRate};
pub use series::Series;
pub use start::{Start, StartError};
pub use stats::{StartStatistics, Statistics, StatisticsError, StatisticsSettings};
pub use strength::{HandicapMatch, Player, Role, Strength, strengths};
pub use table::{MeasureError, Row, Table, TableError, TemperatureMatch};
pub use temperature::{Exploration, Temperature};
pub use wdl::Wdl;
