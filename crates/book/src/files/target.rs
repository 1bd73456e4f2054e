//! Books of any format, written.

use crate::codec::Sources;
use crate::losses::{Losses, Problems};
use crate::model::hash_of;
use crate::parallel::in_order;
use crate::runs::{Chunk, Maker, Merged, Place, Sorter};
use crate::{BookError, Combine, Entry, Format, Header, Source, apery, db, native, sbk, ybb};
use durable::Draft;
use rules::Game;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written {
    pub positions: u64,
    pub moves: u64,
    pub losses: Losses,
}

/// Who is told how many positions have been written, and may end it.
type Telling<'a> = &'a mut dyn FnMut(u64) -> Result<(), BookError>;

/// Positions that one thread takes at a time.
const BATCH: usize = 2048;

/// A book that is being written. Entries come in any order; the file appears whole, at the end.
pub struct Target {
    path: PathBuf,
    format: Format,
    header: Header,
    combine: Combine,
    threads: usize,
    /// Entries that are not in the sorter yet.
    waiting: Vec<Entry>,
    sorter: Sorter,
    /// Where entries come in order already.
    direct: Option<native::Writer<Draft>>,
    /// The sources that have numbers in what was written directly.
    named: Shared,
    /// How far the inputs have been read, also by an earlier process.
    place: Place,
    /// Inputs taken or passed over.
    inputs: usize,
}

/// The sources that a file has named so far.
type Shared = Arc<RwLock<Arc<Sources>>>;

/// Makes entries ready for a book on any thread.
#[derive(Clone)]
pub struct Preparer(Preparing);

#[derive(Clone)]
enum Preparing {
    Direct(Shared),
    Sorted(Maker),
}

/// Entries made ready for a book.
pub struct Prepared(Parts);

enum Parts {
    Direct(native::Encoded),
    Sorted(Chunk),
}

impl Preparer {
    /// Makes entries ready.
    pub fn prepare(&self, entries: &[Entry]) -> Result<Prepared, BookError> {
        Ok(Prepared(match &self.0 {
            Preparing::Sorted(maker) => Parts::Sorted(maker.chunk(entries)?),
            Preparing::Direct(named) => {
                let named = Arc::clone(&named.read().unwrap_or_else(PoisonError::into_inner));
                let mut encoded = native::Encoded::new(named);
                let mut with_moves = entries.iter().filter(|entry| !entry.moves.is_empty());
                with_moves.try_for_each(|entry| encoded.push(entry))?;
                Parts::Direct(encoded)
            }
        }))
    }
}

impl Target {
    /// Begins a book. The format is that of the file's name unless given.
    pub fn new(
        path: &Path,
        format: Option<Format>,
        header: Header,
        combine: Combine,
        memory: usize,
    ) -> Result<Self, BookError> {
        let format = format.or_else(|| Format::of_name(path)).ok_or(BookError::Unknown)?;
        if header.game == Game::Minishogi && matches!(format, Format::Apery | Format::Sbk) {
            return Err(BookError::Unfit(format!("format {format} knows no minishogi")));
        }
        let folder = folder_of(path);
        if !folder.as_os_str().is_empty() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Self {
            sorter: Sorter::new(format, header.game, folder, memory),
            path: path.to_owned(),
            format,
            header,
            combine,
            threads: 1,
            waiting: Vec::new(),
            direct: None,
            named: Shared::default(),
            place: Place::default(),
            inputs: 0,
        })
    }

    /// The same with several threads; the file is the same.
    #[must_use]
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self.sorter.set_threads(self.threads);
        self
    }

    /// The same for entries that come in the order of their keys, each once: our own format needs no sorting then.
    pub fn by_key(mut self) -> Result<Self, BookError> {
        if self.format == Format::Native {
            let draft = Draft::new(&self.path)?;
            let writer = native::Writer::new(draft, self.header.clone())?;
            self.direct = Some(writer.with_table_in(folder_of(&self.path)));
        }
        Ok(self)
    }

    /// The same, where what was sorted is kept in a file beside the output until all is done: a process that was ended is gone
    /// on with by another with the same plan. Only for what [`Self::take_all`] takes.
    pub fn resumable(mut self, plan: &Value) -> Result<Self, BookError> {
        if self.direct.is_none() {
            let mut name = self.path.clone().into_os_string();
            name.push(".sort");
            let plan = serde_json::json!({ "sort": 2, "format": self.format.name(), "plan": plan });
            self.place = self.sorter.resume(Path::new(&name), &plan)?;
        }
        Ok(self)
    }

    /// Positions that an earlier process has read already.
    pub const fn resumed(&self) -> u64 {
        self.place.positions
    }

    /// What makes entries ready for this book.
    pub fn preparer(&self) -> Preparer {
        Preparer(match self.direct {
            Some(_) => Preparing::Direct(Arc::clone(&self.named)),
            None => Preparing::Sorted(self.sorter.maker()),
        })
    }

    /// Takes entries that were made ready.
    pub fn push_prepared(&mut self, prepared: Prepared) -> Result<(), BookError> {
        self.push_at(prepared, Place::default())
    }

    fn push_at(&mut self, prepared: Prepared, place: Place) -> Result<(), BookError> {
        match (prepared.0, &mut self.direct) {
            (Parts::Sorted(chunk), _) => self.sorter.push(chunk, place),
            (Parts::Direct(encoded), Some(writer)) => {
                let before = writer.sources().list().len();
                writer.write_encoded(&encoded)?;
                if writer.sources().list().len() > before {
                    let mut named = self.named.write().unwrap_or_else(PoisonError::into_inner);
                    *named = Arc::clone(writer.sources());
                }
                Ok(())
            }
            (Parts::Direct(_), None) => Err(BookError::Unfit("made for another book".to_owned())),
        }
    }

    /// Takes everything of the next input, on all threads, and says what could not be read. `edit` may change entries;
    /// `progress` is told how many positions have been read, and whether it says so ends everything.
    pub fn take_all(
        &mut self,
        source: Source,
        edit: impl Fn(&mut Entry) + Sync,
        mut progress: impl FnMut(u64) -> Result<(), BookError>,
    ) -> Result<Problems, BookError> {
        let (preparer, from, input) = (self.preparer(), self.place, self.inputs);
        self.inputs += 1;
        if from.input > input {
            // An earlier process has read all of it.
            return Ok(Problems::default());
        }
        let prepare = |mut entries: Vec<Entry>| {
            entries.iter_mut().for_each(&edit);
            preparer.prepare(&entries)
        };
        source
            .each_part(from, prepare, |prepared, place| {
                self.place = place;
                self.push_at(prepared, place)?;
                progress(place.positions)
            })
            .inspect(|_| {
                let positions = self.place.positions;
                self.place = Place { input: input + 1, positions, ..Place::default() };
            })
    }

    /// Takes an entry. Positions without moves are no entries.
    pub fn push(&mut self, entry: Entry) -> Result<(), BookError> {
        if entry.moves.is_empty() {
            return Ok(());
        }
        if let Some(writer) = &mut self.direct {
            return writer.write(&entry);
        }
        self.waiting.push(entry);
        if self.waiting.len() < self.threads * BATCH { Ok(()) } else { self.sort_waiting() }
    }

    /// What entries are sorted by takes time to find: each thread does a part of them.
    fn sort_waiting(&mut self) -> Result<(), BookError> {
        let waiting = std::mem::take(&mut self.waiting);
        let maker = self.sorter.maker();
        let batches = waiting.chunks(BATCH).map(Ok);
        in_order(
            self.threads,
            batches,
            |batch| maker.chunk(batch),
            |chunk| self.sorter.push(chunk, Place::default()),
        )
    }

    /// Writes the file; an existing one only with `force`.
    pub fn finish(self, force: bool) -> Result<Written, BookError> {
        self.finish_telling(force, &mut |_| Ok(()))
    }

    /// The same; `progress` is told how many positions have been written, and whether it says so ends everything.
    pub fn finish_telling(
        mut self,
        force: bool,
        progress: Telling<'_>,
    ) -> Result<Written, BookError> {
        if !force && self.path.exists() {
            return Err(std::io::Error::from(std::io::ErrorKind::AlreadyExists).into());
        }
        if let Some(writer) = self.direct {
            let (positions, moves) = writer.written();
            writer.finish()?.publish(force)?;
            return Ok(Written { positions, moves, losses: Losses::default() });
        }
        self.sort_waiting()?;
        let mut draft = Draft::new(&self.path)?;
        let written = match self.format {
            Format::Native => self.write_native(&mut draft, progress),
            Format::Db => self.write_db(&mut draft, progress),
            Format::Ybb => self.write_ybb(&mut draft, progress),
            Format::Apery => self.write_apery(&mut draft, progress),
            Format::Sbk => self.write_sbk(&mut draft, progress),
        }?;
        draft.publish(force)?;
        Ok(written)
    }

    fn write_native(self, draft: &mut Draft, progress: Telling<'_>) -> Result<Written, BookError> {
        let writer = native::Writer::new(draft, self.header)?;
        let mut writer = writer.with_table_in(folder_of(&self.path));
        let named = &self.named;
        self.sorter.finish(
            self.combine,
            |merged| {
                let named = Arc::clone(&named.read().unwrap_or_else(PoisonError::into_inner));
                native::Encoded::of(merged, named)
            },
            |encoded| {
                writer.write_encoded(&encoded)?;
                let mut named = named.write().unwrap_or_else(PoisonError::into_inner);
                *named = Arc::clone(writer.sources());
                progress(writer.written().0)
            },
        )?;
        let (positions, moves) = writer.written();
        writer.finish()?;
        Ok(Written { positions, moves, losses: Losses::default() })
    }

    fn write_db(self, draft: &mut Draft, progress: Telling<'_>) -> Result<Written, BookError> {
        let game = self.header.game;
        let mut writer = db::Writer::new(draft, game)?;
        let mut written = Written::default();
        self.sorter.finish(
            self.combine,
            |merged| {
                let (mut text, mut part) = (String::new(), Written::default());
                merged.each(|order, entry| {
                    part.count(&entry);
                    part.losses.add(db::put_text(&mut text, order, &entry, game));
                    Ok(())
                })?;
                Ok((text, part))
            },
            |(text, part)| {
                written.add(part);
                writer.write_text(&text, part.losses)?;
                progress(written.positions)
            },
        )?;
        writer.finish()?;
        Ok(written)
    }

    fn write_ybb(self, draft: &mut Draft, progress: Telling<'_>) -> Result<Written, BookError> {
        let folder = folder_of(&self.path);
        let mut writer = ybb::Writer::new(draft, folder)?;
        let mut written = Written::default();
        self.sorter.finish(
            self.combine,
            |merged| {
                let (mut encoded, mut part) = (ybb::Encoded::default(), Written::default());
                merged.each(|_, entry| {
                    part.count(&entry);
                    encoded.push(&entry);
                    Ok(())
                })?;
                Ok((encoded, part))
            },
            |(encoded, part)| {
                written.add(part);
                writer.write_encoded(encoded)?;
                progress(written.positions)
            },
        )?;
        written.losses = writer.finish()?.1;
        Ok(written)
    }

    fn write_apery(self, draft: &mut Draft, progress: Telling<'_>) -> Result<Written, BookError> {
        let mut writer = apery::Writer::new(draft);
        let mut written = Written::default();
        self.sorter.finish(
            self.combine,
            |merged| {
                let (mut records, mut part) = (Vec::new(), Written::default());
                merged.each(|order, entry| {
                    part.count(&entry);
                    part.losses.add(apery::put_records(&mut records, order, &entry));
                    Ok(())
                })?;
                Ok((records, part))
            },
            |(records, part)| {
                written.add(part);
                writer.write_records(&records, part.losses)?;
                progress(written.positions)
            },
        )?;
        writer.finish()?;
        Ok(written)
    }

    fn write_sbk(mut self, draft: &mut Draft, progress: Telling<'_>) -> Result<Written, BookError> {
        let mut positions = sbk::Positions::new(self.sorter.most());
        let hashed = |merged: Merged<'_>| {
            let (mut keys, mut hashes) = (Vec::new(), Vec::new());
            merged.each_key(|key| {
                keys.push(*key);
                hashes.push(hash_of(Game::Shogi, key)?);
                Ok(())
            })?;
            Ok((keys, hashes))
        };
        self.sorter.pass(self.combine, hashed, |(keys, hashes)| {
            positions.add(&keys, &hashes)?;
            progress(0)
        })?;
        let numbers = positions.numbers(self.threads)?;
        let mut writer = sbk::Writer::new(draft, &self.header, &numbers)?;
        let mut written = Written::default();
        self.sorter.finish(
            self.combine,
            |merged| {
                let (mut states, mut part) = (sbk::Part::default(), Written::default());
                merged.each(|_, entry| {
                    part.count(&entry);
                    states.push(&entry, &numbers)
                })?;
                Ok((states, part))
            },
            |(states, part)| {
                written.add(part);
                writer.write(states)?;
                progress(written.positions)
            },
        )?;
        written.losses = writer.finish()?.1;
        Ok(written)
    }
}

/// Where a file lies.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

impl Written {
    fn count(&mut self, entry: &Entry) {
        self.positions += 1;
        self.moves += entry.moves.len() as u64;
    }

    fn add(&mut self, other: Self) {
        self.positions += other.positions;
        self.moves += other.moves;
        self.losses.add(other.losses);
    }
}

/// Writes a book in our own format of entries that come in the order of their keys.
pub fn write_native(
    path: &Path,
    header: &Header,
    mut entries: impl Iterator<Item = Result<Entry, BookError>>,
    force: bool,
) -> Result<Written, BookError> {
    let mut draft = Draft::new(path)?;
    let mut writer = native::Writer::new(&mut draft, header.clone())?;
    entries.try_for_each(|entry| writer.write(&entry?))?;
    let (positions, moves) = writer.written();
    writer.finish()?;
    draft.publish(force)?;
    Ok(Written { positions, moves, losses: Losses::default() })
}
