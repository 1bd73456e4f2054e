//! The solver against the whole truth about small positions.

use crate::brute;
use crate::random;
use mate::{Bounds, Solution, Verdict, solve};
use rules::{Minishogi, Position, Shogi, Variant};
use seed::Rng;
use think::{Control, WallTime};

fn ask<V: Variant>(pos: &Position<V>, bounds: &Bounds) -> Solution {
    solve(pos, bounds, &Control::new(false), &WallTime::start())
}

/// Plays the line through: every move legal, mate at the end.
fn plays_out<V: Variant>(pos: &Position<V>, s: &Solution) {
    let mut pos = pos.clone();
    for (i, &m) in s.line.iter().enumerate() {
        assert!(pos.is_legal(m), "move {i} of {:?} in {pos:?}", s.line);
        assert!(i % 2 == 1 || pos.gives_check(m));
        pos.play(m);
    }
    assert!(s.line.len() % 2 == 1 && pos.is_mated() && pos.in_check());
}

/// One position against what is true about it.
fn check<V: Variant>(pos: &Position<V>, truth: Option<u32>, bounds: &Bounds) -> Verdict {
    let s = ask(pos, bounds);
    match (&s.verdict, truth) {
        (Verdict::Mate, Some(plies)) => {
            plays_out(pos, &s);
            assert!(s.line.len() >= plies as usize, "{pos:?}: {:?}, {plies}", s.line);
            if s.is_shortest {
                assert_eq!(s.line.len(), plies as usize, "{pos:?} {:?}", s.line);
            }
        }
        (Verdict::NoMate, None) | (Verdict::Unknown(_), _) => {}
        (verdict, truth) => panic!("{pos:?}: {verdict:?}, but it is {truth:?}"),
    }
    s.verdict
}

/// Positions whose whole graph is small: loops and all.
fn whole<V: Variant>(seed: u64, positions: usize, bounds: &Bounds) -> [usize; 3] {
    let mut rng = Rng::new(seed);
    let mut counts = [0; 3];
    for _ in 0..positions {
        let pos = random::small::<V>(&mut rng);
        let Some(truth) = brute::shortest(&pos, 6000) else { continue };
        match check(&pos, truth, bounds) {
            Verdict::Mate => counts[0] += 1,
            Verdict::NoMate => counts[1] += 1,
            Verdict::Unknown(_) => counts[2] += 1,
        }
    }
    counts
}

/// Short mates anywhere, found by trying everything.
fn short<V: Variant>(seed: u64, positions: usize, bounds: &Bounds) {
    let mut rng = Rng::new(seed);
    let (mut mates, mut none, mut longest) = (0, 0, 0);
    for _ in 0..positions {
        let mut pos = random::small::<V>(&mut rng);
        let truth = brute::within(&mut pos, 5);
        let s = ask(&pos, bounds);
        match (&s.verdict, truth) {
            (Verdict::Mate, Some(_)) => {
                check(&pos, truth, bounds);
                mates += 1;
                longest = longest.max(truth.unwrap_or(0));
            }
            (Verdict::Mate, None) => {
                plays_out(&pos, &s);
                assert!(s.line.len() > 5, "{pos:?} {:?}", s.line);
            }
            (Verdict::NoMate, None) => none += 1,
            (Verdict::Unknown(_), None) => {}
            (verdict, truth) => panic!("{pos:?}: {verdict:?}, but it is {truth:?}"),
        }
    }
    assert!(mates > positions / 20 && none > positions / 10 && longest == 5, "{mates} {none}");
}

fn bounds() -> Bounds {
    Bounds { hash: 4 << 20, nodes: Some(20_000), ..Bounds::default() }
}

#[test]
fn shogi_agrees_with_the_truth() {
    let [mates, none, unknown] = whole::<Shogi>(11, 500, &bounds());
    assert!(none > 50 && unknown == 0, "{mates} {none} {unknown}");
}

#[test]
fn minishogi_agrees_with_the_truth() {
    let [mates, none, unknown] = whole::<Minishogi>(12, 500, &bounds());
    assert!(none > 50 && unknown == 0, "{mates} {none} {unknown}");
}

#[test]
fn shogi_agrees_with_trying_everything() {
    short::<Shogi>(13, 300, &bounds());
}

#[test]
fn minishogi_agrees_with_trying_everything() {
    short::<Minishogi>(14, 300, &bounds());
}
