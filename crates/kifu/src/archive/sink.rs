//! Where records go: standard output, one file, or a folder of files.

use super::{Conversion, ConvertError, Source};
use crate::{Encoding, Format, Losses, Record, WriteError, WriteOptions, Writer, to_bytes};
use durable::Draft;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The output of a run.
pub(super) struct Sink<'a> {
    format: Format,
    options: WriteOptions,
    force: bool,
    /// Inputs, and outputs of this run: not to be written over, whatever was forced.
    taken: HashSet<PathBuf>,
    place: Place<'a>,
}

enum Place<'a> {
    Stdout(Writer<&'a mut dyn Write>),
    /// The writer is `None` before the first record and after the end.
    File(PathBuf, Option<Writer<Draft>>),
    Folder(PathBuf, Box<FolderFiles>),
}

/// The files of one input in a folder.
#[derive(Default)]
struct FolderFiles {
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

impl<'a> Sink<'a> {
    pub(super) fn new(
        conversion: &Conversion,
        inputs: &[Source],
        stdout: &'a mut dyn Write,
    ) -> Result<Self, ConvertError> {
        let &Conversion { to: format, options, force, .. } = conversion;
        let taken = inputs.iter().filter_map(|s| s.path.as_deref()).map(absolute).collect();
        let place = match conversion.output.as_ref().filter(|path| path.as_os_str() != "-") {
            None => Place::Stdout(Writer::new(stdout, format, options)),
            Some(path) if is_folder(path, conversion) => {
                Place::Folder(path.clone(), Box::default())
            }
            Some(path) => Place::File(path.clone(), None),
        };
        let sink = Self { format, options, force, taken, place };
        if let Place::File(path, _) = &sink.place {
            sink.check(path).map_err(ConvertError::InTheWay)?;
        }
        Ok(sink)
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
        if let Place::Folder(folder, files) = &mut self.place {
            let stem = folder.join(source.relative.with_extension(""));
            **files = FolderFiles { stem, ..FolderFiles::default() };
            let path = single(&files.stem, self.format, self.options.encoding);
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
            Place::Folder(_, files) if matches!(format, Format::Csa | Format::Usi) => {
                let path = single(&files.stem, format, options.encoding);
                opened(&mut files.together, &path, format, options)?.write(record)
            }
            Place::Folder(..) => self.write_apart(record),
        }
    }

    /// A file for every game: other programs read one game from a KIF, KI2 or JKF file.
    fn write_apart(&mut self, record: &Record) -> Result<Losses, WriteError> {
        let (_, losses) = to_bytes(record, self.format, &self.options)?;
        let Place::Folder(_, files) = &mut self.place else { return Ok(losses) };
        if files.numbered == 0 && files.held.is_none() {
            files.held = Some(record.clone());
            return Ok(losses);
        }
        if let Some(first) = files.held.take() {
            self.publish_numbered(&first)?;
        }
        self.publish_numbered(record)?;
        Ok(losses)
    }

    fn publish_numbered(&mut self, record: &Record) -> Result<(), WriteError> {
        let Place::Folder(_, files) = &mut self.place else { return Ok(()) };
        files.numbered += 1;
        let mut name = files.stem.clone().into_os_string();
        name.push(format!("-{:05}", files.numbered));
        let path = single(Path::new(&name), self.format, self.options.encoding);
        self.publish(&path, record)
    }

    /// Writes one record to a file of its own. A file in the way is remembered, not fatal.
    fn publish(&mut self, path: &Path, record: &Record) -> Result<(), WriteError> {
        if let Err(message) = self.check(path) {
            if let Place::Folder(_, files) = &mut self.place {
                files.problem.get_or_insert(message);
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
        let Place::Folder(_, files) = &mut self.place else { return Ok(()) };
        let files = std::mem::take(&mut **files);
        let path = single(&files.stem, self.format, self.options.encoding);
        let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        if let Some(writer) = files.together {
            let draft = writer.finish().map_err(|e| failed(&e))?;
            draft.publish(self.force).map_err(|e| failed(&e))?;
            self.taken.insert(absolute(&path));
        }
        if let Some(record) = files.held {
            self.publish(&path, &record).map_err(|e| failed(&e))?;
        }
        files.problem.map_or(Ok(()), Err)
    }

    /// No more records at all.
    pub(super) fn finish(self) -> Result<(), ConvertError> {
        let failed = |e: WriteError| match e {
            WriteError::Io(e) => ConvertError::Io(e),
            other => ConvertError::Failed(other.to_string()),
        };
        match self.place {
            Place::Stdout(writer) => writer.finish().map(|_| ()).map_err(failed),
            Place::File(path, Some(writer)) => {
                let draft = writer.finish().map_err(failed)?;
                let published = draft.publish(self.force);
                published.map_err(|e| ConvertError::Failed(format!("{}: {e}", path.display())))
            }
            Place::File(..) | Place::Folder(..) => Ok(()),
        }
    }

    /// No more records, though more were to come: no file of some of them appears, and what has been
    /// given to standard output is whole.
    pub(super) fn abandon(self) -> Result<(), ConvertError> {
        match self.place {
            Place::Stdout(_) => self.finish(),
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
fn is_folder(path: &Path, conversion: &Conversion) -> bool {
    let text = path.to_string_lossy();
    let from_folder = conversion.inputs.iter().any(|i| i.is_dir());
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
