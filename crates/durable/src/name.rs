//! Names of files: any bytes the system allows, also such as are no text.

use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The hidden file beside a target: a dot, its name, and `end`. `None` if the target names no file.
pub(crate) fn beside(target: &Path, end: &str) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(target.file_name()?);
    name.push(end);
    Some(target.with_file_name(name))
}

/// The path with a number after its stem, for one of several files: `proof-3.bin`.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().map_or_else(OsString::new, OsStr::to_owned);
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A path for a journal: its text, or the bytes of one that is no text.
pub fn path_value(path: &Path) -> Value {
    match path.to_str() {
        Some(text) => text.into(),
        None => path.as_os_str().as_encoded_bytes().into(),
    }
}

/// What stands before and after the first or the last `=` of an argument such as `FILE=WEIGHT`, whose
/// name need not be text; `None` where there is none.
pub fn split_at_equals(text: &OsStr, last: bool) -> Option<(OsString, OsString)> {
    let bytes = text.as_encoded_bytes();
    let mut places = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'=').map(|(at, _)| at);
    let at = if last { places.next_back()? } else { places.next()? };
    Some(os::names::split_around(text, at))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn names_that_are_no_text_stay_apart() {
        let path = |last: u8| PathBuf::from(OsString::from_vec(vec![b'a', b'/', b'n', last]));
        assert_ne!(path_value(&path(0xff)), path_value(&path(0xfe)));
        assert_eq!(path_value(&path(b'x')), Value::from("a/nx"));
        let hidden = |last: u8| beside(&path(last), ".part").unwrap();
        assert_ne!(hidden(0xff), hidden(0xfe));
        assert_eq!(hidden(b'x'), Path::new("a/.nx.part"));
        assert_eq!(beside(Path::new("/"), ".part"), None);
    }

    #[test]
    fn arguments_are_cut_at_equals_signs() {
        let name = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let halves = |a: &[u8], b: &[u8]| Some((name(a), name(b)));
        assert_eq!(split_at_equals(&name(b"a=b\xff=0.5"), true), halves(b"a=b\xff", b"0.5"));
        assert_eq!(split_at_equals(&name(b"1-3=b\xff=5"), false), halves(b"1-3", b"b\xff=5"));
        assert_eq!(split_at_equals(&name(b"="), true), halves(b"", b""));
        assert_eq!(split_at_equals(&name(b"nn.bin"), true), None);
    }
}
