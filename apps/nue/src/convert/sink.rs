//! Where records go: standard output, one file, or a folder of files.

use super::ConvertArgs;
use super::sources::Source;
use crate::draft::Draft;
use crate::failure::Failure;
use kifu::{Encoding, Format, Losses, Record, WriteError, WriteOptions, Writer};
use std::collections::HashSet;
use std::io::{self, Stdout};
use std::path::{Path, PathBuf};

/// The output of a run.
pub(super) struct Sink {
    format: Format,
    options: WriteOptions,
    force: bool,
    /// Inputs, and outputs of this run: not to be written over, whatever was forced.
    taken: HashSet<PathBuf>,
    place: Place,
}

enum Place {
    Stdout(Writer<Stdout>),
    /// The writer is `None` before the first record and after the end.
    File(PathBuf, Option<Writer<Draft>>),
    Folder(PathBuf, Box<Sheaf>),
}

/// The files of one input in a folder.
#[derive(Default)]
struct Sheaf {
    /// Where they go, without extension.
    stem: PathBuf,
    /// The only record so far: its file is named when it is known whether more follow.
    held: Option<Record>,
    /// Records published in files of their own.
    numbered: usize,
    /// All records in one file.
    together: Option<Writer<Draft>>,
    /// What could not be published.
    problem: Option<String>,
}

impl Sink {
    pub(super) fn new(
        args: &ConvertArgs,
        inputs: &[Source],
        options: WriteOptions,
    ) -> Result<Self, Failure> {
        let taken = inputs.iter().filter_map(|s| s.path.as_deref()).map(absolute).collect();
        let place = match &args.output {
            None => Place::Stdout(Writer::new(io::stdout(), args.to, options)),
            Some(path) if path.as_os_str() == "-" => {
                Place::Stdout(Writer::new(io::stdout(), args.to, options))
            }
            Some(path) if is_folder(path, args) => Place::Folder(path.clone(), Box::default()),
            Some(path) => Place::File(path.clone(), None),
        };
        let sink = Self { format: args.to, options, force: args.force, taken, place };
        if let Place::File(path, _) = &sink.place {
            sink.check(path).map_err(Failure::usage)?;
        }
        Ok(sink)
    }

    pub(super) const fn is_stdout(&self) -> bool {
        matches!(self.place, Place::Stdout(_))
    }

    /// Whether a file may be written, and why not.
    fn check(&self, path: &Path) -> Result<(), String> {
        let name = path.display();
        if self.taken.contains(&absolute(path)) {
            return Err(format!("{name}: is an input, or the output of another input"));
        }
        if path.exists() && !self.force {
            return Err(format!("{name}: exists; --force replaces it"));
        }
        Ok(())
    }

    /// The next records come from this input.
    pub(super) fn begin(&mut self, source: &Source) -> Result<(), String> {
        if let Place::Folder(folder, sheaf) = &mut self.place {
            let stem = folder.join(source.relative.with_extension(""));
            **sheaf = Sheaf { stem, ..Sheaf::default() };
            let path = single(&sheaf.stem, self.format, self.options.encoding);
            self.check(&path)?;
        }
        Ok(())
    }

    /// Writes a record.
    pub(super) fn write(&mut self, record: &Record) -> Result<Losses, WriteError> {
        let (format, options) = (self.format, self.options);
        match &mut self.place {
            Place::Stdout(writer) => writer.write(record),
            Place::File(path, writer) => opened(writer, path, format, options)?.write(record),
            Place::Folder(_, sheaf) if matches!(format, Format::Csa | Format::Usi) => {
                let path = single(&sheaf.stem, format, options.encoding);
                opened(&mut sheaf.together, &path, format, options)?.write(record)
            }
            Place::Folder(..) => self.write_apart(record),
        }
    }

    /// A file for every game: other programs read one game from a KIF, KI2 or JKF file.
    fn write_apart(&mut self, record: &Record) -> Result<Losses, WriteError> {
        let (_, losses) = kifu::to_bytes(record, self.format, &self.options)?;
        let Place::Folder(_, sheaf) = &mut self.place else { return Ok(losses) };
        if sheaf.numbered == 0 && sheaf.held.is_none() {
            sheaf.held = Some(record.clone());
            return Ok(losses);
        }
        if let Some(first) = sheaf.held.take() {
            self.publish_numbered(&first)?;
        }
        self.publish_numbered(record)?;
        Ok(losses)
    }

    fn publish_numbered(&mut self, record: &Record) -> Result<(), WriteError> {
        let Place::Folder(_, sheaf) = &mut self.place else { return Ok(()) };
        sheaf.numbered += 1;
        let mut name = sheaf.stem.clone().into_os_string();
        name.push(format!("-{:05}", sheaf.numbered));
        let path = single(Path::new(&name), self.format, self.options.encoding);
        self.publish(&path, record)
    }

    /// Writes one record to a file of its own. A file in the way is remembered, not fatal.
    fn publish(&mut self, path: &Path, record: &Record) -> Result<(), WriteError> {
        if let Err(message) = self.check(path) {
            if let Place::Folder(_, sheaf) = &mut self.place {
                sheaf.problem.get_or_insert(message);
            }
            return Ok(());
        }
        let mut writer = Writer::new(Draft::new(path)?, self.format, self.options);
        writer.write(record)?;
        writer.finish()?.publish(self.force)?;
        self.taken.insert(absolute(path));
        Ok(())
    }

    /// No more records from this input.
    pub(super) fn end(&mut self) -> Result<(), String> {
        let Place::Folder(_, sheaf) = &mut self.place else { return Ok(()) };
        let sheaf = std::mem::take(&mut **sheaf);
        let path = single(&sheaf.stem, self.format, self.options.encoding);
        let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        if let Some(writer) = sheaf.together {
            let draft = writer.finish().map_err(|e| failed(&e))?;
            draft.publish(self.force).map_err(|e| failed(&e))?;
            self.taken.insert(absolute(&path));
        }
        if let Some(record) = sheaf.held {
            self.publish(&path, &record).map_err(|e| failed(&e))?;
        }
        sheaf.problem.map_or(Ok(()), Err)
    }

    /// No more records at all.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let failed = |e: WriteError| match e {
            WriteError::Io(e) => Failure::from(e),
            other => Failure::failed(other.to_string()),
        };
        match self.place {
            Place::Stdout(writer) => writer.finish().map(|_| ()).map_err(failed),
            Place::File(path, Some(writer)) => {
                let draft = writer.finish().map_err(failed)?;
                let published = draft.publish(self.force);
                published.map_err(|e| Failure::failed(format!("{}: {e}", path.display())))
            }
            Place::File(..) | Place::Folder(..) => Ok(()),
        }
    }
}

/// The writer, started at the first record.
fn opened<'a>(
    writer: &'a mut Option<Writer<Draft>>,
    path: &Path,
    format: Format,
    options: WriteOptions,
) -> Result<&'a mut Writer<Draft>, WriteError> {
    let started = match writer.take() {
        Some(writer) => writer,
        None => Writer::new(Draft::new(path)?, format, options),
    };
    Ok(writer.insert(started))
}

/// A folder if it is one, is written like one, or has to hold the files of a folder and is not
/// named like a file of records.
fn is_folder(path: &Path, args: &ConvertArgs) -> bool {
    let text = path.to_string_lossy();
    let from_folder = args.inputs.iter().any(|i| i.is_dir());
    path.is_dir()
        || text.ends_with(['/', std::path::MAIN_SEPARATOR])
        || (from_folder && Format::from_file_name(&text).is_none())
}

/// The file of a stem: extensions tell the encodings of KIF and KI2 apart.
fn single(stem: &Path, format: Format, encoding: Encoding) -> PathBuf {
    let extension = match (format, encoding) {
        (Format::Kif | Format::Ki2, Encoding::Utf8) => format.extensions()[1],
        _ => format.name(),
    };
    let mut name = stem.to_owned().into_os_string();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// One name per file, however it was written.
fn absolute(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().or_else(|_| {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize()?;
        Ok::<_, io::Error>(folder.join(path.file_name().unwrap_or_default()))
    });
    resolved.or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}
