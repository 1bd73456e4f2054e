//! Whole runs against players of known strength: virtual games, known laws.

mod balance;
mod players;
mod table;
