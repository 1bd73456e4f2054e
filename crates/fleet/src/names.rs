//! Names of things: short, comparable, safe in file names, subjects and addresses.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Why a text is no name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NameError {
    #[error("{0:?} is not a name: use 1 to 64 letters, digits, '-' or '_'")]
    Name(String),
    #[error("{0:?} is not a pool: use a name, or '@' and the name of a worker")]
    Pool(String),
    #[error("{0:?} is not a hash: expected 64 hexadecimal digits")]
    Hash(String),
    #[error("{text:?} is not the number of a {what}: expected {letter}1, {letter}2, …")]
    Number { what: &'static str, letter: char, text: String },
}

fn is_name(text: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(plain)
}

/// Numbers given by the coordinator, shown with a letter before them.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $letter:literal, $what:literal) => {
        $(#[$doc])*
        /// Shown with its letter.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $letter, self.0)
            }
        }

        /// With or without its letter.
        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let digits = text.strip_prefix($letter).unwrap_or(text);
                let plain = digits.bytes().all(|c| c.is_ascii_digit());
                digits.parse().ok().filter(|_| plain).map(Self).ok_or_else(|| NameError::Number {
                    what: $what,
                    letter: $letter,
                    text: text.to_owned(),
                })
            }
        }
    };
}

number!(
    /// A run: all that was asked for at once.
    RunId, 'r', "run"
);
number!(
    /// A task of a run: what one worker is given at a time.
    TaskId, 't', "task"
);

/// Texts that must look like names.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $check:expr, $error:path) => {
        $(#[$doc])*
        /// Only such text as was checked.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// As text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                if $check(&text) { Ok(Self(text)) } else { Err($error(text)) }
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(
    /// A worker: one process on one machine.
    WorkerId, is_name, NameError::Name
);
name!(
    /// Whose a worker is. Two workers of one owner vouch for each other as little as one does.
    OwnerName, is_name, NameError::Name
);
name!(
    /// Where a task waits and who looks there: a name such as `any`, or `@` and a worker for a task
    /// that only this worker may have.
    Pool, is_pool, NameError::Pool
);

fn is_pool(text: &str) -> bool {
    is_name(text.strip_prefix('@').unwrap_or(text))
}

impl Pool {
    /// The pool of tasks that anybody who is admitted may have.
    pub fn any() -> Self {
        Self("any".to_owned())
    }

    /// The pool that belongs to one worker.
    pub fn of(worker: &WorkerId) -> Self {
        Self(format!("@{worker}"))
    }

    /// Whether it belongs to that worker alone.
    pub fn is_of(&self, worker: &WorkerId) -> bool {
        self.0.strip_prefix('@') == Some(worker.as_str())
    }

    /// The worker it belongs to alone.
    pub fn worker(&self) -> Option<WorkerId> {
        self.0.strip_prefix('@').map(|name| WorkerId(name.to_owned()))
    }

    /// Whether it belongs to some worker alone.
    pub fn is_private(&self) -> bool {
        self.0.starts_with('@')
    }
}

/// Bytes by what they are: SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BlobHash([u8; 32]);

impl BlobHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref());
        Self(hash)
    }

    /// The hash of what a reader gives, without holding it all.
    pub fn of_reader(mut reader: impl std::io::Read) -> std::io::Result<Self> {
        let mut context = ring::digest::Context::new(&ring::digest::SHA256);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer)? {
                0 => break,
                n => context.update(&buffer[..n]),
            }
        }
        let mut hash = [0; 32];
        hash.copy_from_slice(context.finish().as_ref());
        Ok(Self(hash))
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for BlobHash {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let wrong = || NameError::Hash(text.to_owned());
        let plain = text.len() == 64 && text.bytes().all(|c| c.is_ascii_hexdigit());
        let text_of = |i: usize| text.get(2 * i..2 * i + 2).filter(|_| plain);
        let mut hash = [0; 32];
        for (i, byte) in hash.iter_mut().enumerate() {
            let two = text_of(i).ok_or_else(wrong)?;
            *byte = u8::from_str_radix(two, 16).map_err(|_| wrong())?;
        }
        Ok(Self(hash))
    }
}

impl TryFrom<String> for BlobHash {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<BlobHash> for String {
    fn from(hash: BlobHash) -> Self {
        hash.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_subjects_and_paths() {
        for good in ["a", "box-7_b", &"x".repeat(64)] {
            assert!(good.parse::<WorkerId>().is_ok(), "{good}");
        }
        for bad in ["", "a.b", "a b", "../x", "*", ">", "é", &"x".repeat(65)] {
            assert!(bad.parse::<WorkerId>().is_err(), "{bad}");
            assert!(serde_json::from_value::<WorkerId>(bad.into()).is_err(), "{bad}");
        }
        let worker: WorkerId = "box-7".parse().unwrap();
        assert!(Pool::of(&worker).is_of(&worker));
        assert!("@box-7".parse::<Pool>().unwrap().is_private());
        assert!(!Pool::any().is_private());
        assert!("@".parse::<Pool>().is_err());
    }

    #[test]
    fn numbers_come_with_or_without_their_letter() {
        assert_eq!("r12".parse(), Ok(RunId(12)));
        assert_eq!("12".parse(), Ok(RunId(12)));
        assert_eq!(TaskId(3).to_string(), "t3");
        for bad in ["", "r", "t12", "r-1", "r+1", "r1x"] {
            assert!(bad.parse::<RunId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_hash_is_the_one_everybody_computes() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(BlobHash::of(b"abc").to_string(), known);
        assert_eq!(BlobHash::of_reader(&b"abc"[..]).unwrap(), known.parse().unwrap());
        for bad in ["", "ba78", &known.replace('b', "g"), &format!("{known}00"), &"é".repeat(32)] {
            assert!(bad.parse::<BlobHash>().is_err(), "{bad}");
        }
    }
}
