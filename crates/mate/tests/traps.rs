//! Positions in which a solver errs that keeps a refutation by repetition for good: on another
//! path the same position is mate. Found by comparing this solver with one spoilt in that way.

use mate::{Bounds, Claim, Solver, Verdict, verify};
use rules::{Game, Kings, Minishogi, Position, Shogi, Variant};
use think::{Control, WallTime};

const TRAPS: &[(Game, &str)] = &[
    (Game::Shogi, "1g+P6/P3l1G2/+SsG6/6+n2/6pk1/3KR4/2P6/9/4+p2PN b R2P2bs3p 1"),
    (Game::Minishogi, "5/3kB/5/5/5 b RSP 1"),
];

fn check<V: Variant>(sfen: &str) {
    let pos = Position::<V>::from_sfen_with(sfen, Kings::Any).unwrap();
    let (control, time) = (Control::new(false), WallTime::start());
    for threads in [1, 2] {
        let bounds = Bounds { hash: 8 << 20, threads, ..Bounds::default() };
        let mut solver = Solver::new(&pos, &bounds, &control, &time);
        let solution = solver.solve();
        assert_eq!(solution.verdict, Verdict::Mate, "{sfen}");
        let verified = verify(&solver.proof(&solution).unwrap()).unwrap();
        assert_eq!(verified.claim, Claim::Mate(solution.line.len() as u32), "{sfen}");
    }
}

#[test]
fn repetition_on_one_path_is_not_held_against_another() {
    for &(game, sfen) in TRAPS {
        match game {
            Game::Shogi => check::<Shogi>(sfen),
            Game::Minishogi => check::<Minishogi>(sfen),
        }
    }
}
