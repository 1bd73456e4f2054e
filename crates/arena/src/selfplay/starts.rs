//! Where games of self-play begin: sets of openings, each with its share.

use crate::opening::Opening;
use rules::{AnyPosition, Color, Game};
use seed::Rng;

/// Sets of beginnings with their shares.
#[derive(Clone, Debug, Default)]
pub struct Starts {
    sets: Vec<(Set, f64)>,
    total: f64,
}

/// A set of beginnings.
#[derive(Clone, Debug)]
pub enum Set {
    /// One of these, all equally often.
    Openings(Vec<Opening>),
    /// Shogi with both kings in the enemy's camp, pieces at random.
    EnteringKings,
}

impl Starts {
    /// Adds a set that is drawn in proportion to its share. Empty sets and shares that are not
    /// above zero add nothing.
    pub fn add(&mut self, set: Set, share: f64) {
        let empty = matches!(&set, Set::Openings(openings) if openings.is_empty());
        if !empty && share > 0.0 && share.is_finite() {
            self.sets.push((set, share));
            self.total += share;
        }
    }

    /// Whether there is nothing to begin from.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// A beginning; `None` where the one that was drawn cannot be played.
    pub fn draw(&self, random: &mut Rng) -> Option<Opening> {
        let mut left = random.unit() * self.total;
        let chosen = self.sets.iter().find(|(_, share)| {
            left -= share;
            left < 0.0
        });
        match chosen.or(self.sets.last()).map(|(set, _)| set)? {
            Set::Openings(openings) => Some(openings[random.below(openings.len())].clone()),
            Set::EnteringKings => entering_kings(random),
        }
    }
}

/// The pieces of a set besides kings: letter, how many, whether it promotes.
const PIECES: [(char, usize, bool); 7] = [
    ('P', 18, true),
    ('L', 4, true),
    ('N', 4, true),
    ('S', 4, true),
    ('G', 4, false),
    ('B', 2, true),
    ('R', 2, true),
];

/// A shogi position with both kings in the enemy's camp: every piece belongs to either side, in
/// hand or on the board, most of them near their own king and promoted there. `None` where the
/// side that has moved would be in check, or the like.
pub fn entering_kings(random: &mut Rng) -> Option<Opening> {
    let mut board = Board::default();
    for color in Color::BOTH {
        let place = board.free(random, color, 3)?;
        board.put(place, color, "K");
    }
    for (letter, count, promotes) in PIECES {
        for _ in 0..count {
            let color = Color::BOTH[random.below(2)];
            if random.below(100) < 40 {
                board.hands[color.index()].push(letter);
                continue;
            }
            let deep = random.below(100) < 75;
            let (rank, file) = board.free(random, color, if deep { 4 } else { 9 })?;
            // Ranks as the owner counts them from the enemy's edge.
            let own_rank = if color == Color::Black { rank } else { 8 - rank };
            let dead = match letter {
                'P' | 'L' => own_rank == 0,
                'N' => own_rank < 2,
                _ => false,
            };
            let second_pawn = letter == 'P' && board.pawns[color.index()][file];
            let wants = own_rank < 3 && random.below(100) < 70;
            let promoted = promotes && (dead || second_pawn || wants);
            if letter == 'P' && !promoted {
                board.pawns[color.index()][file] = true;
            }
            let name = if promoted { format!("+{letter}") } else { letter.to_string() };
            board.put((rank, file), color, &name);
        }
    }
    let turn = if random.below(2) == 0 { 'b' } else { 'w' };
    let start = AnyPosition::from_sfen(Game::Shogi, &board.sfen(turn)).ok()?;
    Opening::new(start, Vec::new()).ok()
}

/// Pieces being laid out: rank 0 is the one at the top, file 0 the one at the left.
#[derive(Default)]
struct Board {
    squares: [[Option<String>; 9]; 9],
    hands: [Vec<char>; 2],
    pawns: [[bool; 9]; 2],
}

impl Board {
    /// A free square within so many ranks of the enemy's edge.
    fn free(&self, random: &mut Rng, color: Color, ranks: usize) -> Option<(usize, usize)> {
        for _ in 0..200 {
            let (depth, file) = (random.below(ranks), random.below(9));
            let rank = if color == Color::Black { depth } else { 8 - depth };
            if self.squares[rank][file].is_none() {
                return Some((rank, file));
            }
        }
        None
    }

    fn put(&mut self, (rank, file): (usize, usize), color: Color, name: &str) {
        let text = match color {
            Color::Black => name.to_owned(),
            Color::White => name.to_ascii_lowercase(),
        };
        self.squares[rank][file] = Some(text);
    }

    fn sfen(&self, turn: char) -> String {
        let rank = |squares: &[Option<String>; 9]| {
            let mut text = String::new();
            let mut empty = 0;
            for square in squares {
                match square {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            text += &empty.to_string();
                            empty = 0;
                        }
                        text += piece;
                    }
                }
            }
            if empty > 0 { text + &empty.to_string() } else { text }
        };
        let board: Vec<String> = self.squares.iter().map(rank).collect();
        let mut hands = String::new();
        for color in Color::BOTH {
            for (letter, ..) in PIECES.iter().rev() {
                let count = self.hands[color.index()].iter().filter(|c| *c == letter).count();
                if count > 1 {
                    hands += &count.to_string();
                }
                if count > 0 {
                    let black = color == Color::Black;
                    hands.push(if black { *letter } else { letter.to_ascii_lowercase() });
                }
            }
        }
        let hands = if hands.is_empty() { "-" } else { &hands };
        format!("{} {turn} {hands} 1", board.join("/"))
    }
}
