//! Scores replaced by those of another net or a deeper search.
//!
//! Work is cut by the input alone, a game or so many positions at a time, and every piece begins
//! with an empty table: the result is the same for any number of threads.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{Output, Target};
use crate::partial;
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::scorer::{Limit, Scorer};
use crate::source::{self, Inputs, Source};
use crate::workers::WorkerPool;
use assembly::evaluation::Evaluation;
use kifu::Damaged;
use rules::{AnyPosition, Color, Game as Rules};
use serde_json::json;
use std::path::PathBuf;
use std::thread;
use teacher::{Game, Header, Labelled, PackError, Reader, Writer};

/// Records that share a table.
const CHUNK: usize = 256;

/// Where the score lies in a record, of PSV and hcpe alike.
const SCORE: std::ops::Range<usize> = 32..34;

/// Nodes after which what is done is kept in any case: some seconds.
const KEEP: u64 = 10_000_000;

/// What to score anew.
pub struct Rescore {
    /// What to read.
    pub inputs: Inputs,
    /// Where it goes.
    pub target: Target,
    /// How positions are looked at.
    pub limit: Limit,
    /// MiB of table for each thread.
    pub hash: u32,
    /// How many threads.
    pub threads: usize,
    /// The net that was named, so that a run with another is not resumed.
    pub net: Option<PathBuf>,
}

impl Rescore {
    /// The game of the files.
    pub fn game(&self) -> Result<Rules, Error> {
        let (sources, _) = self.inputs.alike()?;
        Ok(self.inputs.header(&sources)?.game)
    }
}

/// A part of a file to be scored: a game as a teacher file of its own, or records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    pub game: Rules,
    /// Teacher, PSV or hcpe.
    pub format: Format,
    pub bytes: Vec<u8>,
}

/// The same scored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScoredPiece {
    pub bytes: Vec<u8>,
    /// Positions that kept the score they had.
    pub kept: u64,
    /// Records that cannot be read and are left out, by place, with the reason.
    pub problems: Vec<(usize, String)>,
}

impl Piece {
    /// Makes sure that it is this very piece with other scores, and nothing else changed; how many positions it
    /// has.
    pub fn check(&self, scored: &ScoredPiece) -> Result<u64, String> {
        match self.format {
            Format::Psv => self.check_records::<40>(scored),
            Format::Hcpe => self.check_records::<38>(scored),
            _ => {
                let ((_, given), (_, came)) = (one_game(&self.bytes)?, one_game(&scored.bytes)?);
                let same = came.fingerprint() == given.fingerprint();
                let positions = came.positions() as u64;
                same.then_some(positions).ok_or_else(|| "another game came back".to_owned())
            }
        }
    }

    fn check_records<const N: usize>(&self, scored: &ScoredPiece) -> Result<u64, String> {
        let (given, _) = self.bytes.as_chunks::<N>();
        let (came, rest) = scored.bytes.as_chunks::<N>();
        let left_out = |index: &usize| scored.problems.iter().any(|(place, _)| place == index);
        let kept: Vec<_> = (0..given.len()).filter(|index| !left_out(index)).collect();
        if !rest.is_empty() || kept.len() != came.len() {
            return Err("another number of records came back".to_owned());
        }
        let same = |(index, came): (&usize, &[u8; N])| {
            let given = &given[*index];
            given[..SCORE.start] == came[..SCORE.start] && given[SCORE.end..] == came[SCORE.end..]
        };
        let all = kept.iter().zip(came).all(same);
        all.then_some(came.len() as u64).ok_or_else(|| "other records came back".to_owned())
    }
}

/// Calls `each` with the pieces of files, from that number on and in order, until it says that it is enough. They are
/// those that [`run_by`] has scored.
pub fn each_piece(
    inputs: &Inputs,
    first: u64,
    each: &mut dyn FnMut(Piece) -> bool,
) -> Result<(), Error> {
    let (sources, format) = inputs.alike()?;
    let game = inputs.header(&sources)?.game;
    let (watch, mut counts) = (|_: crate::Progress| (), Counts::default());
    let meter = Meter::new(source::total(&sources), &watch);
    let flow = |more: bool| if more { Flow::Next } else { Flow::Enough };
    match format {
        Format::Psv => record_pieces::<40>((game, format), &sources, first, &meter, each),
        Format::Hcpe => record_pieces::<38>((game, format), &sources, first, &meter, each),
        Format::Teacher => {
            read::games_after(first, &sources, game, &meter, &mut counts, &mut |given, _| {
                let bytes = as_file(&given, Header::new(game)).map_err(Error::Failed)?;
                Ok(flow(each(Piece { game, format, bytes })))
            })
        }
        other => Err(Error::request(format!("{other} is not rescored in pieces"))),
    }
}

fn record_pieces<const N: usize>(
    (game, format): (Rules, Format),
    sources: &[Source],
    first: u64,
    meter: &Meter<'_>,
    each: &mut dyn FnMut(Piece) -> bool,
) -> Result<(), Error> {
    let (mut done, mut counts) = (first * CHUNK as u64, Counts::default());
    let mut bytes = Vec::with_capacity(N * CHUNK);
    for source in sources {
        let flow = read::records_after(&mut done, source, meter, &mut counts, |_, record, _| {
            let record: &[u8; N] = record;
            bytes.extend_from_slice(record);
            if bytes.len() < N * CHUNK {
                return Ok(Flow::Next);
            }
            let bytes = std::mem::take(&mut bytes);
            Ok(if each(Piece { game, format, bytes }) { Flow::Next } else { Flow::Enough })
        })?;
        if flow == Flow::Enough {
            return Ok(());
        }
    }
    if !bytes.is_empty() {
        each(Piece { game, format, bytes });
    }
    Ok(())
}

/// Has a piece scored somewhere else.
pub type ScoreElsewhere<'a> = dyn Fn(Piece) -> Result<ScoredPiece, String> + Sync + 'a;

/// Scores pieces; belongs to one thread.
pub struct PieceScorer(Scorer);

impl PieceScorer {
    pub fn new(game: Rules, evaluation: &Evaluation, limit: Limit, hash: u32) -> Self {
        Self(Scorer::new(game, evaluation, limit, hash))
    }

    /// Scores a piece.
    pub fn score(&mut self, piece: &Piece) -> Result<ScoredPiece, String> {
        let game = piece.game;
        match piece.format {
            Format::Psv => {
                self.records(&piece.bytes, &|r: &[u8; 40]| teacher::psv::decode(game, r))
            }
            Format::Hcpe => {
                self.records(&piece.bytes, &|r: &[u8; 38]| teacher::hcpe::decode(game, r))
            }
            Format::Teacher => {
                let (header, read) = one_game(&piece.bytes)?;
                let (scored, kept) = rescore(read, &mut self.0);
                let bytes = as_file(&scored, header)?;
                Ok(ScoredPiece { bytes, kept, problems: Vec::new() })
            }
            other => Err(format!("{other} is not rescored in pieces")),
        }
    }

    fn records<const N: usize>(
        &mut self,
        bytes: &[u8],
        decode: &dyn Fn(&[u8; N]) -> Result<Labelled, PackError>,
    ) -> Result<ScoredPiece, String> {
        let (records, rest) = bytes.as_chunks::<N>();
        if !rest.is_empty() {
            return Err(format!("{} bytes are no whole records of {N}", bytes.len()));
        }
        let done = rescore_records(records.to_vec(), decode, &mut self.0);
        let bytes = done.records.as_flattened().to_vec();
        Ok(ScoredPiece { bytes, kept: 0, problems: done.problems })
    }
}

/// A game as a file of its own.
fn as_file(game: &Game, header: Header) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(Vec::new(), header).map_err(|e| e.to_string())?;
    writer.write(game).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())
}

fn one_game(bytes: &[u8]) -> Result<(Header, Game), String> {
    let reader = Reader::new(bytes).map_err(|e| e.to_string())?;
    let header = reader.header().clone();
    let mut games = reader.games();
    let game = games.next().ok_or("there is no game in the piece")?.map_err(|e| e.to_string())?;
    match games.next() {
        None => Ok((header, game)),
        Some(_) => Err("there is more than one game in the piece".to_owned()),
    }
}

/// What came of it.
pub struct Rescored {
    /// What gave the scores, and how.
    pub how: String,
    pub counts: Counts,
}

/// Scores files anew. `evaluation` gives what to think with for the game of the files, and what
/// it is called.
pub fn run<E: From<Error>>(
    request: &Rescore,
    evaluation: impl FnOnce(Rules) -> Result<(Evaluation, String), E>,
    watch: &Watch<'_>,
) -> Result<Rescored, E> {
    run_by(request, evaluation, None, watch)
}

/// The same with pieces scored elsewhere, where somebody does.
pub fn run_by<E: From<Error>>(
    request: &Rescore,
    evaluation: impl FnOnce(Rules) -> Result<(Evaluation, String), E>,
    elsewhere: Option<&ScoreElsewhere<'_>>,
    watch: &Watch<'_>,
) -> Result<Rescored, E> {
    let Rescore { inputs, target, limit, hash, threads, net } = request;
    let (sources, format) = inputs.alike()?;
    format.keeps(&target.path)?;
    if format == Format::Csa {
        let why = "records are not rescored: convert them to teacher first";
        return Err(Error::request(why).into());
    }
    target.check(&sources)?;
    let header = inputs.header(&sources)?;
    let game = header.game;
    let (evaluation, about) = evaluation(game)?;
    let how = format!("{about}, {limit}");
    let net = net.as_ref().map(|p| (durable::path_value(p), p.metadata().map_or(0, |m| m.len())));
    let plan = partial::plan("rescore", &sources, &json!([game.name(), how, net, hash]));
    let told = match header.get("rescored") {
        Some(earlier) => format!("{earlier}; {how}"),
        None => how.clone(),
    };
    let header = header.with("rescored", told);
    let (mut output, done, mut counts) = Output::resumable(target, format, header, &plan)?;
    let meter = Meter::new(source::total(&sources), watch);
    let mut work = Work {
        game,
        evaluation: &evaluation,
        limit: *limit,
        hash: *hash,
        threads: *threads,
        output: &mut output,
        meter: &meter,
        items: done,
        since: 0,
        damaged: inputs.damaged,
        elsewhere,
    };
    let worked = match format {
        Format::Psv => work.records(&sources, &mut counts, |r| teacher::psv::decode(game, r)),
        Format::Hcpe => work.records(&sources, &mut counts, |r| teacher::hcpe::decode(game, r)),
        _ => work.games(&sources, &mut counts),
    };
    output.conclude(worked)?;
    meter.finish();
    Ok(Rescored { how, counts })
}

/// Games or records on their way through the scorers.
struct Work<'a> {
    game: Rules,
    evaluation: &'a Evaluation,
    limit: Limit,
    hash: u32,
    threads: usize,
    output: &'a mut Output,
    meter: &'a Meter<'a>,
    /// Games or records that are done.
    items: u64,
    /// Positions since the last place to go on from.
    since: u64,
    damaged: Damaged,
    elsewhere: Option<&'a ScoreElsewhere<'a>>,
}

impl Work<'_> {
    fn games(&mut self, sources: &[Source], counts: &mut Counts) -> Result<(), Error> {
        let (game, evaluation, limit, hash) = (self.game, self.evaluation, self.limit, self.hash);
        let elsewhere = self.elsewhere;
        let worker = || {
            let mut place = Place::new(elsewhere, || Scorer::new(game, evaluation, limit, hash));
            move |given: Game| match &mut place {
                Place::Here(scorer) => Ok(rescore(given, scorer)),
                Place::Elsewhere(elsewhere) => score_game(game, &given, *elsewhere),
            }
        };
        let (done, meter) = (self.items, self.meter);
        thread::scope(|scope| {
            let mut pool = WorkerPool::start(scope, self.threads, &worker)?;
            read::games_after(done, sources, game, meter, counts, &mut |game, counts| {
                pool.give(game, &mut |done| self.written(&done, counts))?;
                Ok(Flow::Next)
            })?;
            pool.finish(&mut |done| self.written(&done, counts))
        })
    }

    fn written(
        &mut self,
        done: &Result<(Game, u64), String>,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        let (game, kept) = done.as_ref().map_err(|why| Error::Failed(why.clone()))?;
        self.output.write(game, counts)?;
        counts.unscorable += kept;
        self.note(1, game.positions() as u64, counts)
    }

    fn note(&mut self, items: u64, positions: u64, counts: &Counts) -> Result<(), Error> {
        self.items += items;
        self.since += positions;
        // By what was asked for, not by the clock: the same file every time.
        let now = self.since.saturating_mul(self.limit.nodes()) >= KEEP;
        if self.output.done(self.items, counts, now)? {
            self.since = 0;
        }
        Ok(())
    }

    fn records<const N: usize>(
        &mut self,
        sources: &[Source],
        counts: &mut Counts,
        decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError> + Sync,
    ) -> Result<(), Error> {
        let (game, evaluation, limit, hash) = (self.game, self.evaluation, self.limit, self.hash);
        let elsewhere = self.elsewhere;
        let worker = || {
            let mut place = Place::new(elsewhere, || Scorer::new(game, evaluation, limit, hash));
            let decode = &decode;
            move |chunk: Vec<[u8; N]>| match &mut place {
                Place::Here(scorer) => Ok(rescore_records(chunk, decode, scorer)),
                Place::Elsewhere(elsewhere) => score_records(game, &chunk, *elsewhere),
            }
        };
        let mut done = self.items;
        counts.reads_on();
        thread::scope(|scope| {
            let mut pool = WorkerPool::start(scope, self.threads, &worker)?;
            let mut chunk: Vec<[u8; N]> = Vec::with_capacity(CHUNK);
            for source in sources {
                let meter = self.meter;
                read::records_after(&mut done, source, meter, counts, |_, record, counts| {
                    meter.positions(1);
                    chunk.push(*record);
                    if chunk.len() == CHUNK {
                        let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK));
                        pool.give(full, &mut |done| self.put(&done, counts))?;
                    }
                    Ok(Flow::Next)
                })?;
            }
            pool.give(chunk, &mut |done| self.put(&done, counts))?;
            pool.finish(&mut |done| self.put(&done, counts))
        })
    }

    fn put<const N: usize>(
        &mut self,
        done: &Result<Scored<N>, String>,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        let done = done.as_ref().map_err(|why| Error::Failed(why.clone()))?;
        self.output.raw(done.records.as_flattened())?;
        let written = done.records.len() as u64;
        counts.written(0, written);
        for (index, why) in &done.problems {
            let number = self.items + *index as u64 + 1;
            counts.damage(self.damaged, format!("record {number}: {why}"))?;
        }
        self.note(written + done.problems.len() as u64, written, counts)
    }
}

/// Where pieces are scored.
enum Place<'a> {
    Here(Box<Scorer>),
    Elsewhere(&'a ScoreElsewhere<'a>),
}

impl<'a> Place<'a> {
    fn new(elsewhere: Option<&'a ScoreElsewhere<'a>>, scorer: impl FnOnce() -> Scorer) -> Self {
        elsewhere.map_or_else(|| Self::Here(Box::new(scorer())), Self::Elsewhere)
    }
}

fn score_game(
    game: Rules,
    given: &Game,
    elsewhere: &ScoreElsewhere<'_>,
) -> Result<(Game, u64), String> {
    let bytes = as_file(given, Header::new(game))?;
    let scored = elsewhere(Piece { game, format: Format::Teacher, bytes })?;
    let (_, game) = one_game(&scored.bytes)?;
    let same = game.fingerprint() == given.fingerprint();
    same.then_some((game, scored.kept)).ok_or_else(|| "another game came back".to_owned())
}

fn score_records<const N: usize>(
    game: Rules,
    chunk: &[[u8; N]],
    elsewhere: &ScoreElsewhere<'_>,
) -> Result<Scored<N>, String> {
    let format = if N == 40 { Format::Psv } else { Format::Hcpe };
    let done = elsewhere(Piece { game, format, bytes: chunk.as_flattened().to_vec() })?;
    let (records, rest) = done.bytes.as_chunks::<N>();
    let whole = rest.is_empty() && records.len() + done.problems.len() == chunk.len();
    let scored = Scored { records: records.to_vec(), problems: done.problems };
    whole.then_some(scored).ok_or_else(|| "another number of records came back".to_owned())
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
