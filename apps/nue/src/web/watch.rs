//! What the owner lets visitors watch: a server's file or status page, matches, labs.

mod inquiry;
mod lab;
mod matches;

use crate::failure::Failure;
use clap::Args;
use inquiry::Address;
use kifu::{ReadOptions, Reader, Record};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use web::trouble::{Code, Trouble};
use web::watch::{Watch, What};

/// What can be watched.
#[derive(Args, Clone, Default)]
pub(crate) struct WatchArgs {
    /// A CSA server to watch: the data file of "nue server", or the address of its status page (http://HOST:PORT)
    #[arg(long, value_name = "FILE|URL")]
    watch_server: Option<String>,
    /// A match to watch: the file of "nue match --out" (may be repeated)
    #[arg(long, value_name = "FILE")]
    watch_match: Vec<PathBuf>,
    /// Learning to watch: the folder of "nue learn" (may be repeated)
    #[arg(long, value_name = "DIR")]
    watch_learn: Vec<PathBuf>,
}

enum Server {
    File(PathBuf),
    Page(Address),
}

/// Where everything is.
pub(super) struct Sights {
    server: Option<Server>,
    matches: Vec<PathBuf>,
    labs: Vec<PathBuf>,
}

impl Sights {
    pub(super) fn new(args: &WatchArgs) -> Result<Self, Failure> {
        let server = match args.watch_server.as_deref() {
            None => None,
            Some(url) if url.contains("://") => {
                Some(Server::Page(Address::read(url).map_err(Failure::usage)?))
            }
            Some(path) => Some(Server::File(PathBuf::from(path))),
        };
        Ok(Self { server, matches: args.watch_match.clone(), labs: args.watch_learn.clone() })
    }

    fn look_at_server(&self) -> Result<Value, Trouble> {
        let (source, told) = match &self.server {
            None => return Err(Trouble::missing("no server is watched")),
            Some(Server::File(path)) => (name(path), serverd::inspect::overview(path)),
            Some(Server::Page(address)) => (address.to_string(), from_page(address)),
        };
        let mut value = json!({ "source": source, "live": told.is_ok(), "at": now(), "error": null,
            "status": null, "games": null, "standings": null, "ratings": null, "records": null });
        match told {
            Ok(parts) => {
                for (key, part) in parts.as_object().into_iter().flatten() {
                    value[key] = part.clone();
                }
            }
            Err(error) => value["error"] = error.into(),
        }
        Ok(value)
    }
}

/// The whole minute: a look that finds nothing new is no news.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |d| d.as_secs() / 60 * 60_000)
}

/// A file's name without the folders before it, which are nobody's business.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// What the status page tells; a part it does not have is missing.
fn from_page(address: &Address) -> Result<Value, String> {
    let part = |path: &str| -> Result<Value, String> {
        let bytes = address.get(path)?;
        serde_json::from_slice(&bytes).map_err(|e| format!("{path}: {e}"))
    };
    Ok(json!({
        "status": part("/status.json")?,
        "games": part("/games.json")?,
        "standings": part("/standings.json")?,
        "ratings": part("/ratings.json").unwrap_or_default(),
        "records": part("/records.json").unwrap_or_default(),
    }))
}

impl Watch for Sights {
    fn has(&self, what: What) -> bool {
        match what {
            What::Server => self.server.is_some(),
            What::Match => !self.matches.is_empty(),
            What::Learn => !self.labs.is_empty(),
        }
    }

    fn look(&self, what: What) -> Result<Value, Trouble> {
        let missing = || Trouble::missing(format!("no {} is watched", what.word()));
        match what {
            What::Server => self.look_at_server(),
            What::Match if self.has(what) => {
                let told: Vec<Value> =
                    self.matches.iter().map(|path| matches::look(path, &name(path))).collect();
                Ok(json!({ "matches": told }))
            }
            What::Learn if self.has(what) => {
                let told: Vec<Value> =
                    self.labs.iter().flat_map(|path| lab::look(path, &name(path))).collect();
                Ok(json!({ "labs": told }))
            }
            _ => Err(missing()),
        }
    }

    fn server_game(&self, id: &str) -> Result<Record, Trouble> {
        let missing = || Trouble::missing(format!("there is no game {id:?}"));
        let failed = |e: String| Trouble::new(Code::Unavailable, e);
        match &self.server {
            None => Err(missing()),
            Some(Server::File(path)) => {
                serverd::inspect::record(path, id).map_err(failed)?.ok_or_else(missing)
            }
            Some(Server::Page(address)) => {
                let path = format!("/records/{}.csa", inquiry::encoded(id));
                let bytes = address.get(&path).map_err(failed)?;
                let read = Reader::new("game.csa", bytes.as_slice(), ReadOptions::default()).next();
                read.and_then(Result::ok).ok_or_else(missing)
            }
        }
    }

    fn match_game(&self, wanted: &str, number: u64) -> Result<Record, Trouble> {
        let missing = || Trouble::missing(format!("there is no game {number} of {wanted:?}"));
        let path = self.matches.iter().find(|path| name(path) == wanted).ok_or_else(missing)?;
        matches::game(path, number).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_named_can_be_watched() {
        let none = Sights::new(&WatchArgs::default()).unwrap();
        for what in What::ALL {
            assert!(!none.has(what) && none.look(what).is_err());
        }
        let args = WatchArgs {
            watch_server: Some("no/such/file.db".to_owned()),
            watch_match: vec![PathBuf::from("no/such/games.csa")],
            watch_learn: vec![PathBuf::from("no/such/lab")],
        };
        let sights = Sights::new(&args).unwrap();
        let told = sights.look(What::Server).unwrap();
        assert_eq!((&told["source"], &told["live"]), (&json!("file.db"), &json!(false)));
        assert!(told["error"].is_string());
        assert!(sights.look(What::Match).unwrap()["matches"][0]["error"].is_string());
        assert!(sights.look(What::Learn).unwrap()["labs"][0]["error"].is_string());
        assert!(sights.match_game("games.csa", 0).is_err() && sights.server_game("x").is_err());
        let wrong = WatchArgs { watch_server: Some("ftp://x".to_owned()), ..WatchArgs::default() };
        assert!(Sights::new(&wrong).is_err());
    }
}
