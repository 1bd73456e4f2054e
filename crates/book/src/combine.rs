//! Making one entry of two that have the same position.

use crate::{BookMove, Entry};

/// What is done where two books know the same position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Combine {
    /// The moves of both; where both know a move its counts are added, and the deeper value stays,
    /// of equally deep ones the first.
    #[default]
    Both,
    /// What came first; moves it lacks come from the other.
    First,
    /// The position as a whole from the one whose first move is deeper, then from the one with more
    /// moves, then from the first: the rule of the old tools.
    Deeper,
}

impl Combine {
    /// Every rule with the name it has on a command line.
    pub const ALL: [(&'static str, Self); 3] =
        [("both", Self::Both), ("first", Self::First), ("deeper", Self::Deeper)];

    /// Adds a later entry of the same position to an earlier one.
    pub fn add(self, earlier: &mut Entry, later: Entry) {
        let ply = match (earlier.ply, later.ply) {
            (0, ply) | (ply, 0) => ply,
            (a, b) => a.min(b),
        };
        if self == Self::Deeper {
            let rank = |e: &Entry| (e.moves.first().map(|m| m.depth), e.moves.len());
            if rank(&later) > rank(earlier) {
                *earlier = later;
            }
            earlier.ply = ply;
            return;
        }
        earlier.ply = ply;
        if earlier.comment.is_none() {
            earlier.comment = later.comment;
        }
        for m in later.moves {
            match earlier.moves.iter_mut().find(|known| known.mv == m.mv) {
                Some(known) if self == Self::Both => add_move(known, m),
                Some(_) => {}
                None => earlier.moves.push(m),
            }
        }
        if self == Self::Both {
            earlier.sort_by_value();
            // A book made of games alone has its most played move first.
            if earlier.moves.iter().all(|m| m.value.is_none()) {
                earlier.sort_by_count();
            }
        }
    }
}

fn add_move(known: &mut BookMove, other: BookMove) {
    known.count = known.count.saturating_add(other.count);
    known.wins = known.wins.saturating_add(other.wins);
    known.draws = known.draws.saturating_add(other.draws);
    let better = other.value.is_some() && (known.value.is_none() || other.depth > known.depth);
    if better {
        (known.value, known.depth) = (other.value, other.depth);
        known.reply = other.reply.or(known.reply);
        known.source = other.source.or(known.source.take());
    }
    known.reply = known.reply.or(other.reply);
    if known.comment.is_none() {
        known.comment = other.comment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{AnyPosition, Game, Move};

    fn entry(moves: &[(u16, Option<i32>, u32, u64)]) -> Entry {
        let mut entry = Entry::of(&AnyPosition::startpos(Game::Shogi)).unwrap();
        for &(bits, value, depth, count) in moves {
            let mv = Move::from_bits_unchecked(bits);
            entry.moves.push(BookMove { value, depth, count, ..BookMove::new(mv) });
        }
        entry
    }

    fn facts(entry: &Entry) -> Vec<(u16, Option<i32>, u32, u64)> {
        entry.moves.iter().map(|m| (m.mv.bits(), m.value, m.depth, m.count)).collect()
    }

    #[test]
    fn two_entries_become_one() {
        let a = [(1, Some(10), 5, 3), (2, None, 0, 9)];
        let b = [(1, Some(-20), 8, 4), (3, Some(90), 1, 1)];
        for (combine, expected) in [
            (Combine::Both, vec![(3, Some(90), 1, 1), (1, Some(-20), 8, 7), (2, None, 0, 9)]),
            (Combine::First, vec![(1, Some(10), 5, 3), (2, None, 0, 9), (3, Some(90), 1, 1)]),
            (Combine::Deeper, b.to_vec()),
        ] {
            let mut earlier = entry(&a);
            combine.add(&mut earlier, Entry { ply: 7, ..entry(&b) });
            assert_eq!(facts(&earlier), expected, "{combine:?}");
            assert_eq!(earlier.ply, 1, "the smaller one");
        }
    }

    #[test]
    fn counts_of_games_are_added_and_lead() {
        let mut earlier = entry(&[(1, None, 0, 3), (2, None, 0, 5)]);
        Combine::Both.add(&mut earlier, entry(&[(1, None, 0, 3)]));
        assert_eq!(facts(&earlier), [(1, None, 0, 6), (2, None, 0, 5)]);
    }
}
