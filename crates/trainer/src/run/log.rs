//! The log: JSON lines, the first about the run, then one for every validation.

use super::{RunError, write};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// A log being written.
pub(super) struct Log {
    file: File,
}

impl Log {
    /// Begins a log. A run that goes on keeps the lines of the validations it remembers: there
    /// may be one more, written just before the run was killed.
    pub(super) fn open(path: &Path, about: &Value, remembered: usize) -> Result<Self, RunError> {
        let failed = |e: std::io::Error| RunError::cannot_write(path, &e);
        let mut text = format!("{}\n", json!({ "run": about }));
        if remembered > 0 {
            let old = fs::read_to_string(path).unwrap_or_default();
            let validations = old.lines().filter(|line| {
                let line: Value = line.parse().unwrap_or_default();
                line["steps"].is_u64()
            });
            validations.take(remembered).for_each(|line| text.extend([line, "\n"]));
        }
        write(path, |to| to.write_all(text.as_bytes())).map_err(failed)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(Self { file })
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: &Value) -> Result<(), RunError> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|e| RunError::Failed(format!("the log cannot be written: {e}")))
    }
}
