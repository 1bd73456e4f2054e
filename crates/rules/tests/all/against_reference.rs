//! Random games of both games, all handicaps and odd positions: the fast rules agree with the
//! slow ones on everything.

use crate::reference::{Ending, Slow};
use rules::{
    Bits, Declaration, GameRepetition, Gen, Handicap, Kind, Minishogi, Move, MoveList, Position,
    Shogi, Variant,
};
use seed::Rng;
use std::collections::BTreeSet;

fn generated<V: Variant>(pos: &Position<V>, what: Gen, useful: bool) -> BTreeSet<Move> {
    let mut list = MoveList::new();
    if useful {
        pos.generate_useful(what, &mut list);
    } else {
        pos.generate(what, &mut list);
    }
    let set: BTreeSet<Move> = list.iter().copied().collect();
    assert_eq!(set.len(), list.len(), "{what:?} repeats a move in {}", pos.sfen());
    set
}

/// Moves that only a lover of underpromotion would play.
fn pointless<V: Variant>(pos: &Position<V>, m: Move) -> bool {
    if m.is_drop() || m.is_promotion() {
        return false;
    }
    let us = pos.turn();
    let zone = V::promotion_zone(us);
    match pos.piece_at(m.from()).kind().unwrap() {
        Kind::Pawn => zone.has(m.to()),
        Kind::Bishop | Kind::Rook => zone.has(m.to()) || zone.has(m.from()),
        Kind::Lance => V::far_ranks(us, 2).has(m.to()),
        _ => false,
    }
}

fn compare_moves<V: Variant>(pos: &Position<V>, slow: &Slow) -> BTreeSet<Move> {
    let legal = slow.legal();
    let fast = generated(pos, Gen::All, false);
    assert_eq!(fast, legal, "legal moves of {}", pos.sfen());
    let pick = |keep: &dyn Fn(Move) -> bool| -> BTreeSet<Move> {
        legal.iter().copied().filter(|&m| keep(m)).collect()
    };
    let takes = |m: Move| pos.piece_at(m.to()).is_some();
    let pawn_promotes =
        |m: Move| m.is_promotion() && pos.piece_at(m.from()).kind() == Some(Kind::Pawn);
    let info = pos.check_info();
    for &m in &legal {
        let check = slow.gives_check(m);
        assert_eq!(pos.gives_check_with(m, &info), check, "{m:?} in {}", pos.sfen());
        assert!(pos.is_pseudo_legal(m) && pos.is_legal(m), "{m:?} in {}", pos.sfen());
    }
    let checks = |m: Move| pos.gives_check_with(m, &info);
    let kinds: [(Gen, &dyn Fn(Move) -> bool); 8] = [
        (Gen::All, &|_| true),
        (Gen::Captures, &takes),
        (Gen::Quiets, &|m| !takes(m)),
        (Gen::Tactical, &|m| takes(m) || pawn_promotes(m)),
        (Gen::Positional, &|m| !takes(m) && !pawn_promotes(m)),
        (Gen::Evasions, &|_| pos.in_check()),
        (Gen::Checks, &checks),
        (Gen::QuietChecks, &|m| checks(m) && !takes(m)),
    ];
    for (what, keep) in kinds {
        let name = format!("{what:?} of {}", pos.sfen());
        let wanted = pick(keep);
        assert_eq!(generated(pos, what, false), wanted, "{name}");
        // A capture that does not promote is not tactical's business to drop unless pointless.
        let useful: BTreeSet<Move> =
            wanted.iter().copied().filter(|&m| !pointless(pos, m)).collect();
        assert_eq!(generated(pos, what, true), useful, "useful {name}");
    }
    legal
}

fn compare<V: Variant>(pos: &Position<V>, slow: &Slow) -> BTreeSet<Move> {
    pos.assert_consistent();
    assert_eq!(pos.in_check(), slow.in_check(slow.turn), "{}", pos.sfen());
    let again = Position::<V>::from_sfen(&pos.sfen()).unwrap();
    assert_eq!(&again, pos);
    assert_eq!(again.key(), pos.key());
    let verdict = pos.repetition().map(|r| match r {
        GameRepetition::Draw => Ending::Draw,
        GameRepetition::Lost(c) => Ending::Lost(c),
    });
    assert_eq!(verdict, slow.repetition(), "repetition in {}", pos.sfen());
    for rule in Declaration::ALL {
        assert_eq!(pos.can_declare(rule), slow.can_declare(rule), "{rule} in {}", pos.sfen());
    }
    compare_moves(pos, slow)
}

/// Plays random games from a position. Some moves take the player's last move back, so that
/// repetitions of every kind come up; checks are preferred now and then.
fn random_games<V: Variant>(sfen: &str, games: usize, plies: usize, seed: u64) -> PositionsSeen {
    let mut rng = Rng::new(seed);
    let mut seen = PositionsSeen::default();
    for game in 0..games {
        let mut pos = Position::<V>::from_sfen(sfen).unwrap();
        let mut slow = Slow::from_sfen(V::GAME, sfen);
        let start = pos.clone();
        for _ in 0..plies {
            let legal: Vec<Move> = compare(&pos, &slow).into_iter().collect();
            seen.positions += 1;
            if pos.repetition().is_some() {
                seen.repetitions += 1;
                break;
            }
            seen.declarations += usize::from(pos.can_declare(Declaration::Points27H));
            if legal.is_empty() {
                seen.mates += 1;
                break;
            }
            let m = choose(&pos, &legal, &mut rng, if game % 2 == 0 { 8 } else { 2 });
            let (key, before) = (pos.key_after(m), pos.clone());
            pos.play(m);
            slow.play(m);
            assert_eq!(pos.key(), key);
            pos.undo();
            pos.assert_consistent();
            assert_eq!(pos, before);
            pos.play(m);
        }
        while pos.played() > 0 {
            pos.undo();
        }
        assert_eq!(pos, start);
        assert_eq!(pos.key(), start.key());
    }
    seen
}

fn choose<V: Variant>(pos: &Position<V>, legal: &[Move], rng: &mut Rng, fickle: usize) -> Move {
    if rng.below(fickle) != 0 {
        // Back to where the piece came from two plies ago.
        let played = pos.moves_played();
        if let Some(&last) = played.len().checked_sub(2).and_then(|i| played.get(i))
            && !last.is_drop()
        {
            let back = Move::board(last.to(), last.from(), false);
            if legal.contains(&back) {
                return back;
            }
        }
    }
    if rng.below(3) == 0
        && let Some(&m) = legal.iter().find(|&&m| pos.gives_check(m))
    {
        return m;
    }
    legal[rng.below(legal.len())]
}

#[derive(Default, Debug)]
struct PositionsSeen {
    positions: usize,
    repetitions: usize,
    mates: usize,
    declarations: usize,
}

#[test]
fn shogi_from_the_start() {
    let t = random_games::<Shogi>(Shogi::START, 4, 250, 1);
    assert!(t.repetitions > 0 && t.positions > 150, "{t:?}");
}

#[test]
fn every_handicap() {
    for (i, h) in Handicap::ALL.into_iter().enumerate() {
        let t = random_games::<Shogi>(&h.sfen(), 1, 100, 77 + i as u64);
        assert!(t.positions > 10, "{h} {t:?}");
    }
}

#[test]
fn minishogi_from_the_start() {
    let t = random_games::<Minishogi>(Minishogi::START, 70, 200, 5);
    assert!(t.repetitions > 5 && t.mates > 1, "{t:?}");
}

/// Kings in the open, many pieces in hand, entered kings, drop-pawn mates near at hand.
#[test]
fn odd_positions() {
    let sfens = [
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "9/1+P+P+P+P+P+P+P1/+B1K3R1+B/9/9/9/r8/1k1gggg2/2+p4+p1 b 4S4N4L8P 150",
        "2+P1+PG+P1+P/1+R+RK+P+P2+B/2+P+P5/9/9/9/9/2+p+p1k+p2/4+pg2+b w 2G4S4N4L6P 201",
        "4k4/9/3SGS3/9/9/9/9/9/4K4 b P2r2b3g2s4n4l17p 1",
        "7lk/7gs/9/7N1/9/9/9/9/K8 b P2r2b3g3s3n3l17p 1",
        "k8/9/PG7/9/9/9/9/9/4K4 b P2r2b3g4s4n4l16p 1",
        "3rkr3/3P1P3/4S4/9/4b4/9/9/9/4K4 b P4g3s4n4lb15p 1",
    ];
    let mut declared = 0;
    for (i, sfen) in sfens.into_iter().enumerate() {
        declared += random_games::<Shogi>(sfen, 2, 40, 1000 + i as u64).declarations;
    }
    assert!(declared > 0);
    for (i, sfen) in
        ["4k/3gs/4P/R4/K3B b SPGrb 1", "2k2/5/1GPS1/5/2K2 b RBPrbgs 1"].into_iter().enumerate()
    {
        random_games::<Minishogi>(sfen, 20, 60, 2000 + i as u64);
    }
}

/// All 65,536 bit patterns: exactly the legal moves are legal.
#[test]
fn any_sixteen_bits() {
    fn check<V: Variant>(sfen: &str) {
        let pos = Position::<V>::from_sfen(sfen).unwrap();
        let legal: BTreeSet<u16> =
            Slow::from_sfen(V::GAME, sfen).legal().into_iter().map(Move::bits).collect();
        for bits in 0..=u16::MAX {
            let m = Move::from_bits_unchecked(bits);
            assert_eq!(pos.is_legal(m), legal.contains(&bits), "{bits:#x} in {sfen}");
            if let Some(m) = Move::from_bits(V::GAME, bits) {
                assert_eq!(Move::from_usi(V::GAME, &m.usi(V::GAME)), Some(m));
                assert_eq!(m.rotated(V::GAME).rotated(V::GAME), m);
                assert_eq!(m.mirrored(V::GAME).mirrored(V::GAME), m);
            }
        }
    }
    check::<Shogi>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
    check::<Shogi>("lnsg1gsnl/1r3k1b1/ppppp1ppp/5+B3/9/9/PPPPPPPPP/7R1/LNSGKGSNL w P 1");
    check::<Shogi>(Shogi::START);
    check::<Minishogi>(Minishogi::START);
    check::<Minishogi>("4k/3gs/4P/R4/K3B b SPGrb 1");
}

/// A game of more than five hundred plies: nothing is forgotten, and nothing repeats too early.
#[test]
fn long_games() {
    let mut pos = Position::<Shogi>::startpos();
    let mut play = |text: &str| {
        let m = pos.parse_usi(text).unwrap();
        pos.play(m);
        pos.repetition()
    };
    // Black's rook walks in a circle of five moves, White's in one of six: the pair repeats every
    // thirty moves. The fourth time, after ninety, ends the game.
    let black = ["2h3h", "3h4h", "4h5h", "5h6h", "6h2h"];
    let white = ["8b7b", "7b6b", "6b5b", "5b4b", "4b3b", "3b8b"];
    for i in 0..290 {
        let after_black = play(black[i % 5]);
        assert_eq!(after_black.is_some(), i >= 90, "Black's move {i}");
        let after_white = play(white[i % 6]);
        let end = (i >= 89).then_some(GameRepetition::Draw);
        assert_eq!(after_white, end, "White's move {i}");
    }
    assert_eq!(pos.played(), 580);
    assert_eq!(pos.occurrences(), 10);
}
