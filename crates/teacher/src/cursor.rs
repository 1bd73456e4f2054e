//! From columns to positions: the fast way through a block.

use crate::block::{Block, COLUMNS, Column};
use crate::builder::{HAS_CANDIDATES, LAST_SCORED, LONGEST_GAME, RANDOM, SKIP, UNSCORED, put_text};
use crate::bytes::ColumnReader;
use crate::codes::{outcome_from_code, reason_from_code};
use crate::error::TeacherError;
use crate::game::{Candidate, Flags, Game, Ply};
use crate::movecode;
use play::{Outcome, Reason};
use rules::{AnyPosition, Color, Kings, Move, Position, Variant};

/// What a game begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Head {
    /// How many moves it has.
    pub plies: u32,
    pub outcome: Outcome,
    pub reason: Reason,
    /// The side some other program played.
    pub guest: Option<Color>,
    /// Whether the last position has a score.
    pub last_scored: bool,
}

/// One position with what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a, V: Variant> {
    /// The position, with the game up to it as its history.
    pub position: &'a Position<V>,
    /// The move played; `None` in the last position of a game.
    pub mv: Option<Move>,
    /// The score for the side to move.
    pub score: Option<i16>,
    /// What a trainer should know.
    pub flags: Flags,
    /// Moves a tree search tried here.
    pub candidates: &'a [Candidate],
}

/// The columns of a block, read through.
#[derive(Debug, Default)]
struct Columns([ColumnReader; COLUMNS]);

impl Columns {
    #[inline]
    const fn heads(&mut self) -> &mut ColumnReader {
        &mut self.0[Column::Heads as usize]
    }

    const fn starts(&mut self) -> &mut ColumnReader {
        &mut self.0[Column::Starts as usize]
    }

    #[inline]
    const fn scores(&mut self) -> &mut ColumnReader {
        &mut self.0[Column::Scores as usize]
    }

    const fn candidates(&mut self) -> &mut ColumnReader {
        &mut self.0[Column::Candidates as usize]
    }

    #[inline]
    fn read_move<V: Variant>(&mut self, position: &Position<V>) -> Option<Move> {
        let (before, targets) = self.0.split_at_mut(Column::Targets as usize);
        let classes = targets.first_chunk_mut()?;
        movecode::decode(position, &mut before[Column::Slots as usize], classes)
    }
}

/// Goes through the games of a block, position by position, without allocating.
///
/// ```
/// # use rules::{AnyPosition, Shogi};
/// # let header = teacher::Header::new(rules::Game::Shogi);
/// # let mut writer = teacher::Writer::new(Vec::new(), header)?;
/// # let mut game = teacher::Game::new(AnyPosition::startpos(rules::Game::Shogi));
/// # game.last = Some(25);
/// # writer.write(&game)?;
/// # let file = writer.finish()?;
/// let mut reader = teacher::Reader::new(&file[..])?;
/// let (mut block, mut cursor) = (teacher::Block::new(), teacher::Cursor::<Shogi>::new());
/// let mut scores = Vec::new();
/// while reader.next_block(&mut block)? {
///     cursor.open(&block)?;
///     while cursor.next_game()? {
///         while let Some(sample) = cursor.next_position()? {
///             scores.extend(sample.score);
///         }
///     }
/// }
/// assert_eq!(scores, [25]);
/// # Ok::<(), teacher::TeacherError>(())
/// ```
pub struct Cursor<V: Variant> {
    columns: Columns,
    /// Where the present game begins in each column, the number of its start left out.
    begin: [usize; COLUMNS],
    offset: u64,
    games_left: u32,
    starts: Vec<Position<V>>,
    /// Which of the starts the present game has.
    start: usize,
    head: Head,
    position: Position<V>,
    /// The move of the present position, not yet played on it.
    pending: Option<Move>,
    /// Positions of the present game given out.
    given: u32,
    run: (u32, u8),
    expected: i32,
    candidates: Vec<Candidate>,
    candidates_given: usize,
}

impl<V: Variant> Default for Cursor<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Variant> Cursor<V> {
    /// A cursor on nothing.
    pub fn new() -> Self {
        Self {
            columns: Columns::default(),
            begin: [0; COLUMNS],
            offset: 0,
            games_left: 0,
            starts: Vec::new(),
            start: 0,
            head: Head::default(),
            position: Position::startpos(),
            pending: None,
            given: 0,
            run: (0, 0),
            expected: 0,
            candidates: Vec::new(),
            candidates_given: 0,
        }
    }

    /// Begins a block.
    pub fn open(&mut self, block: &Block) -> Result<(), TeacherError> {
        self.offset = block.offset();
        self.games_left = 0;
        self.head = Head::default();
        self.given = 0;
        block
            .unpack(&mut self.columns.0)
            .ok_or_else(|| self.damaged("a block cannot be unpacked"))?;
        self.games_left = block.games();
        self.starts.clear();
        Ok(())
    }

    fn damaged(&self, reason: &str) -> TeacherError {
        TeacherError::Damaged { offset: self.offset, reason: reason.to_owned() }
    }

    /// Goes to the next game, over what was not read of the present one. `false`: no more.
    pub fn next_game(&mut self) -> Result<bool, TeacherError> {
        while self.next_position()?.is_some() {}
        if self.games_left == 0 {
            return Ok(false);
        }
        self.games_left -= 1;
        self.read_head().ok_or_else(|| {
            // Nothing after this place can be trusted.
            self.games_left = 0;
            self.head = Head::default();
            self.damaged("a game begins wrongly")
        })?;
        Ok(true)
    }

    fn read_head(&mut self) -> Option<()> {
        self.head = Head::default();
        let number = self.columns.heads().read(|bytes| bytes.varint().map(|n| n as usize))?;
        self.begin = self.columns.0.each_ref().map(|column| column.at);
        let (plies, outcome, reason) = self
            .columns
            .heads()
            .read(|bytes| Some((bytes.varint()?, bytes.byte()?, bytes.byte()?)))?;
        self.start = if number == 0 { self.read_start()? } else { number - 1 };
        self.position.clone_from(self.starts.get(self.start)?);
        let guest = match outcome >> 2 & 3 {
            0 => None,
            1 => Some(Color::Black),
            2 => Some(Color::White),
            _ => return None,
        };
        self.candidates.clear();
        self.candidates_given = 0;
        if outcome & HAS_CANDIDATES != 0 {
            self.read_candidates()?;
        }
        let astray = self.candidates.last().is_some_and(|c| c.ply >= plies);
        let empty = plies == 0 && outcome & LAST_SCORED == 0;
        if astray || empty || plies as usize > LONGEST_GAME || outcome >> 6 != 0 {
            return None;
        }
        self.head = Head {
            plies,
            outcome: outcome_from_code(outcome),
            reason: reason_from_code(reason)?,
            guest,
            last_scored: outcome & LAST_SCORED != 0,
        };
        (self.pending, self.given, self.run, self.expected) = (None, 0, (0, 0), 0);
        Some(())
    }

    fn read_start(&mut self) -> Option<usize> {
        let start = self.columns.starts().read(|bytes| {
            let length = bytes.varint()? as usize;
            let text = std::str::from_utf8(bytes.take(length)?).ok()?;
            // Curiosities are allowed; what is none is not set up as one.
            let strict = Position::from_sfen_with(text, Kings::Any);
            strict.or_else(|_| Position::from_sfen_with(text, Kings::Lenient)).ok()
        })?;
        self.starts.push(start);
        Some(self.starts.len() - 1)
    }

    fn read_candidates(&mut self) -> Option<()> {
        let list = &mut self.candidates;
        self.columns.candidates().read(|bytes| {
            let mut ply = 0u32;
            for _ in 0..bytes.varint()? {
                ply = ply.checked_add(bytes.varint()?)?;
                let mv = Move::from_bits(V::GAME, u16::from_le_bytes(bytes.array()?))?;
                let visits = u16::try_from(bytes.varint()?).ok()?;
                list.push(Candidate { ply, mv, visits });
            }
            Some(())
        })
    }

    /// What the present game begins with.
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Where the present game began.
    pub fn start(&self) -> Option<&Position<V>> {
        self.starts.get(self.start)
    }

    /// The next position of the present game; `None`: no more.
    #[inline]
    pub fn next_position(&mut self) -> Result<Option<Sample<'_, V>>, TeacherError> {
        if let Some(mv) = self.pending.take() {
            self.position.play(mv);
        }
        let index = self.given;
        if index >= self.head.plies {
            if index > self.head.plies || !self.head.last_scored {
                return Ok(None);
            }
            self.given += 1;
            let score = self.read_score().ok_or_else(|| self.broken("the last score"))?;
            let (position, score) = (&self.position, Some(score));
            let flags = Flags::default();
            return Ok(Some(Sample { position, mv: None, score, flags, candidates: &[] }));
        }
        self.given += 1;
        let Some((ply, candidates)) = self.read_ply(index) else {
            return Err(self.broken(&format!("move {}", index + 1)));
        };
        self.pending = Some(ply.mv);
        Ok(Some(Sample {
            position: &self.position,
            mv: Some(ply.mv),
            score: ply.score,
            flags: ply.flags,
            candidates: &self.candidates[candidates],
        }))
    }

    /// Ends the block: nothing after this place can be trusted.
    fn broken(&mut self, what: &str) -> TeacherError {
        self.games_left = 0;
        self.head = Head::default();
        self.damaged(&format!("{what} of a game makes no sense"))
    }

    #[inline]
    fn read_ply(&mut self, index: u32) -> Option<(Ply, std::ops::Range<usize>)> {
        if self.run.0 == 0 {
            self.run = self.columns.heads().read(|b| Some((b.varint()?, b.byte()?)))?;
            // Zero would never end; a run beyond the game would leave the columns askew.
            if self.run.0 == 0 || self.run.0 > self.head.plies - index {
                return None;
            }
        }
        self.run.0 -= 1;
        let bits = self.run.1;
        if bits & !(RANDOM | SKIP | UNSCORED) != 0 {
            return None;
        }
        let mv = self.columns.read_move(&self.position)?;
        let score = if bits & UNSCORED == 0 {
            Some(self.read_score()?)
        } else {
            self.expected = -self.expected;
            None
        };
        let from = self.candidates_given;
        while let Some(candidate) = self.candidates.get(self.candidates_given)
            && candidate.ply == index
        {
            if !self.position.is_legal(candidate.mv) {
                return None;
            }
            self.candidates_given += 1;
        }
        let flags = Flags { random: bits & RANDOM != 0, skip: bits & SKIP != 0 };
        Some((Ply { mv, score, flags }, from..self.candidates_given))
    }

    #[inline]
    fn read_score(&mut self) -> Option<i16> {
        let expected = self.expected;
        let score = self
            .columns
            .scores()
            .read(|bytes| i16::try_from(expected.checked_add(bytes.signed()?)?).ok())?;
        self.expected = -i32::from(score);
        Some(score)
    }

    /// Takes the present game out as a block of its own, for [`crate::Writer::adopt`]. What was
    /// not read of it is read, so that nothing wrong travels on.
    pub fn extract(&mut self) -> Result<Block, TeacherError> {
        while self.next_position()?.is_some() {}
        let Some(start) = self.starts.get(self.start).filter(|_| self.given > 0) else {
            return Err(self.damaged("there is no game to take out"));
        };
        let mut columns: [Vec<u8>; COLUMNS] = std::array::from_fn(|i| {
            let column = &self.columns.0[i];
            column.bytes[self.begin[i]..column.at].to_vec()
        });
        columns[Column::Heads as usize].insert(0, 0);
        columns[Column::Starts as usize].clear();
        put_text(&mut columns[Column::Starts as usize], &start.sfen());
        Ok(Block::pack(&columns, 1, self.given, false))
    }

    /// Reads the whole next game. `None`: no more.
    pub fn read_game(&mut self) -> Result<Option<Game>, TeacherError>
    where
        AnyPosition: From<Position<V>>,
    {
        if !self.next_game()? {
            return Ok(None);
        }
        let mut game = Game::new(self.position.clone().into());
        let head = self.head;
        (game.outcome, game.reason, game.guest) = (head.outcome, head.reason, head.guest);
        game.plies.reserve_exact(head.plies as usize);
        while let Some(sample) = self.next_position()? {
            match sample.mv {
                Some(mv) => game.plies.push(Ply { mv, score: sample.score, flags: sample.flags }),
                None => game.last = sample.score,
            }
        }
        game.candidates.clone_from(&self.candidates);
        Ok(Some(game))
    }
}
