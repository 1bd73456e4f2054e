//! The pieces of a position by slots, kept in step with a line of moves.
//!
//! Evaluations by relations of pieces share this book-keeping: every piece keeps its slot for
//! the whole game, a move changes one slot or two, and each ply remembers what changed and the
//! sums (`S`) computed there, if any were.

use crate::material::gain;
use crate::{PIECE_VALUES, material};
use features::Numbering;
use rules::{Color, Delta, Kind, Piece, Position, Square, Variant};
use std::marker::PhantomData;

/// Pieces besides kings in a complete game of 9×9: the length of a list.
const LIST: usize = 38;
/// Changed pieces up to which a difference may be taken; two come with a capture.
const MOST_CHANGED: usize = 8;
/// Numbers of pieces, at most.
const NUMBERS: usize = 1548;

/// A piece's numbers in Black's and in White's view.
pub(crate) type Numbers = [u16; 2];

/// A piece that went from one place to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) slot: u8,
    pub(crate) old: Numbers,
    pub(crate) new: Numbers,
}

const NOTHING: Change = Change { slot: 0, old: [0; 2], new: [0; 2] };

/// The changes between two plies, each piece once, slots descending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changes {
    changes: [Change; MOST_CHANGED],
    count: usize,
}

impl Changes {
    pub(crate) fn as_slice(&self) -> &[Change] {
        &self.changes[..self.count]
    }
}

/// One ply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<S> {
    changes: [Change; 2],
    changed: u8,
    /// King squares: Black's, and White's unrotated.
    pub(crate) kings: [u8; 2],
    /// Black less White.
    pub(crate) material: i32,
    /// What the evaluation computed here.
    pub(crate) sums: Option<S>,
}

/// The pieces and the plies.
pub(crate) struct Roster<V, S> {
    /// The pieces in Black's and in White's view, slot by slot.
    lists: [[u32; LIST]; 2],
    /// Slots in use: 38 on 9×9, 10 on 5×5. Absent pieces have number 0.
    len: usize,
    /// The slot of the piece with a number in Black's view.
    slots: Box<[u8; NUMBERS]>,
    frames: Vec<Frame<S>>,
    game: PhantomData<V>,
}

impl<V: Variant, S: Copy> Roster<V, S> {
    pub(crate) fn new() -> Self {
        let root =
            Frame { changes: [NOTHING; 2], changed: 0, kings: [0; 2], material: 0, sums: None };
        Self {
            lists: [[0; LIST]; 2],
            len: 0,
            slots: Box::new([0; NUMBERS]),
            frames: vec![root],
            game: PhantomData,
        }
    }

    /// The pieces in one side's view.
    #[inline]
    pub(crate) fn list(&self, side: usize) -> &[u32] {
        &self.lists[side][..self.len]
    }

    /// The pieces in one side's view without those that changed; the second is how many.
    #[inline]
    pub(crate) fn others(&self, side: usize, changes: &[Change]) -> ([u32; LIST], usize) {
        let mut others = self.lists[side];
        let mut len = self.len;
        for change in changes {
            // Slots come in descending order, so what is swapped in is never a changed one.
            len -= 1;
            others[usize::from(change.slot)] = others[len];
        }
        (others, len)
    }

    /// Plies since the root.
    pub(crate) fn ply(&self) -> usize {
        self.frames.len() - 1
    }

    /// The current ply.
    #[inline]
    pub(crate) fn top(&self) -> &Frame<S> {
        &self.frames[self.frames.len() - 1]
    }

    /// Notes what was computed for the current ply.
    #[inline]
    pub(crate) fn set_sums(&mut self, sums: S) {
        let top = self.frames.len() - 1;
        self.frames[top].sums = Some(sums);
    }

    /// The last ply with sums, those sums, and what changed since, unless that is too much.
    pub(crate) fn since_sums(&self) -> Option<(&Frame<S>, S, Changes)> {
        let base = self.frames.iter().rposition(|f| f.sums.is_some())?;
        let sums = self.frames[base].sums?;
        let mut changes = [NOTHING; MOST_CHANGED];
        let mut count = 0;
        for frame in &self.frames[base + 1..] {
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
        changes[..count].sort_unstable_by_key(|c| std::cmp::Reverse(c.slot));
        Some((&self.frames[base], sums, Changes { changes, count }))
    }

    fn board(piece: Piece, sq: Square) -> Numbers {
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

    /// Starts from a new root.
    pub(crate) fn refresh(&mut self, pos: &Position<V>) {
        self.list_pieces(pos);
        self.frames.truncate(1);
        let root = &mut self.frames[0];
        root.changed = 0;
        root.kings = Color::BOTH.map(|c| Self::king(pos, c));
        root.material = material(pos, &PIECE_VALUES);
        root.sums = None;
    }

    /// A move was played.
    pub(crate) fn push(&mut self, delta: &Delta) {
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

    /// The last move was taken back.
    pub(crate) fn pop(&mut self) {
        if self.frames.len() < 2 {
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        for change in frame.changes[..usize::from(frame.changed)].iter().rev() {
            self.put(change.slot, change.old);
        }
    }
}

/// Adds a pair of board and tempo value.
#[inline]
pub(crate) fn add(to: &mut [i32; 2], x: [i32; 2]) {
    to[0] = to[0].wrapping_add(x[0]);
    to[1] = to[1].wrapping_add(x[1]);
}

/// Takes a pair away.
#[inline]
pub(crate) fn subtract(from: &mut [i32; 2], x: [i32; 2]) {
    from[0] = from[0].wrapping_sub(x[0]);
    from[1] = from[1].wrapping_sub(x[1]);
}
