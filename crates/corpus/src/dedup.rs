//! Every game, or every position, once.
//!
//! The first of equals stays, in its place. Keys of everything are dealt to buckets by their
//! value; in each bucket equals lie together, and the numbers of all but the first go to buckets
//! by their place in the input. A second reading then leaves those out. Memory is bounded however
//! large the input is.

use crate::buckets::Buckets;
use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{Output, Target};
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::source::{self, Inputs, Source};
use rules::Game as Rules;
use std::path::Path;
use teacher::{Game, hcpe, psv};
use twox_hash::XxHash64;

/// Buckets of keys and of places.
const BUCKETS: usize = 256;

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Games with the same start and the same moves.
    Game,
    /// Positions with the same board, hands and side to move.
    Position,
}

/// What to do with which files.
pub struct Dedup {
    /// What to read.
    pub inputs: Inputs,
    /// Where it goes.
    pub target: Target,
    /// What is compared; games where there are games.
    pub by: Option<By>,
    /// Bytes of memory to use; what does not fit goes to temporary files beside the output.
    pub memory: u64,
}

/// What came of it.
pub struct Deduplicated {
    /// What was compared.
    pub by: By,
    /// Items that came before.
    pub repeated: u64,
    pub items: u64,
    /// What was written.
    pub counts: Counts,
}

/// Leaves out, or marks, what came before.
pub fn run(request: &Dedup, watch: &Watch<'_>) -> Result<Deduplicated, Error> {
    let Dedup { inputs, target, by, memory } = request;
    let (sources, format) = inputs.alike()?;
    format.keeps(&target.path)?;
    let by = match (format.record(), *by) {
        (Some(_), Some(By::Game)) => {
            return Err(Error::request(format!("{format} holds positions, not games")));
        }
        (Some(_), _) => By::Position,
        (None, by) => by.unwrap_or(By::Game),
    };
    if format == Format::Csa && by == By::Position {
        return Err(Error::request("records have no marks: convert them to teacher first"));
    }
    target.check(&sources)?;
    let header = inputs.header(&sources)?;
    let game = header.game;
    // Both readings count.
    let meter = Meter::new(2 * source::total(&sources), watch);
    let mut keys = Keys::new(target.folder(), memory / 2);
    let reading = Reading { sources: &sources, game, format, by, meter: &meter };
    reading.collect(&mut keys)?;
    let mut again = keys.again()?;
    let mut output = Output::new(target, format, header)?;
    let mut counts = Counts::default();
    reading.write(&mut again, &mut output, &mut counts)?;
    output.publish()?;
    meter.finish();
    Ok(Deduplicated { by, repeated: again.found, items: again.next, counts })
}

/// What is read, twice.
struct Reading<'a> {
    sources: &'a [Source],
    game: Rules,
    format: Format,
    by: By,
    meter: &'a Meter<'a>,
}

impl Reading<'_> {
    /// First reading: the keys. Problems are told in the second.
    fn collect(&self, keys: &mut Keys) -> Result<(), Error> {
        let mut quiet = Counts::default();
        match self.format {
            Format::Psv => {
                self.each_record::<{ psv::SIZE }>(&mut quiet, |r, _| keys.add(self.psv(r)))
            }
            Format::Hcpe => {
                self.each_record::<{ hcpe::SIZE }>(&mut quiet, |r, _| keys.add(self.hcpe(r)))
            }
            _ => self.each_game(&mut quiet, |game, _| {
                match self.by {
                    By::Game => keys.add(game.fingerprint())?,
                    By::Position => {
                        for key in position_keys(&game) {
                            keys.add(key)?;
                        }
                    }
                }
                Ok(())
            }),
        }
    }

    /// Second reading: what did not come before is written.
    fn write(
        &self,
        again: &mut Again,
        output: &mut Output,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        match self.format {
            Format::Psv => self.each_record::<{ psv::SIZE }>(counts, |r, counts| {
                if again.is_first()? {
                    output.raw(r)?;
                    counts.written(0, 1);
                }
                Ok(())
            }),
            Format::Hcpe => self.each_record::<{ hcpe::SIZE }>(counts, |r, counts| {
                if again.is_first()? {
                    output.raw(r)?;
                    counts.written(0, 1);
                }
                Ok(())
            }),
            _ => self.each_game(counts, |mut game, counts| {
                match self.by {
                    By::Game if !again.is_first()? => return Ok(()),
                    By::Game => {}
                    By::Position => {
                        for ply in &mut game.plies {
                            ply.flags.skip |= !again.is_first()?;
                        }
                        if game.last.is_some() && !again.is_first()? {
                            game.last = None;
                        }
                    }
                }
                if game.positions() > 0 { output.write(&game, counts) } else { Ok(()) }
            }),
        }
    }

    fn each_record<const N: usize>(
        &self,
        counts: &mut Counts,
        mut each: impl FnMut(&[u8; N], &mut Counts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for source in self.sources {
            read::records::<N>(source, self.meter, counts, |_, record, counts| {
                self.meter.positions(1);
                each(record, counts)?;
                Ok(Flow::Next)
            })?;
        }
        Ok(())
    }

    fn each_game(
        &self,
        counts: &mut Counts,
        mut each: impl FnMut(Game, &mut Counts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        read::games(self.sources, self.game, self.meter, counts, &mut |game, counts| {
            each(game, counts)?;
            Ok(Flow::Next)
        })
    }

    /// A record that is no position is compared by its bytes.
    fn psv(&self, record: &psv::Record) -> u64 {
        hash(&psv::canonical(self.game, record).map_or(record.to_vec(), |p| p.to_vec()))
    }

    fn hcpe(&self, record: &hcpe::Record) -> u64 {
        hash(&hcpe::canonical(self.game, record).map_or(record.to_vec(), |p| p.to_vec()))
    }
}

/// Keys of the positions of a game, in order.
fn position_keys(game: &Game) -> impl Iterator<Item = u64> {
    let mut position = game.start.clone();
    (0..game.positions()).map(move |index| {
        let key = position.key();
        if let Some(ply) = game.plies.get(index) {
            position.play(ply.mv);
        }
        key
    })
}

/// 64 bits of some bytes. Nothing keeps them: they live for one run.
fn hash(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// Keys with their places, dealt by key.
struct Keys {
    buckets: Buckets,
    places: Buckets,
    next: u64,
}

impl Keys {
    fn new(folder: &Path, memory: u64) -> Self {
        Self {
            buckets: Buckets::new(folder, "keys", BUCKETS, memory),
            places: Buckets::new(folder, "places", BUCKETS, memory / 2),
            next: 0,
        }
    }

    fn add(&mut self, key: u64) -> Result<(), Error> {
        let mut entry = [0; 16];
        entry[..8].copy_from_slice(&key.to_le_bytes());
        entry[8..].copy_from_slice(&self.next.to_le_bytes());
        self.next += 1;
        self.buckets.put((key >> 56) as usize, &entry)
    }

    /// Finds what came before.
    fn again(mut self) -> Result<Again, Error> {
        let stretch = self.next / BUCKETS as u64 + 1;
        for bucket in 0..BUCKETS {
            let pile = self.buckets.take(bucket)?;
            let number = |b: &[u8]| b.try_into().map_or(0, u64::from_le_bytes);
            let mut entries: Vec<(u64, u64)> =
                pile.chunks_exact(16).map(|e| (number(&e[..8]), number(&e[8..]))).collect();
            drop(pile);
            entries.sort_unstable();
            for pair in entries.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                let place = pair[1].1;
                self.places.put((place / stretch) as usize, &place.to_le_bytes())?;
            }
        }
        Ok(Again { places: self.places, stretch, here: Vec::new(), next: 0, found: 0 })
    }
}

/// Places of what came before, asked for in order.
struct Again {
    places: Buckets,
    /// Places of one bucket.
    stretch: u64,
    /// Those of the present bucket, the last first.
    here: Vec<u64>,
    next: u64,
    found: u64,
}

impl Again {
    /// Whether the next item is the first of its kind.
    fn is_first(&mut self) -> Result<bool, Error> {
        let bucket = (self.next / self.stretch) as usize;
        // A file that grew between the two readings has places nobody knows of.
        if self.next.is_multiple_of(self.stretch) && bucket < self.places.len() {
            let pile = self.places.take(bucket)?;
            self.here = pile.as_chunks().0.iter().map(|&b| u64::from_le_bytes(b)).collect();
            self.here.sort_unstable_by(|a, b| b.cmp(a));
        }
        let repeated = self.here.last() == Some(&self.next);
        if repeated {
            self.here.pop();
            self.found += 1;
        }
        self.next += 1;
        Ok(!repeated)
    }
}
