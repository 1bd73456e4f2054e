//! `nue data dedup`: every game, or every position, once.
//!
//! The first of equals stays, in its place. Keys of everything are dealt to buckets by their
//! value; in each bucket equals lie together, and the numbers of all but the first go to buckets
//! by their place in the input. A second reading then leaves those out. Memory is bounded however
//! large the input is.

use super::buckets::Buckets;
use super::format::Format;
use super::input::{self, Flow, InputArgs, Source};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{MemoryArg, OutputArgs, count, same_format};
use crate::failure::{Failure, Outcome};
use rules::Game as Rules;
use std::path::Path;
use teacher::Game;

/// Buckets of keys and of places.
const BUCKETS: usize = 256;

/// What is compared.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    /// Games with the same start and the same moves
    Game,
    /// Positions with the same board, hands and side to move
    Position,
}

/// Keep every game, or every position, only once
#[derive(clap::Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// What is compared; games where there are games. Positions of games are not left out but
    /// marked as not for training
    #[arg(long, value_enum)]
    by: Option<By>,
    #[command(flatten)]
    memory: MemoryArg,
}

/// Runs the command.
pub(crate) fn run(args: &DedupArgs) -> Outcome {
    let (sources, format) = args.input.alike()?;
    let OutputArgs { output, force } = &args.output;
    same_format(&args.output, format)?;
    let by = match (format.record(), args.by) {
        (Some(_), Some(By::Game)) => {
            return Err(Failure::usage(format!("{format} holds positions, not games")));
        }
        (Some(_), _) => By::Position,
        (None, by) => by.unwrap_or(By::Game),
    };
    if format == Format::Csa && by == By::Position {
        return Err(Failure::usage("records have no marks: convert them to teacher first"));
    }
    sink::check(output, &input::paths(&sources), *force)?;
    let header = args.input.header(&sources)?;
    let game = header.game;
    // Both readings count.
    let progress = Progress::new(2 * input::total(&sources));
    let memory = args.memory.bytes() / 2;
    let mut keys = Keys::new(&input::folder(output), memory);
    let reading = Reading { sources: &sources, game, format, by, progress: &progress };
    reading.collect(&mut keys)?;
    let mut again = keys.again()?;
    let mut sink = Sink::new(output, format, header, *force)?;
    let mut tally = Tally::default();
    reading.write(&mut again, &mut sink, &mut tally)?;
    sink.publish()?;
    progress.clear();
    let what = match by {
        By::Game => "games",
        By::Position => "positions",
    };
    let (all, repeated) = (count(again.next), count(again.found));
    let (name, rate) = (output.display(), progress.rate());
    tally.report(&format!("{name}: {repeated} of {all} {what} came before ({rate})"))
}

/// What is read, twice.
struct Reading<'a> {
    sources: &'a [Source],
    game: Rules,
    format: Format,
    by: By,
    progress: &'a Progress,
}

impl Reading<'_> {
    /// First reading: the keys. Problems are told in the second.
    fn collect(&self, keys: &mut Keys) -> Result<(), Failure> {
        let mut quiet = Tally::default();
        match self.format {
            Format::Psv => self.each_record::<40>(&mut quiet, |r, _| keys.add(self.psv(r))),
            Format::Hcpe => self.each_record::<38>(&mut quiet, |r, _| keys.add(self.hcpe(r))),
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
    fn write(&self, again: &mut Again, sink: &mut Sink, tally: &mut Tally) -> Result<(), Failure> {
        match self.format {
            Format::Psv => self.each_record::<40>(tally, |r, tally| {
                if again.is_first()? {
                    sink.raw(r)?;
                    tally.written(0, 1);
                }
                Ok(())
            }),
            Format::Hcpe => self.each_record::<38>(tally, |r, tally| {
                if again.is_first()? {
                    sink.raw(r)?;
                    tally.written(0, 1);
                }
                Ok(())
            }),
            _ => self.each_game(tally, |mut game, tally| {
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
                if game.positions() > 0 { sink.write(&game, tally) } else { Ok(()) }
            }),
        }
    }

    fn each_record<const N: usize>(
        &self,
        tally: &mut Tally,
        mut each: impl FnMut(&[u8; N], &mut Tally) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for source in self.sources {
            input::records::<N>(source, self.progress, tally, |_, record, tally| {
                self.progress.positions(1);
                each(record, tally)?;
                Ok(Flow::Next)
            })?;
        }
        Ok(())
    }

    fn each_game(
        &self,
        tally: &mut Tally,
        mut each: impl FnMut(Game, &mut Tally) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        input::games(self.sources, self.game, self.progress, tally, &mut |game, tally| {
            each(game, tally)?;
            Ok(Flow::Next)
        })
    }

    /// A record that is no position is compared by its bytes.
    fn psv(&self, record: &[u8; 40]) -> u64 {
        hash(&teacher::psv::canonical(self.game, record).map_or(record.to_vec(), |p| p.to_vec()))
    }

    fn hcpe(&self, record: &[u8; 38]) -> u64 {
        hash(&teacher::hcpe::canonical(self.game, record).map_or(record.to_vec(), |p| p.to_vec()))
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

/// 64 bits of some bytes: a word at a time, stirred well.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0x4E75_6521u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    }
    hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ hash >> 32
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

    fn add(&mut self, key: u64) -> Result<(), Failure> {
        let mut entry = [0; 16];
        entry[..8].copy_from_slice(&key.to_le_bytes());
        entry[8..].copy_from_slice(&self.next.to_le_bytes());
        self.next += 1;
        self.buckets.put((key >> 56) as usize, &entry)
    }

    /// Finds what came before.
    fn again(mut self) -> Result<Again, Failure> {
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
    fn is_first(&mut self) -> Result<bool, Failure> {
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
