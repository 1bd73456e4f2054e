//! Positions, or whole games, in random order.
//!
//! Every item is dealt to one of several buckets at random, then each bucket is shuffled in memory
//! and written: every order is equally likely, and no more than one bucket is in memory. The
//! order depends on the seed, the number of buckets and the input, never on threads.

use crate::blocks;
use crate::buckets::Buckets;
use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{self, Output, Target};
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::source::{self, Inputs, Source};
use rules::{Game as Rules, Minishogi, Shogi, Variant};
use seed::Rng;
use teacher::{Block, Cursor, Reader, TeacherError, hcpe, hcpe3, psv};

/// Most buckets: each may need an open file.
const MOST_BUCKETS: u64 = 500;

/// What to shuffle.
pub struct Shuffle {
    /// What to read.
    pub inputs: Inputs,
    /// Where it goes.
    pub target: Target,
    /// PSV, hcpe, or the format of the input; told by the name if missing.
    pub to: Option<Format>,
    /// Another seed, another order.
    pub seed: u64,
    /// Bytes of memory to use; what does not fit goes to temporary files beside the output.
    pub memory: u64,
}

/// What came of it.
pub struct Shuffled {
    /// The format written.
    pub format: Format,
    pub counts: Counts,
}

/// Shuffles files.
pub fn run(request: &Shuffle, watch: &Watch<'_>) -> Result<Shuffled, Error> {
    let Shuffle { inputs, target, to, seed, .. } = request;
    let (sources, from) = inputs.alike()?;
    let to = Format::of_output(&target.path, *to)?;
    let possible = match to {
        Format::Psv | Format::Hcpe => true,
        Format::Teacher | Format::Hcpe3 => from == to,
        Format::Csa => false,
    };
    if !possible {
        return Err(Error::request(format!(
            "{from} is not shuffled into {to}: positions go into psv or hcpe, games into the \
             format they have"
        )));
    }
    target.check(&sources)?;
    let header = inputs.header(&sources)?;
    let game = header.game;
    let mut output = Output::new(target, to, header)?;
    let meter = Meter::new(source::total(&sources), watch);
    let mut counts = Counts::default();
    let mut deal = Deal::new(request, expected(&sources, to)?)?;
    deal.all(&sources, game, from, to, &meter, &mut counts)?;
    let mut rng = Rng::new(*seed).split(u64::MAX);
    for bucket in 0..deal.buckets.len() {
        let pile = deal.buckets.take(bucket)?;
        match to {
            Format::Psv => records::<{ psv::SIZE }>(pile, &mut rng, &mut output)?,
            Format::Hcpe => records::<{ hcpe::SIZE }>(pile, &mut rng, &mut output)?,
            _ => games(&pile, &mut rng, &mut output)?,
        }
    }
    output.publish()?;
    meter.finish();
    Ok(Shuffled { format: to, counts })
}

/// How many bytes will have to be dealt, roughly.
fn expected(sources: &[Source], to: Format) -> Result<u64, Error> {
    let mut total = 0;
    for source in sources {
        total += match (source.format, to.record()) {
            (Format::Teacher, Some(size)) => {
                let reader = Reader::new(source.open(None)?);
                let survey = reader.and_then(Reader::survey).map_err(|e| source.failed(&e))?;
                survey.positions * size as u64
            }
            // Undeflated, and one by one.
            (Format::Teacher, None) => source.len() * 3,
            (Format::Csa | Format::Hcpe3, Some(_)) => source.len() * 8,
            _ => source.len(),
        };
    }
    Ok(total)
}

/// Items on their way to buckets.
struct Deal {
    buckets: Buckets,
    rng: Rng,
}

impl Deal {
    fn new(request: &Shuffle, expected: u64) -> Result<Self, Error> {
        // A bucket is in memory once, with room for what chance adds to the average; the rest
        // buffers what is dealt.
        let share = request.memory / 2;
        let count = (expected + expected / 8).div_ceil(share).max(1);
        if count > MOST_BUCKETS {
            let needed = (expected / MOST_BUCKETS * 9 / 4) >> 20;
            return Err(Error::Memory(needed + 1));
        }
        let buckets = Buckets::new(request.target.folder(), "shuffle", count as usize, share);
        Ok(Self { buckets, rng: Rng::new(request.seed) })
    }

    fn put(&mut self, item: &[u8]) -> Result<(), Error> {
        let bucket = self.rng.below(self.buckets.len());
        self.buckets.put(bucket, item)
    }

    fn all(
        &mut self,
        sources: &[Source],
        game: Rules,
        from: Format,
        to: Format,
        meter: &Meter<'_>,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        for source in sources {
            match (from, game) {
                (Format::Psv, _) if to == from => {
                    self.raw::<{ psv::SIZE }>(source, meter, counts)?;
                }
                (Format::Hcpe, _) if to == from => {
                    self.raw::<{ hcpe::SIZE }>(source, meter, counts)?;
                }
                (Format::Teacher, Rules::Shogi) => {
                    self.teacher::<Shogi>(source, to, meter, counts)?;
                }
                (Format::Teacher, Rules::Minishogi) => {
                    self.teacher::<Minishogi>(source, to, meter, counts)?;
                }
                _ => self.played(source, game, to, meter, counts)?,
            }
        }
        Ok(())
    }

    /// Records as they are.
    fn raw<const N: usize>(
        &mut self,
        source: &Source,
        meter: &Meter<'_>,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        read::records::<N>(source, meter, counts, |_, record, counts| {
            counts.written(0, 1);
            meter.positions(1);
            self.put(record)?;
            Ok(Flow::Next)
        })?;
        Ok(())
    }

    /// Blocks of our own format, decoded by all cores.
    fn teacher<V: Variant>(
        &mut self,
        source: &Source,
        to: Format,
        meter: &Meter<'_>,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        let worker = || {
            let mut cursor = Cursor::<V>::new();
            move |block: &Block| {
                let mut load = Load::default();
                if let Err(e) = load.fill(&mut cursor, block, to) {
                    load.counts.problem(e.to_string());
                }
                load
            }
        };
        blocks::in_order(source, meter, counts, worker, |mut load, counts| {
            for problem in load.counts.problems.drain(..) {
                source.damage(counts, &problem)?;
            }
            counts.add(load.counts);
            let mut from = 0;
            for end in load.ends {
                self.put(&load.bytes[from..end])?;
                from = end;
            }
            Ok(())
        })
    }

    /// Any other format, game by game.
    fn played(
        &mut self,
        source: &Source,
        game: Rules,
        to: Format,
        meter: &Meter<'_>,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        let source = std::slice::from_ref(source);
        let mut bytes = Vec::new();
        read::games(source, game, meter, counts, &mut |game, counts| {
            bytes.clear();
            match to.record() {
                Some(size) => {
                    output::positions(&game, to, &mut bytes, counts);
                    for record in bytes.chunks_exact(size) {
                        self.put(record)?;
                    }
                }
                None => match hcpe3::encode(&game) {
                    Ok(encoded) => {
                        counts.written(1, game.plies.len() as u64);
                        push_item(&mut bytes, &encoded);
                        self.put(&bytes)?;
                    }
                    Err(e) => counts.refused(&e.to_string()),
                },
            }
            Ok(Flow::Next)
        })
    }
}

/// What one block gives: items one after another, and where each ends.
#[derive(Default)]
struct Load {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    counts: Counts,
}

impl Load {
    fn fill<V: Variant>(
        &mut self,
        cursor: &mut Cursor<V>,
        block: &Block,
        to: Format,
    ) -> Result<(), TeacherError> {
        cursor.open(block)?;
        while cursor.next_game()? {
            let outcome = cursor.head().outcome;
            if to == Format::Teacher {
                let single = cursor.extract()?;
                self.counts.written(1, u64::from(single.positions()));
                push_item(&mut self.bytes, single.as_bytes());
                self.ends.push(self.bytes.len());
                continue;
            }
            while let Some(sample) = cursor.next_position()? {
                let before = self.bytes.len();
                output::put(&sample, outcome, to, &mut self.bytes, &mut self.counts);
                if self.bytes.len() > before {
                    self.ends.push(self.bytes.len());
                }
            }
        }
        Ok(())
    }
}

/// An item of its own length, with that length before it.
fn push_item(out: &mut Vec<u8>, item: &[u8]) {
    out.extend((item.len() as u32).to_le_bytes());
    out.extend(item);
}

/// Shuffles and writes records.
fn records<const N: usize>(
    mut pile: Vec<u8>,
    rng: &mut Rng,
    output: &mut Output,
) -> Result<(), Error> {
    rng.shuffle(pile.as_chunks_mut::<N>().0);
    output.raw(&pile)
}

/// Shuffles and writes games.
fn games(pile: &[u8], rng: &mut Rng, output: &mut Output) -> Result<(), Error> {
    let mut items = Vec::new();
    let mut rest = pile;
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((item, after)) = after.split_at_checked(length) else { break };
        items.push(item);
        rest = after;
    }
    rng.shuffle(&mut items);
    for item in items {
        match output.teacher() {
            None => output.raw(item)?,
            Some(writer) => Block::from_bytes(item)
                .and_then(|single| writer.adopt(&single))
                .map_err(|e| Error::Failed(e.to_string()))?,
        }
    }
    Ok(())
}
