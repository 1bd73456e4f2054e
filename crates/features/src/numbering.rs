//! BonaPiece numbers: one number for "this piece of mine (or yours) stands here" and for "I (or
//! you) hold at least this many of that kind".
//!
//! Hand numbers come first: for every kind a run for the own hand and one for the enemy's, each
//! one longer than the most pieces there can be (the tables the field inherited count from zero
//! pieces). Number 0 is "a piece that is not in the game". Board numbers follow: for every kind
//! a run of squares for own pieces and one for enemy pieces; all that moves like a gold counts
//! as gold. Kings come last, beyond [`Numbering::end`], for the sets that want them.
//!
//! On 9×9 this gives the field's 1,548 (1,710 with kings). On 5×5 the same rule over the five
//! kinds of that game, two of each, gives 30 + 14·25 = 380 (430 with kings): the 9,500 = 25·380
//! inputs of the published 5×5 nets.

use rules::{Color, Game, Kind, Piece, Square};

/// The table of one game.
#[derive(Debug)]
pub struct Numbering {
    squares: usize,
    /// First number by perspective, owner and kind.
    hand: [[[u16; 8]; 2]; 2],
    /// Number of square 0 by perspective and piece.
    board: [[u16; 32]; 2],
    hand_end: usize,
    end: usize,
}

static SHOGI: Numbering = Numbering::new(
    81,
    &[
        (Kind::Pawn, 18),
        (Kind::Lance, 4),
        (Kind::Knight, 4),
        (Kind::Silver, 4),
        (Kind::Gold, 4),
        (Kind::Bishop, 2),
        (Kind::Rook, 2),
    ],
    &[
        Kind::Pawn,
        Kind::Lance,
        Kind::Knight,
        Kind::Silver,
        Kind::Gold,
        Kind::Bishop,
        Kind::Horse,
        Kind::Rook,
        Kind::Dragon,
        Kind::King,
    ],
);

static MINISHOGI: Numbering = Numbering::new(
    25,
    &[(Kind::Pawn, 2), (Kind::Silver, 2), (Kind::Gold, 2), (Kind::Bishop, 2), (Kind::Rook, 2)],
    &[
        Kind::Pawn,
        Kind::Silver,
        Kind::Gold,
        Kind::Bishop,
        Kind::Horse,
        Kind::Rook,
        Kind::Dragon,
        Kind::King,
    ],
);

impl Numbering {
    const fn new(squares: usize, hands: &[(Kind, u16)], kinds: &[Kind]) -> Self {
        let mut t =
            Self { squares, hand: [[[0; 8]; 2]; 2], board: [[0; 32]; 2], hand_end: 0, end: 0 };
        let mut next = 1;
        let mut i = 0;
        while i < hands.len() {
            let (kind, most) = hands[i];
            let mut side = 0; // 0: the hand of the perspective, 1: the other
            while side < 2 {
                t.hand[0][side][kind as usize] = next;
                t.hand[1][1 - side][kind as usize] = next;
                next += most + 1;
                side += 1;
            }
            i += 1;
        }
        next -= 1;
        t.hand_end = next as usize;
        i = 0;
        while i < kinds.len() {
            if matches!(kinds[i], Kind::King) {
                t.end = next as usize;
            }
            let mut side = 0;
            while side < 2 {
                t.set_board(side, kinds[i], next);
                next += squares as u16;
                side += 1;
            }
            i += 1;
        }
        t
    }

    const fn set_board(&mut self, side: usize, kind: Kind, number: u16) {
        let mut k = 0;
        while k < Kind::ALL.len() {
            let same = Kind::ALL[k] as u8 == kind as u8
                || matches!(kind, Kind::Gold) && Kind::ALL[k].moves_like_gold();
            if same {
                let black = Piece::new(Color::Black, Kind::ALL[k]).index();
                let white = Piece::new(Color::White, Kind::ALL[k]).index();
                self.board[0][if side == 0 { black } else { white }] = number;
                self.board[1][if side == 0 { white } else { black }] = number;
            }
            k += 1;
        }
    }

    /// The table of a game.
    #[inline]
    pub const fn of(game: Game) -> &'static Self {
        match game {
            Game::Shogi => &SHOGI,
            Game::Minishogi => &MINISHOGI,
        }
    }

    /// Numbers of hand pieces are below this.
    pub const fn hand_end(&self) -> usize {
        self.hand_end
    }

    /// Numbers of all pieces but kings are below this: the size of a table indexed by piece.
    pub const fn end(&self) -> usize {
        self.end
    }

    /// Numbers of all pieces including kings are below this.
    pub const fn kings_end(&self) -> usize {
        self.end + 2 * self.squares
    }

    /// A square as the perspective sees it: White turns the board around.
    #[inline]
    pub const fn orient(&self, perspective: Color, sq: Square) -> usize {
        match perspective {
            Color::Black => sq.index(),
            Color::White => self.squares - 1 - sq.index(),
        }
    }

    /// The number of the same piece on the board mirrored left to right.
    pub const fn mirrored(&self, number: usize) -> usize {
        if number < self.hand_end {
            return number;
        }
        let (first, sq) = self.run(number);
        let mut files = 1;
        while files * files < self.squares {
            files += 1;
        }
        first + (files - 1 - sq / files) * files + sq % files
    }

    /// The number of the same piece as the other player sees it.
    pub const fn turned(&self, number: usize) -> usize {
        if number >= self.hand_end {
            let (first, sq) = self.run(number);
            let own = ((first - self.hand_end) / self.squares).is_multiple_of(2);
            let first = if own { first + self.squares } else { first - self.squares };
            return first + self.squares - 1 - sq;
        }
        let mut kind = 0;
        while kind < 8 {
            let (own, enemy) = (self.hand[0][0][kind] as usize, self.hand[0][1][kind] as usize);
            let copies = enemy - own;
            if own <= number && number < enemy {
                // The last run is one short: its number would be the first on the board.
                return if number + copies < self.hand_end { number + copies } else { number };
            }
            if enemy <= number && number < enemy + copies {
                return number - copies;
            }
            kind += 1;
        }
        number
    }

    /// The first number of a board number's run of squares, and the square.
    const fn run(&self, number: usize) -> (usize, usize) {
        let sq = (number - self.hand_end) % self.squares;
        (number - sq, sq)
    }

    /// The number of a piece on a square. There must be a piece, of a kind the game has.
    #[inline]
    pub const fn board(&self, perspective: Color, piece: Piece, sq: Square) -> usize {
        self.board[perspective.index()][piece.index() & 31] as usize + self.orient(perspective, sq)
    }

    /// The number of the `copy`-th (from 1) piece of a kind in `owner`'s hand.
    #[inline]
    pub const fn hand(&self, perspective: Color, owner: Color, kind: Kind, copy: usize) -> usize {
        self.hand_index(perspective, owner, kind as usize, copy)
    }

    /// The same by a kind's number; that of a promoted kind stands for the piece it is in hand.
    #[inline]
    pub(crate) const fn hand_index(
        &self,
        perspective: Color,
        owner: Color,
        kind: usize,
        copy: usize,
    ) -> usize {
        // Promotion is bit 3 and kings are never held.
        self.hand[perspective.index()][owner.index()][kind & 7] as usize + copy - 1
    }
}

/// The number of "a piece that is not in the game".
pub(crate) const ABSENT: usize = 0;
