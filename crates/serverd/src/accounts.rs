//! Accounts and their passwords: kept only as salted hashes, and checked in a thread of their own,
//! because a good hash takes its time.

use crate::error::Error;
use crate::store;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use server::lobby::{Checked, Refusal};
use std::collections::HashMap;

/// The accounts in the data file, and who else may log in.
pub(crate) struct Accounts {
    /// The data file, in which an account may be made while the server runs.
    file: rusqlite::Connection,
    /// Hashes of accounts just made, which may not lie there yet.
    fresh: HashMap<String, String>,
    registration: bool,
    guests: bool,
}

/// Whether somebody may log in, and the hash of a new account to be stored.
pub(crate) struct LoginResult {
    pub(crate) checked: Checked,
    pub(crate) new_hash: Option<String>,
}

impl Accounts {
    pub(crate) fn new(file: rusqlite::Connection, registration: bool, guests: bool) -> Self {
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

    /// Whether somebody may log in; `register` says whether a new name may become an account.
    pub(crate) fn check(
        &mut self,
        name: &str,
        secret: Option<&str>,
        register: bool,
    ) -> LoginResult {
        let answer = |checked| LoginResult { checked, new_hash: None };
        let refused = |refusal| answer(Checked::Refused(refusal));
        // Where nobody can look nobody comes in.
        let Ok(account) = self.account(name) else { return refused(Refusal::Busy) };
        match (account, secret) {
            (Some(hash), Some(secret)) if is_right(&hash, secret) => answer(Checked::Known),
            (Some(_), Some(_)) => refused(Refusal::Password),
            (Some(_), None) => refused(Refusal::Account),
            (None, Some(secret)) if self.registration && register => match hash(secret) {
                Ok(hash) => {
                    self.fresh.insert(name.to_owned(), hash.clone());
                    LoginResult { checked: Checked::Known, new_hash: Some(hash) }
                }
                Err(_) => refused(Refusal::Busy),
            },
            (None, Some(_)) => refused(Refusal::Unknown),
            (None, None) if self.guests => answer(Checked::Guest),
            (None, None) => refused(Refusal::Guests),
        }
    }
}

/// A salted hash in the PHC string format, with all it takes to check it.
pub(crate) fn hash(secret: &str) -> Result<String, Error> {
    let hash = Argon2::default().hash_password(secret.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| Error::Hash(error.to_string()))
}

fn is_right(hash: &str, secret: &str) -> bool {
    let hash = PasswordHash::new(hash).ok().or_else(|| first_format(hash));
    hash.is_some_and(|hash| Argon2::default().verify_password(secret.as_bytes(), &hash).is_ok())
}

/// A hash as the first servers stored it: `argon2id$MEMORY$PASSES$LANES$SALT$HASH`, both in
/// hexadecimal.
fn first_format(text: &str) -> Option<PasswordHash> {
    let parts: Vec<&str> = text.split('$').collect();
    let ["argon2id", memory, passes, lanes, salt, hash] = parts[..] else { return None };
    let (salt, hash) = (unhex(salt)?, unhex(hash)?);
    let params = Params::new(
        memory.parse().ok()?,
        passes.parse().ok()?,
        lanes.parse().ok()?,
        Some(hash.len()),
    );
    Some(PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params.ok()?).ok()?,
        salt: Some(Salt::new(&salt).ok()?),
        hash: Some(Output::new(&hash).ok()?),
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok()).collect()
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
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{one}");
        for damaged in ["", "argon2id$1$1$1$zz$zz", "argon2id$x", &one[..one.len() - 2]] {
            assert!(!is_right(damaged, "secret"), "{damaged}");
        }
    }

    #[test]
    fn hashes_of_the_first_servers_still_open() {
        let (salt, mut out) = ([7; 16], [0; 32]);
        let params = Params::new(19_456, 2, 1, Some(32)).unwrap();
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon.hash_password_into(b"secret", &salt, &mut out).unwrap();
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let stored = format!("argon2id$19456$2$1${}${}", hex(&salt), hex(&out));
        assert!(is_right(&stored, "secret") && !is_right(&stored, "Secret"), "{stored}");
        assert!(!is_right(&stored[..stored.len() - 2], "secret"));
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
        let mut accounts = Accounts::new(connection, true, true);
        assert_eq!(accounts.check("old", Some("s"), true).checked, Checked::Known);
        assert_eq!(
            accounts.check("old", Some("t"), true).checked,
            Checked::Refused(Refusal::Password)
        );
        assert_eq!(accounts.check("old", None, true).checked, Checked::Refused(Refusal::Account));
        assert_eq!(accounts.check("guest", None, true).checked, Checked::Guest);
        let reserved = accounts.check("new", Some("n"), false);
        assert_eq!(reserved.checked, Checked::Refused(Refusal::Unknown));
        assert!(reserved.new_hash.is_none());
        assert!(accounts.check("new", Some("n"), true).new_hash.is_some());
        assert_eq!(accounts.check("new", Some("n"), true).checked, Checked::Known);
        assert_eq!(
            accounts.check("new", Some("x"), true).checked,
            Checked::Refused(Refusal::Password)
        );
        // Passwords set while the server runs.
        make(&accounts.file, "old", "t");
        assert_eq!(
            accounts.check("old", Some("s"), true).checked,
            Checked::Refused(Refusal::Password)
        );
        assert_eq!(accounts.check("old", Some("t"), true).checked, Checked::Known);
        let connection = file();
        make(&connection, "old", "s");
        let mut closed = Accounts::new(connection, false, false);
        assert_eq!(
            closed.check("new", Some("n"), true).checked,
            Checked::Refused(Refusal::Unknown)
        );
        assert_eq!(closed.check("guest", None, true).checked, Checked::Refused(Refusal::Guests));
        assert_eq!(closed.check("old", Some("s"), true).checked, Checked::Known);
    }
}
