//! Books as sorted entries, whatever their format.

use crate::args::Reading;
use crate::{Console, WorkError};
use book::{
    BookError, Combine, Entry, Header, NativeBook, Problems, ReadOptions, Source, Target, Written,
};
use std::collections::VecDeque;
use std::path::Path;
use tempfile::TempPath;

/// Memory for sorting a book that is only looked at.
const MEMORY: usize = 256 << 20;
/// Positions between two words about progress.
pub(crate) const OFTEN: u64 = 1_000_000;

impl Reading {
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.from,
            game: self.game,
            threads: self.threads,
            astray: self.astray,
        }
    }
}

/// Opens a book.
pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Source, WorkError> {
    Source::open(path, &reading.options()).map_err(WorkError::at(path))
}

/// Gives every entry of a book to `take`, telling how far it is.
pub(crate) fn each(
    path: &Path,
    source: Source,
    console: &mut Console<'_>,
    take: &mut dyn FnMut(Entry) -> Result<(), BookError>,
) -> Result<Problems, WorkError> {
    let mut count = 0;
    let problems = source
        .each(&mut |entry| {
            take(entry)?;
            count += 1;
            if count % OFTEN == 0 {
                (console.tell)(&format!("{}: {} positions", path.display(), chart::grouped(count)));
            }
            match console.stop.load(std::sync::atomic::Ordering::Relaxed) {
                true => Err(BookError::Interrupted),
                false => Ok(()),
            }
        })
        .map_err(WorkError::at(path))?;
    tell_problems(path, &problems, console);
    Ok(problems)
}

/// Has a book being written take everything of another, telling how far it is. `edit` may change entries.
pub(crate) fn take_all(
    path: &Path,
    source: Source,
    target: &mut Target,
    edit: impl Fn(&mut Entry) + Sync,
    console: &mut Console<'_>,
) -> Result<(), WorkError> {
    let all = source.positions;
    let (tell, stop) = (&mut *console.tell, console.stop);
    let mut told = target.resumed() / OFTEN;
    let progress = |positions: u64| {
        if positions / OFTEN > told {
            told = positions / OFTEN;
            let all = all.map_or(String::new(), |all| format!(" of {}", chart::grouped(all)));
            let positions = chart::grouped(positions);
            tell(&format!("{}: {positions}{all} positions read", path.display()));
        }
        match stop.load(std::sync::atomic::Ordering::Relaxed) {
            true => Err(BookError::Interrupted),
            false => Ok(()),
        }
    };
    let problems = target.take_all(source, edit, progress).map_err(WorkError::at(path))?;
    tell_problems(path, &problems, console);
    Ok(())
}

/// Writes a book that has taken everything, telling how far it is.
pub(crate) fn finish(
    target: Target,
    path: &Path,
    force: bool,
    console: &mut Console<'_>,
) -> Result<Written, WorkError> {
    let (tell, stop) = (&mut *console.tell, console.stop);
    let mut told = 0;
    let mut progress = |positions: u64| {
        if positions / OFTEN > told {
            told = positions / OFTEN;
            tell(&format!("{}: {} positions written", path.display(), chart::grouped(positions)));
        }
        match stop.load(std::sync::atomic::Ordering::Relaxed) {
            true => Err(BookError::Interrupted),
            false => Ok(()),
        }
    };
    target.finish_telling(force, &mut progress).map_err(WorkError::at(path))
}

/// Tells what could not be read.
pub(crate) fn tell_problems(path: &Path, problems: &Problems, console: &mut Console<'_>) {
    for line in problems.to_string().lines() {
        (console.tell)(&format!("{}: {line}", path.display()));
    }
}

/// A book in our own format: itself, or a copy that is gone when this is.
pub(crate) struct Native {
    pub(crate) book: NativeBook,
    _copy: Option<TempPath>,
}

impl Native {
    /// Opens a book; another format is sorted into a temporary file in that folder.
    pub(crate) fn open(
        path: &Path,
        reading: &Reading,
        folder: &Path,
        console: &mut Console<'_>,
    ) -> Result<Self, WorkError> {
        let source = open(path, reading)?;
        if source.is_by_key() {
            let book = NativeBook::open_file(path).map_err(WorkError::at(path))?;
            return Ok(Self { book, _copy: None });
        }
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let copy = tempfile::Builder::new().suffix(".nbk").tempfile_in(folder)?.into_temp_path();
        let header = Header::new(source.game());
        let target = Target::new(&copy, None, header, Combine::Both, MEMORY)?;
        let mut target = target.on_threads(reading.threads);
        take_all(path, source, &mut target, |_| (), console)?;
        finish(target, &copy, true, console)?;
        let book = NativeBook::open_file(&copy)?;
        Ok(Self { book, _copy: Some(copy) })
    }
}

/// The entries of a book in order, one block at a time.
pub(crate) struct Entries<'a> {
    book: &'a NativeBook,
    block: usize,
    queue: VecDeque<Entry>,
}

impl<'a> Entries<'a> {
    pub(crate) const fn new(book: &'a NativeBook) -> Self {
        Self { book, block: 0, queue: VecDeque::new() }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Entry>, BookError> {
        while self.queue.is_empty() && self.block < self.book.blocks() {
            self.queue = self.book.entries_of(self.block)?.into();
            self.block += 1;
        }
        Ok(self.queue.pop_front())
    }
}
