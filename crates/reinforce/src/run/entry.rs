//! What the ledger says of a generation.

use super::{NET, Run};
use crate::error::RunError;
use crate::plan::GenerationPlan;
use crate::review::Review;
use crate::run::measure::Verdict;
use crate::training;
use lab::folder::GenerationFolder;
use lab::history;
use lab::ledger::Generation;
use lab::{LabError, losses, steps};
use std::fs;
use std::path::Path;

impl Run<'_> {
    pub(super) fn entry(
        &self,
        folder: &GenerationFolder,
        plan: &GenerationPlan,
        review: &Review,
        verdict: Option<&Verdict>,
    ) -> Result<Generation, RunError> {
        let net = folder.path().join(NET);
        let steps = history::read(folder)?;
        let parent = match plan.player {
            None => "none".to_owned(),
            Some(generation) => self.fingerprint(&self.net(generation))?,
        };
        let best = losses::best(&training::log(&net));
        Ok(Generation {
            game: self.settings.play.game.name().to_owned(),
            line: Some("rl".to_owned()),
            generation: folder.number,
            parent,
            net: self.fingerprint(&net)?,
            accepted: verdict.is_none_or(|verdict| verdict.accepted),
            verdict: verdict.map_or_else(|| "no gate".to_owned(), Verdict::told),
            games: review.games,
            positions: review.positions,
            seed: self.settings.seed,
            loss: best.map(|best| best.loss),
            version: self.machine.version.clone(),
            commit: steps::commit(&self.machine.trainer.program),
            machine: assembly::health::machine_name(),
            seconds: steps.iter().map(|step| step.seconds).sum::<f64>().round(),
            note: Some(review.summary(&self.settings.play)),
            commands: steps.into_iter().map(|step| step.command).collect(),
            ..Generation::default()
        })
    }

    /// A text that tells a net from others.
    pub(super) fn fingerprint(&self, path: &Path) -> Result<String, LabError> {
        let bytes = fs::read(path).map_err(|e| LabError::at(path, &e))?;
        let net = &self.settings.net;
        Ok(format!(
            "policy-value {}x{} ({}) {:08x} {}",
            net.blocks,
            net.channels,
            self.settings.play.game,
            crc32fast::hash(&bytes),
            bytes.len()
        ))
    }
}
