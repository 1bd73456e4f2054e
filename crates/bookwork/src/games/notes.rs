//! What searches found since the book was last looked back at: games that are played at the same time share it, so that nothing
//! is searched twice.

use crate::WorkError;
use book::{BookMove, Key, key_of};
use rules::AnyPosition;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A position somebody searches, or has searched.
type Note = Option<(AnyPosition, Vec<BookMove>)>;

/// The notes.
#[derive(Default)]
pub(super) struct Notes {
    notes: Mutex<BTreeMap<Key, Note>>,
    written: Condvar,
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Note>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was found in a position. Whoever asks first searches, the others wait.
    pub(super) fn ask(
        &self,
        position: &AnyPosition,
        search: impl FnOnce() -> Result<Vec<BookMove>, WorkError>,
    ) -> Result<Vec<BookMove>, WorkError> {
        let key = key_of(position)?;
        let mut notes = self.lock();
        loop {
            match notes.get(&key) {
                Some(Some((_, moves))) => return Ok(moves.clone()),
                Some(None) => {
                    notes = self.written.wait(notes).unwrap_or_else(PoisonError::into_inner);
                }
                None => break,
            }
        }
        notes.insert(key, None);
        drop(notes);
        let mut lease = Lease { notes: self, key, found: None };
        let moves = search()?;
        lease.found = Some((position.clone(), moves.clone()));
        Ok(moves)
    }

    /// Everything that was found.
    pub(super) fn found(self) -> Vec<(AnyPosition, Vec<BookMove>)> {
        let notes = self.notes.into_inner().unwrap_or_else(PoisonError::into_inner);
        notes.into_values().flatten().collect()
    }
}

/// A position being searched. Whatever comes of it, nobody waits for it longer.
struct Lease<'a> {
    notes: &'a Notes,
    key: Key,
    found: Note,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let mut notes = self.notes.lock();
        match self.found.take() {
            Some(found) => notes.insert(self.key, Some(found)),
            None => notes.remove(&self.key),
        };
        self.notes.written.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn whoever_asks_first_searches() {
        let (notes, searched) = (Notes::default(), AtomicU32::new(0));
        let start = AnyPosition::startpos(Game::Minishogi);
        let mv = start.legal_moves()[0];
        let search = || {
            searched.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(20));
            Ok(vec![BookMove::valued(mv, 7, 1)])
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(notes.ask(&start, search).unwrap()[0].value, Some(7)));
            }
        });
        assert_eq!(searched.into_inner(), 1);
        assert_eq!(notes.found().len(), 1);
    }

    #[test]
    fn a_search_that_fails_is_left_to_the_next() {
        let notes = Notes::default();
        let start = AnyPosition::startpos(Game::Minishogi);
        assert!(notes.ask(&start, || Err(WorkError::interrupted())).is_err());
        assert!(notes.ask(&start, || Ok(Vec::new())).is_ok_and(|moves| moves.is_empty()));
        let broken = std::panic::AssertUnwindSafe(|| {
            let mut after = start.clone();
            after.play(start.legal_moves()[0]);
            notes.ask(&after, || panic!("a search broke"))
        });
        assert!(std::panic::catch_unwind(broken).is_err());
        assert_eq!(notes.found().len(), 1);
    }
}
