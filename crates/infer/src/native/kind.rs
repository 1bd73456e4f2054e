//! Files of policy-value nets, told apart by their first bytes.

use super::{Floats, MAGIC, Net};
use std::error::Error;
use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a file of a policy-value net holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Real numbers, to be imported.
    Real,
    /// Integers, to be played with.
    Integers,
}

impl FileKind {
    /// What a file that begins like this is, if it is a policy-value net.
    pub fn of(start: &[u8]) -> Option<Self> {
        let real = || Floats::recognises(start).then_some(Self::Real);
        if start.starts_with(&MAGIC) { Some(Self::Integers) } else { real() }
    }

    /// The same, of a file; also nothing if it cannot be read.
    pub fn of_file(path: &Path) -> Option<Self> {
        let mut start = [0; MAGIC.len()];
        File::open(path).ok()?.read_exact(&mut start).ok()?;
        Self::of(&start)
    }

    /// What a file of this kind holds, as lines for people.
    pub fn describe(self, file: &[u8]) -> Result<String, Box<dyn Error + Send + Sync>> {
        let (holds, architecture) = match self {
            Self::Real => {
                ("real numbers, for nue net import", Floats::from_bytes(file)?.architecture)
            }
            Self::Integers => (
                "integers; answers its test positions as when it was made",
                *Net::from_bytes(file)?.architecture(),
            ),
        };
        let mut text = format!("kind          policy-value net, {holds}\n");
        for (what, value) in architecture.rows() {
            writeln!(text, "{what:<13} {value}")?;
        }
        writeln!(text, "bytes         {}", file.len())?;
        Ok(text)
    }
}
