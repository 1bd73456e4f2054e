//! Files, where systems differ.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Fills the buffer from a place in the file, without a cursor that threads would have to share.
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    imp::read_exact_at(file, buffer, offset)
}

/// Gives a file the name of another, which is gone: whoever opens it finds the one or the other, whole.
///
/// On Windows somebody who only reads the old one, such as a virus scanner, can be in the way for a
/// moment: it is tried again for a second.
pub fn replace(from: &Path, to: &Path) -> io::Result<()> {
    imp::replace(from, to)
}

/// Whether an open file is the one of that name. Where that cannot be told ([`TELLS_APART`]), yes.
pub fn is_named(file: &File, path: &Path) -> bool {
    imp::is_named(file, path)
}

/// Whether [`is_named`] knows. Where it does not, a file that others lock must not be removed.
pub const TELLS_APART: bool = cfg!(unix);

/// What is opened so is made for its owner alone. On Windows the folder decides who may read: a user's own
/// folders are closed to others.
pub fn for_owner_alone(options: &mut OpenOptions) -> &mut OpenOptions {
    imp::for_owner_alone(options)
}

/// Lets the owner run the file. On Windows its ending decides that.
pub fn make_executable(path: &Path) -> io::Result<()> {
    imp::make_executable(path)
}

#[cfg(unix)]
mod imp {
    use std::fs::{File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        file.read_exact_at(buffer, offset)
    }

    pub(super) fn replace(from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    pub(super) fn is_named(file: &File, path: &Path) -> bool {
        let identity = |m: Metadata| (m.dev(), m.ino());
        let (open, named) = (file.metadata().map(identity), std::fs::metadata(path).map(identity));
        matches!((open, named), (Ok(open), Ok(named)) if open == named)
    }

    pub(super) fn for_owner_alone(options: &mut OpenOptions) -> &mut OpenOptions {
        options.mode(0o600)
    }

    pub(super) fn make_executable(path: &Path) -> io::Result<()> {
        std::fs::set_permissions(path, Permissions::from_mode(0o700))
    }
}

#[cfg(windows)]
mod imp {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::windows::fs::FileExt;
    use std::path::Path;
    use std::time::Duration;
    use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION};

    /// How often, and at what distance, it is tried to replace a file that somebody reads.
    const TRIES: u32 = 50;
    const PAUSE: Duration = Duration::from_millis(20);

    pub(super) fn read_exact_at(
        file: &File,
        mut buffer: &mut [u8],
        mut offset: u64,
    ) -> io::Result<()> {
        while !buffer.is_empty() {
            match file.seek_read(buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    buffer = &mut buffer[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) fn replace(from: &Path, to: &Path) -> io::Result<()> {
        let in_the_way = |error: &io::Error| {
            let code = error.raw_os_error().map(|code| code as u32);
            matches!(code, Some(ERROR_ACCESS_DENIED | ERROR_SHARING_VIOLATION))
        };
        for _ in 1..TRIES {
            match std::fs::rename(from, to) {
                Err(error) if in_the_way(&error) && from.exists() && !to.is_dir() => {
                    std::thread::sleep(PAUSE);
                }
                outcome => return outcome,
            }
        }
        std::fs::rename(from, to)
    }

    pub(super) fn is_named(_: &File, _: &Path) -> bool {
        true
    }

    pub(super) fn for_owner_alone(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(super) fn make_executable(_: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(any(unix, windows)))]
mod imp {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(super) fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn replace(from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    pub(super) fn is_named(_: &File, _: &Path) -> bool {
        true
    }

    pub(super) fn for_owner_alone(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(super) fn make_executable(_: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn bytes_are_read_from_anywhere_and_never_too_few() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("将棋.bin");
        fs::write(&path, b"0123456789").unwrap();
        let file = File::open(&path).unwrap();
        let mut buffer = [0; 4];
        read_exact_at(&file, &mut buffer, 3).unwrap();
        assert_eq!(&buffer, b"3456");
        let short = read_exact_at(&file, &mut buffer, 8).unwrap_err();
        assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_file_takes_another_s_place() {
        let folder = tempfile::tempdir().unwrap();
        let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
        fs::write(&new, "new").unwrap();
        fs::write(&old, "old").unwrap();
        let open = File::open(&old).unwrap();
        assert!(is_named(&open, &old));
        replace(&new, &old).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "new");
        assert!(!new.exists());
        assert_eq!(is_named(&open, &old), !TELLS_APART, "another file has the name");
        assert!(replace(&new, &old).is_err(), "there is nothing to put there");
    }

    #[test]
    fn what_is_for_its_owner_can_be_written_and_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let mut options = OpenOptions::new();
        for_owner_alone(options.write(true).create_new(true)).open(&path).unwrap();
        make_executable(&path).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
