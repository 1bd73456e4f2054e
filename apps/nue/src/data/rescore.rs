//! `nue data rescore`: scores replaced by those of another net or a deeper search.
//!
//! Work is cut by the input alone, a game or so many positions at a time, and every piece begins
//! with an empty table: the result is the same for any number of threads.

use super::desks::Desks;
use super::format::Format;
use super::input::{self, Flow, InputArgs, Source};
use super::partial::{self, ResumeArg};
use super::progress::Progress;
use super::scorer::{Limit, Scorer};
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{OutputArgs, count, same_format};
use crate::evaluation::{Evaluation, EvaluationArgs};
use crate::failure::{Failure, Outcome};
use rules::{AnyPosition, Color, Game as Rules};
use serde_json::json;
use std::thread;
use teacher::{Game, Labelled, PackError};

/// Records that share a table.
const CHUNK: usize = 256;

/// Where the score lies in a record, of PSV and hcpe alike.
const SCORE: std::ops::Range<usize> = 32..34;

/// Nodes after which what is done is kept in any case: some minutes.
const KEEP: u64 = 200_000_000;

/// Replace scores by those of another net or a deeper search
#[derive(clap::Args)]
pub(crate) struct RescoreArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArg,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Search so many nodes
    #[arg(long, value_name = "N", conflicts_with = "depth",
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search so many plies; without --nodes and --depth the net's own value is taken
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=245))]
    depth: Option<u32>,
    /// MiB of table for each thread
    #[arg(long, value_name = "MIB", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// Threads; as many as there are processors if missing
    #[arg(short = 'j', long, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl RescoreArgs {
    fn limit(&self) -> Limit {
        match (self.nodes, self.depth) {
            (Some(nodes), _) => Limit::Nodes(nodes),
            (None, Some(depth)) => Limit::Depth(depth),
            (None, None) => Limit::Static,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &RescoreArgs) -> Outcome {
    let (sources, format) = args.input.alike()?;
    same_format(&args.output, format)?;
    if format == Format::Csa {
        return Err(Failure::usage("records are not rescored: convert them to teacher first"));
    }
    sink::check(&args.output.output, &input::paths(&sources), args.output.force)?;
    let header = args.input.header(&sources)?;
    let game = header.game;
    let (evaluation, about) = args.evaluation.as_engine(game)?;
    let limit = args.limit();
    let how = format!("{about}, {limit}");
    let net = args.evaluation.path().map(|p| (p, p.metadata().map_or(0, |m| m.len())));
    let plan = partial::plan("rescore", &sources, &json!([game.name(), how, net, args.hash]));
    let told = match header.get("rescored") {
        Some(earlier) => format!("{earlier}; {how}"),
        None => how.clone(),
    };
    let header = header.with("rescored", told);
    let (mut sink, done, mut tally) =
        Sink::resumable(&args.output, args.resume, format, header, &plan)?;
    let progress = Progress::new(input::total(&sources));
    let mut work = Work {
        game,
        evaluation: &evaluation,
        limit,
        hash: args.hash,
        threads: threads(args),
        sink: &mut sink,
        progress: &progress,
        items: done,
        since: 0,
    };
    let worked = match format {
        Format::Psv => work.records(&sources, &mut tally, |r| teacher::psv::decode(game, r)),
        Format::Hcpe => work.records(&sources, &mut tally, |r| teacher::hcpe::decode(game, r)),
        _ => work.games(&sources, &mut tally),
    };
    sink.conclude(worked)?;
    progress.clear();
    let (positions, rate) = (count(tally.positions), progress.rate());
    let name = args.output.output.display();
    tally.report(&format!("{name}: {positions} positions, {how} ({rate})"))
}

fn threads(args: &RescoreArgs) -> usize {
    let all = || thread::available_parallelism().map_or(1, usize::from);
    args.threads.map_or_else(all, usize::from)
}

/// Games or records on their way through the scorers.
struct Work<'a> {
    game: Rules,
    evaluation: &'a Evaluation,
    limit: Limit,
    hash: u32,
    threads: usize,
    sink: &'a mut Sink,
    progress: &'a Progress,
    /// Games or records that are done.
    items: u64,
    /// Positions since the last place to go on from.
    since: u64,
}

impl Work<'_> {
    fn games(&mut self, sources: &[Source], tally: &mut Tally) -> Outcome {
        let (game, evaluation, limit, hash) = (self.game, self.evaluation, self.limit, self.hash);
        let worker = || {
            let mut scorer = Scorer::new(game, evaluation, limit, hash);
            move |game: Game| rescore(game, &mut scorer)
        };
        let (done, progress) = (self.items, self.progress);
        thread::scope(|scope| {
            let mut desks = Desks::open(scope, self.threads, &worker)?;
            input::games_after(done, sources, game, progress, tally, &mut |game, tally| {
                desks.give(game, &mut |done| self.written(&done, tally))?;
                Ok(Flow::Next)
            })?;
            desks.finish(&mut |done| self.written(&done, tally))
        })
    }

    fn written(&mut self, (game, kept): &(Game, u64), tally: &mut Tally) -> Outcome {
        self.sink.write(game, tally)?;
        (0..*kept).for_each(|_| tally.refused("a score: nothing can be thought there"));
        self.note(1, game.positions() as u64, tally)
    }

    fn note(&mut self, items: u64, positions: u64, tally: &Tally) -> Outcome {
        self.items += items;
        self.since += positions;
        // By what was asked for, not by the clock: the same file every time.
        let now = self.since.saturating_mul(self.limit.nodes()) >= KEEP;
        if self.sink.done(self.items, tally, now)? {
            self.since = 0;
        }
        Ok(())
    }

    fn records<const N: usize>(
        &mut self,
        sources: &[Source],
        tally: &mut Tally,
        decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError> + Sync,
    ) -> Outcome {
        let (game, evaluation, limit, hash) = (self.game, self.evaluation, self.limit, self.hash);
        let worker = || {
            let mut scorer = Scorer::new(game, evaluation, limit, hash);
            let decode = &decode;
            move |chunk: Vec<[u8; N]>| rescore_records(chunk, decode, &mut scorer)
        };
        let mut done = self.items;
        tally.reads_on();
        thread::scope(|scope| {
            let mut desks = Desks::open(scope, self.threads, &worker)?;
            let mut chunk: Vec<[u8; N]> = Vec::with_capacity(CHUNK);
            for source in sources {
                let progress = self.progress;
                input::records_after(&mut done, source, progress, tally, |_, record, tally| {
                    progress.positions(1);
                    chunk.push(*record);
                    if chunk.len() == CHUNK {
                        let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK));
                        desks.give(full, &mut |done| self.put(&done, tally))?;
                    }
                    Ok(Flow::Next)
                })?;
            }
            desks.give(chunk, &mut |done| self.put(&done, tally))?;
            desks.finish(&mut |done| self.put(&done, tally))
        })
    }

    fn put<const N: usize>(&mut self, done: &Scored<N>, tally: &mut Tally) -> Outcome {
        self.sink.raw(done.records.as_flattened())?;
        let written = done.records.len() as u64;
        tally.written(0, written);
        for (index, why) in &done.problems {
            let number = self.items + *index as u64 + 1;
            tally.problem(format!("record {number}: {why}"));
        }
        self.note(written + done.problems.len() as u64, written, tally)
    }
}

/// Scores all positions of a game anew. Also says how many kept the score they had.
fn rescore(mut game: Game, scorer: &mut Scorer) -> (Game, u64) {
    scorer.forget();
    let mut kept = 0;
    let mut position = game.start.clone();
    let mut anew = |position: &AnyPosition, score: Option<i16>| {
        let found = if is_whole(position) { scorer.score(position) } else { None };
        kept += u64::from(found.is_none() && score.is_some());
        found.or(score)
    };
    for ply in &mut game.plies {
        ply.score = anew(&position, ply.score);
        position.play(ply.mv);
    }
    if game.last.is_some() {
        game.last = anew(&position, game.last);
    }
    (game, kept)
}

fn is_whole(position: &AnyPosition) -> bool {
    Color::BOTH.into_iter().all(|color| position.king(color).is_some())
}

/// Records with new scores; those that cannot be read are left out, with the reason.
struct Scored<const N: usize> {
    records: Vec<[u8; N]>,
    problems: Vec<(usize, String)>,
}

fn rescore_records<const N: usize>(
    chunk: Vec<[u8; N]>,
    decode: &dyn Fn(&[u8; N]) -> Result<Labelled, PackError>,
    scorer: &mut Scorer,
) -> Scored<N> {
    scorer.forget();
    let mut done = Scored { records: Vec::with_capacity(chunk.len()), problems: Vec::new() };
    for (index, mut record) in chunk.into_iter().enumerate() {
        match decode(&record) {
            Ok(read) => {
                if is_whole(&read.position)
                    && let Some(score) = scorer.score(&read.position)
                {
                    record[SCORE].copy_from_slice(&score.to_le_bytes());
                }
                done.records.push(record);
            }
            Err(e) => done.problems.push((index, e.to_string())),
        }
    }
    done
}
