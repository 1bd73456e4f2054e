//! Which files hold teacher data, and how to tell them.

use crate::error::Error;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

/// A format of teacher data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
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

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Teacher, Self::Psv, Self::Hcpe, Self::Hcpe3, Self::Csa];

    /// The name, which is also the extension of its files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Teacher => "teacher",
            Self::Psv => "psv",
            Self::Hcpe => "hcpe",
            Self::Hcpe3 => "hcpe3",
            Self::Csa => "csa",
        }
    }

    /// Bytes of a record, where all have the same.
    pub const fn record(self) -> Option<usize> {
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
    pub(crate) fn of_input(path: &Path, said: Option<Self>) -> Result<Self, Error> {
        if let Some(format) = said {
            return Ok(format);
        }
        if path.is_dir() {
            return Ok(Self::Csa);
        }
        let open = |e| Error::file(path, &format_args!("cannot open: {e}"));
        let mut beginning = Vec::new();
        File::open(path).and_then(|f| f.take(16).read_to_end(&mut beginning)).map_err(open)?;
        if teacher::is_teacher(&beginning) {
            return Ok(Self::Teacher);
        }
        let told = Self::from_extension(path).filter(|&f| f != Self::Teacher);
        told.ok_or_else(|| Error::UnclearInput(path.to_owned()))
    }

    /// The format of an output: as said, or told by its name.
    pub(crate) fn of_output(path: &Path, said: Option<Self>) -> Result<Self, Error> {
        said.or_else(|| Self::from_extension(path))
            .ok_or_else(|| Error::UnclearOutput(path.to_owned()))
    }

    /// An output must have the format of the input, if its name tells one at all.
    pub(crate) fn keeps(self, output: &Path) -> Result<(), Error> {
        match Self::from_extension(output) {
            Some(named) if named != self => Err(Error::request(format!(
                "{}: the input is {self}; nue data convert changes formats",
                output.display()
            ))),
            _ => Ok(()),
        }
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
        Self::ALL.into_iter().find(|f| f.name() == wanted).ok_or_else(|| {
            format!("unknown format {s:?}: expected {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}
