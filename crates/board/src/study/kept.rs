//! A study as it is kept, wherever that is: on a server's disk or in a browser.

use super::{NewStudy, Study, StudyChange, StudyFacts, StudySummary, searched};
use crate::error::{ApiError, ErrorCode};
use crate::hello::Scales;
use crate::tree::{self, SentTree};
use serde::{Deserialize, Serialize};

/// A study as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptStudy {
    pub about: StudySummary,
    /// The record as JSON.
    pub tree: String,
    /// What a search looks at.
    pub searched: String,
    /// Moves to the place last looked at.
    pub at: Vec<String>,
}

/// A record as it is kept, with what is known of it.
#[derive(Clone, Debug)]
struct KeptRecord {
    tree: String,
    facts: StudyFacts,
    searched: String,
}

/// A change whose texts are in their bounds and whose every move is legal.
#[derive(Clone, Debug)]
pub struct CheckedChange {
    change: StudyChange,
    record: Option<KeptRecord>,
}

impl KeptRecord {
    /// Every move is checked, which takes its time for a large record.
    fn of(tree: &SentTree) -> Result<Self, ApiError> {
        let record = tree.resolve()?;
        let text = serde_json::to_string(tree)
            .map_err(|e| ApiError::new(ErrorCode::Internal, e.to_string()))?;
        Ok(Self { tree: text, facts: StudyFacts::of(&record), searched: searched(&record) })
    }
}

impl StudyChange {
    /// The change, ready to be made.
    pub fn prepared(self) -> Result<CheckedChange, ApiError> {
        let change = self.checked()?;
        let record = change.tree.as_ref().map(KeptRecord::of).transpose()?;
        Ok(CheckedChange { change, record })
    }
}

impl KeptStudy {
    /// A new study under that id.
    pub fn new(study: String, sent: NewStudy, now: i64) -> Result<Self, ApiError> {
        let sent = sent.checked()?;
        let KeptRecord { tree, facts, searched } = KeptRecord::of(&sent.tree)?;
        let about = StudySummary {
            study,
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
        Ok(Self { about, tree, searched, at: sent.at })
    }

    /// As the page sees it.
    pub fn opened(self, scales: Scales) -> Result<Study, ApiError> {
        let damaged = |e: serde_json::Error| {
            ApiError::new(ErrorCode::Internal, format!("damaged study: {e}"))
        };
        let sent: SentTree = serde_json::from_str(&self.tree).map_err(damaged)?;
        let tree = tree::view(&sent.resolve()?, scales);
        Ok(Study { about: self.about, tree, at: self.at })
    }

    /// Makes a change; refused where the record has changed since that revision.
    pub fn apply(&mut self, prepared: CheckedChange, now: i64) -> Result<(), ApiError> {
        let CheckedChange { change, record } = prepared;
        let about = &mut self.about;
        if let Some(record) = record {
            let at = about.revision;
            if change.revision != Some(at) {
                let made = change.revision.unwrap_or(0);
                let message = format!("the study is at revision {at}, this was made from {made}");
                return Err(ApiError::new(ErrorCode::ChangedElsewhere, message));
            }
            about.revision += 1;
            about.updated = now;
            about.facts = record.facts;
            // What is worked on does not belong in the bin.
            about.deleted = None;
            (self.tree, self.searched) = (record.tree, record.searched);
        }
        about.name = change.name.unwrap_or_else(|| std::mem::take(&mut about.name));
        about.folder = change.folder.unwrap_or_else(|| std::mem::take(&mut about.folder));
        about.tags = change.tags.unwrap_or_else(|| std::mem::take(&mut about.tags));
        self.at = change.at.unwrap_or_else(|| std::mem::take(&mut self.at));
        Ok(())
    }
}
