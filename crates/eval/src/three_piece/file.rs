//! The three headerless files in one folder. The layout is in docs/formats/kppt.md.

use super::Tables;
use durable::Draft;
use rules::Variant;
use simd::{AlignedVec, Plain};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The names the field uses: two kings, two kings and a piece, a king and two pieces.
pub const FILES: [&str; 3] = ["KK_synthesized.bin", "KKP_synthesized.bin", "KPP_synthesized.bin"];

/// Why a folder does not hold a three-piece evaluation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablesError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The path, absolute where the system can say.
        path: PathBuf,
        source: io::Error,
    },
    /// A file has the wrong size.
    #[error("{}: {found} bytes, but {kind} has {expected} there{hint}", path.display())]
    Size {
        /// The path, absolute where the system can say.
        path: PathBuf,
        /// Size found.
        found: u64,
        /// Size it should have.
        expected: u64,
        /// The kind of evaluation.
        kind: &'static str,
        /// What it might be instead.
        hint: &'static str,
    },
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> TablesError {
    let path = absolute(path);
    |source| TablesError::File { path, source }
}

impl<V: Variant, const TEMPO: bool> Tables<V, TEMPO> {
    const KIND: &'static str = if TEMPO { "KPPT" } else { "KPP_KKPT" };

    /// Sizes of the three files.
    pub const BYTES: [u64; 3] = [4 * Self::KK as u64, 4 * Self::KKP as u64, 2 * Self::KPP as u64];

    /// Reads the three files of a folder. All sizes are looked at before anything is read.
    pub fn load(folder: &Path) -> Result<Self, TablesError> {
        let paths = FILES.map(|name| folder.join(name));
        let mut files = Vec::new();
        for (path, expected) in paths.iter().zip(Self::BYTES) {
            let file = File::open(path).map_err(failed(path))?;
            let found = file.metadata().map_err(failed(path))?.len();
            if found != expected {
                let (path, kind) = (absolute(path), Self::KIND);
                let hint = Self::hint(found, expected);
                return Err(TablesError::Size { path, found, expected, kind, hint });
            }
            files.push(file);
        }
        let mut tables = Self::zeroed();
        read(&mut files[0], &mut tables.kk, Self::KK).map_err(failed(&paths[0]))?;
        read(&mut files[1], &mut tables.kkp, Self::KKP).map_err(failed(&paths[1]))?;
        read(&mut files[2], &mut tables.kpp, Self::KPP).map_err(failed(&paths[2]))?;
        Ok(tables)
    }

    fn hint(found: u64, expected: u64) -> &'static str {
        match TEMPO {
            true if found * 2 == expected => " (half of it: this may be KPP_KKPT)",
            false if found == expected * 2 => " (twice as much: this may be KPPT)",
            _ => "",
        }
    }

    /// Writes the three files into a folder, which must exist.
    pub fn save(&self, folder: &Path) -> Result<(), TablesError> {
        let [kk, kkp, kpp] = FILES.map(|name| folder.join(name));
        write(&kk, &self.kk, Self::KK).map_err(failed(&kk))?;
        write(&kkp, &self.kkp, Self::KKP).map_err(failed(&kkp))?;
        write(&kpp, &self.kpp, Self::KPP).map_err(failed(&kpp))
    }
}

/// An integer whose bytes can be turned round on machines that are not little-endian.
trait Number: Plain {
    fn swapped(self) -> Self;
}

impl Number for i16 {
    fn swapped(self) -> Self {
        self.swap_bytes()
    }
}

impl Number for i32 {
    fn swapped(self) -> Self {
        self.swap_bytes()
    }
}

fn read<T: Number>(file: &mut File, to: &mut AlignedVec<T>, count: usize) -> io::Result<()> {
    file.read_exact(&mut to.as_bytes_mut()[..count * size_of::<T>()])?;
    if cfg!(target_endian = "big") {
        to.iter_mut().for_each(|x| *x = x.swapped());
    }
    Ok(())
}

fn write<T: Number>(path: &Path, from: &AlignedVec<T>, count: usize) -> io::Result<()> {
    let mut file = Draft::new(path)?;
    let bytes = count * size_of::<T>();
    if cfg!(target_endian = "little") {
        file.write_all(&from.as_bytes()[..bytes])?;
    } else {
        let mut turned = from.clone();
        turned.iter_mut().for_each(|x| *x = x.swapped());
        file.write_all(&turned.as_bytes()[..bytes])?;
    }
    // Whether a folder with tables may be written at all is asked before they are made.
    file.publish(true)
}
