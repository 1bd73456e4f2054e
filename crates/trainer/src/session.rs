//! The loop: epochs of batches, validation, the learning rate, checkpoints.
//!
//! Nothing here looks at a clock or a terminal. A [`Watch`] sees every batch and says what to do
//! next: go on, go on and save, or stop.

mod checkpoint;
#[cfg(test)]
mod tests;

pub use checkpoint::CheckpointError;

use crate::batches::{Batches, Words};
use crate::model::{Encoder, Model};
use crate::objective::{Losses, MeanLosses, Objective};
use crate::schedule::Schedule;
use crate::workers::Workers;
use corpus::Error;
use corpus::batches::{Batch, Batcher, Selection, SelectionCounts, Units, first_rows};
use rules::Variant;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How to train. Two runs with equal settings, files and model give equal results, whatever the
/// number of threads.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// What is learned.
    pub objective: Objective,
    /// From which positions.
    pub selection: Selection,
    /// Positions of a batch.
    pub batch: usize,
    /// Most epochs.
    pub epochs: u64,
    /// Positions within which is shuffled.
    pub buffer: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// Weight of the score at the end of the run; `None`: the same all along.
    pub lambda_end: Option<f32>,
    /// The learning rate to begin with.
    pub rate: f32,
    /// And how it falls.
    pub schedule: Schedule,
    /// The learning rate to end with, where the schedule has one.
    pub rate_end: f32,
    /// Validations without improvement before the rate is halved.
    pub patience: u32,
    /// Halvings of the rate; when one more is due, training ends.
    pub halvings: u32,
    /// Batches between validations; 0: once an epoch.
    pub interval: u64,
    /// Most positions to validate on.
    pub validation: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            objective: Objective { lambda: 0.7, scale: play::TRAINING_SCALE as f32 },
            selection: Selection::default(),
            batch: 16_384,
            epochs: 20,
            buffer: 1 << 20,
            seed: 1,
            lambda_end: None,
            rate: 0.001,
            schedule: Schedule::Halving,
            rate_end: 0.000_01,
            patience: 0,
            halvings: 6,
            interval: 0,
            validation: 500_000,
        }
    }
}

/// A validation, and the training since the one before.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The epoch, from 1.
    pub epoch: u64,
    /// Batches learned from since the beginning.
    pub steps: u64,
    /// Positions learned from since the beginning.
    pub positions: u64,
    /// The learning rate until here.
    pub rate: f32,
    /// Mean losses while learning; zeros before the first batch.
    pub training: MeanLosses,
    /// Mean losses on the validation set.
    pub validation: MeanLosses,
    /// Whether this is the best so far.
    pub best: bool,
}

/// What to do after a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Go on.
    Go,
    /// Call [`Watch::save`], then go on.
    Save,
    /// Call [`Watch::save`], then stop.
    Stop,
}

/// Whoever looks on.
pub trait Watch<V: Variant, M: Model<V> + ?Sized> {
    /// What can go wrong.
    type Error: From<Error>;

    /// A batch was learned from.
    fn batch(&mut self, progress: &Progress) -> Result<Next, Self::Error>;

    /// A validation was made. If it is the best so far, the model is worth keeping.
    fn validated(&mut self, entry: &Entry, model: &mut M) -> Result<(), Self::Error>;

    /// The session asks to be saved ([`Session::save`]): after every validation, and whenever
    /// [`Watch::batch`] wanted it.
    fn save(&mut self, session: &Session<V, M>) -> Result<(), Self::Error>;
}

/// How far it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// The epoch, from 0.
    pub epoch: u64,
    /// Positions learned from in this epoch.
    pub in_epoch: u64,
    /// Positions learned from since the beginning.
    pub positions: u64,
    /// Batches since the beginning.
    pub steps: u64,
    /// The learning rate.
    pub rate: f32,
    /// Losses since the last validation.
    pub losses: Losses,
    /// What was read of the epoch so far.
    pub counts: SelectionCounts,
}

/// Where a run stands, besides its model.
#[derive(Clone, PartialEq, Debug, Default)]
struct State {
    epoch: u64,
    /// Batches of the epoch that are done.
    batch: u64,
    in_epoch: u64,
    /// Batches of the last epoch: as many as there will be in this one.
    batches: Option<u64>,
    steps: u64,
    positions: u64,
    /// How often the rate was halved.
    halved: u32,
    /// Validations since the last improvement or halving.
    waited: u32,
    best: Option<f64>,
    /// Since the last validation.
    losses: Losses,
    finished: bool,
    history: Vec<Entry>,
}

/// A training run.
pub struct Session<V: Variant, M: ?Sized> {
    settings: Settings,
    units: Units,
    encoder: Arc<dyn Encoder<V>>,
    model: Box<M>,
    held_out: Batch,
    workers: Workers,
    state: State,
}

/// Improvements smaller than this share of the loss are none.
const LEAST_GAIN: f64 = 1e-4;

impl<V: Variant, M: Model<V> + ?Sized> Session<V, M> {
    /// A run over teacher files, validated on others.
    pub fn new(
        settings: Settings,
        units: Units,
        validation: &Units,
        model: Box<M>,
        workers: Workers,
    ) -> Result<Self, Error> {
        let encoder = model.encoder();
        let rows =
            first_rows(validation, &settings.selection, &Words(&*encoder), settings.validation)?;
        let (words, labels) = (rows.numbers.into_words(), rows.labels);
        let held_out = Batch { words, labels, ..Batch::default() };
        let state = State::default();
        Ok(Self { settings, units, encoder, model, held_out, workers, state })
    }

    /// The model.
    pub fn model(&mut self) -> &mut M {
        &mut self.model
    }

    /// The positions validated on.
    pub const fn held_out(&self) -> &Batch {
        &self.held_out
    }

    /// Every validation so far.
    pub fn history(&self) -> &[Entry] {
        &self.state.history
    }

    /// Batches learned from so far.
    pub const fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Whether there is nothing left to do.
    pub const fn finished(&self) -> bool {
        self.state.finished
    }

    /// How much of the run is done, from 0 to 1. The first epoch is taken to be as long as its
    /// files are, which is too long by what is left out; later ones are as long as it.
    fn share(&self) -> f64 {
        let files = || self.units.positions().div_ceil(self.settings.batch as u64);
        let batches = self.state.batches.unwrap_or_else(files).max(1);
        let in_epoch = (self.state.batch as f64 / batches as f64).min(1.0);
        (self.state.epoch as f64 + in_epoch) / self.settings.epochs.max(1) as f64
    }

    /// The present learning rate.
    fn rate(&self) -> f32 {
        let Settings { schedule, rate, rate_end, .. } = self.settings;
        schedule.rate(rate, rate_end, self.share(), self.state.halved)
    }

    /// What is learned now: results may count more and more.
    fn objective(&self) -> Objective {
        let first = self.settings.objective;
        let last = self.settings.lambda_end.unwrap_or(first.lambda);
        let share = self.share().min(1.0) as f32;
        Objective { lambda: first.lambda + (last - first.lambda) * share, ..first }
    }

    /// What validations measure: the same in all epochs.
    fn measured_objective(&self) -> Objective {
        let first = self.settings.objective;
        Objective { lambda: self.settings.lambda_end.unwrap_or(first.lambda), ..first }
    }

    /// Trains until the end, or until the watch stops it. A stopped session can go on later.
    pub fn run<W: Watch<V, M>>(&mut self, watch: &mut W) -> Result<(), W::Error> {
        if self.state.history.is_empty() {
            self.validate(watch)?;
            watch.save(self)?;
        }
        while !self.state.finished {
            if !self.epoch(watch)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The rest of an epoch. `false`: stopped.
    fn epoch<W: Watch<V, M>>(&mut self, watch: &mut W) -> Result<bool, W::Error> {
        let (units, encoder) = (self.units.clone(), Arc::clone(&self.encoder));
        let settings = self.settings;
        let batcher = Batcher {
            units: &units,
            selection: &settings.selection,
            seed: settings.seed,
            batch: settings.batch,
            pool: settings.buffer,
            first_epoch: self.state.epoch as u32,
            epochs: Some(1),
            threads: self.workers.threads(),
        };
        std::thread::scope(|scope| {
            let mut batches = Batches::start(scope, batcher, &*encoder);
            for _ in 0..self.state.batch {
                batches.next()?;
            }
            while let Some(batch) = batches.next()? {
                self.learn(&batch);
                let interval = self.settings.interval;
                if interval > 0 && self.state.steps.is_multiple_of(interval) {
                    self.validate(watch)?;
                    watch.save(self)?;
                }
                let next = watch.batch(&self.progress(batches.counts()))?;
                if next != Next::Go {
                    watch.save(self)?;
                }
                if next == Next::Stop {
                    return Ok(false);
                }
                if self.state.finished {
                    return Ok(true);
                }
            }
            self.state.batches = Some(self.state.batch);
            (self.state.epoch, self.state.batch, self.state.in_epoch) =
                (self.state.epoch + 1, 0, 0);
            if self.settings.interval == 0 {
                self.validate(watch)?;
            }
            self.state.finished |= self.state.epoch >= self.settings.epochs;
            watch.save(self)?;
            Ok(true)
        })
    }

    fn progress(&self, counts: SelectionCounts) -> Progress {
        let State { epoch, in_epoch, positions, steps, losses, .. } = self.state;
        Progress { epoch, in_epoch, positions, steps, rate: self.rate(), losses, counts }
    }

    fn learn(&mut self, batch: &Batch) {
        let count = batch.labels.len();
        let mut values = vec![0.0; count];
        self.model.forward(&batch.words, &self.workers, &mut values);
        let objective = self.objective();
        let mut losses = Losses::default();
        // The values become their slopes.
        for (value, &label) in values.iter_mut().zip(&batch.labels) {
            *value = objective.measure(*value, label, &mut losses) / count as f32;
        }
        self.model.learn(&batch.words, &values, self.rate(), &self.workers);
        let state = &mut self.state;
        state.losses.add(&losses);
        state.batch += 1;
        state.steps += 1;
        state.in_epoch += count as u64;
        state.positions += count as u64;
    }

    /// Losses on the positions held out.
    pub fn measure(&mut self) -> MeanLosses {
        let mut losses = Losses::default();
        let objective = self.measured_objective();
        let words = self.encoder.words();
        let batch = self.settings.batch.max(4096);
        let labels = self.held_out.labels.chunks(batch);
        for (words, labels) in self.held_out.words.chunks(batch * words).zip(labels) {
            let mut values = vec![0.0; labels.len()];
            self.model.forward(words, &self.workers, &mut values);
            for (&value, &label) in values.iter().zip(labels) {
                objective.measure(value, label, &mut losses);
            }
        }
        losses.mean()
    }

    fn validate<W: Watch<V, M>>(&mut self, watch: &mut W) -> Result<(), W::Error> {
        let validation = self.measure();
        let rate = self.rate();
        let state = &mut self.state;
        let better = |best: f64| validation.total < best * (1.0 - LEAST_GAIN);
        let entry = Entry {
            epoch: state.epoch,
            steps: state.steps,
            positions: state.positions,
            rate,
            training: state.losses.mean(),
            validation,
            best: state.best.is_none_or(|best| validation.total < best),
        };
        if state.best.is_none_or(better) {
            state.waited = 0;
        } else if self.settings.schedule == Schedule::Halving {
            state.waited += 1;
            if state.waited > self.settings.patience {
                state.waited = 0;
                state.finished |= state.halved == self.settings.halvings;
                state.halved = self.settings.halvings.min(state.halved + 1);
            }
        }
        if entry.best {
            state.best = Some(validation.total);
        }
        state.losses = Losses::default();
        state.history.push(entry);
        watch.validated(&entry, &mut self.model)
    }
}
