//! Which files hold teacher data, and how to tell them.

use crate::failure::Failure;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

/// A format of teacher data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// Our own: games with scores.
    Teacher,
    /// YaneuraOu's PackedSfenValue: positions.
    Psv,
    /// Apery's HuffmanCodedPosAndEval: positions.
    Hcpe,
    /// dlshogi's games with visits.
    Hcpe3,
    /// Records with evaluations.
    Csa,
}

const ALL: [Format; 5] = [Format::Teacher, Format::Psv, Format::Hcpe, Format::Hcpe3, Format::Csa];

impl Format {
    /// The name, which is also the extension of its files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Teacher => "teacher",
            Self::Psv => "psv",
            Self::Hcpe => "hcpe",
            Self::Hcpe3 => "hcpe3",
            Self::Csa => "csa",
        }
    }

    /// Bytes of a record, where all have the same.
    pub(crate) const fn record(self) -> Option<usize> {
        match self {
            Self::Psv => Some(teacher::psv::SIZE),
            Self::Hcpe => Some(teacher::hcpe::SIZE),
            _ => None,
        }
    }

    /// Told by the name of a file.
    fn from_extension(path: &Path) -> Option<Self> {
        path.extension()?.to_str()?.parse().ok()
    }

    /// The format of an input: as said, or told by its first bytes, or by its name.
    pub(super) fn of_input(path: &Path, said: Option<Self>) -> Result<Self, Failure> {
        if let Some(format) = said {
            return Ok(format);
        }
        if path.is_dir() {
            return Ok(Self::Csa);
        }
        let name = path.display();
        let open = |e| Failure::failed(format!("{name}: cannot open: {e}"));
        let mut beginning = Vec::new();
        File::open(path).and_then(|f| f.take(16).read_to_end(&mut beginning)).map_err(open)?;
        if teacher::is_teacher(&beginning) {
            return Ok(Self::Teacher);
        }
        let told = Self::from_extension(path).filter(|&f| f != Self::Teacher);
        told.ok_or_else(|| {
            Failure::usage(format!("{name}: which format is not clear; say it with --from"))
        })
    }

    /// The format of an output: as said, or told by its name.
    pub(super) fn of_output(path: &Path, said: Option<Self>) -> Result<Self, Failure> {
        said.or_else(|| Self::from_extension(path)).ok_or_else(|| {
            let names = ALL.map(Self::name).join(", .");
            let name = path.display();
            Failure::usage(format!("{name}: say the format with --to, or by the name: .{names}"))
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let wanted = s.to_ascii_lowercase();
        ALL.into_iter().find(|f| f.name() == wanted).ok_or_else(|| {
            format!("unknown format {s:?}: expected {}", ALL.map(Self::name).join(", "))
        })
    }
}
