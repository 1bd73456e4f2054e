//! Games and records read from whatever holds them.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::progress::Meter;
use crate::record;
use crate::source::Source;
use rules::{Game as Rules, Minishogi, Shogi};
use std::cell::Cell;
use std::io::Read;
use teacher::{Block, Chain, Cursor, Game, Labelled, PackError, Reader, TeacherError};
use teacher::{fill, hcpe, hcpe3, psv};

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Next,
    Enough,
}

/// What is done with each game; it may add to the counts.
type Each<'a> = dyn FnMut(Game, &mut Counts) -> Result<Flow, Error> + 'a;

/// Calls `each` with every game of the files, in order. What cannot be read is a problem in the counts,
/// or the end of the work where damage is to stop it.
pub(crate) fn games(
    sources: &[Source],
    game: Rules,
    meter: &Meter<'_>,
    counts: &mut Counts,
    each: &mut Each<'_>,
) -> Result<(), Error> {
    games_after(0, sources, game, meter, counts, each)
}

/// The same without the first so many games, which an earlier run has done.
pub(crate) fn games_after(
    done: u64,
    sources: &[Source],
    game: Rules,
    meter: &Meter<'_>,
    counts: &mut Counts,
    each: &mut Each<'_>,
) -> Result<(), Error> {
    let skip = Cell::new(done);
    let mut counted = |game: Game, counts: &mut Counts| {
        // All files have the same.
        sources.first().map_or(Ok(()), Source::goes_on)?;
        meter.positions(game.positions() as u64);
        if skip.get() > 0 {
            skip.set(skip.get() - 1);
            return Ok(Flow::Next);
        }
        each(game, counts)
    };
    for source in sources {
        let flow = match source.format {
            Format::Teacher => from_teacher(source, &skip, meter, counts, &mut counted)?,
            Format::Hcpe3 => {
                take_all(source, hcpe3_games(source, game, meter)?, counts, &mut counted)?
            }
            Format::Csa => {
                let richer = Cell::new(0);
                let games = csa_games(source, game, meter, &richer)?;
                let flow = take_all(source, games, counts, &mut counted)?;
                counts.richer += richer.get();
                flow
            }
            Format::Psv => {
                let decode = |r: &psv::Record| psv::decode(game, r);
                from_records(source, meter, counts, true, decode, &mut counted)?
            }
            Format::Hcpe => {
                let decode = |r: &hcpe::Record| hcpe::decode(game, r);
                from_records(source, meter, counts, false, decode, &mut counted)?
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
    meter: &Meter<'_>,
    counts: &mut Counts,
    each: &mut Each<'_>,
) -> Result<Flow, Error> {
    let mut reader = source.teacher(Some(meter))?;
    let mut block = Block::new();
    let mut decode = AnyCursor::new(reader.header().game);
    while next_block(source, &mut reader, &mut block, counts)? {
        // Blocks that are done need not be decoded.
        if let Some(left) = skip.get().checked_sub(u64::from(block.games())) {
            skip.set(left);
            meter.positions(u64::from(block.positions()));
            continue;
        }
        let mut flow = Ok(Flow::Next);
        let decoded = decode.games(&block, &mut |game| {
            flow = each(game, counts);
            matches!(flow, Ok(Flow::Next))
        });
        if flow? == Flow::Enough {
            return Ok(Flow::Enough);
        }
        if let Err(e) = decoded {
            source.damage(counts, &e)?;
            return Ok(Flow::Next);
        }
    }
    Ok(Flow::Next)
}

/// Reads the next block. `false`: there is none, or it is damaged, which is a problem in the
/// counts.
pub(crate) fn next_block<R: Read>(
    source: &Source,
    reader: &mut Reader<R>,
    block: &mut Block,
    counts: &mut Counts,
) -> Result<bool, Error> {
    source.goes_on()?;
    match reader.next_block(block) {
        Ok(there) => Ok(there),
        Err(e @ TeacherError::Io(_)) => Err(source.failed(&e)),
        Err(e) => {
            source.damage(counts, &e)?;
            Ok(false)
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

/// A game read from a file, or what is wrong with it. The outer error ends the work.
type ReadGame = Result<Result<Game, String>, Error>;

/// Gives every game to `each`; what is wrong with others goes to the counts.
fn take_all(
    source: &Source,
    games: impl Iterator<Item = ReadGame>,
    counts: &mut Counts,
    each: &mut Each<'_>,
) -> Result<Flow, Error> {
    for read in games {
        match read? {
            Ok(game) => {
                if each(game, counts)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
            }
            Err(problem) => counts.damage(source.damaged, problem)?,
        }
    }
    Ok(Flow::Next)
}

fn hcpe3_games<'m>(
    source: &'m Source,
    game: Rules,
    meter: &'m Meter<'m>,
) -> Result<impl Iterator<Item = ReadGame>, Error> {
    let mut reader = hcpe3::Reader::new(source.open(Some(meter))?, game);
    let mut number = 0u64;
    Ok(std::iter::from_fn(move || reader.next_game()).map(move |read| {
        number += 1;
        match read {
            Ok(Ok(game)) => Ok(Ok(game)),
            Ok(Err(e)) => Ok(Err(format!("{}: game {number}: {e}", source.name()))),
            Err(e @ TeacherError::Io(_)) => Err(source.failed(&e)),
            Err(e) => Ok(Err(format!("{}: {e}", source.name()))),
        }
    }))
}

/// The games of records; those that say more than a game can are counted.
fn csa_games<'m>(
    source: &'m Source,
    game: Rules,
    meter: &'m Meter<'m>,
    richer: &'m Cell<u64>,
) -> Result<impl Iterator<Item = ReadGame>, Error> {
    let options = kifu::ReadOptions { format: Some(kifu::Format::Csa), game: Some(game) };
    let name = source.name().to_string();
    let records = kifu::Reader::new(name, source.open(Some(meter))?, options);
    Ok(records.filter_map(move |read| match read {
        Ok(record) if record.game() != game => {
            let found = record.game();
            Some(Ok(Err(format!("{}: a game of {found}, not {game}", source.name()))))
        }
        Ok(record) => {
            richer.set(richer.get() + u64::from(record::says_more(&record)));
            record::from_record(&record).map(|game| Ok(Ok(game)))
        }
        Err(e) => Some(Ok(Err(e.to_string()))),
    }))
}

fn from_records<const N: usize>(
    source: &Source,
    meter: &Meter<'_>,
    counts: &mut Counts,
    numbered: bool,
    decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError>,
    each: &mut Each<'_>,
) -> Result<Flow, Error> {
    let mut chain = Chain::new(numbered);
    let flow =
        records::<N>(source, meter, counts, |number, record, counts| match decode(record) {
            Ok(labelled) => match chain.push(&labelled) {
                Some(game) => each(game, counts),
                None => Ok(Flow::Next),
            },
            Err(e) => {
                source.damage(counts, &format_args!("record {number}: {e}"))?;
                Ok(Flow::Next)
            }
        })?;
    match chain.finish() {
        Some(game) if flow == Flow::Next => each(game, counts),
        _ => Ok(flow),
    }
}

/// Calls `each` with every record of a file and its number, from 1.
pub(crate) fn records<const N: usize>(
    source: &Source,
    meter: &Meter<'_>,
    counts: &mut Counts,
    each: impl FnMut(u64, &[u8; N], &mut Counts) -> Result<Flow, Error>,
) -> Result<Flow, Error> {
    records_after(&mut 0, source, meter, counts, each)
}

/// The same without the first so many records, which an earlier run has done; those of this file
/// are taken off the number.
pub(crate) fn records_after<const N: usize>(
    done: &mut u64,
    source: &Source,
    meter: &Meter<'_>,
    counts: &mut Counts,
    mut each: impl FnMut(u64, &[u8; N], &mut Counts) -> Result<Flow, Error>,
) -> Result<Flow, Error> {
    let mut input = source.open(Some(meter))?;
    let mut buffer = vec![0; N * 4096];
    let mut number = (source.len() / N as u64).min(*done);
    *done -= number;
    input.seek_relative(i64::try_from(number * N as u64).unwrap_or(i64::MAX))?;
    meter.bytes(number * N as u64);
    meter.positions(number);
    loop {
        let had = fill(&mut input, &mut buffer).map_err(|e| source.failed(&e))?;
        let (whole, rest) = buffer[..had].as_chunks::<N>();
        for record in whole {
            source.goes_on()?;
            number += 1;
            if each(number, record, counts)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        if !rest.is_empty() {
            let over = rest.len();
            let what = format_args!("the last {over} bytes are not a whole record");
            source.damage(counts, &what)?;
        }
        if had < buffer.len() {
            return Ok(Flow::Next);
        }
    }
}
