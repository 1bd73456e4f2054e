//! Single positions with their labels, and games made of them.

use crate::error::PackError;
use crate::game::{Flags, Game, Ply};
use crate::placement::Placement;
use play::Outcome;
use rules::{AnyPosition, Color, Kind, Move, Square};

/// What a record of a position file says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Labelled {
    pub position: AnyPosition,
    /// The best move, or the one played; `None` if the record has none.
    pub mv: Option<Move>,
    /// The score for the side to move.
    pub score: i16,
    pub outcome: Outcome,
}

/// Puts games together again from the positions of a file that was never shuffled: a position
/// that follows from the one before by its move belongs to the same game.
///
/// Nothing is lost where they do not follow: such a position begins a game of its own.
#[derive(Debug, Default)]
pub struct Chain {
    game: Option<Game>,
    /// The position after the moves of the game so far.
    reached: Option<AnyPosition>,
    /// Whether the file numbers its positions.
    numbered: bool,
}

impl Chain {
    /// Begins. `numbered`: positions of the file have move numbers, which must follow too.
    pub const fn new(numbered: bool) -> Self {
        Self { game: None, reached: None, numbered }
    }

    /// Adds a position. Gives back a game when the position does not belong to it any more.
    pub fn push(&mut self, next: &Labelled) -> Option<Game> {
        if let (Some(game), Some(reached)) = (&mut self.game, &mut self.reached)
            && game.outcome == next.outcome
            && same(reached, &next.position, self.numbered)
        {
            match next.mv {
                Some(mv) => {
                    game.plies.push(ply(mv, next.score));
                    reached.play(mv);
                    return None;
                }
                None => {
                    game.last = Some(next.score);
                    return self.finish();
                }
            }
        }
        let done = self.finish();
        let mut game = Game::new(next.position.clone());
        game.outcome = next.outcome;
        match next.mv {
            Some(mv) => {
                let mut reached = game.start.clone();
                reached.play(mv);
                self.reached = Some(reached);
                game.plies.push(ply(mv, next.score));
            }
            None => {
                game.last = Some(next.score);
                self.reached = None;
            }
        }
        self.game = Some(game);
        done
    }

    /// The last game.
    pub fn finish(&mut self) -> Option<Game> {
        self.reached = None;
        self.game.take()
    }
}

fn ply(mv: Move, score: i16) -> Ply {
    Ply { mv, score: Some(score), flags: Flags::default() }
}

fn same(a: &AnyPosition, b: &AnyPosition, numbered: bool) -> bool {
    a.key() == b.key()
        && (!numbered || a.ply() == b.ply())
        && Placement::of_any(a) == Placement::of_any(b)
}

/// A move of a record, which must be legal; 0 is none.
pub(crate) fn legal(
    position: &AnyPosition,
    bits: u16,
    mv: Option<Move>,
) -> Result<Option<Move>, PackError> {
    if bits == 0 {
        return Ok(None);
    }
    let mv = mv.ok_or(PackError::Move { bits, why: "not a move of this game" })?;
    match position.why_illegal(mv) {
        None => Ok(Some(mv)),
        Some(why) => Err(PackError::Move { bits, why }),
    }
}

/// Bit of a promotion in Apery's moves.
const PROMOTE: u16 = 1 << 14;
/// Where drops begin in Apery's origins, less the number of the first kind.
const DROP: u16 = 80;

/// A move as Apery and its relatives write it: bits 0–6 destination, 7–13 origin or 80 plus the
/// kind dropped, 14 promotion.
pub fn apery_bits(mv: Move) -> u16 {
    let to = mv.to().index() as u16;
    match mv.dropped() {
        Some(kind) => to | (DROP + kind.index() as u16) << 7,
        None => {
            let promote = if mv.is_promotion() { PROMOTE } else { 0 };
            to | (mv.from().index() as u16) << 7 | promote
        }
    }
}

/// Reads what [`apery_bits`] writes. `None`: no move of the game.
pub fn from_apery_bits(game: rules::Game, bits: u16) -> Option<Move> {
    let (to, from) = (bits & 127, bits >> 7 & 127);
    let squares = game.squares() as u16;
    if bits >> 15 != 0 || to >= squares {
        return None;
    }
    let to = Square::new(usize::from(to));
    if from > DROP {
        let kind = Kind::from_index(usize::from(from - DROP))?;
        let mv = Move::drop(kind, to);
        return (bits & PROMOTE == 0).then(|| Move::from_bits(game, mv.bits())).flatten();
    }
    if from >= squares {
        return None;
    }
    let mv = Move::board(Square::new(usize::from(from)), to, bits & PROMOTE != 0);
    Move::from_bits(game, mv.bits())
}

/// Result codes of Apery's formats: who won in the low two bits.
pub(crate) fn apery_outcome(code: u8) -> Result<Outcome, PackError> {
    match code & 3 {
        0 => Ok(Outcome::Draw),
        1 => Ok(Outcome::Won(Color::Black)),
        2 => Ok(Outcome::Won(Color::White)),
        _ => Err(PackError::Result(code)),
    }
}

/// The code of a result.
pub(crate) fn apery_code(outcome: Outcome) -> Result<u8, PackError> {
    match outcome {
        Outcome::Draw => Ok(0),
        Outcome::Won(Color::Black) => Ok(1),
        Outcome::Won(Color::White) => Ok(2),
        Outcome::Unknown => Err(PackError::Unfit("nobody knows who won".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game as Rules;

    #[test]
    fn published_moves() {
        for (usi, apery, yaneuraou) in
            [("7g7f", 7739, 7739), ("P*5e", 10408, 16552), ("8h2b+", 25354, 41738)]
        {
            let mv = Move::from_usi(Rules::Shogi, usi).unwrap();
            assert_eq!((apery_bits(mv), mv.bits()), (apery, yaneuraou), "{usi}");
            assert_eq!(from_apery_bits(Rules::Shogi, apery), Some(mv), "{usi}");
            assert_eq!(Move::from_bits(Rules::Shogi, yaneuraou), Some(mv), "{usi}");
        }
    }

    #[test]
    fn every_sixteen_bits_are_a_move_or_none() {
        for game in Rules::ALL {
            let mut moves = 0;
            for bits in 0..=u16::MAX {
                if let Some(mv) = from_apery_bits(game, bits) {
                    assert_eq!(apery_bits(mv), bits, "{bits}");
                    moves += 1;
                }
            }
            let squares = game.squares();
            assert_eq!(moves, 2 * squares * (squares - 1) + 7 * squares);
        }
    }

    #[test]
    fn games_are_put_together_again() {
        let start = AnyPosition::startpos(Rules::Shogi);
        let mut position = start.clone();
        let mut chain = Chain::new(true);
        let record = |position: &AnyPosition, usi: &str, score| Labelled {
            position: position.clone(),
            mv: (!usi.is_empty()).then(|| position.parse_usi(usi).unwrap()),
            score,
            outcome: Outcome::Draw,
        };
        for (score, usi) in ["7g7f", "3c3d", "8h2b+", ""].into_iter().enumerate() {
            let next = record(&position, usi, score as i16);
            let done = chain.push(&next);
            assert_eq!(done.is_some(), usi.is_empty());
            if let Some(game) = done {
                assert_eq!((game.plies.len(), game.last), (3, Some(3)));
                assert_eq!(game.start, start);
            } else {
                position.play(next.mv.unwrap());
            }
        }
        // The same position again begins anew, and so does another result or number.
        assert!(chain.push(&record(&start, "7g7f", 1)).is_none());
        assert_eq!(chain.push(&record(&start, "7g7f", 1)).unwrap().plies.len(), 1);
        let mut after = start.clone();
        after.play(after.parse_usi("7g7f").unwrap());
        let mut other = record(&after, "3c3d", 1);
        other.outcome = Outcome::Won(Color::Black);
        assert!(chain.push(&other).is_some());
        assert_eq!(chain.finish().unwrap().outcome, Outcome::Won(Color::Black));
        assert!(chain.finish().is_none());
    }
}
