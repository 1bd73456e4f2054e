//! Which files to read, and what they hold.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::progress::{Meter, MeteredFile};
use kifu::Damaged;
use rules::Game as Rules;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use teacher::{Header, Reader};

/// What to read.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Files; for CSA also folders, searched to any depth.
    pub paths: Vec<PathBuf>,
    /// Their format; told from content and name if missing.
    pub format: Option<Format>,
    /// The game of files that do not say.
    pub game: Rules,
    /// What to do about what cannot be read.
    pub damaged: Damaged,
    /// Set from outside to end the work after the game or record under way.
    pub stop: Option<Arc<AtomicBool>>,
}

/// One file to read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub format: Format,
    /// What to do about what cannot be read.
    pub damaged: Damaged,
    /// As in [`Inputs`].
    pub stop: Option<Arc<AtomicBool>>,
}

impl Source {
    pub(crate) fn name(&self) -> std::path::Display<'_> {
        self.path.display()
    }

    pub(crate) fn len(&self) -> u64 {
        self.path.metadata().map_or(0, |m| m.len())
    }

    /// The file, its bytes counted if there is a meter.
    pub(crate) fn open<'m>(
        &self,
        meter: Option<&'m Meter<'m>>,
    ) -> Result<BufReader<MeteredFile<'m>>, Error> {
        let failed = |e| self.failed(&format_args!("cannot open: {e}"));
        let file = File::open(&self.path).map_err(failed)?;
        Ok(BufReader::with_capacity(1 << 20, MeteredFile { file, meter }))
    }

    /// A reader of our own format.
    pub(crate) fn teacher<'m>(
        &self,
        meter: Option<&'m Meter<'m>>,
    ) -> Result<Reader<BufReader<MeteredFile<'m>>>, Error> {
        Reader::new(self.open(meter)?).map_err(|e| self.failed(&e))
    }

    /// Something in it cannot be read: a problem in the counts, or the end of the work.
    pub(crate) fn damage(
        &self,
        counts: &mut Counts,
        what: &dyn std::fmt::Display,
    ) -> Result<(), Error> {
        counts.damage(self.damaged, format!("{}: {what}", self.name()))
    }

    /// An error once somebody wants the work to end.
    pub(crate) fn goes_on(&self) -> Result<(), Error> {
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(Error::Interrupted),
            _ => Ok(()),
        }
    }

    pub(crate) fn failed(&self, error: &dyn std::fmt::Display) -> Error {
        Error::file(&self.path, error)
    }
}

impl Inputs {
    /// The files, folders searched, and their formats.
    pub fn sources(&self) -> Result<Vec<Source>, Error> {
        let mut list = Vec::new();
        let source = |path: PathBuf, format| {
            let (damaged, stop) = (self.damaged, self.stop.clone());
            Source { path, format, damaged, stop }
        };
        for input in &self.paths {
            let format = Format::of_input(input, self.format)?;
            if format == Format::Csa && input.is_dir() {
                let found = records_below(input)?;
                list.extend(found.into_iter().map(|path| source(path, format)));
            } else {
                list.push(source(input.clone(), format));
            }
        }
        Ok(list)
    }

    /// The files, all of one format.
    pub(crate) fn alike(&self) -> Result<(Vec<Source>, Format), Error> {
        let sources = self.sources()?;
        let Some(first) = sources.first() else {
            return Err(Error::Failed("no files to read".to_owned()));
        };
        let format = first.format;
        match sources.iter().find(|s| s.format != format) {
            None => Ok((sources, format)),
            Some(other) => Err(Error::request(format!(
                "{} is {}, {} is {format}: convert them to one format first",
                other.name(),
                other.format,
                sources[0].name(),
            ))),
        }
    }

    /// The header for what is made from these files: what theirs have in common, and every value
    /// of a key where they differ.
    pub fn header(&self, sources: &[Source]) -> Result<Header, Error> {
        let mut merged: Option<Header> = None;
        for source in sources {
            let header = if source.format == Format::Teacher {
                source.teacher(None)?.header().clone()
            } else {
                Header::new(self.game).with("source", source.format)
            };
            merged = Some(match merged {
                None => header,
                Some(merged) => merge(merged, &header).map_err(|e| source.failed(&e))?,
            });
        }
        Ok(merged.unwrap_or_else(|| Header::new(self.game)))
    }
}

/// The records below a folder.
fn records_below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let is_csa = |path: &Path| {
        kifu::Format::from_file_name(&path.to_string_lossy()) == Some(kifu::Format::Csa)
    };
    let mut unread = Vec::new();
    let found = kifu::archive::files_below(folder, &is_csa, &mut unread);
    match unread.first() {
        Some((path, e)) => Err(Error::file(path, &format_args!("cannot list: {e}"))),
        None if found.is_empty() => Err(Error::file(folder, &"no records in this folder")),
        None => Ok(found),
    }
}

fn merge(mut merged: Header, other: &Header) -> Result<Header, String> {
    if merged.game != other.game {
        return Err(format!("holds {}, the others {}", other.game, merged.game));
    }
    for (key, value) in &other.entries {
        let joined = match merged.get(key) {
            Some(old) if old.split("; ").any(|v| v == value) => continue,
            // Thousands of seeds are no help to anybody.
            Some(old) if old.len() > 1000 => continue,
            Some(old) => format!("{old}; {value}"),
            None => value.clone(),
        };
        merged = merged.with(key, joined);
    }
    Ok(merged)
}

/// All bytes of the files: what progress is measured against.
pub(crate) fn total(sources: &[Source]) -> u64 {
    sources.iter().map(Source::len).sum()
}
