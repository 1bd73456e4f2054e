//! The visitor's studies.

use crate::board_state::{Board, Effect, KEPT, Now, STUDY};
use crate::games::BIN;
use board::error::{ApiError, ErrorCode};
use board::study::{
    FolderChange, KeptStudy, NewStudy, Studies, Study, StudyChange, StudyQuery, StudySummary, is_in,
};

fn missing(id: &str) -> ApiError {
    ApiError::missing(format!("there is no study {id:?}"))
}

impl Board {
    /// A page of the studies.
    pub(crate) fn list_studies(&self, query: &StudyQuery) -> Studies {
        let mut all: Vec<(StudySummary, String)> =
            self.studies.values().map(|kept| (kept.about.clone(), kept.searched.clone())).collect();
        all.sort_by_key(|(about, _)| std::cmp::Reverse(about.updated));
        query.answer(all)
    }

    pub(crate) fn add_study(&mut self, sent: NewStudy, now: Now) -> Result<Study, ApiError> {
        let here = self.studies.values().filter(|kept| kept.about.deleted.is_none()).count();
        if here >= KEPT {
            let message = format!("{KEPT} studies are kept: delete one first");
            return Err(ApiError::new(ErrorCode::TooMany, message));
        }
        let kept = KeptStudy::new(self.fresh_id(), sent, now.wall)?;
        self.store_study(kept.clone())?;
        kept.opened(self.facts.scales())
    }

    pub(crate) fn study(&self, id: &str) -> Result<Study, ApiError> {
        let kept = self.studies.get(id).ok_or_else(|| missing(id))?;
        kept.clone().opened(self.facts.scales())
    }

    pub(crate) fn change_study(
        &mut self,
        id: &str,
        change: StudyChange,
        now: Now,
    ) -> Result<StudySummary, ApiError> {
        let change = change.prepared()?;
        let mut kept = self.studies.get(id).cloned().ok_or_else(|| missing(id))?;
        kept.apply(change, now.wall)?;
        let about = kept.about.clone();
        self.store_study(kept)?;
        Ok(about)
    }

    /// Puts a study into the bin; one that lies there, or has lain there long, is gone for good.
    pub(crate) fn delete_study(&mut self, id: &str, now: Now) -> Result<(), ApiError> {
        let mut kept = self.studies.get(id).cloned().ok_or_else(|| missing(id))?;
        let old = |kept: &KeptStudy| kept.about.deleted.is_some_and(|at| at < now.wall - BIN);
        let old = self.studies.iter().filter(|(_, kept)| old(kept)).map(|(id, _)| id.clone());
        let mut gone: Vec<String> = old.collect();
        if kept.about.deleted.is_some() {
            gone.push(id.to_owned());
        } else {
            kept.about.deleted = Some(now.wall);
            self.store_study(kept)?;
        }
        for id in gone {
            self.studies.remove(&id);
            self.effect(Effect::Forget { key: format!("{STUDY}{id}") });
        }
        Ok(())
    }

    pub(crate) fn restore_study(&mut self, id: &str) -> Result<(), ApiError> {
        let kept = self.studies.get(id).filter(|kept| kept.about.deleted.is_some());
        let mut kept = kept.cloned().ok_or_else(|| missing(id))?;
        kept.about.deleted = None;
        self.store_study(kept)
    }

    /// Another name for a folder.
    pub(crate) fn rename_folder(&mut self, change: FolderChange) -> Result<(), ApiError> {
        let FolderChange { from, to } = change.checked()?;
        if from.is_empty() {
            return Err(ApiError::bad("from: expected the name of a folder"));
        }
        let inside = self.studies.values().filter(|kept| is_in(&kept.about.folder, &from));
        let renamed: Vec<KeptStudy> = inside.cloned().collect();
        if renamed.is_empty() {
            return Err(ApiError::missing(format!("there is no folder {from:?}")));
        }
        for mut kept in renamed {
            let rest = &kept.about.folder[from.len()..];
            // Where nothing comes before what is left of the name, it begins without a slash.
            kept.about.folder = format!("{to}{rest}").trim_start_matches('/').to_owned();
            self.store_study(kept)?;
        }
        Ok(())
    }

    fn store_study(&mut self, kept: KeptStudy) -> Result<(), ApiError> {
        self.keep(format!("{STUDY}{}", kept.about.study), &kept)?;
        self.studies.insert(kept.about.study.clone(), kept);
        Ok(())
    }
}
