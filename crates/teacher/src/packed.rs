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
struct CodeTable {
    board: [Code; Piece::COUNT],
    hand: [[Code; 8]; 2],
    boxed: [Code; 8],
    /// By the next eight bits: the piece and the length of its code; 0 is no code.
    pieces: [(Piece, u8); 256],
    /// By the next seven bits.
    reserves: [Option<(Reserve, u8)>; 128],
}

static TABLES: [CodeTable; 2] = [CodeTable::new(YANEURAOU), CodeTable::new(APERY)];

impl CodeTable {
    const fn new(rows: [Row; 7]) -> Self {
        let none = Code { bits: 0, length: 1 };
        let mut table = Self {
            board: [none; Piece::COUNT],
            hand: [[none; 8]; 2],
            boxed: [none; 8],
            pieces: [(Piece::NONE, 0); 256],
            reserves: [None; 128],
        };
        table.add_piece(Piece::NONE, none);
        let mut row = 0;
        while row < 7 {
            let (kind, board, hand, boxed) = rows[row];
            let mut variant = 0;
            while variant < 4 {
                let color = if variant & 1 == 0 { Color::Black } else { Color::White };
                let promoted = variant & 2 != 0;
                let is = if promoted { kind.promoted() } else { Some(kind) };
                if let Some(is) = is {
                    table.add_piece(Piece::new(color, is), code(board, color, promoted));
                }
                if !promoted {
                    let held = code(hand, color, false);
                    table.hand[color as usize][kind as usize] = held;
                    table.add_reserve(Reserve::Held(color, kind), held);
                }
                variant += 1;
            }
            let spare = code(boxed, Color::Black, false);
            table.boxed[kind as usize] = spare;
            table.add_reserve(Reserve::Boxed(kind), spare);
            row += 1;
        }
        table
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

const fn table(scheme: Scheme) -> &'static CodeTable {
    match scheme {
        Scheme::YaneuraOu => &TABLES[0],
        Scheme::Apery => &TABLES[1],
    }
}

/// The order in which hands and the box are written.
const ORDER: [Kind; 7] =
    [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];

/// Bits being written, with some room beyond the 256: what does not fit is noticed at the end.
struct BitWriter {
    words: [u32; 16],
    /// Words finished.
    done: usize,
    /// Bits not yet in a word, and how many.
    rest: u64,
    count: u32,
}

impl BitWriter {
    #[inline]
    fn code(&mut self, code: Code) {
        self.rest |= u64::from(code.bits) << self.count;
        self.count += u32::from(code.length);
        if self.count >= 32 {
            self.words[self.done] = self.rest as u32;
            self.done += 1;
            self.rest >>= 32;
            self.count -= 32;
        }
    }

    /// Bits written.
    const fn length(&self) -> usize {
        self.done * 32 + self.count as usize
    }

    fn finish(mut self) -> [u8; 32] {
        self.words[self.done] = self.rest as u32;
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(self.words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// Bits before the squares: side to move and two kings.
const FRONT: u32 = 15;

/// Packs a position.
pub(crate) fn pack(scheme: Scheme, placement: &Placement) -> Result<[u8; 32], PackError> {
    let table = table(scheme);
    let mut out = BitWriter { words: [0; 16], done: 0, rest: 0, count: FRONT };
    let absent = placement.game.squares();
    let mut kings = [absent; 2];
    let mut counts = 0;
    for (square, &piece) in placement.squares().iter().enumerate() {
        counts += UNITS[piece.kind_index()];
        if piece.kind_index() == Kind::King.index() {
            kings[piece.index() >> 4] = square;
        } else {
            out.code(table.board[piece.index()]);
        }
    }
    let mut missing = set(placement.game);
    for kind in ORDER {
        missing[kind.index()] -= (counts >> (8 * kind.index()) & 255) as i32;
    }
    for color in Color::BOTH {
        let hand = placement.hands[color.index()];
        for kind in ORDER.into_iter().filter(|&k| hand.has(k)) {
            for _ in 0..hand.count(kind) {
                out.code(table.hand[color.index()][kind.index()]);
                missing[kind.index()] -= 1;
            }
        }
    }
    if missing.iter().any(|&n| n < 0) {
        return Err(PackError::Unfit("more pieces than the game has".to_owned()));
    }
    for kind in ORDER {
        for _ in 0..missing[kind.index()] {
            out.code(table.boxed[kind.index()]);
        }
    }
    if out.length() > 256 {
        // A king's square takes no bit, an empty one does.
        return Err(PackError::Unfit("a king is missing, which leaves no room".to_owned()));
    }
    let mut bytes = out.finish();
    let front = placement.turn as usize | kings[0] << 1 | kings[1] << 8;
    bytes[0] |= front as u8;
    bytes[1] |= (front >> 8) as u8;
    Ok(bytes)
}

/// 256 bits being read, zeros beyond.
struct BitReader {
    words: [u32; 8],
    /// Words begun.
    begun: usize,
    /// Bits of words begun that were not taken, and how many.
    rest: u64,
    count: u32,
}

impl BitReader {
    fn new(bytes: &[u8; 32]) -> Self {
        let mut words = [0; 8];
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*chunk);
        }
        Self { words, begun: 0, rest: 0, count: 0 }
    }

    /// The next bits, 32 at least, which stay.
    #[inline]
    fn peek(&mut self) -> usize {
        if self.count < 32 {
            let word = self.words.get(self.begun).copied().unwrap_or(0);
            self.rest |= u64::from(word) << self.count;
            self.begun += 1;
            self.count += 32;
        }
        self.rest as usize
    }

    /// Goes on by some bits of those peeked at.
    #[inline]
    fn skip(&mut self, length: u8) {
        self.rest >>= length;
        self.count -= u32::from(length);
    }

    fn take(&mut self, length: u8) -> usize {
        let bits = self.peek() & ((1 << length) - 1);
        self.skip(length);
        bits
    }

    /// Bits taken.
    const fn at(&self) -> usize {
        self.begun * 32 - self.count as usize
    }

    /// Whether nothing but zeros follows.
    fn is_spent(&self) -> bool {
        self.rest == 0 && self.words.iter().skip(self.begun).all(|&w| w == 0)
    }
}

/// Unpacks a position, from hands in whatever order. Positions of writers that leave out the
/// piece box are understood: what is not there is not in the game.
pub(crate) fn unpack(scheme: Scheme, game: Game, bytes: &[u8; 32]) -> Result<Placement, PackError> {
    let table = table(scheme);
    let bad = |why: String| Err(PackError::Bits(why));
    let mut bits = BitReader::new(bytes);
    let mut placement = Placement::empty(game);
    if bits.take(1) == 1 {
        placement.turn = Color::White;
    }
    let squares = game.squares();
    let kings = [bits.take(7), bits.take(7)];
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
    let mut counts = 0;
    for square in 0..squares {
        if square == kings[0] || square == kings[1] {
            continue;
        }
        let (piece, length) = table.pieces[bits.peek() & 255];
        if length == 0 {
            return bad(format!("unknown code on square {square}"));
        }
        bits.skip(length);
        // Also where there is none: half of the squares are empty, and a processor would guess wrong.
        placement.board[square] = piece;
        counts += UNITS[piece.kind_index()];
    }
    let mut missing = set(game);
    for kind in ORDER {
        missing[kind.index()] -= (counts >> (8 * kind.index()) & 255) as i32;
    }
    if let Some(kind) = ORDER.into_iter().find(|k| missing[k.index()] < 0) {
        return Err(too_many(kind));
    }
    while missing.iter().any(|&n| n > 0) {
        if bits.is_spent() {
            read_zeros(&mut placement, &missing, kings.contains(&squares))?;
            break;
        }
        let Some((reserve, length)) = table.reserves[bits.peek() & 127] else {
            return bad(format!("unknown code at bit {}", bits.at()));
        };
        bits.skip(length);
        let (Reserve::Held(_, kind) | Reserve::Boxed(kind)) = reserve;
        missing[kind.index()] -= 1;
        if missing[kind.index()] < 0 {
            return Err(too_many(kind));
        }
        if let Reserve::Held(color, kind) = reserve {
            placement.hands[color.index()].add(kind);
        }
    }
    if bits.at() > 256 || !bits.is_spent() {
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

/// The number of the kind a piece has in hand, by the number of its kind.
const UNPROMOTED: [usize; 16] = {
    let mut table = [0; 16];
    let mut kind = 1;
    while kind < 15 {
        table[kind] = if kind > 8 { kind - 8 } else { kind % 8 };
        kind += 1;
    }
    table
};

/// A one in the byte of the kind a piece has in hand, by the number of its kind: sums of these
/// count all kinds at once.
const UNITS: [u64; 16] = {
    let mut table = [0; 16];
    let mut kind = 1;
    while kind < 15 {
        if kind != 8 {
            table[kind] = 1 << (8 * UNPROMOTED[kind]);
        }
        kind += 1;
    }
    table
};

fn too_many(kind: Kind) -> PackError {
    let name = format!("{kind:?}").to_lowercase();
    PackError::Bits(format!("too many {name}s"))
}

#[cfg(test)]
mod tests;
