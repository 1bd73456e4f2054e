//! How nets come to be: the one a run begins with, and that of each generation.

use super::{GAMES, NET, Run, START, Watcher};
use crate::error::RunError;
use crate::plan::LabelledStart;
use crate::settings::SettingsError;
use crate::training::{Mixed, Order, checkpoint};
use infer::native::Floats;
use lab::LabError;
use lab::folder::{GenerationFolder, write_whole};
use std::fs;
use std::path::{Path, PathBuf};

/// Says that the net of the start is there.
const READY: &str = "trained";

impl Run<'_> {
    /// The first net, where one is given, or positions to learn it from.
    pub(super) fn start(&self, watcher: &mut dyn Watcher) -> Result<(), RunError> {
        let folder = self.lab.path().join(START);
        let ready = folder.join(READY);
        if !self.settings.has_start() || ready.exists() {
            return Ok(());
        }
        fs::create_dir_all(&folder).map_err(|e| LabError::at(&folder, &e))?;
        match (&self.settings.from_net, &self.settings.labelled) {
            (Some(file), _) => self.copy_net(Path::new(file), &folder.join(NET))?,
            (None, Some(labelled)) => self.learn_labelled(labelled, watcher)?,
            (None, None) => return Ok(()),
        }
        Ok(write_whole(&ready, b"")?)
    }

    /// The net a run is given to begin with: its own copy of it.
    fn copy_net(&self, from: &Path, to: &Path) -> Result<(), RunError> {
        let bytes = fs::read(from).map_err(|e| LabError::at(from, &e))?;
        let net = Floats::from_bytes(&bytes).map_err(|e| LabError::at(from, &e))?;
        let (there, wanted) = (net.architecture, &self.settings.net);
        let size = (there.blocks, there.channels);
        if there.shape != self.shape || size != (wanted.blocks as usize, wanted.channels as usize) {
            return Err(SettingsError::FirstNet {
                path: from.to_owned(),
                there: format!("{}x{} ({:?})", size.0, size.1, there.shape.planes),
                wanted: format!("{}x{} ({:?})", wanted.blocks, wanted.channels, self.shape.planes),
            }
            .into());
        }
        Ok(write_whole(to, &bytes)?)
    }

    /// A first net learned from positions that somebody has labelled.
    fn learn_labelled(
        &self,
        labelled: &LabelledStart,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        let (settings, rate) = (&self.settings, labelled.rate);
        let order = Order {
            data: found(labelled)?,
            from: None,
            mixed: None,
            average: 0.0,
            out: PathBuf::from(START).join(NET),
            epochs: labelled.epochs,
            rate,
            // So that generations go on where it ends.
            rate_end: settings.training.rate(1).min(rate),
            seed: settings.seed,
            settings,
        };
        self.train(&order, watcher).map(drop)
    }

    /// Training on the window, from the net before.
    pub(super) fn learn(
        &self,
        folder: &GenerationFolder,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        if folder.is_trained() {
            return Ok(());
        }
        let local = |number: u32, name: &str| {
            let path = self.lab.generation(number).path().join(name);
            path.strip_prefix(self.lab.path()).map(Path::to_owned).unwrap_or(path)
        };
        let (number, settings) = (folder.number, &self.settings);
        let training = &settings.training;
        let first = number.saturating_sub(settings.window - 1).max(1);
        let start = Path::new(START).join(NET);
        let from = match number {
            1 if settings.from_net.is_some() => Some(start),
            1 => settings.labelled.as_ref().map(|_| checkpoint(&start)),
            _ => Some(checkpoint(&local(number - 1, NET))),
        };
        let share = training.labelled_share;
        let labelled = settings.labelled.as_ref().filter(|_| share > 0.0);
        let mixed = labelled.map(|labelled| found(labelled).map(|files| Mixed { files, share }));
        let order = Order {
            data: (first..=number).rev().map(|number| local(number, GAMES)).collect(),
            // Nothing was written before the first net of a run from zero.
            average: if from.is_some() { training.average } else { 0.0 },
            from,
            mixed: mixed.transpose()?,
            out: local(number, NET),
            epochs: training.epochs,
            // In steps over the generations; within one it is the same but for a short warm-up.
            rate: training.rate(number),
            rate_end: training.rate(number),
            seed: folder.seed(settings.seed),
            settings,
        };
        let began = self.time.now();
        let command = self.train(&order, watcher)?;
        self.done(folder, command, began)?;
        Ok(folder.set_trained()?)
    }

    fn train(&self, order: &Order<'_>, watcher: &mut dyn Watcher) -> Result<String, RunError> {
        let trainer = &self.machine.trainer;
        let line = trainer.command(order);
        watcher.step(&line.to_string());
        let trained = self.trainer.run(trainer, &line, self.lab.path(), self.stop);
        watcher.step_over();
        trained.map(|()| line.to_string())
    }
}

/// Where labelled positions are, seen from any folder.
fn found(labelled: &LabelledStart) -> Result<Vec<PathBuf>, LabError> {
    let absolute =
        |file: &String| fs::canonicalize(file).map_err(|e| LabError::at(Path::new(file), &e));
    labelled.files.iter().map(absolute).collect()
}
