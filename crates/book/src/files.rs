//! Books of any format, read through and written.

use crate::losses::{Losses, Problems};
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
                positions = Some(entries.len() as u64);
                SourceKind::Sbk(entries, problems)
            }
        };
        Ok(Self { format, header, positions, kind })
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
            SourceKind::Native(book) => book.entries().try_for_each(|entry| take(entry?))?,
            SourceKind::Ybb(book) => book.entries().try_for_each(|entry| take(entry?))?,
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

/// A book that is being written. Entries come in any order; the file appears whole, at the end.
pub struct Target {
    path: PathBuf,
    format: Format,
    header: Header,
    combine: Combine,
    sorter: Sorter,
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
        Ok(Self { path: path.to_owned(), format, header, combine, sorter })
    }

    /// Takes an entry. Positions without moves are no entries.
    pub fn push(&mut self, entry: Entry) -> Result<(), BookError> {
        if entry.moves.is_empty() {
            return Ok(());
        }
        let order = self.format.order_of(&entry, self.header.game)?;
        self.sorter.push_by(order, entry)
    }

    /// Writes the file; an existing one only with `force`.
    pub fn finish(self, force: bool) -> Result<Written, BookError> {
        if !force && self.path.exists() {
            return Err(std::io::Error::from(std::io::ErrorKind::AlreadyExists).into());
        }
        let sorted = self.sorter.finish(self.combine)?;
        write_sorted(&self.path, self.format, &self.header, sorted, force)
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
            counted.try_for_each(|entry| writer.write(&entry?))?;
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
