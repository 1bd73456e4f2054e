//! The header of a teacher file: which game, and how the data came to be.

use crate::bytes::Bytes;
use crate::error::TeacherError;
use rules::Game;
use std::io::{Read, Write};

/// First bytes of every teacher file. The high bit and the line ends show what a transfer as text
/// would have broken.
const MAGIC: [u8; 8] = *b"\x89NueT\r\n\x1A";
/// The version written.
const VERSION: u16 = 1;
/// Longest text of a header.
const LONGEST: usize = 1 << 20;
/// Bytes before the text.
const FIXED: usize = 16;

/// What a file says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The game of every game in the file.
    pub game: Game,
    /// Keys and values in order. Known keys: `engine` (name and version), `net` (hash of the
    /// net), `seed`; the rest are settings of whoever made the data.
    pub entries: Vec<(String, String)>,
}

impl Header {
    /// A header that says nothing but the game.
    pub const fn new(game: Game) -> Self {
        Self { game, entries: Vec::new() }
    }

    /// The same header with one more entry, or another value for one it has.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "numbers and texts are given alike")]
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        let value = value.to_string();
        match self.entries.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = value,
            None => self.entries.push((key.to_owned(), value)),
        }
        self
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Refuses a file with this header where one with the other is meant: the first difference is named.
    pub fn same_as(&self, wanted: &Self) -> Result<(), TeacherError> {
        if self == wanted {
            return Ok(());
        }
        if self.game != wanted.game {
            let told = format!("the file holds {}, not {}", self.game, wanted.game);
            return Err(TeacherError::Another(told));
        }
        let keys = self.entries.iter().chain(&wanted.entries).map(|(key, _)| key);
        let different =
            keys.map(|key| (key, self.get(key), wanted.get(key))).find(|(_, a, b)| a != b);
        let shown = |value: Option<&str>| value.map_or("nothing".to_owned(), |v| format!("{v:?}"));
        Err(TeacherError::Another(match different {
            Some((key, old, new)) => {
                format!("{key} is {} in the file, now {}", shown(old), shown(new))
            }
            None => "the entries have another order".to_owned(),
        }))
    }

    /// The header as bytes, with its checksum.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, TeacherError> {
        let mut text = String::new();
        for (key, value) in &self.entries {
            let bad = |c: char| c == '\n' || c == '\r';
            if key.is_empty() || key.contains('=') || key.contains(bad) || value.contains(bad) {
                let entry = format!("{key}={value}");
                return Err(TeacherError::Header(format!(
                    "{entry:?} is not key=value on one line"
                )));
            }
            text.extend([key.as_str(), "=", value.as_str(), "\n"]);
        }
        if text.len() > LONGEST {
            return Err(TeacherError::Header(format!("{} bytes of text", text.len())));
        }
        let mut out = MAGIC.to_vec();
        out.extend(VERSION.to_le_bytes());
        out.push(self.game as u8);
        out.push(0);
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
        let sum = crc32fast::hash(&out);
        out.extend(sum.to_le_bytes());
        Ok(out)
    }

    pub(crate) fn write(&self, output: &mut impl Write) -> Result<u64, TeacherError> {
        let bytes = self.to_bytes()?;
        output.write_all(&bytes)?;
        Ok(bytes.len() as u64)
    }

    /// Reads a header; also says how long it is. A file that ends inside its header is
    /// [`TeacherError::Damaged`] at byte 0.
    pub(crate) fn read(input: &mut impl Read) -> Result<(Self, u64), TeacherError> {
        let mut bytes = vec![0; FIXED];
        let had = fill(input, &mut bytes)?;
        let begun = had.min(MAGIC.len());
        if bytes[..begun] != MAGIC[..begun] {
            let first = String::from_utf8_lossy(&bytes[..begun]).into_owned();
            return Err(TeacherError::NotTeacher(format!("it begins with {first:?}")));
        }
        let short = || TeacherError::Damaged { offset: 0, reason: "the header is cut".to_owned() };
        if had < FIXED {
            return Err(short());
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version != VERSION {
            return Err(TeacherError::Version(version));
        }
        let broken = |why: &str| TeacherError::Damaged { offset: 0, reason: why.to_owned() };
        let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
        if length > LONGEST {
            return Err(broken("the header says it is longer than any header"));
        }
        bytes.resize(FIXED + length + 4, 0);
        if fill(input, &mut bytes[FIXED..])? < length + 4 {
            return Err(short());
        }
        let (body, sum) = bytes.split_at(FIXED + length);
        if Bytes(sum).array() != Some(crc32fast::hash(body).to_le_bytes()) {
            return Err(broken("the checksum of the header is wrong"));
        }
        let game = Game::ALL.get(usize::from(body[10])).copied();
        let game = game.ok_or_else(|| broken("the header names an unknown game"))?;
        let text = std::str::from_utf8(&body[FIXED..]).map_err(|e| broken(&e.to_string()))?;
        let entries = text
            .lines()
            .map(|line| line.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned())))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| broken("a line of the header is not key=value"))?;
        Ok((Self { game, entries }, bytes.len() as u64))
    }
}

/// Whether bytes begin like a teacher file.
pub fn is_teacher(beginning: &[u8]) -> bool {
    beginning.starts_with(&MAGIC)
}

/// Fills as much of the buffer as there is; says how much that was.
pub fn fill(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut had = 0;
    while had < buffer.len() {
        match input.read(&mut buffer[had..]) {
            Ok(0) => break,
            Ok(n) => had += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(had)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Header {
        Header::new(Game::Minishogi)
            .with("engine", "Nue 0.1.0")
            .with("net", "a=b")
            .with("seed", 7)
            .with("名", "値")
            .with("seed", 8)
    }

    #[test]
    fn a_header_reads_back() {
        let header = sample();
        let bytes = header.to_bytes().unwrap();
        assert!(is_teacher(&bytes));
        let (read, length) = Header::read(&mut &bytes[..]).unwrap();
        assert_eq!((read, length), (header.clone(), bytes.len() as u64));
        assert_eq!((header.get("seed"), header.get("net")), (Some("8"), Some("a=b")));
        for bad in [("", "x"), ("a=b", "x"), ("a", "x\ny"), ("a\rb", "x")] {
            let header = Header::new(Game::Shogi).with(bad.0, bad.1);
            assert!(matches!(header.to_bytes(), Err(TeacherError::Header(_))), "{bad:?}");
        }
    }

    #[test]
    fn damage_is_told_apart() {
        let bytes = sample().to_bytes().unwrap();
        for length in 0..bytes.len() {
            let error = Header::read(&mut &bytes[..length]).unwrap_err();
            assert!(matches!(error, TeacherError::Damaged { offset: 0, .. }), "{length}: {error}");
        }
        let error = Header::read(&mut &b"PK\x03\x04 and so on, at length"[..]).unwrap_err();
        assert!(matches!(error, TeacherError::NotTeacher(_)));
        let mut later = bytes;
        later[8] = 9;
        assert!(matches!(Header::read(&mut &later[..]), Err(TeacherError::Version(9))));
    }

    proptest! {
        #[test]
        fn one_wrong_bit_is_noticed(at in 0usize..10_000, bit in 0u8..8) {
            let mut bytes = sample().to_bytes().unwrap();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert!(Header::read(&mut &bytes[..]).is_err());
        }
    }
}
