//! A cluster: what its master writes while it plays.

use board::watch_cluster::{ClusterView, WatchCluster};
use durable::Lock;
use std::path::Path;

/// Bytes of a view that is shown.
const MOST: u64 = 16 << 20;

/// How it stands, or stood when its master ended.
pub(super) fn look(file: &Path, name: &str) -> WatchCluster {
    let (view, error) = match read(file) {
        Ok(view) => (Some(view), None),
        Err(error) => (None, Some(error)),
    };
    WatchCluster { source: name.to_owned(), live: Lock::is_held_beside(file), error, view }
}

fn read(file: &Path) -> Result<ClusterView, String> {
    let hint = "nue cluster writes it where its file says view";
    let length = std::fs::metadata(file).map_err(|e| format!("{e}; {hint}"))?.len();
    if length > MOST {
        return Err(format!("{length} bytes are too many; {hint}"));
    }
    let text = std::fs::read_to_string(file).map_err(|e| format!("{e}; {hint}"))?;
    serde_json::from_str(&text).map_err(|e| format!("this is no view of a cluster ({e}); {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::watch_cluster::ClusterDoing;

    #[test]
    fn the_view_is_what_lies_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("team.json");
        let missing = look(&path, "team.json");
        assert!(missing.error.unwrap().contains("nue cluster") && missing.view.is_none());
        std::fs::write(&path, "<p>x</p>").unwrap();
        assert!(look(&path, "team.json").error.unwrap().contains("no view of a cluster"));
        let view = ClusterView {
            name: "Team".to_owned(),
            sfen: "x".to_owned(),
            ply: 7,
            doing: ClusterDoing::Waiting,
            foreseen: true,
            elapsed: Some(42),
            children: Vec::new(),
            replies: Vec::new(),
            decisions: Vec::new(),
            faults: Vec::new(),
        };
        std::fs::write(&path, serde_json::to_string(&view).unwrap()).unwrap();
        let lock = Lock::beside(&path).unwrap().unwrap();
        let told = look(&path, "team.json");
        assert_eq!((told.live, told.error, told.view), (true, None, Some(view)));
        drop(lock);
        assert!(!look(&path, "team.json").live, "its master has ended");
    }
}
