//! Keys and signatures of executables, as files.

use crate::error::FleetError;
use durable::Draft;
use fleet::BlobHash;
use fleet::signed::{self, signature_path};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Makes a key in a file that is not there yet, readable by its owner only; what workers know it by.
pub fn new_key(path: &Path) -> Result<String, FleetError> {
    let failed = |source| FleetError::File { path: path.to_owned(), source };
    let (secret, public) = signed::new_key().map_err(FleetError::Refused)?;
    if path.exists() {
        return Err(FleetError::KeyExists(path.to_owned()));
    }
    let written = Draft::private(path).and_then(|mut draft| {
        draft.write_all(format!("{secret}\n").as_bytes())?;
        draft.publish(false)
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => FleetError::KeyExists(path.to_owned()),
        _ => failed(error),
    })?;
    Ok(public)
}

/// Signs an executable with the key of a file; where the signature lies.
pub fn sign(executable: &Path, key: &Path) -> Result<PathBuf, FleetError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| FleetError::File { path, source }
    };
    let secret = std::fs::read_to_string(key).map_err(failed(key))?;
    let file = std::fs::File::open(executable).map_err(failed(executable))?;
    let hash = BlobHash::of_reader(file).map_err(failed(executable))?;
    let signature = signed::sign(&secret, &hash).map_err(FleetError::Refused)?;
    let path = signature_path(executable);
    let written = durable::write_whole(&path, format!("{signature}\n").as_bytes(), true);
    written.map_err(failed(&path))?;
    Ok(path)
}
