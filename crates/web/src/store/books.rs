//! Visitors' opening books in the file: an entry a row, and every change with what was before it.

use super::{Store, failed};
use board::book_edit::{from_text, to_text};
use board::book_panel::{BookFacts, facts};
use board::error::{ApiError, ErrorCode};
use book::{Entry, Key};
use rules::Game;
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// Books one visitor may have, those in the bin not counted.
pub const BOOKS: usize = 50;

/// Positions of one book.
pub const POSITIONS: usize = 200_000;

/// Changes that can be undone.
const CHANGES: i64 = 500;

/// An entry of a book, or that there is none.
pub type BookEntry = Option<Entry>;

/// A place in the list of changes: what is noted under the same one is undone together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookNote(i64);

/// A book as it lies in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptBook {
    pub facts: BookFacts,
    pub game: Game,
    changes: i64,
}

const COLUMNS: &str = "id, name, variant, changes, \
    (SELECT COUNT(*) FROM book_entries WHERE book = id), \
    EXISTS (SELECT 1 FROM book_changes WHERE book = id AND number <= changes), \
    EXISTS (SELECT 1 FROM book_changes WHERE book = id AND number > changes)";

fn kept(row: &Row<'_>) -> rusqlite::Result<Option<KeptBook>> {
    let Ok(game) = row.get::<_, String>(2)?.parse::<Game>() else { return Ok(None) };
    let (id, name): (String, String) = (row.get(0)?, row.get(1)?);
    let positions = u64::try_from(row.get::<_, i64>(4)?).ok();
    let (undo, redo) = (row.get(5)?, row.get(6)?);
    let facts = BookFacts { positions, undo, redo, ..facts(&id, &name, true, game) };
    Ok(Some(KeptBook { facts, game, changes: row.get(3)? }))
}

/// Writes an entry, or takes it away.
fn put(work: &Transaction<'_>, id: &str, key: &[u8], text: Option<&str>) -> rusqlite::Result<()> {
    match text {
        Some(text) => work
            .prepare_cached(
                "INSERT OR REPLACE INTO book_entries (book, key, entry) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![id, key, text])?,
        None => work
            .prepare_cached("DELETE FROM book_entries WHERE book = ?1 AND key = ?2")?
            .execute(params![id, key])?,
    };
    Ok(())
}

/// An entry as text; one that says nothing is none.
fn text(entry: &Entry, game: Game) -> Option<String> {
    let empty = entry.moves.is_empty() && entry.comment.is_none();
    (!empty).then(|| to_text(entry, game))
}

impl Store {
    /// Books of a visitor that are not in the bin, by name.
    pub fn books(&self, owner: &str) -> Result<Vec<KeptBook>, ApiError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM books WHERE owner = ?1 AND deleted IS NULL ORDER BY name, id"
        );
        let work = || -> rusqlite::Result<Vec<Option<KeptBook>>> {
            self.connection.prepare_cached(&sql)?.query_map([owner], kept)?.collect()
        };
        Ok(work().map_err(failed)?.into_iter().flatten().collect())
    }

    /// A book of that visitor.
    pub fn book(&self, id: &str, owner: &str) -> Result<Option<KeptBook>, ApiError> {
        let sql =
            format!("SELECT {COLUMNS} FROM books WHERE id = ?1 AND owner = ?2 AND deleted IS NULL");
        let found = self
            .connection
            .prepare_cached(&sql)
            .and_then(|mut s| s.query_row([id, owner], kept).optional());
        Ok(found.map_err(failed)?.flatten())
    }

    /// Keeps a new book with its entries; refused where there are too many.
    pub fn add_book(
        &mut self,
        owner: &str,
        (id, name, game): (&str, &str, Game),
        entries: &[Entry],
        now: i64,
    ) -> Result<(), ApiError> {
        let [there, _] = self.counts_in("books", owner)?;
        if there >= BOOKS {
            let message = format!("{BOOKS} books are kept: delete one first");
            return Err(ApiError::new(ErrorCode::TooMany, message));
        }
        let mut work = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            let sql = "INSERT INTO books (id, owner, name, variant, changes, updated) VALUES (?1, ?2, ?3, ?4, 0, ?5)";
            transaction.execute(sql, params![id, owner, name, game.name(), now])?;
            for entry in entries {
                put(&transaction, id, &entry.key, text(entry, game).as_deref())?;
            }
            transaction.commit()
        };
        work().map_err(failed)
    }

    /// The entry of a key.
    pub fn book_entry(&self, kept: &KeptBook, key: &Key) -> Result<BookEntry, ApiError> {
        let sql = "SELECT entry FROM book_entries WHERE book = ?1 AND key = ?2";
        let found: Option<String> = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut s| {
                s.query_row(params![kept.facts.book, &key[..]], |row| row.get(0)).optional()
            })
            .map_err(failed)?;
        Ok(found.and_then(|text| from_text(*key, &text, kept.game)))
    }

    /// Every entry.
    pub fn book_entries(&self, kept: &KeptBook) -> Result<Vec<Entry>, ApiError> {
        let work = || -> rusqlite::Result<Vec<Option<Entry>>> {
            let sql = "SELECT key, entry FROM book_entries WHERE book = ?1 ORDER BY key";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map([&kept.facts.book], |row| {
                let (key, text): (Vec<u8>, String) = (row.get(0)?, row.get(1)?);
                Ok(Key::try_from(key).ok().and_then(|key| from_text(key, &text, kept.game)))
            })?;
            rows.collect()
        };
        Ok(work().map_err(failed)?.into_iter().flatten().collect())
    }

    /// Writes entries and notes what was before; with `note` as a part of that change, as long as it is the last.
    pub fn change_book(
        &mut self,
        kept: &KeptBook,
        entries: &[Entry],
        note: Option<BookNote>,
        now: i64,
    ) -> Result<BookNote, ApiError> {
        let id = kept.facts.book.as_str();
        let count = "SELECT COUNT(*) FROM book_entries WHERE book = ?1";
        let there: i64 =
            self.connection.query_row(count, [id], |row| row.get(0)).map_err(failed)?;
        if usize::try_from(there).unwrap_or(usize::MAX) >= POSITIONS {
            let message = format!("a book kept here has at most {POSITIONS} positions");
            return Err(ApiError::new(ErrorCode::TooMany, message));
        }
        let mut work = || -> rusqlite::Result<i64> {
            let transaction = self.connection.transaction()?;
            let now_at: i64 =
                transaction
                    .query_row("SELECT changes FROM books WHERE id = ?1", [id], |row| row.get(0))?;
            let number = note.map(|note| note.0).filter(|&n| n == now_at).unwrap_or(now_at + 1);
            // What was undone cannot be done again after something else was done.
            transaction.execute(
                "DELETE FROM book_changes WHERE book = ?1 AND (number > ?2 OR number <= ?3)",
                params![id, now_at, number - CHANGES],
            )?;
            let first: i64 = transaction.query_row(
                "SELECT COUNT(*) FROM book_changes WHERE book = ?1 AND number = ?2",
                params![id, number],
                |row| row.get(0),
            )?;
            for (item, entry) in (first..).zip(entries) {
                let before: Option<String> = transaction
                    .prepare_cached("SELECT entry FROM book_entries WHERE book = ?1 AND key = ?2")?
                    .query_row(params![id, &entry.key[..]], |row| row.get(0))
                    .optional()?;
                let after = text(entry, kept.game);
                put(&transaction, id, &entry.key, after.as_deref())?;
                let sql = "INSERT INTO book_changes (book, number, item, key, before, after) \
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                transaction.prepare_cached(sql)?.execute(params![
                    id,
                    number,
                    item,
                    &entry.key[..],
                    before,
                    after
                ])?;
            }
            let sql = "UPDATE books SET changes = ?2, updated = ?3 WHERE id = ?1";
            transaction.execute(sql, params![id, number, now])?;
            transaction.commit()?;
            Ok(number)
        };
        work().map(BookNote).map_err(failed)
    }

    /// Undoes the last change, or does again what was undone; whether there was one.
    pub fn travel_book(&mut self, kept: &KeptBook, back: bool, now: i64) -> Result<bool, ApiError> {
        let id = kept.facts.book.as_str();
        let mut work = || -> rusqlite::Result<bool> {
            let transaction = self.connection.transaction()?;
            let (find, order) = if back {
                ("SELECT MAX(number) FROM book_changes WHERE book = ?1 AND number <= ?2", "DESC")
            } else {
                ("SELECT MIN(number) FROM book_changes WHERE book = ?1 AND number > ?2", "ASC")
            };
            let number: Option<i64> =
                transaction.query_row(find, params![id, kept.changes], |row| row.get(0))?;
            let Some(number) = number else { return Ok(false) };
            let sql = format!(
                "SELECT key, before, after FROM book_changes WHERE book = ?1 AND number = ?2 \
                 ORDER BY item {order}"
            );
            let items: Vec<(Vec<u8>, Option<String>, Option<String>)> = transaction
                .prepare_cached(&sql)?
                .query_map(params![id, number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<rusqlite::Result<_>>()?;
            for (key, before, after) in &items {
                put(&transaction, id, key, if back { before } else { after }.as_deref())?;
            }
            let sql = "UPDATE books SET changes = ?2, updated = ?3 WHERE id = ?1";
            transaction.execute(sql, params![id, if back { number - 1 } else { number }, now])?;
            transaction.commit()?;
            Ok(true)
        };
        work().map_err(failed)
    }

    /// Gives a book another name; whether there is one.
    pub fn rename_book(&mut self, id: &str, owner: &str, name: &str) -> Result<bool, ApiError> {
        let sql = "UPDATE books SET name = ?3 WHERE id = ?1 AND owner = ?2 AND deleted IS NULL";
        Ok(self.connection.execute(sql, [id, owner, name]).map_err(failed)? > 0)
    }

    /// Puts a book into the bin, or takes it out; whether there was one.
    pub fn bin_book(&mut self, id: &str, owner: &str, now: Option<i64>) -> Result<bool, ApiError> {
        let sql =
            "UPDATE books SET deleted = ?3 WHERE id = ?1 AND owner = ?2 AND (deleted IS NULL) = ?4";
        let done = self.connection.execute(sql, params![id, owner, now, now.is_some()]);
        Ok(done.map_err(failed)? > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use book::BookMove;
    use rules::{AnyPosition, Move};

    fn entry(moves: &[&str], value: i32) -> Entry {
        let at = AnyPosition::startpos(Game::Shogi);
        let valued = |m: &&str| BookMove::valued(Move::from_usi(Game::Shogi, m).unwrap(), value, 1);
        Entry { moves: moves.iter().map(valued).collect(), ..Entry::of(&at).unwrap() }
    }

    fn store() -> Store {
        let mut store = Store::in_memory().unwrap();
        store.add_book("me", ("b", "mine", Game::Shogi), &[], 1).unwrap();
        store
    }

    fn count(store: &Store) -> Vec<usize> {
        let book = store.book("b", "me").unwrap().unwrap();
        store.book_entries(&book).unwrap().iter().map(|entry| entry.moves.len()).collect()
    }

    #[test]
    fn changes_are_undone_and_done_again() {
        let mut store = store();
        let book = |store: &Store| store.book("b", "me").unwrap().unwrap();
        for moves in [&["7g7f"][..], &["7g7f", "2g2f"], &[]] {
            let kept = book(&store);
            store.change_book(&kept, &[entry(moves, 10)], None, 2).unwrap();
        }
        assert_eq!(count(&store), [0; 0]);
        let undo = |store: &mut Store, back| {
            let kept = book(store);
            store.travel_book(&kept, back, 3).unwrap()
        };
        assert!(undo(&mut store, true));
        assert_eq!(count(&store), [2]);
        assert!(undo(&mut store, true));
        assert_eq!(count(&store), [1]);
        assert!(book(&store).facts.undo && book(&store).facts.redo);
        assert!(undo(&mut store, false));
        assert_eq!(count(&store), [2]);
        // Something else was done: what was undone is gone.
        let kept = book(&store);
        store.change_book(&kept, &[entry(&["5g5f"], 0)], None, 4).unwrap();
        assert!(!undo(&mut store, false));
        assert!(undo(&mut store, true) && undo(&mut store, true) && undo(&mut store, true));
        assert!(!undo(&mut store, true) && count(&store).is_empty());
    }

    #[test]
    fn what_belongs_together_is_undone_together() {
        let mut store = store();
        let kept = store.book("b", "me").unwrap().unwrap();
        let note = store.change_book(&kept, &[entry(&["7g7f"], 1)], None, 2).unwrap();
        let again = store.change_book(&kept, &[entry(&["7g7f"], 2)], Some(note), 2).unwrap();
        assert_eq!(note, again);
        // Somebody edits meanwhile: what comes after is a change of its own.
        store.change_book(&kept, &[entry(&["2g2f"], 5)], None, 2).unwrap();
        assert_ne!(store.change_book(&kept, &[entry(&["2g2f"], 6)], Some(note), 2).unwrap(), note);
        for left in [2, 1, 0] {
            let kept = store.book("b", "me").unwrap().unwrap();
            assert!(store.travel_book(&kept, true, 3).unwrap(), "{left}");
        }
        assert_eq!(count(&store), [0; 0]);
    }

    #[test]
    fn books_are_their_owners_and_come_back_out_of_the_bin() {
        let mut store = store();
        assert!(store.book("b", "you").unwrap().is_none());
        assert!(!store.rename_book("b", "you", "x").unwrap());
        assert!(store.rename_book("b", "me", "ours").unwrap());
        assert_eq!(store.books("me").unwrap()[0].facts.name, "ours");
        assert!(store.bin_book("b", "me", Some(5)).unwrap());
        assert!(store.books("me").unwrap().is_empty());
        assert!(!store.bin_book("b", "me", Some(6)).unwrap(), "it lies there already");
        assert!(store.bin_book("b", "me", None).unwrap());
        assert_eq!(store.books("me").unwrap().len(), 1);
        for number in 1..BOOKS {
            store.add_book("me", (&format!("n{number}"), "n", Game::Shogi), &[], 1).unwrap();
        }
        let full = store.add_book("me", ("o", "n", Game::Shogi), &[], 1).unwrap_err();
        assert_eq!(full.code, ErrorCode::TooMany);
    }
}
