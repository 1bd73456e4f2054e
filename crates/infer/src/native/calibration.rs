//! What stands between the layers of a net: how large, and where to cut it off.

use super::reference::{Reference, Site, in_parallel};
use crate::batch::Batch;

/// Of many numbers, about so many are kept for each position.
const KEPT: usize = 600;
/// Bytes go up to this.
pub(super) const LEVELS: f32 = 127.0;

/// Numbers seen at one site, none negative.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) largest: f32,
    kept: Vec<f32>,
}

impl Seen {
    fn add(&mut self, numbers: &[f32]) {
        self.largest = numbers.iter().fold(self.largest, |a, &b| a.max(b));
        self.kept.extend(numbers.iter().step_by(numbers.len() / KEPT + 1));
    }

    fn append(&mut self, mut more: Self) {
        self.largest = self.largest.max(more.largest);
        self.kept.append(&mut more.kept);
    }

    /// Where to cut off so that 127 steps are nearest to the numbers: what is lost above against
    /// what is won in resolution below.
    pub(super) fn cut(&self) -> f32 {
        let error = |cut: f32| {
            let step = cut / LEVELS;
            let of = |&x: &f32| (x - (x / step).round().min(LEVELS) * step).powi(2);
            self.kept.iter().map(of).map(f64::from).sum::<f64>()
        };
        let candidates = (8..=40).map(|n| self.largest * n as f32 / 40.0);
        let best = candidates.map(|cut| (error(cut), cut)).min_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or(self.largest, |(_, cut)| cut)
    }
}

/// What a net was seen to do with some positions.
#[derive(Clone, Debug, Default)]
pub(super) struct Calibration {
    /// After so many blocks.
    pub(super) streams: Vec<Seen>,
    /// Inside each block.
    pub(super) hidden: Vec<Seen>,
    pub(super) value: Seen,
    pub(super) value_hidden: Seen,
}

impl Calibration {
    /// `watch` is called after every position, on any thread.
    pub(super) fn new(
        reference: &Reference,
        blocks: usize,
        positions: &Batch,
        watch: &(dyn Fn() + Sync),
    ) -> Self {
        let nothing = Self {
            streams: vec![Seen::default(); blocks + 1],
            hidden: vec![Seen::default(); blocks],
            ..Self::default()
        };
        let each = in_parallel(positions.len(), |index| {
            let mut seen = nothing.clone();
            reference.evaluate(positions.planes(index), &mut |site, numbers| match site {
                Site::Stream(n) => seen.streams[n].add(numbers),
                Site::Hidden(n) => seen.hidden[n].add(numbers),
                Site::ValueConvolution => seen.value.add(numbers),
                Site::ValueHidden => seen.value_hidden.add(numbers),
            });
            watch();
            seen
        });
        each.into_iter().fold(nothing, Self::and)
    }

    /// What was seen in further positions, too.
    fn and(mut self, more: Self) -> Self {
        let sites = |seen: Self| {
            let heads = [seen.value, seen.value_hidden];
            seen.streams.into_iter().chain(seen.hidden).chain(heads)
        };
        let own = self.streams.iter_mut().chain(&mut self.hidden);
        let own = own.chain([&mut self.value, &mut self.value_hidden]);
        own.zip(sites(more)).for_each(|(own, more)| own.append(more));
        self
    }
}
