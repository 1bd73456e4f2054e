//! `nue data shuffle`: positions, or whole games, in random order.
//!
//! Every item is dealt to one of several buckets by lot, then each bucket is shuffled in memory
//! and written: every order is equally likely, and no more than one bucket is in memory. The
//! order depends on the seed, the number of buckets and the input, never on threads.

use super::blocks;
use super::buckets::Buckets;
use super::format::Format;
use super::input::{self, Flow, InputArgs, Source};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{MemoryArg, OutputArgs, count};
use crate::failure::{Failure, Outcome};
use arena::seed::Seed;
use rules::{Game as Rules, Minishogi, Shogi, Variant};
use teacher::{Block, Cursor, Reader, TeacherError};

/// Most buckets: each may need an open file.
const MOST_BUCKETS: u64 = 500;

/// Shuffle positions (into PSV or hcpe) or whole games (teacher or hcpe3 into the same)
#[derive(clap::Args)]
pub(crate) struct ShuffleArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Format to write: psv, hcpe, or that of the input; told by the name if missing
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Another seed, another order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    memory: MemoryArg,
}

/// Runs the command.
pub(crate) fn run(args: &ShuffleArgs) -> Outcome {
    let (sources, from) = args.input.alike()?;
    let OutputArgs { output, force } = &args.output;
    let to = Format::of_output(output, args.to)?;
    let possible = match to {
        Format::Psv | Format::Hcpe => true,
        Format::Teacher | Format::Hcpe3 => from == to,
        Format::Csa => false,
    };
    if !possible {
        return Err(Failure::usage(format!(
            "{from} is not shuffled into {to}: positions go into psv or hcpe, games into the \
             format they have"
        )));
    }
    sink::check(output, &input::paths(&sources), *force)?;
    let header = args.input.header(&sources)?;
    let game = header.game;
    let mut sink = Sink::new(output, to, header, *force)?;
    let progress = Progress::new(input::total(&sources));
    let mut tally = Tally::default();
    let mut deal = Deal::new(args, expected(&sources, to)?)?;
    deal.all(&sources, game, from, to, &progress, &mut tally)?;
    let mut seed = Seed::new(args.seed).branch(u64::MAX);
    for bucket in 0..deal.buckets.len() {
        let pile = deal.buckets.take(bucket)?;
        match to.record() {
            Some(40) => records::<40>(pile, &mut seed, &mut sink)?,
            Some(_) => records::<38>(pile, &mut seed, &mut sink)?,
            None => games(&pile, &mut seed, &mut sink)?,
        }
    }
    sink.publish()?;
    progress.clear();
    let (games, positions) = (count(tally.games), count(tally.positions));
    let what = match to.record() {
        Some(_) => format!("{positions} positions"),
        None => format!("{games} games, {positions} positions"),
    };
    tally.report(&format!("{}: {what} shuffled ({})", output.display(), progress.rate()))
}

/// How many bytes will have to be dealt, roughly.
fn expected(sources: &[Source], to: Format) -> Result<u64, Failure> {
    let mut total = 0;
    for source in sources {
        total += match (source.format, to.record()) {
            (Format::Teacher, Some(size)) => {
                let reader = Reader::new(source.open(&Progress::new(0))?);
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
    seed: Seed,
}

impl Deal {
    fn new(args: &ShuffleArgs, expected: u64) -> Result<Self, Failure> {
        // A bucket is in memory once, with room for what the lot adds to the average; the rest
        // buffers what is dealt.
        let share = args.memory.bytes() / 2;
        let count = (expected + expected / 8).div_ceil(share).max(1);
        if count > MOST_BUCKETS {
            let needed = (expected / MOST_BUCKETS * 9 / 4) >> 20;
            return Err(Failure::usage(format!("--memory must be at least {}", needed + 1)));
        }
        let folder = input::folder(&args.output.output);
        let buckets = Buckets::new(&folder, "shuffle", count as usize, share);
        Ok(Self { buckets, seed: Seed::new(args.seed) })
    }

    fn put(&mut self, item: &[u8]) -> Result<(), Failure> {
        let bucket = self.seed.below(self.buckets.len());
        self.buckets.put(bucket, item)
    }

    fn all(
        &mut self,
        sources: &[Source],
        game: Rules,
        from: Format,
        to: Format,
        progress: &Progress,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        for source in sources {
            match (from, game) {
                (Format::Psv, _) if to == from => self.raw::<40>(source, progress, tally)?,
                (Format::Hcpe, _) if to == from => self.raw::<38>(source, progress, tally)?,
                (Format::Teacher, Rules::Shogi) => {
                    self.teacher::<Shogi>(source, to, progress, tally)?;
                }
                (Format::Teacher, Rules::Minishogi) => {
                    self.teacher::<Minishogi>(source, to, progress, tally)?;
                }
                _ => self.played(source, game, to, progress, tally)?,
            }
        }
        Ok(())
    }

    /// Records as they are.
    fn raw<const N: usize>(
        &mut self,
        source: &Source,
        progress: &Progress,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        input::records::<N>(source, progress, tally, |_, record, tally| {
            tally.written(0, 1);
            progress.positions(1);
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
        progress: &Progress,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let worker = || {
            let mut cursor = Cursor::<V>::new();
            move |block: &Block| {
                let mut load = Load::default();
                if let Err(e) = load.fill(&mut cursor, block, to) {
                    load.tally.problem(e.to_string());
                }
                load
            }
        };
        blocks::in_order(source, progress, tally, worker, |load, tally| {
            tally.add(load.tally);
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
        progress: &Progress,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let source = std::slice::from_ref(source);
        let mut bytes = Vec::new();
        input::games(source, game, progress, tally, &mut |game, tally| {
            bytes.clear();
            match to.record() {
                Some(size) => {
                    sink::positions(&game, to, &mut bytes, tally);
                    for record in bytes.chunks_exact(size) {
                        self.put(record)?;
                    }
                }
                None => match teacher::hcpe3::encode(&game) {
                    Ok(encoded) => {
                        tally.written(1, game.plies.len() as u64);
                        push_item(&mut bytes, &encoded);
                        self.put(&bytes)?;
                    }
                    Err(e) => tally.refused(&e.to_string()),
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
    tally: Tally,
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
                self.tally.written(1, u64::from(single.positions()));
                push_item(&mut self.bytes, single.as_bytes());
                self.ends.push(self.bytes.len());
                continue;
            }
            while let Some(sample) = cursor.next_position()? {
                let before = self.bytes.len();
                sink::put(&sample, outcome, to, &mut self.bytes, &mut self.tally);
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
    seed: &mut Seed,
    sink: &mut Sink,
) -> Result<(), Failure> {
    seed.shuffle(pile.as_chunks_mut::<N>().0);
    sink.raw(&pile)
}

/// Shuffles and writes games.
fn games(pile: &[u8], seed: &mut Seed, sink: &mut Sink) -> Result<(), Failure> {
    let mut items = Vec::new();
    let mut rest = pile;
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((item, after)) = after.split_at_checked(length) else { break };
        items.push(item);
        rest = after;
    }
    seed.shuffle(&mut items);
    for item in items {
        match sink.teacher() {
            None => sink.raw(item)?,
            Some(writer) => Block::from_bytes(item)
                .and_then(|single| writer.adopt(&single))
                .map_err(|e| Failure::failed(e.to_string()))?,
        }
    }
    Ok(())
}
