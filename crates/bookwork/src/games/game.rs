//! One game of a book against an opponent.

use super::{Notes, Players};
use crate::WorkError;
use crate::args::Play;
use crate::growing::Growing;
use crate::steady::steady;
use book::BookMove;
use rules::{AnyPosition, Color, GameRepetition, Move};
use seed::Rng;
use std::sync::atomic::AtomicBool;

/// What a mate counts for.
const MATE: i32 = 32_000;

/// A move of the book's side.
pub(super) struct Played {
    pub(super) position: AnyPosition,
    pub(super) mv: Move,
    /// What the book's side thought it had.
    pub(super) value: i32,
}

/// How a game ended, for the book's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Won,
    Drawn,
    Lost,
    /// After the last move asked for, with what the book's side thought it had.
    Open(i32),
}

impl End {
    pub(super) const fn worth(self) -> i32 {
        match self {
            Self::Won => MATE,
            Self::Drawn => 0,
            Self::Lost => -MATE,
            Self::Open(value) => value,
        }
    }
}

/// A game that is over.
pub(super) struct Finished {
    pub(super) number: u32,
    /// The side of the book.
    pub(super) owner: Color,
    pub(super) played: Vec<Played>,
    /// What the opponent played.
    pub(super) replies: Vec<(AnyPosition, Move)>,
    pub(super) end: End,
    /// Positions the book did not know, with what was found in them.
    pub(super) noted: Vec<(AnyPosition, Vec<BookMove>)>,
}

impl Play {
    /// Plays a game with the book as it is.
    pub(super) fn game(
        &self,
        number: u32,
        start: &AnyPosition,
        book: &Growing,
        notes: &Notes,
        players: &mut Players,
        stop: &AtomicBool,
    ) -> Result<Finished, WorkError> {
        let owner = Color::BOTH[number as usize % 2];
        // Every opponent meets the book as Black and as White.
        let opponent = (number / 2) as usize % players.opponents.len();
        let mut rng = Rng::for_purpose(self.seed, &[u64::from(number)]);
        let (played, replies, noted) = (Vec::new(), Vec::new(), Vec::new());
        let mut game = Finished { number, owner, played, replies, end: End::Drawn, noted };
        let mut at = start.clone();
        loop {
            let is_ours = at.turn() == owner;
            if let Some(end) = self.end_before(&at, &game) {
                game.end = end;
                return Ok(game);
            }
            let mv = if is_ours {
                let Some((mv, value)) =
                    self.book_move(book, &at, notes, players, &mut game, stop)?
                else {
                    // Nothing to play and not mated: it declares.
                    game.end = End::Won;
                    return Ok(game);
                };
                if value.abs() >= self.max_value {
                    game.end = if value > 0 { End::Won } else { End::Lost };
                    return Ok(game);
                }
                game.played.push(Played { position: at.clone(), mv, value });
                mv
            } else {
                let asked = std::slice::from_ref(&at);
                let lines = if self.eval_diff > 0 { self.searching.multipv } else { 1 };
                let found = players.opponents[opponent].search(asked, lines, stop)?;
                let Some(moves) = found.into_iter().next().filter(|moves| !moves.is_empty()) else {
                    game.end = End::Lost;
                    return Ok(game);
                };
                let best = moves.iter().filter_map(|m| m.value).max().unwrap_or(0);
                let good = |m: &&BookMove| m.value.is_none_or(|v| best - v <= self.eval_diff);
                let good: Vec<&BookMove> = moves.iter().filter(good).collect();
                let mv = good[rng.below(good.len())].mv;
                game.replies.push((at.clone(), mv));
                mv
            };
            at.play(mv);
        }
    }

    /// How the game ends before a move, if it does.
    fn end_before(&self, at: &AnyPosition, game: &Finished) -> Option<End> {
        let lost_by = |color: Color| if color == game.owner { End::Lost } else { End::Won };
        if at.legal_moves().is_empty() {
            return Some(lost_by(at.turn()));
        }
        match at.repetition() {
            Some(GameRepetition::Lost(color)) => Some(lost_by(color)),
            Some(_) => Some(End::Drawn),
            None if at.ply() > self.max_ply || self.is_enough(game) => {
                Some(End::Open(game.played.last().map_or(0, |last| last.value)))
            }
            None => None,
        }
    }

    /// Whether the game has met as many positions as it may that the book did not know.
    fn is_enough(&self, game: &Finished) -> bool {
        self.new.is_some_and(|most| game.noted.len() >= most as usize)
    }

    /// What the book plays, and what a search thought of it: a move stays until another is better by the margin; else what a
    /// search finds, which is noted. A position that only opponents have played from is not known.
    fn book_move(
        &self,
        book: &Growing,
        at: &AnyPosition,
        notes: &Notes,
        players: &mut Players,
        game: &mut Finished,
        stop: &AtomicBool,
    ) -> Result<Option<(Move, i32)>, WorkError> {
        let last = game.played.last().map_or(0, |last| last.value);
        let first = |moves: &[BookMove]| moves.iter().find(|m| at.is_legal(m.mv)).cloned();
        let searched = if book.knows(at)? { book.found(at)? } else { None };
        if let Some(searched) = searched {
            let best = match book.find(at)? {
                Some(mut valued) => {
                    valued.moves.retain(|m| at.is_legal(m.mv));
                    // What only opponents play is not the book's.
                    let is_ours = |m: &BookMove| {
                        searched.find(m.mv).is_some_and(|found| found.value.is_some())
                    };
                    steady(&valued.moves, self.margin, is_ours).cloned()
                }
                None => first(&searched.moves),
            };
            return Ok(best.map(|best| {
                let thought = searched.find(best.mv).and_then(|m| m.value);
                (best.mv, thought.or(best.value).unwrap_or(last))
            }));
        }
        let moves = notes.ask(at, || {
            let asked = std::slice::from_ref(at);
            let found = players.book.search(asked, self.searching.multipv, stop)?;
            Ok(found.into_iter().next().unwrap_or_default())
        })?;
        let best = first(&moves);
        game.noted.push((at.clone(), moves));
        Ok(best.map(|best| (best.mv, best.value.unwrap_or(last))))
    }
}

/// The last move after which its side always had much less than it thought.
pub(super) fn doubtful(played: &[Played], end: End, margin: i32) -> Option<usize> {
    let mut worst = end.worth();
    for (index, Played { value, .. }) in played.iter().enumerate().rev() {
        if value.saturating_sub(worst) >= margin {
            return Some(index);
        }
        worst = worst.min(*value);
    }
    None
}
