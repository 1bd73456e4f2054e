//! The folder of a new server.

use crate::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The settings a new server begins with: a floodgate at home, with everything else explained.
pub(crate) const SETTINGS: &str = include_str!("server.toml");

/// Makes a folder with commented settings in it; gives the path of the settings. An existing file
/// is left alone.
pub fn init(folder: &Path) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
    let path = folder.join("server.toml");
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(SETTINGS.as_bytes()));
    written.map_err(|error| Error::file(&path, error))?;
    Ok(path)
}
