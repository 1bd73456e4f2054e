//! Net files of both kinds, told apart by their first bytes.

use crate::floatnet::FloatNet;
use crate::table_files::TableFiles;
use nnue::{AnyNet, Architecture};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The file of a net inside a folder.
const NET_FILE: &str = "nn.bin";

/// Why a net file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct StoredError {
    pub path: PathBuf,
    pub reason: String,
}

pub(crate) fn failed(path: &Path, reason: &dyn Display) -> StoredError {
    StoredError { path: path.to_owned(), reason: reason.to_string() }
}

/// A net as its file has it.
#[derive(Clone, Debug)]
pub enum Stored {
    /// `nn.bin`.
    Integers(AnyNet),
    /// `.nuef`.
    Real(Box<FloatNet>),
}

impl Stored {
    /// Reads a net of either kind, or the one in a folder.
    pub fn load(path: &Path) -> Result<Self, StoredError> {
        if let Some(tables) = TableFiles::find(path)? {
            let why = format!(
                "holds {kind} tables: nue net info, verify, diff, average, mix and assemble take \
                 them, and nue train --from with --arch {kind}",
                kind = tables.kind()
            );
            return Err(failed(path, &why));
        }
        let inside = path.join(NET_FILE);
        let path = if path.is_dir() { &inside } else { path };
        let open = || -> io::Result<(File, u64)> {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            Ok((file, size))
        };
        let (mut file, size) =
            open().map_err(|e| failed(path, &format_args!("cannot open: {e}")))?;
        let mut first = Vec::new();
        let begun = Read::by_ref(&mut file).take(8).read_to_end(&mut first);
        begun.map_err(|e| failed(path, &format_args!("cannot read: {e}")))?;
        let input = BufReader::with_capacity(1 << 20, first.as_slice().chain(file));
        if first == b"NueFloat" {
            let net = FloatNet::read(input, size).map_err(|e| failed(path, &e))?;
            return Ok(Self::Real(Box::new(net)));
        }
        AnyNet::read(input, size).map(Self::Integers).map_err(|e| failed(path, &e))
    }

    /// Reads a net in integers.
    pub fn load_integers(path: &Path) -> Result<AnyNet, StoredError> {
        match Self::load(path)? {
            Self::Integers(net) => Ok(net),
            Self::Real(_) => Err(failed(
                path,
                &"a net in real numbers, expected nn.bin (nue net import makes one of it)",
            )),
        }
    }

    /// Reads a net in real numbers.
    pub fn load_real(path: &Path) -> Result<FloatNet, StoredError> {
        match Self::load(path)? {
            Self::Real(net) => Ok(*net),
            Self::Integers(_) => Err(failed(
                path,
                &"a net in integers, expected one in real numbers (.nuef; nue net convert makes one)",
            )),
        }
    }

    /// The architecture of the net.
    pub fn architecture(&self) -> Architecture {
        match self {
            Self::Integers(net) => net.architecture(),
            Self::Real(net) => net.architecture,
        }
    }

    /// What a score of the net is worth, if its file says so.
    pub fn win_rate_scale(&self) -> Option<f64> {
        match self {
            Self::Integers(net) => net.win_rate_scale(),
            Self::Real(net) => net.win_rate_scale,
        }
    }

    /// The same net with that scale in its file.
    #[must_use]
    pub fn with_win_rate_scale(self, scale: f64) -> Self {
        match self {
            Self::Integers(net) => Self::Integers(net.with_win_rate_scale(scale)),
            Self::Real(net) => {
                Self::Real(Box::new(FloatNet { win_rate_scale: Some(scale), ..*net }))
            }
        }
    }

    /// Writes the file.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Integers(net) => net.write(to),
            Self::Real(net) => net.write(to),
        }
    }

    /// In real numbers, whichever it was.
    pub fn into_real(self) -> FloatNet {
        match self {
            Self::Integers(net) => FloatNet::from_net(&net),
            Self::Real(net) => *net,
        }
    }
}
