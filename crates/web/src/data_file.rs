//! The file in which games are kept, and the lock that keeps a second server away from it.

use crate::start::StartError;
use crate::store::Store;
use durable::Lock;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The file where nothing else is said: in the user's folder for such things.
pub(crate) fn usual() -> PathBuf {
    let folder = os::folders::data();
    folder.map_or_else(|| PathBuf::from("nue-web.db"), |folder| folder.join("nue/web.db"))
}

/// Opens the file, and keeps other servers away from it as long as the second value lives.
pub(crate) fn open(path: &Path) -> Result<(Store, Lock), StartError> {
    let failed = |e: &dyn std::fmt::Display| StartError::failed(format!("{}: {e}", path.display()));
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| failed(&e))?;
    }
    let mut name = OsString::from(path);
    name.push(".lock");
    let lock = Lock::exclusive(Path::new(&name)).map_err(|e| failed(&e))?.map_err(|_| {
        failed(&"another nue web keeps its games here; name another file with --data")
    })?;
    let store = Store::open(path).map_err(|e| failed(&e))?;
    Ok((store, lock))
}
