//! What to read: files, the records in folders, standard input.

use crate::Format;
use std::io;
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
                let wanted =
                    |path: &Path| any || Format::from_file_name(&path.to_string_lossy()).is_some();
                let mut unread = Vec::new();
                let found = files_below(input, &wanted, &mut unread);
                errors.extend(
                    unread.iter().map(|(path, e)| format!("{}: cannot list: {e}", path.display())),
                );
                if found.is_empty() {
                    errors.push(format!("{}: no records in this folder", input.display()));
                }
                list.extend(found.iter().map(|path| {
                    let relative = path.strip_prefix(input).unwrap_or(path).to_owned();
                    file(path, relative)
                }));
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

/// The files below a folder whose path is wanted, in a stable order. Links to folders are not
/// followed: they may lead in circles. Folders that cannot be listed are added to `unread`.
pub fn files_below(
    folder: &Path,
    wanted: &dyn Fn(&Path) -> bool,
    unread: &mut Vec<(PathBuf, io::Error)>,
) -> Vec<PathBuf> {
    let mut list = Vec::new();
    search(folder, wanted, &mut list, unread);
    list
}

fn search(
    folder: &Path,
    wanted: &dyn Fn(&Path) -> bool,
    list: &mut Vec<PathBuf>,
    unread: &mut Vec<(PathBuf, io::Error)>,
) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => {
            unread.push((folder.to_owned(), e));
            return;
        }
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if !path.is_symlink() {
                search(&path, wanted, list, unread);
            }
        } else if wanted(&path) {
            list.push(path);
        }
    }
}
