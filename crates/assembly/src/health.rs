//! Whether everything is as it should be on this machine, as findings that say what to do.
//!
//! `nue doctor` prints them. Time is asked of the clock that is passed in.

mod deep;
mod machine;
mod nets;
mod selftest;

pub use deep::look as deep;
pub use machine::{look as machine, name as machine_name};
pub use nets::look as nets;
pub use selftest::SelfTest;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grade {
    Good,
    /// It works, but could be better.
    Note,
    Problem,
}

/// One thing looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub grade: Grade,
    pub text: String,
    /// What to do.
    pub advice: Option<String>,
}

impl Finding {
    fn good(text: impl Into<String>) -> Self {
        Self { grade: Grade::Good, text: text.into(), advice: None }
    }

    fn note(text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Note, text: text.into(), advice: Some(advice.into()) }
    }

    fn problem(text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Problem, text: text.into(), advice: Some(advice.into()) }
    }
}
