//! Apery's and dlshogi's `book.bin` (docs/formats/book-apery.md): keys, from which no position can be
//! made again.

mod index;
mod met;
mod walk;

use crate::bytes::ReadAt;
use crate::losses::Losses;
use crate::model::key_of_position;
use crate::{BookError, BookMove, Entry, Format, Key};
use rules::{AnyPosition, Bits, Color, Game, Kind, Move, Piece, Position, Shogi, Square};
use std::io::Write;
use std::sync::LazyLock;
use teacher::{apery_bits, from_apery_bits};

const RECORD: u64 = 16;
/// Kinds in hand in the order of the key's table.
const HAND: [Kind; 7] =
    [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];

/// The random numbers of the keys.
struct Numbers {
    /// By piece; 0 for none.
    pieces: [[u64; 81]; 31],
    hands: [[u64; 19]; 7],
    turn: u64,
}

static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    let mut twister = Twister::new(5489);
    let mut numbers = Numbers {
        pieces: std::array::from_fn(|_| std::array::from_fn(|_| twister.next())),
        hands: std::array::from_fn(|_| std::array::from_fn(|_| twister.next())),
        turn: twister.next(),
    };
    numbers.pieces[Piece::NONE.index()] = [0; 81];
    numbers
});

/// The 64-bit Mersenne Twister of the C++ library, from which the format draws its numbers. Nothing
/// else may use it: our own random numbers come from `seed`.
struct Twister {
    state: [u64; 312],
    at: usize,
}

impl Twister {
    fn new(seed: u64) -> Self {
        let mut state = [seed; 312];
        for i in 1..312 {
            let last: u64 = state[i - 1];
            state[i] =
                (last ^ last >> 62).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i as u64);
        }
        Self { state, at: 312 }
    }

    fn next(&mut self) -> u64 {
        if self.at == 312 {
            for i in 0..312 {
                let x =
                    self.state[i] & 0xffff_ffff_8000_0000 | self.state[(i + 1) % 312] & 0x7fff_ffff;
                let twist = if x & 1 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
                self.state[i] = self.state[(i + 156) % 312] ^ x >> 1 ^ twist;
            }
            self.at = 0;
        }
        let mut x = self.state[self.at];
        self.at += 1;
        x ^= x >> 29 & 0x5555_5555_5555_5555;
        x ^= x << 17 & 0x71d6_7fff_eda6_0000;
        x ^= x << 37 & 0xfff7_eee0_0000_0000;
        x ^ x >> 43
    }
}

/// The key of a position of shogi: its board, the hand of the side to move, and whose move it is. Other games have none.
pub fn apery_key(position: &AnyPosition) -> Option<u64> {
    match position {
        AnyPosition::Shogi(position) => Some(key_of_shogi(position)),
        AnyPosition::Minishogi(_) => None,
    }
}

fn key_of_shogi(position: &Position<Shogi>) -> u64 {
    board_key(position) ^ mover_key(position, position.turn())
}

fn board_key(position: &Position<Shogi>) -> u64 {
    let numbers = &*NUMBERS;
    let mut key = 0;
    position.occupied().each(|square| {
        key ^= numbers.pieces[position.piece_at(square).index()][square.index()];
    });
    key
}

/// What is not on the board, where that side is to move.
fn mover_key(position: &Position<Shogi>, turn: Color) -> u64 {
    let numbers = &*NUMBERS;
    let hand = position.hand(turn);
    let hands = HAND.into_iter().zip(&numbers.hands).map(|(kind, row)| row[hand.count(kind)]);
    let key = hands.fold(0, |key, number| key ^ number);
    if turn == Color::White { key ^ numbers.turn } else { key }
}

/// The key of a board after a legal move.
#[inline]
fn board_key_after(numbers: &Numbers, position: &Position<Shogi>, board: u64, mv: Move) -> u64 {
    let number = |piece: Piece, square: Square| numbers.pieces[piece.index()][square.index()];
    let to = mv.to();
    if let Some(kind) = mv.dropped() {
        return board ^ number(Piece::new(position.turn(), kind), to);
    }
    let (piece, taken) = (position.piece_at(mv.from()), position.piece_at(to));
    let arrived = if mv.is_promotion() { piece.promoted() } else { piece };
    board ^ number(piece, mv.from()) ^ number(taken, to) ^ number(arrived, to)
}

/// A book to be probed where it lies.
pub struct AperyBook {
    input: Box<dyn ReadAt>,
    records: u64,
}

struct Record {
    key: u64,
    bits: u16,
    count: u16,
    score: i32,
}

impl Record {
    fn of(bytes: &[u8; RECORD as usize]) -> Self {
        let word = u128::from_le_bytes(*bytes);
        Self {
            key: word as u64,
            bits: (word >> 64) as u16,
            count: (word >> 80) as u16,
            score: (word >> 96) as i32,
        }
    }
}

impl AperyBook {
    /// Opens a book. The format has no mark of its own: what can be seen at once is seen.
    pub fn open(input: Box<dyn ReadAt>) -> Result<Self, BookError> {
        let length = input.length()?;
        if !length.is_multiple_of(RECORD) {
            let why = format!("{length} bytes are not whole records of {RECORD}");
            return Err(BookError::not(Format::Apery, why));
        }
        let book = Self { input, records: length / RECORD };
        let mut last = 0;
        for index in (0..book.records).step_by((book.records / 256).max(1) as usize) {
            let key = book.record(index)?.key;
            if key < last {
                return Err(BookError::not(
                    Format::Apery,
                    format!("record {index} is not in order"),
                ));
            }
            last = key;
        }
        Ok(book)
    }

    /// How many records there are, one for each move.
    pub const fn records(&self) -> u64 {
        self.records
    }

    fn record(&self, index: u64) -> Result<Record, BookError> {
        let mut bytes = [0; RECORD as usize];
        self.input.read_at(index * RECORD, &mut bytes)?;
        Ok(Record::of(&bytes))
    }

    /// The entry of a position. Moves that are not legal are left out: other positions may have the
    /// same key.
    pub fn find(&self, position: &AnyPosition) -> Result<Option<Entry>, BookError> {
        let AnyPosition::Shogi(position) = position else { return Ok(None) };
        let key = key_of_shogi(position);
        let (mut low, mut high) = (0, self.records);
        while low < high {
            let middle = low.midpoint(high);
            if self.record(middle)?.key < key { low = middle + 1 } else { high = middle }
        }
        let mut records = Vec::new();
        while low < self.records {
            let record = self.record(low)?;
            if record.key != key {
                break;
            }
            records.push(record);
            low += 1;
        }
        Ok(entry_of(position, key_of_position(position)?, records.into_iter()))
    }
}

/// The entry that the records of a key are for a position.
fn entry_of(
    position: &Position<Shogi>,
    key: Key,
    records: impl ExactSizeIterator<Item = Record>,
) -> Option<Entry> {
    let mut entry = Entry { key, ply: 0, comment: None, moves: Vec::with_capacity(records.len()) };
    for record in records {
        let mv = from_apery_bits(Game::Shogi, record.bits);
        if let Some(mv) = mv.filter(|&mv| position.is_legal(mv) && entry.find(mv).is_none()) {
            let (value, count) = (Some(record.score), u64::from(record.count));
            entry.moves.push(BookMove { value, count, ..BookMove::new(mv) });
        }
    }
    entry.sort_by_count();
    (!entry.moves.is_empty()).then_some(entry)
}

/// What the records of a file are sorted by.
pub fn order_of(entry: &Entry) -> Result<[u8; 8], BookError> {
    let key = apery_key(&entry.position(Game::Shogi)?);
    Ok(key.ok_or_else(|| BookError::Unfit("not a position of shogi".to_owned()))?.to_be_bytes())
}

/// The records of a position, sorted by that; and what had no place in them. A move that was never counted counts once, else it
/// would never be played.
pub(crate) fn put_records(out: &mut Vec<u8>, order: &[u8], entry: &Entry) -> Losses {
    let mut losses = Losses {
        comments: u64::from(entry.comment.is_some()),
        plies: u64::from(entry.ply > 0),
        ..Losses::default()
    };
    for m in &entry.moves {
        let count = u16::try_from(m.count.max(1)).unwrap_or(u16::MAX);
        losses.cut_numbers += u64::from(m.count > u64::from(u16::MAX));
        losses.unknown_values += u64::from(m.value.is_none());
        losses.replies += u64::from(m.reply.is_some());
        losses.depths += u64::from(m.depth > 0);
        losses.results += u64::from(m.wins > 0 || m.draws > 0);
        losses.comments += u64::from(m.comment.is_some());
        losses.sources += u64::from(m.source.is_some());
        out.extend(order.iter().rev());
        out.extend(apery_bits(m.mv).to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(m.value.unwrap_or(0).to_le_bytes());
    }
    losses
}

/// Writes a book; see [`order_of`].
pub struct Writer<W> {
    output: W,
    losses: Losses,
}

impl<W: Write> Writer<W> {
    /// Begins a book.
    pub fn new(output: W) -> Self {
        Self { output, losses: Losses::default() }
    }

    /// Writes a position.
    pub fn write(&mut self, entry: &Entry) -> Result<(), BookError> {
        let mut records = Vec::new();
        let losses = put_records(&mut records, &order_of(entry)?, entry);
        self.write_records(&records, losses)
    }

    /// Writes positions that are records already.
    pub(crate) fn write_records(
        &mut self,
        records: &[u8],
        losses: Losses,
    ) -> Result<(), BookError> {
        self.losses.add(losses);
        Ok(self.output.write_all(records)?)
    }

    /// Ends the book, and says what had no place in it.
    pub fn finish(mut self) -> Result<(W, Losses), BookError> {
        self.output.flush()?;
        Ok((self.output, self.losses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::leak;

    #[test]
    fn the_keys_are_aperys() {
        let mut twister = Twister::new(5489);
        assert_eq!(twister.next(), 0xC96D_191C_F6F6_AEA6);
        assert_eq!(twister.next(), 0x401F_7AC7_8BC8_0F1C);
        assert_eq!(NUMBERS.turn, 0x3FA5_1FD0_A8BB_5298);
        let mut position = AnyPosition::startpos(Game::Shogi);
        assert_eq!(apery_key(&position), Some(0xEEBE_8EE7_E1AD_7E15));
        position.play(position.parse_usi("7g7f").unwrap());
        assert_eq!(apery_key(&position), Some(0x3E7B_1F82_5672_20D5));
        let sfen = "lnsgk1snl/1r4g2/p1pppp1pp/6p2/1p5P1/2P6/PPSPPPP1P/7R1/LN1GKGSNL w Bb 12";
        let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
        assert_eq!(apery_key(&position), Some(0xE783_DAB6_FFE8_59AC));
    }

    #[test]
    fn keys_after_moves_are_keys_of_positions() {
        let mut rng = seed::Rng::new(71);
        for _ in 0..20 {
            let mut position = Position::<Shogi>::startpos();
            for _ in 0..120 {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let board = board_key(&position);
                let other = mover_key(&position, position.turn().opponent());
                let mv = legal[rng.below(legal.len())];
                let expected = board_key_after(&NUMBERS, &position, board, mv) ^ other;
                position.play(mv);
                assert_eq!(key_of_shogi(&position), expected);
            }
        }
    }

    /// The start, a reply, and a position that only a move outside the book leads to.
    fn book() -> (Vec<u8>, Vec<Entry>) {
        let mut entries = Vec::new();
        for (moves, book_moves) in [
            (&[][..], &[("7g7f", 3, 40), ("2g2f", 9, 35)][..]),
            (&["7g7f"], &[("3c3d", 1, -30)]),
            (&["1g1f"], &[("9c9d", 2, 0)]),
            (&["1g1f", "1c1d", "9g9f"], &[("9c9d", 2, 0)]),
        ] {
            let mut position = AnyPosition::startpos(Game::Shogi);
            for mv in moves {
                position.play(position.parse_usi(mv).unwrap());
            }
            let mut entry = Entry::of(&position).unwrap();
            for &(mv, count, value) in book_moves {
                let mv = BookMove::new(position.parse_usi(mv).unwrap());
                entry.moves.push(BookMove { count, value: Some(value), ..mv });
            }
            entry.sort_by_count();
            entries.push(entry);
        }
        let mut sorted = entries.clone();
        sorted.sort_by_key(|entry| order_of(entry).unwrap());
        let mut writer = Writer::new(Vec::new());
        sorted.iter().for_each(|entry| writer.write(entry).unwrap());
        (writer.finish().unwrap().0, entries)
    }

    #[test]
    fn a_walk_finds_what_can_be_reached() {
        let (bytes, entries) = book();
        let book = AperyBook::open(Box::new(leak(&bytes))).unwrap();
        assert_eq!(book.records(), 5);
        let near = walked(&book, 1);
        assert_eq!(near.len(), 3, "the fourth is two moves away");
        assert!(near.iter().all(|entry| entries.contains(entry)));
        assert_eq!(walked(&book, 0).len(), 2);
        assert_eq!(walked(&book, 2).len(), 4);
    }

    /// What a walk from the start finds, each position once.
    fn walked(book: &AperyBook, astray: u32) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        let roots = [AnyPosition::startpos(Game::Shogi)];
        let found = book.walk(&roots, astray, 2, Ok, |count, part: Vec<Entry>| {
            assert_eq!(count, part.len());
            entries.extend(part);
            Ok(())
        });
        let moves = entries.iter().map(|entry| entry.moves.len() as u64).sum::<u64>();
        assert_eq!(found.unwrap(), moves);
        let keys: std::collections::HashSet<Key> = entries.iter().map(|entry| entry.key).collect();
        assert_eq!(keys.len(), entries.len(), "a position was given twice");
        entries
    }

    /// A book of all positions of some games, and of those with one side to move.
    #[test]
    fn a_walk_finds_books_of_both_sides_and_of_one() {
        let mut rng = seed::Rng::new(72);
        let mut all = std::collections::BTreeMap::new();
        for _ in 0..30 {
            let mut position = AnyPosition::startpos(Game::Shogi);
            for _ in 0..20 {
                let legal = position.legal_moves();
                let mv = legal[rng.below(legal.len().min(3))];
                let entry = Entry::of(&position).unwrap();
                let entry = all.entry(order_of(&entry).unwrap()).or_insert(entry);
                if entry.find(mv).is_none() {
                    entry.moves.push(BookMove { count: 1, ..BookMove::valued(mv, 0, 0) });
                }
                position.play(mv);
            }
        }
        let book = |is_wanted: &dyn Fn(&Entry) -> bool| {
            let mut writer = Writer::new(Vec::new());
            let wanted = all.values().filter(|entry| is_wanted(entry));
            let count = wanted.map(|entry| writer.write(entry).unwrap()).count();
            let bytes = writer.finish().unwrap().0;
            (AperyBook::open(Box::new(leak(&bytes))).unwrap(), count)
        };
        let (both, count) = book(&|_| true);
        assert!(count > 300, "{count}");
        assert_eq!(walked(&both, 0).len(), count);
        assert_eq!(walked(&both, 1).len(), count);
        for turn in Color::BOTH {
            let (one, count) = book(&|entry| entry.turn() == turn);
            assert!(walked(&one, 0).len() <= 1, "nothing but the start");
            let found = walked(&one, 1);
            assert_eq!(found.len(), count);
            assert!(found.iter().all(|entry| entry.turn() == turn));
        }
    }

    #[test]
    fn other_files_are_refused() {
        assert!(AperyBook::open(Box::new(leak(&[0; 17]))).is_err());
        let (mut bytes, _) = book();
        bytes.reverse();
        assert!(AperyBook::open(Box::new(leak(&bytes))).is_err(), "not in order");
        let empty = AperyBook::open(Box::new(leak(&[]))).unwrap();
        assert_eq!(empty.find(&AnyPosition::startpos(Game::Shogi)).unwrap(), None);
    }
}
