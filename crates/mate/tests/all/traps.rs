//! Positions in which a solver errs that keeps a refutation by repetition for good: on another
//! path the same position is mate. Found by comparing this solver with one spoilt in that way.

use mate::{Bounds, Claim, Solver, Verdict, verify};
use rules::{Game, Kings, Minishogi, Position, Shogi, Variant};
use think::{Control, WallTime};

const TRAPS: &[(Game, &str)] = &[
    (Game::Shogi, "1g+P6/P3l1G2/+SsG6/6+n2/6pk1/3KR4/2P6/9/4+p2PN b R2P2bs3p 1"),
    (Game::Minishogi, "5/3kB/5/5/5 b RSP 1"),
];

/// Positions without a mate in which the attacker can go on giving check for ever: what saves the
/// defender is that everything recurs.
const REFUTED: &[(Game, &str)] = &[
    (Game::Shogi, "9/7k1/9/9/9/9/9/9/9 b RN 1"),
    (Game::Minishogi, "g2R1/1k3/P4/5/2K2 b s 1"),
    (Game::Minishogi, "5/5/2k+s1/5/5 b RB 1"),
];

fn check<V: Variant>(sfen: &str, mate: bool) {
    let pos = Position::<V>::from_sfen_with(sfen, Kings::Any).unwrap();
    let (control, time) = (Control::new(false), WallTime::start());
    for threads in [1, 2] {
        let bounds = Bounds { hash: 8 << 20, threads, ..Bounds::default() };
        let mut solver = Solver::new(&pos, &bounds, &control, &time);
        let solution = solver.solve();
        let (verdict, claim) = if mate {
            (Verdict::Mate, Claim::Mate(solution.line.len() as u32))
        } else {
            (Verdict::NoMate, Claim::NoMate)
        };
        assert_eq!(solution.verdict, verdict, "{sfen}");
        let verified = verify(&solver.proof(&solution).unwrap()).unwrap();
        assert_eq!(verified.claim, claim, "{sfen}");
    }
}

fn check_all(positions: &[(Game, &str)], mate: bool) {
    for &(game, sfen) in positions {
        match game {
            Game::Shogi => check::<Shogi>(sfen, mate),
            Game::Minishogi => check::<Minishogi>(sfen, mate),
        }
    }
}

#[test]
fn repetition_on_one_path_is_not_held_against_another() {
    check_all(TRAPS, true);
}

#[test]
fn checks_for_ever_are_no_mate() {
    check_all(REFUTED, false);
}
