//! `nue doctor`: is everything as it should be on this machine, and if not, what to do.

use crate::failure::{CommandResult, Failure};
use assembly::health::{self, Finding, Grade, SelfTest};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use think::WallTime;

/// Check machine, nets and engine, and say in plain words what is wrong and what to do
///
/// Ends with exit code 0 when nothing is wrong; notes about speed are not errors.
#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// Also this net file or folder
    #[arg(long, value_name = "FILE|DIR")]
    net: Option<PathBuf>,
}

pub(crate) fn run(args: &DoctorArgs) -> CommandResult {
    let mut counts = Counts::default();
    writeln!(io::stdout(), "machine")?;
    for finding in health::machine() {
        counts.tell(&finding)?;
    }
    writeln!(io::stdout(), "nets")?;
    let (findings, evaluations) = health::nets(args.net.as_deref());
    for finding in findings {
        counts.tell(&finding)?;
    }
    writeln!(io::stdout(), "policy-value nets")?;
    for finding in health::deep() {
        counts.tell(&finding)?;
    }
    writeln!(io::stdout(), "self-test")?;
    let time = Arc::new(WallTime::start());
    let test = SelfTest { evaluations, executable: std::env::current_exe()?, time };
    for finding in test.findings() {
        counts.tell(&finding)?;
    }
    counts.end()
}

#[derive(Default)]
struct Counts {
    notes: u32,
    problems: u32,
}

impl Counts {
    /// Prints a finding and counts it.
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

    fn end(&self) -> CommandResult {
        let plural = |n: u32, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let notes = plural(self.notes, "note");
        if self.problems > 0 {
            let problems = plural(self.problems, "problem");
            writeln!(io::stdout(), "not healthy: {problems}, {notes}")?;
            return Err(Failure::failed(format!("{problems} found")));
        }
        match self.notes {
            0 => writeln!(io::stdout(), "healthy")?,
            _ => writeln!(io::stdout(), "healthy, {notes}")?,
        }
        Ok(())
    }
}
