//! Who may come in: a file with a line for each worker, `WORKER OWNER HASH`.
//!
//! The hash is that of the token (SHA-256): whoever reads the file learns no token. A token is looked up by
//! its hash, so the time that takes says nothing about others. Empty lines and those that begin with `#` say
//! nothing.

use fleet::names::NameError;
use fleet::{BlobHash, OwnerName, WorkerId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;
use thiserror::Error;

/// Letters a token begins with, so that one left somewhere is recognised.
const MARK: &str = "nue-";

/// Who a token belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    pub worker: WorkerId,
    pub owner: OwnerName,
}

/// Why a file of tokens cannot be used.
#[derive(Debug, Error)]
pub enum TokenError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{}, line {line}: expected WORKER OWNER HASH, not {text:?}", path.display())]
    Line { path: PathBuf, line: usize, text: String },
    #[error("{}, line {line}: {error}", path.display())]
    Name { path: PathBuf, line: usize, error: NameError },
    #[error("{}, line {line}: a token of {worker} that somebody else has too", path.display())]
    Shared { path: PathBuf, line: usize, worker: WorkerId },
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}

type Known = HashMap<BlobHash, Identity>;

/// What tells a file from the one before it: when it was written, and how long it is.
type Stamp = Option<(SystemTime, u64)>;

/// The tokens of a file, read again when it changes.
#[derive(Clone, Debug)]
pub struct Tokens {
    path: PathBuf,
    known: Arc<RwLock<(Known, Stamp)>>,
}

impl Tokens {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, TokenError> {
        let (stamp, known) = (stamp(path), read(path)?);
        let known = Arc::new(RwLock::new((known, stamp)));
        Ok(Self { path: path.to_owned(), known })
    }

    /// Whose a token is.
    pub fn find(&self, token: &str) -> Option<Identity> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.0.get(&BlobHash::of(token.as_bytes())).cloned()
    }

    /// Reads the file again if it has changed; says whether it had. What cannot be read changes nothing.
    pub fn refresh(&self) -> Result<bool, TokenError> {
        let stamp = stamp(&self.path);
        if self.known.read().unwrap_or_else(PoisonError::into_inner).1 == stamp {
            return Ok(false);
        }
        let known = read(&self.path);
        let mut held = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // Also where it cannot be read: said once, not every second.
        held.1 = stamp;
        held.0 = known?;
        Ok(true)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.read().unwrap_or_else(PoisonError::into_inner).0.len()
    }

    /// Whether nobody has one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A new token and the line for it. The token is shown once: only its hash is kept.
pub fn issue(identity: &Identity) -> Result<(String, String), TokenError> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|e| TokenError::Random(e.to_string()))?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let token = format!("{MARK}{digits}");
    let hash = BlobHash::of(token.as_bytes());
    Ok((token, format!("{} {} {hash}\n", identity.worker, identity.owner)))
}

fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn read(path: &Path) -> Result<Known, TokenError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| TokenError::File { path: path.to_owned(), error })?;
    let mut known = Known::new();
    for (index, text) in text.lines().enumerate() {
        let (path, line) = (path.to_owned(), index + 1);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let [worker, owner, hash] = words[..] else {
            return Err(TokenError::Line { path, line, text: text.to_owned() });
        };
        let name = |error| TokenError::Name { path: path.clone(), line, error };
        let worker: WorkerId = worker.parse().map_err(name)?;
        let identity = Identity { worker: worker.clone(), owner: owner.parse().map_err(name)? };
        let before = known.insert(hash.parse().map_err(name)?, identity);
        if before.is_some() {
            return Err(TokenError::Shared { path, line, worker });
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(worker: &str) -> Identity {
        Identity { worker: worker.parse().unwrap(), owner: "me".parse().unwrap() }
    }

    #[test]
    fn a_token_is_found_and_its_file_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let (token, line) = issue(&identity("box-7")).unwrap();
        assert!(!line.contains(&token) && token.starts_with(MARK) && token.len() == 52);
        std::fs::write(&path, format!("# mine\n\n{line}")).unwrap();
        let tokens = Tokens::load(&path).unwrap();
        assert_eq!(tokens.find(&token), Some(identity("box-7")));
        assert_eq!(tokens.find("nue-"), None);
        assert!(!tokens.refresh().unwrap());
        let (other, second) = issue(&identity("box-8")).unwrap();
        std::fs::write(&path, second).unwrap();
        let later = SystemTime::now() + std::time::Duration::from_secs(5);
        std::fs::File::open(&path).unwrap().set_modified(later).unwrap();
        assert!(tokens.refresh().unwrap());
        assert_eq!((tokens.find(&token), tokens.find(&other)), (None, Some(identity("box-8"))));
    }

    #[test]
    fn wrong_lines_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let hash = BlobHash::of(b"x");
        for (text, said) in [
            ("a b".to_owned(), "line 1: expected WORKER OWNER HASH"),
            (format!("\na/b me {hash}"), "line 2: \"a/b\" is not a name"),
            ("a me 12".to_owned(), "\"12\" is not a hash"),
            (format!("a me {hash}\nb me {hash}"), "line 2: a token of b that somebody else has"),
        ] {
            std::fs::write(&path, &text).unwrap();
            let error = Tokens::load(&path).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        assert!(matches!(Tokens::load(folder.path()), Err(TokenError::File { .. })));
    }
}
