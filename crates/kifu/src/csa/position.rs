//! The start position: `PI`, `P1` … `P9` and `P+`/`P-` statements.
//!
//! For 5×5 there is no standard. We write five rows `P1` … `P5` of five cells and a `$GAME`
//! header, and take any file with rows of five cells for minishogi.

use super::moves::{kind, name, square};
use crate::error::{Located, Problem};
use crate::placement::Placement;
use rules::{AnyPosition, Color, Game, Handicap, Kind, Piece, Square};

/// Position statements gathered until the side to move is known.
#[derive(Default)]
pub(super) struct Setup {
    /// The game a header named.
    pub(super) game: Option<Game>,
    statements: Vec<(usize, String)>,
}

impl Setup {
    /// Keeps a statement that starts with `P`.
    pub(super) fn add(&mut self, line: usize, text: &str) {
        self.statements.push((line, text.to_owned()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The position with that side to move. Without any statement it is the even start: the
    /// standard says an empty board, from which no game could be played.
    pub(super) fn position(&self, turn: Color) -> Result<AnyPosition, Located> {
        let game = self.game.unwrap_or_else(|| self.guess());
        let mut board = if self.is_empty() { start(game) } else { Placement::empty(game) };
        for (line, text) in &self.statements {
            self.apply(&mut board, text).map_err(|reason| reason.at(*line))?;
        }
        board.turn = turn;
        let line = self.statements.first().map_or(0, |s| s.0);
        board.position().map_err(|reason| reason.at(line))
    }

    /// Rows of five cells, and none of more, mean minishogi.
    fn guess(&self) -> Game {
        let mut rows = self.statements.iter().filter_map(|(_, text)| row(text)).peekable();
        let small = rows.peek().is_some() && rows.all(|(_, cells)| scan(cells).len() == 5);
        if small { Game::Minishogi } else { Game::Shogi }
    }

    fn apply(&self, board: &mut Placement, text: &str) -> Result<(), Problem> {
        let bad = || Problem::Board(text.to_owned());
        if let Some(removed) = text.strip_prefix("PI") {
            let ply = board.ply;
            *board = start(board.game);
            board.ply = ply;
            for group in groups(removed).ok_or_else(bad)? {
                let sq = square(board.game, &group[..2]).flatten().ok_or_else(bad)?;
                let named = kind(&group[2..]).ok_or_else(bad)?;
                if board.at(sq).kind() != Some(named) {
                    return Err(bad());
                }
                board.put(sq, Piece::NONE);
            }
            return Ok(());
        }
        if let Some((rank, cells)) = row(text) {
            let n = board.game.size();
            let pieces = columns(cells, n).or_else(|| Some(scan(cells)).filter(|c| c.len() == n));
            for (column, cell) in pieces.ok_or_else(bad)?.into_iter().enumerate() {
                let sq = Square::at(board.game, n - column, rank).ok_or_else(bad)?;
                let piece = cell.ok_or_else(bad)?;
                board.put(sq, piece);
            }
            return Ok(());
        }
        let color = match text.as_bytes().get(1) {
            Some(b'+') => Color::Black,
            Some(b'-') => Color::White,
            _ => return Err(bad()),
        };
        for group in groups(text[2..].trim()).ok_or_else(bad)? {
            match (square(board.game, &group[..2]).ok_or_else(bad)?, &group[2..]) {
                (None, "AL") => board.give_the_rest(color),
                (None, held) => board.give(color, kind(held).ok_or_else(bad)?, 1)?,
                (Some(sq), placed) => {
                    board.put(sq, Piece::new(color, kind(placed).ok_or_else(bad)?));
                }
            }
        }
        Ok(())
    }
}

/// The even start as a board to change.
fn start(game: Game) -> Placement {
    Placement::of(&AnyPosition::startpos(game))
}

/// Rank and cells of a `P1` … `P9` statement.
fn row(text: &str) -> Option<(usize, &str)> {
    let digit = text.strip_prefix('P')?.chars().next()?.to_digit(10)?;
    (digit > 0).then(|| (digit as usize, &text[2..]))
}

/// Groups of four characters such as `82HI`.
fn groups(text: &str) -> Option<Vec<&str>> {
    if !text.is_ascii() || !text.len().is_multiple_of(4) {
        return None;
    }
    Some((0..text.len()).step_by(4).map(|i| &text[i..i + 4]).collect())
}

/// A cell: an empty square is `Piece::NONE`, an unknown piece `None`.
type Cell = Option<Piece>;

fn piece(text: &str) -> Cell {
    let color = if text.starts_with('+') { Color::Black } else { Color::White };
    kind(text.get(1..3)?).map(|k| Piece::new(color, k))
}

/// Cells of exactly three characters each, as the standard has them (the last may lack spaces).
fn columns(text: &str, n: usize) -> Option<Vec<Cell>> {
    if !text.is_ascii() || text.trim_end().len() > 3 * n {
        return None;
    }
    let padded = format!("{text:<width$}", width = 3 * n);
    (0..n)
        .map(|i| match &padded[3 * i..3 * i + 3] {
            " * " | "   " => Some(Some(Piece::NONE)),
            cell if cell.starts_with(['+', '-']) => Some(piece(cell)),
            _ => None,
        })
        .collect()
}

/// Cells in a row whose spaces were lost in a mail or on a web page.
fn scan(text: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        let length = if matches!(c, '+' | '-') { 3 } else { c.len_utf8() };
        cells.push(if c == '*' { Some(Piece::NONE) } else { rest.get(..3).and_then(piece) });
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    cells
}

/// The statements of a start position, the side to move included.
pub(super) fn write(start: &AnyPosition, handicap: Option<Handicap>) -> Vec<String> {
    let board = Placement::of(start);
    let mut lines = Vec::new();
    if handicap == Some(Handicap::Even) {
        lines.push("PI".to_owned());
    } else {
        let n = board.game.size();
        for rank in 1..=n {
            let mut line = format!("P{rank}");
            for file in (1..=n).rev() {
                let piece = Square::at(board.game, file, rank).map_or(Piece::NONE, |s| board.at(s));
                line.push_str(&cell(piece));
            }
            lines.push(line);
        }
        for (color, sign) in [(Color::Black, '+'), (Color::White, '-')] {
            let held: String = Kind::SFEN_HAND_ORDER
                .iter()
                .map(|&k| format!("00{}", name(k)).repeat(board.hand(color, k)))
                .collect();
            if !held.is_empty() {
                lines.push(format!("P{sign}{held}"));
            }
        }
    }
    lines.push(if start.turn() == Color::Black { "+" } else { "-" }.to_owned());
    lines
}

fn cell(piece: Piece) -> String {
    match (piece.color(), piece.kind()) {
        (Some(Color::Black), Some(k)) => format!("+{}", name(k)),
        (Some(Color::White), Some(k)) => format!("-{}", name(k)),
        _ => " * ".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str], turn: Color) -> Result<String, String> {
        let mut setup = Setup::default();
        for (i, line) in lines.iter().enumerate() {
            setup.add(i, line);
        }
        setup.position(turn).map(|p| p.sfen()).map_err(|e| e.reason.to_string())
    }

    #[test]
    fn handicaps_by_removed_pieces() {
        for (text, handicap) in [
            ("PI11KY", Handicap::Lance),
            ("PI91KY", Handicap::RightLance),
            ("PI22KA", Handicap::Bishop),
            ("PI82HI11KY", Handicap::RookLance),
            ("PI82HI22KA", Handicap::Two),
            ("PI82HI22KA41KI61KI31GI71GI21KE81KE11KY91KY", Handicap::Ten),
        ] {
            assert_eq!(read(&[text], Color::White), Ok(handicap.sfen()), "{text}");
        }
        for bad in ["PI82KA", "PI82H", "PIx", "P0", "P1-K", "P+55", "P+5XFU", "P", "P1é", "P+00OU"]
        {
            assert!(read(&[bad], Color::Black).is_err(), "{bad}");
        }
    }

    #[test]
    fn rows_with_and_without_their_spaces() {
        for rows in [
            ["P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "P2 * -HI *  *  *  *  * -KA * "],
            ["P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "P2 * -HI * * * * * -KA *"],
            ["P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "P2   -HI               -KA"],
        ] {
            let sfen = read(&rows, Color::Black).unwrap();
            assert!(sfen.starts_with("lnsgkgsnl/1r5b1/9/"), "{sfen}");
        }
    }

    #[test]
    fn single_pieces_and_the_rest() {
        let sfen =
            read(&["P-11OU21FU22FU23FU24FU25FU26FU27FU28FU", "P+00HI", "P-00AL"], Color::Black);
        assert!(sfen.unwrap().starts_with("7pk/7p1/7p1/7p1/7p1/7p1/7p1/7p1/9 b Rr"));
        let three = read(&["P-11OU21HI22HI23HI"], Color::Black);
        assert!(three.unwrap_err().contains("too many rooks"));
        let sfen = read(&["P-11OU", "P+13FU99OU00HI", "P-00AL"], Color::Black).unwrap();
        assert_eq!(sfen, "8k/9/8P/9/9/9/9/9/K8 b Rr2b4g4s4n4l17p 1");
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut list: Vec<(Game, String)> =
            Handicap::ALL.iter().map(|h| (Game::Shogi, h.sfen())).collect();
        list.push((Game::Minishogi, AnyPosition::startpos(Game::Minishogi).sfen()));
        list.push((Game::Minishogi, "r1s1k/P3b/1P3/5/K1SBR w 2G 1".to_owned()));
        list.push((Game::Shogi, "3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1".to_owned()));
        for (game, sfen) in list {
            let pos = AnyPosition::from_sfen_with(game, &sfen, rules::Kings::Any).unwrap();
            let lines = write(&pos, Handicap::from_sfen(&sfen));
            let (turn, rows) = lines.split_last().unwrap();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let turn = if turn == "+" { Color::Black } else { Color::White };
            assert_eq!(read(&rows, turn), Ok(sfen));
        }
    }
}
