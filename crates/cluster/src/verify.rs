//! Whether a move begins a mate: found out by our own solver, whoever said so.

use mate::{Bounds, Verdict, solve_any};
use rules::{AnyPosition, Move};
use think::{Control, TimeSource};

/// Bytes of the solver's table.
const TABLE: usize = 4 << 20;

/// Whether the move, a check, mates by force, whatever is replied: proven within that many nodes.
/// What cannot be proven in them is not believed.
pub fn begins_mate(
    position: &AnyPosition,
    first: Move,
    nodes: u64,
    control: &Control,
    time: &dyn TimeSource,
) -> bool {
    if !position.is_legal(first) || !position.gives_check(first) {
        return false;
    }
    let mut at = position.clone();
    at.play(first);
    if at.repetition().is_some() {
        return false;
    }
    let mut left = nodes;
    for &reply in &at.legal_moves() {
        let mut next = at.without_history();
        next.play(reply);
        let bounds = Bounds { nodes: Some(left), hash: TABLE, ..Bounds::default() };
        let solution = solve_any(&next, &bounds, control, time);
        left = left.saturating_sub(solution.nodes);
        if solution.verdict != Verdict::Mate {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;
    use think::ManualTime;

    #[test]
    fn only_what_mates_is_believed() {
        let mates = |sfen: &str, m: &str| {
            let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
            let first = Move::from_usi(Game::Shogi, m).unwrap();
            begins_mate(&position, first, 10_000, &Control::new(false), &ManualTime::new())
        };
        let one = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
        assert!(mates(one, "G*5b"));
        assert!(!mates(one, "G*4b"), "a check that does not mate");
        assert!(!mates(one, "5c5b+"), "no mate either");
        assert!(!mates(one, "5i5h"), "not even a check");
        assert!(!mates(one, "1a1b"), "not even legal");
        let three = "4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1";
        assert!(mates(three, "G*5b"));
        let position = AnyPosition::from_sfen(Game::Shogi, one).unwrap();
        let first = position.parse_usi("G*5b").unwrap();
        assert!(begins_mate(&position, first, 0, &Control::new(false), &ManualTime::new()));
    }
}
