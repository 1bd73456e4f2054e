//! Reading and writing SFEN, the one-line notation of positions.

use crate::bits::Bits;
use crate::position::Position;
use crate::{Color, Kind, Piece, Square, Variant};
use std::fmt::{self, Write as _};

/// What a position must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kings {
    /// One of each colour: a position of a game.
    #[default]
    Both,
    /// Either may be missing: mate problems.
    Any,
    /// Either may be missing, pawns may stand two on a file and pieces where they can never
    /// move: curiosities in old collections. No such position arises in a game.
    Lenient,
}

/// Largest move number accepted: far beyond any game, far below overflow.
pub(crate) const MAX_PLY: u32 = 1_000_000;

/// Everything that is wrong with a SFEN.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SfenError {
    /// The text that was read (cut if absurdly long).
    pub input: String,
    /// Every reason, in words.
    pub reasons: Vec<String>,
}

impl fmt::Display for SfenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad position {:?}: {}", self.input, self.reasons.join("; "))
    }
}

impl std::error::Error for SfenError {}

impl<V: Variant> Position<V> {
    /// Reads a position with both kings. The move number may be missing.
    pub fn from_sfen(s: &str) -> Result<Self, SfenError> {
        Self::from_sfen_with(s, Kings::Both)
    }

    /// Reads a position; `kings` says whether it may lack kings.
    pub fn from_sfen_with(s: &str, kings: Kings) -> Result<Self, SfenError> {
        V::from_sfen(s, kings)
    }

    /// The position as SFEN with its move number.
    pub fn sfen(&self) -> String {
        let mut s = String::with_capacity(96);
        for rank in 1..=V::SIZE {
            let mut empty = 0u8;
            for file in (1..=V::SIZE).rev() {
                let piece = self.board[(file - 1) * V::SIZE + rank - 1];
                if piece.is_none() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    s.push((b'0' + empty) as char);
                    empty = 0;
                }
                piece.put_sfen(&mut s);
            }
            if empty > 0 {
                s.push((b'0' + empty) as char);
            }
            if rank < V::SIZE {
                s.push('/');
            }
        }
        s.push(' ');
        s.push(self.turn().letter());
        s.push(' ');
        self.put_hands_sfen(&mut s);
        // Writing to a text cannot fail.
        let _ = write!(s, " {}", self.ply());
        s
    }

    /// The hands part of SFEN: `-` or counts and letters, Black first.
    pub fn hands_sfen(&self) -> String {
        let mut s = String::new();
        self.put_hands_sfen(&mut s);
        s
    }

    fn put_hands_sfen(&self, out: &mut String) {
        let before = out.len();
        for color in Color::BOTH {
            for kind in Kind::SFEN_HAND_ORDER {
                let n = self.hand(color).count(kind);
                if n > 1 {
                    let _ = write!(out, "{n}");
                }
                if n > 0 {
                    Piece::new(color, kind).put_sfen(out);
                }
            }
        }
        if out.len() == before {
            out.push('-');
        }
    }
}

pub(crate) fn from_sfen<V: Variant>(s: &str, kings: Kings) -> Result<Position<V>, SfenError> {
    let mut reasons = Vec::new();
    match read::<V>(s, kings, &mut reasons) {
        Some(pos) if reasons.is_empty() => Ok(pos),
        _ => Err(SfenError { input: s.chars().take(300).collect(), reasons }),
    }
}

fn read<V: Variant>(s: &str, kings: Kings, reasons: &mut Vec<String>) -> Option<Position<V>> {
    let mut fields = s.split_ascii_whitespace();
    let (Some(board), Some(turn), Some(hands)) = (fields.next(), fields.next(), fields.next())
    else {
        reasons.push(
            "expected board, side to move, hands and move number separated by spaces".to_owned(),
        );
        return None;
    };
    let mut pos = Position::<V>::empty();
    let mut counts = Counts::default();
    read_board(board, &mut pos, &mut counts, reasons);
    // Pieces of a board that could not be read are not worth counting.
    let board_read = reasons.is_empty();
    match turn {
        "b" => {}
        "w" => pos.turn = Color::White,
        _ => reasons.push(format!("side to move is {:?}, expected b or w", clip(turn))),
    }
    read_hands(hands, &mut pos, &mut counts, reasons);
    if let Some(ply) = fields.next() {
        match ply.parse::<u32>() {
            // Some writers count from 0.
            Ok(n) if n <= MAX_PLY => pos.ply = n.max(1),
            _ => reasons.push(format!("move number is {:?}, expected 1 to {MAX_PLY}", clip(ply))),
        }
    }
    if let Some(rest) = fields.next() {
        reasons.push(format!("unexpected {:?} after the move number", clip(rest)));
    }
    if board_read {
        check_counts::<V>(&counts, kings, reasons);
    }
    if !reasons.is_empty() {
        return None;
    }
    if kings == Kings::Lenient {
        pos.stacked = true;
    } else {
        check_pawns_and_dead_pieces(&pos, reasons);
    }
    if reasons.is_empty() {
        pos.settle();
        check_waiting_side(&pos, reasons);
    }
    Some(pos)
}

fn clip(s: &str) -> String {
    s.chars().take(40).collect()
}

/// How many pieces of each unpromoted kind were read, and kings by colour.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) kinds: [usize; 9],
    pub(crate) kings: [usize; 2],
}

fn read_board<V: Variant>(
    text: &str,
    pos: &mut Position<V>,
    counts: &mut Counts,
    reasons: &mut Vec<String>,
) {
    let ranks = text.split('/').count();
    if ranks != V::SIZE {
        reasons.push(format!("{ranks} ranks, expected {} for {}", V::SIZE, V::GAME));
        return;
    }
    for (rank, row) in text.split('/').enumerate() {
        let mut column = 0;
        let mut promoted = false;
        for c in row.chars() {
            if c == '+' && !promoted {
                promoted = true;
                continue;
            }
            if let (Some(n @ 1..), false) = (c.to_digit(10), promoted) {
                column += n as usize;
                continue;
            }
            let color = if c.is_ascii_lowercase() { Color::White } else { Color::Black };
            let base = Kind::from_letter(c.to_ascii_uppercase());
            let kind = if promoted { base.and_then(Kind::promoted) } else { base };
            let Some(kind) = kind.filter(|k| V::PIECES[k.unpromoted().index()] > 0) else {
                let plus = if promoted { "+" } else { "" };
                reasons.push(format!("unknown piece '{plus}{c}' on rank {}", rank + 1));
                return;
            };
            promoted = false;
            counts.kinds[kind.unpromoted().index()] += 1;
            if kind == Kind::King {
                counts.kings[color.index()] += 1;
            }
            if column < V::SIZE {
                let sq = Square::new((V::SIZE - 1 - column) * V::SIZE + rank);
                pos.put(Piece::new(color, kind), sq);
            }
            column += 1;
        }
        if promoted {
            reasons.push(format!("'+' without a piece on rank {}", rank + 1));
        }
        if column != V::SIZE {
            reasons.push(format!("rank {} has {column} squares, expected {}", rank + 1, V::SIZE));
        }
    }
}

fn read_hands<V: Variant>(
    text: &str,
    pos: &mut Position<V>,
    counts: &mut Counts,
    reasons: &mut Vec<String>,
) {
    if text == "-" {
        return;
    }
    let mut number: Option<usize> = None;
    for c in text.chars() {
        if let Some(d) = c.to_digit(10) {
            number = Some((number.unwrap_or(0) * 10 + d as usize).min(1000));
            continue;
        }
        let color = if c.is_ascii_lowercase() { Color::White } else { Color::Black };
        let kind = Kind::from_letter(c.to_ascii_uppercase())
            .filter(|&k| k != Kind::King && V::PIECES[k.index()] > 0);
        let Some(kind) = kind else {
            reasons.push(format!("unknown piece '{c}' in hand"));
            return;
        };
        let n = number.take().unwrap_or(1);
        if n == 0 {
            reasons.push(format!("zero of '{c}' in hand"));
        }
        let has = pos.hand(color).count(kind);
        counts.kinds[kind.index()] += n;
        // Too many are reported by the count of all pieces; here they only must not overflow.
        let total = (has + n).min(V::PIECES[kind.index()]);
        pos.state.hands[color.index()].set(kind, total);
    }
    if number.is_some() {
        reasons.push("a number without a piece at the end of the hands".to_owned());
    }
}

pub(crate) fn check_counts<V: Variant>(counts: &Counts, kings: Kings, reasons: &mut Vec<String>) {
    for kind in Kind::HAND {
        let (n, most) = (counts.kinds[kind.index()], V::PIECES[kind.index()]);
        if n > most {
            let name = format!("{kind:?}").to_lowercase();
            reasons.push(format!("too many {name}s: {n}, the game has {most}"));
        }
    }
    for color in Color::BOTH {
        match counts.kings[color.index()] {
            0 if kings == Kings::Both => reasons.push(format!("{color} has no king")),
            0 | 1 => {}
            n => reasons.push(format!("{color} has {n} kings")),
        }
    }
}

pub(crate) fn check_pawns_and_dead_pieces<V: Variant>(
    pos: &Position<V>,
    reasons: &mut Vec<String>,
) {
    for color in Color::BOTH {
        let mut files = [0; 9];
        pos.pieces_of(color, Kind::Pawn).each(|sq| files[sq.index() / V::SIZE] += 1);
        for (file, &n) in files.iter().enumerate() {
            if n > 1 {
                reasons.push(format!("{color} has {n} unpromoted pawns on file {}", file + 1));
            }
        }
        for kind in [Kind::Pawn, Kind::Lance, Kind::Knight] {
            (pos.pieces_of(color, kind) & V::dead_zone(color, kind)).each(|sq| {
                let name = format!("{kind:?}").to_lowercase();
                let sq = sq.usi(V::GAME);
                reasons.push(format!("{color}'s {name} on {sq} could never move"));
            });
        }
    }
}

pub(crate) fn check_waiting_side<V: Variant>(pos: &Position<V>, reasons: &mut Vec<String>) {
    let waiting = pos.turn().opponent();
    if let Some(king) = pos.king(waiting)
        && pos.is_attacked(pos.turn(), king, pos.occupied())
    {
        reasons.push(format!("{waiting} is in check but it is {}'s turn", pos.turn()));
    }
}
