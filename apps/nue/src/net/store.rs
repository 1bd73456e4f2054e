//! Net files of both kinds, read and written.

use crate::failure::{Failure, Outcome};
use clap::Args;
use durable::Draft;
use nnue::{AnyNet, Architecture};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use trainer::FloatNet;

/// The file of a net inside a folder.
const NET_FILE: &str = "nn.bin";
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
    pub(super) fn check(&self) -> Outcome {
        if self.output.exists() && !self.force {
            let name = self.output.display();
            return Err(Failure::usage(format!("{name}: exists; --force replaces it")));
        }
        Ok(())
    }

    /// Whether the name is that of a net in real numbers.
    pub(super) fn is_real(&self) -> bool {
        self.output.extension().is_some_and(|e| e.eq_ignore_ascii_case(REAL))
    }

    /// Writes the file, whole or not at all.
    pub(super) fn save(&self, write: impl FnOnce(&mut Draft) -> io::Result<()>) -> Outcome {
        let saved = Draft::new(&self.output).and_then(|mut draft| {
            write(&mut draft)?;
            draft.flush()?;
            draft.publish(self.force)
        });
        saved.map_err(|e| {
            let reason = match e.kind() {
                io::ErrorKind::AlreadyExists => "exists; --force replaces it".to_owned(),
                _ => format!("cannot write: {e}"),
            };
            Failure::failed(format!("{}: {reason}", self.output.display()))
        })
    }
}

/// A net as its file has it.
pub(super) enum Stored {
    /// `nn.bin`.
    Integers(AnyNet),
    /// `.nuef`.
    Real(Box<FloatNet>),
}

impl Stored {
    pub(super) fn architecture(&self) -> Architecture {
        match self {
            Self::Integers(net) => net.architecture(),
            Self::Real(net) => net.architecture,
        }
    }
}

fn failed(path: &Path, error: &dyn Display) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}

/// The file itself, or the net of a folder.
fn file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(NET_FILE) } else { path.to_owned() }
}

/// Reads a net of either kind, told by its first bytes.
pub(super) fn load(path: &Path) -> Result<Stored, Failure> {
    let path = file(path);
    let open = || -> io::Result<(File, u64)> {
        let file = File::open(&path)?;
        let size = file.metadata()?.len();
        Ok((file, size))
    };
    let (mut file, size) = open().map_err(|e| failed(&path, &format!("cannot open: {e}")))?;
    let mut first = Vec::new();
    let begun = Read::by_ref(&mut file).take(8).read_to_end(&mut first);
    begun.map_err(|e| failed(&path, &format!("cannot read: {e}")))?;
    let input = BufReader::with_capacity(1 << 20, first.as_slice().chain(file));
    if first == b"NueFloat" {
        let net = FloatNet::read(input, size).map_err(|e| failed(&path, &e))?;
        return Ok(Stored::Real(Box::new(net)));
    }
    AnyNet::read(input, size).map(Stored::Integers).map_err(|e| failed(&path, &e))
}

/// Reads a net in integers.
pub(super) fn load_integers(path: &Path) -> Result<AnyNet, Failure> {
    match load(path)? {
        Stored::Integers(net) => Ok(net),
        Stored::Real(_) => Err(failed(
            path,
            &"a net in real numbers, expected nn.bin (nue net import makes one of it)",
        )),
    }
}

/// Reads a net in real numbers.
pub(super) fn load_real(path: &Path) -> Result<FloatNet, Failure> {
    match load(path)? {
        Stored::Real(net) => Ok(*net),
        Stored::Integers(_) => Err(failed(
            path,
            &"a net in integers, expected one in real numbers (.nuef; nue net convert makes one)",
        )),
    }
}
