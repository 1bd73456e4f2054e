//! What visitors do with their studies.

use crate::service::{BoardService, found};
use board::error::ApiError;
use board::study::{
    FolderChange, KeptStudy, NewStudy, Studies, Study, StudyChange, StudyQuery, StudySummary,
};

fn missing(id: &str) -> ApiError {
    ApiError::missing(format!("there is no study {id:?}"))
}

impl BoardService {
    /// A page of the visitor's studies.
    pub fn studies(&self, visitor: &str, query: &StudyQuery) -> Result<Studies, ApiError> {
        let all = self.store().studies(visitor)?;
        Ok(query.answer(all))
    }

    /// Keeps a study.
    pub fn add_study(&self, visitor: &str, sent: NewStudy) -> Result<Study, ApiError> {
        let kept = KeptStudy::new(self.secret(12), sent, self.wall())?;
        self.store().add_study(visitor, &kept)?;
        kept.opened(self.scales())
    }

    /// A study of that visitor, also one in the bin.
    pub fn study(&self, visitor: &str, id: &str) -> Result<Study, ApiError> {
        let kept = self.store().study(id, visitor)?.ok_or_else(|| missing(id))?;
        kept.opened(self.scales())
    }

    /// Changes a study; refused where its record has changed since that revision.
    pub fn change_study(
        &self,
        visitor: &str,
        id: &str,
        change: StudyChange,
    ) -> Result<StudySummary, ApiError> {
        // Before the file is locked: a large record takes its time.
        let change = change.prepared()?;
        let mut store = self.store();
        let mut kept = store.study(id, visitor)?.ok_or_else(|| missing(id))?;
        kept.apply(change, self.wall())?;
        store.change_study(visitor, &kept)?;
        Ok(kept.about)
    }

    /// Puts a study into the bin; one that lies there is gone for good.
    pub fn delete_study(&self, visitor: &str, id: &str) -> Result<(), ApiError> {
        found(self.store().delete_study(id, visitor, self.wall())?, "study", id)
    }

    /// Takes a study out of the bin.
    pub fn restore_study(&self, visitor: &str, id: &str) -> Result<(), ApiError> {
        found(self.store().restore_study(id, visitor)?, "deleted study", id)
    }

    /// Another name for a folder.
    pub fn rename_folder(&self, visitor: &str, change: FolderChange) -> Result<(), ApiError> {
        let FolderChange { from, to } = change.checked()?;
        if from.is_empty() {
            return Err(ApiError::bad("from: expected the name of a folder"));
        }
        found(self.store().rename_folder(visitor, &from, &to)? > 0, "folder", &from)
    }
}
