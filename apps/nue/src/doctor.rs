//! `nue doctor`: is everything as it should be on this machine, and if not, what to do.

mod machine;
mod nets;
mod selftest;

pub(crate) use machine::name as machine_name;

use crate::failure::{Failure, Outcome};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

/// Check machine, nets and engine, and say in plain words what is wrong and what to do
///
/// Ends with exit code 0 when nothing is wrong; notes about speed are no fault.
#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// Also this net file or folder
    #[arg(long, value_name = "FILE|DIR")]
    net: Option<PathBuf>,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grade {
    Good,
    /// It works, but could be better.
    Note,
    Problem,
}

/// One thing looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Finding {
    grade: Grade,
    text: String,
    /// What to do.
    advice: Option<String>,
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

pub(crate) fn run(args: &DoctorArgs) -> Outcome {
    let mut tally = Tally::default();
    tally.section("machine")?;
    for finding in machine::look() {
        tally.tell(&finding)?;
    }
    tally.section("nets")?;
    let (findings, evaluations) = nets::look(args.net.as_deref());
    for finding in findings {
        tally.tell(&finding)?;
    }
    tally.section("self-test")?;
    for check in selftest::CHECKS {
        tally.tell(&check(&evaluations))?;
    }
    tally.end()
}

/// Says the findings and counts them.
#[derive(Default)]
struct Tally {
    notes: u32,
    problems: u32,
}

impl Tally {
    fn section(&self, name: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{name}")
    }

    fn tell(&mut self, finding: &Finding) -> io::Result<()> {
        let mark = match finding.grade {
            Grade::Good => "ok",
            Grade::Note => {
                self.notes += 1;
                "note"
            }
            Grade::Problem => {
                self.problems += 1;
                "WRONG"
            }
        };
        let mut out = io::stdout().lock();
        writeln!(out, "  {mark:<6} {}", finding.text)?;
        if let Some(advice) = &finding.advice {
            writeln!(out, "         what to do: {advice}")?;
        }
        out.flush()
    }

    fn end(&self) -> Outcome {
        let plural = |n: u32, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let notes = plural(self.notes, "note");
        if self.problems > 0 {
            writeln!(io::stdout(), "not healthy: {}, {notes}", plural(self.problems, "problem"))?;
            return Err(Failure::failed(format!("{} found", plural(self.problems, "problem"))));
        }
        match self.notes {
            0 => writeln!(io::stdout(), "healthy")?,
            _ => writeln!(io::stdout(), "healthy, {notes}")?,
        }
        Ok(())
    }
}
