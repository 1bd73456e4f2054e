//! Mate in one against brute force.

use crate::random;
use mate::{mate_in_one, mate_in_three};
use rules::{Gen, Minishogi, MoveList, Position, Shogi, Variant};
use seed::Rng;

/// Whether some legal check leaves no reply, by playing all of them.
fn brute<V: Variant>(pos: &Position<V>) -> bool {
    let mut pos = pos.clone();
    let mut checks = MoveList::new();
    pos.generate(Gen::Checks, &mut checks);
    checks.iter().any(|&m| {
        pos.play(m);
        let mated = pos.is_mated();
        pos.undo();
        mated
    })
}

/// Compares, and returns whether there is a mate.
fn check<V: Variant>(pos: &Position<V>) -> bool {
    let found = mate_in_one(pos);
    if let Some(m) = found {
        assert!(pos.is_legal(m), "{m:?} in {pos:?}");
        let mut after = pos.clone();
        after.play(m);
        assert!(after.in_check() && after.is_mated(), "{m:?} in {pos:?}");
    }
    assert_eq!(found.is_some(), brute(pos), "{found:?} in {pos:?}");
    found.is_some()
}

fn many<V: Variant>(seed: u64, positions: usize) {
    let mut rng = Rng::new(seed);
    let mut mates = 0;
    for _ in 0..positions / 2 {
        mates += usize::from(check(&random::position::<V>(&mut rng)));
    }
    let mut seen = 0;
    while seen < positions / 2 {
        random::game::<V>(&mut rng, |pos| {
            seen += 1;
            if pos.king(pos.turn().opponent()).is_some() {
                mates += usize::from(check(pos));
            }
        });
    }
    // The test means something only if there was something to find, and something to miss.
    assert!(mates > positions / 100 && mates < positions / 2, "{mates} mates");
}

#[test]
fn shogi_agrees_with_brute_force() {
    many::<Shogi>(1, 40_000);
}

#[test]
fn minishogi_agrees_with_brute_force() {
    many::<Minishogi>(2, 40_000);
}

#[test]
#[ignore = "minutes; the same as above on a million positions of each game"]
fn a_million_of_each_agree_with_brute_force() {
    many::<Shogi>(3, 1_000_000);
    many::<Minishogi>(4, 1_000_000);
}

#[test]
fn known_mates() {
    for (sfen, expected) in [
        // A gold dropped in front of the king, a pawn behind it.
        ("4k4/9/4P4/9/9/9/9/9/9 b G 1", Some("G*5b")),
        // Smothered: only the knight that does not promote checks.
        ("7nk/7nl/6p2/8N/9/9/9/9/9 b N 1", Some("N*2c")),
        ("7nk/7nl/9/9/6N2/9/9/9/9 b - 1", Some("3e2c")),
        // The pawn would mate, and may not.
        ("6nkl/6p2/8p/7N1/9/9/9/9/9 b P 1", None),
        // Nobody to mate.
        ("9/9/9/9/9/9/9/9/4K4 b G 1", None),
    ] {
        let pos = Position::<Shogi>::from_sfen_with(sfen, rules::Kings::Any).unwrap();
        if expected.is_some() || pos.king(pos.turn().opponent()).is_some() {
            check(&pos);
        }
        assert_eq!(mate_in_one(&pos), expected.map(|m| pos.parse_usi(m).unwrap()), "{sfen}");
    }
}

/// Mate within three plies by playing everything.
fn brute_three<V: Variant>(pos: &mut Position<V>) -> bool {
    let mut checks = MoveList::new();
    pos.generate(Gen::Checks, &mut checks);
    checks.iter().any(|&m| {
        pos.play(m);
        let mated = pos.legal_moves().iter().all(|&reply| {
            pos.play(reply);
            let mated = brute(pos);
            pos.undo();
            mated
        });
        pos.undo();
        mated
    })
}

fn three<V: Variant>(seed: u64) {
    let mut rng = Rng::new(seed);
    let mut mates = 0;
    for _ in 0..2000 {
        let mut pos = random::position::<V>(&mut rng);
        let before = pos.clone();
        let found = mate_in_three(&mut pos);
        assert_eq!(pos, before);
        assert_eq!(found.is_some(), brute_three(&mut pos), "{found:?} in {pos:?}");
        mates += usize::from(found.is_some());
    }
    assert!(mates > 50, "{mates}");
}

#[test]
fn mate_in_three_agrees_with_brute_force() {
    three::<Shogi>(5);
    three::<Minishogi>(6);
}
