//! Names of files that are no text, and text in the encoding of the system.

use std::ffi::{OsStr, OsString};

/// What stands before and after the byte at `at`, which is one of ASCII, as in
/// [`OsStr::as_encoded_bytes`].
pub fn split_around(text: &OsStr, at: usize) -> (OsString, OsString) {
    imp::split_around(text, at)
}

/// The text of bytes that are no UTF-8 in the code page of the system: programs for Windows in Japanese
/// write Shift_JIS (code page 932) to pipes. `None` where they make no sense in it either, and on
/// systems that have no code page.
pub fn in_code_page(bytes: &[u8]) -> Option<String> {
    imp::in_code_page(bytes)
}

/// The text of bytes a program wrote: UTF-8, else the code page of the system, else what can be read.
pub fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            in_code_page(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

#[cfg(unix)]
mod imp {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;

    pub(super) fn split_around(text: &OsStr, at: usize) -> (OsString, OsString) {
        let part = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
        let bytes = text.as_bytes();
        (part(&bytes[..at]), part(&bytes[at + 1..]))
    }

    pub(super) fn in_code_page(_: &[u8]) -> Option<String> {
        None
    }
}

#[cfg(windows)]
mod imp {
    #![allow(unsafe_code)]

    use std::ffi::{OsStr, OsString};
    use std::os::windows::ffi::{OsStrExt, OsStringExt};
    use windows_sys::Win32::Globalization::{CP_ACP, MB_ERR_INVALID_CHARS, MultiByteToWideChar};

    pub(super) fn split_around(text: &OsStr, at: usize) -> (OsString, OsString) {
        let wide: Vec<u16> = text.encode_wide().collect();
        // The same character, counted among the others of its kind: places differ, order does not.
        let bytes = text.as_encoded_bytes();
        let byte = bytes[at];
        let earlier = bytes[..at].iter().filter(|&&other| other == byte).count();
        let mut places = wide.iter().enumerate().filter(|(_, unit)| **unit == u16::from(byte));
        let place = places.nth(earlier).map_or(wide.len(), |(place, _)| place);
        let after = wide.get(place + 1..).unwrap_or_default();
        (OsString::from_wide(&wide[..place]), OsString::from_wide(after))
    }

    pub(super) fn in_code_page(bytes: &[u8]) -> Option<String> {
        let length = i32::try_from(bytes.len()).ok().filter(|&length| length > 0)?;
        let convert = |to: *mut u16, room: i32| {
            // SAFETY: `bytes` holds `length` bytes; `to` has room for `room` units, or is null with
            // none, when the call only counts.
            unsafe {
                MultiByteToWideChar(CP_ACP, MB_ERR_INVALID_CHARS, bytes.as_ptr(), length, to, room)
            }
        };
        let units = convert(std::ptr::null_mut(), 0);
        let mut wide = vec![0; usize::try_from(units).ok().filter(|&units| units > 0)?];
        (convert(wide.as_mut_ptr(), units) == units).then(|| String::from_utf16(&wide).ok())?
    }
}

#[cfg(not(any(unix, windows)))]
mod imp {
    use std::ffi::{OsStr, OsString};

    /// Names are text but for broken surrogates, which no file has by accident.
    pub(super) fn split_around(text: &OsStr, at: usize) -> (OsString, OsString) {
        let bytes = text.as_encoded_bytes();
        let part = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into();
        (part(&bytes[..at]), part(&bytes[at + 1..]))
    }

    pub(super) fn in_code_page(_: &[u8]) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_around_one_character() {
        for (text, at, before, after) in
            [("将=棋=x", 3, "将", "棋=x"), ("将=棋=x", 7, "将=棋", "x"), ("=", 0, "", "")]
        {
            let (first, second) = split_around(OsStr::new(text), at);
            assert_eq!((first.to_str(), second.to_str()), (Some(before), Some(after)), "{text}");
        }
    }

    #[test]
    fn what_is_text_stays_it() {
        assert_eq!(text_of("角 bishop".as_bytes()), "角 bishop");
        assert!(text_of(b"\xff\xff\xff").contains(|c: char| !c.is_ascii()));
    }
}
