//! Positions and the questions a move generator would ask in them.

use super::Set;
use super::tables::Random;
use rules::{Color, Kind as PieceKind, Move, Position, Shogi, Square};
use std::path::{Path, PathBuf};

/// Which slider is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Lance,
    Bishop,
    Rook,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Lance => "lance",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
        }
    }
}

/// One question: what does this slider attack?
#[derive(Clone, Copy)]
pub struct Query {
    pub kind: Kind,
    pub color: Color,
    pub sq: Square,
    pub occupied: Set,
}

/// Calls `f` for every slider on the board.
#[inline(always)]
pub fn each(position: &Position<Shogi>, mut f: impl FnMut(Query)) {
    let occupied = position.occupied();
    for color in Color::BOTH {
        let sets = [
            (Kind::Lance, position.pieces_of(color, PieceKind::Lance).raw()),
            (Kind::Bishop, position.pieces_of(color, PieceKind::Bishop).raw()),
            (Kind::Bishop, position.pieces_of(color, PieceKind::Horse).raw()),
            (Kind::Rook, position.pieces_of(color, PieceKind::Rook).raw()),
            (Kind::Rook, position.pieces_of(color, PieceKind::Dragon).raw()),
        ];
        for (kind, mut set) in sets {
            while set != 0 {
                let bit = set.trailing_zeros() as usize;
                set &= set - 1;
                let sq = Square::new(if bit < 63 { bit } else { bit - 1 });
                f(Query { kind, color, sq, occupied });
            }
        }
    }
}

/// The questions of all positions.
pub fn of(positions: &[Position<Shogi>]) -> Vec<Query> {
    let mut all = Vec::new();
    for position in positions {
        each(position, |query| all.push(query));
    }
    all
}

/// At most so many positions, spread over the games.
const POSITIONS: usize = 1500;
const GAMES: usize = 60;

/// Positions of real games (CSA records under `records` of the folder `NUE_SHARED_DATA` or
/// `../shared/data`) or, without them, of seeded random playouts; and where they come from.
pub fn positions() -> (Vec<Position<Shogi>>, String) {
    let mut records = Vec::new();
    collect(&data().join("records"), &mut records);
    records.sort();
    let step = (records.len() / GAMES).max(1);
    let games = records.iter().step_by(step).take(GAMES);
    let played: Vec<Position<Shogi>> = games.flat_map(|path| game(path)).collect();
    if played.len() >= 100 {
        let text = format!("{} positions of real games", played.len().min(POSITIONS));
        return (thinned(played), text);
    }
    let mut random = Random(2021);
    let playouts: Vec<Position<Shogi>> = (0..GAMES).flat_map(|_| playout(&mut random)).collect();
    let text = format!("{} positions of random playouts", playouts.len().min(POSITIONS));
    (thinned(playouts), text)
}

fn thinned(positions: Vec<Position<Shogi>>) -> Vec<Position<Shogi>> {
    let step = positions.len().div_ceil(POSITIONS).max(1);
    positions.into_iter().step_by(step).collect()
}

fn data() -> PathBuf {
    std::env::var_os("NUE_SHARED_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    )
}

fn collect(folder: &Path, records: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, records);
        } else if path.extension().is_some_and(|extension| extension == "csa") {
            records.push(path);
        }
    }
}

/// Every position of a CSA record of an even game, as far as its moves can be read.
fn game(path: &Path) -> Vec<Position<Shogi>> {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let mut position = Position::<Shogi>::startpos();
    let mut positions = Vec::new();
    for line in text.lines() {
        let Some(m) = csa_move(&position, line) else { continue };
        position.play(m);
        positions.push(position.clone());
    }
    positions
}

/// The legal move a line such as `+7776FU` means: the one with these squares and this outcome.
fn csa_move(position: &Position<Shogi>, line: &str) -> Option<Move> {
    const CODES: [&str; 14] =
        ["FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];
    let text = line.strip_prefix(['+', '-'])?;
    let code = text.get(4..6)?;
    let squares: Vec<usize> =
        text.bytes().take(4).map(|b| usize::from(b.wrapping_sub(b'0'))).collect();
    let square = |file: usize, rank: usize| rules::Square::at(rules::Game::Shogi, file, rank);
    let to = square(squares[2], squares[3])?;
    let from = square(squares[0], squares[1]);
    let fits = |m: &Move| {
        let origin = (!m.is_drop()).then(|| m.from());
        let mut after = position.clone();
        m.to() == to && origin == from && {
            after.play(*m);
            after.piece_at(to).kind().is_some_and(|kind| CODES[kind as usize - 1] == code)
        }
    };
    position.legal_moves().as_slice().iter().copied().find(fits)
}

fn playout(random: &mut Random) -> Vec<Position<Shogi>> {
    let mut position = Position::<Shogi>::startpos();
    let mut positions = Vec::new();
    for _ in 0..150 {
        let moves = position.legal_moves();
        if moves.as_slice().is_empty() {
            break;
        }
        position.play(moves.as_slice()[(random.next() % moves.as_slice().len() as u64) as usize]);
        positions.push(position.clone());
    }
    positions
}
