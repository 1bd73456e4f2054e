//! A folder with the three files of tables, which appear together or not at all.

use durable::Lock;
use eval::FILES;
use std::fs;
use std::io;
use std::path::Path;

/// Lets `write` make the three files in a folder beside the one they are for, and moves them there
/// when all are whole. What fails leaves nothing behind; of two who write one folder at a time the second fails.
pub(crate) fn publish_folder(
    folder: &Path,
    write: &mut dyn FnMut(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let mut name = folder.as_os_str().to_owned();
    name.push(".part");
    let part = Path::new(&name);
    let _lock = Lock::beside(part)?.map_err(|e| io::Error::other(e.to_string()))?;
    fs::create_dir_all(part)?;
    let written = write(part).and_then(|()| {
        fs::create_dir_all(folder)?;
        FILES.iter().try_for_each(|file| os::files::replace(&part.join(file), &folder.join(file)))
    });
    if written.is_err() {
        for file in FILES {
            // It may not be there, and the error that matters is the first one.
            let _ = fs::remove_file(part.join(file));
        }
        let _ = fs::remove_dir(part);
        return written;
    }
    fs::remove_dir(part)
}
