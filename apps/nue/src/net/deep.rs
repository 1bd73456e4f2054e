//! Files of policy-value nets among those that `nue net` reads.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use display::PositionsBar;
use infer::native::{Counts, FileKind, import_file};
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Best moves that must be the same after rounding.
const AGREEMENT: f64 = 0.9;

fn failed(path: &Path, error: &dyn Display) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}

/// Real numbers become integers.
pub(super) fn import(path: &Path, counts: Counts, output: &OutputArgs) -> CommandResult {
    let file = fs::read(path).map_err(|e| failed(path, &e))?;
    let bar = PositionsBar::new(counts.all());
    let imported = import_file(&file, counts, AGREEMENT, &|done, _| bar.show(done));
    bar.finish();
    let imported = imported.map_err(|e| failed(path, &e))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {}", path.display(), imported.net.architecture())?;
    writeln!(out, "integers against real numbers over {}", imported.report)?;
    output.save(|to| imported.net.write(to))
}

/// What a file holds.
pub(super) fn info(path: &Path, kind: FileKind) -> CommandResult {
    let file = fs::read(path).map_err(|e| failed(path, &e))?;
    let text = kind.describe(&file).map_err(|e| failed(path, &e))?;
    write!(io::stdout().lock(), "file          {}\n{text}", path.display())?;
    Ok(())
}
