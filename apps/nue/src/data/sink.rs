//! Where games and records go: one file, which appears whole or not at all.

use super::OutputArgs;
use super::csa;
use super::format::Format;
use super::partial::{Partial, ResumeArg};
use super::tally::Tally;
use crate::draft::Draft;
use crate::failure::{Failure, Outcome};
use kifu::WriteOptions;
use rules::{AnyPosition, Position, Variant};
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use teacher::{
    Game, Header, Outcome as Won, PackError, Sample, TeacherError, Writer, hcpe, hcpe3, psv,
};

/// A file being written.
pub(crate) struct Sink {
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

/// Whether a file may be written: it must not be an input, nor exist without `force`.
pub(super) fn check(path: &Path, inputs: &[PathBuf], force: bool) -> Result<(), Failure> {
    let name = path.display();
    let resolved = |p: &Path| p.canonicalize().ok();
    if let Some(output) = resolved(path) {
        if inputs.iter().any(|i| resolved(i).as_ref() == Some(&output)) {
            return Err(Failure::usage(format!("{name}: is an input")));
        }
        if !force {
            return Err(Failure::usage(format!("{name}: exists; --force replaces it")));
        }
    }
    Ok(())
}

impl Sink {
    /// Begins a file of that format; the header is for formats that have one.
    pub(super) fn new(
        path: &Path,
        format: Format,
        header: Header,
        force: bool,
    ) -> Result<Self, Failure> {
        let failed = |e: &dyn std::fmt::Display| {
            Failure::failed(format!("{}: cannot write: {e}", path.display()))
        };
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
        Ok(Self { path: path.to_owned(), force, inner, records: Vec::new() })
    }

    /// Begins a file that a killed command goes on with, or goes on with it: then so many items of
    /// the input are done, and the tally says what came of them. Records are not such files: of
    /// them there is one for each game, and the command simply begins again.
    pub(super) fn resumable(
        args: &OutputArgs,
        resume: ResumeArg,
        format: Format,
        header: Header,
        plan: &Value,
    ) -> Result<(Self, u64, Tally), Failure> {
        let OutputArgs { output, force } = args;
        if format == Format::Csa {
            if resume.resume {
                return Err(Failure::usage("csa is not gone on with: begin again, with --force"));
            }
            return Ok((Self::new(output, format, header, *force)?, 0, Tally::default()));
        }
        let begun = Partial::open(output, format, header, plan, (resume.resume, *force))?;
        let inner = Inner::Partial(format, Box::new(begun.partial));
        let sink = Self { path: output.clone(), force: *force, inner, records: Vec::new() };
        Ok((sink, begun.items, begun.tally))
    }

    /// So many items of the input are done: a place to go on from, now and then, or `now`. Says
    /// whether it is one.
    pub(super) fn done(&mut self, items: u64, tally: &Tally, now: bool) -> Result<bool, Failure> {
        match &mut self.inner {
            Inner::Partial(_, partial) => partial.done(items, tally, now),
            _ => Ok(false),
        }
    }

    /// What to do when the work ended: publish, or keep what is done for later.
    pub(super) fn conclude(self, worked: Outcome) -> Outcome {
        let Err(failure) = worked else { return self.publish() };
        if let Inner::Partial(_, partial) = self.inner
            && partial.give_up()
        {
            // The failure is what matters; where nobody reads this there is nobody to tell.
            let kept = "what is done is kept: the same command with --resume goes on";
            let _ = writeln!(std::io::stderr(), "{kept}");
        }
        Err(failure)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::failed(format!("{}: cannot write: {error}", self.path.display()))
    }

    /// Writes a game. What the format has no place for is added to the tally, not an error.
    pub(super) fn write(&mut self, game: &Game, tally: &mut Tally) -> Result<(), Failure> {
        let written = match &mut self.inner {
            Inner::Teacher(writer) => put_game(writer, game, tally),
            Inner::Partial(format, partial) => match partial.teacher() {
                Some(writer) => put_game(writer, game, tally),
                None => {
                    self.records.clear();
                    encode(game, *format, &mut self.records, tally);
                    partial.raw(&self.records).map_err(|e| e.to_string())
                }
            },
            Inner::Csa(writer) => {
                tally.written(1, game.plies.len() as u64);
                writer.write(&csa::to_record(game)).map(|_| ()).map_err(|e| e.to_string())
            }
            Inner::Raw(format, output) => {
                self.records.clear();
                encode(game, *format, &mut self.records, tally);
                output.write_all(&self.records).map_err(|e| e.to_string())
            }
        };
        written.map_err(|e| self.failed(&e))
    }

    /// Writes records of this format as they are.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &mut self.inner {
            Inner::Raw(_, output) => output.write_all(bytes).map_err(|e| self.failed(&e)),
            Inner::Partial(_, partial) => partial.raw(bytes).map_err(|e| self.failed(&e)),
            _ => Err(self.failed(&"records do not fit this format")),
        }
    }

    /// Our own writer, if this is a file of our own.
    pub(super) fn teacher(&mut self) -> Option<&mut Writer<BufWriter<Draft>>> {
        match &mut self.inner {
            Inner::Teacher(writer) => Some(writer),
            _ => None,
        }
    }

    /// Puts the file in its place.
    pub(super) fn publish(self) -> Result<(), Failure> {
        let (path, force) = (self.path, self.force);
        let failed = |e: &dyn std::fmt::Display| {
            Failure::failed(format!("{}: cannot write: {e}", path.display()))
        };
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
    tally: &mut Tally,
) -> Result<(), String> {
    match writer.write(game) {
        Ok(()) => tally.written(1, game.positions() as u64),
        Err(TeacherError::Refused(why)) => tally.refused(&why),
        Err(e) => return Err(e.to_string()),
    }
    Ok(())
}

/// Appends a game as another format has it: whole, or as its positions.
fn encode(game: &Game, format: Format, out: &mut Vec<u8>, tally: &mut Tally) {
    if format != Format::Hcpe3 {
        return positions(game, format, out, tally);
    }
    match hcpe3::encode(game) {
        Ok(bytes) => {
            tally.written(1, game.plies.len() as u64);
            out.extend(bytes);
        }
        Err(e) => tally.refused(&e.to_string()),
    }
}

/// Appends the positions of a game that are to be trained on as records.
pub(super) fn positions(game: &Game, format: Format, out: &mut Vec<u8>, tally: &mut Tally) {
    match &game.start {
        AnyPosition::Shogi(start) => walk(start, game, format, out, tally),
        AnyPosition::Minishogi(start) => walk(start, game, format, out, tally),
    }
}

fn walk<V: Variant>(
    start: &Position<V>,
    game: &Game,
    format: Format,
    out: &mut Vec<u8>,
    tally: &mut Tally,
) {
    let mut position = start.clone();
    for ply in &game.plies {
        let (mv, score, flags) = (Some(ply.mv), ply.score, ply.flags);
        let sample = Sample { position: &position, mv, score, flags, candidates: &[] };
        put(&sample, game.outcome, format, out, tally);
        position.play(ply.mv);
    }
    if game.last.is_some() {
        let (mv, score, flags) = (None, game.last, teacher::Flags::default());
        let sample = Sample { position: &position, mv, score, flags, candidates: &[] };
        put(&sample, game.outcome, format, out, tally);
    }
}

/// Appends a position as a record, or adds why not to the tally.
pub(super) fn put<V: Variant>(
    sample: &Sample<'_, V>,
    outcome: Won,
    format: Format,
    out: &mut Vec<u8>,
    tally: &mut Tally,
) {
    let Some(score) = sample.score.filter(|_| !sample.flags.skip && !sample.flags.random) else {
        tally.left_out(1);
        return;
    };
    let (position, mv) = (sample.position, sample.mv);
    let put: Result<(), PackError> = match format {
        Format::Psv => psv::encode(position, mv, score, outcome).map(|r| out.extend(r)),
        _ => hcpe::encode(position, mv, score, outcome).map(|r| out.extend(r)),
    };
    match put {
        Ok(()) => tally.written(0, 1),
        Err(e) => tally.refused(&e.to_string()),
    }
}
