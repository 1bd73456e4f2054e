//! Books of any format, read through and written.

use crate::losses::{Losses, Problems};
use crate::parallel::in_order;
use crate::runs::Sorter;
use crate::{
    AperyBook, BookError, Combine, Entry, Format, Header, NativeBook, YbbBook, apery, db, native,
    sbk, ybb,
};
use durable::Draft;
use rules::{AnyPosition, Game, Handicap};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Memory for sorting unless told otherwise.
pub const USUAL_MEMORY: usize = 512 << 20;

/// What to take for granted of a file.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Instead of what the file looks like.
    pub format: Option<Format>,
    /// The game of a format that does not say it (ybb).
    pub game: Game,
    pub threads: usize,
    /// Moves outside an Apery book that may lead to the next position in it.
    pub astray: u32,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { format: None, game: Game::Shogi, threads: 1, astray: 1 }
    }
}

/// A book that is to be read through.
pub struct Source {
    pub format: Format,
    pub header: Header,
    /// Positions, where the file says how many.
    pub positions: Option<u64>,
    threads: usize,
    kind: SourceKind,
}

enum SourceKind {
    Native(NativeBook),
    Db(Box<db::Reader<File>>),
    Ybb(YbbBook),
    Apery(AperyBook, u32),
    Sbk(Vec<Entry>, Problems),
}

/// The first bytes of a file.
pub(crate) fn first_bytes(path: &Path) -> Result<Vec<u8>, BookError> {
    let mut start = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut start)?;
    Ok(start)
}

impl Source {
    /// Opens a book of any format.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, BookError> {
        let start = first_bytes(path)?;
        let format = options.format.or_else(|| Format::detect(path, &start));
        let format = format.ok_or(BookError::Unknown)?;
        let file = File::open(path)?;
        let mut header = Header::new(options.game);
        let mut positions = None;
        let kind = match format {
            Format::Native => {
                let book = NativeBook::open(Box::new(file))?;
                header = book.header().clone();
                positions = Some(book.size().0);
                SourceKind::Native(book)
            }
            Format::Db => {
                let reader = db::Reader::new(file, options.threads)?;
                header.game = reader.game();
                SourceKind::Db(Box::new(reader))
            }
            Format::Ybb => {
                let book = YbbBook::open(Box::new(file), options.game)?;
                positions = Some(book.positions());
                SourceKind::Ybb(book)
            }
            Format::Apery => {
                header.game = Game::Shogi;
                SourceKind::Apery(AperyBook::open(Box::new(file))?, options.astray)
            }
            Format::Sbk => {
                let (read, entries, problems) = sbk::read(&std::fs::read(path)?)?;
                header = read;
                // Others have states for what a move leads to even if nothing is known of it.
                let entries: Vec<Entry> = entries.into_iter().filter(says_something).collect();
                positions = Some(entries.len() as u64);
                SourceKind::Sbk(entries, problems)
            }
        };
        Ok(Self { format, header, positions, threads: options.threads, kind })
    }

    /// Shogi or minishogi.
    pub const fn game(&self) -> Game {
        self.header.game
    }

    /// Whether entries come in the order of their keys.
    pub const fn is_by_key(&self) -> bool {
        // Positions packed by others in another order of hands come back in ours.
        matches!(self.kind, SourceKind::Native(_))
    }

    /// Gives every entry to `take`, and says at the end what could not be read.
    pub fn each(
        self,
        take: &mut dyn FnMut(Entry) -> Result<(), BookError>,
    ) -> Result<Problems, BookError> {
        let mut problems = Problems::default();
        match self.kind {
            SourceKind::Native(book) => {
                let blocks = (0..book.blocks()).map(Ok);
                in_order(
                    self.threads,
                    blocks,
                    |block| book.entries_of(block),
                    |entries| entries.into_iter().try_for_each(&mut *take),
                )?;
            }
            SourceKind::Ybb(book) => {
                let parts = (0..book.parts()).map(Ok);
                in_order(
                    self.threads,
                    parts,
                    |part| book.part(part),
                    |entries| entries.into_iter().try_for_each(&mut *take),
                )?;
            }
            SourceKind::Db(mut reader) => {
                reader.by_ref().try_for_each(|entry| take(entry?))?;
                problems = reader.problems().clone();
            }
            SourceKind::Sbk(entries, found) => {
                entries.into_iter().try_for_each(take)?;
                problems = found;
            }
            SourceKind::Apery(book, astray) => {
                let mut walk = book.walk(roots(), astray);
                walk.by_ref().try_for_each(|entry| take(entry?))?;
                let lost = book.records().saturating_sub(walk.found);
                if lost > 0 {
                    problems.note(|| {
                        format!("{lost} of {} records: no game leads to them", book.records())
                    });
                }
            }
        }
        Ok(problems)
    }
}

fn says_something(entry: &Entry) -> bool {
    !entry.moves.is_empty() || entry.comment.is_some()
}

/// Where games begin: the even game and every handicap.
fn roots() -> Vec<AnyPosition> {
    let handicaps = Handicap::ALL.into_iter().map(Handicap::sfen);
    handicaps.filter_map(|sfen| AnyPosition::from_sfen(Game::Shogi, &sfen).ok()).collect()
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    pub positions: u64,
    pub moves: u64,
    pub losses: Losses,
}

/// Positions that one thread takes at a time.
const BATCH: usize = 1024;

/// A book that is being written. Entries come in any order; the file appears whole, at the end.
pub struct Target {
    path: PathBuf,
    format: Format,
    header: Header,
    combine: Combine,
    threads: usize,
    /// Entries that are not in the sorter yet.
    waiting: Vec<Entry>,
    sorter: Sorter,
    /// Where entries come in order already.
    direct: Option<native::Writer<Draft>>,
}

impl Target {
    /// Begins a book. The format is that of the file's name unless given.
    pub fn new(
        path: &Path,
        format: Option<Format>,
        header: Header,
        combine: Combine,
        memory: usize,
    ) -> Result<Self, BookError> {
        let format = format.or_else(|| Format::of_name(path)).ok_or(BookError::Unknown)?;
        if header.game == Game::Minishogi && matches!(format, Format::Apery | Format::Sbk) {
            return Err(BookError::Unfit(format!("format {format} knows no minishogi")));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        if !folder.as_os_str().is_empty() {
            std::fs::create_dir_all(folder)?;
        }
        let sorter = Sorter::new(header.game, folder, memory);
        let (path, waiting) = (path.to_owned(), Vec::new());
        let (threads, direct) = (1, None);
        Ok(Self { path, format, header, combine, threads, waiting, sorter, direct })
    }

    /// The same with several threads; the file is the same.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The same for entries that come in the order of their keys, each once: our own format needs no sorting then.
    pub fn by_key(mut self) -> Result<Self, BookError> {
        if self.format == Format::Native {
            let draft = Draft::new(&self.path)?;
            self.direct = Some(native::Writer::new(draft, self.header.clone())?);
        }
        Ok(self)
    }

    /// Takes an entry. Positions without moves are no entries.
    pub fn push(&mut self, entry: Entry) -> Result<(), BookError> {
        if entry.moves.is_empty() {
            return Ok(());
        }
        if let Some(writer) = &mut self.direct {
            return writer.write(&entry);
        }
        self.waiting.push(entry);
        if self.waiting.len() < self.threads * BATCH { Ok(()) } else { self.sort_waiting() }
    }

    /// What entries are sorted by takes time to find: each thread does a part of them.
    fn sort_waiting(&mut self) -> Result<(), BookError> {
        let (format, game) = (self.format, self.header.game);
        let mut waiting = std::mem::take(&mut self.waiting).into_iter().peekable();
        let batches = std::iter::from_fn(|| {
            waiting.peek()?;
            Some(Ok(waiting.by_ref().take(BATCH).collect::<Vec<Entry>>()))
        });
        let order = |entries: Vec<Entry>| {
            let ordered =
                entries.into_iter().map(|entry| Ok((format.order_of(&entry, game)?, entry)));
            ordered.collect::<Result<Vec<_>, BookError>>()
        };
        let threads = if format.has_own_order() { self.threads } else { 1 };
        in_order(threads, batches, order, |entries| {
            entries.into_iter().try_for_each(|(order, entry)| self.sorter.push_by(order, entry))
        })
    }

    /// Writes the file; an existing one only with `force`.
    pub fn finish(mut self, force: bool) -> Result<Written, BookError> {
        if !force && self.path.exists() {
            return Err(std::io::Error::from(std::io::ErrorKind::AlreadyExists).into());
        }
        if let Some(writer) = self.direct {
            let (positions, moves) = writer.written();
            writer.finish()?.publish(force)?;
            return Ok(Written { positions, moves, losses: Losses::default() });
        }
        self.sort_waiting()?;
        let sorted = self.sorter.finish(self.combine)?;
        write_sorted_on(self.threads, &self.path, self.format, &self.header, sorted, force)
    }
}

/// Writes a book of entries that come in the order of the format.
pub fn write_sorted(
    path: &Path,
    format: Format,
    header: &Header,
    entries: impl Iterator<Item = Result<Entry, BookError>>,
    force: bool,
) -> Result<Written, BookError> {
    write_sorted_on(1, path, format, header, entries, force)
}

/// The same on several threads, where the format takes any time to write.
fn write_sorted_on(
    threads: usize,
    path: &Path,
    format: Format,
    header: &Header,
    entries: impl Iterator<Item = Result<Entry, BookError>>,
    force: bool,
) -> Result<Written, BookError> {
    let mut draft = Draft::new(path)?;
    let mut written = Written::default();
    let mut counted = entries.inspect(|entry| {
        if let Ok(entry) = entry {
            written.positions += 1;
            written.moves += entry.moves.len() as u64;
        }
    });
    let losses = match format {
        Format::Native => {
            let mut writer = native::Writer::new(&mut draft, header.clone())?;
            counted.try_for_each(|entry| writer.write(&entry?))?;
            writer.finish()?;
            Losses::default()
        }
        Format::Db => {
            let mut writer = db::Writer::new(&mut draft, header.game)?;
            let batches = std::iter::from_fn(|| {
                let batch: Result<Vec<Entry>, BookError> = counted.by_ref().take(BATCH).collect();
                Some(batch).filter(|batch| !matches!(batch, Ok(entries) if entries.is_empty()))
            });
            let text = |entries: Vec<Entry>| {
                let (mut text, mut losses) = (String::new(), Losses::default());
                for entry in &entries {
                    losses.add(db::put_text(&mut text, entry, header.game)?);
                }
                Ok((text, losses))
            };
            in_order(threads, batches, text, |(text, losses)| writer.write_text(&text, losses))?;
            writer.finish()?.1
        }
        Format::Ybb => {
            let folder = path.parent().unwrap_or(Path::new("."));
            let mut writer = ybb::Writer::new(&mut draft, folder)?;
            counted.try_for_each(|entry| writer.write(&entry?))?;
            writer.finish()?.1
        }
        Format::Apery => {
            let mut writer = apery::Writer::new(&mut draft);
            counted.try_for_each(|entry| writer.write(&entry?))?;
            writer.finish()?.1
        }
        Format::Sbk => {
            let entries = counted.collect::<Result<Vec<_>, _>>()?;
            let (bytes, losses) = sbk::write(header, &entries)?;
            draft.write_all(&bytes)?;
            losses
        }
    };
    draft.publish(force)?;
    Ok(Written { losses, ..written })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::random_entries;

    fn read(path: &Path) -> (Vec<Entry>, Problems) {
        let options = ReadOptions { threads: 2, ..ReadOptions::default() };
        let source = Source::open(path, &options).unwrap();
        let mut entries = Vec::new();
        let problems = source
            .each(&mut |entry| {
                entries.push(entry);
                Ok(())
            })
            .unwrap();
        entries.sort_by_key(|entry| entry.key);
        (entries, problems)
    }

    /// What every format holds: positions, moves and the values that there are.
    fn essence(entries: &[Entry]) -> Vec<(crate::Key, Vec<(rules::Move, i32)>)> {
        let moves = |entry: &Entry| {
            let mut moves: Vec<_> =
                entry.moves.iter().map(|m| (m.mv, m.value.unwrap_or(0))).collect();
            moves.sort();
            moves
        };
        entries.iter().map(|entry| (entry.key, moves(entry))).collect()
    }

    #[test]
    fn a_book_goes_through_every_format_and_back() {
        let folder = tempfile::tempdir().unwrap();
        let entries = random_entries(Game::Shogi, 150, 61);
        for format in Format::ALL.into_iter().filter(|&format| format != Format::Apery) {
            let path = folder.path().join(format!("book.{format}"));
            let header = Header::new(Game::Shogi);
            let mut target = Target::new(&path, None, header, Combine::Both, 1 << 16).unwrap();
            for entry in entries.iter().rev() {
                target.push(entry.clone()).unwrap();
            }
            let written = target.finish(false).unwrap();
            assert_eq!(written.positions, 150);
            assert_eq!(written.losses.is_none(), format == Format::Native, "{format}");
            let (again, problems) = read(&path);
            assert_eq!(problems.count, 0, "{format}: {problems}");
            if format == Format::Native {
                assert!(again == entries);
            }
            assert!(essence(&again) == essence(&entries), "{format}");
            // On several threads the file is the same.
            let other = folder.path().join("other");
            let header = Header::new(Game::Shogi);
            let target = Target::new(&other, Some(format), header, Combine::Both, 1 << 16);
            let mut target = target.unwrap().on_threads(3);
            entries.iter().for_each(|entry| target.push(entry.clone()).unwrap());
            assert_eq!(target.finish(false).unwrap(), written);
            assert!(std::fs::read(&other).unwrap() == std::fs::read(&path).unwrap(), "{format}");
            std::fs::remove_file(&other).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "and nothing else");
    }

    #[test]
    fn a_file_in_the_way_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.nbk");
        std::fs::write(&path, "mine").unwrap();
        let target =
            || Target::new(&path, None, Header::new(Game::Shogi), Combine::Both, 1 << 20).unwrap();
        assert!(target().finish(false).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        target().finish(true).unwrap();
        assert_eq!(read(&path).0.len(), 0);
    }

    #[test]
    fn what_comes_in_order_is_not_sorted_again() {
        let folder = tempfile::tempdir().unwrap();
        let entries = random_entries(Game::Shogi, 200, 62);
        let write = |name: &str, by_key: bool, entries: &[Entry]| {
            let path = folder.path().join(name);
            let header = Header::new(Game::Shogi);
            let mut target = Target::new(&path, None, header, Combine::Both, 1 << 20).unwrap();
            if by_key {
                target = target.by_key().unwrap();
            }
            entries.iter().try_for_each(|entry| target.push(entry.clone()))?;
            target.finish(false).map(|written| (written, std::fs::read(&path).unwrap()))
        };
        let sorted = write("a.nbk", false, &entries).unwrap();
        assert!(write("b.nbk", true, &entries).unwrap() == sorted);
        let disorder: Vec<Entry> = entries.iter().rev().cloned().collect();
        assert!(write("c.nbk", true, &disorder).is_err());
        assert!(!folder.path().join("c.nbk").exists(), "and no half a file");
        let text = write("a.db", true, &disorder).unwrap();
        assert!(text == write("b.db", false, &entries).unwrap(), "other formats are sorted");
    }

    #[test]
    fn what_a_file_is() {
        let at = |name: &str, start: &[u8]| Format::detect(Path::new(name), start);
        assert_eq!(at("x.db", b"YANE-BINBOOK-V1\0"), Some(Format::Ybb));
        assert_eq!(at("x", b"\xEF\xBB\xBF#YANEURAOU-DB2016 1.00\r\n"), Some(Format::Db));
        assert_eq!(at("book.BIN", b"12345678"), Some(Format::Apery));
        assert_eq!(at("book", b"12345678"), None);
        assert!("pgn".parse::<Format>().unwrap_err().to_string().contains("sbk"));
    }

    #[test]
    fn minishogi_has_no_place_in_apery_books() {
        let header = Header::new(Game::Minishogi);
        let target = Target::new(Path::new("x.bin"), None, header, Combine::Both, 1 << 20);
        assert!(target.is_err_and(|error| error.to_string().contains("minishogi")));
    }
}
