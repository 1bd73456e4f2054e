//! What the owner lets visitors watch: a server's file or status page, matches, labs, a fleet, a cluster.

use super::status_page::StatusPage;
use super::{WatchSource, cluster, fleet, labs, matches};
use crate::start::StartError;
use board::error::{ApiError, ErrorCode};
use board::watch::{ServerParts, WatchData, WatchKind, WatchLearn, WatchMatch, WatchServer};
use kifu::{ReadOptions, Reader, Record};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads data files of `nue server`, whose tables are another room's.
pub trait ServerFile: Send + Sync {
    /// Its parts: status, games, standings, ratings, records.
    fn look(&self, path: &Path) -> Result<Value, String>;

    /// A game of it, running or over.
    fn record(&self, path: &Path, id: &str) -> Result<Option<Record>, String>;
}

/// Where everything to be watched is.
#[derive(Clone, Default, Debug)]
pub struct WatchPlaces {
    /// The data file of `nue server`, or the address of its status page (`http://HOST:PORT`).
    pub server: Option<String>,
    /// Files of `nue match --out`.
    pub matches: Vec<PathBuf>,
    /// Folders of `nue learn`.
    pub labs: Vec<PathBuf>,
    /// The folder of `nue fleet serve`.
    pub fleet: Option<PathBuf>,
    /// The `view` of a file of `nue cluster`.
    pub cluster: Option<PathBuf>,
}

enum Server {
    File(PathBuf),
    Page(StatusPage),
}

/// Everything that can be watched.
pub struct WatchSources {
    server: Option<Server>,
    server_file: Arc<dyn ServerFile>,
    matches: Vec<PathBuf>,
    labs: Vec<PathBuf>,
    fleet: Option<PathBuf>,
    cluster: Option<PathBuf>,
}

impl WatchSources {
    /// The sources at those places; an address that is none is refused.
    pub fn new(places: &WatchPlaces, server_file: Arc<dyn ServerFile>) -> Result<Self, StartError> {
        let server = match places.server.as_deref() {
            None => None,
            Some(url) if url.contains("://") => {
                Some(Server::Page(StatusPage::new(url).map_err(StartError::Usage)?))
            }
            Some(path) => Some(Server::File(PathBuf::from(path))),
        };
        let (matches, labs) = (places.matches.clone(), places.labs.clone());
        let (fleet, cluster) = (places.fleet.clone(), places.cluster.clone());
        Ok(Self { server, server_file, matches, labs, fleet, cluster })
    }

    fn file_parts(&self, path: &Path) -> Result<ServerParts, String> {
        let told = self.server_file.look(path)?;
        serde_json::from_value(told).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn look_at_server(&self) -> Result<WatchServer, ApiError> {
        let (source, told) = match &self.server {
            None => return Err(ApiError::missing("no server is watched")),
            Some(Server::File(path)) => (name(path), self.file_parts(path)),
            Some(Server::Page(page)) => (page.to_string(), page_parts(page)),
        };
        let (parts, error) = match told {
            Ok(parts) => (parts, None),
            Err(error) => (ServerParts::default(), Some(error)),
        };
        Ok(WatchServer { source, live: error.is_none(), at: now(), error, parts })
    }
}

/// The whole minute: a look that finds nothing new is no news.
fn now() -> u64 {
    think::since_1970().as_secs() / 60 * 60_000
}

/// A file's name without the folders before it, which are nobody's business.
fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// What the status page tells; a part it does not have is missing.
fn page_parts(page: &StatusPage) -> Result<ServerParts, String> {
    fn part<T: DeserializeOwned>(page: &StatusPage, path: &str) -> Result<Option<T>, String> {
        let bytes = page.get(path)?;
        serde_json::from_slice(&bytes).map_err(|e| format!("{path}: {e}"))
    }
    Ok(ServerParts {
        status: part(page, "/status.json")?,
        games: part(page, "/games.json")?,
        standings: part(page, "/standings.json")?,
        ratings: part(page, "/ratings.json").unwrap_or_default(),
        records: part(page, "/records.json").unwrap_or_default(),
    })
}

impl WatchSource for WatchSources {
    fn has(&self, what: WatchKind) -> bool {
        match what {
            WatchKind::Server => self.server.is_some(),
            WatchKind::Match => !self.matches.is_empty(),
            WatchKind::Learn => !self.labs.is_empty(),
            WatchKind::Fleet => self.fleet.is_some(),
            WatchKind::Cluster => self.cluster.is_some(),
        }
    }

    fn look(&self, what: WatchKind) -> Result<WatchData, ApiError> {
        let missing = || ApiError::missing(format!("no {} is watched", what.word()));
        if let (WatchKind::Fleet, Some(folder)) = (what, &self.fleet) {
            return Ok(WatchData::Fleet(Box::new(fleet::look(folder, &name(folder)))));
        }
        if let (WatchKind::Cluster, Some(file)) = (what, &self.cluster) {
            return Ok(WatchData::Cluster(Box::new(cluster::look(file, &name(file)))));
        }
        match what {
            WatchKind::Server => Ok(WatchData::Server(Box::new(self.look_at_server()?))),
            WatchKind::Match if self.has(what) => {
                let told = self.matches.iter().map(|path| matches::look(path, &name(path)));
                Ok(WatchData::Match(WatchMatch { matches: told.collect() }))
            }
            WatchKind::Learn if self.has(what) => {
                let told = self.labs.iter().flat_map(|path| labs::look(path, &name(path)));
                Ok(WatchData::Learn(WatchLearn { labs: told.collect() }))
            }
            _ => Err(missing()),
        }
    }

    fn server_game(&self, id: &str) -> Result<Record, ApiError> {
        let missing = || ApiError::missing(format!("there is no game {id:?}"));
        let failed = |e: String| ApiError::new(ErrorCode::Unavailable, e);
        match &self.server {
            None => Err(missing()),
            Some(Server::File(path)) => {
                self.server_file.record(path, id).map_err(failed)?.ok_or_else(missing)
            }
            Some(Server::Page(page)) => {
                let path = format!("/records/{}.csa", super::status_page::encoded(id));
                let bytes = page.get(&path).map_err(failed)?;
                let read = Reader::new("game.csa", bytes.as_slice(), ReadOptions::default()).next();
                read.and_then(Result::ok).ok_or_else(missing)
            }
        }
    }

    fn match_game(&self, wanted: &str, number: u64) -> Result<Record, ApiError> {
        let missing = || ApiError::missing(format!("there is no game {number} of {wanted:?}"));
        let path = self.matches.iter().find(|path| name(path) == wanted).ok_or_else(missing)?;
        matches::game(path, number).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct NoFile;

    impl ServerFile for NoFile {
        fn look(&self, path: &Path) -> Result<Value, String> {
            Err(format!("{}: not there", path.display()))
        }

        fn record(&self, _: &Path, _: &str) -> Result<Option<Record>, String> {
            Ok(None)
        }
    }

    fn sources(places: &WatchPlaces) -> Result<WatchSources, StartError> {
        WatchSources::new(places, Arc::new(NoFile))
    }

    #[test]
    fn only_what_was_named_can_be_watched() {
        let none = sources(&WatchPlaces::default()).unwrap();
        for kind in WatchKind::ALL {
            assert!(!none.has(kind) && none.look(kind).is_err());
        }
        let places = WatchPlaces {
            server: Some("no/such/file.db".to_owned()),
            matches: vec![PathBuf::from("no/such/games.csa")],
            labs: vec![PathBuf::from("no/such/lab")],
            fleet: Some(PathBuf::from("no/such/fleet")),
            cluster: Some(PathBuf::from("no/such/team.json")),
        };
        let some = sources(&places).unwrap();
        assert!(json!(some.look(WatchKind::Fleet).unwrap())["error"].is_string());
        assert!(json!(some.look(WatchKind::Cluster).unwrap())["error"].is_string());
        let told = json!(some.look(WatchKind::Server).unwrap());
        assert_eq!((&told["source"], &told["live"]), (&json!("file.db"), &json!(false)));
        assert!(told["error"].is_string());
        assert!(json!(some.look(WatchKind::Match).unwrap())["matches"][0]["error"].is_string());
        assert!(json!(some.look(WatchKind::Learn).unwrap())["labs"][0]["error"].is_string());
        assert!(some.match_game("games.csa", 0).is_err() && some.server_game("x").is_err());
        let wrong = WatchPlaces { server: Some("ftp://x".to_owned()), ..WatchPlaces::default() };
        assert!(sources(&wrong).is_err());
    }
}
