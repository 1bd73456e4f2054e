//! Books to be probed, several over each other.

use crate::db_file::DbFile;
use crate::files::{ReadOptions, Source, first_bytes};
use crate::model::{key_of, rotated};
use crate::{AperyBook, BookError, Combine, Entry, Format, Key, NativeBook, YbbBook};
use rules::{AnyPosition, Game};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A book that answers questions about positions.
pub struct Book {
    /// As messages call it.
    pub name: String,
    kind: Kind,
}

enum Kind {
    Native(NativeBook),
    Ybb(YbbBook),
    Apery(AperyBook),
    Text(DbFile),
    Memory(HashMap<Key, Entry>),
}

impl Book {
    /// Opens a file. A text book is loaded into memory unless `on_the_fly` asks for it to be searched
    /// where it lies; other formats always are.
    pub fn open(path: &Path, game: Game, on_the_fly: bool) -> Result<Self, BookError> {
        let format = Format::detect(path, &first_bytes(path)?).ok_or(BookError::Unknown)?;
        let file = || File::open(path).map(Box::new);
        let mut found = game;
        let kind = match format {
            Format::Native => {
                let book = NativeBook::open(file()?)?;
                found = book.header().game;
                Kind::Native(book)
            }
            Format::Ybb => Kind::Ybb(YbbBook::open(file()?, game)?),
            Format::Apery => {
                found = Game::Shogi;
                Kind::Apery(AperyBook::open(file()?)?)
            }
            Format::Db if on_the_fly => {
                let book = DbFile::open(file()?)?;
                found = book.game();
                Kind::Text(book)
            }
            Format::Db | Format::Sbk => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                let source =
                    Source::open(path, &ReadOptions { threads, ..ReadOptions::default() })?;
                found = source.game();
                let mut entries: HashMap<Key, Entry> = HashMap::new();
                source.each(&mut |entry| {
                    match entries.get_mut(&entry.key) {
                        Some(known) => Combine::First.add(known, entry),
                        None => _ = entries.insert(entry.key, entry),
                    }
                    Ok(())
                })?;
                Kind::Memory(entries)
            }
        };
        if found != game {
            return Err(BookError::Game { found, wanted: game });
        }
        Ok(Self { name: path.display().to_string(), kind })
    }

    /// A book inside the program.
    pub fn inside(name: &str, bytes: &'static [u8]) -> Result<Self, BookError> {
        let kind = Kind::Native(NativeBook::open(Box::new(bytes))?);
        Ok(Self { name: name.to_owned(), kind })
    }

    /// A book of these entries.
    pub fn of_entries(name: &str, entries: impl IntoIterator<Item = Entry>) -> Self {
        let entries = entries.into_iter().map(|entry| (entry.key, entry)).collect();
        Self { name: name.to_owned(), kind: Kind::Memory(entries) }
    }

    /// The entry of a position.
    pub fn find(&self, position: &AnyPosition) -> Result<Option<Entry>, BookError> {
        match &self.kind {
            Kind::Apery(book) => book.find(position),
            Kind::Text(book) => book.find(position),
            Kind::Native(book) => book.find(&key_of(position)?),
            Kind::Ybb(book) => book.find(&key_of(position)?),
            Kind::Memory(entries) => Ok(entries.get(&key_of(position)?).cloned()),
        }
    }
}

/// An entry, and where it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub entry: Entry,
    /// The name of the book.
    pub book: String,
    /// Whether the book has the position turned by 180 degrees.
    pub flipped: bool,
}

/// Books over each other: the first that knows a position answers.
#[derive(Default)]
pub struct Library {
    books: Vec<Book>,
}

impl Library {
    /// Books, the most important first.
    pub const fn new(books: Vec<Book>) -> Self {
        Self { books }
    }

    /// Whether there is no book.
    pub const fn is_empty(&self) -> bool {
        self.books.is_empty()
    }

    /// What the books are called.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.books.iter().map(|book| book.name.as_str())
    }

    /// The entry of a position in the first book that has moves for it; with `flipped` also of the
    /// position turned by 180 degrees, in the same book before the next.
    pub fn find(&self, position: &AnyPosition, flipped: bool) -> Result<Option<Found>, BookError> {
        let has_moves = |entry: Option<Entry>| entry.filter(|entry| !entry.moves.is_empty());
        let mut twin = None;
        for book in &self.books {
            if let Some(entry) = has_moves(book.find(position)?) {
                return Ok(Some(Found { entry, book: book.name.clone(), flipped: false }));
            }
            if flipped {
                if twin.is_none() {
                    twin = Some(rotated(position)?);
                }
                let Some(twin) = &twin else { continue };
                if let Some(entry) = has_moves(book.find(twin)?) {
                    let entry = entry.rotated(position.game())?;
                    return Ok(Some(Found { entry, book: book.name.clone(), flipped: true }));
                }
            }
        }
        Ok(None)
    }
}

/// The files that a name stands for: the patches over it (`X-000.db`, `X-001.ybb`, … from 000 on without
/// a gap), then the file itself, or `X.ybb` where there is no `X.db`.
pub fn overlays(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
        return vec![path.to_owned()];
    };
    for number in 0..1000 {
        let patch = ["nbk", "db", "ybb"]
            .map(|end| path.with_file_name(format!("{stem}-{number:03}.{end}")))
            .into_iter()
            .find(|path| path.is_file());
        match patch {
            Some(patch) => found.push(patch),
            None => break,
        }
    }
    let binary = path.with_extension("ybb");
    let is_missing_text = Format::of_name(path) == Some(Format::Db) && !path.exists();
    found.push(if is_missing_text && binary.is_file() { binary } else { path.to_owned() });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Target;
    use crate::sample::random_entries;
    use crate::{BookMove, Header};
    use rules::Move;

    fn entry(position: &AnyPosition, mv: &str) -> Entry {
        let mut entry = Entry::of(position).unwrap();
        entry.moves.push(BookMove::new(Move::from_usi(position.game(), mv).unwrap()));
        entry
    }

    #[test]
    fn every_format_answers_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let mut entries = random_entries(Game::Shogi, 120, 71);
        // Apery's keys see one hand only: at most one position of each.
        entries.sort_by_key(|entry| crate::apery::order_of(entry).unwrap());
        entries.dedup_by_key(|entry| crate::apery::order_of(entry).unwrap());
        for format in Format::ALL {
            let path = folder.path().join(format!("book.{format}"));
            let header = Header::new(Game::Shogi);
            let mut target = Target::new(&path, None, header, Combine::Both, 1 << 20).unwrap();
            entries.iter().for_each(|entry| target.push(entry.clone()).unwrap());
            target.finish(false).unwrap();
            for on_the_fly in [false, true] {
                let book = Book::open(&path, Game::Shogi, on_the_fly).unwrap();
                for entry in &entries {
                    let found = book.find(&entry.position(Game::Shogi).unwrap()).unwrap().unwrap();
                    let moves = |entry: &Entry| {
                        let mut moves: Vec<Move> = entry.moves.iter().map(|m| m.mv).collect();
                        moves.sort();
                        moves
                    };
                    assert_eq!(moves(&found), moves(entry), "{format} {on_the_fly}");
                }
            }
        }
    }

    #[test]
    fn the_first_book_with_moves_wins_and_twins_are_found() {
        let start = AnyPosition::startpos(Game::Shogi);
        let mut after = start.clone();
        after.play(after.parse_usi("7g7f").unwrap());
        let patch = Book::of_entries("patch", [Entry { moves: vec![], ..entry(&after, "3c3d") }]);
        let main = Book::of_entries("main", [entry(&start, "2g2f"), entry(&after, "8c8d")]);
        let library = Library::new(vec![patch, main]);
        let found = library.find(&after, true).unwrap().unwrap();
        assert_eq!((found.book.as_str(), found.flipped), ("main", false));
        let twin = rotated(&start).unwrap();
        assert!(library.find(&twin, false).unwrap().is_none());
        let found = library.find(&twin, true).unwrap().unwrap();
        assert!(found.flipped);
        assert_eq!(found.entry.moves[0].mv.usi(Game::Shogi), "8c8d");
    }

    #[test]
    fn patches_lie_over_a_book() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["x-000.db", "x-001.ybb", "x-003.db", "x.ybb"] {
            std::fs::write(at(name), "").unwrap();
        }
        assert_eq!(overlays(&at("x.db")), [at("x-000.db"), at("x-001.ybb"), at("x.ybb")]);
        std::fs::write(at("x.db"), "").unwrap();
        assert_eq!(overlays(&at("x.db"))[2], at("x.db"));
        assert_eq!(overlays(&at("y.nbk")), [at("y.nbk")]);
    }

    #[test]
    fn the_other_game_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.nbk");
        let header = Header::new(Game::Minishogi);
        let target = Target::new(&path, None, header, Combine::Both, 1 << 20).unwrap();
        target.finish(false).unwrap();
        let error = Book::open(&path, Game::Shogi, false).err().unwrap().to_string();
        assert!(error.contains("minishogi"), "{error}");
    }
}
