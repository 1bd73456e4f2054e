//! Where a run stands, as bytes: enough to go on as if nothing had happened.
//!
//! Magic, the length of a JSON text, the text (settings, model, data, state), the model's own
//! bytes, and a checksum over all of it. Sums of losses are written as bits: a number that went
//! through decimal digits would make the log of a resumed run differ in its last place.

use super::{Entry, Session, Settings, State};
use crate::model::Model;
use crate::objective::Losses;
use rules::Variant;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{self, Read, Write};

/// First bytes, the last of them the version: 2 since batches come from room `corpus`.
const MAGIC: [u8; 8] = *b"NueTrai2";
/// Longest JSON text.
const LONGEST: u64 = 1 << 28;

/// Why a run cannot continue from a checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Reading failed.
    #[error("cannot read: {0}")]
    Read(#[from] io::Error),
    /// Not a checkpoint, or a damaged one.
    #[error("not a whole checkpoint: {0}")]
    Damaged(String),
    /// The checkpoint of another run.
    #[error("the checkpoint is of another run: its {what} was {found}, now it is {wanted}")]
    Other {
        what: &'static str,
        /// As it was.
        found: String,
        /// As it is.
        wanted: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Text {
    model: String,
    data: u64,
    settings: Settings,
    epoch: u64,
    batch: u64,
    in_epoch: u64,
    batches: Option<u64>,
    steps: u64,
    positions: u64,
    halved: u32,
    waited: u32,
    best: Option<u64>,
    losses: [u64; 6],
    finished: bool,
    history: Vec<Bits>,
}

/// An entry of the history, its numbers as bits.
#[derive(Serialize, Deserialize)]
struct Bits {
    numbers: [u64; 3],
    rate: u32,
    losses: [[u64; 4]; 2],
    best: bool,
}

impl From<&Entry> for Bits {
    fn from(e: &Entry) -> Self {
        let bits = |m: crate::MeanLosses| [m.total, m.score, m.result, m.floor].map(f64::to_bits);
        Self {
            numbers: [e.epoch, e.steps, e.positions],
            rate: e.rate.to_bits(),
            losses: [bits(e.training), bits(e.validation)],
            best: e.best,
        }
    }
}

impl From<&Bits> for Entry {
    fn from(bits: &Bits) -> Self {
        let mean = |bits: [u64; 4]| {
            let [total, score, result, floor] = bits.map(f64::from_bits);
            crate::MeanLosses { total, score, result, floor }
        };
        Self {
            epoch: bits.numbers[0],
            steps: bits.numbers[1],
            positions: bits.numbers[2],
            rate: f32::from_bits(bits.rate),
            training: mean(bits.losses[0]),
            validation: mean(bits.losses[1]),
            best: bits.best,
        }
    }
}

impl<V: Variant, M: Model<V> + ?Sized> Session<V, M> {
    /// Writes where the run stands.
    pub fn save(&self, to: &mut impl Write) -> io::Result<()> {
        let s = &self.state;
        let l = s.losses;
        let text = Text {
            model: self.model.describe(),
            data: self.units.fingerprint(),
            settings: self.settings,
            epoch: s.epoch,
            batch: s.batch,
            in_epoch: s.in_epoch,
            batches: s.batches,
            steps: s.steps,
            positions: s.positions,
            halved: s.halved,
            waited: s.waited,
            best: s.best.map(f64::to_bits),
            losses: [
                l.count,
                l.results,
                l.total.to_bits(),
                l.score.to_bits(),
                l.result.to_bits(),
                l.floor.to_bits(),
            ],
            finished: s.finished,
            history: s.history.iter().map(Bits::from).collect(),
        };
        let text = serde_json::to_vec(&text).map_err(io::Error::other)?;
        let mut summed = Summed { inner: to, sum: crc32fast::Hasher::new() };
        summed.write_all(&MAGIC)?;
        summed.write_all(&(text.len() as u64).to_le_bytes())?;
        summed.write_all(&text)?;
        self.model.save(&mut summed)?;
        let sum = summed.sum.finalize();
        to.write_all(&sum.to_le_bytes())
    }

    /// Goes on where [`Session::save`] was called. The settings, the model and the files must
    /// be those of that run; the number of threads and of epochs may differ.
    ///
    /// After an error the session is of no use.
    pub fn restore(&mut self, from: &mut impl Read) -> Result<(), CheckpointError> {
        let damaged = |why: &str| CheckpointError::Damaged(why.to_owned());
        let mut summed = Summed { inner: from, sum: crc32fast::Hasher::new() };
        let mut head = [0; 16];
        summed.read_exact(&mut head).map_err(|_| damaged("it is cut short"))?;
        let (magic, length) = head.split_at(8);
        let length = length.try_into().map_or(u64::MAX, u64::from_le_bytes);
        if magic != MAGIC || length > LONGEST {
            return Err(damaged("it does not begin like one of this version"));
        }
        let mut text = Vec::new();
        (&mut summed).take(length).read_to_end(&mut text)?;
        let text: Text =
            serde_json::from_slice(&text).map_err(|e| CheckpointError::Damaged(e.to_string()))?;
        self.compare(&text)?;
        self.model.restore(&mut summed).map_err(|_| damaged("it is cut short"))?;
        let sum = summed.sum.finalize();
        let mut found = Vec::new();
        from.take(5).read_to_end(&mut found)?;
        if found != sum.to_le_bytes() {
            return Err(damaged("its checksum is wrong"));
        }
        // Other than the number of epochs, which may be another now, the reason to end stays.
        let early = text.finished && text.epoch < text.settings.epochs;
        let [count, results, total, score, result, floor] = text.losses;
        let [total, score, result, floor] = [total, score, result, floor].map(f64::from_bits);
        self.state = State {
            epoch: text.epoch,
            batch: text.batch,
            in_epoch: text.in_epoch,
            batches: text.batches,
            steps: text.steps,
            positions: text.positions,
            halved: text.halved,
            waited: text.waited,
            best: text.best.map(f64::from_bits),
            losses: Losses { count, total, score, results, result, floor },
            finished: early || text.epoch >= self.settings.epochs,
            history: text.history.iter().map(Entry::from).collect(),
        };
        Ok(())
    }

    fn compare(&self, text: &Text) -> Result<(), CheckpointError> {
        let other = |what, found, wanted| Err(CheckpointError::Other { what, found, wanted });
        let model = self.model.describe();
        if text.model != model {
            return other("model", text.model.clone(), model);
        }
        let data = self.units.fingerprint();
        if text.data != data {
            return other("data", format!("{:016x}", text.data), format!("{data:016x}"));
        }
        let found = Settings { epochs: self.settings.epochs, ..text.settings };
        if found != self.settings {
            let (found, wanted) = differences(&found, &self.settings);
            return other("settings", found, wanted);
        }
        Ok(())
    }
}

/// Where two settings differ, as `name=value` of each.
fn differences(one: &Settings, two: &Settings) -> (String, String) {
    let table = |settings: &Settings| match serde_json::to_value(settings) {
        Ok(Value::Object(table)) => table,
        _ => Map::new(),
    };
    let (one, two) = (table(one), table(two));
    let different = |key: &&String| one.get(*key) != two.get(*key);
    let list = |table: &Map<String, Value>| {
        let named = |key: &String| format!("{key}={}", table.get(key).unwrap_or(&Value::Null));
        one.keys().filter(different).map(named).collect::<Vec<_>>().join(", ")
    };
    (list(&one), list(&two))
}

/// A checksum over what passes.
struct Summed<'a, T> {
    inner: &'a mut T,
    sum: crc32fast::Hasher,
}

impl<T: Write> Write for Summed<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<'_, T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}
