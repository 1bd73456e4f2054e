//! A net on one provider: positions in, logits and values out.

use crate::api::{Fed, Numbers, Output, Session};
use crate::model::Model;
use crate::planes::Unpacker;
use infer::{Batch, Value, half};
use std::ffi::CStr;
use std::ops::Range;

/// A session and what it is asked with.
pub(crate) struct Net {
    session: Session,
    model: Model,
    feeders: Vec<Feeder>,
    /// Sizes batches are filled up to; empty: they are computed as they are. Devices prepare for
    /// every new size.
    sizes: &'static [usize],
}

/// What writes an input.
enum Feeder {
    Single(Unpacker<f32>),
    Half(Unpacker<u16>),
}

/// Room for the numbers of each input, of the one kind or the other.
#[derive(Default)]
pub(crate) struct Scratch {
    inputs: Vec<(Vec<f32>, Vec<u16>)>,
    logits: Vec<f32>,
}

/// Most positions computed together by a net without sizes.
const TOGETHER: usize = 256;

impl Net {
    pub(crate) fn new(session: Session, model: Model, sizes: &'static [usize]) -> Self {
        let (planes, mut skipped) = (model.shape.planes, 0);
        let feeders = model.inputs.iter().map(|input| {
            let (first, count) = (skipped, input.channels);
            skipped += count;
            if input.half {
                Feeder::Half(Unpacker::new(planes, first, count))
            } else {
                Feeder::Single(Unpacker::new(planes, first, count))
            }
        });
        Self { feeders: feeders.collect(), session, model, sizes }
    }

    pub(crate) const fn model(&self) -> &Model {
        &self.model
    }

    /// Whether a device computes, for which batches are filled up.
    pub(crate) const fn on_device(&self) -> bool {
        !self.sizes.is_empty()
    }

    /// Answers every position; the words are the library's if it cannot.
    pub(crate) fn answer(&self, batch: &mut Batch, scratch: &mut Scratch) -> Result<(), String> {
        let most = self.model.fixed.unwrap_or(*self.sizes.last().unwrap_or(&TOGETHER));
        let mut from = 0;
        while from < batch.len() {
            let to = batch.len().min(from + most);
            self.answer_some(batch, from..to, scratch)?;
            from = to;
        }
        Ok(())
    }

    /// The size a batch of so many positions is computed as.
    fn size(&self, count: usize) -> usize {
        let larger = self.sizes.iter().copied().find(|&size| size >= count);
        self.model.fixed.or(larger).unwrap_or(count)
    }

    fn answer_some(
        &self,
        batch: &mut Batch,
        range: Range<usize>,
        scratch: &mut Scratch,
    ) -> Result<(), String> {
        let size = self.size(range.len());
        let found = self.run(batch, range.clone(), size, scratch)?;
        let [policy, value] = &found[..] else {
            return Err(format!("{} answers instead of two", found.len()));
        };
        let labels = self.model.shape.labels.count();
        let policy = expect(policy, size * labels, "logits")?;
        let value = expect(value, size, "values")?;
        for (row, index) in range.enumerate() {
            let logits = &mut scratch.logits;
            logits.clear();
            logits.extend(batch.labels(index).iter().map(|&label| {
                // No label of this net: a fault of the caller, told as any other nonsense.
                let known = usize::from(label) < labels;
                if known { number(&policy, row * labels + usize::from(label)) } else { f32::NAN }
            }));
            batch.answer(index, logits, Value { win: number(&value, row), draw: 0.0 });
        }
        Ok(())
    }

    /// Computes some positions, filled up to `size`.
    fn run(
        &self,
        batch: &Batch,
        range: Range<usize>,
        size: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Output>, String> {
        let side = self.model.shape.game.size() as i64;
        scratch.inputs.resize_with(self.feeders.len(), Default::default);
        let mut inputs: Vec<(&CStr, Vec<i64>, Fed<'_>)> = Vec::new();
        let rooms = self.feeders.iter().zip(&mut scratch.inputs);
        for (input, (feeder, (single, half))) in self.model.inputs.iter().zip(rooms) {
            let fed = match feeder {
                Feeder::Single(unpacker) => {
                    unpacker.fill(batch, range.clone(), size, single);
                    Fed::F32(single)
                }
                Feeder::Half(unpacker) => {
                    unpacker.fill(batch, range.clone(), size, half);
                    Fed::F16(half)
                }
            };
            let dimensions = vec![size as i64, input.channels as i64, side, side];
            inputs.push((&input.name, dimensions, fed));
        }
        self.session.run(&mut inputs, &[&self.model.policy, &self.model.value])
    }
}

/// The numbers of an answer, if there are as many as there should be.
fn expect<'a>(output: &'a Output, count: usize, what: &str) -> Result<Numbers<'a>, String> {
    let numbers = output.numbers()?;
    let found = match numbers {
        Numbers::F32(x) => x.len(),
        Numbers::F16(x) => x.len(),
    };
    if found == count { Ok(numbers) } else { Err(format!("{found} {what} instead of {count}")) }
}

fn number(numbers: &Numbers<'_>, at: usize) -> f32 {
    match numbers {
        Numbers::F32(x) => x[at],
        Numbers::F16(x) => half::to_f32(x[at]),
    }
}
