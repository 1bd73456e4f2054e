//! Board diagrams (BOD) and hands.

use super::words::side;
use crate::error::Problem;
use crate::notation;
use crate::placement::Placement;
use rules::{AnyPosition, Color, Game, Kind, Piece, Square};

/// A diagram being read.
#[derive(Default)]
pub(super) struct Diagram {
    rows: Vec<Vec<Piece>>,
    hands: [Vec<(Kind, usize)>; 2],
    pub(super) turn: Option<Color>,
    /// Moves played before it.
    pub(super) played: u32,
}

impl Diagram {
    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Reads a row: `| ・v玉 歩 …|一`. The sign before a piece may be a space, `^` or `+` for
    /// Black, `v` or `V` for White.
    pub(super) fn row(&mut self, line: &str) -> Result<(), Problem> {
        let bad = || Problem::Board(line.to_owned());
        let inner = line.trim_start().strip_prefix(['|', '｜']).ok_or_else(bad)?;
        let inner = inner.rsplit_once(['|', '｜']).map_or(inner, |(cells, _)| cells);
        let mut row = Vec::new();
        let mut color = Color::Black;
        for c in inner.chars() {
            match c {
                ' ' | '^' | '+' => color = Color::Black,
                'v' | 'V' | '-' => color = Color::White,
                '・' | '･' | '．' | '　' | '*' | '.' => row.push(Piece::NONE),
                c => row.push(Piece::new(color, notation::piece(c).ok_or_else(bad)?)),
            }
        }
        if !Game::ALL.iter().any(|g| g.size() == row.len()) {
            return Err(bad());
        }
        self.rows.push(row);
        Ok(())
    }

    /// Reads a hand: `飛　角　金二　歩十八　` or `なし`.
    pub(super) fn hand(&mut self, color: Color, text: &str) -> Result<(), Problem> {
        let bad = || Problem::Board(text.to_owned());
        let mut list: Vec<(Kind, String)> = Vec::new();
        if text.trim() != "なし" {
            for c in text.chars().filter(|c| !c.is_whitespace()) {
                match (notation::piece(c), list.last_mut()) {
                    (Some(kind), _) => list.push((kind, String::new())),
                    (None, Some((_, number))) => number.push(c),
                    (None, None) => return Err(bad()),
                }
            }
        }
        for (kind, number) in list {
            let n = if number.is_empty() { Some(1) } else { notation::read_number(&number) };
            self.hands[color.index()].push((kind, n.ok_or_else(bad)?));
        }
        Ok(())
    }

    /// The position, Black to move unless the diagram says otherwise.
    pub(super) fn position(&self) -> Result<AnyPosition, Problem> {
        let size = self.rows.len();
        let game = Game::ALL.into_iter().find(|g| g.size() == size);
        let fits = self.rows.iter().all(|r| r.len() == size);
        let (Some(game), true) = (game, fits) else {
            return Err(Problem::Board(format!("diagram of {size} rows")));
        };
        let mut board = Placement::empty(game);
        for (rank, row) in self.rows.iter().enumerate() {
            for (column, &piece) in row.iter().enumerate() {
                if let Some(sq) = Square::at(game, size - column, rank + 1) {
                    board.put(sq, piece);
                }
            }
        }
        for color in Color::BOTH {
            for &(kind, n) in &self.hands[color.index()] {
                board.give(color, kind, n)?;
            }
        }
        board.turn = self.turn.unwrap_or(Color::Black);
        board.ply = self.played.saturating_add(1);
        board.position()
    }
}

/// The lines of a diagram.
pub(super) fn write(pos: &AnyPosition) -> Vec<String> {
    let board = Placement::of(pos);
    let n = board.game.size();
    let files: String = (1..=n).rev().map(|f| format!(" {}", notation::wide_digit(f))).collect();
    let border = format!("+{}+", "-".repeat(3 * n));
    let mut lines = vec![hand(&board, Color::White), format!(" {files}"), border.clone()];
    for rank in 1..=n {
        let cells: String = (1..=n)
            .rev()
            .map(|file| Square::at(board.game, file, rank).map_or(Piece::NONE, |s| board.at(s)))
            .map(|piece| match (piece.kind(), piece.color()) {
                (Some(kind), Some(Color::White)) => format!("v{}", notation::piece_on_board(kind)),
                (Some(kind), _) => format!(" {}", notation::piece_on_board(kind)),
                (None, _) => " ・".to_owned(),
            })
            .collect();
        lines.push(format!("|{cells}|{}", notation::kanji_digit(rank)));
    }
    lines.push(border);
    lines.push(hand(&board, Color::Black));
    if board.ply > 1 {
        lines.push(format!("手数＝{}", board.ply - 1));
    }
    lines.push(format!("{}番", side(board.turn, false)));
    lines
}

fn hand(board: &Placement, color: Color) -> String {
    let mut text = String::new();
    for kind in Kind::SFEN_HAND_ORDER {
        let n = board.hand(color, kind);
        if n > 0 {
            text.push_str(notation::piece_on_board(kind));
        }
        if n > 1 {
            text.push_str(&notation::kanji_number(n));
        }
        if n > 0 {
            text.push('　');
        }
    }
    if text.is_empty() {
        text.push_str("なし");
    }
    format!("{}の持駒：{text}", side(color, false))
}
