//! Outputs that a killed command goes on with (room `durable`), for every format of records.

use crate::counts::{Counts, SavedCounts};
use crate::error::Error;
use crate::format::Format;
use crate::source::Source;
use durable::{Mode, Opened, Resumable, path_value};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use teacher::{Header, TeacherError, Writer};

/// Bytes of records between two places to go on from.
const STRETCH: u64 = 4 << 20;

/// What a command is, so that no other one resumes it: its name, its inputs as they
/// are, and its settings.
pub(crate) fn plan(command: &str, sources: &[Source], settings: &Value) -> Value {
    let inputs: Vec<Value> = sources
        .iter()
        .map(|source| {
            let changed = source.path.metadata().and_then(|m| m.modified()).ok();
            let changed = changed.and_then(|t| t.duration_since(UNIX_EPOCH).ok());
            let changed = changed.map_or(0, |d| d.as_millis() as u64);
            json!([path_value(&source.path), source.len(), changed])
        })
        .collect();
    json!({ "command": command, "inputs": inputs, "settings": settings })
}

/// What is known at a place to go on from.
#[derive(Serialize, Deserialize)]
struct State {
    /// Items of the input that are done.
    items: u64,
    counts: SavedCounts,
}

/// A file being written.
pub(crate) struct Partial {
    target: PathBuf,
    output: Output,
    resumable: Resumable,
}

enum Output {
    Teacher(Box<Writer<File>>),
    Raw { file: BufWriter<File>, length: u64 },
}

/// What a partial file holds when it is opened.
pub(crate) struct Begun {
    pub(crate) partial: Partial,
    /// Items of the input that are done.
    pub(crate) items: u64,
    /// What came of them.
    pub(crate) counts: Counts,
}

impl Partial {
    /// Begins a file, or goes on with one.
    pub(crate) fn open(
        target: &Path,
        format: Format,
        header: &Header,
        plan: &Value,
        mode: Mode,
    ) -> Result<Begun, Error> {
        let attach = |file: File, length: u64| {
            attach(file, length, format, header).map_err(|e| match e {
                TeacherError::Io(e) => e,
                other => io::Error::other(other),
            })
        };
        let Opened { resumable, output, state } =
            Resumable::open::<Output, State>(target, plan, mode, attach)?;
        let partial = Self { target: target.to_owned(), output, resumable };
        let (items, counts) = state
            .map_or_else(Default::default, |state| (state.items, Counts::restore(state.counts)));
        Ok(Begun { partial, items, counts })
    }

    /// Our own writer, if this is a file of our own.
    pub(crate) fn teacher(&mut self) -> Option<&mut Writer<File>> {
        match &mut self.output {
            Output::Teacher(writer) => Some(writer),
            Output::Raw { .. } => None,
        }
    }

    /// Writes bytes of any other format.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.output {
            Output::Teacher(_) => Err(io::Error::other("records do not fit this format")),
            Output::Raw { file, length } => {
                *length += bytes.len() as u64;
                file.write_all(bytes)
            }
        }
    }

    /// So many items of the input are done, and all that came of them is written: a place to go
    /// on from, if the last is far enough away. `now` keeps it in any case, as a block of its own.
    /// Says whether this is one.
    pub(crate) fn done(&mut self, items: u64, counts: &Counts, now: bool) -> Result<bool, Error> {
        let kept = self.resumable.kept();
        let length = match &mut self.output {
            Output::Teacher(writer) => {
                if now {
                    writer.flush().map_err(|e| Error::cannot_write(&self.target, &e))?;
                }
                // Only when a block has just been closed does the file hold everything.
                if writer.bytes() == kept || !writer.is_closed() {
                    return Ok(false);
                }
                writer.bytes()
            }
            Output::Raw { file, length } => {
                if *length == kept || (!now && *length - kept < STRETCH) {
                    return Ok(false);
                }
                file.flush().map_err(|e| Error::cannot_write(&self.target, &e))?;
                *length
            }
        };
        self.resumable.checkpoint(length, &State { items, counts: counts.save() })?;
        Ok(true)
    }

    /// Puts the file in its place.
    pub(crate) fn publish(self, force: bool) -> Result<(), Error> {
        let Self { target, output, resumable } = self;
        let keeps = resumable.is_worth_keeping();
        let finished = match output {
            Output::Teacher(writer) => {
                writer.finish().map_err(|e| Error::cannot_write(&target, &e))
            }
            Output::Raw { file, .. } => {
                file.into_inner().map_err(|e| Error::cannot_write(&target, &e.into_error()))
            }
        };
        let published = match finished {
            Ok(file) => resumable.publish(&file, force).map_err(Error::from),
            Err(error) => {
                resumable.give_up();
                Err(error)
            }
        };
        published.map_err(|error| if keeps { Error::Resumable(error.into()) } else { error })
    }

    /// Given up: what is done stays if there is anything to go on from.
    pub(crate) fn give_up(self) -> bool {
        self.resumable.give_up()
    }
}

/// A file of that length, ready to be written on; and how much of it is whole.
fn attach(
    mut file: File,
    length: u64,
    format: Format,
    header: &Header,
) -> Result<(Output, u64), TeacherError> {
    if format != Format::Teacher {
        file.seek(SeekFrom::End(0))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        return Ok((Output::Raw { file, length }, length));
    }
    if length == 0 {
        return Ok((Output::Teacher(Box::new(Writer::new(file, header.clone())?)), 0));
    }
    let (writer, survey) = Writer::resume(file, header.clone())?;
    Ok((Output::Teacher(Box::new(writer)), survey.end))
}

#[cfg(test)]
mod tests;
