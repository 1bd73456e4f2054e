//! Where the library is looked for.

use crate::api::{API, Runtime, Unusable};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use thiserror::Error;

/// The file as installers name it.
const FILE: &str = match std::env::consts::DLL_EXTENSION.as_bytes() {
    b"dll" => "onnxruntime.dll",
    b"dylib" => "libonnxruntime.dylib",
    _ => "libonnxruntime.so",
};

/// What says where the library is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Search {
    /// What the user named: the file, or a folder that holds it. Nothing else is tried then.
    pub named: Option<PathBuf>,
    /// What the environment variable `ORT_DYLIB_PATH` names. Nothing else is tried then.
    pub variable: Option<PathBuf>,
    /// The folder of the executable, looked into before the system is asked.
    pub beside: Option<PathBuf>,
}

impl Search {
    /// The usual search of this process, with what an option names; empty names nothing.
    pub fn usual(named: &str) -> Self {
        let path = |text: &OsStr| (!text.is_empty()).then(|| PathBuf::from(text));
        let executable = std::env::current_exe().ok();
        Self {
            named: path(OsStr::new(named)),
            variable: std::env::var_os("ORT_DYLIB_PATH").and_then(|text| path(&text)),
            beside: executable.and_then(|file| file.parent().map(Path::to_owned)),
        }
    }

    /// What is tried, in order.
    fn candidates(&self) -> Vec<PathBuf> {
        if let Some(asked) = self.named.as_ref().or(self.variable.as_ref()) {
            return vec![within(asked).unwrap_or_else(|| asked.clone())];
        }
        let beside = self.beside.iter().map(|folder| folder.join(FILE));
        let beside = beside.filter(|file| file.exists());
        beside.chain([PathBuf::from(FILE)]).collect()
    }
}

/// The library in a folder: named exactly, or with its version behind (`libonnxruntime.so.1.31.1`, as
/// Python's package has it), or before its ending. The newest by name.
fn within(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?;
    let (stem, ending) = FILE.rsplit_once('.').unwrap_or((FILE, ""));
    let is_it = |name: &str| {
        let rest = name.strip_prefix(stem);
        rest.is_some_and(|rest| rest.starts_with('.') && rest.contains(ending))
    };
    let names = files.flatten().filter_map(|file| file.file_name().into_string().ok());
    let best = names.filter(|name| is_it(name)).max_by_key(|name| (name.len(), name.clone()))?;
    Some(folder.join(best))
}

/// The folder of the library in a Python's package `onnxruntime`, if it has one: something to name.
pub fn of_python(python: &Path) -> Option<PathBuf> {
    // Finding a package does not run it.
    const ASK: &str = "import importlib.util as u\n\
                       s = u.find_spec('onnxruntime')\n\
                       print(s.submodule_search_locations[0] if s else '')";
    let mut command = Command::new(python);
    command.args(["-c", ASK]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let folder = Path::new(text.trim()).join("capi");
    within(&folder).map(|_| folder)
}

/// Why there is no library.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "no ONNX Runtime that can be used: {}. Install ONNX Runtime 1.{API} or later (pip install \
     onnxruntime, or onnxruntime-gpu for CUDA) and set DNN_Library or ORT_DYLIB_PATH to {FILE} or to \
     the folder that holds it",
    .tried.iter().map(Tried::to_string).collect::<Vec<_>>().join("; ")
)]
pub struct LibraryError {
    pub tried: Vec<Tried>,
}

/// A file that was looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    pub path: PathBuf,
    why: Unusable,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            // The system's words name the file too.
            Unusable::Load(words) if words.contains(&path.to_string()) => f.write_str(words),
            Unusable::Load(words) => write!(f, "{path} cannot be loaded: {words}"),
            Unusable::AnotherLibrary => write!(f, "{path} is another library"),
            Unusable::Old(version) => write!(f, "{path} is version {version}, too old"),
            Unusable::Reported(words) => write!(f, "{path} does not start: {words}"),
        }
    }
}

/// A library that was found and loaded.
pub struct Library {
    pub(crate) runtime: Arc<Runtime>,
    place: PathBuf,
}

impl Library {
    /// Finds and loads the library.
    pub fn find(search: &Search) -> Result<Self, LibraryError> {
        let mut tried = Vec::new();
        for path in search.candidates() {
            match Runtime::load(&path) {
                Ok(runtime) => return Ok(Self { runtime: Arc::new(runtime), place: path }),
                Err(why) => tried.push(Tried { path, why }),
            }
        }
        Err(LibraryError { tried })
    }

    /// As it says itself.
    pub fn version(&self) -> &str {
        self.runtime.version()
    }

    /// The file, or the name under which the system found it.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The names of the execution providers it was built with; whether their own libraries are there
    /// too shows when one is used.
    pub fn providers(&self) -> Vec<String> {
        self.runtime.providers().unwrap_or_default()
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Library({} {})", self.place.display(), self.version())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_the_only_thing_tried() {
        let named = Search { named: Some("/nowhere/a".into()), ..Search::default() };
        let both = Search { variable: Some("/nowhere/b".into()), ..named.clone() };
        let variable = Search { variable: Some("/nowhere/b".into()), ..Search::default() };
        for (search, path) in
            [(named, "/nowhere/a"), (both, "/nowhere/a"), (variable, "/nowhere/b")]
        {
            let error = Library::find(&search).unwrap_err();
            assert_eq!(error.tried.len(), 1);
            let text = error.to_string();
            for part in [path, "DNN_Library", "ORT_DYLIB_PATH", "pip install", FILE, "1.12"] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        let usual = Search::default();
        assert_eq!(usual.candidates(), [PathBuf::from(FILE)]);
        let beside = Search { beside: Some("/nowhere".into()), ..Search::default() };
        assert_eq!(beside.candidates(), [PathBuf::from(FILE)], "no file is there");
        assert_eq!(Search::usual("").named, None);
        assert_eq!(Search::usual("x.so").named, Some("x.so".into()));
    }

    #[test]
    fn libraries_are_found_in_folders() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        assert_eq!(within(folder), None);
        let (stem, ending) = FILE.rsplit_once('.').unwrap();
        for name in [format!("{stem}_providers_shared.{ending}"), format!("other.{ending}")] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(within(folder), None, "parts of it are not it");
        for version in ["", ".1.12.0", ".1.31.1"] {
            std::fs::write(folder.join(format!("{FILE}{version}")), "no library").unwrap();
        }
        assert_eq!(within(folder), Some(folder.join(format!("{FILE}.1.31.1"))));
        let search = Search { named: Some(folder.to_owned()), ..Search::default() };
        let text = Library::find(&search).unwrap_err().to_string();
        assert!(text.contains(&format!("{FILE}.1.31.1")), "{text}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn another_library_is_told_from_it() {
        let search = Search { named: Some("libc.so.6".into()), ..Search::default() };
        let text = Library::find(&search).unwrap_err().to_string();
        assert!(text.contains("libc.so.6 is another library"), "{text}");
    }
}
