//! Bytes to text and back.
//!
//! Reading: a declared encoding is honoured; else strict UTF-8; else Shift_JIS (code page 932),
//! or EUC-JP where it makes more sense of the bytes, as logs of shogi-server have it. A byte that
//! fits nothing costs one replacement character, not the game.

use crate::error::Problem;
use crate::options::Encoding;
use encoding_rs::{EUC_JP, SHIFT_JIS, UTF_8};

/// The encoding a text declares for itself.
pub(crate) type Declared = &'static encoding_rs::Encoding;

/// Finds `encoding=…` in a comment among the first lines.
pub(crate) fn declared(bytes: &[u8]) -> Option<Declared> {
    const LABEL: &[u8] = b"encoding=";
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for line in bytes.split(|&b| b == b'\n').take(10) {
        if !matches!(line.first(), Some(b'\'' | b'#')) {
            continue;
        }
        let lower = line.to_ascii_lowercase();
        let Some(at) = lower.windows(LABEL.len()).position(|w| w == LABEL) else { continue };
        let name = &lower[at + LABEL.len()..];
        let end = name.iter().position(|b| !b.is_ascii_graphic()).unwrap_or(name.len());
        return encoding_rs::Encoding::for_label(&name[..end]);
    }
    None
}

/// The text of bytes, with line ends made `\n` and a byte order mark removed.
pub(crate) fn decode(bytes: &[u8], declared: Option<Declared>) -> Result<String, Problem> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(Problem::Utf16);
    }
    let marked = bytes.starts_with(b"\xEF\xBB\xBF");
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let declared = if marked { Some(UTF_8) } else { declared };
    let strict = |e: Declared| e.decode_without_bom_handling_and_without_replacement(bytes);
    let text = declared
        .and_then(strict)
        .or_else(|| strict(UTF_8))
        .or_else(|| strict(japanese(bytes)))
        .unwrap_or_else(|| {
            let best = declared.unwrap_or_else(|| japanese(bytes));
            best.decode_without_bom_handling(bytes).0
        });
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// The text of bytes in whichever of UTF-8, Shift_JIS and EUC-JP they make sense.
pub fn decode_text(bytes: &[u8]) -> String {
    decode(bytes, None).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned())
}

/// Shift_JIS or EUC-JP. EUC-JP read as Shift_JIS becomes half-width katakana, which records of
/// shogi have no use for.
fn japanese(bytes: &[u8]) -> Declared {
    let count = |e: Declared| {
        let (text, _) = e.decode_without_bom_handling(bytes);
        text.chars().filter(|c| matches!(c, '\u{ff61}'..='\u{ff9f}' | '\u{fffd}')).count()
    };
    if count(EUC_JP) < count(SHIFT_JIS) { EUC_JP } else { SHIFT_JIS }
}

/// The bytes of a text, and how many characters the encoding lacks (written as `〓`).
pub(crate) fn encode(text: &str, encoding: Encoding) -> (Vec<u8>, usize) {
    if encoding == Encoding::Utf8 {
        return (text.as_bytes().to_vec(), 0);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut missing = 0;
    let mut buffer = [0; 4];
    for c in text.chars() {
        let (encoded, _, lost) = SHIFT_JIS.encode(similar(c).encode_utf8(&mut buffer));
        if lost {
            missing += 1;
            bytes.extend_from_slice(b"\x81\xAC");
        } else {
            bytes.extend_from_slice(&encoded);
        }
    }
    (bytes, missing)
}

/// Characters that code page 932 has under another number than the JIS standard.
const fn similar(c: char) -> char {
    match c {
        '\u{301c}' => '\u{ff5e}',
        '\u{2212}' => '\u{ff0d}',
        '\u{2014}' => '\u{2015}',
        '\u{2016}' => '\u{2225}',
        // Encoders put these two on the bytes of backslash and tilde.
        '\u{a5}' => '\u{ffe5}',
        '\u{203e}' => '\u{ffe3}',
        '☗' => '▲',
        '☖' => '△',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        for (text, want) in [
            (&b"'CSA encoding=SHIFT_JIS\nV3.0"[..], Some(SHIFT_JIS)),
            (b"\xEF\xBB\xBF#KIF version=2.0 encoding=UTF-8\r\n", Some(UTF_8)),
            (b"'encoding=Shift_JIS\n", Some(SHIFT_JIS)),
            (b"V2.2\nencoding=UTF-8\n", None),
            (b"# encoding=klingon\n", None),
            (b"", None),
        ] {
            assert_eq!(declared(text), want);
        }
    }

    #[test]
    fn encodings_are_told_apart() {
        let text = "先手：羽生善治\n後手：糸谷哲郎\n手合割：平手　　\n";
        for encoding in [UTF_8, SHIFT_JIS, EUC_JP] {
            let bytes = encoding.encode(text).0;
            assert_eq!(decode(&bytes, None).unwrap(), text, "{}", encoding.name());
        }
        assert_eq!(decode(b"\xEF\xBB\xBFa\r\nb\rc", None).unwrap(), "a\nb\nc");
        assert_eq!(decode(b"\xFF\xFEa\0", None), Err(Problem::Utf16));
        let wrong = SHIFT_JIS.encode(text).0;
        assert_eq!(decode(&wrong, Some(UTF_8)).unwrap(), text, "a false declaration");
        assert!(decode(b"ok \xFF\xFF\x80", None).unwrap().starts_with("ok "));
    }

    #[test]
    fn shift_jis_keeps_the_length_of_lines() {
        let (bytes, missing) = encode("▲７六歩～〜☗鷗😀", Encoding::ShiftJis);
        assert_eq!(missing, 2, "the gull and the face");
        assert_eq!(decode(&bytes, Some(SHIFT_JIS)).unwrap(), "▲７六歩～～▲〓〓");
    }
}
