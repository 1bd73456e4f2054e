//! From a float file to a net to play with: calibrated, compared, with its test positions.

use super::floats::{Floats, FloatsError};
use super::net::Net;
use super::quantise::{QuantiseError, integers};
use super::reference::{Reference, in_parallel};
use crate::backend::Shape;
use crate::batch::Batch;
use crate::positions::probabilities;
use simd::{ByteLayerError, Isa};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use thiserror::Error;

/// Positions a net is asked for at every load.
const CANARIES: usize = 8;

/// How far integers are from real numbers, over positions that were not used for calibration.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Report {
    pub positions: usize,
    /// Positions in which both have the same best move.
    pub agreed: usize,
    /// Kullback–Leibler divergence of the policies over legal moves, mean, in nats.
    pub divergence: f64,
    /// Distance of the win rates: mean, and largest.
    pub value_error: f64,
    pub worst_value_error: f64,
}

impl Report {
    /// Compares two sets of answers for the same positions: of the real numbers, of the integers.
    pub fn new(real: &Batch, integer: &Batch) -> Self {
        let mut report = Self { positions: real.len(), ..Self::default() };
        for index in 0..real.len() {
            let (a, b) = (real.policy(index), integer.policy(index));
            report.agreed += usize::from(best(a) == best(b));
            let (p, q) = (probabilities(a), probabilities(b));
            let terms = p.iter().zip(&q).filter(|(p, _)| **p > 0.0);
            report.divergence += terms.map(|(p, q)| p * (p / q).ln()).sum::<f64>();
            let error = f64::from(real.value(index).win - integer.value(index).win).abs();
            report.value_error += error;
            report.worst_value_error = report.worst_value_error.max(error);
        }
        let count = report.positions.max(1) as f64;
        report.divergence /= count;
        report.value_error /= count;
        report
    }

    /// The share of positions with the same best move.
    pub fn agreement(&self) -> f64 {
        self.agreed as f64 / self.positions.max(1) as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} positions: same best move in {:.1} %, divergence of the policies {:.5}, win rates \
             apart by {:.2} % in the mean and {:.2} % at most",
            self.positions,
            100.0 * self.agreement(),
            self.divergence,
            100.0 * self.value_error,
            100.0 * self.worst_value_error
        )
    }
}

fn best(logits: &[f32]) -> Option<usize> {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]))
}

/// A net made of a float file, and how well.
#[derive(Debug)]
pub struct Imported {
    pub net: Net,
    pub report: Report,
}

/// Why a float file makes no net.
#[derive(Debug, Error)]
pub enum ImportError {
    #[error(transparent)]
    Floats(#[from] FloatsError),
    #[error(transparent)]
    Quantise(#[from] QuantiseError),
    #[error("{0}")]
    Layer(#[from] ByteLayerError),
    #[error(
        "the integers are too far from the real numbers ({report}); at least {least:.1} % of best \
         moves must be the same"
    )]
    TooFar { report: Report, least: f64 },
}

/// Told how far an import is: positions done, and all. From any thread.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// How many positions of its own games a net is calibrated on, and compared on as many others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub calibration: usize,
    pub comparison: usize,
}

impl Counts {
    /// All that are computed in real numbers: positions of both kinds are found, then computed again.
    pub fn all(self) -> usize {
        2 * (self.calibration + self.comparison)
    }
}

/// Quantises the net of a float file; refused if fewer than `least` (0 to 1) of the best moves are
/// the same.
pub fn import_file(
    file: &[u8],
    counts: Counts,
    least: f64,
    watch: Watch<'_>,
) -> Result<Imported, ImportError> {
    let floats = Floats::from_bytes(file)?;
    let (reference, shape) = (Reference::new(&floats), floats.architecture.shape);
    let (done, all) = (AtomicUsize::new(0), counts.all());
    let step = || watch(all.min(1 + done.fetch_add(1, Ordering::Relaxed)), all);
    let kinds = [counts.calibration, counts.comparison];
    let found = in_parallel(kinds.len(), |number| {
        let (count, mut asked) = (kinds[number], 0);
        crate::positions::played(shape, count, 1 + number as u64, |one| {
            reference.answer(one);
            asked += 1;
            // About every second position of a game is kept.
            if asked % 2 == 0 && asked / 2 <= count {
                step();
            }
        })
    });
    let mut found = found.into_iter();
    let (Some(calibration), Some(mut comparison)) = (found.next(), found.next()) else {
        return Err(QuantiseError::NoPositions.into());
    };
    import_watched(&floats, &calibration, &mut comparison, least, &step)
}

/// Quantises a net, calibrated on `calibration` and compared on `comparison`; refused if fewer than
/// `least` (0 to 1) of the best moves are the same.
pub fn import(
    floats: &Floats,
    calibration: &Batch,
    comparison: &mut Batch,
    least: f64,
) -> Result<Imported, ImportError> {
    import_watched(floats, calibration, comparison, least, &|| ())
}

fn import_watched(
    floats: &Floats,
    calibration: &Batch,
    comparison: &mut Batch,
    least: f64,
    step: &(dyn Fn() + Sync),
) -> Result<Imported, ImportError> {
    let reference = Reference::new(floats);
    let integers = integers(floats, &reference, calibration, step)?;
    let mut net = Net::put_together(Isa::best(), floats.architecture, integers)?;
    reference.answer_watched(comparison, step);
    let mut answered = comparison.clone();
    net.answer(&mut answered, &mut net.scratch());
    let report = Report::new(comparison, &answered);
    if report.agreement() < least {
        return Err(ImportError::TooFar { report, least: 100.0 * least });
    }
    net.set_canaries(calibration, CANARIES);
    Ok(Imported { net, report })
}

/// Positions of games that a net in real numbers plays with itself, moves drawn from its policy
/// after a few at random: what it will meet when it plays.
pub fn positions(reference: &Reference, shape: Shape, count: usize, seed: u64) -> Batch {
    crate::positions::played(shape, count, seed, |one| reference.answer(one))
}
