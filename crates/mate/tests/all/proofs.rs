//! Every claim of the solver is written as a proof, checked, damaged and refused.

use crate::random;
use mate::{Bounds, Claim, Solver, Verdict, verify};
use proptest::prelude::*;
use rules::{Kings, Minishogi, Position, Shogi, Variant};
use seed::Rng;
use think::{Control, WallTime};

/// Solves, and returns the verified proof if the question was settled.
fn proof<V: Variant>(pos: &Position<V>, bounds: &Bounds) -> Option<Vec<u8>> {
    let (control, time) = (Control::new(false), WallTime::start());
    let mut solver = Solver::new(pos, bounds, &control, &time);
    let solution = solver.solve();
    let bytes = solver.proof(&solution);
    if let Verdict::Unknown(why) = solution.verdict {
        assert_eq!(bytes, Err(why));
        return None;
    }
    let bytes = bytes.ok()?;
    let verified = verify(&bytes).unwrap_or_else(|e| panic!("{pos:?}: {e}"));
    let expected = match solution.verdict {
        Verdict::Mate => Claim::Mate(solution.line.len() as u32),
        _ => Claim::NoMate,
    };
    assert_eq!(verified.claim, expected, "{pos:?} {:?}", solution.line);
    assert_eq!(verified.position.sfen(), pos.sfen());
    Some(bytes)
}

fn many<V: Variant>(seed: u64, positions: usize) -> [usize; 2] {
    let mut rng = Rng::new(seed);
    let mut counts = [0; 2];
    let bounds = Bounds { hash: 4 << 20, nodes: Some(5_000), ..Bounds::default() };
    for _ in 0..positions {
        let pos = random::small::<V>(&mut rng);
        if let Some(bytes) = proof(&pos, &bounds) {
            let claim = verify(&bytes).map(|v| v.claim);
            counts[usize::from(claim == Ok(Claim::NoMate))] += 1;
        }
    }
    counts
}

#[test]
fn claims_of_shogi_are_proven() {
    let [mates, none] = many::<Shogi>(21, 150);
    assert!(mates > 10 && none > 50, "{mates} {none}");
}

#[test]
fn claims_of_minishogi_are_proven() {
    let [mates, none] = many::<Minishogi>(22, 150);
    assert!(mates > 10 && none > 50, "{mates} {none}");
}

fn sample(sfen: &str) -> Vec<u8> {
    let pos = Position::<Shogi>::from_sfen_with(sfen, Kings::Any).unwrap();
    proof(&pos, &Bounds { hash: 4 << 20, ..Bounds::default() }).unwrap()
}

const MATE: &str = "7nl/7k1/6p2/6S1p/9/9/9/9/9 b GS2r2b3g2s3n3l16p 1";
const NO_MATE: &str = "7nl/7k1/6p2/6S1p/9/9/9/9/9 b S2r2b4g2s3n3l16p 1";

/// A file with a right checksum but something else changed.
fn resealed(mut bytes: Vec<u8>, at: usize, value: u8) -> Vec<u8> {
    let end = bytes.len() - 8;
    bytes.truncate(end);
    bytes[at] = value;
    let sum = verify::checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

#[test]
fn a_proof_of_something_else_is_refused() {
    for sfen in [MATE, NO_MATE] {
        let good = sample(sfen);
        let text = String::from_utf8_lossy(&good).into_owned();
        let header = text.find("\n\n").unwrap() + 2;
        // Every byte of the moves decides.
        for at in header..good.len() - 8 {
            let bad = resealed(good.clone(), at, good[at] ^ 1);
            match verify(&bad) {
                // Another reply may save as well; the claim stays true.
                Ok(v) => assert_eq!(v.claim, verify(&good).unwrap().claim),
                Err(e) => assert!(e.to_string().starts_with("not a valid proof: ")),
            }
        }
        // Claiming the opposite never passes.
        let (from, to) = if sfen == MATE {
            ("claim mate 5", "claim nomate")
        } else {
            ("claim nomate", "claim mate 5")
        };
        let end = good.len() - 8;
        let start = text.find(from).unwrap();
        let mut bad = good[..start].to_vec();
        bad.extend(to.as_bytes());
        bad.extend(&good[start + from.len()..end]);
        let sum = verify::checksum(&bad);
        bad.extend(sum.to_le_bytes());
        assert!(verify(&bad).is_err());
    }
}

#[test]
fn a_mate_claimed_too_short_is_refused() {
    let good = sample(MATE);
    let at = String::from_utf8_lossy(&good).find("mate 5").unwrap() + 5;
    assert!(verify(&resealed(good, at, b'3')).unwrap_err().to_string().contains("shows mate in 5"));
}

proptest! {
    #[test]
    fn damage_is_refused(mate in any::<bool>(), at in any::<prop::sample::Index>(), with in 1u8..) {
        let good = sample(if mate { MATE } else { NO_MATE });
        let mut bad = good.clone();
        let at = at.index(bad.len());
        bad[at] ^= with;
        prop_assert!(verify(&bad).is_err());
        prop_assert!(verify(&good[..at]).is_err());
    }

    #[test]
    fn nothing_panics(bytes in any::<Vec<u8>>(), moves in any::<Vec<u8>>(), mate in any::<bool>()) {
        prop_assert!(verify(&bytes).is_err());
        let good = sample(if mate { MATE } else { NO_MATE });
        let header = String::from_utf8_lossy(&good).find("\n\n").unwrap() + 2;
        let mut bad = good[..header].to_vec();
        bad.extend(moves);
        let sum = verify::checksum(&bad);
        bad.extend(sum.to_le_bytes());
        let _ = verify(&bad);
    }
}
