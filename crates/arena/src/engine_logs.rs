//! What is said to and by the engines of a match, a file for each process that plays.

use engines::TrafficLog;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The logs of a match in one folder.
#[derive(Debug)]
pub struct EngineLogs {
    folder: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// By engine and by which of the games at a time it plays.
    logs: BTreeMap<(usize, usize), Arc<TrafficLog>>,
    /// Logs that could not be begun.
    failures: Vec<String>,
}

impl EngineLogs {
    /// Logs in that folder, which is made if there is none. Logs of another match in it are
    /// continued, not replaced.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), open: Mutex::default() })
    }

    /// The log of an engine, by its number and name, in one of the games at a time. `None` if it
    /// cannot be written, which [`check`](Self::check) tells.
    pub(crate) fn of(&self, engine: usize, name: &str, slot: usize) -> Option<Arc<TrafficLog>> {
        let mut open = self.lock();
        if let Some(log) = open.logs.get(&(engine, slot)) {
            return Some(Arc::clone(log));
        }
        let path = self.folder.join(file_name(engine, name, slot));
        match TrafficLog::open(&path) {
            Ok(log) => {
                let log = Arc::new(log);
                open.logs.insert((engine, slot), Arc::clone(&log));
                Some(log)
            }
            Err(error) => {
                open.failures.push(format!("{}: {error}", path.display()));
                None
            }
        }
    }

    /// Whether all logs are complete; those that lack something, and why, a line each.
    pub fn check(&self) -> Result<(), String> {
        let open = self.lock();
        let ended = open.logs.values().filter_map(|log| {
            Some(format!("{} is not complete: {}", log.path().display(), log.failure()?))
        });
        let problems: Vec<String> = open.failures.iter().cloned().chain(ended).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `NAME-1.log`: the engine and which of the games at a time. Characters that mean something in
/// paths are left out, and the engine's number is put in their place.
fn file_name(engine: usize, name: &str, slot: usize) -> String {
    let plain = |c: &char| c.is_alphanumeric() || " -_.+".contains(*c);
    let kept: String = name.chars().filter(plain).collect();
    let kept = kept.trim_matches(['.', ' ']);
    let slot = slot + 1;
    if kept == name {
        format!("{name}-{slot}.log")
    } else {
        format!("{kept}-{}-{slot}.log", engine + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_engines_become_names_of_files() {
        for (name, want) in [
            ("Nue 0.1", "Nue 0.1-2.log"),
            ("鵺", "鵺-2.log"),
            ("../a/b", "ab-4-2.log"),
            ("", "-2.log"),
            ("..", "-4-2.log"),
        ] {
            assert_eq!(file_name(3, name, 1), want, "{name}");
        }
    }

    #[test]
    fn a_log_is_opened_once_and_one_that_cannot_be_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let logs = EngineLogs::in_folder(&folder.path().join("deep/er")).unwrap();
        let log = logs.of(0, "a", 0).unwrap();
        assert!(Arc::ptr_eq(&log, &logs.of(0, "a", 0).unwrap()));
        assert!(!Arc::ptr_eq(&log, &logs.of(0, "a", 1).unwrap()));
        std::fs::create_dir(folder.path().join("deep/er/b-1.log")).unwrap();
        assert!(logs.of(1, "b", 0).is_none());
        let problems = logs.check().unwrap_err();
        assert_eq!(problems.lines().count(), 1);
        assert!(problems.contains("b-1.log"), "{problems}");
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(EngineLogs::in_folder(&file).is_err());
    }
}
