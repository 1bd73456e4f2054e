//! Input cut into pieces that are decoded each on its own, in any order.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::progress::{Meter, Watch};
use crate::source::{self, Source};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use teacher::{Block, TeacherError};

/// Records of a unit.
const RECORDS: u64 = 8192;

/// A block of games, or some records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    /// Which file.
    pub(super) source: usize,
    offset: u64,
    bytes: u64,
}

/// What there is to stream.
pub(super) struct Survey {
    pub(super) units: Vec<Unit>,
    /// Positions, those that will not pass included.
    pub(super) positions: u64,
    /// What is wrong, where it may be.
    pub(super) counts: Counts,
}

/// Goes through all files once, checksums included, so that damage is known before a trainer has
/// begun. With `salvage` what is whole is used; otherwise damage is an error.
pub(super) fn survey(
    sources: &[Source],
    salvage: bool,
    watch: &Watch<'_>,
) -> Result<Survey, Error> {
    let mut survey = Survey { units: Vec::new(), positions: 0, counts: Counts::default() };
    let meter = Meter::new(source::total(sources), watch);
    for (number, source) in sources.iter().enumerate() {
        let damage = match source.format.record() {
            Some(size) => survey.records(number, source, size as u64),
            None => survey.blocks(number, source, &meter)?,
        };
        match damage {
            Some(reason) if salvage => {
                survey.counts.problem(format!("{}: {reason}", source.name()));
            }
            Some(reason) => {
                return Err(Error::Damaged(format!("{}: {reason}", source.name())));
            }
            None => {}
        }
    }
    meter.finish();
    if survey.units.is_empty() {
        return Err(Error::Failed("the files hold no positions".to_owned()));
    }
    Ok(survey)
}

impl Survey {
    fn records(&mut self, number: usize, source: &Source, size: u64) -> Option<String> {
        let (records, rest) = (source.len() / size, source.len() % size);
        for first in (0..records).step_by(RECORDS as usize) {
            let bytes = RECORDS.min(records - first) * size;
            self.units.push(Unit { source: number, offset: first * size, bytes });
        }
        self.positions += records;
        (rest > 0).then(|| format!("the last {rest} bytes are not a whole record"))
    }

    fn blocks(
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
}

/// A reader of units: keeps the file it read last.
pub(super) struct UnitReader<'a> {
    sources: &'a [Source],
    open: Option<(usize, File)>,
    bytes: Vec<u8>,
}

impl<'a> UnitReader<'a> {
    pub(super) fn new(sources: &'a [Source]) -> Self {
        Self { sources, open: None, bytes: Vec::new() }
    }

    /// The bytes of a unit with the format of its file.
    pub(super) fn fetch(&mut self, unit: Unit) -> Result<(Format, &[u8]), String> {
        let source = &self.sources[unit.source];
        self.read(unit).map_err(|e| format!("{}: {e}", source.name()))?;
        Ok((source.format, &self.bytes))
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
        format!("{}: from byte {}: {error}", self.sources[unit.source].name(), unit.offset)
    }
}
