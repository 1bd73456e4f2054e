//! The long tests in little.

mod endurance;
mod storm;
