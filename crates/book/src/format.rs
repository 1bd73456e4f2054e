//! The formats by name, and what a file is.

use crate::{apery, db, native, ybb};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// How a book is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Ours.
    Native,
    /// YaneuraOu's text.
    Db,
    /// YaneuraOu's binary.
    Ybb,
    /// Apery's and dlshogi's.
    Apery,
    /// ShogiGUI's.
    Sbk,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Native, Self::Db, Self::Ybb, Self::Apery, Self::Sbk];

    /// The name, which is also the end of a file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "nbk",
            Self::Db => "db",
            Self::Ybb => "ybb",
            Self::Apery => "bin",
            Self::Sbk => "sbk",
        }
    }

    /// What a file of that name is.
    pub fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(extension))
    }

    /// What a file is, by its first bytes, else by its name.
    pub fn detect(path: &Path, start: &[u8]) -> Option<Self> {
        let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
        if start.starts_with(&native::MAGIC) {
            Some(Self::Native)
        } else if start.starts_with(&ybb::MAGIC) {
            Some(Self::Ybb)
        } else if text.starts_with(db::FIRST_LINE.as_bytes()) {
            Some(Self::Db)
        } else {
            Self::of_name(path)
        }
    }

    /// Appends what entries are sorted by in a file: nothing where that is their keys.
    pub(crate) fn put_order(
        self,
        out: &mut Vec<u8>,
        entry: &crate::Entry,
        game: rules::Game,
    ) -> Result<(), crate::BookError> {
        match self {
            Self::Db => out.extend(db::order_of(entry, game)?),
            Self::Apery => out.extend(apery::order_of(entry)?),
            Self::Native | Self::Ybb | Self::Sbk => {}
        }
        Ok(())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is no format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown book format {0:?}; there are nbk, db, ybb, bin and sbk")]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name() == word);
        known.ok_or_else(|| UnknownFormat(word.to_owned()))
    }
}
