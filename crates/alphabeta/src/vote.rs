//! Which of several threads is believed.

use crate::values::MATE_BOUND;
use rules::Move;

/// What one thread came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ballot {
    /// Its best move.
    pub(crate) m: Move,
    pub(crate) value: i32,
    /// The deepest iteration it read to the end.
    pub(crate) depth: i32,
}

/// The thread whose answer is played; ties are the first one's.
///
/// A proven win is taken, the nearest of them. Otherwise the move with most votes wins, where a
/// thread has the more votes the deeper it has read and the better it likes its move; of the threads
/// that have voted for it the one with most votes is shown. `weakest` is what the vote of the thread
/// with the lowest value still counts, in evaluation units.
pub(crate) fn elect(ballots: &[Ballot], weakest: i32) -> Option<usize> {
    let first_best = |key: &dyn Fn(&Ballot) -> i64| {
        let numbered = ballots.iter().enumerate().rev();
        numbered.max_by_key(|(_, ballot)| key(ballot)).map(|(index, _)| index)
    };
    let (least, most) =
        (ballots.iter().map(|b| b.value).min()?, ballots.iter().map(|b| b.value).max()?);
    // Every thread sees the end: of wins the nearest, of losses the farthest.
    if most >= MATE_BOUND || most <= -MATE_BOUND {
        return first_best(&|b| i64::from(b.value));
    }
    let votes = |b: &Ballot| i64::from(b.value - least + weakest) * i64::from(b.depth.max(1));
    let of_move = |m: Move| ballots.iter().filter(|b| b.m == m).map(votes).sum::<i64>();
    let winner = ballots[first_best(&|b| of_move(b.m))?].m;
    first_best(&|b| if b.m == winner { votes(b) } else { -1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::values::{mate_in, mated_in};
    use rules::Game;

    fn elected(ballots: &[(&str, i32, i32)]) -> Option<usize> {
        let ballots: Vec<Ballot> = ballots
            .iter()
            .map(|&(usi, value, depth)| Ballot {
                m: Move::from_usi(Game::Shogi, usi).unwrap(),
                value,
                depth,
            })
            .collect();
        elect(&ballots, Params::SHOGI.vote_least)
    }

    #[test]
    fn depth_and_value_and_number_count() {
        assert_eq!(elected(&[]), None);
        assert_eq!(elected(&[("7g7f", -50, 3)]), Some(0));
        // Level: the first.
        assert_eq!(elected(&[("7g7f", 50, 9), ("2g2f", 50, 9)]), Some(0));
        assert_eq!(elected(&[("7g7f", 50, 9), ("2g2f", 50, 10)]), Some(1));
        assert_eq!(elected(&[("7g7f", 50, 9), ("2g2f", 60, 9)]), Some(1));
        // Two who agree outvote one who is a little deeper; the deeper of the two is shown.
        let three = [("7g7f", 50, 11), ("2g2f", 50, 9), ("2g2f", 50, 10)];
        assert_eq!(elected(&three), Some(2));
        // But not one who sees much more in it.
        assert_eq!(elected(&[("7g7f", 300, 11), ("2g2f", 50, 9), ("2g2f", 50, 10)]), Some(0));
    }

    #[test]
    fn the_nearest_win_and_the_farthest_loss() {
        let wins = [
            ("7g7f", 900, 20),
            ("7g7f", 900, 20),
            ("2g2f", mate_in(9), 8),
            ("2g2f", mate_in(7), 7),
        ];
        assert_eq!(elected(&wins), Some(3));
        let losses =
            [("7g7f", mated_in(4), 20), ("2g2f", mated_in(12), 8), ("3g3f", mated_in(8), 30)];
        assert_eq!(elected(&losses), Some(1));
        // One who sees no loss is believed before two who do.
        assert_eq!(
            elected(&[("7g7f", mated_in(4), 9), ("7g7f", mated_in(6), 9), ("2g2f", -900, 8)]),
            Some(2)
        );
    }
}
