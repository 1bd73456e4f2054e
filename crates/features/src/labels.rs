//! What policy-value nets say: moves as numbers.
//!
//! A label is of the move as the side to move sees it: for White the board is turned around.
//! docs/planes.md has every set in full.

#[cfg(test)]
mod tests;

use rules::{Color, Game, Kind, Move, Square};

/// A numbering of moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Labels {
    /// dlshogi's 27 kinds of move for each of 81 destinations.
    Dlshogi,
    /// The 3,781 moves there can be: PAL's number, in AobaZero's order.
    Pal,
    /// dlshogi's idea in minishogi: 21 kinds of move for each of 25 destinations.
    Minishogi,
}

impl Labels {
    pub const ALL: [Self; 3] = [Self::Dlshogi, Self::Pal, Self::Minishogi];

    /// The game.
    pub const fn game(self) -> Game {
        match self {
            Self::Dlshogi | Self::Pal => Game::Shogi,
            Self::Minishogi => Game::Minishogi,
        }
    }

    /// The name in net files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dlshogi => "dlshogi",
            Self::Pal => "pal",
            Self::Minishogi => "minishogi",
        }
    }

    /// The numbering with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|labels| labels.name() == name)
    }

    /// How many labels there are.
    pub const fn count(self) -> usize {
        match self {
            Self::Dlshogi => 27 * 81,
            Self::Pal => PAL_COUNT,
            Self::Minishogi => 21 * 25,
        }
    }

    /// The label of a move that could be legal for `turn` in some position. Of other moves the
    /// label means nothing.
    #[inline]
    pub fn label(self, mv: Move, turn: Color) -> u16 {
        let last = self.game().squares() - 1;
        let seen = |sq: usize| if turn == Color::White { last - sq } else { sq };
        let to = seen(mv.to().index());
        let from = match mv.dropped() {
            Some(kind) => return self.drop(kind, to),
            None => seen(mv.from().index()),
        };
        let promoted = usize::from(mv.is_promotion());
        match self {
            Self::Dlshogi => {
                let direction = usize::from(DIRECTIONS_81[81 * from + to]);
                ((direction + 10 * promoted) * 81 + to) as u16
            }
            Self::Pal => PAL.moves[promoted][81 * from + to],
            Self::Minishogi => {
                let direction = usize::from(DIRECTIONS_25[25 * from + to]);
                ((direction + 8 * promoted) * 25 + to) as u16
            }
        }
    }

    /// Every label as that of the same move mirrored left to right.
    pub fn mirrored(self) -> Vec<u16> {
        let game = self.game();
        let drops: &[Kind] = match game {
            Game::Shogi => &Kind::HAND,
            Game::Minishogi => &[Kind::Pawn, Kind::Silver, Kind::Bishop, Kind::Rook, Kind::Gold],
        };
        let mut table: Vec<u16> = (0..self.count() as u16).collect();
        let mut put = |mv: Move| {
            let label = self.label(mv, Color::Black);
            if let Some(place) = table.get_mut(usize::from(label)) {
                *place = self.label(mv.mirrored(game), Color::Black);
            }
        };
        for to in Square::all(game) {
            for from in Square::all(game).filter(|&from| from != to) {
                [false, true].into_iter().for_each(|promoted| put(Move::board(from, to, promoted)));
            }
            drops.iter().for_each(|&kind| put(Move::drop(kind, to)));
        }
        table
    }

    #[inline]
    fn drop(self, kind: Kind, to: usize) -> u16 {
        match self {
            Self::Dlshogi => ((20 + kind.index() - 1) * 81 + to) as u16,
            Self::Pal => PAL.drops[kind.index()][to],
            Self::Minishogi => {
                // Pawn, silver, bishop, rook, gold: by number, without lance and knight.
                let number = if matches!(kind, Kind::Pawn) { 0 } else { kind.index() - 3 };
                ((16 + number) * 25 + to) as u16
            }
        }
    }
}

/// dlshogi's number of the way from a square to another: up, up-left, up-right, left, right,
/// down, down-left, down-right, and a knight's jump to the left and to the right. Left is where
/// the file numbers grow.
const fn directions<const PAIRS: usize>(size: usize) -> [u8; PAIRS] {
    let squares = size * size;
    let mut table = [0; PAIRS];
    let mut pair = 0;
    while pair < PAIRS {
        let (from, to) = (pair / squares, pair % squares);
        let left = (to / size) as isize - (from / size) as isize;
        let up = (from % size) as isize - (to % size) as isize;
        table[pair] = match (up, left) {
            (2, 1) if size == 9 => 8,
            (2, -1) if size == 9 => 9,
            (1.., 0) => 0,
            (1.., 1..) => 1,
            (1.., _) => 2,
            (0, 1..) => 3,
            (0, _) => 4,
            (_, 0) => 5,
            (_, 1..) => 6,
            _ => 7,
        };
        pair += 1;
    }
    table
}

static DIRECTIONS_81: [u8; 81 * 81] = directions(9);
static DIRECTIONS_25: [u8; 25 * 25] = directions(5);

const PAL_COUNT: usize = 3_781;

/// Labels by promotion, origin and destination, and by kind dropped and destination;
/// [`u16::MAX`] for what can never be.
struct Pal {
    moves: [[u16; 81 * 81]; 2],
    drops: [[u16; 81]; 8],
}

static PAL: Pal = pal();

/// AobaZero's moves are 139 kinds (eight directions by distance, two jumps; the same with
/// promotion; drops) for each of 81 squares, the origin's or for drops the destination's, rank by
/// rank from file 9. The labels number those that can ever be, in that order.
const fn pal() -> Pal {
    let mut table = Pal { moves: [[u16::MAX; 81 * 81]; 2], drops: [[u16::MAX; 81]; 8] };
    // How far a step goes up and to the left (to a higher file).
    let steps: [(isize, isize); 8] =
        [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    let mut next = 0;
    let mut kind = 0;
    while kind < 132 {
        let (promoted, way) = (kind / 66, kind % 66);
        let (up, left) = match way {
            64 => (2, 1),
            65 => (2, -1),
            _ => {
                let (step, far) = (steps[way / 8], (way % 8 + 1) as isize);
                (step.0 * far, step.1 * far)
            }
        };
        let mut raster = 0;
        while raster < 81 {
            let (rank, file) = (raster / 9, 8 - raster % 9);
            let (to_rank, to_file) = (rank as isize - up, file as isize + left);
            let on_board = 0 <= to_rank && to_rank < 9 && 0 <= to_file && to_file < 9;
            let possible = if promoted == 1 {
                rank < 3 || to_rank < 3
            } else {
                // A knight must promote where it could not move again.
                way < 64 || to_rank >= 2
            };
            if on_board && possible {
                let (from, to) = (9 * file + rank, 9 * to_file as usize + to_rank as usize);
                table.moves[promoted][81 * from + to] = next;
                next += 1;
            }
            raster += 1;
        }
        kind += 1;
    }
    let dropped = [
        (Kind::Pawn, 1),
        (Kind::Lance, 1),
        (Kind::Knight, 2),
        (Kind::Silver, 0),
        (Kind::Gold, 0),
        (Kind::Bishop, 0),
        (Kind::Rook, 0),
    ];
    let mut i = 0;
    while i < 7 {
        let (kind, first_rank) = dropped[i];
        let mut raster = 9 * first_rank;
        while raster < 81 {
            table.drops[kind as usize][9 * (8 - raster % 9) + raster / 9] = next;
            next += 1;
            raster += 1;
        }
        i += 1;
    }
    assert!(next as usize == PAL_COUNT, "3,781 moves can ever be");
    table
}
