//! Reading games and records from whatever holds them.

use super::csa;
use super::format::Format;
use super::progress::{Counted, Progress};
use super::tally::Tally;
use crate::failure::Failure;
use kifu::archive::Source as Found;
use rules::{Game as Rules, Minishogi, Shogi};
use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use teacher::{
    Block, Chain, Cursor, Game, Header, Labelled, PackError, Reader, TeacherError, hcpe, hcpe3, psv,
};

/// What to read.
#[derive(clap::Args, Clone)]
pub(crate) struct InputArgs {
    /// Files; for CSA also folders, searched to any depth
    #[arg(required = true, value_name = "IN")]
    pub(super) inputs: Vec<PathBuf>,
    /// Format to read: teacher, psv, hcpe, hcpe3 or csa; told from content and name if missing
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Option<Format>,
    /// Game of files that do not say: shogi or minishogi
    #[arg(long, default_value = "shogi")]
    pub(super) game: Rules,
}

/// One file to read.
pub(crate) struct Source {
    pub(super) path: PathBuf,
    pub(super) format: Format,
}

impl Source {
    pub(super) fn name(&self) -> std::path::Display<'_> {
        self.path.display()
    }

    pub(super) fn len(&self) -> u64 {
        self.path.metadata().map_or(0, |m| m.len())
    }

    /// The file, its bytes counted.
    pub(super) fn open(&self, progress: &Progress) -> Result<BufReader<Counted>, Failure> {
        let failed = |e| Failure::failed(format!("{}: cannot open: {e}", self.name()));
        let file = File::open(&self.path).map_err(failed)?;
        Ok(BufReader::with_capacity(1 << 20, Counted { file, progress: progress.clone() }))
    }

    /// A reader of our own format.
    pub(super) fn teacher(
        &self,
        progress: &Progress,
    ) -> Result<Reader<BufReader<Counted>>, Failure> {
        Reader::new(self.open(progress)?).map_err(|e| self.failed(&e))
    }

    pub(super) fn failed(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::failed(format!("{}: {error}", self.name()))
    }
}

impl InputArgs {
    /// The files, folders searched, and their formats.
    pub(super) fn sources(&self) -> Result<Vec<Source>, Failure> {
        let mut list = Vec::new();
        for input in &self.inputs {
            let format = Format::of_input(input, self.from)?;
            if format != Format::Csa {
                list.push(Source { path: input.clone(), format });
                continue;
            }
            let mut errors = Vec::new();
            for found in Found::collect(std::slice::from_ref(input), false, &mut errors) {
                let Some(path) = found.path else { continue };
                if kifu::Format::from_file_name(&found.name) == Some(kifu::Format::Csa)
                    || path == *input
                {
                    list.push(Source { path, format });
                }
            }
            if let Some(error) = errors.into_iter().next() {
                return Err(Failure::failed(error));
            }
        }
        Ok(list)
    }

    /// The files, all of one format.
    pub(super) fn alike(&self) -> Result<(Vec<Source>, Format), Failure> {
        let sources = self.sources()?;
        let Some(first) = sources.first() else {
            return Err(Failure::failed("no files to read"));
        };
        let format = first.format;
        match sources.iter().find(|s| s.format != format) {
            None => Ok((sources, format)),
            Some(other) => Err(Failure::usage(format!(
                "{} is {}, {} is {format}: convert them to one format first",
                other.name(),
                other.format,
                sources[0].name(),
            ))),
        }
    }

    /// The header for what is made from these files: what theirs have in common, and every value
    /// of a key where they differ.
    pub(super) fn header(&self, sources: &[Source]) -> Result<Header, Failure> {
        let mut merged: Option<Header> = None;
        for source in sources {
            let header = if source.format == Format::Teacher {
                source.teacher(&Progress::new(0))?.header().clone()
            } else {
                Header::new(self.game).with("source", source.format)
            };
            merged = Some(match merged {
                None => header,
                Some(merged) => merge(merged, &header).map_err(|e| source.failed(&e))?,
            });
        }
        Ok(merged.unwrap_or_else(|| Header::new(self.game)))
    }
}

fn merge(mut merged: Header, other: &Header) -> Result<Header, String> {
    if merged.game != other.game {
        return Err(format!("holds {}, the others {}", other.game, merged.game));
    }
    for (key, value) in &other.entries {
        let joined = match merged.get(key) {
            Some(old) if old.split("; ").any(|v| v == value) => continue,
            // Thousands of seeds are no help to anybody.
            Some(old) if old.len() > 1000 => continue,
            Some(old) => format!("{old}; {value}"),
            None => value.clone(),
        };
        merged = merged.with(key, joined);
    }
    Ok(merged)
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Next,
    Enough,
}

/// What is done with each game; it may add to the tally.
type Each<'a> = dyn FnMut(Game, &mut Tally) -> Result<Flow, Failure> + 'a;

/// Calls `each` with every game of the files, in order. What cannot be read goes to the tally.
pub(super) fn games(
    sources: &[Source],
    game: Rules,
    progress: &Progress,
    tally: &mut Tally,
    each: &mut Each<'_>,
) -> Result<(), Failure> {
    games_after(0, sources, game, progress, tally, each)
}

/// The same without the first so many games, which an earlier run has done.
pub(super) fn games_after(
    done: u64,
    sources: &[Source],
    game: Rules,
    progress: &Progress,
    tally: &mut Tally,
    each: &mut Each<'_>,
) -> Result<(), Failure> {
    let skip = Cell::new(done);
    let mut counted = |game: Game, tally: &mut Tally| {
        progress.positions(game.positions() as u64);
        if skip.get() > 0 {
            skip.set(skip.get() - 1);
            return Ok(Flow::Next);
        }
        each(game, tally)
    };
    for source in sources {
        let flow = match source.format {
            Format::Teacher => from_teacher(source, &skip, progress, tally, &mut counted)?,
            Format::Hcpe3 => from_hcpe3(source, game, progress, tally, &mut counted)?,
            Format::Csa => from_csa(source, game, progress, tally, &mut counted)?,
            Format::Psv => {
                let decode = |r: &psv::Record| psv::decode(game, r);
                from_records(source, progress, tally, true, decode, &mut counted)?
            }
            Format::Hcpe => {
                let decode = |r: &hcpe::Record| hcpe::decode(game, r);
                from_records(source, progress, tally, false, decode, &mut counted)?
            }
        };
        if flow == Flow::Enough {
            break;
        }
    }
    Ok(())
}

fn from_teacher(
    source: &Source,
    skip: &Cell<u64>,
    progress: &Progress,
    tally: &mut Tally,
    each: &mut Each<'_>,
) -> Result<Flow, Failure> {
    let mut reader = source.teacher(progress)?;
    let mut block = Block::new();
    let mut decode = AnyCursor::new(reader.header().game);
    loop {
        match reader.next_block(&mut block) {
            Ok(true) => {}
            Ok(false) => return Ok(Flow::Next),
            Err(e @ TeacherError::Io(_)) => return Err(source.failed(&e)),
            Err(e) => {
                tally.problem(format!("{}: {e}", source.name()));
                return Ok(Flow::Next);
            }
        }
        // Blocks that are done need not be decoded.
        if let Some(left) = skip.get().checked_sub(u64::from(block.games())) {
            skip.set(left);
            progress.positions(u64::from(block.positions()));
            continue;
        }
        let mut flow = Ok(Flow::Next);
        let decoded = decode.games(&block, &mut |game| {
            flow = each(game, tally);
            matches!(flow, Ok(Flow::Next))
        });
        if flow? == Flow::Enough {
            return Ok(Flow::Enough);
        }
        if let Err(e) = decoded {
            tally.problem(format!("{}: {e}", source.name()));
            return Ok(Flow::Next);
        }
    }
}

/// Decodes blocks, whichever game they hold.
enum AnyCursor {
    Shogi(Box<Cursor<Shogi>>),
    Minishogi(Box<Cursor<Minishogi>>),
}

impl AnyCursor {
    fn new(game: Rules) -> Self {
        match game {
            Rules::Shogi => Self::Shogi(Box::default()),
            Rules::Minishogi => Self::Minishogi(Box::default()),
        }
    }

    /// Gives the games of a block until `each` says it is enough.
    fn games(
        &mut self,
        block: &Block,
        each: &mut dyn FnMut(Game) -> bool,
    ) -> Result<(), TeacherError> {
        match self {
            Self::Shogi(cursor) => cursor.open(block)?,
            Self::Minishogi(cursor) => cursor.open(block)?,
        }
        loop {
            let game = match self {
                Self::Shogi(cursor) => cursor.read_game()?,
                Self::Minishogi(cursor) => cursor.read_game()?,
            };
            if !game.is_some_and(&mut *each) {
                return Ok(());
            }
        }
    }
}

fn from_hcpe3(
    source: &Source,
    game: Rules,
    progress: &Progress,
    tally: &mut Tally,
    each: &mut Each<'_>,
) -> Result<Flow, Failure> {
    let mut reader = hcpe3::Reader::new(source.open(progress)?, game);
    let mut number = 0u64;
    while let Some(read) = reader.next_game() {
        number += 1;
        match read {
            Ok(Ok(game)) => {
                if each(game, tally)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
            }
            Ok(Err(e)) => tally.problem(format!("{}: game {number}: {e}", source.name())),
            Err(e @ TeacherError::Io(_)) => return Err(source.failed(&e)),
            Err(e) => tally.problem(format!("{}: {e}", source.name())),
        }
    }
    Ok(Flow::Next)
}

fn from_csa(
    source: &Source,
    game: Rules,
    progress: &Progress,
    tally: &mut Tally,
    each: &mut Each<'_>,
) -> Result<Flow, Failure> {
    let options = kifu::ReadOptions { format: Some(kifu::Format::Csa), game: Some(game) };
    let name = source.name().to_string();
    for read in kifu::Reader::new(name, source.open(progress)?, options) {
        match read {
            Ok(record) => {
                if record.game() != game {
                    let found = record.game();
                    tally.problem(format!("{}: a game of {found}, not {game}", source.name()));
                } else if let Some(game) = csa::from_record(&record)
                    && each(game, tally)? == Flow::Enough
                {
                    return Ok(Flow::Enough);
                }
            }
            Err(e) => tally.problem(e.to_string()),
        }
    }
    Ok(Flow::Next)
}

fn from_records<const N: usize>(
    source: &Source,
    progress: &Progress,
    tally: &mut Tally,
    numbered: bool,
    decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError>,
    each: &mut Each<'_>,
) -> Result<Flow, Failure> {
    let mut chain = Chain::new(numbered);
    let flow =
        records::<N>(source, progress, tally, |number, record, tally| match decode(record) {
            Ok(labelled) => match chain.push(&labelled) {
                Some(game) => each(game, tally),
                None => Ok(Flow::Next),
            },
            Err(e) => {
                tally.problem(format!("{}: record {number}: {e}", source.name()));
                Ok(Flow::Next)
            }
        })?;
    match chain.finish() {
        Some(game) if flow == Flow::Next => each(game, tally),
        _ => Ok(flow),
    }
}

/// Calls `each` with every record of a file and its number, from 1.
pub(super) fn records<const N: usize>(
    source: &Source,
    progress: &Progress,
    tally: &mut Tally,
    each: impl FnMut(u64, &[u8; N], &mut Tally) -> Result<Flow, Failure>,
) -> Result<Flow, Failure> {
    records_after(&mut 0, source, progress, tally, each)
}

/// The same without the first so many records, which an earlier run has done; those of this file
/// are taken off the number.
pub(super) fn records_after<const N: usize>(
    done: &mut u64,
    source: &Source,
    progress: &Progress,
    tally: &mut Tally,
    mut each: impl FnMut(u64, &[u8; N], &mut Tally) -> Result<Flow, Failure>,
) -> Result<Flow, Failure> {
    let mut input = source.open(progress)?;
    let mut buffer = vec![0; N * 4096];
    let mut number = (source.len() / N as u64).min(*done);
    *done -= number;
    input.seek_relative(i64::try_from(number * N as u64).unwrap_or(i64::MAX))?;
    progress.bytes(number * N as u64);
    progress.positions(number);
    loop {
        let had = fill(&mut input, &mut buffer).map_err(|e| source.failed(&e))?;
        let (whole, rest) = buffer[..had].as_chunks::<N>();
        for record in whole {
            number += 1;
            if each(number, record, tally)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        if !rest.is_empty() {
            let (name, over) = (source.name(), rest.len());
            tally.problem(format!("{name}: {over} bytes at the end are no whole record"));
        }
        if had < buffer.len() {
            return Ok(Flow::Next);
        }
    }
}

/// Fills the buffer as far as the input goes.
pub(super) fn fill(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut had = 0;
    while had < buffer.len() {
        match input.read(&mut buffer[had..]) {
            Ok(0) => break,
            Ok(n) => had += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(had)
}

/// All bytes of the files: what progress is measured against.
pub(super) fn total(sources: &[Source]) -> u64 {
    sources.iter().map(Source::len).sum()
}

/// The paths, which an output must not be.
pub(super) fn paths(sources: &[Source]) -> Vec<PathBuf> {
    sources.iter().map(|s| s.path.clone()).collect()
}

/// Whether the folder of an output can be found out; for temporary files beside it.
pub(super) fn folder(output: &Path) -> PathBuf {
    output.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}
