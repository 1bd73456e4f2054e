//! What is measured in a generation besides its games: the gate, and what temperatures cost.

use super::{REVIEW_SEED, Run, TABLE, Watcher};
use crate::error::RunError;
use crate::files::{read, write};
use crate::matches::{NetMatch, total};
use crate::nets::CALIBRATION;
use crate::plan::GenerationPlan;
use crate::temperatures::{Measurement, told};
use balance::{Table, Temperature, Wdl};
use lab::folder::GenerationFolder;
use serde::{Deserialize, Serialize};

/// Files of a generation.
const GATE: &str = "gate.json";
const GATE_GAMES: &str = "gate.teacher";
/// Temperatures of a table, in thousandths.
const TEMPERATURES: [u32; 8] = [0, 250, 500, 750, 1000, 1300, 1800, 2500];

/// What a gate said of a net.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verdict {
    pub(crate) accepted: bool,
    /// The generation it was compared with; 0 for the net the run begins with.
    against: Option<u32>,
    /// Games won, drawn and lost by the new net.
    score: Wdl,
}

impl Verdict {
    /// For the ledger.
    pub(crate) fn told(&self) -> String {
        let said = if self.accepted { "accepted" } else { "rejected" };
        match self.against {
            None => format!("{said}: nothing to compare with"),
            Some(generation) => format!(
                "{said}: {:.1} % of {} games against generation {generation}",
                100.0 * self.score.share(),
                self.score.games()
            ),
        }
    }
}

impl Run<'_> {
    /// The last generation up to that one whose net was accepted: the net a run begins with is 0; none
    /// where there is no net yet.
    pub(super) fn accepted(&self, up_to: u32) -> Result<Option<u32>, RunError> {
        for number in (1..=up_to).rev() {
            let verdict = match self.settings.gate {
                None => return Ok(Some(number)),
                Some(_) => read::<Verdict>(&self.lab.generation(number).path().join(GATE))?,
            };
            if verdict.is_some_and(|verdict| verdict.accepted) {
                return Ok(Some(number));
            }
        }
        Ok(self.settings.has_start().then_some(0))
    }

    /// Whether the new net plays on: nothing, where there is no gate.
    pub(super) fn gate(
        &self,
        folder: &GenerationFolder,
        watcher: &mut dyn Watcher,
    ) -> Result<Option<Verdict>, RunError> {
        let Some(gate) = self.settings.gate else { return Ok(None) };
        let path = folder.path().join(GATE);
        if let Some(verdict) = read(&path)? {
            return Ok(Some(verdict));
        }
        let began = self.time.now();
        let verdict = match self.accepted(folder.number - 1)? {
            None => Verdict { accepted: true, against: None, score: Wdl::default() },
            Some(before) => {
                watcher.step(&format!("gate: {} games against generation {before}", gate.games));
                let played = NetMatch {
                    first: self.net(folder.number),
                    second: self.net(before),
                    play: self.settings.play.clone(),
                    games: gate.games,
                    seed: folder.seed(self.settings.seed) ^ REVIEW_SEED,
                    calibration: CALIBRATION,
                };
                let games = folder.path().join(GATE_GAMES);
                let (threads, time) = (self.machine.threads, &*self.time);
                let scores =
                    played.run(&games, threads, time, self.stop, &mut |p| watcher.played(p));
                watcher.step_over();
                let score = total(&scores?);
                Verdict { accepted: score.share() >= gate.least, against: Some(before), score }
            }
        };
        watcher.note(&verdict.told());
        write(&path, &verdict)?;
        self.done(folder, "gate".to_owned(), began)?;
        Ok(Some(verdict))
    }

    /// What temperatures cost the net that plays, where it is time to measure that. A net that cannot be
    /// measured, as one that loses everything when hot, leaves the table as it was.
    pub(super) fn measure_table(
        &self,
        folder: &GenerationFolder,
        plan: &GenerationPlan,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        let path = folder.path().join(TABLE);
        let (Some(rule), Some(player)) = (self.settings.measured_table, plan.player) else {
            return Ok(());
        };
        if !folder.number.is_multiple_of(rule.every.max(1)) || path.exists() {
            return Ok(());
        }
        watcher.step("temperatures: what each costs the net that plays");
        let began = self.time.now();
        let mut play = self.settings.play.clone();
        play.starts.truncate(1);
        let measurement = Measurement {
            net: self.net(player),
            opening_plies: play.exploration.plies,
            play,
            temperatures: TEMPERATURES.map(Temperature::from_thousandths).to_vec(),
            games: rule.games,
            seed: folder.seed(self.settings.seed) ^ REVIEW_SEED,
        };
        let watch = &mut |progress: &_| watcher.played(progress);
        let (machine, workers) = (self.machine, &self.workers);
        let measured = measurement.run(&path, machine, workers, &self.time, self.stop, watch);
        watcher.step_over();
        match measured {
            Ok(table) => watcher.note(&told(&table)),
            Err(RunError::Measure(error)) => {
                watcher.note(&format!("{error}; the table before stays"));
                write(&path, plan.balance.table())?;
            }
            Err(error) => return Err(error),
        }
        self.done(folder, "temperatures".to_owned(), began)
    }

    /// The table that was measured in a generation, if one was.
    pub(super) fn table(&self, number: u32) -> Result<Option<Table>, RunError> {
        read(&self.lab.generation(number).path().join(TABLE))
    }
}
