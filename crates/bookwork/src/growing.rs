//! A book that grows: what searches found in it, and what its lines come to.
//!
//! What searches found stays in the book as it is; propagated values serve to choose, and `nue book
//! minimax` writes them.

use crate::WorkError;
use book::files::write_native;
use book::minimax::{Minimax, Progress};
use book::{BookMove, Entry, Header, Key, NativeBook, key_of, rotated};
use rules::{AnyPosition, Game};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The book.
pub struct Growing {
    path: PathBuf,
    header: Header,
    /// As searches found it. A position in which there is nothing to play has no moves.
    pub(crate) raw: BTreeMap<Key, Entry>,
    /// With values carried to the beginnings of lines, as they were when they were last.
    pub(crate) valued: BTreeMap<Key, Entry>,
}

impl Growing {
    /// Opens a book in our own format, or begins one.
    pub fn open(path: &Path, game: Game) -> Result<Self, WorkError> {
        let mut growing = Self {
            path: path.to_owned(),
            header: Header::new(game),
            raw: BTreeMap::new(),
            valued: BTreeMap::new(),
        };
        if path.exists() {
            let book = NativeBook::open_file(path).map_err(WorkError::at(path))?;
            growing.header = book.header().clone();
            if growing.header.game != game {
                let found = growing.header.game;
                let error = book::BookError::Game { found, wanted: game };
                return Err(WorkError::at(path)(error));
            }
            let entries = book.entries().map(|entry| entry.map(|entry| (entry.key, entry)));
            growing.raw = entries.collect::<Result<_, _>>().map_err(WorkError::at(path))?;
        }
        Ok(growing)
    }

    /// Shogi or minishogi.
    pub const fn game(&self) -> Game {
        self.header.game
    }

    /// Positions with moves.
    pub fn len(&self) -> usize {
        self.raw.values().filter(|entry| !entry.moves.is_empty()).count()
    }

    /// Whether nothing is known yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a position, or its twin, has been looked at. One that is only known from games has not.
    pub fn knows(&self, position: &AnyPosition) -> Result<bool, WorkError> {
        let found = self.found(position)?;
        Ok(found.is_some_and(|entry| entry.moves.is_empty() || is_valued(&entry)))
    }

    /// What lines from a position come to; that of the twin serves as well.
    pub fn find(&self, position: &AnyPosition) -> Result<Option<Entry>, WorkError> {
        if let Some(entry) = self.valued.get(&key_of(position)?) {
            return Ok(Some(entry.clone()).filter(is_valued));
        }
        let twin = self.valued.get(&key_of(&rotated(position)?)?);
        Ok(twin.map(|entry| entry.rotated(self.game())).transpose()?.filter(is_valued))
    }

    /// What searches found in a position; that of the twin serves as well.
    pub(crate) fn found(&self, position: &AnyPosition) -> Result<Option<Entry>, WorkError> {
        if let Some(entry) = self.raw.get(&key_of(position)?) {
            return Ok(Some(entry.clone()));
        }
        let twin = self.raw.get(&key_of(&rotated(position)?)?);
        Ok(twin.map(|entry| entry.rotated(self.game())).transpose()?)
    }

    /// Takes what was found in a position. What games said of a move, and moves that were not looked at, stay.
    pub fn put(&mut self, position: &AnyPosition, moves: Vec<BookMove>) -> Result<(), WorkError> {
        let mut entry = Entry { moves, ..Entry::of(position)? };
        let twin = key_of(&rotated(position)?)?;
        if self.raw.contains_key(&twin) {
            entry = entry.rotated(self.game())?;
        }
        if let Some(known) = self.raw.remove(&entry.key) {
            (entry.ply, entry.comment) = (known.ply, known.comment);
            for old in known.moves {
                match entry.moves.iter_mut().find(|m| m.mv == old.mv) {
                    Some(m) => {
                        m.count = m.count.max(old.count);
                        m.wins = m.wins.max(old.wins);
                        m.draws = m.draws.max(old.draws);
                        m.comment = m.comment.take().or(old.comment);
                    }
                    None => entry.moves.push(old),
                }
            }
            entry.moves.sort_by_key(|m| std::cmp::Reverse(m.value));
        }
        self.raw.insert(entry.key, entry);
        Ok(())
    }

    /// Writes the book, whole.
    pub fn save(&mut self, made: &str) -> Result<(), WorkError> {
        self.header = self.header.clone().with("made", made);
        let entries = self.raw.values().filter(|entry| !entry.moves.is_empty());
        let entries = entries.cloned().map(Ok);
        write_native(&self.path, &self.header, entries, true).map_err(WorkError::at(&self.path))?;
        Ok(())
    }

    /// Carries the values of what was written last to the beginnings of lines.
    pub fn propagate(&mut self, contempt: [i32; 2], threads: usize) -> Result<(), WorkError> {
        self.valued.clear();
        if !self.path.exists() {
            return Ok(());
        }
        let book = NativeBook::open_file(&self.path).map_err(WorkError::at(&self.path))?;
        let valued = &mut self.valued;
        let mut take = |entry: Entry| {
            valued.insert(entry.key, entry);
            Ok(())
        };
        let minimax = Minimax { contempt, threads, ..Minimax::default() };
        minimax.run(&book, &mut take, Progress(&mut |_, _, _| true))?;
        Ok(())
    }
}

/// Whether somebody has looked at a move of it.
fn is_valued(entry: &Entry) -> bool {
    entry.moves.iter().any(|m| m.value.is_some())
}
