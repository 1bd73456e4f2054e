//! Writing teacher files.

use crate::block::Block;
use crate::builder::Builder;
use crate::error::TeacherError;
use crate::game::Game;
use crate::header::Header;
use crate::reader::{Reader, Survey};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

/// Writes games into a teacher file, block by block. Games are kept in memory until their block
/// is full (some 80,000 positions): call [`Writer::flush`] to have them written sooner, and
/// [`Writer::finish`] at the end. One dropped without it has lost its last block.
///
/// Which games share a block depends on the games alone, so that the same games give the same
/// bytes, also when writing was broken off and resumed.
#[derive(Debug)]
pub struct Writer<W: Write> {
    output: W,
    header: Header,
    builder: Builder,
    games: u64,
    positions: u64,
    bytes: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    pub fn new(mut output: W, header: Header) -> Result<Self, TeacherError> {
        let bytes = header.write(&mut output)?;
        let builder = Builder::default();
        Ok(Self { output, header, builder, games: 0, positions: 0, bytes })
    }

    /// Adds a game. One with an illegal move, without any position, or of the other game is
    /// [`TeacherError::Refused`] and leaves the file as it was.
    pub fn write(&mut self, game: &Game) -> Result<(), TeacherError> {
        let (found, wanted) = (game.start.game(), self.header.game);
        if found != wanted {
            return Err(TeacherError::Refused(format!("it is {found}, the file holds {wanted}")));
        }
        self.builder.add(game).map_err(TeacherError::Refused)?;
        self.games += 1;
        self.positions += game.positions() as u64;
        if self.builder.is_full() { self.close_block() } else { Ok(()) }
    }

    /// Adds a game that [`crate::Cursor::extract`] took from another file of the same game,
    /// without decoding it again.
    pub fn adopt(&mut self, single: &Block) -> Result<(), TeacherError> {
        let astray = || TeacherError::Refused("not a block of one extracted game".to_owned());
        self.builder.adopt(single).ok_or_else(astray)?;
        self.games += 1;
        self.positions += u64::from(single.positions());
        if self.builder.is_full() { self.close_block() } else { Ok(()) }
    }

    /// Copies a block of another file of the same game as it is.
    pub fn copy(&mut self, block: &Block) -> Result<(), TeacherError> {
        self.close_block()?;
        self.put(block)?;
        self.games += u64::from(block.games());
        self.positions += u64::from(block.positions());
        Ok(())
    }

    fn put(&mut self, block: &Block) -> Result<(), TeacherError> {
        self.output.write_all(block.as_bytes())?;
        self.bytes += block.as_bytes().len() as u64;
        Ok(())
    }

    fn close_block(&mut self) -> Result<(), TeacherError> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let block = self.builder.take();
        self.put(&block)
    }

    /// Closes the present block early and flushes the output: what was written until now
    /// survives a crash of the program.
    pub fn flush(&mut self) -> Result<(), TeacherError> {
        self.close_block()?;
        Ok(self.output.flush()?)
    }

    /// Writes what is left and gives the output back.
    pub fn finish(mut self) -> Result<W, TeacherError> {
        self.flush()?;
        Ok(self.output)
    }

    /// The header of the file.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Games written, those of an earlier run included.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Positions written, those of an earlier run included.
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// Length of the file so far, without the block still open.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether everything is in the file: no block is open.
    pub fn is_closed(&self) -> bool {
        self.builder.is_empty()
    }

    /// The output.
    pub const fn get_ref(&self) -> &W {
        &self.output
    }
}

impl Writer<File> {
    /// Goes on with a file that may have been left in the middle of a block (opened for reading
    /// and writing; it may be empty). What follows the last whole block is cut off; the survey
    /// says how much is there and what was cut.
    ///
    /// The header must be the same as that of the file: other settings belong in another file.
    pub fn resume(mut file: File, header: Header) -> Result<(Self, Survey), TeacherError> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        let expected = header.to_bytes()?;
        let survey = match Reader::new(std::io::BufReader::with_capacity(1 << 20, &file)) {
            Ok(reader) => reader.survey()?,
            // Not even the header was finished: only if it is the beginning of this one is it
            // ours to write over.
            Err(TeacherError::Damaged { .. }) if length < expected.len() as u64 => {
                let mut begun = Vec::new();
                file.seek(SeekFrom::Start(0))?;
                std::io::Read::read_to_end(&mut (&file), &mut begun)?;
                if !expected.starts_with(&begun) {
                    return Err(TeacherError::Another("it begins with another header".to_owned()));
                }
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                let survey = Survey { header: header.clone(), ..Survey::empty(header.game) };
                return Ok((Self::new(file, header)?, survey));
            }
            Err(e) => return Err(e),
        };
        survey.header.same_as(&header)?;
        file.set_len(survey.end)?;
        file.seek(SeekFrom::Start(survey.end))?;
        let writer = Self {
            output: file,
            header,
            builder: Builder::default(),
            games: survey.games,
            positions: survey.positions,
            bytes: survey.end,
        };
        Ok((writer, survey))
    }
}
