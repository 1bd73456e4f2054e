//! Files that a killed command goes on with.
//!
//! What is written grows under a hidden name beside its final place, and a journal beside it says
//! how long the file was when how much of the input was done. A command that is told to resume
//! cuts the file back to the last such place and reads on from there: the result is the same as
//! if nothing had happened. When all is done the file gets its name and the journal goes.

use crate::counts::{Counts, SavedCounts};
use crate::error::Error;
use crate::format::Format;
use crate::source::Source;
use durable::{Held, Journal, Lock};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use teacher::{Header, Writer};

/// Bytes of records between two places to go on from.
const STRETCH: u64 = 4 << 20;

/// What a command is, so that it is not gone on with by another: its name, its inputs as they
/// are, and its settings.
pub(crate) fn plan(command: &str, sources: &[Source], settings: &Value) -> Value {
    let inputs: Vec<Value> = sources
        .iter()
        .map(|source| {
            let changed = source.path.metadata().and_then(|m| m.modified()).ok();
            let changed = changed.and_then(|t| t.duration_since(UNIX_EPOCH).ok());
            let changed = changed.map_or(0, |d| d.as_millis() as u64);
            json!([source.path, source.len(), changed])
        })
        .collect();
    json!({ "command": command, "inputs": inputs, "settings": settings })
}

/// A place to go on from.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Place {
    /// Items of the input that are done.
    items: u64,
    /// Length of the output.
    length: u64,
    counts: SavedCounts,
}

/// A file being written.
pub(crate) struct Partial {
    output: Output,
    journal: Journal,
    files: Files,
    /// Length of the file at the last place to go on from.
    kept: u64,
    /// Whether there is such a place at all.
    worth_keeping: bool,
}

enum Output {
    Teacher(Box<Writer<File>>),
    Raw { file: BufWriter<File>, length: u64 },
}

struct Files {
    target: PathBuf,
    part: PathBuf,
    journal: PathBuf,
    /// They are whole, or to be gone on with.
    leave: bool,
}

impl Files {
    fn of(target: &Path) -> Result<Self, Error> {
        let Some(name) = target.file_name().map(|n| n.to_string_lossy().into_owned()) else {
            return Err(Error::request(format!("{} names no file", target.display())));
        };
        let beside = |end: &str| target.with_file_name(format!(".{name}{end}"));
        let (part, journal) = (beside(".part"), beside(".part.journal"));
        Ok(Self { target: target.to_owned(), part, journal, leave: true })
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Error {
        Error::cannot_write(&self.target, error)
    }

    fn remove(&self) {
        // If they cannot be removed there is nothing better to do.
        let _ = fs::remove_file(&self.part);
        let _ = fs::remove_file(&self.journal);
    }

    /// Clears away what a run that was broken off has left, unless it still runs.
    fn clear(&self) -> Result<(), Error> {
        if Lock::is_held(&self.journal) {
            return Err(self.failed(&"another run is writing it"));
        }
        self.remove();
        Ok(())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if !self.leave {
            self.remove();
        }
    }
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
        header: Header,
        plan: &Value,
        (resume, force): (bool, bool),
    ) -> Result<Begun, Error> {
        let files = Files::of(target)?;
        if let Some(folder) = target.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|e| files.failed(&e))?;
        }
        // Without its file a journal is of one that has got its name already.
        let there = files.journal.exists() && files.part.exists();
        if there && !resume && !force {
            return Err(Error::Unfinished(target.to_owned()));
        }
        if resume && there {
            return Self::go_on(files, format, &header, plan);
        }
        files.clear()?;
        let journal = Journal::create(&files.journal, plan, 0)?;
        let file = read_write(&files.part).map_err(|e| files.failed(&e))?;
        let output = match format {
            Format::Teacher => {
                Output::Teacher(Box::new(Writer::new(file, header).map_err(|e| files.failed(&e))?))
            }
            _ => Output::Raw { file: BufWriter::with_capacity(1 << 20, file), length: 0 },
        };
        let partial = Self { output, journal, files, kept: 0, worth_keeping: false };
        Ok(Begun { partial, items: 0, counts: Counts::default() })
    }

    fn go_on(files: Files, format: Format, header: &Header, plan: &Value) -> Result<Begun, Error> {
        let (mut journal, held) = Journal::resume::<Place>(&files.journal, plan, 0)?;
        let mut held = held.unwrap_or(Held { start: 0, entries: Vec::new(), head: 0 });
        let (output, place) = loop {
            let file = read_write(&files.part).map_err(|e| files.failed(&e))?;
            let there = file.metadata().map_err(|e| files.failed(&e))?.len();
            while held.entries.last().is_some_and(|(place, _)| place.length > there) {
                held.entries.pop();
            }
            let place = held.entries.last().map(|(place, _)| place.clone());
            let length = place.as_ref().map_or(0, |p| p.length);
            let (output, whole) =
                reopen(file, length, format, header).map_err(|e| files.failed(&e))?;
            if whole == length || place.is_none() {
                break (output, place);
            }
            // Damaged before its end, by a power cut perhaps: from an earlier place then.
            held.entries.retain(|(place, _)| place.length <= whole);
        };
        if held.head > 0 {
            let end = held.entries.last().map_or(held.head, |(_, end)| *end);
            journal.cut(end)?;
        }
        let worth_keeping = place.is_some();
        let place = place.unwrap_or(Place { items: 0, length: 0, counts: SavedCounts::default() });
        let partial = Self { output, journal, files, kept: place.length, worth_keeping };
        Ok(Begun { partial, items: place.items, counts: Counts::restore(place.counts) })
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
        let length = match &mut self.output {
            Output::Teacher(writer) => {
                if now {
                    writer.flush().map_err(|e| self.files.failed(&e))?;
                }
                // Only when a block has just been closed does the file hold everything.
                if writer.bytes() == self.kept || !writer.is_closed() {
                    return Ok(false);
                }
                writer.bytes()
            }
            Output::Raw { file, length } => {
                if *length == self.kept || (!now && *length - self.kept < STRETCH) {
                    return Ok(false);
                }
                file.flush().map_err(|e| self.files.failed(&e))?;
                *length
            }
        };
        let place = Place { items, length, counts: counts.save() };
        self.journal.append(&place)?;
        (self.kept, self.worth_keeping) = (length, true);
        Ok(true)
    }

    /// Puts the file in its place.
    pub(crate) fn publish(self, force: bool) -> Result<(), Error> {
        let Self { output, journal, mut files, .. } = self;
        let file = match output {
            Output::Teacher(writer) => writer.finish().map_err(|e| files.failed(&e))?,
            Output::Raw { file, .. } => {
                file.into_inner().map_err(|e| files.failed(&e.into_error()))?
            }
        };
        let placed =
            file.sync_all().and_then(|()| durable::place(&files.part, &files.target, force));
        placed.map_err(|e| files.failed(&e))?;
        drop(journal);
        files.leave = false;
        Ok(())
    }

    /// Given up: what is done stays if there is anything to go on from.
    pub(crate) fn give_up(mut self) -> bool {
        self.files.leave = self.worth_keeping;
        self.worth_keeping
    }
}

fn read_write(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// A file cut back to that length, ready to be written on; and how much of it is whole.
fn reopen(
    mut file: File,
    length: u64,
    format: Format,
    header: &Header,
) -> Result<(Output, u64), teacher::TeacherError> {
    file.set_len(length)?;
    if format == Format::Teacher {
        let (writer, survey) = Writer::resume(file, header.clone())?;
        return Ok((Output::Teacher(Box::new(writer)), survey.end));
    }
    file.seek(SeekFrom::End(0))?;
    let file = BufWriter::with_capacity(1 << 20, file);
    Ok((Output::Raw { file, length }, length))
}
