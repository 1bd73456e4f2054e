//! What to read: files, the records in folders, standard input.

use crate::Format;
use std::path::{Path, PathBuf};

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file; `None` is standard input.
    pub path: Option<PathBuf>,
    /// What errors call it.
    pub name: String,
    /// Where it goes below a folder of outputs, still with its own extension.
    pub relative: PathBuf,
}

impl Source {
    /// All inputs in a stable order. In folders every file counts that has the extension of a
    /// format, or any file if the format was named. What cannot be searched is added to `errors`.
    pub fn collect(inputs: &[PathBuf], any: bool, errors: &mut Vec<String>) -> Vec<Self> {
        let mut list = Vec::new();
        for input in inputs {
            if input.as_os_str() == "-" {
                let (name, relative) = ("-".to_owned(), PathBuf::from("stdin"));
                list.push(Self { path: None, name, relative });
            } else if input.is_dir() {
                let before = list.len();
                search(input, input, any, &mut list, errors);
                if list.len() == before {
                    errors.push(format!("{}: no records in this folder", input.display()));
                }
            } else {
                let relative = input.file_name().map_or_else(|| input.clone(), PathBuf::from);
                list.push(file(input, relative));
            }
        }
        list
    }
}

fn file(path: &Path, relative: PathBuf) -> Source {
    Source { path: Some(path.to_owned()), name: path.display().to_string(), relative }
}

/// Adds the files below a folder. Links to folders are not followed: they may lead in circles.
fn search(root: &Path, folder: &Path, any: bool, list: &mut Vec<Source>, errors: &mut Vec<String>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => {
            errors.push(format!("{}: cannot list: {e}", folder.display()));
            return;
        }
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let is_link = path.is_symlink();
        if path.is_dir() {
            if !is_link {
                search(root, &path, any, list, errors);
            }
        } else if any || Format::from_file_name(&path.to_string_lossy()).is_some() {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
            list.push(file(&path, relative));
        }
    }
}
