//! Random positions that are legal but look like no game: kings in the open, pieces anywhere.

use rules::{AnyPosition, Color, Game, Kind, Kings, Piece, Position, Square, Variant};
use seed::Rng;

/// The text of a random position; often an illegal one.
fn text<V: Variant>(rng: &mut Rng) -> String {
    let game = V::GAME;
    let mut board = vec![Piece::NONE; V::SQUARES];
    let mut hands = [[0usize; 8]; 2];
    let kings = if rng.below(8) == 0 { 1 } else { 2 };
    for color in Color::BOTH.into_iter().rev().take(kings) {
        board[rng.below(V::SQUARES)] = Piece::new(color, Kind::King);
    }
    // Much on the board, or little.
    let density = rng.below(7) + 1;
    for kind in Kind::HAND {
        for _ in 0..V::PIECES[kind.index()] {
            let color = Color::BOTH[rng.below(2)];
            if rng.below(8) >= density {
                if rng.below(2) == 0 {
                    hands[color.index()][kind.index()] += 1;
                }
                continue;
            }
            let sq = rng.below(V::SQUARES);
            if board[sq].is_some() {
                continue;
            }
            let promoted = rng.below(4) == 0;
            let kind = if promoted { kind.promoted().unwrap_or(kind) } else { kind };
            if matches!(kind, Kind::Pawn | Kind::Lance | Kind::Knight) {
                let rank = Square::new(sq).rank(game) - 1;
                let depth = if color == Color::Black { rank } else { V::SIZE - 1 - rank };
                let file = sq / V::SIZE * V::SIZE;
                let twice = kind == Kind::Pawn
                    && board[file..file + V::SIZE].contains(&Piece::new(color, kind));
                if depth < (if kind == Kind::Knight { 2 } else { 1 }) || twice {
                    continue;
                }
            }
            board[sq] = Piece::new(color, kind);
        }
    }
    let mut held = String::new();
    for color in Color::BOTH {
        for kind in Kind::HAND {
            let n = hands[color.index()][kind.index()];
            if n > 0 {
                held += &format!("{n}{}", Piece::new(color, kind).sfen());
            }
        }
    }
    let turn = if rng.below(2) == 0 { "b" } else { "w" };
    let held = if held.is_empty() { "-" } else { &held };
    format!("{} {turn} {held} 1", rows::<V>(&board))
}

/// A random position in which the side to move might mate: its opponent has a king.
pub(crate) fn position<V: Variant>(rng: &mut Rng) -> Position<V> {
    loop {
        if let Ok(pos) = Position::<V>::from_sfen_with(&text::<V>(rng), Kings::Any)
            && pos.king(pos.turn().opponent()).is_some()
        {
            return pos;
        }
    }
}

/// A random position of few pieces, those on the board near the enemy king.
pub(crate) fn small<V: Variant>(rng: &mut Rng) -> Position<V> {
    let size = V::SIZE;
    loop {
        let mut board = vec![Piece::NONE; V::SQUARES];
        let (file, rank) = (rng.below(size), rng.below(size.min(3)));
        board[file * size + rank] = Piece::new(Color::White, Kind::King);
        if rng.below(3) == 0 {
            let sq = rng.below(V::SQUARES);
            if board[sq].is_none() {
                board[sq] = Piece::new(Color::Black, Kind::King);
            }
        }
        let kinds: Vec<Kind> =
            Kind::HAND.into_iter().filter(|k| V::PIECES[k.index()] > 0).collect();
        let mut held = String::new();
        for _ in 0..3 + rng.below(5) {
            let kind = kinds[rng.below(kinds.len())];
            let color = Color::BOTH[usize::from(rng.below(3) == 0)];
            if rng.below(3) == 0 {
                if color == Color::Black || rng.below(4) == 0 {
                    held += &Piece::new(color, kind).sfen();
                }
                continue;
            }
            let near =
                |at: usize, rng: &mut Rng| (at + rng.below(5)).saturating_sub(2).min(size - 1);
            let sq = near(file, rng) * size + near(rank, rng);
            if board[sq].is_none() {
                let kind = if rng.below(3) == 0 { kind.promoted().unwrap_or(kind) } else { kind };
                board[sq] = Piece::new(color, kind);
            }
        }
        let held = if held.is_empty() { "-" } else { &held };
        let sfen = format!("{} b {held} 1", rows::<V>(&board));
        if let Ok(pos) = Position::<V>::from_sfen_with(&sfen, Kings::Any)
            && pos.king(Color::White).is_some()
        {
            return pos;
        }
    }
}

/// A random position of a king at the edge, hemmed in by its own pieces, a slider far away, and
/// a piece or two in the defender's hand to put between.
pub(crate) fn besieged<V: Variant>(rng: &mut Rng) -> Position<V> {
    let size = V::SIZE;
    loop {
        let mut board = vec![Piece::NONE; V::SQUARES];
        let file = rng.below(size);
        board[file * size] = Piece::new(Color::White, Kind::King);
        let mut put = |sq: usize, piece: Piece| {
            if board[sq].is_none() {
                board[sq] = piece;
            }
        };
        for step in [-1, 0, 1] {
            let near = file as i64 + step;
            if rng.below(4) > 0 && (0..size as i64).contains(&near) {
                let kind = [Kind::Pawn, Kind::Silver, Kind::Gold][rng.below(3)];
                put(near as usize * size + 1, Piece::new(Color::White, kind));
            }
        }
        for _ in 0..1 + rng.below(2) {
            let kind = [Kind::Rook, Kind::Rook, Kind::Bishop, Kind::Dragon][rng.below(4)];
            put(rng.below(V::SQUARES), Piece::new(Color::Black, kind));
        }
        for _ in 0..1 + rng.below(2) {
            let near = (file + rng.below(5)).saturating_sub(2).min(size - 1);
            let kind = [Kind::Gold, Kind::Silver, Kind::ProPawn][rng.below(3)];
            put(near * size + rng.below(3), Piece::new(Color::Black, kind));
        }
        let held = ["s", "g", "gs", "Gs", "b", "Sg"][rng.below(6)];
        let sfen = format!("{} b {held} 1", rows::<V>(&board));
        if let Ok(pos) = Position::<V>::from_sfen_with(&sfen, Kings::Any) {
            return pos;
        }
    }
}

/// The board part of SFEN.
fn rows<V: Variant>(board: &[Piece]) -> String {
    let row = |rank: usize| -> String {
        let square = |file: usize| match board[file * V::SIZE + rank] {
            Piece::NONE => "1".to_owned(),
            piece => piece.sfen(),
        };
        (0..V::SIZE).rev().map(square).collect()
    };
    (0..V::SIZE).map(row).collect::<Vec<_>>().join("/")
}

/// Positions of random games, one after every move.
pub(crate) fn game<V: Variant>(rng: &mut Rng, mut each: impl FnMut(&Position<V>)) {
    let mut pos = Position::<V>::startpos();
    for _ in 0..rng.below(300) {
        let moves = pos.legal_moves();
        if moves.is_empty() {
            return;
        }
        pos.play(moves[rng.below(moves.len())]);
        each(&pos);
    }
}

#[allow(dead_code)]
pub(crate) fn any(game: Game, sfen: &str) -> AnyPosition {
    AnyPosition::from_sfen_with(game, sfen, Kings::Any).unwrap_or_else(|e| panic!("{e}"))
}
