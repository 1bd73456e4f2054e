//! Openings from the commonest positions of games.
//!
//! The paper takes positions at ply 16 by how often they came, 800 at most, any two of them with eight
//! squares or more that are not alike: matches from them are varied, and typical of what was learned.

use crate::start::Start;
use crate::stats::{StatisticsError, play_legal, position_of};
use rules::{AnyPosition, Game, Move, Piece, Square};

/// Which positions are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningRule {
    /// At most so many.
    pub most: usize,
    /// Squares on which any two differ, or more.
    pub apart: usize,
}

impl Default for OpeningRule {
    /// The paper's.
    fn default() -> Self {
        Self { most: 800, apart: 8 }
    }
}

/// A position to begin from, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// Games that were seen to come there; a few more may have.
    pub count: u64,
    pub moves: Vec<Move>,
    pub sfen: String,
}

impl Opening {
    /// As files of openings have it: `sfen … moves …`.
    pub fn line(&self, game: Game, start: &Start) -> String {
        let mut text = format!("sfen {}", start.sfen);
        for (index, m) in self.moves.iter().enumerate() {
            text.push_str(if index == 0 { " moves " } else { " " });
            m.put_usi(game, &mut text);
        }
        text
    }
}

/// The first of these lines, each with its count, that are far enough from all taken before.
pub fn opening_set<'a>(
    game: Game,
    start: &Start,
    candidates: impl IntoIterator<Item = (u64, &'a [u16])>,
    rule: OpeningRule,
) -> Result<Vec<Opening>, StatisticsError> {
    let mut taken: Vec<(Opening, Vec<Piece>)> = Vec::new();
    for (count, line) in candidates {
        if taken.len() >= rule.most {
            break;
        }
        let mut position = position_of(game, start)?;
        let mut moves = Vec::with_capacity(line.len());
        for (index, &bits) in line.iter().enumerate() {
            // Bits of a damaged file may be no move at all; none is legal anywhere.
            let m = Move::from_bits(game, bits).unwrap_or_default();
            play_legal(&mut position, m, game, start, index)?;
            moves.push(m);
        }
        let board = board(game, &position);
        if taken.iter().all(|(_, other)| difference(&board, other) >= rule.apart) {
            taken.push((Opening { count, moves, sfen: position.sfen() }, board));
        }
    }
    Ok(taken.into_iter().map(|(opening, _)| opening).collect())
}

fn board(game: Game, position: &AnyPosition) -> Vec<Piece> {
    Square::all(game).map(|square| position.piece_at(square)).collect()
}

fn difference(a: &[Piece], b: &[Piece]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(game: Game, line: &str) -> Vec<u16> {
        line.split(' ').map(|usi| Move::from_usi(game, usi).expect("a move").bits()).collect()
    }

    #[test]
    fn positions_too_near_to_a_commoner_one_are_left_out() {
        let game = Game::Shogi;
        let start = &Start::usual(game)[0];
        let lines = [
            (9, bits(game, "7g7f 3c3d 2g2f")),
            (8, bits(game, "7g7f 3c3d 6g6f")), // four squares from the first
            (7, bits(game, "2g2f 8c8d 2f2e")), // eight from it
            (6, bits(game, "9g9f 1c1d 5g5f")),
        ];
        let taken = |most, apart| {
            let candidates = lines.iter().map(|(count, line)| (*count, line.as_slice()));
            let rule = OpeningRule { most, apart };
            let set = opening_set(game, start, candidates, rule).expect("legal");
            set.iter().map(|opening| opening.count).collect::<Vec<_>>()
        };
        assert_eq!(taken(800, 0), [9, 8, 7, 6]);
        assert_eq!(taken(800, 4), [9, 8, 7, 6]);
        assert_eq!(taken(800, 5), [9, 7, 6]);
        assert_eq!(taken(2, 5), [9, 7]);
        assert_eq!(taken(800, 8), [9, 7, 6]);
        assert_eq!(taken(800, 9), [9, 6]);
        assert_eq!(taken(0, 0), [0u64; 0]);
    }

    #[test]
    fn an_opening_is_written_as_files_of_openings_have_it() {
        let game = Game::Minishogi;
        let start = &Start::usual(game)[4];
        let line = bits(game, "2a2b 5e4d");
        let set = opening_set(game, start, [(3, line.as_slice())], OpeningRule::default());
        let opening = &set.expect("legal")[0];
        let text = opening.line(game, start);
        assert_eq!(text, "sfen 1bsgk/4p/5/P4/KGSBR w - 1 moves 2a2b 5e4d");
        assert_eq!(opening.sfen, "1bs1k/3gp/5/PK3/1GSBR w - 3");
    }

    #[test]
    fn lines_that_cannot_be_played_are_named() {
        let game = Game::Shogi;
        let start = &Start::usual(game)[1];
        for line in [bits(game, "7g7f"), vec![u16::MAX], vec![0]] {
            let error = opening_set(game, start, [(1, line.as_slice())], OpeningRule::default());
            let error = error.expect_err("White moves first").to_string();
            assert!(error.contains("move 1 of a game from \"lance\" is not legal"), "{error}");
        }
    }
}
