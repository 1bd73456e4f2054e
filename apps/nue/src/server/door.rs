//! Who may come in: passwords are kept only as salted hashes, and checked in a thread of their
//! own, because a good hash takes its time.

use super::store;
use ::server::lobby::Checked;
use argon2::{Algorithm, Argon2, Params, Version};
use std::collections::HashMap;

/// Memory in KiB, passes, lanes: what the standard recommends as the least.
const COST: (u32, u32, u32) = (19_456, 2, 1);

/// The keeper of the door.
pub(super) struct Door {
    /// The data file, in which an account may be made while the server runs.
    file: rusqlite::Connection,
    /// Hashes of accounts just made, which may not lie there yet.
    fresh: HashMap<String, String>,
    registration: bool,
    guests: bool,
}

/// The answer, and the hash of a new account to be stored.
pub(super) struct Answer {
    pub(super) checked: Checked,
    pub(super) new: Option<String>,
}

impl Door {
    pub(super) fn new(file: rusqlite::Connection, registration: bool, guests: bool) -> Self {
        Self { file, fresh: HashMap::new(), registration, guests }
    }

    /// The hash of somebody's password, if there is such an account.
    fn account(&mut self, name: &str) -> Result<Option<String>, store::Error> {
        let found = store::account(&self.file, name)?;
        if found.is_some() {
            self.fresh.remove(name);
        }
        Ok(found.or_else(|| self.fresh.get(name).cloned()))
    }

    /// Whether somebody may log in.
    pub(super) fn check(&mut self, name: &str, secret: Option<&str>) -> Answer {
        let answer = |checked| Answer { checked, new: None };
        // Where nobody can look nobody comes in.
        let Ok(account) = self.account(name) else { return answer(Checked::Refused) };
        match (account, secret) {
            (Some(hash), Some(secret)) if is_right(&hash, secret) => answer(Checked::Known),
            (Some(_), _) => answer(Checked::Refused),
            (None, Some(secret)) if self.registration => match hash(secret) {
                Some(hash) => {
                    self.fresh.insert(name.to_owned(), hash.clone());
                    Answer { checked: Checked::Known, new: Some(hash) }
                }
                None => answer(Checked::Refused),
            },
            (None, None) if self.guests => answer(Checked::Guest),
            (None, _) => answer(Checked::Refused),
        }
    }
}

fn derive(secret: &str, salt: &[u8], (memory, passes, lanes): (u32, u32, u32)) -> Option<[u8; 32]> {
    let params = Params::new(memory, passes, lanes, Some(32)).ok()?;
    let mut out = [0; 32];
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon.hash_password_into(secret.as_bytes(), salt, &mut out).ok()?;
    Some(out)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok()).collect()
}

/// A salted hash with all it takes to check it.
pub(super) fn hash(secret: &str) -> Option<String> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).ok()?;
    let out = derive(secret, &salt, COST)?;
    let (memory, passes, lanes) = COST;
    Some(format!("argon2id${memory}${passes}${lanes}${}${}", hex(&salt), hex(&out)))
}

fn is_right(hash: &str, secret: &str) -> bool {
    let parts: Vec<&str> = hash.split('$').collect();
    let ["argon2id", memory, passes, lanes, salt, expected] = parts[..] else { return false };
    let (Ok(memory), Ok(passes), Ok(lanes)) = (memory.parse(), passes.parse(), lanes.parse())
    else {
        return false;
    };
    let (Some(salt), Some(expected)) = (unhex(salt), unhex(expected)) else { return false };
    let Some(out) = derive(secret, &salt, (memory, passes, lanes)) else { return false };
    // All bytes are compared whatever the first ones say.
    expected.len() == out.len() && expected.iter().zip(out).fold(0, |d, (a, b)| d | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_salted_and_only_the_secret_opens() {
        let (one, two) = (hash("secret").unwrap(), hash("secret").unwrap());
        assert_ne!(one, two);
        assert!(is_right(&one, "secret") && is_right(&two, "secret"));
        assert!(!is_right(&one, "Secret") && !is_right(&one, ""));
        for damaged in ["", "argon2id$1$1$1$zz$zz", "argon2id$x", &one[..one.len() - 2]] {
            assert!(!is_right(damaged, "secret"), "{damaged}");
        }
    }

    #[test]
    fn accounts_guests_and_newcomers() {
        let file = || {
            let connection = rusqlite::Connection::open_in_memory().unwrap();
            store::prepare(&connection).unwrap();
            connection
        };
        let make = |connection: &rusqlite::Connection, name: &str, secret: &str| {
            let hash = hash(secret).unwrap();
            store::set_account(connection, name, &hash, 0).unwrap();
        };
        let connection = file();
        make(&connection, "old", "s");
        let mut door = Door::new(connection, true, true);
        assert_eq!(door.check("old", Some("s")).checked, Checked::Known);
        assert_eq!(door.check("old", Some("t")).checked, Checked::Refused);
        assert_eq!(door.check("old", None).checked, Checked::Refused);
        assert_eq!(door.check("guest", None).checked, Checked::Guest);
        assert!(door.check("new", Some("n")).new.is_some());
        assert_eq!(door.check("new", Some("n")).checked, Checked::Known);
        assert_eq!(door.check("new", Some("x")).checked, Checked::Refused);
        // Passwords set while the server runs.
        make(&door.file, "old", "t");
        assert_eq!(door.check("old", Some("s")).checked, Checked::Refused);
        assert_eq!(door.check("old", Some("t")).checked, Checked::Known);
        let connection = file();
        make(&connection, "old", "s");
        let mut closed = Door::new(connection, false, false);
        assert_eq!(closed.check("new", Some("n")).checked, Checked::Refused);
        assert_eq!(closed.check("guest", None).checked, Checked::Refused);
        assert_eq!(closed.check("old", Some("s")).checked, Checked::Known);
    }
}
