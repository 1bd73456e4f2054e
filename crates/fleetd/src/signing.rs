//! Keys and signatures of executables, as files.

use crate::error::FleetError;
use fleet::BlobHash;
use fleet::signed::{self, signature_path};
use std::path::{Path, PathBuf};

/// Makes a key in a file that is not there yet, readable by its owner only; what workers know it by.
pub fn new_key(path: &Path) -> Result<String, FleetError> {
    let failed = |source| FleetError::File { path: path.to_owned(), source };
    let (secret, public) = signed::new_key().map_err(FleetError::Refused)?;
    let mut options = std::fs::OpenOptions::new();
    let options = os::files::for_owner_alone(options.write(true).create_new(true));
    let mut file = options.open(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, format!("{secret}\n").as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
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
