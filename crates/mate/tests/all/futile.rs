//! Lengths by the definitions of futile interpositions, against the definitions themselves.

use crate::random;
use mate::futile::is_mate_at_a_distance;
use mate::{Bounds, Counted, Futile, Solver, Verdict};
use rules::{Bits, Gen, Kings, Minishogi, Move, MoveList, Position, Shogi, Variant};
use seed::Rng;
use think::{Control, WallTime};

/// Whether the attacker to move mates within that many plies, by trying everything.
fn attack<V: Variant>(pos: &mut Position<V>, plies: u32, futile: Futile) -> bool {
    let mut checks = MoveList::new();
    pos.generate(Gen::Checks, &mut checks);
    plies > 0
        && checks.iter().any(|&m| {
            pos.play(m);
            let mated = defend(pos, plies - 1, futile);
            pos.undo();
            mated
        })
}

/// Whether the defender in check is mated within that many plies.
fn defend<V: Variant>(pos: &mut Position<V>, plies: u32, futile: Futile) -> bool {
    if futile == Futile::Distance && is_mate_at_a_distance(pos) {
        return true;
    }
    let checkers = pos.checkers();
    let replies = pos.legal_moves();
    replies.iter().all(|&reply| {
        let slider = (!checkers.many()).then(|| checkers.first());
        pos.play(reply);
        let mut mated = plies > 0 && attack(pos, plies - 1, futile);
        if let (false, true, Futile::Common, Some(slider)) =
            (mated, reply.is_drop(), futile, slider)
        {
            mated = [true, false].into_iter().any(|promote| {
                let take = Move::board(slider, reply.to(), promote);
                pos.is_legal(take) && pos.gives_check(take) && {
                    pos.play(take);
                    let mated = defend(pos, plies, futile);
                    pos.undo();
                    mated
                }
            });
        }
        pos.undo();
        mated
    })
}

fn counted<V: Variant>(pos: &Position<V>, futile: Futile) -> Option<Counted> {
    let bounds = Bounds { hash: 4 << 20, nodes: Some(40_000), shortest: true, ..Bounds::default() };
    let (control, time) = (Control::new(false), WallTime::start());
    let mut solver = Solver::new(pos, &bounds, &control, &time);
    let solution = solver.solve();
    (solution.verdict == Verdict::Mate).then(|| solver.counted(&solution, futile).ok())?
}

fn line_is_legal<V: Variant>(pos: &Position<V>, counted: &Counted) {
    let mut pos = pos.clone();
    for (i, &m) in counted.line.iter().enumerate() {
        assert!(pos.is_legal(m) && (i % 2 == 1 || pos.gives_check(m)), "{counted:?} in {pos:?}");
        pos.play(m);
    }
    let counts = counted.free.iter().filter(|&&free| !free).count();
    assert!(pos.in_check() && counted.free.len() == counted.line.len(), "{counted:?}");
    assert_eq!(counts, usize::from(counted.plies), "{counted:?} in {pos:?}");
}

/// How many of the random positions each definition tells apart from the one before.
fn many<V: Variant>(seed: u64, positions: usize) -> [usize; 2] {
    let mut rng = Rng::new(seed);
    let mut differ = [0; 2];
    for _ in 0..positions {
        let mut pos = random::besieged::<V>(&mut rng);
        let mut before = None;
        for (i, futile) in Futile::ALL.into_iter().enumerate() {
            let truth = [1, 3].into_iter().find(|&n| attack(&mut pos, n, futile));
            let Some(found) = counted(&pos, futile) else {
                break;
            };
            line_is_legal(&pos, &found);
            assert!(found.is_shortest);
            match truth {
                Some(plies) => assert_eq!(u32::from(found.plies), plies, "{futile} {pos:?}"),
                None => assert!(found.plies > 3, "{futile} {pos:?} {found:?}"),
            }
            if let Some(before) = before {
                assert!(found.plies <= before, "{futile} {pos:?}");
                differ[i - 1] += usize::from(found.plies < before);
            }
            before = Some(found.plies);
        }
    }
    differ
}

#[test]
fn shogi_counts_as_defined() {
    let [distance, common] = many::<Shogi>(41, 60);
    assert!(distance + common > 0, "{distance} {common}");
}

#[test]
fn minishogi_counts_as_defined() {
    let [distance, common] = many::<Minishogi>(42, 150);
    assert!(distance + common > 0, "{distance} {common}");
}

fn lengths<V: Variant>(sfen: &str, expected: [u16; 3]) {
    let pos = Position::<V>::from_sfen_with(sfen, Kings::Any).unwrap();
    let found = Futile::ALL.map(|f| counted(&pos, f).map(|c| c.plies));
    assert_eq!(found, expected.map(Some), "{sfen}");
}

#[test]
fn known_problems_differ_as_they_should() {
    // The rook checks along the whole rank; every piece put between is taken with mate.
    lengths::<Shogi>("8k/7pl/6N2/9/9/9/9/9/R8 b g2s 1", [7, 1, 1]);
    lengths::<Shogi>("5k3/3Spgg+P1/9/R8/9/9/9/9/7R1 b gs 1", [5, 1, 1]);
    lengths::<Minishogi>("4k/4p/4+P/B4/2+R2 b g 1", [3, 1, 1]);
    // The king can also step aside: a drop that only delays that counts or not.
    lengths::<Shogi>("1k7/g8/2G6/9/9/9/9/9/6R2 b gs 1", [7, 7, 3]);
    lengths::<Minishogi>("k4/1p3/1S2B/5/2R2 b g 1", [5, 5, 3]);
}

#[test]
fn definitions_have_names() {
    for futile in Futile::ALL {
        assert_eq!(futile.name().parse(), Ok(futile));
    }
    let error = "muda".parse::<Futile>().unwrap_err().to_string();
    assert_eq!(error, "\"muda\" is none of none, distance, common");
}
