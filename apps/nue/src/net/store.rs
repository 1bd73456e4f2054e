//! Where a new net goes.

use crate::failure::{CommandResult, Failure};
use crate::new_file::{cannot_write, in_the_way};
use clap::Args;
use durable::Draft;
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::StoredError;

/// Ending of files of nets in real numbers.
pub(super) const REAL: &str = "nuef";

/// Where a new net goes.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// File to write
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(super) force: bool,
}

impl OutputArgs {
    /// Whether the file may be written; asked before long work.
    pub(super) fn check(&self) -> CommandResult {
        if self.output.exists() && !self.force {
            return Err(in_the_way(&self.output));
        }
        Ok(())
    }

    /// Whether the name is that of a net in real numbers.
    pub(super) fn is_real(&self) -> bool {
        self.output.extension().is_some_and(|e| e.eq_ignore_ascii_case(REAL))
    }

    /// Writes the file, whole or not at all, and says so.
    pub(super) fn save(&self, write: impl FnOnce(&mut Draft) -> io::Result<()>) -> CommandResult {
        let saved = Draft::new(&self.output).and_then(|mut draft| {
            write(&mut draft)?;
            draft.flush()?;
            draft.publish(self.force)
        });
        saved.map_err(|e| cannot_write(&self.output, &e))?;
        self.told()
    }

    /// Says that it is written.
    pub(super) fn told(&self) -> CommandResult {
        writeln!(io::stdout(), "{}: written", self.output.display())?;
        Ok(())
    }
}

impl From<StoredError> for Failure {
    fn from(error: StoredError) -> Self {
        Self::failed(error.to_string())
    }
}
