//! Reading teacher files.

use crate::block::Block;
use crate::cursor::Cursor;
use crate::error::TeacherError;
use crate::game::Game;
use crate::header::Header;
use rules::{Minishogi, Shogi};
use std::io::Read;

/// Reads a teacher file block by block. Memory is bounded by the largest block (64 MiB; those
/// written are below half a megabyte).
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    header: Header,
    offset: u64,
    done: bool,
}

/// What a file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    pub header: Header,
    pub games: u64,
    pub positions: u64,
    /// Where the last whole block ends.
    pub end: u64,
    /// What is wrong after that, if anything is.
    pub damage: Option<String>,
}

impl Survey {
    pub(crate) fn empty(game: rules::Game) -> Self {
        Self { header: Header::new(game), games: 0, positions: 0, end: 0, damage: None }
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    pub fn new(mut input: R) -> Result<Self, TeacherError> {
        let (header, offset) = Header::read(&mut input)?;
        Ok(Self { input, header, offset, done: false })
    }

    /// The header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// How many bytes of whole blocks were read, the header included.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next block. `Ok(false)`: the file ends here. A file that is cut or damaged gives
    /// [`TeacherError::Damaged`] once, after its last whole block, and then ends.
    pub fn next_block(&mut self, block: &mut Block) -> Result<bool, TeacherError> {
        if self.done {
            return Ok(false);
        }
        match block.read(&mut self.input, self.offset) {
            Ok(true) => {
                self.offset += block.as_bytes().len() as u64;
                Ok(true)
            }
            other => {
                self.done = true;
                other
            }
        }
    }

    /// Goes through all blocks without decoding them.
    pub fn survey(mut self) -> Result<Survey, TeacherError> {
        let mut survey = Survey::empty(self.header.game);
        let mut block = Block::new();
        loop {
            survey.end = self.offset;
            match self.next_block(&mut block) {
                Ok(true) => {
                    survey.games += u64::from(block.games());
                    survey.positions += u64::from(block.positions());
                }
                Ok(false) => break,
                Err(TeacherError::Damaged { reason, .. }) => {
                    survey.damage = Some(reason);
                    break;
                }
                Err(e) => return Err(e),
            }
        }
        survey.header = self.header;
        Ok(survey)
    }

    /// The games one after another, whichever game it is. After an error there are no more.
    pub fn games(self) -> Games<R> {
        let cursor = match self.header.game {
            rules::Game::Shogi => AnyCursor::Shogi(Box::default()),
            rules::Game::Minishogi => AnyCursor::Minishogi(Box::default()),
        };
        Games { reader: self, block: Block::new(), cursor }
    }
}

enum AnyCursor {
    Shogi(Box<Cursor<Shogi>>),
    Minishogi(Box<Cursor<Minishogi>>),
}

/// An iterator over the games of a file.
pub struct Games<R> {
    reader: Reader<R>,
    block: Block,
    cursor: AnyCursor,
}

impl<R: Read> Games<R> {
    /// The header of the file.
    pub const fn header(&self) -> &Header {
        self.reader.header()
    }

    /// How many bytes were read.
    pub const fn offset(&self) -> u64 {
        self.reader.offset()
    }

    fn advance(&mut self) -> Result<Option<Game>, TeacherError> {
        loop {
            let game = match &mut self.cursor {
                AnyCursor::Shogi(cursor) => cursor.read_game()?,
                AnyCursor::Minishogi(cursor) => cursor.read_game()?,
            };
            if game.is_some() {
                return Ok(game);
            }
            if !self.reader.next_block(&mut self.block)? {
                return Ok(None);
            }
            match &mut self.cursor {
                AnyCursor::Shogi(cursor) => cursor.open(&self.block)?,
                AnyCursor::Minishogi(cursor) => cursor.open(&self.block)?,
            }
        }
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<Game, TeacherError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance();
        if next.is_err() {
            self.reader.done = true;
        }
        next.transpose()
    }
}
