//! How records are written, and what a format had no room for.

use std::fmt;
use std::str::FromStr;

/// The character encoding of text written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Encoding {
    /// UTF-8 without a byte order mark.
    #[default]
    Utf8,
    /// Shift_JIS as Windows has it (code page 932).
    ShiftJis,
}

impl Encoding {
    /// The name files declare it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::ShiftJis => "Shift_JIS",
        }
    }
}

/// An encoding nobody knows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown encoding {0:?}: expected \"utf-8\" or \"shift_jis\"")]
pub struct UnknownEncoding(pub String);

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(s: &str) -> Result<Self, UnknownEncoding> {
        match s.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
            "utf8" => Ok(Self::Utf8),
            "shiftjis" | "sjis" | "cp932" => Ok(Self::ShiftJis),
            _ => Err(UnknownEncoding(s.to_owned())),
        }
    }
}

/// The version of CSA written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CsaVersion {
    /// 2.2, which everything reads, unless the record has times below a second or ended by the
    /// limit of moves, which need 3.0.
    #[default]
    Auto,
    /// Always 2.2: times are cut to whole seconds.
    V22,
    V30,
}

/// A version of CSA nobody knows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown CSA version {0:?}: expected \"auto\", \"2.2\" or \"3.0\"")]
pub struct UnknownCsaVersion(pub String);

impl FromStr for CsaVersion {
    type Err = UnknownCsaVersion;

    fn from_str(s: &str) -> Result<Self, UnknownCsaVersion> {
        match s.to_ascii_lowercase().trim_start_matches('v') {
            "auto" => Ok(Self::Auto),
            "2.2" => Ok(Self::V22),
            "3.0" | "3" => Ok(Self::V30),
            _ => Err(UnknownCsaVersion(s.to_owned())),
        }
    }
}

/// How to write records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteOptions {
    /// Character encoding. JKF and USI lines are UTF-8 in any case.
    pub encoding: Encoding,
    pub csa: CsaVersion,
}

/// What was not written because the format has no place for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    pub variations: usize,
    pub comments: usize,
    pub bookmarks: usize,
    pub evaluations: usize,
    /// Times, or their part below a second.
    pub times: usize,
    pub endings: usize,
    pub headers: usize,
    /// Characters the encoding lacks, written as `〓`.
    pub characters: usize,
}

impl Losses {
    /// Whether everything was written.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another record lost.
    pub const fn add(&mut self, other: &Self) {
        self.variations += other.variations;
        self.comments += other.comments;
        self.bookmarks += other.bookmarks;
        self.evaluations += other.evaluations;
        self.times += other.times;
        self.endings += other.endings;
        self.headers += other.headers;
        self.characters += other.characters;
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = [
            (self.variations, "variation"),
            (self.comments, "comment"),
            (self.bookmarks, "bookmark"),
            (self.evaluations, "evaluation"),
            (self.times, "time stamp"),
            (self.endings, "ending"),
            (self.headers, "header"),
            (self.characters, "character"),
        ];
        let count =
            |(n, what): &(usize, &str)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" });
        let words: Vec<String> = list.iter().filter(|(n, _)| *n > 0).map(count).collect();
        f.write_str(if words.is_empty() { "nothing" } else { "" })?;
        f.write_str(&words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_on_the_command_line() {
        assert_eq!("Shift_JIS".parse(), Ok(Encoding::ShiftJis));
        assert_eq!("utf-8".parse(), Ok(Encoding::Utf8));
        assert!("latin1".parse::<Encoding>().is_err());
        assert_eq!("V3.0".parse(), Ok(CsaVersion::V30));
        assert!("1".parse::<CsaVersion>().is_err());
    }

    #[test]
    fn losses_in_words() {
        let mut losses = Losses { variations: 2, ..Losses::default() };
        losses.add(&Losses { times: 1, variations: 1, ..Losses::default() });
        assert_eq!(losses.to_string(), "3 variations, 1 time stamp");
        assert_eq!(Losses::default().to_string(), "nothing");
    }
}
