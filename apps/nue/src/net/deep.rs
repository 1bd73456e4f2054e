//! Files of policy-value nets among those that `nue net` reads: told apart by their first bytes.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use infer::native::{Architecture, Floats, MAGIC, Net, Reference, import, positions};
use std::fs::File;
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
    if start == MAGIC {
        return Some(Kind::Integers);
    }
    Floats::recognises(&start).then_some(Kind::Real)
}

fn real(path: &Path) -> Result<Floats, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    Floats::from_bytes(&bytes).map_err(|e| Failure::failed(format!("{name}: {e}")))
}

/// Real numbers become integers, calibrated on as many positions and compared on as many others.
pub(super) fn import_net(path: &Path, count: usize, output: &OutputArgs) -> CommandResult {
    let floats = real(path)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {}", path.display(), floats.architecture)?;
    let (reference, shape) = (Reference::new(&floats), floats.architecture.shape);
    let calibration = positions(&reference, shape, count, 1);
    let mut comparison = positions(&reference, shape, count, 2);
    let imported = import(&floats, &calibration, &mut comparison, AGREEMENT)
        .map_err(|e| Failure::failed(format!("{}: {e}", path.display())))?;
    writeln!(out, "integers against real numbers over {}", imported.report)?;
    output.save(|to| imported.net.write(to))
}

/// What a file holds.
pub(super) fn info(path: &Path, kind: Kind) -> CommandResult {
    let mut out = io::stdout().lock();
    writeln!(out, "file          {}", path.display())?;
    match kind {
        Kind::Real => {
            let floats = real(path)?;
            writeln!(out, "kind          policy-value net, real numbers (for nue net import)")?;
            describe(&mut out, &floats.architecture)?;
        }
        Kind::Integers => {
            let net = Net::load(path).map_err(|e| Failure::failed(e.to_string()))?;
            writeln!(out, "kind          policy-value net, integers")?;
            describe(&mut out, net.architecture())?;
            writeln!(out, "computed on   {}", net.isa())?;
            writeln!(out, "test answers  {}, all as when the net was made", net.test_positions())?;
        }
    }
    writeln!(out, "bytes         {}", path.metadata()?.len())?;
    Ok(())
}

fn describe(out: &mut impl Write, a: &Architecture) -> io::Result<()> {
    let shape = a.shape;
    writeln!(out, "architecture  {a}")?;
    writeln!(out, "game          {}", shape.game)?;
    writeln!(out, "planes        {} ({})", shape.planes.name(), shape.planes.count())?;
    writeln!(out, "labels        {} ({})", shape.labels.name(), shape.labels.count())?;
    writeln!(out, "parameters    {}", a.parameters())?;
    writeln!(out, "hash          {:#010x}", a.hash())
}
