//! A position with the history that led to it.

use crate::bits::Bits;
use crate::{Color, Delta, Hand, Kind, Move, Piece, Square, Variant, zobrist};
use std::fmt;

/// Index in `Position::kinds` of everything that moves like a gold.
const GOLDS: usize = 15;
/// The numbers of these kinds: gold, and promoted pawn, lance, knight and silver.
const GOLDEN: [usize; 5] = [7, 9, 10, 11, 12];

/// What changes with every move and is restored, not recomputed, by `undo`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<B> {
    pub(crate) board_key: u64,
    pub(crate) hand_key: u64,
    pub(crate) hands: [Hand; 2],
    /// Enemy pieces that give check to the side to move.
    pub(crate) checkers: B,
    /// Own pieces of the side to move that shield its king from a slider.
    pub(crate) pinned: B,
    /// The move that led here; `None` at the root and after a null move.
    pub(crate) last: Option<Delta>,
    /// How many moves in a row each colour has given check, up to this position.
    pub(crate) check_run: [u16; 2],
    /// Plies since the root of the history or the last null move.
    pub(crate) reversible: u32,
}

/// A position of game `V`: board, hands, side to move, and every earlier position of the game.
#[derive(Clone)]
pub struct Position<V: Variant> {
    pub(crate) board: V::PerSquare<Piece>,
    pub(crate) kinds: [V::Bits; 16],
    pub(crate) colors: [V::Bits; 2],
    pub(crate) kings: [Square; 2],
    pub(crate) turn: Color,
    pub(crate) ply: u32,
    pub(crate) state: State<V::Bits>,
    pub(crate) history: Vec<State<V::Bits>>,
    /// Points of pieces each side lacked at the start of the game (see `declaration`).
    pub(crate) given: [u8; 2],
    /// Set up leniently: several pawns of one side may stand on a file.
    pub(crate) stacked: bool,
}

impl<V: Variant> Position<V> {
    /// An empty board, Black to move: the beginning of every reader.
    pub(crate) fn empty() -> Self {
        Self {
            board: V::filled(Piece::NONE),
            kinds: [V::Bits::EMPTY; 16],
            colors: [V::Bits::EMPTY; 2],
            kings: [Square::NONE; 2],
            turn: Color::Black,
            ply: 1,
            state: State {
                board_key: 0,
                hand_key: 0,
                hands: [Hand::EMPTY; 2],
                checkers: V::Bits::EMPTY,
                pinned: V::Bits::EMPTY,
                last: None,
                check_run: [0; 2],
                reversible: 0,
            },
            history: Vec::new(),
            given: [0; 2],
            stacked: false,
        }
    }

    /// The start position of an even game.
    pub fn startpos() -> Self {
        Self::from_sfen(V::START).expect("the start position is a constant")
    }

    /// Who moves next.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The number of the next move; 1 at the start of a game.
    #[inline]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// How many moves were played since the position was set up.
    #[inline]
    pub fn played(&self) -> usize {
        self.history.len()
    }

    /// What stands on a square.
    #[inline]
    pub fn piece_at(&self, sq: Square) -> Piece {
        self.board[sq.index()]
    }

    /// A player's pieces in hand.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.state.hands[color.index()]
    }

    /// A player's king, if it is on the board.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        let sq = self.kings[color.index()];
        (!sq.is_none()).then_some(sq)
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> V::Bits {
        self.colors[0] | self.colors[1]
    }

    /// A player's pieces.
    #[inline]
    pub fn pieces(&self, color: Color) -> V::Bits {
        self.colors[color.index()]
    }

    /// A player's pieces of one kind.
    #[inline]
    pub fn pieces_of(&self, color: Color, kind: Kind) -> V::Bits {
        self.kinds[kind.index()] & self.colors[color.index()]
    }

    /// Both players' pieces of one kind.
    #[inline]
    pub fn kind(&self, kind: Kind) -> V::Bits {
        self.kinds[kind.index()]
    }

    /// Everything that moves like a gold, of both players.
    #[inline]
    pub fn golds(&self) -> V::Bits {
        self.kinds[GOLDS]
    }

    /// Pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> V::Bits {
        self.state.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.state.checkers.any()
    }

    /// Pieces of the side to move that may not leave the line to their king.
    #[inline]
    pub fn pinned(&self) -> V::Bits {
        self.state.pinned
    }

    /// Key of board and side to move, without hands.
    #[inline]
    pub fn board_key(&self) -> u64 {
        self.state.board_key
    }

    /// Key of both hands.
    #[inline]
    pub fn hand_key(&self) -> u64 {
        self.state.hand_key
    }

    /// Key of the whole position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.state.board_key ^ self.state.hand_key
    }

    /// What the last move changed, if one was played since the position was set up.
    #[inline]
    pub fn last(&self) -> Option<Delta> {
        self.state.last
    }

    /// The moves played since the position was set up, oldest first; null moves appear as
    /// [`Move::NULL`].
    pub fn moves_played(&self) -> Vec<Move> {
        let states = self.history.iter().skip(1).chain(std::iter::once(&self.state));
        let take = self.history.len();
        states.take(take).map(|s| s.last.map_or(Move::NULL, |d| d.to_move())).collect()
    }

    /// Adds a piece to the board; keys follow.
    #[inline]
    pub(crate) fn put(&mut self, piece: Piece, sq: Square) {
        self.set_back(piece, sq);
        self.state.board_key ^= zobrist::board(piece, sq);
    }

    /// Adds pieces to an empty board; keys follow.
    #[inline]
    pub(crate) fn put_all(&mut self, pieces: impl Iterator<Item = (Piece, Square)>) {
        for (piece, sq) in pieces {
            let bit = V::Bits::of(sq);
            self.kinds[piece.kind_index()] |= bit;
            self.colors[piece.index() >> 4] |= bit;
            self.board[sq.index()] = piece;
            self.state.board_key ^= zobrist::board(piece, sq);
        }
        self.kinds[GOLDS] = GOLDEN.iter().fold(V::Bits::EMPTY, |all, &kind| all | self.kinds[kind]);
    }

    /// Takes the piece off a square; keys follow.
    #[inline]
    pub(crate) fn lift(&mut self, piece: Piece, sq: Square) {
        self.take_off(piece, sq);
        self.state.board_key ^= zobrist::board(piece, sq);
    }

    /// Adds a piece to the board where the key is known already.
    #[inline]
    pub(crate) fn set_back(&mut self, piece: Piece, sq: Square) {
        self.toggle(piece, sq);
        self.board[sq.index()] = piece;
    }

    /// Takes the piece off a square where the key is known already.
    #[inline]
    pub(crate) fn take_off(&mut self, piece: Piece, sq: Square) {
        self.toggle(piece, sq);
        self.board[sq.index()] = Piece::NONE;
    }

    /// Flips the piece in every set.
    #[inline]
    fn toggle(&mut self, piece: Piece, sq: Square) {
        let bit = V::Bits::of(sq);
        let kind = piece.kind_index();
        self.kinds[kind] ^= bit;
        self.colors[piece.index() >> 4] ^= bit;
        // Gold is 7; promoted pawn to silver are 9 to 12.
        if kind == 7 || (9..13).contains(&kind) {
            self.kinds[GOLDS] ^= bit;
        }
    }

    /// Computes from scratch what `play` keeps up to date. Called once after setting up.
    pub(crate) fn settle(&mut self) {
        for color in Color::BOTH {
            let king = self.pieces_of(color, Kind::King);
            self.kings[color.index()] = if king.any() { king.first() } else { Square::NONE };
        }
        self.state.hand_key = zobrist::hands(self.state.hands);
        if self.turn == Color::White {
            self.state.board_key ^= zobrist::turn();
        }
        self.look_at_king();
        if self.in_check() {
            // Whatever came before, the last move gave check.
            self.state.check_run[self.turn.opponent().index()] = 1;
        }
        self.given = self.points_given();
    }

    /// Finds checkers and pins of the side to move. Sliders are found from the king outwards: one
    /// pass over the few pieces aiming at it gives both, without computing a sliding attack.
    #[inline]
    pub(crate) fn look_at_king(&mut self) {
        let us = self.turn;
        let king = self.kings[us.index()];
        if king.is_none() {
            self.state.checkers = V::Bits::EMPTY;
            self.state.pinned = V::Bits::EMPTY;
            return;
        }
        let them = self.colors[us.opponent().index()];
        let kinds = &self.kinds;
        let near = V::reach(us, Kind::Pawn, king) & kinds[Kind::Pawn.index()]
            | V::reach(us, Kind::Knight, king) & kinds[Kind::Knight.index()]
            | V::reach(us, Kind::Silver, king) & kinds[Kind::Silver.index()]
            | V::reach(us, Kind::Gold, king) & kinds[GOLDS]
            | V::reach(us, Kind::King, king)
                & (kinds[Kind::Horse.index()] | kinds[Kind::Dragon.index()]);
        let mut checkers = near & them;
        let mut pinned = V::Bits::EMPTY;
        let occupied = self.occupied();
        self.snipers(us.opponent(), king).each(|sniper| {
            let shield = V::between(king, sniper) & occupied;
            if shield.is_empty() {
                checkers |= V::Bits::of(sniper);
            } else if !shield.many() {
                pinned |= shield;
            }
        });
        self.state.checkers = checkers;
        self.state.pinned = pinned & self.colors[us.index()];
    }

    /// Sliders of `color` that would attack `sq` on an otherwise empty board.
    #[inline]
    pub fn snipers(&self, color: Color, sq: Square) -> V::Bits {
        let k = &self.kinds;
        let bishops = k[Kind::Bishop.index()] | k[Kind::Horse.index()];
        let rooks = k[Kind::Rook.index()] | k[Kind::Dragon.index()];
        (V::reach(color, Kind::Bishop, sq) & bishops
            | V::reach(color, Kind::Rook, sq) & rooks
            | V::reach(color.opponent(), Kind::Lance, sq) & k[Kind::Lance.index()])
            & self.colors[color.index()]
    }

    /// Pieces of `side` that alone stand between `king` and a slider of `slider_color`: pinned
    /// if `side` owns the king, able to discover check if `side` owns the slider.
    #[inline]
    pub fn shields(&self, slider_color: Color, king: Square, side: Color) -> V::Bits {
        let mut set = V::Bits::EMPTY;
        let occupied = self.occupied();
        self.snipers(slider_color, king).each(|sniper| {
            let shield = V::between(king, sniper) & occupied;
            if shield.any() && !shield.many() {
                set |= shield;
            }
        });
        set & self.colors[side.index()]
    }

    /// Pieces of one player that attack `sq`, given which squares are occupied.
    #[inline]
    pub fn attackers_of(&self, color: Color, sq: Square, occupied: V::Bits) -> V::Bits {
        let k = &self.kinds;
        let bishops = k[Kind::Bishop.index()] | k[Kind::Horse.index()];
        let rooks = k[Kind::Rook.index()] | k[Kind::Dragon.index()];
        (self.stepping_attackers(color, sq)
            | V::bishop_attacks(sq, occupied) & bishops
            | V::rook_attacks(sq, occupied) & rooks
            | V::lance_attacks(color.opponent(), sq, occupied) & k[Kind::Lance.index()])
            & self.colors[color.index()]
    }

    /// Attackers of `sq` by one step or a knight's jump, of both colours' sets (the caller masks
    /// by colour).
    #[inline]
    pub fn stepping_attackers(&self, color: Color, sq: Square) -> V::Bits {
        let k = &self.kinds;
        let them = color.opponent();
        V::reach(them, Kind::Pawn, sq) & k[Kind::Pawn.index()]
            | V::reach(them, Kind::Knight, sq) & k[Kind::Knight.index()]
            | V::reach(them, Kind::Silver, sq) & k[Kind::Silver.index()]
            | V::reach(them, Kind::Gold, sq) & k[GOLDS]
            | V::reach(them, Kind::King, sq)
                & (k[Kind::King.index()] | k[Kind::Horse.index()] | k[Kind::Dragon.index()])
    }

    /// Whether one player attacks `sq`, given which squares are occupied.
    #[inline]
    pub fn is_attacked(&self, color: Color, sq: Square, occupied: V::Bits) -> bool {
        let own = self.colors[color.index()];
        if (self.stepping_attackers(color, sq) & own).any() {
            return true;
        }
        // Sliding attacks only where a slider shares a line with the square at all.
        let snipers = self.snipers(color, sq);
        if snipers.is_empty() {
            return false;
        }
        let mut attacked = false;
        snipers.each(|s| attacked |= (V::between(sq, s) & occupied).is_empty());
        attacked
    }

    /// Files on which a player may drop a pawn: those without one.
    #[inline]
    pub fn pawnless_files(&self, color: Color) -> V::Bits {
        self.pawnless_files_after(color, V::Bits::EMPTY)
    }

    /// The same when the pawns on these squares are gone.
    #[inline]
    pub fn pawnless_files_after(&self, color: Color, gone: V::Bits) -> V::Bits {
        let mut pawns = self.pieces_of(color, Kind::Pawn) & !gone;
        if !self.stacked {
            return V::Bits::files_without(pawns);
        }
        // The fast way counts on one pawn a file: hand it one of each.
        let mut firsts = V::Bits::EMPTY;
        let mut file = usize::MAX;
        while pawns.any() {
            let sq = pawns.pop();
            if sq.index() / V::SIZE != file {
                file = sq.index() / V::SIZE;
                firsts |= V::Bits::of(sq);
            }
        }
        V::Bits::files_without(firsts)
    }

    /// The same position without its history: what a position command without moves would give.
    #[must_use]
    pub fn without_history(&self) -> Self {
        let mut state = State { last: None, reversible: 0, check_run: [0; 2], ..self.state };
        if self.in_check() {
            state.check_run[self.turn.opponent().index()] = 1;
        }
        // The history is left behind, not copied first: it may be long, and readers of records ask
        // for this at every move.
        Self { board: self.board.clone(), history: Vec::new(), state, ..*self }
    }
}

impl<V: Variant> PartialEq for Position<V> {
    /// Same board, hands, side to move and move number; the way there does not matter.
    fn eq(&self, other: &Self) -> bool {
        self.board.as_ref() == other.board.as_ref()
            && self.state.hands == other.state.hands
            && self.turn == other.turn
            && self.ply == other.ply
    }
}

impl<V: Variant> Eq for Position<V> {}

impl<V: Variant> fmt::Debug for Position<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.sfen())
    }
}
