//! The small files of a run: JSON, each whole or not there.

use crate::error::RunError;
use lab::LabError;
use lab::folder::write_whole;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io;
use std::path::Path;

/// A file of JSON, if it is there.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, RunError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(LabError::at(path, &e).into()),
    };
    serde_json::from_str(&text).map(Some).map_err(|e| LabError::at(path, &e).into())
}

/// Writes a file of JSON.
pub(crate) fn write(path: &Path, value: &impl Serialize) -> Result<(), RunError> {
    let text = serde_json::to_string_pretty(value).map_err(|e| LabError::at(path, &e))?;
    Ok(write_whole(path, format!("{text}\n").as_bytes())?)
}
