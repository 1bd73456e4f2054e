//! Teacher files as one collection of blocks, each of which can be read alone and in any order.

use rules::Game;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use teacher::{Block, Reader, TeacherError};

/// What is wrong with teacher data, and in which file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct DataError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub source: TeacherError,
}

/// Where a block lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    file: usize,
    offset: u64,
    length: usize,
    positions: u32,
}

/// The blocks of some files.
#[derive(Clone, Debug)]
pub struct Corpus {
    files: Vec<PathBuf>,
    blocks: Vec<Place>,
    games: u64,
    positions: u64,
}

impl Corpus {
    /// Goes through files of a game, checking every block. A damaged file is an error: what is
    /// wrong should be known before hours are spent on it.
    pub fn open(files: &[PathBuf], game: Game) -> Result<Self, DataError> {
        let mut corpus = Self { files: files.to_vec(), blocks: Vec::new(), games: 0, positions: 0 };
        for (file, path) in files.iter().enumerate() {
            corpus.survey(file, path, game).map_err(|source| {
                let path = path.clone();
                DataError { path, source }
            })?;
        }
        Ok(corpus)
    }

    fn survey(&mut self, file: usize, path: &Path, game: Game) -> Result<(), TeacherError> {
        let mut reader = Reader::new(BufReader::with_capacity(1 << 20, File::open(path)?))?;
        let found = reader.header().game;
        if found != game {
            return Err(TeacherError::Game { found, wanted: game });
        }
        let mut block = Block::new();
        loop {
            let offset = reader.offset();
            if !reader.next_block(&mut block)? {
                return Ok(());
            }
            let (length, positions) = (block.as_bytes().len(), block.positions());
            self.blocks.push(Place { file, offset, length, positions });
            self.games += u64::from(block.games());
            self.positions += u64::from(positions);
        }
    }

    /// The game of a file.
    pub fn game_of(path: &Path) -> Result<Game, DataError> {
        let game = || Ok(Reader::new(File::open(path)?)?.header().game);
        game().map_err(|source| DataError { path: path.to_owned(), source })
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Games in all files.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Positions in all files, before any is left out.
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// Positions of a block.
    pub(crate) fn positions_of(&self, block: usize) -> usize {
        self.blocks[block].positions as usize
    }

    /// Reads a block.
    pub(crate) fn read(&self, block: usize) -> Result<Block, DataError> {
        let Place { file, offset, length, .. } = self.blocks[block];
        let read = || {
            let mut file = File::open(&self.files[file])?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::with_capacity(length);
            file.take(length as u64).read_to_end(&mut bytes)?;
            Block::from_bytes(&bytes)
        };
        read().map_err(|source| self.failed(block, source))
    }

    /// An error in a block, told with the place in its file.
    pub(crate) fn failed(&self, block: usize, source: TeacherError) -> DataError {
        let Place { file, offset, .. } = self.blocks[block];
        let source = match source {
            TeacherError::Damaged { reason, .. } => TeacherError::Damaged { offset, reason },
            other => other,
        };
        DataError { path: self.files[file].clone(), source }
    }

    /// A number that tells these blocks from others.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325u64;
        for place in &self.blocks {
            for number in [place.offset, place.length as u64, u64::from(place.positions)] {
                hash = (hash ^ number).wrapping_mul(0x0000_0100_0000_01B3);
            }
        }
        hash
    }
}
