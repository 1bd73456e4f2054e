//! Files of policy-value nets among those that `nue net` reads: told apart by their first bytes.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use infer::native::{Floats, MAGIC, Net, import_file};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// Best moves that must be the same after rounding.
const AGREEMENT: f64 = 0.9;

/// What a file is, if it is a policy-value net.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Real,
    Integers,
}

/// Looks at the first bytes of a file.
pub(super) fn kind(path: &Path) -> Option<Kind> {
    let mut start = [0; MAGIC.len()];
    File::open(path).ok()?.read_exact(&mut start).ok()?;
    let real = Floats::recognises(&start).then_some(Kind::Real);
    if start == MAGIC { Some(Kind::Integers) } else { real }
}

/// Real numbers become integers.
pub(super) fn import(path: &Path, positions: u32, output: &OutputArgs) -> CommandResult {
    let failed =
        |e: &dyn ToString| Failure::failed(format!("{}: {}", path.display(), e.to_string()));
    let file = fs::read(path).map_err(|e| failed(&e))?;
    let imported = import_file(&file, positions as usize, AGREEMENT).map_err(|e| failed(&e))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {}", path.display(), imported.net.architecture())?;
    writeln!(out, "integers against real numbers over {}", imported.report)?;
    output.save(|to| imported.net.write(to))
}

/// What a file holds.
pub(super) fn info(path: &Path, kind: Kind) -> CommandResult {
    let failed =
        |e: &dyn ToString| Failure::failed(format!("{}: {}", path.display(), e.to_string()));
    let file = fs::read(path).map_err(|e| failed(&e))?;
    let (kind, architecture) = match kind {
        Kind::Real => {
            let net = Floats::from_bytes(&file).map_err(|e| failed(&e))?;
            ("real numbers, for nue net import", net.architecture)
        }
        Kind::Integers => {
            let net = Net::from_bytes(&file).map_err(|e| failed(&e))?;
            ("integers; answers its test positions as when it was made", *net.architecture())
        }
    };
    let mut out = io::stdout().lock();
    writeln!(out, "file          {}", path.display())?;
    writeln!(out, "kind          policy-value net, {kind}")?;
    for (what, value) in architecture.rows() {
        writeln!(out, "{what:<13} {value}")?;
    }
    writeln!(out, "bytes         {}", file.len())?;
    Ok(())
}
