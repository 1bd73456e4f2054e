//! Where games and records go: one file, which appears whole or not at all.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::partial::Partial;
use crate::record;
use crate::source::Source;
use durable::{Draft, Mode};
use kifu::WriteOptions;
use rules::{AnyPosition, Position, Variant};
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use teacher::{
    Game, Header, Outcome as Won, PackError, Reason, Sample, TeacherError, Writer, hcpe, hcpe3, psv,
};

/// Where a result goes.
#[derive(Clone, Debug)]
pub struct Target {
    pub path: PathBuf,
    /// Whether a file that exists is replaced.
    pub force: bool,
    /// Whether to go on with an unfinished file of an earlier run, where that is possible.
    pub resume: bool,
}

/// A file being written.
pub(crate) struct Output {
    path: PathBuf,
    force: bool,
    inner: Inner,
    /// Room for records before they are written.
    records: Vec<u8>,
}

enum Inner {
    /// One that a killed command goes on with.
    Partial(Format, Box<Partial>),
    Teacher(Box<Writer<BufWriter<Draft>>>),
    Csa(kifu::Writer<BufWriter<Draft>>),
    Raw(Format, BufWriter<Draft>),
}

impl Target {
    /// Whether it may be written: it must not be an input, nor exist unless it is to be replaced.
    pub(crate) fn check(&self, sources: &[Source]) -> Result<(), Error> {
        let resolved = |p: &Path| p.canonicalize().ok();
        if let Some(output) = resolved(&self.path) {
            if sources.iter().any(|s| resolved(&s.path).as_ref() == Some(&output)) {
                let name = self.path.display();
                return Err(Error::request(format!("{name}: is an input")));
            }
            if !self.force {
                return Err(Error::Exists(self.path.clone()));
            }
        }
        Ok(())
    }

    /// The folder it lies in; for temporary files beside it.
    pub(crate) fn folder(&self) -> &Path {
        let folder = self.path.parent().filter(|f| !f.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }
}

impl Output {
    /// Begins a file of that format; the header is for formats that have one.
    pub(crate) fn new(target: &Target, format: Format, header: Header) -> Result<Self, Error> {
        let Target { path, force, .. } = target;
        let failed = |e: &dyn std::fmt::Display| Error::cannot_write(path, e);
        let draft = Draft::new(path).map_err(|e| failed(&e))?;
        let output = BufWriter::with_capacity(1 << 20, draft);
        let inner = match format {
            Format::Teacher => {
                Inner::Teacher(Box::new(Writer::new(output, header).map_err(|e| failed(&e))?))
            }
            Format::Csa => {
                let options = WriteOptions::default();
                Inner::Csa(kifu::Writer::new(output, kifu::Format::Csa, options))
            }
            _ => Inner::Raw(format, output),
        };
        Ok(Self { path: path.clone(), force: *force, inner, records: Vec::new() })
    }

    /// Begins a file that a killed command goes on with, or goes on with it: then so many items of
    /// the input are done, and the counts says what came of them. Records are not such files: of
    /// them there is one for each game, and the command simply begins again.
    pub(crate) fn resumable(
        target: &Target,
        format: Format,
        header: Header,
        plan: &Value,
    ) -> Result<(Self, u64, Counts), Error> {
        if format == Format::Csa {
            if target.resume {
                let why = "cannot append to a CSA file: begin again, replacing it";
                return Err(Error::request(why));
            }
            return Ok((Self::new(target, format, header)?, 0, Counts::default()));
        }
        let Target { path, force, resume } = target;
        let mode = match (resume, force) {
            (true, _) => Mode::Resume,
            (false, true) => Mode::Restart,
            (false, false) => Mode::New,
        };
        let begun = Partial::open(path, format, &header, plan, mode)?;
        let inner = Inner::Partial(format, Box::new(begun.partial));
        let output = Self { path: path.clone(), force: *force, inner, records: Vec::new() };
        Ok((output, begun.items, begun.counts))
    }

    /// So many items of the input are done: a place to go on from, now and then, or `now`. Says
    /// whether it is one.
    pub(crate) fn done(&mut self, items: u64, counts: &Counts, now: bool) -> Result<bool, Error> {
        match &mut self.inner {
            Inner::Partial(_, partial) => partial.done(items, counts, now),
            _ => Ok(false),
        }
    }

    /// What to do when the work ended: publish, or keep what is done for later.
    pub(crate) fn conclude(self, worked: Result<(), Error>) -> Result<(), Error> {
        let Err(error) = worked else { return self.publish() };
        if let Inner::Partial(_, partial) = self.inner
            && partial.give_up()
        {
            return Err(Error::Resumable(error.into()));
        }
        Err(error)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Error {
        Error::cannot_write(&self.path, error)
    }

    /// Writes a game. What the format has no place for is added to the counts, not an error.
    pub(crate) fn write(&mut self, game: &Game, counts: &mut Counts) -> Result<(), Error> {
        let written = match &mut self.inner {
            Inner::Teacher(writer) => put_game(writer, game, counts),
            Inner::Partial(format, partial) => match partial.teacher() {
                Some(writer) => put_game(writer, game, counts),
                None => {
                    self.records.clear();
                    encode(game, *format, &mut self.records, counts);
                    partial.raw(&self.records).map_err(|e| e.to_string())
                }
            },
            Inner::Csa(writer) => {
                counts.written(1, game.plies.len() as u64);
                losses(game, Format::Csa, counts);
                writer.write(&record::to_record(game)).map(|_| ()).map_err(|e| e.to_string())
            }
            Inner::Raw(format, output) => {
                self.records.clear();
                encode(game, *format, &mut self.records, counts);
                output.write_all(&self.records).map_err(|e| e.to_string())
            }
        };
        written.map_err(|e| self.failed(&e))
    }

    /// Writes records of this format as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.inner {
            Inner::Raw(_, output) => output.write_all(bytes).map_err(|e| self.failed(&e)),
            Inner::Partial(_, partial) => partial.raw(bytes).map_err(|e| self.failed(&e)),
            _ => Err(self.failed(&"records do not fit this format")),
        }
    }

    /// Our own writer, if this is a file of our own.
    pub(crate) fn teacher(&mut self) -> Option<&mut Writer<BufWriter<Draft>>> {
        match &mut self.inner {
            Inner::Teacher(writer) => Some(writer),
            _ => None,
        }
    }

    /// Puts the file in its place.
    pub(crate) fn publish(self) -> Result<(), Error> {
        let (path, force) = (self.path, self.force);
        let failed = |e: &dyn std::fmt::Display| Error::cannot_write(&path, e);
        let output = match self.inner {
            Inner::Partial(_, partial) => return partial.publish(force),
            Inner::Teacher(writer) => writer.finish().map_err(|e| failed(&e))?,
            Inner::Csa(writer) => writer.finish().map_err(|e| failed(&e))?,
            Inner::Raw(_, output) => output,
        };
        let draft = output.into_inner().map_err(|e| failed(&e.into_error()))?;
        draft.publish(force).map_err(|e| failed(&e))
    }
}

fn put_game<W: Write>(
    writer: &mut Writer<W>,
    game: &Game,
    counts: &mut Counts,
) -> Result<(), String> {
    match writer.write(game) {
        Ok(()) => counts.written(1, game.positions() as u64),
        Err(TeacherError::Refused(why)) => counts.refused(&why),
        Err(e) => return Err(e.to_string()),
    }
    Ok(())
}

/// Appends a game as another format has it: whole, or as its positions.
fn encode(game: &Game, format: Format, out: &mut Vec<u8>, counts: &mut Counts) {
    if format != Format::Hcpe3 {
        return positions(game, format, out, counts);
    }
    match hcpe3::encode(game) {
        Ok(bytes) => {
            counts.written(1, game.plies.len() as u64);
            losses(game, Format::Hcpe3, counts);
            out.extend(bytes);
        }
        Err(e) => counts.refused(&e.to_string()),
    }
}

/// Counts what a game has that a format for whole games has no place for.
fn losses(game: &Game, format: Format, counts: &mut Counts) {
    let marked = |of: fn(teacher::Flags) -> bool| {
        game.plies.iter().filter(|ply| of(ply.flags)).count() as u64
    };
    counts.lost("marks of random moves", marked(|flags| flags.random));
    counts.lost("scores of last positions", u64::from(game.last.is_some()));
    match format {
        Format::Csa => {
            counts.lost("marks of positions not for training", marked(|flags| flags.skip));
            counts.lost("candidates with their visits", game.candidates.len() as u64);
            counts.lost("marks of the other program's side", u64::from(game.guest.is_some()));
            let adjudicated = game.reason == Reason::Adjudicated;
            counts.lost("adjudications, written as resignations", u64::from(adjudicated));
        }
        _ => {
            let unscored = game.plies.iter().filter(|ply| ply.score.is_none()).count() as u64;
            counts.lost("that a position has no score (0 is written)", unscored);
            counts.lost("first move numbers", u64::from(game.start.ply() > 1));
            let told = matches!(
                teacher::as_stored(game.reason),
                Reason::Repetition
                    | Reason::PerpetualCheck
                    | Reason::Declaration
                    | Reason::MaxMoves
                    | Reason::Unknown
            );
            counts.lost("reasons of endings", u64::from(!told));
        }
    }
}

/// Appends the positions of a game that are to be trained on as records.
pub(crate) fn positions(game: &Game, format: Format, out: &mut Vec<u8>, counts: &mut Counts) {
    match &game.start {
        AnyPosition::Shogi(start) => walk(start, game, format, out, counts),
        AnyPosition::Minishogi(start) => walk(start, game, format, out, counts),
    }
}

fn walk<V: Variant>(
    start: &Position<V>,
    game: &Game,
    format: Format,
    out: &mut Vec<u8>,
    counts: &mut Counts,
) {
    let mut position = start.clone();
    for ply in &game.plies {
        let (mv, score, flags) = (Some(ply.mv), ply.score, ply.flags);
        let sample = Sample { position: &position, mv, score, flags, candidates: &[] };
        put(&sample, game.outcome, format, out, counts);
        position.play(ply.mv);
    }
    if game.last.is_some() {
        let (mv, score, flags) = (None, game.last, teacher::Flags::default());
        let sample = Sample { position: &position, mv, score, flags, candidates: &[] };
        put(&sample, game.outcome, format, out, counts);
    }
}

/// Appends a position as a record, or adds why not to the counts.
pub(crate) fn put<V: Variant>(
    sample: &Sample<'_, V>,
    outcome: Won,
    format: Format,
    out: &mut Vec<u8>,
    counts: &mut Counts,
) {
    let Some(score) = sample.score.filter(|_| !sample.flags.skip && !sample.flags.random) else {
        counts.left_out(1);
        return;
    };
    let (position, mv) = (sample.position, sample.mv);
    let put: Result<(), PackError> = match format {
        Format::Psv => psv::encode(position, mv, score, outcome).map(|r| out.extend(r)),
        _ => hcpe::encode(position, mv, score, outcome).map(|r| out.extend(r)),
    };
    match put {
        Ok(()) => counts.written(0, 1),
        Err(e) => counts.refused(&e.to_string()),
    }
}
