//! The evaluator: lists of pieces kept in step with the board, sums updated by difference when
//! a value is asked for.

use super::{FV_SCALE, Tables};
use crate::material::gain;
use crate::{Evaluator, MAX_VALUE, PIECE_VALUES, material};
use features::Numbering;
use rules::{Color, Delta, Kind, Position, Square, Variant};
use simd::{Gather, Isa};
use std::sync::Arc;

/// Pieces besides kings in a complete game of 9×9: the length of a list.
const LIST: usize = 38;
/// Changed pieces up to which a difference is taken; two come with a capture.
const MOST_CHANGED: usize = 8;
/// Numbers of pieces, at most.
const NUMBERS: usize = 1548;

/// A piece's numbers in Black's and in White's view.
type Numbers = [u16; 2];

/// A piece that went from one place to another.
#[derive(Clone, Copy)]
struct Change {
    slot: u8,
    old: Numbers,
    new: Numbers,
}

const NOTHING: Change = Change { slot: 0, old: [0; 2], new: [0; 2] };

/// Sums of king-piece-piece for Black and White, and of both kings with everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Sums([[i32; 2]; 3]);

/// One ply.
#[derive(Clone, Copy)]
struct Frame {
    changes: [Change; 2],
    changed: u8,
    /// King squares: Black's, and White's unrotated.
    kings: [u8; 2],
    material: i32,
    sums: Option<Sums>,
}

/// A three-piece evaluation (see [`crate::Kppt`] and [`crate::KppKkpt`]).
pub struct ThreePiece<V: Variant, const TEMPO: bool> {
    tables: Arc<Tables<V, TEMPO>>,
    gather: Gather,
    /// The pieces in Black's and in White's view, slot by slot. A piece keeps its slot.
    lists: [[u32; LIST]; 2],
    /// Slots in use: 38 on 9×9, 10 on 5×5. Absent pieces have number 0.
    len: usize,
    /// The slot of the piece with a number in Black's view.
    slots: Box<[u8; NUMBERS]>,
    frames: Vec<Frame>,
}

impl<V: Variant, const TEMPO: bool> ThreePiece<V, TEMPO> {
    /// The same evaluator with another instruction set.
    #[must_use]
    pub fn with_isa(mut self, isa: Isa) -> Self {
        self.gather = Gather::new(isa);
        self
    }

    fn board(piece: rules::Piece, sq: Square) -> Numbers {
        let n = Numbering::of(V::GAME);
        Color::BOTH.map(|side| n.board(side, piece, sq) as u16)
    }

    fn hand(owner: Color, kind: Kind, copy: usize) -> Numbers {
        let n = Numbering::of(V::GAME);
        Color::BOTH.map(|side| n.hand(side, owner, kind, copy) as u16)
    }

    /// Square of a king; a missing one counts as on square 0 of its own view.
    fn king(pos: &Position<V>, color: Color) -> u8 {
        let missing = if color == Color::Black { 0 } else { V::SQUARES - 1 };
        pos.king(color).map_or(missing, Square::index) as u8
    }

    fn list_pieces(&mut self, pos: &Position<V>) {
        self.len = V::PIECES[1..Kind::King.index()].iter().sum::<usize>().min(LIST);
        self.lists = [[0; LIST]; 2];
        let mut slot = 0;
        let mut add = |numbers: Numbers| {
            if slot < self.len {
                self.lists[0][slot] = u32::from(numbers[0]);
                self.lists[1][slot] = u32::from(numbers[1]);
                self.slots[usize::from(numbers[0])] = slot as u8;
                slot += 1;
            }
        };
        for sq in Square::all(V::GAME) {
            let piece = pos.piece_at(sq);
            if piece.kind().is_some_and(|k| k != Kind::King) {
                add(Self::board(piece, sq));
            }
        }
        for owner in Color::BOTH {
            for kind in Kind::HAND {
                for copy in 1..=pos.hand(owner).count(kind) {
                    add(Self::hand(owner, kind, copy));
                }
            }
        }
    }

    fn put(&mut self, slot: u8, numbers: Numbers) {
        self.lists[0][usize::from(slot)] = u32::from(numbers[0]);
        self.lists[1][usize::from(slot)] = u32::from(numbers[1]);
        self.slots[usize::from(numbers[0])] = slot;
    }

    #[inline]
    fn sum(&self, king: usize, piece: u32, list: &[u32]) -> [i32; 2] {
        let row = self.tables.row(king, piece as usize);
        if TEMPO {
            self.gather.pairs(&row[..row.len() - 1], list)
        } else {
            [self.gather.singles(row, list), 0]
        }
    }

    /// King of a side as its own table wants it.
    fn own_king(kings: [u8; 2], side: usize) -> usize {
        if side == 0 { usize::from(kings[0]) } else { V::SQUARES - 1 - usize::from(kings[1]) }
    }

    /// King-piece-piece of one side from nothing.
    fn full_kpp(&self, kings: [u8; 2], side: usize) -> [i32; 2] {
        let king = Self::own_king(kings, side);
        let list = &self.lists[side][..self.len];
        let mut sum = [0; 2];
        for (i, &piece) in list.iter().enumerate().skip(1) {
            add(&mut sum, self.sum(king, piece, &list[..i]));
        }
        sum
    }

    /// Both kings and everything from nothing.
    fn full_kkp(&self, kings: [u8; 2]) -> [i32; 2] {
        let (black, white) = (usize::from(kings[0]), usize::from(kings[1]));
        let mut sum = self.tables.kk(black, white);
        for &piece in &self.lists[0][..self.len] {
            add(&mut sum, self.tables.kkp(black, white, piece as usize));
        }
        sum
    }

    fn full(&self, kings: [u8; 2]) -> Sums {
        Sums([self.full_kpp(kings, 0), self.full_kpp(kings, 1), self.full_kkp(kings)])
    }

    /// What changed pieces make different in one side's king-piece-piece: their relations to
    /// the pieces that did not change, and among themselves.
    fn kpp_difference(&self, kings: [u8; 2], side: usize, changes: &[Change]) -> [i32; 2] {
        let king = Self::own_king(kings, side);
        let mut others = self.lists[side];
        let mut len = self.len;
        for change in changes {
            // Slots come in descending order, so what is swapped in is never a changed one.
            len -= 1;
            others[usize::from(change.slot)] = others[len];
        }
        let others = &others[..len];
        let mut sum = [0; 2];
        for (i, a) in changes.iter().enumerate() {
            let (new, old) = (u32::from(a.new[side]), u32::from(a.old[side]));
            add(&mut sum, self.sum(king, new, others));
            subtract(&mut sum, self.sum(king, old, others));
            for b in &changes[..i] {
                let kpp = |x: u32, y: u16| self.tables.kpp(king, x as usize, usize::from(y));
                add(&mut sum, kpp(new, b.new[side]));
                subtract(&mut sum, kpp(old, b.old[side]));
            }
        }
        sum
    }

    fn kkp_difference(&self, kings: [u8; 2], changes: &[Change]) -> [i32; 2] {
        let (black, white) = (usize::from(kings[0]), usize::from(kings[1]));
        let mut sum = [0; 2];
        for change in changes {
            add(&mut sum, self.tables.kkp(black, white, usize::from(change.new[0])));
            subtract(&mut sum, self.tables.kkp(black, white, usize::from(change.old[0])));
        }
        sum
    }

    /// The sums of the current ply.
    fn sums(&mut self) -> Sums {
        let top = self.frames.len() - 1;
        if let Some(sums) = self.frames[top].sums {
            return sums;
        }
        let sums = self.by_difference(top).unwrap_or_else(|| self.full(self.frames[top].kings));
        self.frames[top].sums = Some(sums);
        sums
    }

    /// The sums by difference from the last ply that has any, if few pieces changed since.
    fn by_difference(&self, top: usize) -> Option<Sums> {
        let base = self.frames.iter().rposition(|f| f.sums.is_some())?;
        let mut sums = self.frames[base].sums?;
        let mut changes = [NOTHING; MOST_CHANGED];
        let mut count = 0;
        for frame in &self.frames[base + 1..=top] {
            for &change in &frame.changes[..usize::from(frame.changed)] {
                let known = changes[..count].iter().position(|c| c.slot == change.slot);
                match known {
                    Some(earlier) => changes[earlier].new = change.new,
                    None if count == MOST_CHANGED => return None,
                    None => {
                        changes[count] = change;
                        count += 1;
                    }
                }
            }
        }
        let changes = &mut changes[..count];
        changes.sort_unstable_by_key(|c| std::cmp::Reverse(c.slot));
        let (before, kings) = (self.frames[base].kings, self.frames[top].kings);
        for side in 0..2 {
            if before[side] == kings[side] {
                add(&mut sums.0[side], self.kpp_difference(kings, side, changes));
            } else {
                sums.0[side] = self.full_kpp(kings, side);
            }
        }
        if before == kings {
            add(&mut sums.0[2], self.kkp_difference(kings, changes));
        } else {
            sums.0[2] = self.full_kkp(kings);
        }
        Some(sums)
    }
}

#[inline]
fn add(to: &mut [i32; 2], x: [i32; 2]) {
    to[0] = to[0].wrapping_add(x[0]);
    to[1] = to[1].wrapping_add(x[1]);
}

#[inline]
fn subtract(from: &mut [i32; 2], x: [i32; 2]) {
    from[0] = from[0].wrapping_sub(x[0]);
    from[1] = from[1].wrapping_sub(x[1]);
}

impl<V: Variant, const TEMPO: bool> Evaluator<V> for ThreePiece<V, TEMPO> {
    type Weights = Tables<V, TEMPO>;

    fn new(tables: Arc<Tables<V, TEMPO>>) -> Self {
        let root =
            Frame { changes: [NOTHING; 2], changed: 0, kings: [0; 2], material: 0, sums: None };
        Self {
            tables,
            gather: Gather::new(Isa::best()),
            lists: [[0; LIST]; 2],
            len: 0,
            slots: Box::new([0; NUMBERS]),
            frames: vec![root],
        }
    }

    fn refresh(&mut self, pos: &Position<V>) {
        self.list_pieces(pos);
        self.frames.truncate(1);
        let root = &mut self.frames[0];
        root.changed = 0;
        root.kings = Color::BOTH.map(|c| Self::king(pos, c));
        root.material = material(pos, &PIECE_VALUES);
        root.sums = None;
    }

    fn push(&mut self, delta: &Delta) {
        let mut frame = self.frames[self.frames.len() - 1];
        frame.sums = None;
        frame.changed = 0;
        let gain = gain(delta, &PIECE_VALUES);
        frame.material += if delta.color == Color::Black { gain } else { -gain };
        let copy = usize::from(delta.copy);
        let mut go = |old: Numbers, new: Numbers| {
            let slot = self.slots[usize::from(old[0])];
            frame.changes[usize::from(frame.changed)] = Change { slot, old, new };
            frame.changed += 1;
            self.put(slot, new);
        };
        if let Some(kind) = delta.captured.kind() {
            let old = Self::board(delta.captured, delta.to);
            go(old, Self::hand(delta.color, kind.unpromoted(), copy));
        }
        if delta.placed.kind_index() == Kind::King.index() {
            frame.kings[delta.color.index()] = delta.to.index() as u8;
        } else if delta.lifted.is_some() {
            go(Self::board(delta.lifted, delta.from), Self::board(delta.placed, delta.to));
        } else if let Some(kind) = delta.placed.kind() {
            go(Self::hand(delta.color, kind, copy), Self::board(delta.placed, delta.to));
        }
        self.frames.push(frame);
    }

    fn pop(&mut self) {
        if self.frames.len() < 2 {
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        for change in frame.changes[..usize::from(frame.changed)].iter().rev() {
            self.put(change.slot, change.old);
        }
    }

    fn evaluate(&mut self, pos: &Position<V>) -> i32 {
        let Sums([black, white, both]) = self.sums();
        let frame = &self.frames[self.frames.len() - 1];
        debug_assert_eq!(Sums([black, white, both]), self.full(frame.kings), "{}", pos.sfen());
        let board = black[0]
            .wrapping_sub(white[0])
            .wrapping_add(both[0])
            .wrapping_add(frame.material * FV_SCALE);
        let tempo = black[1].wrapping_add(white[1]).wrapping_add(both[1]);
        let own = if pos.turn() == Color::Black { board } else { board.wrapping_neg() };
        (own.wrapping_add(tempo) / FV_SCALE).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

impl<V: Variant, const TEMPO: bool> std::fmt::Debug for ThreePiece<V, TEMPO> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ThreePiece(ply {})", self.frames.len() - 1)
    }
}
