//! Repetition, for the referee (the fourth occurrence ends the game) and for searches (the first
//! recurrence tells enough).

use crate::position::Position;
use crate::{Color, Variant};

/// How the fourth occurrence of a position ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameRepetition {
    /// A draw (千日手).
    Draw,
    /// This player lost: it gave check with every move of the cycle (連続王手の千日手), or it is
    /// Black in minishogi.
    Lost(Color),
}

/// What a recurrence means to a search, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recurrence {
    /// The same position: a draw if it goes on like this.
    Draw,
    /// The same position, and the opponent gave check all the way (or the rule favours us).
    Win,
    /// The same position, and we gave check all the way (or the rule is against us).
    Loss,
    /// The same board, and our hand gained something in between.
    Superior,
    /// The same board, and our hand lost something in between.
    Inferior,
}

impl<V: Variant> Position<V> {
    /// Whether the position now stands on the board for the fourth time (or more), from the real
    /// history of the game however long.
    pub fn repetition(&self) -> Option<GameRepetition> {
        let n = self.history.len();
        let reach = (self.state.reversible as usize).min(n);
        let mut seen = 1;
        let mut back = 4;
        while back <= reach {
            let earlier = &self.history[n - back];
            if earlier.board_key == self.state.board_key && earlier.hands == self.state.hands {
                seen += 1;
                if seen == 4 {
                    return Some(self.judge(back));
                }
            }
            back += 2;
        }
        None
    }

    /// How often the present position has occurred, this time included.
    pub fn occurrences(&self) -> usize {
        let same = |s: &&crate::position::State<V::Bits>| {
            s.board_key == self.state.board_key && s.hands == self.state.hands
        };
        self.states().rev().take(self.state.reversible as usize + 1).step_by(2).filter(same).count()
    }

    /// The verdict on a cycle of `back` plies that ends here.
    fn judge(&self, back: usize) -> GameRepetition {
        let moves_each = (back / 2) as u16;
        let all_checks = |c: Color| self.state.check_run[c.index()] >= moves_each;
        match (all_checks(Color::Black), all_checks(Color::White)) {
            (true, false) => GameRepetition::Lost(Color::Black),
            (false, true) => GameRepetition::Lost(Color::White),
            _ if V::REPETITION_LOSES_FOR_BLACK => GameRepetition::Lost(Color::Black),
            _ => GameRepetition::Draw,
        }
    }

    /// The nearest earlier position with the same board, at most `max_back` plies ago, and what
    /// it means to the side to move.
    #[inline]
    pub fn recurrence(&self, max_back: usize) -> Option<Recurrence> {
        let n = self.history.len();
        let reach = (self.state.reversible as usize).min(max_back).min(n);
        let mut back = 4;
        while back <= reach {
            let earlier = &self.history[n - back];
            if earlier.board_key == self.state.board_key {
                let us = self.turn.index();
                let (now, then) = (self.state.hands[us], earlier.hands[us]);
                if self.state.hands == earlier.hands {
                    return Some(match self.judge(back) {
                        GameRepetition::Draw => Recurrence::Draw,
                        GameRepetition::Lost(c) if c == self.turn => Recurrence::Loss,
                        GameRepetition::Lost(_) => Recurrence::Win,
                    });
                }
                if now.covers(then) {
                    return Some(Recurrence::Superior);
                }
                if then.covers(now) {
                    return Some(Recurrence::Inferior);
                }
            }
            back += 2;
        }
        None
    }
}
