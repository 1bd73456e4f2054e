//! Games into columns.

use crate::block::{Block, COLUMNS, Column, LARGEST};
use crate::bytes::{Bytes, ColumnReader, put_signed, put_varint};
use crate::codes::{outcome_code, reason_code};
use crate::game::{Flags, Game, Ply};
use crate::movecode;
use rules::{AnyPosition, Color, Position, Variant};
use std::collections::HashMap;

/// Raw bytes of columns at which a block is closed: some 80,000 positions.
const FULL: usize = 256 << 10;
/// Most plies of a game.
pub(crate) const LONGEST_GAME: usize = 65_535;

/// Bits of the second byte of a game's head.
pub(crate) const LAST_SCORED: u8 = 1 << 4;
pub(crate) const HAS_CANDIDATES: u8 = 1 << 5;
/// Bits of flags.
pub(crate) const RANDOM: u8 = 1;
pub(crate) const SKIP: u8 = 2;
pub(crate) const UNSCORED: u8 = 128;

/// A block being filled.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    columns: [Vec<u8>; COLUMNS],
    /// Start positions of this block and their numbers, from 1.
    starts: HashMap<String, u32>,
    games: u32,
    positions: u32,
}

impl Builder {
    /// Adds a game, or says why it cannot be written and leaves the block as it was.
    pub(crate) fn add(&mut self, game: &Game) -> Result<(), String> {
        check(game)?;
        let before = self.columns.each_ref().map(Vec::len);
        let added = match &game.start {
            AnyPosition::Shogi(start) => self.add_moves(start, game),
            AnyPosition::Minishogi(start) => self.add_moves(start, game),
        };
        let size: usize = self.columns.iter().map(Vec::len).sum();
        let added = added.and_then(|()| {
            let grown = size - before.iter().sum::<usize>();
            if grown > LARGEST / 2 { Err(format!("{grown} bytes")) } else { Ok(()) }
        });
        if let Err(reason) = added {
            for (column, length) in self.columns.iter_mut().zip(before) {
                column.truncate(length);
            }
            return Err(reason);
        }
        self.add_head(game);
        self.games += 1;
        self.positions += game.positions() as u32;
        Ok(())
    }

    fn put(&mut self, column: Column) -> &mut Vec<u8> {
        &mut self.columns[column as usize]
    }

    fn add_moves<V: Variant>(&mut self, start: &Position<V>, game: &Game) -> Result<(), String> {
        let mut pos = start.without_history();
        let mut expected = 0;
        let mut candidates = game.candidates.as_slice();
        if !candidates.is_empty() {
            put_varint(self.put(Column::Candidates), candidates.len() as u32);
        }
        let mut written = 0;
        for (index, ply) in game.plies.iter().enumerate() {
            if let Some(why) = pos.why_illegal(ply.mv) {
                let (number, mv) = (index + 1, ply.mv.usi(V::GAME));
                return Err(format!("move {number}, {mv}, in {}: {why}", pos.sfen()));
            }
            while let Some((candidate, rest)) = candidates.split_first()
                && candidate.ply as usize == index
            {
                if !pos.is_legal(candidate.mv) {
                    let mv = candidate.mv.usi(V::GAME);
                    return Err(format!("candidate {mv} of move {}: illegal", index + 1));
                }
                let column = self.put(Column::Candidates);
                put_varint(column, candidate.ply - written);
                column.extend(candidate.mv.bits().to_le_bytes());
                put_varint(column, u32::from(candidate.visits));
                written = candidate.ply;
                candidates = rest;
            }
            let (slot, second) = movecode::encode(&pos, ply.mv);
            self.put(Column::Slots).push(slot);
            if let Some((class, number)) = second {
                self.columns[Column::Targets as usize + class].push(number);
            }
            self.add_score(ply.score, &mut expected);
            pos.play(ply.mv);
        }
        if !candidates.is_empty() {
            return Err("candidates are not sorted by ply, or belong to none".to_owned());
        }
        if game.last.is_some() {
            self.add_score(game.last, &mut expected);
        }
        Ok(())
    }

    /// Scores are written as the difference to what the opponent thought a ply before.
    fn add_score(&mut self, score: Option<i16>, expected: &mut i32) {
        if let Some(score) = score {
            put_signed(self.put(Column::Scores), i32::from(score) - *expected);
            *expected = i32::from(score);
        }
        *expected = -*expected;
    }

    fn add_head(&mut self, game: &Game) {
        self.add_start(&game.start.sfen());
        let heads = self.put(Column::Heads);
        put_varint(heads, game.plies.len() as u32);
        let guest = match game.guest {
            None => 0,
            Some(Color::Black) => 1,
            Some(Color::White) => 2,
        };
        let last = if game.last.is_some() { LAST_SCORED } else { 0 };
        let candidates = if game.candidates.is_empty() { 0 } else { HAS_CANDIDATES };
        heads.push(outcome_code(game.outcome) | guest << 2 | last | candidates);
        heads.push(reason_code(game.reason));
        for run in game.plies.chunk_by(|a, b| flag_bits(a) == flag_bits(b)) {
            put_varint(heads, run.len() as u32);
            heads.push(flag_bits(&run[0]));
        }
    }

    /// The number of a start position, and its text if it is new to the block.
    fn add_start(&mut self, sfen: &str) {
        if let Some(&known) = self.starts.get(sfen) {
            put_varint(self.put(Column::Heads), known);
            return;
        }
        self.starts.insert(sfen.to_owned(), self.starts.len() as u32 + 1);
        put_varint(self.put(Column::Heads), 0);
        put_text(self.put(Column::Starts), sfen);
    }

    /// Adds the game of a block that [`crate::Cursor::extract`] made.
    pub(crate) fn adopt(&mut self, block: &Block) -> Option<()> {
        let mut columns: [ColumnReader; COLUMNS] = Default::default();
        block.unpack(&mut columns)?;
        let [heads, starts, ..] = &columns;
        let (mut heads, mut starts) = (Bytes(&heads.bytes), Bytes(&starts.bytes));
        let length = starts.varint()? as usize;
        let start = std::str::from_utf8(starts.take(length)?).ok()?;
        if block.games() != 1 || heads.varint()? != 0 || !starts.0.is_empty() {
            return None;
        }
        self.add_start(start);
        self.put(Column::Heads).extend(heads.0);
        let moves = self.columns.iter_mut().zip(&columns).skip(Column::Slots as usize);
        for (column, class) in moves {
            column.extend(&class.bytes);
        }
        self.games += 1;
        self.positions += block.positions();
        Some(())
    }

    /// Whether it is time to close the block.
    pub(crate) fn is_full(&self) -> bool {
        self.columns.iter().map(Vec::len).sum::<usize>() >= FULL
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// The block as it is, not squeezed: to be read again at once.
    pub(crate) fn raw(&self) -> Block {
        Block::pack(&self.columns, self.games, self.positions, false)
    }

    /// Closes the block and begins the next.
    pub(crate) fn take(&mut self) -> Block {
        let block = Block::pack(&self.columns, self.games, self.positions, true);
        for column in &mut self.columns {
            column.clear();
        }
        self.starts.clear();
        (self.games, self.positions) = (0, 0);
        block
    }
}

/// Appends a text with its length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u32);
    out.extend(text.as_bytes());
}

/// What is wrong with a game whatever its moves are.
fn check(game: &Game) -> Result<(), String> {
    if game.plies.len() > LONGEST_GAME {
        return Err(format!("{} moves, at most {LONGEST_GAME} fit", game.plies.len()));
    }
    if game.plies.is_empty() && game.last.is_none() {
        return Err("neither a move nor a score".to_owned());
    }
    Ok(())
}

fn flag_bits(ply: &Ply) -> u8 {
    let Flags { random, skip } = ply.flags;
    let unscored = if ply.score.is_none() { UNSCORED } else { 0 };
    let (random, skip) = (if random { RANDOM } else { 0 }, if skip { SKIP } else { 0 });
    random | skip | unscored
}
