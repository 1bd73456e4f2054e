//! Playing weaker than one can: fewer nodes, and a softened choice among moves that are nearly as
//! good. Moves stay legal and sensible; nothing is thrown away on purpose beyond the margin.

use crate::deepen::final_value;
use crate::root::RootMove;
use crate::values::is_decided;
use seed::Rng;

/// Lines a weakened player chooses among.
pub(crate) const LINES: usize = 6;
/// Full strength.
pub(crate) const FULL: u32 = 20;

/// Nodes read at a level: from a glance to a quarter of a million.
pub(crate) const fn nodes(level: u32) -> u64 {
    // 60 nodes at level 0, about half as many again at each level.
    let mut n = 60u64;
    let mut i = 0;
    while i < level {
        n += n / 2 + 1;
        i += 1;
    }
    n
}

/// How much worse than the best a chosen move may be, in evaluation units.
pub(crate) const fn margin(level: u32) -> i32 {
    (if level >= FULL { 0 } else { 12 * (FULL - level) }) as i32
}

/// Chooses a line: the value of each is blurred by up to the margin, and the best blurred one is
/// taken. A mate for us is always taken, a mate against us never chosen.
pub(crate) fn choose(lines: &[RootMove], level: u32, seed: u64) -> usize {
    let best = lines.first().map_or(0, final_value);
    if is_decided(best) {
        return 0;
    }
    let margin = margin(level);
    let mut rng = Rng::new(seed);
    let mut chosen = (0, i32::MIN);
    for (i, line) in lines.iter().enumerate().take(LINES) {
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

    fn lines(values: &[i32]) -> Vec<RootMove> {
        let root = |(i, &v): (usize, &i32)| {
            let mut r = RootMove::new(Move::drop(Kind::Pawn, Square::new(i)));
            r.score = v;
            r
        };
        values.iter().enumerate().map(root).collect()
    }

    #[test]
    fn levels_rise() {
        assert!((0..20).all(|l| nodes(l) < nodes(l + 1) && margin(l) > margin(l + 1)));
        assert_eq!((nodes(0), margin(20)), (60, 0));
    }

    #[test]
    fn weak_players_vary_within_their_margin() {
        let near = lines(&[100, 80, 60, -900, -1000]);
        let seen: std::collections::BTreeSet<usize> =
            (1..200).map(|s| choose(&near, 0, s)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
        assert!((1..200).all(|s| choose(&near, FULL, s) == 0));
    }

    #[test]
    fn mates_are_played_and_avoided() {
        assert!((1..99).all(|s| choose(&lines(&[mate_in(3), 20, 10]), 0, s) == 0));
        assert!((1..99).all(|s| choose(&lines(&[-20, mated_in(2)]), 0, s) == 0));
    }
}
