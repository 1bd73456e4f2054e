//! Opening books: those the owner of the server shows to everybody, those of a visitor, and the games a visitor has
//! played through a position.

use crate::service::{BoardService, found};
use crate::start::StartError;
use crate::store::{KeptBook, POSITIONS, Part};
use board::book_edit::{BookEdit, NewBook, name};
use board::book_panel::{
    BookFacts, BookPage, Books, OwnGame, around, facts, failed, page, weighted,
};
use board::error::{ApiError, ErrorCode};
use board::game::Game as BoardGame;
use board::opponent::{self, OpeningBook};
use board::position::{self, PositionRequest};
use book::{
    Book, BookError, Combine, Format, Header, Key, Library, ReadOptions, Source, Target, small,
};
use rules::{AnyPosition, Game, Kings, Move};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

/// Moves of a game that are looked through for a position.
const PLIES: usize = 80;

/// Games shown for a position.
const SHOWN: usize = 20;

/// Visitors whose games are kept in mind.
const VISITORS: usize = 32;

/// Memory for sorting a book that is written.
const SORTING: usize = 64 << 20;

/// The moves of an opening book at a position, each with how often it is played.
pub type OpeningMoves = Arc<dyn Fn(&AnyPosition) -> Vec<(Move, f64)> + Send + Sync>;

/// What levels open with where the owner of the server names no book: the small books inside the executable.
pub(crate) fn inside() -> OpeningMoves {
    Arc::new(|at| small::moves(at).into_iter().map(|(m, weight)| (m, weight as f64)).collect())
}

/// The small books inside the executable, to be looked at.
fn small_books() -> impl Iterator<Item = SharedBook> {
    Game::ALL.into_iter().filter_map(|game| {
        let library = Library::new(vec![small::book(game)?]);
        Some(SharedBook::new(&format!("nue-{}", game.name()), "Nue", game, library))
    })
}

/// A book the owner of the server shows to everybody.
pub struct SharedBook {
    facts: BookFacts,
    library: Library,
}

impl SharedBook {
    /// A book with that id and name.
    pub fn new(id: &str, name: &str, game: Game, library: Library) -> Self {
        Self { facts: facts(id, name, false, game), library }
    }
}

/// The books of the command line, each with the patches over it.
pub(crate) fn open(paths: &[PathBuf]) -> Result<Vec<SharedBook>, StartError> {
    let open = |(number, path): (usize, &PathBuf)| {
        let wrong = |e: &BookError| StartError::failed(format!("{}: {e}", path.display()));
        let source = Source::open(path, &ReadOptions::default()).map_err(|e| wrong(&e))?;
        let game = source.game();
        drop(source);
        let books = book::overlays(path)
            .iter()
            .map(|path| Book::open(path, game, false))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| wrong(&e))?;
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        Ok(SharedBook::new(&format!("file-{}", number + 1), &name, game, Library::new(books)))
    };
    paths.iter().enumerate().map(open).collect()
}

/// Every book of the server, and what is remembered of visitors' games.
pub struct BookList {
    /// Those of the owner of the server.
    shared: Vec<SharedBook>,
    small: Vec<SharedBook>,
    /// What levels open with where nothing else was asked for.
    opening: Option<OpeningMoves>,
    games: Mutex<HashMap<String, Arc<GamePlaces>>>,
}

impl BookList {
    /// Shared books; levels open with the first of their game, else with `opening`.
    pub fn new(shared: Vec<SharedBook>, opening: Option<OpeningMoves>) -> Self {
        Self { shared, small: small_books().collect(), opening, games: Mutex::default() }
    }

    fn shared(&self, id: &str) -> Option<&SharedBook> {
        self.everybodys().find(|book| book.facts.book == id)
    }

    fn everybodys(&self) -> impl Iterator<Item = &SharedBook> {
        self.shared.iter().chain(&self.small)
    }

    fn usual(&self, at: &AnyPosition) -> Vec<(Move, f64)> {
        match self.shared.iter().find(|book| book.facts.variant == at.game().into()) {
            Some(first) => weighted(&first.library, at).unwrap_or_default(),
            None => self.opening.as_ref().map(|opening| opening(at)).unwrap_or_default(),
        }
    }
}

/// Where a visitor's games have been.
struct GamePlaces {
    /// By which a change is noticed: how many games and moves, and the last change.
    stamp: (usize, u64, i64),
    games: Vec<OwnGame>,
    /// Numbers of games, the latest first, with the move played.
    places: HashMap<Key, Vec<(usize, Move)>>,
}

fn missing(id: &str) -> ApiError {
    ApiError::missing(format!("there is no book {id:?}"))
}

impl BoardService {
    fn own_book(&self, visitor: &str, id: &str) -> Result<KeptBook, ApiError> {
        match self.store().book(id, visitor)? {
            Some(kept) => Ok(kept),
            None if self.book_list().shared(id).is_some() => {
                let message = "this book is everybody's and cannot be changed here";
                Err(ApiError::new(ErrorCode::NotAllowed, message))
            }
            None => Err(missing(id)),
        }
    }

    fn book_facts(&self, visitor: &str, id: &str) -> Result<BookFacts, ApiError> {
        Ok(self.own_book(visitor, id)?.facts)
    }

    /// Books a visitor may look at, their own first.
    pub fn books(&self, visitor: &str) -> Result<Books, ApiError> {
        let own = self.store().books(visitor)?.into_iter().map(|kept| kept.facts);
        let shared = self.book_list().everybodys().map(|book| book.facts.clone());
        Ok(Books { books: own.chain(shared).collect() })
    }

    /// A new book without anything in it.
    pub fn new_book(&self, visitor: &str, asked: &NewBook) -> Result<BookFacts, ApiError> {
        let game = position::variant(asked.variant.as_deref())?;
        let (id, name) = (self.secret(12), name(&asked.name)?);
        self.store().add_book(visitor, (&id, &name, game), &[], self.wall())?;
        self.book_facts(visitor, &id)
    }

    /// A book from the bytes of a file.
    pub fn read_book(
        &self,
        visitor: &str,
        file: &str,
        variant: Option<&str>,
        bytes: &[u8],
    ) -> Result<BookFacts, ApiError> {
        let game = position::variant(variant)?;
        let (folder, end) = (scratch()?, Path::new(file).extension());
        let path = folder.path().join("book").with_extension(end.unwrap_or_default());
        std::fs::File::create(&path)
            .and_then(|mut copy| copy.write_all(bytes))
            .map_err(|e| failed(e.into()))?;
        let source =
            Source::open(&path, &ReadOptions { game, ..ReadOptions::default() }).map_err(failed)?;
        let game = source.game();
        let mut entries = Vec::new();
        let mut too_many = false;
        let read = source.each(&mut |entry| {
            too_many = entries.len() >= POSITIONS;
            if too_many {
                return Err(BookError::Interrupted);
            }
            entries.push(entry);
            Ok(())
        });
        if too_many {
            let message = format!(
                "more than {POSITIONS} positions: name the file with --book when starting the board"
            );
            return Err(ApiError::new(ErrorCode::TooLarge, message));
        }
        let problems = read.map_err(failed)?;
        if entries.is_empty() {
            let message = format!("no position could be read; {problems}");
            return Err(ApiError::new(ErrorCode::Unreadable, message));
        }
        let stem = Path::new(file).file_stem().map(|s| s.to_string_lossy().into_owned());
        let (id, name) = (self.secret(12), name(&stem.unwrap_or_default())?);
        self.store().add_book(visitor, (&id, &name, game), &entries, self.wall())?;
        self.book_facts(visitor, &id)
    }

    /// A visitor's book as a file.
    pub fn write_book(&self, visitor: &str, id: &str, format: &str) -> Result<Vec<u8>, ApiError> {
        let format = Format::from_str(format).map_err(|e| ApiError::bad(e.to_string()))?;
        let (kept, entries) = {
            let store = self.store();
            let kept = store.book(id, visitor)?.ok_or_else(|| missing(id))?;
            let entries = store.book_entries(&kept)?;
            (kept, entries)
        };
        let folder = scratch()?;
        let path = folder.path().join("book");
        let header = Header::new(kept.game).with("description", &kept.facts.name);
        let write = || -> Result<Vec<u8>, BookError> {
            let mut target = Target::new(&path, Some(format), header, Combine::Both, SORTING)?;
            entries.into_iter().try_for_each(|entry| target.push(entry))?;
            target.finish(true)?;
            Ok(std::fs::read(&path)?)
        };
        let unfit = |error: BookError| match error {
            BookError::Unfit(_) => ApiError::new(ErrorCode::Unwritable, error.to_string()),
            other => failed(other),
        };
        write().map_err(unfit)
    }

    /// Another name for a visitor's book.
    pub fn rename_book(
        &self,
        visitor: &str,
        id: &str,
        asked: &NewBook,
    ) -> Result<BookFacts, ApiError> {
        found(self.store().rename_book(id, visitor, &name(&asked.name)?)?, "book", id)?;
        self.book_facts(visitor, id)
    }

    /// Puts a visitor's book into the bin.
    pub fn delete_book(&self, visitor: &str, id: &str) -> Result<(), ApiError> {
        found(self.store().bin_book(id, visitor, Some(self.wall()))?, "book", id)
    }

    /// Takes it out of the bin.
    pub fn restore_book(&self, visitor: &str, id: &str) -> Result<(), ApiError> {
        found(self.store().bin_book(id, visitor, None)?, "deleted book", id)
    }

    /// What a book says of a position.
    pub fn look_at_book(
        &self,
        visitor: &str,
        id: &str,
        asked: &PositionRequest,
    ) -> Result<BookPage, ApiError> {
        let at = asked.resolve(Kings::Both)?;
        let games = self.own_games(visitor, &at)?;
        let scale = self.scale(None, at.game());
        if let Some(shared) = self.book_list().shared(id) {
            fits(&shared.facts, &at)?;
            return page(shared.facts.clone(), &shared.library, &at, scale, games);
        }
        let kept = self.store().book(id, visitor)?.ok_or_else(|| missing(id))?;
        fits(&kept.facts, &at)?;
        let library = self.part_of(&kept, &at)?;
        page(kept.facts, &library, &at, scale, games)
    }

    /// What lies around a position in a visitor's book.
    fn part_of(&self, kept: &KeptBook, at: &AnyPosition) -> Result<Library, ApiError> {
        let store = self.store();
        around(&kept.facts.name, at, &mut |key| store.book_entry(kept, key))
    }

    /// Changes a move of a visitor's book.
    pub fn edit_book(
        &self,
        visitor: &str,
        id: &str,
        edit: &BookEdit,
    ) -> Result<BookFacts, ApiError> {
        let kept = self.own_book(visitor, id)?;
        fits(&kept.facts, &edit.position.resolve(Kings::Both)?)?;
        let mut store = self.store();
        let entries = edit.apply(&mut |key| store.book_entry(&kept, key))?;
        if !entries.is_empty() {
            store.change_book(&kept, &entries, None, self.wall())?;
        }
        drop(store);
        self.book_facts(visitor, id)
    }

    /// Undoes the last change of a visitor's book, or does it again.
    pub fn travel_book(&self, visitor: &str, id: &str, back: bool) -> Result<BookFacts, ApiError> {
        let kept = self.own_book(visitor, id)?;
        if !self.store().travel_book(&kept, back, self.wall())? {
            let message = if back { "there is nothing to undo" } else { "nothing was undone" };
            return Err(ApiError::new(ErrorCode::NotAllowed, message));
        }
        self.book_facts(visitor, id)
    }

    /// The move our engine plays out of its opening book, while the book has one.
    pub fn book_move(&self, owner: &str, game: &BoardGame) -> Option<Move> {
        let at = game.position();
        let moves = match opponent::book_of(game)? {
            OpeningBook::Usual => self.book_list().usual(at),
            OpeningBook::Named(id) => match self.book_list().shared(id) {
                Some(shared) => weighted(&shared.library, at).ok()?,
                // A book that was deleted since: the game goes on without it.
                None => {
                    let kept = self.store().book(id, owner).ok()??;
                    weighted(&self.part_of(&kept, at).ok()?, at).ok()?
                }
            },
        };
        opponent::book_move(game, &moves)
    }

    /// Whether a game may be begun with a book.
    pub(crate) fn check_book(
        &self,
        visitor: &str,
        id: Option<&str>,
        game: Game,
    ) -> Result<(), ApiError> {
        let Some(id) = id.filter(|id| *id != opponent::NO_BOOK) else { return Ok(()) };
        let variant = match self.book_list().shared(id) {
            Some(shared) => shared.facts.variant,
            None => self.book_facts(visitor, id)?.variant,
        };
        if variant == game.into() { Ok(()) } else { Err(other_game(game)) }
    }

    /// A visitor's own games that came through a position, the latest first.
    fn own_games(&self, visitor: &str, at: &AnyPosition) -> Result<Vec<OwnGame>, ApiError> {
        let Ok(key) = book::key_of(at) else { return Ok(Vec::new()) };
        let places = self.game_places(visitor)?;
        let here = places.places.get(&key).into_iter().flatten();
        let shown = |&(number, m): &(usize, Move)| {
            let game = places.games.get(number)?.clone();
            Some(game.with_move(at, m))
        };
        Ok(here.filter_map(shown).take(SHOWN).collect())
    }

    fn game_places(&self, visitor: &str) -> Result<Arc<GamePlaces>, ApiError> {
        let entries = self.store().list(visitor, &Part::ALL)?;
        let plies = entries.iter().map(|entry| u64::from(entry.plies)).sum();
        let last = entries.iter().map(|entry| entry.dates.updated).max().unwrap_or(0);
        let stamp = (entries.len(), plies, last);
        let mut remembered = self.book_list().games.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = remembered.get(visitor).filter(|known| known.stamp == stamp) {
            return Ok(Arc::clone(known));
        }
        let mut places = GamePlaces { stamp, games: Vec::new(), places: HashMap::new() };
        for entry in entries {
            let Some(kept) = self.store().load(&entry.id)? else { continue };
            let you = entry.side(visitor).color();
            let result = entry.ending.and_then(|ending| match (ending.winner(), you) {
                (None, _) => Some(0.5),
                (Some(winner), Some(you)) => Some(if winner == you { 1.0 } else { 0.0 }),
                (Some(_), None) => None,
            });
            let number = places.games.len();
            let Ok(mut at) = AnyPosition::from_sfen(entry.setup.game(), &entry.setup.start) else {
                continue;
            };
            for played in kept.game.played().iter().take(PLIES) {
                if let Ok(key) = book::key_of(&at) {
                    places.places.entry(key).or_default().push((number, played.m));
                }
                at.play(played.m);
            }
            places.games.push(OwnGame {
                game: entry.id.clone(),
                usi: String::new(),
                ja: String::new(),
                en: String::new(),
                opponent: entry.setup.opponent_view().name,
                result,
                updated: entry.dates.updated,
            });
        }
        let places = Arc::new(places);
        if remembered.len() >= VISITORS {
            remembered.clear();
        }
        remembered.insert(visitor.to_owned(), Arc::clone(&places));
        Ok(places)
    }
}

fn other_game(game: Game) -> ApiError {
    ApiError::bad(format!("the book has no positions of {game}"))
}

fn fits(facts: &BookFacts, at: &AnyPosition) -> Result<(), ApiError> {
    if facts.variant == at.game().into() { Ok(()) } else { Err(other_game(at.game())) }
}

/// A folder for a file that is looked at once.
fn scratch() -> Result<tempfile::TempDir, ApiError> {
    tempfile::tempdir().map_err(|e| failed(e.into()))
}
