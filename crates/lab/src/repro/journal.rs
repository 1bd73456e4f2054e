//! Which commands of a repetition were begun, and which are done.

use crate::error::LabError;
use durable::{InUse, Lock};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The journal of a folder.
const FILE: &str = "repro.jsonl";

#[derive(Serialize, Deserialize)]
struct Line {
    command: String,
    done: bool,
}

/// What a folder's journal says.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    lines: Vec<(String, bool)>,
    _lock: Option<Lock>,
}

impl Journal {
    /// Looks on; nothing is written or locked.
    pub(super) fn read(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(LabError::at(&path, &e)),
        };
        // A line that was cut by a crash is one that was not written.
        let read = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let lines = read.map(|line| (line.command, line.done)).collect();
        Ok(Self { path, lines, _lock: None })
    }

    /// Makes the folder if it is not there. Nobody else may repeat anything in it meanwhile.
    pub(super) fn open(folder: &Path) -> Result<Self, LabError> {
        let lock = Lock::beside(&folder.join(FILE)).map_err(|e| LabError::at(folder, &e))?;
        let lock = lock.map_err(|InUse| LabError::InUse(folder.to_owned()))?;
        Ok(Self { _lock: Some(lock), ..Self::read(folder)? })
    }

    /// Whether a command was begun and did not end.
    pub(super) fn is_half_done(&self, command: &str) -> bool {
        let last = self.lines.iter().rev().find(|(text, _)| text == command);
        last.is_some_and(|(_, done)| !done)
    }

    /// Notes that a command begins or is done.
    pub(super) fn add(&mut self, command: &str, done: bool) -> Result<(), LabError> {
        let line = Line { command: command.to_owned(), done };
        let text = serde_json::to_string(&line).map_err(|e| LabError::at(&self.path, &e))?;
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        let mut file = file.map_err(|e| LabError::at(&self.path, &e))?;
        // Behind a line that was cut, one that begins with it would be lost too.
        let written = writeln!(file, "\n{text}").and_then(|()| file.sync_data());
        written.map_err(|e| LabError::at(&self.path, &e))?;
        self.lines.push((line.command, done));
        Ok(())
    }
}
