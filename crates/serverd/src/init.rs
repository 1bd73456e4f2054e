//! The folder of a new server.

use crate::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The settings a new server begins with: a floodgate at home, with everything else explained.
pub(crate) const SETTINGS: &str = include_str!("server.toml");

/// Makes a folder with commented settings in it; gives the path of the settings. An existing file
/// is left alone; if the settings cannot be written, nothing is made.
pub fn init(folder: &Path) -> Result<PathBuf, Error> {
    let path = folder.join("server.toml");
    if path.exists() {
        return Err(Error::Exists { path });
    }
    let made = !folder.exists();
    match durable::write_whole(&path, SETTINGS.as_bytes(), false) {
        Ok(()) => Ok(path),
        Err(error) => {
            if made {
                // There is nothing in it; if it stays, nobody is harmed.
                let _ = std::fs::remove_dir(folder);
            }
            Err(match error.kind() {
                // Also where the folder should be there may be a file.
                ErrorKind::AlreadyExists if path.exists() => Error::Exists { path },
                ErrorKind::AlreadyExists => Error::Exists { path: folder.to_owned() },
                _ => Error::file(&path, error),
            })
        }
    }
}
