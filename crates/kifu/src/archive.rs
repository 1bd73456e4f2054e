//! Records in files and folders: whole archives converted from one format into another.
//!
//! Inputs are never touched, outputs appear whole or not at all, and a game that cannot be read is
//! reported with file, line and reason; it stops the others only if that is asked for. Standard input and output
//! are passed in; nothing is printed.

mod sink;
mod source;

#[cfg(test)]
mod tests;

pub use source::{Source, files_below};

use crate::{Damaged, Format, Losses, ReadOptions, Reader, WriteError, WriteOptions};
use sink::Sink;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is to be converted, and how.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// Files, folders (searched to any depth), or `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// A file or folder; `None` and `-` are standard output.
    pub output: Option<PathBuf>,
    pub from: ReadOptions,
    pub to: Format,
    pub options: WriteOptions,
    /// What to do about a game that cannot be read.
    pub damaged: Damaged,
    /// Whether files that exist may be replaced. An input never is.
    pub force: bool,
    /// Set from outside to end the work after the game under way.
    pub stop: Arc<AtomicBool>,
}

/// Standard input and output, or what takes their place.
pub struct Streams<'a> {
    pub input: &'a mut dyn BufRead,
    pub output: &'a mut dyn Write,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    pub games: usize,
    /// Inputs that were read to their end.
    pub files: usize,
    /// What the format has no place for.
    pub losses: Losses,
    /// Games that could not be read or written, inputs that could not be opened.
    pub errors: Vec<String>,
}

/// Why nothing more was converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The output must not be written: it exists, or is an input.
    #[error("{0}")]
    InTheWay(String),
    /// A game cannot be read, and nothing was to be left out; what else went wrong before comes
    /// first, a line each.
    #[error("{0}")]
    Damaged(String),
    /// Somebody wanted the work to end: what was under way is not written, what came before is.
    #[error("interrupted")]
    Interrupted(Box<Converted>),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Failed(String),
}

impl Conversion {
    /// All inputs in a stable order; what cannot be searched is added to `errors`.
    pub fn sources(&self, errors: &mut Vec<String>) -> Vec<Source> {
        Source::collect(&self.inputs, self.from.format.is_some(), errors)
    }

    /// Bytes of all inputs whose size is known.
    pub fn bytes(&self) -> u64 {
        // What cannot be searched is told by the conversion itself.
        let sources = self.sources(&mut Vec::new());
        let sizes = sources.iter().filter_map(|s| s.path.as_ref()?.metadata().ok());
        sizes.map(|m| m.len()).sum()
    }

    /// Converts everything. `watch` is told the input and how many of its bytes were read since it
    /// was called last.
    pub fn run(
        &self,
        streams: Streams<'_>,
        watch: &dyn Fn(&Source, u64),
    ) -> Result<Converted, ConvertError> {
        let Streams { input: stdin, output: stdout } = streams;
        let mut done = Converted::default();
        let sources = self.sources(&mut done.errors);
        let mut sink = Sink::new(self, &sources, stdout)?;
        for source in &sources {
            watch(source, 0);
            let told = |bytes: u64| watch(source, bytes);
            let converted = match &source.path {
                None => self.convert(source, &mut *stdin, &mut sink, &mut done),
                Some(path) => match File::open(path) {
                    Ok(file) => {
                        let mut input =
                            BufReader::with_capacity(1 << 16, Counted { file, told: &told });
                        self.convert(source, &mut input, &mut sink, &mut done)
                    }
                    Err(e) => {
                        done.errors.push(format!("{}: cannot open: {e}", source.name));
                        Ok(())
                    }
                },
            };
            match converted {
                Err(e @ ConvertError::Interrupted(_)) => return sink.abandon().and(Err(e)),
                converted => converted?,
            }
        }
        sink.finish()?;
        Ok(done)
    }

    /// Converts one source. Only what concerns the output stops the work, unless damage is to.
    fn convert(
        &self,
        source: &Source,
        input: &mut dyn BufRead,
        sink: &mut Sink<'_>,
        done: &mut Converted,
    ) -> Result<(), ConvertError> {
        if let Err(message) = sink.begin(source) {
            done.errors.push(message);
            return Ok(());
        }
        let records = Reader::new(source.name.clone(), input, self.from);
        for (number, read) in records.enumerate() {
            if self.stop.load(Ordering::Relaxed) {
                return Err(ConvertError::Interrupted(Box::new(std::mem::take(done))));
            }
            match read {
                Ok(record) => match sink.write(&record) {
                    Ok(losses) => {
                        done.games += 1;
                        done.losses.add(&losses);
                    }
                    Err(WriteError::Io(e)) => return Err(e.into()),
                    Err(e) => {
                        done.errors.push(format!("{}: game {}: {e}", source.name, number + 1));
                    }
                },
                Err(e) => {
                    done.errors.push(e.to_string());
                    if self.damaged == Damaged::Stop {
                        return Err(ConvertError::Damaged(done.errors.join("\n")));
                    }
                }
            }
        }
        done.files += 1;
        if let Err(message) = sink.end() {
            done.errors.push(message);
        }
        Ok(())
    }
}

/// A file whose bytes are counted as they are read.
struct Counted<'a> {
    file: File,
    told: &'a dyn Fn(u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        (self.told)(n as u64);
        Ok(n)
    }
}
