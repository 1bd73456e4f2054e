use super::*;
use rules::{Minishogi, Position, Shogi, Variant};

fn label(labels: Labels, mv: &str, turn: Color) -> usize {
    usize::from(labels.label(Move::from_usi(labels.game(), mv).unwrap(), turn))
}

/// Published examples, and one of each direction by the published order.
#[test]
fn labels_of_dlshogi() {
    let black = |mv: &str| label(Labels::Dlshogi, mv, Color::Black);
    assert_eq!((black("7g7f"), black("8h2b+"), black("P*5e")), (59, 982, 1660));
    // From 5e (square 40) a step each way; left is where the files grow.
    let steps = ["5e5d", "5e6d", "5e4d", "5e6e", "5e4e", "5e5f", "5e6f", "5e4f", "5e6c", "5e4c"];
    for (direction, mv) in steps.iter().enumerate() {
        let to = Move::from_usi(Game::Shogi, mv).unwrap().to().index();
        assert_eq!(black(mv), 81 * direction + to, "{mv}");
        assert_eq!(black(&format!("{mv}+")), 81 * (direction + 10) + to, "{mv}+");
    }
    // Far moves are labelled by their direction.
    assert_eq!(black("9a1i"), 81 * 7 + 8);
    assert_eq!(black("5i5a"), 36);
    for (kind, letter) in ["P", "L", "N", "S", "B", "R", "G"].iter().enumerate() {
        assert_eq!(black(&format!("{letter}*5e")), 81 * (20 + kind) + 40);
    }
    // White sees the board turned.
    assert_eq!(label(Labels::Dlshogi, "3c3d", Color::White), 59);
    assert_eq!(label(Labels::Dlshogi, "2b8h+", Color::White), 982);
}

#[test]
fn labels_of_minishogi() {
    let black = |mv: &str| label(Labels::Minishogi, mv, Color::Black);
    assert_eq!(black("5d5c"), 22);
    assert_eq!(black("2e5b+"), 25 * (8 + 1) + 21);
    // Two up and one to the side is no jump here: nothing moves so.
    assert_eq!(black("3e3c"), 12);
    for (kind, letter) in ["P", "S", "B", "R", "G"].iter().enumerate() {
        assert_eq!(black(&format!("{letter}*3c")), 25 * (16 + kind) + 12);
    }
    assert_eq!(label(Labels::Minishogi, "1b1c", Color::White), 22);
}

/// AobaZero's order: the kind of move first, then the rank, then from file 9 to file 1.
#[test]
fn labels_of_pal() {
    let black = |mv: &str| label(Labels::Pal, mv, Color::Black);
    // Up by one: from rank b on; 9b is the first.
    assert_eq!((black("9b9a"), black("8b8a"), black("1b1a"), black("9c9b")), (0, 1, 8, 9));
    // Up by two begins after the 72 of up by one.
    assert_eq!(black("9c9a"), 72);
    // All that neither promotes nor is a drop: 2,112 on lines and 80 jumps.
    assert_eq!(black("8e9c"), 2112);
    assert_eq!(black("9b9a+"), 2112 + 80);
    // Drops are last: rooks on every square, 1i the very last.
    assert_eq!((black("R*1i"), black("P*9b")), (3780, 3781 - 531));
    assert_eq!(label(Labels::Pal, "1h1i", Color::White), 0);
    let mut seen = vec![false; 3781];
    let moves = PAL.moves.as_flattened().iter().chain(PAL.drops.as_flattened());
    for &label in moves.filter(|&&label| label != u16::MAX) {
        assert!(!std::mem::replace(&mut seen[usize::from(label)], true), "{label} twice");
    }
    assert!(seen.into_iter().all(|seen| seen));
}

/// Along random games all legal moves of a position have labels of their own, and the turned move
/// of the other side has the same one.
fn follow<V: Variant>(labels: Labels, seed: u64) -> usize {
    let mut rng = seed::Rng::new(seed);
    let mut pos = Position::<V>::startpos();
    let mut most = 0;
    for _ in 0..200 {
        let moves = pos.legal_moves();
        if moves.is_empty() {
            break;
        }
        let turn = pos.turn();
        let mut seen = vec![None; labels.count()];
        for &mv in &moves {
            let label = labels.label(mv, turn);
            let turned = labels.label(mv.rotated(V::GAME), turn.opponent());
            assert_eq!(label, turned, "{} in {}", mv.usi(V::GAME), pos.sfen());
            let before = seen[usize::from(label)].replace(mv);
            assert_eq!(before, None, "{} in {}", mv.usi(V::GAME), pos.sfen());
        }
        most = most.max(moves.len());
        pos.play(moves[rng.below(moves.len())]);
    }
    most
}

#[test]
fn legal_moves_have_labels_of_their_own() {
    let mut most = 0;
    for seed in 0..30 {
        most = most.max(follow::<Shogi>(Labels::Dlshogi, seed));
        follow::<Shogi>(Labels::Pal, seed);
        follow::<Minishogi>(Labels::Minishogi, seed);
    }
    assert!(most > 150, "{most}: no position with many drops");
}

#[test]
fn labels_mirror_like_their_moves() {
    for labels in Labels::ALL {
        let game = labels.game();
        let mirrored = labels.mirrored();
        assert_eq!(mirrored.len(), labels.count());
        for (label, &other) in mirrored.iter().enumerate() {
            assert_eq!(usize::from(mirrored[usize::from(other)]), label, "{labels:?}");
        }
        let (mv, other) = match game {
            Game::Shogi => ("8h2b+", "2h8b+"),
            Game::Minishogi => ("2e5b", "4e1b"),
        };
        let found = mirrored[label(labels, mv, Color::Black)];
        assert_eq!(usize::from(found), label(labels, other, Color::Black));
    }
    assert_eq!(Labels::by_name("pal"), Some(Labels::Pal));
    assert_eq!(Labels::by_name("Pal"), None);
}
