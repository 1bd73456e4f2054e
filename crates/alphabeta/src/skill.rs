//! Playing weaker than one can: fewer nodes, and a softened choice among moves that are nearly as
//! good. Moves stay legal and sensible; nothing is thrown away on purpose beyond the margin.

use crate::deepen::final_value;
use crate::params::Params;
use crate::root::RootMove;
use crate::values::is_decided;
use seed::Rng;

/// Full strength.
pub(crate) const FULL: u32 = 20;

/// Lines a weakened player chooses among.
pub(crate) fn lines(p: &Params) -> usize {
    p.skill_lines as usize
}

/// Nodes read at a level: from a glance to a quarter of a million.
pub(crate) fn nodes(p: &Params, level: u32) -> u64 {
    (0..level).fold(p.skill_nodes as u64, |n, _| n + n * p.skill_growth as u64 / 100 + 1)
}

/// How much worse than the best a chosen move may be, in evaluation units.
fn margin(p: &Params, level: u32) -> i32 {
    p.skill_margin * FULL.saturating_sub(level) as i32
}

/// Chooses a line: the value of each is blurred by up to the margin, and the best blurred one is
/// taken. A mate for us is always taken, a mate against us never chosen.
pub(crate) fn choose(moves: &[RootMove], p: &Params, level: u32, seed: u64) -> usize {
    let best = moves.first().map_or(0, final_value);
    if is_decided(best) {
        return 0;
    }
    let margin = margin(p, level);
    let mut rng = Rng::new(seed);
    let mut chosen = (0, i32::MIN);
    for (i, line) in moves.iter().enumerate().take(lines(p)) {
        let value = final_value(line);
        if best - value > margin || is_decided(value) {
            continue;
        }
        let blurred = value + rng.below(margin as usize + 1) as i32;
        if blurred > chosen.1 {
            chosen = (i, blurred);
        }
    }
    chosen.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{mate_in, mated_in};
    use rules::{Kind, Move, Square};

    const P: Params = Params::SHOGI;

    fn moves(values: &[i32]) -> Vec<RootMove> {
        let root = |(i, &v): (usize, &i32)| {
            let mut r = RootMove::new(Move::drop(Kind::Pawn, Square::new(i)));
            r.score = v;
            r
        };
        values.iter().enumerate().map(root).collect()
    }

    #[test]
    fn levels_rise() {
        let (nodes, margin) = (|l| nodes(&P, l), |l| margin(&P, l));
        assert!((0..20).all(|l| nodes(l) < nodes(l + 1) && margin(l) > margin(l + 1)));
        assert_eq!((nodes(0), nodes(19), margin(20)), (60, 136_546, 0));
    }

    #[test]
    fn weak_players_vary_within_their_margin() {
        let near = moves(&[100, 80, 60, -900, -1000]);
        let seen: std::collections::BTreeSet<usize> =
            (1..200).map(|s| choose(&near, &P, 0, s)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
        assert!((1..200).all(|s| choose(&near, &P, FULL, s) == 0));
    }

    #[test]
    fn mates_are_played_and_avoided() {
        assert!((1..99).all(|s| choose(&moves(&[mate_in(3), 20, 10]), &P, 0, s) == 0));
        assert!((1..99).all(|s| choose(&moves(&[-20, mated_in(2)]), &P, 0, s) == 0));
    }
}
