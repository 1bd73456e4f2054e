//! Studies in the file.

use super::{Store, failed};
use board::error::{ApiError, ErrorCode};
use board::study::{KeptStudy, StudySummary};
use rusqlite::{OptionalExtension, Row, params};

/// Studies one visitor may have, those in the bin not counted.
pub const STUDIES: usize = 1000;

/// Studies the bin holds for one visitor.
const IN_BIN: usize = 200;

/// Bytes of all records of one visitor together.
const BYTES: i64 = 256 << 20;

const COLUMNS: &str = "id, name, folder, tags, source, facts, revision, created, updated, deleted";

/// A row this program cannot have written is no study.
fn summary(row: &Row<'_>) -> rusqlite::Result<Option<StudySummary>> {
    let tags = serde_json::from_str(&row.get::<_, String>(3)?);
    let facts = serde_json::from_str(&row.get::<_, String>(5)?);
    let (Ok(tags), Ok(facts)) = (tags, facts) else { return Ok(None) };
    Ok(Some(StudySummary {
        study: row.get(0)?,
        name: row.get(1)?,
        folder: row.get(2)?,
        tags,
        source: row.get(4)?,
        facts,
        revision: u64::try_from(row.get::<_, i64>(6)?).unwrap_or(0),
        created: row.get(7)?,
        updated: row.get(8)?,
        deleted: row.get(9)?,
    }))
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn number(revision: u64) -> i64 {
    i64::try_from(revision).unwrap_or(i64::MAX)
}

impl Store {
    /// Every study of a visitor, in the bin or not, the one that changed last first; each with what
    /// is searched in it.
    pub fn studies(&self, owner: &str) -> Result<Vec<(StudySummary, String)>, ApiError> {
        let sql = format!(
            "SELECT {COLUMNS}, searched FROM studies WHERE owner = ?1 ORDER BY updated DESC, id"
        );
        let work = || -> rusqlite::Result<Vec<Option<(StudySummary, String)>>> {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([owner], |row| {
                let searched = row.get(10)?;
                Ok(summary(row)?.map(|summary| (summary, searched)))
            })?;
            rows.collect()
        };
        Ok(work().map_err(failed)?.into_iter().flatten().collect())
    }

    /// A study of that visitor.
    pub fn study(&self, id: &str, owner: &str) -> Result<Option<KeptStudy>, ApiError> {
        let sql = format!(
            "SELECT {COLUMNS}, searched, tree, place FROM studies WHERE id = ?1 AND owner = ?2"
        );
        let read = |row: &Row<'_>| {
            let (searched, tree) = (row.get(10)?, row.get(11)?);
            let at = serde_json::from_str(&row.get::<_, String>(12)?).unwrap_or_default();
            Ok(summary(row)?.map(|about| KeptStudy { about, tree, searched, at }))
        };
        let found = self
            .connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([id, owner], read).optional());
        Ok(found.map_err(failed)?.flatten())
    }

    /// Keeps a new study; refused where there are too many.
    pub fn add_study(&mut self, owner: &str, kept: &KeptStudy) -> Result<(), ApiError> {
        let [there, _] = self.counts_in("studies", owner)?;
        if there >= STUDIES {
            let message = format!("{STUDIES} studies are kept: delete one first");
            return Err(ApiError::new(ErrorCode::TooMany, message));
        }
        self.room_for(owner, kept)?;
        let sql = "INSERT INTO studies (id, owner, name, folder, tags, source, facts, searched, tree, \
                   place, revision, created, updated) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        let about = &kept.about;
        let done = self.connection.execute(
            sql,
            params![
                about.study,
                owner,
                about.name,
                about.folder,
                json(&about.tags),
                about.source,
                json(&about.facts),
                kept.searched,
                kept.tree,
                json(&kept.at),
                number(about.revision),
                about.created,
                about.updated,
            ],
        );
        done.map(|_| ()).map_err(failed)
    }

    /// Writes a study that is there already.
    pub fn change_study(&mut self, owner: &str, kept: &KeptStudy) -> Result<(), ApiError> {
        self.room_for(owner, kept)?;
        let sql = "UPDATE studies SET name = ?3, folder = ?4, tags = ?5, facts = ?6, searched = ?7, \
                   tree = ?8, place = ?9, revision = ?10, updated = ?11, deleted = ?12 WHERE id = ?1 AND owner = ?2";
        let about = &kept.about;
        let done = self.connection.execute(
            sql,
            params![
                about.study,
                owner,
                about.name,
                about.folder,
                json(&about.tags),
                json(&about.facts),
                kept.searched,
                kept.tree,
                json(&kept.at),
                number(about.revision),
                about.updated,
                about.deleted,
            ],
        );
        done.map(|_| ()).map_err(failed)
    }

    fn room_for(&self, owner: &str, kept: &KeptStudy) -> Result<(), ApiError> {
        let sql =
            "SELECT COALESCE(SUM(LENGTH(tree)), 0) FROM studies WHERE owner = ?1 AND id != ?2";
        let others: i64 = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row([owner, &kept.about.study], |row| row.get(0)))
            .map_err(failed)?;
        if others.saturating_add_unsigned(kept.tree.len() as u64) > BYTES {
            let message =
                format!("all studies together may have {} MiB: delete some first", BYTES >> 20);
            return Err(ApiError::new(ErrorCode::TooMany, message));
        }
        Ok(())
    }

    /// Puts a study into the bin, one that lies there is gone for good; whether there was one. Of too
    /// many in the bin the one that has lain there longest goes.
    pub fn delete_study(&mut self, id: &str, owner: &str, now: i64) -> Result<bool, ApiError> {
        let mut work = || -> rusqlite::Result<bool> {
            let transaction = self.connection.transaction()?;
            let gone = "DELETE FROM studies WHERE id = ?1 AND owner = ?2 AND deleted IS NOT NULL";
            let put = "UPDATE studies SET deleted = ?3 WHERE id = ?1 AND owner = ?2";
            let full = "DELETE FROM studies WHERE id IN (SELECT id FROM studies WHERE owner = ?1 AND \
                        deleted IS NOT NULL ORDER BY deleted DESC, id LIMIT -1 OFFSET ?2)";
            let done = transaction.execute(gone, [id, owner])? > 0
                || transaction.execute(put, params![id, owner, now])? > 0;
            transaction.execute(full, params![owner, IN_BIN as i64])?;
            transaction.commit()?;
            Ok(done)
        };
        work().map_err(failed)
    }

    /// Takes a study out of the bin; whether it lay there.
    pub fn restore_study(&mut self, id: &str, owner: &str) -> Result<bool, ApiError> {
        let sql = "UPDATE studies SET deleted = NULL \
                   WHERE id = ?1 AND owner = ?2 AND deleted IS NOT NULL";
        Ok(self.connection.execute(sql, [id, owner]).map_err(failed)? > 0)
    }

    /// Gives a folder and those in it another name; how many studies lie there.
    pub fn rename_folder(&mut self, owner: &str, from: &str, to: &str) -> Result<usize, ApiError> {
        // What follows the old name stays; where nothing comes before it, it begins without a slash.
        let sql = "UPDATE studies SET folder = LTRIM(?3 || SUBSTR(folder, LENGTH(?2) + 1), '/') \
                   WHERE owner = ?1 AND (folder = ?2 OR SUBSTR(folder, 1, LENGTH(?2) + 1) = ?2 || '/')";
        self.connection.execute(sql, [owner, from, to]).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::study::StudyFacts;
    use board::words::Variant;

    fn kept(id: &str, folder: &str) -> KeptStudy {
        let facts =
            StudyFacts { variant: Variant::Shogi, black: None, white: None, plies: 1, moves: 1 };
        let about = StudySummary {
            study: id.to_owned(),
            name: "Name".to_owned(),
            folder: folder.to_owned(),
            tags: vec!["a".to_owned(), "「b」".to_owned()],
            source: Some("game:x".to_owned()),
            facts,
            revision: 3,
            created: 1,
            updated: 2,
            deleted: None,
        };
        let tree = "{\"nodes\":[]}".to_owned();
        KeptStudy { about, tree, searched: "words".to_owned(), at: vec!["7g7f".to_owned()] }
    }

    #[test]
    fn a_study_lies_in_the_file_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("web.db");
        let mut study = kept("a", "x");
        {
            let mut store = Store::open(&path).unwrap();
            store.add_study("me", &study).unwrap();
            assert_eq!(store.study("a", "me").unwrap().as_ref(), Some(&study));
            assert!(store.study("a", "you").unwrap().is_none());
            study.about.name = "Other".to_owned();
            study.tree = "{}".to_owned();
            store.change_study("you", &study).unwrap();
            assert_eq!(store.study("a", "me").unwrap().unwrap().about.name, "Name");
            store.change_study("me", &study).unwrap();
        }
        let store = Store::open(&path).unwrap();
        assert_eq!(store.study("a", "me").unwrap(), Some(study.clone()));
        assert_eq!(store.studies("me").unwrap(), [(study.about, "words".to_owned())]);
        assert!(store.studies("you").unwrap().is_empty());
    }

    #[test]
    fn the_bin_gives_back_and_forgets() {
        let mut store = Store::in_memory().unwrap();
        store.add_study("me", &kept("a", "")).unwrap();
        assert!(!store.delete_study("a", "you", 5).unwrap());
        assert!(store.delete_study("a", "me", 5).unwrap());
        assert_eq!(store.study("a", "me").unwrap().unwrap().about.deleted, Some(5));
        assert!(!store.restore_study("a", "you").unwrap());
        assert!(store.restore_study("a", "me").unwrap());
        assert!(!store.restore_study("a", "me").unwrap());
        store.delete_study("a", "me", 6).unwrap();
        assert!(store.delete_study("a", "me", 7).unwrap(), "for good");
        assert!(store.study("a", "me").unwrap().is_none());
        for number in 0..=IN_BIN {
            let id = format!("s{number}");
            store.add_study("me", &kept(&id, "")).unwrap();
            store.delete_study(&id, "me", number as i64).unwrap();
        }
        assert_eq!(store.counts_in("studies", "me").unwrap(), [0, IN_BIN]);
        assert!(store.study("s0", "me").unwrap().is_none(), "the oldest made room");
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let mut store = Store::in_memory().unwrap();
        for number in 0..STUDIES {
            store.add_study("me", &kept(&format!("s{number}"), "")).unwrap();
        }
        let refused = store.add_study("me", &kept("more", "")).unwrap_err();
        assert_eq!(refused.code, ErrorCode::TooMany);
        store.delete_study("s0", "me", 1).unwrap();
        store.add_study("me", &kept("more", "")).unwrap();
        store.add_study("you", &kept("yours", "")).unwrap();
    }

    #[test]
    fn folders_are_renamed_with_those_in_them() {
        let mut store = Store::in_memory().unwrap();
        for (id, folder) in [("a", "x"), ("b", "x/y"), ("c", "xy"), ("d", "")] {
            store.add_study("me", &kept(id, folder)).unwrap();
        }
        let folder = |store: &Store, id: &str| store.study(id, "me").unwrap().unwrap().about.folder;
        assert_eq!(store.rename_folder("you", "x", "z").unwrap(), 0);
        assert_eq!(store.rename_folder("me", "x", "z/w").unwrap(), 2);
        assert_eq!((folder(&store, "a"), folder(&store, "b")), ("z/w".into(), "z/w/y".into()));
        assert_eq!((folder(&store, "c"), folder(&store, "d")), ("xy".into(), String::new()));
        assert_eq!(store.rename_folder("me", "z", "").unwrap(), 2);
        assert_eq!((folder(&store, "a"), folder(&store, "b")), ("w".into(), "w/y".into()));
    }
}
