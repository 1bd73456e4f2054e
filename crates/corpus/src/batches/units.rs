//! Input cut into pieces that are decoded each on its own, in any order.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::progress::{Meter, Watch};
use crate::source::{self, Inputs, Source};
use play::Outcome;
use rules::{AnyPosition, Game as Rules, Move, Position, Variant};
use std::any::Any;
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use teacher::{Block, Cursor, Flags, Labelled, PackError, Sample, TeacherError, hcpe, hcpe3, psv};
use twox_hash::XxHash64;

/// Records of a unit.
const RECORDS: u64 = 8192;
/// Positions and bytes at which a unit of whole games ends.
const POSITIONS: usize = 4096;
const BYTES: u64 = 1 << 20;

/// A block of games, or some records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    /// Index of its file among the sources.
    pub(super) source: usize,
    offset: u64,
    bytes: u64,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move played there.
    pub mv: Option<Move>,
    pub flags: Flags,
    /// How its game ended.
    pub outcome: Outcome,
}

/// Files cut into units, every checksum looked at once, so that damage is known before hours are
/// spent on them.
#[derive(Clone, Debug)]
pub struct Units {
    sources: Vec<Source>,
    game: Rules,
    units: Vec<Unit>,
    games: u64,
    positions: u64,
    /// Whether to go on where something cannot be read.
    salvage: bool,
    /// What is wrong, where it may be.
    counts: Counts,
}

impl Units {
    /// Goes through all files. With `salvage` what is whole is used; otherwise damage is an error.
    pub fn open(inputs: &Inputs, salvage: bool, watch: &Watch<'_>) -> Result<Self, Error> {
        let (sources, format) = inputs.alike()?;
        if format == Format::Csa {
            return Err(Error::request(format!(
                "{format} files are not learned from: nue data convert makes teacher files of them"
            )));
        }
        let game = inputs.header(&sources)?.game;
        let meter = Meter::new(source::total(&sources), watch);
        let mut units = Self {
            sources: Vec::new(),
            game,
            units: Vec::new(),
            games: 0,
            positions: 0,
            salvage,
            counts: Counts::default(),
        };
        for (number, source) in sources.iter().enumerate() {
            let damage = match source.format.record() {
                Some(size) => units.add_records(number, source, size as u64),
                None if source.format == Format::Hcpe3 => {
                    units.add_games(number, source, &meter)?
                }
                None => units.add_blocks(number, source, &meter)?,
            };
            match damage {
                Some(reason) if salvage => {
                    units.counts.problem(format!("{}: {reason}", source.name()));
                }
                Some(reason) => {
                    return Err(Error::Damaged(format!("{}: {reason}", source.name())));
                }
                None => {}
            }
        }
        meter.finish();
        if units.positions == 0 {
            let names: Vec<String> = sources.iter().map(|s| s.name().to_string()).collect();
            return Err(Error::Failed(format!("no positions in {}", names.join(", "))));
        }
        units.sources = sources;
        Ok(units)
    }

    fn add_records(&mut self, number: usize, source: &Source, size: u64) -> Option<String> {
        let (records, rest) = (source.len() / size, source.len() % size);
        for first in (0..records).step_by(RECORDS as usize) {
            let bytes = RECORDS.min(records - first) * size;
            self.units.push(Unit { source: number, offset: first * size, bytes });
        }
        self.positions += records;
        (rest > 0).then(|| format!("the last {rest} bytes are not a whole record"))
    }

    /// Cuts games with the visits of a tree search at their ends.
    fn add_games(
        &mut self,
        number: usize,
        source: &Source,
        meter: &Meter<'_>,
    ) -> Result<Option<String>, Error> {
        let mut reader = hcpe3::Reader::new(source.open(Some(meter))?, self.game);
        let (mut offset, mut end, mut positions) = (0, 0, 0);
        let damage = loop {
            match reader.skip_game() {
                Some(Ok(moves)) => {
                    self.games += 1;
                    self.positions += moves as u64;
                    meter.positions(moves as u64);
                    positions += moves;
                    end = reader.offset();
                    if positions >= POSITIONS || end - offset >= BYTES {
                        self.units.push(Unit { source: number, offset, bytes: end - offset });
                        (offset, positions) = (end, 0);
                    }
                }
                None => break None,
                Some(Err(e @ TeacherError::Io(_))) => return Err(source.failed(&e)),
                Some(Err(e)) => break Some(e.to_string()),
            }
        };
        if end > offset {
            self.units.push(Unit { source: number, offset, bytes: end - offset });
        }
        Ok(damage)
    }

    fn add_blocks(
        &mut self,
        number: usize,
        source: &Source,
        meter: &Meter<'_>,
    ) -> Result<Option<String>, Error> {
        let mut reader = source.teacher(Some(meter))?;
        let mut block = Block::new();
        loop {
            match reader.next_block(&mut block) {
                Ok(true) => {
                    self.games += u64::from(block.games());
                    self.positions += u64::from(block.positions());
                    meter.positions(u64::from(block.positions()));
                    let (offset, bytes) = (block.offset(), block.as_bytes().len() as u64);
                    self.units.push(Unit { source: number, offset, bytes });
                }
                Ok(false) => return Ok(None),
                Err(e @ TeacherError::Io(_)) => return Err(source.failed(&e)),
                Err(e) => return Ok(Some(e.to_string())),
            }
        }
    }

    /// The game of the files.
    pub const fn game(&self) -> Rules {
        self.game
    }

    /// Games in all files; 0 if they hold positions alone.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Positions in all files, before any is left out.
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// The format of the files.
    pub(crate) fn format(&self) -> Format {
        self.sources[0].format
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    pub(super) const fn salvages(&self) -> bool {
        self.salvage
    }

    pub(super) const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// A number that tells these units from others.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = XxHash64::with_seed(0);
        for unit in &self.units {
            for number in [unit.source as u64, unit.offset, unit.bytes] {
                hash.write(&number.to_le_bytes());
            }
        }
        hash.finish()
    }

    /// Calls `each` with every position of the files, in order, with what is known of it, until it
    /// says that it is enough.
    pub fn each_position<V: Variant>(
        &self,
        each: &mut dyn FnMut(&Position<V>, Played) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut reader = UnitReader::new(self);
        let mut cursor = Cursor::<V>::new();
        let mut flow = ControlFlow::Continue(());
        for &unit in &self.units {
            let read = match reader.fetch(unit).map_err(Error::Damaged)? {
                (Format::Teacher, bytes) => each_of_block(bytes, &mut cursor, |sample, outcome| {
                    let played = Played { mv: sample.mv, flags: sample.flags, outcome };
                    flow = each(sample.position, played);
                    flow
                })
                .map_err(|e| unit.damage(e)),
                (format, bytes) => each_record::<V>(format, bytes, |position, record| {
                    if flow.is_continue() {
                        let (mv, outcome) = (record.mv, record.outcome);
                        flow = each(position, Played { mv, flags: Flags::default(), outcome });
                    }
                })
                .map_err(|e| unit.bad_records(&e)),
            };
            read.map_err(|e| Error::Damaged(reader.wrong(unit, &e)))?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn each_of_block<V: Variant>(
    bytes: &[u8],
    cursor: &mut Cursor<V>,
    mut each: impl FnMut(&Sample<'_, V>, Outcome) -> ControlFlow<()>,
) -> Result<(), TeacherError> {
    cursor.open(&Block::from_bytes(bytes)?)?;
    while cursor.next_game()? {
        let outcome = cursor.head().outcome;
        while let Some(sample) = cursor.next_position()? {
            if each(&sample, outcome).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Calls `each` with every record of a unit. The error tells of those that cannot be read.
pub(super) fn each_record<V: Variant>(
    format: Format,
    bytes: &[u8],
    each: impl FnMut(&Position<V>, &Labelled),
) -> Result<(), String> {
    match format {
        Format::Hcpe => decode_each(bytes, |r| hcpe::decode(V::GAME, r), each),
        _ => decode_each(bytes, |r| psv::decode(V::GAME, r), each),
    }
}

fn decode_each<V: Variant, const N: usize>(
    bytes: &[u8],
    decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError>,
    mut each: impl FnMut(&Position<V>, &Labelled),
) -> Result<(), String> {
    let (mut bad, mut first) = (0u64, None);
    for (number, record) in bytes.as_chunks::<N>().0.iter().enumerate() {
        match decode(record) {
            Ok(read) => {
                let position: &dyn Any = match &read.position {
                    AnyPosition::Shogi(p) => p,
                    AnyPosition::Minishogi(p) => p,
                };
                if let Some(position) = position.downcast_ref::<Position<V>>() {
                    each(position, &read);
                }
            }
            Err(e) => {
                bad += 1;
                first.get_or_insert_with(|| format!("record {} there: {e}", number + 1));
            }
        }
    }
    match first {
        None => Ok(()),
        Some(first) if bad == 1 => Err(first),
        Some(first) => Err(format!("{first} (and {} more records)", bad - 1)),
    }
}

impl Unit {
    /// What to say of damage to a block: counted from the beginning of its file.
    pub(super) fn damage(self, error: TeacherError) -> String {
        match error {
            TeacherError::Damaged { reason, .. } => {
                TeacherError::Damaged { offset: self.offset, reason }.to_string()
            }
            other => other.to_string(),
        }
    }

    /// What to say of records that cannot be read.
    pub(super) fn bad_records(self, error: &str) -> String {
        format!("from byte {}: {error}", self.offset)
    }
}

/// A reader of units: keeps the file it read last.
pub(super) struct UnitReader<'a> {
    sources: &'a [Source],
    game: Rules,
    open: Option<(usize, File)>,
    bytes: Vec<u8>,
}

/// Games with the visits of a tree search as a block. The error tells of the first that cannot be
/// read.
fn block_of(game: Rules, bytes: &[u8]) -> Result<Block, String> {
    let mut reader = hcpe3::Reader::new(bytes, game);
    let mut games = Vec::new();
    while let Some(read) = reader.next_game() {
        let number = games.len() + 1;
        let wrong = |e: &dyn std::fmt::Display| format!("game {number} there: {e}");
        games.push(read.map_err(|e| wrong(&e))?.map_err(|e| wrong(&e))?);
    }
    Block::of_games(&games).map_err(|e| e.to_string())
}

impl<'a> UnitReader<'a> {
    pub(super) fn new(units: &'a Units) -> Self {
        let (sources, game) = (units.sources(), units.game);
        Self { sources, game, open: None, bytes: Vec::new() }
    }

    /// The bytes of a unit with the format of its file. Games with visits become a block of ours.
    pub(super) fn fetch(&mut self, unit: Unit) -> Result<(Format, &[u8]), String> {
        let source = &self.sources[unit.source];
        self.read(unit).map_err(|e| format!("{}: {e}", source.name()))?;
        if source.format != Format::Hcpe3 {
            return Ok((source.format, &self.bytes));
        }
        let block = block_of(self.game, &self.bytes).map_err(|e| {
            let error = unit.bad_records(&e);
            self.wrong(unit, &error)
        })?;
        self.bytes.clear();
        self.bytes.extend_from_slice(block.as_bytes());
        Ok((Format::Teacher, &self.bytes))
    }

    fn read(&mut self, unit: Unit) -> io::Result<()> {
        let file = match &mut self.open {
            Some((number, file)) if *number == unit.source => file,
            other => {
                let file = File::open(&self.sources[unit.source].path)?;
                &mut other.insert((unit.source, file)).1
            }
        };
        file.seek(SeekFrom::Start(unit.offset))?;
        self.bytes.resize(unit.bytes as usize, 0);
        file.read_exact(&mut self.bytes)
    }

    /// What to say of something wrong in a unit.
    pub(super) fn wrong(&self, unit: Unit, error: &dyn std::fmt::Display) -> String {
        format!("{}: {error}", self.sources[unit.source].name())
    }
}
