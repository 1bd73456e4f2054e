//! Positions as rows of 16-bit numbers: what is shuffled.
//!
//! A feature number is `base + piece`, where the base comes from the own king, plus a part for
//! attacks in sets that have one. Piece and attacks fit 16 bits together, so a row is half as
//! large as its feature numbers, and a trainer that learns the parts apart has them at hand.

use super::units::{Unit, UnitReader};
use crate::format::Format;
use crate::sieve::Sieve;
use features::{FeatureSet, List, Numbering, active};
use rules::{AnyPosition, Color, Game, Move, Position, Square, Variant};
use seed::Rng;
use std::any::Any;
use std::marker::PhantomData;
use teacher::{Block, Cursor, Flags, Labelled, Outcome, PackError, TeacherError, hcpe, psv};

/// What stands for no feature.
pub(super) const NONE: u16 = u16::MAX;
/// The result of a game of which nobody knows who won.
const UNKNOWN: i8 = 2;
/// Numbers of a row that are not features: two bases, score, move number, result and side, counts.
const FIXED: usize = 8;
/// Where the score is among them.
const SCORE: usize = 4;

/// What all rows have in common.
#[derive(Clone)]
pub(super) struct Plan {
    /// Features of one side, at most.
    pub(super) slots: usize,
    /// Pieces a base is followed by.
    pub(super) pieces: usize,
    /// How far apart the features of a piece under different attacks are; 0 without attacks.
    pub(super) stride: usize,
    pub(super) inputs: usize,
    pub(super) seed: u64,
    pub(super) mirror: bool,
    /// Every piece number mirrored left to right.
    pub(super) mirrored: Vec<u16>,
    /// Every base, divided by `pieces`, for the own king mirrored left to right.
    pub(super) mirrored_bases: Vec<u32>,
    sieve: Sieve,
    scores: Scores,
}

/// What is done to scores.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// Largest size: scores farther from zero count as if they were this far.
    pub clamp: i16,
    /// Weight of the scores after a position against its own, 0 to below 1.
    pub n_step: f64,
}

impl Scores {
    /// The score as it teaches.
    pub fn limited(self, score: i16) -> i16 {
        score.clamp(-self.clamp, self.clamp)
    }
}

impl Plan {
    pub(super) fn new<V: Variant, F: FeatureSet<V>>(
        sieve: Sieve,
        scores: Scores,
        mirror: bool,
        seed: u64,
    ) -> Self {
        let numbering = Numbering::of(V::GAME);
        let kings = if F::KINGS { 2 } else { 0 };
        // Not counting kings, every piece is one feature wherever it is.
        let slots = V::PIECES.iter().sum::<usize>() - 2 + kings;
        let pieces = if F::KINGS { numbering.kings_end() } else { numbering.end() };
        let (stride, inputs) = (F::EFFECT_STRIDE, F::INPUTS);
        // Mirrored sets see both boards alike: there is nothing to turn.
        let turned = |n: usize| if F::MIRRORED { n } else { numbering.mirrored(n) };
        let mirrored_numbers = (0..pieces).map(|n| turned(n) as u16).collect();
        let groups = if stride > 0 { stride } else { inputs } / pieces;
        let mut mirrored_bases: Vec<u32> = (0..groups as u32).collect();
        if F::BY_KING {
            for king in 0..V::SQUARES {
                let other = F::offset(mirrored(V::GAME, king)) / pieces;
                mirrored_bases[F::offset(king) / pieces] = other as u32;
            }
        }
        Self {
            slots,
            pieces,
            stride,
            inputs,
            seed,
            mirror,
            mirrored: mirrored_numbers,
            mirrored_bases,
            sieve,
            scores,
        }
    }

    /// Numbers of a row.
    pub(super) const fn width(&self) -> usize {
        FIXED + 2 * self.slots
    }
}

/// Rows one after another.
#[derive(Default)]
pub(super) struct Rows(pub(super) Vec<u16>);

/// One row, taken apart.
pub(super) struct Row<'a> {
    /// Where the features of each side begin, the side to move first.
    pub(super) bases: [u32; 2],
    /// The features of each side, without their base.
    pub(super) sides: [&'a [u16]; 2],
    pub(super) score: u16,
    pub(super) ply: u16,
    /// 1 won, 0 drawn, −1 lost by the side to move; 2 nobody knows.
    pub(super) result: u8,
    /// The side to move: 0 Black, 1 White.
    pub(super) turn: u8,
    /// How many features each side has.
    pub(super) counts: [u8; 2],
}

impl<'a> Row<'a> {
    pub(super) fn of(row: &'a [u16]) -> Self {
        let (fixed, sides) = row.split_at(FIXED);
        let (own, other) = sides.split_at(sides.len() / 2);
        let base = |at: usize| u32::from(fixed[at]) | u32::from(fixed[at + 1]) << 16;
        let (result, turn) = (fixed[6].to_le_bytes()[0], fixed[6].to_le_bytes()[1]);
        Self {
            bases: [base(0), base(2)],
            sides: [own, other],
            score: fixed[SCORE],
            ply: fixed[5],
            result,
            turn,
            counts: fixed[7].to_le_bytes(),
        }
    }
}

/// Makes rows of the positions of one feature set.
pub(super) struct Maker<'a, V: Variant, F> {
    plan: &'a Plan,
    cursor: Cursor<V>,
    list: List<64>,
    /// All scores of a game, and which of its positions became which rows.
    course: Vec<Option<i16>>,
    kept: Vec<(usize, usize)>,
    features: PhantomData<F>,
}

/// A position with its labels.
struct Labels<'p, V: Variant> {
    position: &'p Position<V>,
    mv: Option<Move>,
    score: i16,
    flags: Flags,
    outcome: Outcome,
}

impl<'a, V: Variant, F: FeatureSet<V>> Maker<'a, V, F> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            cursor: Cursor::new(),
            list: List::new(),
            course: Vec::new(),
            kept: Vec::new(),
            features: PhantomData,
        }
    }

    /// The rows of a unit; `rng` decides which are mirrored. An error tells what cannot be read.
    pub(super) fn make(
        &mut self,
        reader: &mut UnitReader<'_>,
        unit: Unit,
        mut rng: Rng,
    ) -> Result<Rows, String> {
        let mut rows = Rows::default();
        let read = match reader.fetch(unit)? {
            (Format::Psv, bytes) => {
                self.records(bytes, &mut rng, &mut rows, |r| psv::decode(V::GAME, r))
            }
            (Format::Hcpe, bytes) => {
                self.records(bytes, &mut rng, &mut rows, |r| hcpe::decode(V::GAME, r))
            }
            (_, bytes) => self.games(bytes, &mut rng, &mut rows).map_err(|e| e.to_string()),
        };
        read.map(|()| rows).map_err(|e| reader.wrong(unit, &e))
    }

    fn games(&mut self, bytes: &[u8], rng: &mut Rng, rows: &mut Rows) -> Result<(), TeacherError> {
        let mut cursor = std::mem::take(&mut self.cursor);
        let result = self.walk(&mut cursor, &Block::from_bytes(bytes)?, rng, rows);
        self.cursor = cursor;
        result
    }

    fn walk(
        &mut self,
        cursor: &mut Cursor<V>,
        block: &Block,
        rng: &mut Rng,
        rows: &mut Rows,
    ) -> Result<(), TeacherError> {
        cursor.open(block)?;
        rows.0.reserve(block.positions() as usize * self.plan.width());
        while cursor.next_game()? {
            let (outcome, plies) = (cursor.head().outcome, cursor.head().plies as usize);
            if !self.plan.sieve.passes_length(plies) {
                continue;
            }
            self.course.clear();
            self.kept.clear();
            while let Some(sample) = cursor.next_position()? {
                if let Some(score) = sample.score {
                    let (position, mv, flags) = (sample.position, sample.mv, sample.flags);
                    let start = rows.0.len();
                    self.push(&Labels { position, mv, score, flags, outcome }, rng, rows);
                    if rows.0.len() > start {
                        self.kept.push((self.course.len(), start));
                    }
                }
                self.course.push(sample.score);
            }
            self.look_ahead(rows);
        }
        Ok(())
    }

    /// Replaces the scores of a game's rows by means of their own and the later ones.
    fn look_ahead(&self, rows: &mut Rows) {
        let Scores { n_step, .. } = self.plan.scores;
        if n_step == 0.0 {
            return;
        }
        let mut kept = self.kept.iter().rev().peekable();
        // For the side to move at the position that is looked at.
        let mut mean = None;
        for (index, score) in self.course.iter().enumerate().rev() {
            let later = mean.map(|later: f64| -later);
            let own = score.map(|score| f64::from(self.plan.scores.limited(score)));
            mean = match (own, later) {
                (Some(own), Some(later)) => Some((1.0 - n_step) * own + n_step * later),
                // A random move, which has no score, changes what the scores before it meant.
                (own, _) => own,
            };
            if let (Some(&(_, start)), Some(mean)) = (kept.next_if(|row| row.0 == index), mean) {
                rows.0[start + SCORE] = mean.round() as i16 as u16;
            }
        }
    }

    fn records<const N: usize>(
        &mut self,
        bytes: &[u8],
        rng: &mut Rng,
        rows: &mut Rows,
        decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError>,
    ) -> Result<(), String> {
        let (mut bad, mut first) = (0u64, None);
        for (number, record) in bytes.as_chunks::<N>().0.iter().enumerate() {
            match decode(record) {
                Ok(read) => {
                    let position: &dyn Any = match &read.position {
                        AnyPosition::Shogi(p) => p,
                        AnyPosition::Minishogi(p) => p,
                    };
                    let Some(position) = position.downcast_ref::<Position<V>>() else { continue };
                    let (mv, score, outcome) = (read.mv, read.score, read.outcome);
                    let flags = Flags::default();
                    self.push(&Labels { position, mv, score, flags, outcome }, rng, rows);
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

    /// Adds a position if it is meant for training and passes.
    fn push(&mut self, labels: &Labels<'_, V>, rng: &mut Rng, rows: &mut Rows) {
        let Labels { position, mv, score, flags, outcome } = *labels;
        let sieve = &self.plan.sieve;
        if !sieve.passes_outcome(outcome) || sieve.trains(position, mv, Some(score), flags).is_err()
        {
            return;
        }
        let mirror = self.plan.mirror && rng.bits() >> 63 == 1;
        let turn = position.turn();
        let start = rows.0.len();
        rows.0.resize(start + FIXED, 0);
        let own = self.side(position, turn, mirror, rows);
        let other = self.side(position, turn.opponent(), mirror, rows);
        let fixed = &mut rows.0[start..start + FIXED];
        (fixed[0], fixed[1]) = (own.0 as u16, (own.0 >> 16) as u16);
        (fixed[2], fixed[3]) = (other.0 as u16, (other.0 >> 16) as u16);
        fixed[SCORE] = self.plan.scores.limited(score) as u16;
        fixed[5] = position.ply().min(u32::from(u16::MAX)) as u16;
        let result = outcome.for_side(turn).unwrap_or(UNKNOWN);
        fixed[6] = u16::from_le_bytes([result as u8, turn.index() as u8]);
        fixed[7] = u16::from_le_bytes([own.1, other.1]);
    }

    /// Appends the features of one side; gives their base and how many there are.
    fn side(
        &mut self,
        position: &Position<V>,
        side: Color,
        mirror: bool,
        rows: &mut Rows,
    ) -> (u32, u8) {
        self.list.clear();
        active::<V, F>(position, side, &mut self.list);
        // A king that is not there counts as one on square 0: see `features::View`.
        let king = position.king(side).map_or(0, |sq| Numbering::of(V::GAME).orient(side, sq));
        let base = F::offset(king);
        let count = self.list.len().min(self.plan.slots);
        let pieces = self.plan.pieces;
        rows.0.extend(self.list[..count].iter().map(|&feature| {
            let rest = feature as usize - base;
            let (piece, attacks) = match F::EFFECT_STRIDE {
                0 => (rest, 0),
                stride => (rest % stride, rest / stride),
            };
            let piece = if mirror { usize::from(self.plan.mirrored[piece]) } else { piece };
            (piece + attacks * pieces) as u16
        }));
        rows.0.resize(rows.0.len() + self.plan.slots - count, NONE);
        let there = position.king(side).is_some();
        let king = if mirror && there { mirrored(V::GAME, king) } else { king };
        (F::offset(king) as u32, count as u8)
    }
}

fn mirrored(game: Game, square: usize) -> usize {
    Square::new(square).mirrored(game).index()
}
