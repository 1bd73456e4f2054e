//! Files of policy-value nets among those that `nue net` reads.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use display::Live;
use infer::native::{Counts, FileKind, import_file};
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

/// Best moves that must be the same after rounding.
const AGREEMENT: f64 = 0.9;

fn failed(path: &Path, error: &dyn Display) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}

/// Real numbers become integers.
pub(super) fn import(path: &Path, counts: Counts, output: &OutputArgs) -> CommandResult {
    let file = fs::read(path).map_err(|e| failed(path, &e))?;
    let live = Mutex::new(Live::new(counts.all() as u64, 0));
    let imported = import_file(&file, counts, AGREEMENT, &|done, all| {
        // Another thread is about to show more than this one could.
        if let Ok(mut live) = live.try_lock() {
            let left = format!("{} left", live.time_left(done as u64));
            let line = || format!("{done} of {all} positions, {left}");
            live.show(done as u64, &left, || "positions computed in real numbers".to_owned(), line);
        }
    });
    if let Ok(live) = live.lock() {
        live.finish();
    }
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
