//! Words of a line, numbers among them, and what can be wrong.

use think::quote;
use thiserror::Error;

/// The longest time this protocol counts, in milliseconds (about 30 years): larger numbers mean
/// this one, so that no sum of times can overflow.
pub const MAX_MILLIS: u64 = 1_000_000_000_000;

/// Why a line is not USI.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseError {
    /// Nothing but white space.
    #[error("empty line")]
    Empty,
    /// The first word is no command (or no reply).
    #[error("unknown command {}", quote(.0))]
    Unknown(String),
    /// Something must follow a word.
    #[error("{} needs {expected}", quote(after))]
    Missing {
        after: String,
        /// What must follow.
        expected: &'static str,
    },
    /// Something else than the word that followed was expected.
    #[error("{} takes {expected}, not {}", quote(after), quote(found))]
    Unexpected {
        /// The word before.
        after: String,
        /// What may follow.
        expected: &'static str,
        found: String,
    },
    /// A number was expected.
    #[error("{} takes a whole number, not {}", quote(field), quote(value))]
    NotANumber { field: String, value: String },
}

/// The text without the white space around it.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii_whitespace())
}

/// The line without a byte order mark, which some shells put before the first one.
pub(crate) fn unmarked(line: &str) -> &str {
    line.trim_start_matches('\u{feff}')
}

/// The first word and the rest, both trimmed; empty where there is none.
pub(crate) fn first(line: &str) -> (&str, &str) {
    let line = trimmed(line);
    match line.split_once(|c: char| c.is_ascii_whitespace()) {
        Some((word, rest)) => (word, trimmed(rest)),
        None => (line, ""),
    }
}

/// Reads a count or a time. Any size is understood: below 0 means 0, above `max` means `max`.
pub(crate) fn number(field: &str, word: Option<&str>, max: u64) -> Result<u64, ParseError> {
    let Some(word) = word else {
        return Err(ParseError::Missing { after: field.to_owned(), expected: "a number" });
    };
    let (negative, digits) = match word.as_bytes() {
        [b'-', ..] => (true, &word[1..]),
        [b'+', ..] => (false, &word[1..]),
        _ => (false, word),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseError::NotANumber { field: field.to_owned(), value: word.to_owned() });
    }
    // Only digits: the one way to fail is to be too large.
    Ok(if negative { 0 } else { digits.parse().unwrap_or(u64::MAX).min(max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: Result<u64, &str>) {
        let got = number("btime", Some(word), MAX_MILLIS).map_err(|e| e.to_string());
        assert_eq!(got, expected.map_err(str::to_owned), "{word}");
    }

    #[test]
    fn numbers_of_any_size_are_clamped_and_anything_else_is_quoted() {
        check("0", Ok(0));
        check("+60000", Ok(60_000));
        check("-500", Ok(0));
        check("99999999999999999999999999", Ok(MAX_MILLIS));
        check("-99999999999999999999999999", Ok(0));
        for word in ["", "-", "+", "1.5", "1e3", "0x10", "１０", "nan", "--1"] {
            check(word, Err(&format!("\"btime\" takes a whole number, not \"{word}\"")));
        }
        let missing = number("btime", None, MAX_MILLIS).unwrap_err();
        assert_eq!(missing.to_string(), "\"btime\" needs a number");
    }

    #[test]
    fn first_word_and_rest_are_trimmed() {
        assert_eq!(first(" \tgo\t infinite \r\n"), ("go", "infinite"));
        assert_eq!(first("usi"), ("usi", ""));
        assert_eq!(first(" \r\n"), ("", ""));
    }
}
