//! The files of the project with their text, so that rules never touch the disk.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Larger files are data, not source; no rule reads them.
const LARGEST_SOURCE: u64 = 2 << 20;

/// A file, its path written with `/` from the workspace root.
pub(super) struct File {
    pub(super) path: String,
    /// Empty when the file is not text or too large to be source.
    pub(super) text: String,
}

impl File {
    /// What follows the last dot of the name; empty when there is none.
    pub(super) fn extension(&self) -> &str {
        self.name().rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// The last part of the path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether this is a program text we write.
    pub(super) fn is_program(&self) -> bool {
        matches!(self.extension(), "rs" | "py" | "ts" | "tsx")
    }

    /// Lines with their numbers from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// Every file that is or would be committed.
pub(super) struct Tree {
    pub(super) files: Vec<File>,
}

impl Tree {
    /// Reads what git tracks or would track; without git, everything but build folders.
    pub(super) fn read(root: &Path) -> Result<Self, Box<dyn Error>> {
        let mut paths = match tracked(root) {
            Some(paths) => paths,
            None => walk(root)?,
        };
        paths.sort();
        paths.dedup();
        let mut files = Vec::new();
        for path in paths {
            // Deleted but not yet committed, or a link to somewhere else: nothing to read.
            let Ok(about) = fs::symlink_metadata(root.join(&path)) else { continue };
            if !about.is_file() {
                continue;
            }
            let text = if about.len() <= LARGEST_SOURCE {
                String::from_utf8(fs::read(root.join(&path))?).unwrap_or_default()
            } else {
                String::new()
            };
            files.push(File { path, text });
        }
        Ok(Self { files })
    }

    /// The text of one file.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Whether a path names a file or a folder of the tree.
    pub(super) fn contains(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty()
            || self.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
    }

    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file =
            |&(path, text): &(&str, &str)| File { path: path.to_owned(), text: text.to_owned() };
        Self { files: files.iter().map(file).collect() }
    }
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    let paths: Vec<String> = String::from_utf8(output.stdout)
        .ok()?
        .split('\0')
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn walk(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if entry.file_type()?.is_dir() {
                if !matches!(name.as_str(), "target" | ".git" | "node_modules") {
                    folders.push(path);
                }
            } else {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_and_the_plain_walk_find_this_file() {
        let root = crate::workspace_root();
        let this = "xtask/src/tidy/tree.rs".to_owned();
        assert!(walk(&root).expect("readable").contains(&this));
        let tree = Tree::read(&root).expect("readable");
        assert!(tree.text(&this).is_some_and(|text| text.contains("LARGEST_SOURCE")));
        assert!(tree.contains("xtask/src") && tree.contains("xtask/") && !tree.contains("xtas"));
    }
}
