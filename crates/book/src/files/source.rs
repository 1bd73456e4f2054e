//! Books of any format, read through.

use crate::losses::Problems;
use crate::parallel::in_order;
use crate::runs::Place;
use crate::{AperyBook, BookError, Entry, Format, Header, NativeBook, SbkBook, YbbBook, db};
use rules::{AnyPosition, Game, Handicap};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Blocks of our own format that a thread takes at a time.
const BLOCKS: usize = 32;

/// What to take for granted of a file.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Instead of what the file looks like.
    pub format: Option<Format>,
    /// The game of a format that does not say it (ybb).
    pub game: Game,
    pub threads: usize,
    /// Moves outside an Apery book that may lead to the next position in it.
    pub astray: u32,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { format: None, game: Game::Shogi, threads: 1, astray: 1 }
    }
}

/// A book that is to be read through.
pub struct Source {
    pub format: Format,
    pub header: Header,
    /// Positions, where the file says how many.
    pub positions: Option<u64>,
    threads: usize,
    kind: SourceKind,
}

enum SourceKind {
    Native(NativeBook),
    Db(Box<db::Pieces<File>>),
    Ybb(YbbBook),
    Apery(AperyBook, u32),
    Sbk(SbkBook),
}

/// The first bytes of a file.
pub(crate) fn first_bytes(path: &Path) -> Result<Vec<u8>, BookError> {
    let mut start = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut start)?;
    Ok(start)
}

impl Source {
    /// Opens a book of any format.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, BookError> {
        let start = first_bytes(path)?;
        let format = options.format.or_else(|| Format::detect(path, &start));
        let format = format.ok_or(BookError::Unknown)?;
        let file = File::open(path)?;
        let mut header = Header::new(options.game);
        let mut positions = None;
        let kind = match format {
            Format::Native => {
                let book = NativeBook::open(Box::new(file))?;
                header = book.header().clone();
                positions = Some(book.size().0);
                SourceKind::Native(book)
            }
            Format::Db => {
                let pieces = db::Pieces::new(file)?;
                header.game = pieces.game();
                SourceKind::Db(Box::new(pieces))
            }
            Format::Ybb => {
                let book = YbbBook::open(Box::new(file), options.game)?;
                positions = Some(book.positions());
                SourceKind::Ybb(book)
            }
            Format::Apery => {
                header.game = Game::Shogi;
                SourceKind::Apery(AperyBook::open(Box::new(file))?, options.astray)
            }
            Format::Sbk => {
                let book = SbkBook::open(Box::new(file), options.threads)?;
                header = book.header.clone();
                positions = Some(book.positions());
                SourceKind::Sbk(book)
            }
        };
        Ok(Self { format, header, positions, threads: options.threads, kind })
    }

    /// Shogi or minishogi.
    pub const fn game(&self) -> Game {
        self.header.game
    }

    /// Whether entries come in the order of their keys.
    pub const fn is_by_key(&self) -> bool {
        // Positions packed by others in another order of hands come back in ours.
        matches!(self.kind, SourceKind::Native(_))
    }

    /// Gives every entry to `take`, and says at the end what could not be read.
    pub fn each(
        self,
        take: &mut dyn FnMut(Entry) -> Result<(), BookError>,
    ) -> Result<Problems, BookError> {
        self.each_part(Place::default(), Ok, |entries, _| {
            entries.into_iter().try_for_each(&mut *take)
        })
    }

    /// Gives the entries part by part from a place on: `work` is done on any thread, `take` on this one, in order, with the
    /// place after the part. Says at the end what could not be read.
    pub(crate) fn each_part<T: Send>(
        self,
        from: Place,
        work: impl Fn(Vec<Entry>) -> Result<T, BookError> + Sync,
        mut take: impl FnMut(T, Place) -> Result<(), BookError>,
    ) -> Result<Problems, BookError> {
        let (threads, mut problems) = (self.threads, Problems::default());
        let mut positions = from.positions;
        let mut place = |count: usize, at: u64, line: u64| {
            positions += count as u64;
            Place { at, line, positions, ..from }
        };
        let read = |entries: Vec<Entry>| -> Result<(usize, T), BookError> {
            Ok((entries.len(), work(entries)?))
        };
        match self.kind {
            SourceKind::Native(book) => {
                let jobs = (from.at as usize..book.blocks()).step_by(BLOCKS).map(Ok);
                let parts = |first: usize| {
                    let (mut entries, end) = (Vec::new(), (first + BLOCKS).min(book.blocks()));
                    for block in first..end {
                        entries.extend(book.entries_of(block)?);
                    }
                    Ok((end as u64, read(entries)?))
                };
                in_order(threads, jobs, parts, |(end, (count, part))| {
                    take(part, place(count, end, 0))
                })?;
            }
            SourceKind::Ybb(book) => {
                let jobs = (from.at..book.parts()).map(Ok);
                let parts = |part: u64| Ok((part + 1, read(book.part(part)?)?));
                in_order(threads, jobs, parts, |(end, (count, part))| {
                    take(part, place(count, end, 0))
                })?;
            }
            SourceKind::Db(mut pieces) => {
                if from.at > 0 {
                    pieces.skip_to(from.at, from.line)?;
                }
                let game = pieces.game();
                let parts = |piece: db::Piece| {
                    let (entries, problems) = piece.entries(game);
                    Ok((piece.next, problems, read(entries)?))
                };
                in_order(threads, pieces, parts, |((at, line), found, (count, part))| {
                    problems.add(found);
                    take(part, place(count, at, line))
                })?;
            }
            SourceKind::Sbk(book) => {
                // Where a walk was cannot be told by a number: the beginning is read again.
                let mut at = 0;
                problems = book.each_part(threads, &work, |count, part| {
                    at += count as u64;
                    if at <= from.at { Ok(()) } else { take(part, place(count, at, 0)) }
                })?;
            }
            SourceKind::Apery(book, astray) => {
                // Where a walk was cannot be told by a number: the beginning is walked again.
                let mut at = 0;
                let met = book.walk(&roots(), astray, threads, &work, |count, part| {
                    at += count as u64;
                    if at <= from.at { Ok(()) } else { take(part, place(count, at, 0)) }
                })?;
                let lost = book.records().saturating_sub(met);
                if lost > 0 {
                    problems.note(|| {
                        format!("{lost} of {} records: no game leads to them", book.records())
                    });
                }
            }
        }
        Ok(problems)
    }
}

/// Where games begin: the even game and every handicap.
fn roots() -> Vec<AnyPosition> {
    let handicaps = Handicap::ALL.into_iter().map(Handicap::sfen);
    handicaps.filter_map(|sfen| AnyPosition::from_sfen(Game::Shogi, &sfen).ok()).collect()
}
