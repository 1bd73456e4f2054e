//! The options that children declared, remembered in a file: the next `usi` is answered with them at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use think::OptionSpec;
use usi::Reply;

/// Bytes of a file that is read.
const MOST: u64 = 4 << 20;

/// What is known of children, by name, as they said it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Known {
    path: Option<PathBuf>,
    lines: BTreeMap<String, Vec<String>>,
}

impl Known {
    /// What a file says. One that is not there, or is no such file, says nothing: it is only a memory.
    pub(crate) fn read(path: Option<PathBuf>) -> Self {
        let text = path.as_deref().map(text_of).unwrap_or_default();
        let lines = serde_json::from_str(&text).unwrap_or_default();
        Self { path, lines }
    }

    /// The options of a child.
    pub(crate) fn options(&self, child: &str) -> Vec<OptionSpec> {
        let lines = self.lines.get(child).into_iter().flatten();
        let option = |line: &String| match Reply::parse(line) {
            Ok(Reply::Option(spec)) => Some(spec),
            _ => None,
        };
        lines.filter_map(option).collect()
    }

    /// A child has declared its options: written down if they are others than before.
    pub(crate) fn learn(&mut self, child: &str, options: &[OptionSpec]) {
        let Some(path) = &self.path else { return };
        let lines: Vec<String> =
            options.iter().map(|spec| Reply::Option(spec.clone()).to_string()).collect();
        if self.lines.get(child) == Some(&lines) {
            return;
        }
        self.lines.insert(child.to_owned(), lines);
        // Plain texts: this cannot fail; and a file that cannot be written costs only the memory.
        let text = serde_json::to_string_pretty(&self.lines).unwrap_or_default();
        let _ = durable::write_whole(path, text.as_bytes(), true);
    }
}

fn text_of(path: &Path) -> String {
    let small = std::fs::metadata(path).is_ok_and(|file| file.len() <= MOST);
    if small { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_declared_is_known_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("team.options");
        let spec = |line: &str| match Reply::parse(line) {
            Ok(Reply::Option(spec)) => spec,
            other => panic!("{other:?}"),
        };
        let threads = spec("option name Threads type spin default 4 min 1 max 512");
        let book = spec("option name BookFile type filename default no book.db");
        let mut known = Known::read(Some(path.clone()));
        assert_eq!(known.options("far"), []);
        known.learn("far", &[threads.clone(), book.clone()]);
        let again = Known::read(Some(path.clone()));
        assert_eq!(again.options("far"), [threads, book]);
        assert_eq!(again.options("other"), []);
        std::fs::write(&path, "nonsense").unwrap();
        assert_eq!(Known::read(Some(path)).options("far"), []);
        let mut nowhere = Known::read(None);
        nowhere.learn("far", &[]);
        assert_eq!(nowhere, Known::default());
    }
}
