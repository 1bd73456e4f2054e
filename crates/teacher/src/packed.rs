//! Positions in 32 bytes, as YaneuraOu (PackedSfen) and Apery (HuffmanCodedPos) pack them.
//!
//! Both are streams of bits, lowest bit of each byte first: side to move, squares of the kings,
//! the other squares in order, pieces in hand, and the pieces that are not in the game (the piece
//! box of handicap games). The lengths of the codes are such that a full set always fills 256
//! bits. See docs/formats/psv.md and docs/formats/hcpe.md.
//!
//! Positions of minishogi are packed the same way with its own squares and pieces, followed by
//! zeros; no other program knows this.

use crate::error::PackError;
use crate::placement::{Placement, set};
use rules::{Color, Game, Kind, Piece};

/// Which of the two codes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Scheme {
    /// PackedSfen, of `psv` files.
    YaneuraOu,
    /// HuffmanCodedPos, of `hcp`, `hcpe` and `hcpe3` files.
    Apery,
}

/// A code: bits in the order of the stream, lowest first, and how many.
#[derive(Clone, Copy, Debug)]
struct Code {
    bits: u8,
    length: u8,
}

/// Codes of one kind: on the board (`c` White, `p` promoted), in hand, and in the piece box.
type Row = (Kind, &'static str, &'static str, &'static str);

const YANEURAOU: [Row; 7] = [
    (Kind::Pawn, "10pc", "00c", "010"),
    (Kind::Lance, "1100pc", "1000c", "10010"),
    (Kind::Knight, "1101pc", "1010c", "10110"),
    (Kind::Silver, "1110pc", "1100c", "11010"),
    (Kind::Gold, "11110c", "1110c", "11011"),
    (Kind::Bishop, "111110pc", "111100c", "1111010"),
    (Kind::Rook, "111111pc", "111110c", "1111110"),
];

const APERY: [Row; 7] = [
    (Kind::Pawn, "10cp", "00c", "010"),
    (Kind::Lance, "1100cp", "1000c", "10010"),
    (Kind::Knight, "1110cp", "1100c", "11010"),
    (Kind::Silver, "1101cp", "1010c", "10110"),
    (Kind::Gold, "11110c", "1110c", "10111"),
    (Kind::Bishop, "111110cp", "111110c", "1111000"),
    (Kind::Rook, "111111cp", "111111c", "1111010"),
];

/// What a code off the board stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reserve {
    Held(Color, Kind),
    Boxed(Kind),
}

/// Codes by what they stand for, and what they stand for by code.
struct Book {
    board: [Code; Piece::COUNT],
    hand: [[Code; 8]; 2],
    boxed: [Code; 8],
    /// By the next eight bits: the piece and the length of its code; 0 is no code.
    pieces: [(Piece, u8); 256],
    /// By the next seven bits.
    reserves: [Option<(Reserve, u8)>; 128],
}

static BOOKS: [Book; 2] = [Book::new(YANEURAOU), Book::new(APERY)];

impl Book {
    const fn new(rows: [Row; 7]) -> Self {
        let none = Code { bits: 0, length: 1 };
        let mut book = Self {
            board: [none; Piece::COUNT],
            hand: [[none; 8]; 2],
            boxed: [none; 8],
            pieces: [(Piece::NONE, 0); 256],
            reserves: [None; 128],
        };
        book.add_piece(Piece::NONE, none);
        let mut row = 0;
        while row < 7 {
            let (kind, board, hand, boxed) = rows[row];
            let mut variant = 0;
            while variant < 4 {
                let color = if variant & 1 == 0 { Color::Black } else { Color::White };
                let promoted = variant & 2 != 0;
                let is = if promoted { kind.promoted() } else { Some(kind) };
                if let Some(is) = is {
                    book.add_piece(Piece::new(color, is), code(board, color, promoted));
                }
                if !promoted {
                    let held = code(hand, color, false);
                    book.hand[color as usize][kind as usize] = held;
                    book.add_reserve(Reserve::Held(color, kind), held);
                }
                variant += 1;
            }
            let spare = code(boxed, Color::Black, false);
            book.boxed[kind as usize] = spare;
            book.add_reserve(Reserve::Boxed(kind), spare);
            row += 1;
        }
        book
    }

    const fn add_piece(&mut self, piece: Piece, code: Code) {
        self.board[piece.index()] = code;
        let mut bits = 0;
        while bits < 256 {
            if bits & ((1 << code.length) - 1) == code.bits as usize {
                assert!(self.pieces[bits].1 == 0, "no code begins another");
                self.pieces[bits] = (piece, code.length);
            }
            bits += 1;
        }
    }

    const fn add_reserve(&mut self, reserve: Reserve, code: Code) {
        let mut bits = 0;
        while bits < 128 {
            if bits & ((1 << code.length) - 1) == code.bits as usize {
                assert!(self.reserves[bits].is_none(), "no code begins another");
                self.reserves[bits] = Some((reserve, code.length));
            }
            bits += 1;
        }
    }
}

const fn code(text: &str, color: Color, promoted: bool) -> Code {
    let text = text.as_bytes();
    let mut bits = 0;
    let mut i = 0;
    while i < text.len() {
        let bit = match text[i] {
            b'1' => true,
            b'c' => matches!(color, Color::White),
            b'p' => promoted,
            _ => false,
        };
        bits |= (bit as u8) << i;
        i += 1;
    }
    Code { bits, length: text.len() as u8 }
}

const fn book(scheme: Scheme) -> &'static Book {
    match scheme {
        Scheme::YaneuraOu => &BOOKS[0],
        Scheme::Apery => &BOOKS[1],
    }
}

/// The order in which hands and the box are written.
const ORDER: [Kind; 7] =
    [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];

/// 256 bits being written, with some room beyond: what does not fit is noticed at the end.
struct Scribe {
    words: [u64; 7],
    at: usize,
}

impl Scribe {
    #[inline]
    fn put(&mut self, bits: u64, length: usize) {
        let (word, shift) = (self.at >> 6, self.at & 63);
        self.words[word] |= bits << shift;
        if shift + length > 64 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
        self.at += length;
    }

    #[inline]
    fn code(&mut self, code: Code) {
        self.put(u64::from(code.bits), usize::from(code.length));
    }
}

/// Packs a position.
pub(crate) fn pack(scheme: Scheme, placement: &Placement) -> Result<[u8; 32], PackError> {
    let book = book(scheme);
    let missing = placement.missing();
    if missing.iter().any(|&n| n < 0) {
        return Err(PackError::Unfit("more pieces than the game has".to_owned()));
    }
    let mut out = Scribe { words: [0; 7], at: 0 };
    out.put(placement.turn as u64, 1);
    let king = |color| {
        let king = Piece::new(color, Kind::King);
        placement.squares().iter().position(|&p| p == king)
    };
    let absent = placement.game.squares();
    for color in Color::BOTH {
        out.put(king(color).unwrap_or(absent) as u64, 7);
    }
    for &piece in placement.squares() {
        if piece.kind_index() != Kind::King.index() {
            out.code(book.board[piece.index()]);
        }
    }
    for color in Color::BOTH {
        for kind in ORDER {
            for _ in 0..placement.hands[color.index()].count(kind) {
                out.code(book.hand[color.index()][kind.index()]);
            }
        }
    }
    for kind in ORDER {
        for _ in 0..missing[kind.index()] {
            out.code(book.boxed[kind.index()]);
        }
    }
    if out.at > 256 {
        // A king's square takes no bit, an empty one does.
        return Err(PackError::Unfit("a king is missing, which leaves no room".to_owned()));
    }
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(out.words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    Ok(bytes)
}

/// 256 bits being read, zeros beyond.
struct Scroll {
    words: [u64; 5],
    at: usize,
}

impl Scroll {
    fn new(bytes: &[u8; 32]) -> Self {
        let mut words = [0; 5];
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*chunk);
        }
        Self { words, at: 0 }
    }

    /// The next bits (at most 8), which stay.
    #[inline]
    fn peek(&self) -> usize {
        let (word, shift) = (self.at >> 6, self.at & 63);
        let low = self.words.get(word).map_or(0, |w| w >> shift);
        let high = self.words.get(word + 1).map_or(0, |w| w << 1 << (63 - shift));
        (low | high) as usize
    }

    #[inline]
    fn take(&mut self, length: usize) -> usize {
        let bits = self.peek() & ((1 << length) - 1);
        self.at += length;
        bits
    }

    /// Whether nothing but zeros follows.
    fn is_spent(&self) -> bool {
        let (word, shift) = (self.at >> 6, self.at & 63);
        let mut rest = self.words.iter().skip(word);
        rest.next().is_none_or(|w| w >> shift == 0) && rest.all(|&w| w == 0)
    }
}

/// Unpacks a position, from hands in whatever order. Positions of writers that leave out the
/// piece box are understood: what is not there is not in the game.
pub(crate) fn unpack(scheme: Scheme, game: Game, bytes: &[u8; 32]) -> Result<Placement, PackError> {
    let book = book(scheme);
    let bad = |why: String| Err(PackError::Bits(why));
    let mut scroll = Scroll::new(bytes);
    let mut placement = Placement::empty(game);
    if scroll.take(1) == 1 {
        placement.turn = Color::White;
    }
    let squares = game.squares();
    let kings = [scroll.take(7), scroll.take(7)];
    for (color, king) in Color::BOTH.into_iter().zip(kings) {
        if king > squares {
            return bad(format!("{color}'s king on square {king}"));
        }
        if king < squares {
            placement.board[king] = Piece::new(color, Kind::King);
        }
    }
    if kings[0] == kings[1] && kings[0] < squares {
        return bad(format!("both kings on square {}", kings[0]));
    }
    let mut missing = set(game);
    for square in (0..squares).filter(|s| !kings.contains(s)) {
        let (piece, length) = book.pieces[scroll.peek() & 255];
        if length == 0 {
            return bad(format!("unknown code on square {square}"));
        }
        scroll.at += usize::from(length);
        placement.board[square] = piece;
        if let Some(kind) = piece.kind() {
            take(&mut missing, kind.unpromoted())?;
        }
    }
    while missing.iter().any(|&n| n > 0) {
        if scroll.is_spent() {
            read_zeros(&mut placement, &missing, kings.contains(&squares))?;
            break;
        }
        let Some((reserve, length)) = book.reserves[scroll.peek() & 127] else {
            return bad(format!("unknown code at bit {}", scroll.at));
        };
        scroll.at += usize::from(length);
        let (Reserve::Held(_, kind) | Reserve::Boxed(kind)) = reserve;
        take(&mut missing, kind)?;
        if let Reserve::Held(color, kind) = reserve {
            placement.hands[color.index()].add(kind);
        }
    }
    if scroll.at > 256 || !scroll.is_spent() {
        return bad("more bits than pieces".to_owned());
    }
    Ok(placement)
}

/// Black's pawns in hand are zeros, and so is the end of a position written without its piece
/// box. No handicap leaves out pawns: those still missing are Black's, and everything else is not
/// in the game. (Reading zeros as pawns to the end is how handicap positions gain some.) Where a
/// king is missing a problem was packed, which may leave out anything.
fn read_zeros(
    placement: &mut Placement,
    missing: &[i32; 8],
    problem: bool,
) -> Result<(), PackError> {
    let pawns = missing[Kind::Pawn.index()];
    if placement.game == Game::Minishogi && missing.iter().sum::<i32>() != pawns {
        return Err(PackError::Bits("pieces are missing at the end".to_owned()));
    }
    if placement.game == Game::Minishogi || !problem {
        placement.hands[0].set(Kind::Pawn, placement.hands[0].count(Kind::Pawn) + pawns as usize);
    }
    Ok(())
}

fn take(missing: &mut [i32; 8], kind: Kind) -> Result<(), PackError> {
    let left = &mut missing[kind.index()];
    *left -= 1;
    if *left < 0 {
        let name = format!("{kind:?}").to_lowercase();
        return Err(PackError::Bits(format!("too many {name}s")));
    }
    Ok(())
}

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;
