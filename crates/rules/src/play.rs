//! Playing moves and taking them back.

use crate::bits::Bits;
use crate::position::{Position, State};
use crate::{Color, Delta, Kind, Move, Piece, Square, Variant, zobrist};

impl Delta {
    /// The move that made this difference.
    #[inline]
    pub fn to_move(&self) -> Move {
        if self.from.is_none() {
            Move::drop(self.placed.kind().unwrap_or(Kind::Pawn), self.to)
        } else {
            Move::board(self.from, self.to, self.lifted != self.placed)
        }
    }
}

impl<V: Variant> Position<V> {
    /// Plays a legal move and says what changed.
    ///
    /// The move must be legal (see [`Position::is_legal`]): nothing is checked here.
    #[inline]
    pub fn play(&mut self, m: Move) -> Delta {
        self.history.push(self.state);
        let us = self.turn;
        let to = m.to();
        let delta = match m.dropped() {
            Some(kind) => self.play_drop(us, kind, to),
            None => self.play_board(us, m.from(), to, m.is_promotion()),
        };
        self.state.board_key ^= zobrist::turn();
        self.state.last = Some(delta);
        self.state.reversible += 1;
        self.turn = us.opponent();
        self.ply += 1;
        self.look_at_king();
        let run = &mut self.state.check_run[us.index()];
        *run = if self.state.checkers.any() { run.saturating_add(1) } else { 0 };
        delta
    }

    #[inline]
    fn play_drop(&mut self, us: Color, kind: Kind, to: Square) -> Delta {
        let hand = &mut self.state.hands[us.index()];
        let copy = hand.count(kind) as u8;
        hand.remove(kind);
        self.state.hand_key = self.state.hand_key.wrapping_sub(zobrist::hand(us, kind));
        let placed = Piece::new(us, kind);
        self.put(placed, to);
        Delta {
            color: us,
            from: Square::NONE,
            to,
            lifted: Piece::NONE,
            placed,
            captured: Piece::NONE,
            copy,
        }
    }

    #[inline]
    fn play_board(&mut self, us: Color, from: Square, to: Square, promote: bool) -> Delta {
        let lifted = self.piece_at(from);
        let captured = self.piece_at(to);
        let mut copy = 0;
        if let Some(kind) = captured.kind() {
            self.lift(captured, to);
            let kind = kind.unpromoted();
            let hand = &mut self.state.hands[us.index()];
            hand.add(kind);
            copy = hand.count(kind) as u8;
            self.state.hand_key = self.state.hand_key.wrapping_add(zobrist::hand(us, kind));
        }
        let placed = if promote { lifted.promoted() } else { lifted };
        self.lift(lifted, from);
        self.put(placed, to);
        if lifted.kind_index() == Kind::King.index() {
            self.kings[us.index()] = to;
        }
        Delta { color: us, from, to, lifted, placed, captured, copy }
    }

    /// Takes the last move (or null move) back. Does nothing if none was played.
    #[inline]
    pub fn undo(&mut self) {
        let Some(before) = self.history.pop() else { return };
        self.turn = self.turn.opponent();
        self.ply -= 1;
        if let Some(d) = self.state.last {
            // Keys come back with the state.
            self.take_off(d.placed, d.to);
            if !d.from.is_none() {
                self.set_back(d.lifted, d.from);
                if d.lifted.kind_index() == Kind::King.index() {
                    self.kings[d.color.index()] = d.from;
                }
            }
            if d.captured.is_some() {
                self.set_back(d.captured, d.to);
            }
        }
        self.state = before;
    }

    /// Passes. Only for searches, and only when not in check; `undo` takes it back.
    #[inline]
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check());
        self.history.push(self.state);
        self.state.board_key ^= zobrist::turn();
        self.state.last = None;
        self.state.reversible = 0;
        self.state.check_run[self.turn.index()] = 0;
        self.turn = self.turn.opponent();
        self.ply += 1;
        self.look_at_king();
    }

    /// The piece that moves or is dropped, as it stands after the move.
    #[inline]
    pub fn moved_piece(&self, m: Move) -> Piece {
        match m.dropped() {
            Some(kind) => Piece::new(self.turn, kind),
            None => {
                let piece = self.piece_at(m.from());
                if m.is_promotion() { piece.promoted() } else { piece }
            }
        }
    }

    /// The key after a move, without playing it: enough to fetch a table entry early.
    #[inline]
    pub fn key_after(&self, m: Move) -> u64 {
        let us = self.turn;
        let mut board = self.state.board_key ^ zobrist::turn();
        let mut hand = self.state.hand_key;
        let to = m.to();
        match m.dropped() {
            Some(kind) => {
                board ^= zobrist::board(Piece::new(us, kind), to);
                hand = hand.wrapping_sub(zobrist::hand(us, kind));
            }
            None => {
                let lifted = self.piece_at(m.from());
                let captured = self.piece_at(to);
                let placed = if m.is_promotion() { lifted.promoted() } else { lifted };
                board ^= zobrist::board(lifted, m.from()) ^ zobrist::board(placed, to);
                if let Some(kind) = captured.kind() {
                    board ^= zobrist::board(captured, to);
                    hand = hand.wrapping_add(zobrist::hand(us, kind.unpromoted()));
                }
            }
        }
        board ^ hand
    }

    /// The board key after a move, without playing it (see [`Position::board_key`]).
    #[inline]
    pub fn board_key_after(&self, m: Move) -> u64 {
        let to = m.to();
        let board = self.state.board_key ^ zobrist::turn();
        if let Some(kind) = m.dropped() {
            return board ^ zobrist::board(Piece::new(self.turn, kind), to);
        }
        let lifted = self.piece_at(m.from());
        let captured = self.piece_at(to);
        let placed = if m.is_promotion() { lifted.promoted() } else { lifted };
        let board = board ^ zobrist::board(lifted, m.from()) ^ zobrist::board(placed, to);
        if captured.is_some() { board ^ zobrist::board(captured, to) } else { board }
    }

    /// States of the game from the first to the present one.
    pub(crate) fn states(&self) -> impl DoubleEndedIterator<Item = &State<V::Bits>> {
        self.history.iter().chain(std::iter::once(&self.state))
    }

    /// Checks every redundant piece of information against the board. For tests and debug builds.
    ///
    /// # Panics
    /// If something does not agree.
    pub fn assert_consistent(&self) {
        let mut fresh = Self::empty();
        for i in 0..V::SQUARES {
            let (sq, piece) = (Square::new(i), self.board[i]);
            if piece.is_some() {
                fresh.put(piece, sq);
            }
        }
        fresh.turn = self.turn;
        fresh.state.hands = self.state.hands;
        fresh.settle();
        assert_eq!(fresh.kinds, self.kinds);
        assert_eq!(fresh.colors, self.colors);
        assert_eq!(fresh.kings, self.kings);
        assert_eq!(fresh.key(), self.key());
        assert_eq!(fresh.board_key(), self.board_key());
        assert_eq!(fresh.checkers(), self.checkers());
        assert_eq!(fresh.pinned(), self.pinned());
        assert!(self.state.checkers.is_empty() || self.state.check_run.iter().any(|&n| n > 0));
    }
}
