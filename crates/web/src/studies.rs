//! What visitors do with their studies.

use crate::service::{BoardService, found};
use crate::store::KeptStudy;
use board::error::{ApiError, ErrorCode};
use board::study::{
    FolderChange, NewStudy, Studies, Study, StudyChange, StudyFacts, StudyQuery, StudySummary,
    searched,
};
use board::tree::{self, SentTree};

fn missing(id: &str) -> ApiError {
    ApiError::missing(format!("there is no study {id:?}"))
}

/// A record as it is stored, with what is known of it; every move is checked.
fn stored(tree: &SentTree) -> Result<(String, StudyFacts, String), ApiError> {
    let record = tree.resolve()?;
    let text = serde_json::to_string(tree)
        .map_err(|e| ApiError::new(ErrorCode::Internal, e.to_string()))?;
    Ok((text, StudyFacts::of(&record), searched(&record)))
}

impl BoardService {
    /// A page of the visitor's studies.
    pub fn studies(&self, visitor: &str, query: &StudyQuery) -> Result<Studies, ApiError> {
        let all = self.store().studies(visitor)?;
        Ok(query.answer(all))
    }

    /// Keeps a study.
    pub fn add_study(&self, visitor: &str, sent: NewStudy) -> Result<Study, ApiError> {
        let sent = sent.checked()?;
        let (tree, facts, searched) = stored(&sent.tree)?;
        let (study, now) = (self.secret(12), self.wall());
        let about = StudySummary {
            study: study.clone(),
            name: sent.name,
            folder: sent.folder,
            tags: sent.tags,
            source: sent.source,
            facts,
            revision: 1,
            created: now,
            updated: now,
            deleted: None,
        };
        let kept = KeptStudy { about, tree, searched, at: sent.at };
        self.store().add_study(visitor, &kept)?;
        self.opened(kept)
    }

    /// A study of that visitor, also one in the bin.
    pub fn study(&self, visitor: &str, id: &str) -> Result<Study, ApiError> {
        let kept = self.store().study(id, visitor)?.ok_or_else(|| missing(id))?;
        self.opened(kept)
    }

    fn opened(&self, kept: KeptStudy) -> Result<Study, ApiError> {
        let damaged = |e: serde_json::Error| {
            ApiError::new(ErrorCode::Internal, format!("damaged study: {e}"))
        };
        let sent: SentTree = serde_json::from_str(&kept.tree).map_err(damaged)?;
        let tree = tree::view(&sent.resolve()?, self.scales());
        Ok(Study { about: kept.about, tree, at: kept.at })
    }

    /// Changes a study; refused where its record has changed since that revision.
    pub fn change_study(
        &self,
        visitor: &str,
        id: &str,
        change: StudyChange,
    ) -> Result<StudySummary, ApiError> {
        let change = change.checked()?;
        // Before the file is locked: a large record takes its time.
        let record = change.tree.as_ref().map(stored).transpose()?;
        let mut store = self.store();
        let mut kept = store.study(id, visitor)?.ok_or_else(|| missing(id))?;
        if let Some((tree, facts, searched)) = record {
            let now = kept.about.revision;
            if change.revision != Some(now) {
                let made = change.revision.unwrap_or(0);
                let message = format!("the study is at revision {now}, this was made from {made}");
                return Err(ApiError::new(ErrorCode::ChangedElsewhere, message));
            }
            kept.about.revision += 1;
            kept.about.updated = self.wall();
            kept.about.facts = facts;
            // What is worked on does not belong in the bin.
            kept.about.deleted = None;
            (kept.tree, kept.searched) = (tree, searched);
        }
        let about = &mut kept.about;
        about.name = change.name.unwrap_or_else(|| std::mem::take(&mut about.name));
        about.folder = change.folder.unwrap_or_else(|| std::mem::take(&mut about.folder));
        about.tags = change.tags.unwrap_or_else(|| std::mem::take(&mut about.tags));
        kept.at = change.at.unwrap_or(kept.at);
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
