use super::*;
use crate::{Evaluator, MAX_VALUE, PIECE_VALUES, material};
use features::Numbering;
use rules::{Color, Handicap, Kind, Minishogi, Position, Shogi, Square, Variant};
use simd::Isa;
use std::sync::Arc;

/// A value for every entry: some function of its place.
fn mix(a: usize, b: usize, c: usize) -> i32 {
    let x = (a as u64) << 40 ^ (b as u64) << 20 ^ c as u64;
    let x = (x ^ 0x5DEE_CE66).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((x >> 40) as i32 & 0x1FF) - 256
}

/// The pieces of a position in one view, in no particular order, absent ones as 0.
fn numbers<V: Variant>(pos: &Position<V>, side: Color) -> Vec<usize> {
    let n = Numbering::of(V::GAME);
    let mut list = Vec::new();
    for sq in Square::all(V::GAME) {
        let piece = pos.piece_at(sq);
        if piece.is_some() && piece.kind() != Some(Kind::King) {
            list.push(n.board(side, piece, sq));
        }
    }
    for owner in Color::BOTH {
        for kind in Kind::HAND {
            list.extend((1..=pos.hand(owner).count(kind)).map(|c| n.hand(side, owner, kind, c)));
        }
    }
    list.resize(if V::SQUARES == 81 { 38 } else { 10 }, 0);
    list
}

fn fill_kpp<V: Variant, const TEMPO: bool>(
    t: &mut Tables<V, TEMPO>,
    king: usize,
    a: usize,
    b: usize,
) {
    let (low, high) = (a.min(b), a.max(b));
    let at = (king * Tables::<V, TEMPO>::PIECES + a) * Tables::<V, TEMPO>::PIECES + b;
    let width = Tables::<V, TEMPO>::WIDTH;
    for i in 0..width {
        t.kpp[at * width + i] = mix(king * 2 + i, low, high) as i16;
    }
}

/// Fills the entries a position needs: the whole table of 9×9 would be 776 MB.
fn fill<V: Variant, const TEMPO: bool>(t: &mut Tables<V, TEMPO>, pos: &Position<V>) {
    let (bk, wk) = (pos.king(Color::Black).unwrap(), pos.king(Color::White).unwrap());
    for (side, king) in [(Color::Black, bk), (Color::White, wk.rotated(V::GAME))] {
        let list = numbers(pos, side);
        for &a in &list {
            for &b in &list {
                fill_kpp(t, king.index(), a, b);
            }
        }
    }
    let pair = bk.index() * V::SQUARES + wk.index();
    for p in numbers(pos, Color::Black) {
        for i in 0..2 {
            t.kk[pair * 2 + i] = 100 * mix(pair, 7, i);
            let at = (pair * Tables::<V, TEMPO>::PIECES + p) * 2 + i;
            t.kkp[at] = 10 * mix(pair, p, i);
        }
    }
}

/// The formula, word for word.
fn by_formula<V: Variant, const TEMPO: bool>(t: &Tables<V, TEMPO>, pos: &Position<V>) -> i32 {
    let (bk, wk) =
        (pos.king(Color::Black).unwrap().index(), pos.king(Color::White).unwrap().index());
    let (b, w) = (numbers(pos, Color::Black), numbers(pos, Color::White));
    let pairs = |king: usize, list: &[usize], part: usize| -> i32 {
        let mut sum = 0;
        for i in 0..list.len() {
            for j in 0..i {
                sum += t.kpp(king, list[i], list[j])[part];
            }
        }
        sum
    };
    let both = |part: usize| -> i32 {
        t.kk(bk, wk)[part] + b.iter().map(|&p| t.kkp(bk, wk, p)[part]).sum::<i32>()
    };
    let turned = V::SQUARES - 1 - wk;
    let board =
        pairs(bk, &b, 0) - pairs(turned, &w, 0) + both(0) + 32 * material(pos, &PIECE_VALUES);
    let tempo = pairs(bk, &b, 1) + pairs(turned, &w, 1) + both(1);
    let own = if pos.turn() == Color::Black { board } else { -board };
    ((own + tempo) / 32).clamp(-MAX_VALUE, MAX_VALUE)
}

fn follow<V: Variant, const TEMPO: bool>(start: &str, plies: usize, seed: u64) {
    let mut rng = seed::Rng::new(seed);
    let mut random = move |n: usize| rng.below(n);
    // First a walk to know which entries are needed, then the same walk with evaluators.
    let mut walk = Vec::new();
    let mut tables = Tables::<V, TEMPO>::zeroed();
    let mut pos = Position::<V>::from_sfen(start).unwrap();
    fill(&mut tables, &pos);
    for _ in 0..plies {
        let moves = pos.legal_moves();
        if moves.is_empty() || pos.played() > 0 && random(4) == 0 {
            if pos.played() == 0 {
                break;
            }
            pos.undo();
            walk.push(None);
        } else {
            let m = moves[random(moves.len())];
            pos.play(m);
            fill(&mut tables, &pos);
            walk.push(Some(m));
        }
    }
    let tables = Arc::new(tables);
    let mut pos = Position::<V>::from_sfen(start).unwrap();
    let mut all: Vec<_> = Isa::available()
        .iter()
        .map(|&isa| ThreePiece::<V, TEMPO>::new(Arc::clone(&tables)).with_isa(isa))
        .collect();
    all.iter_mut().for_each(|e| e.refresh(&pos));
    let mut compared = 0;
    for step in walk {
        if let Some(m) = step {
            let delta = pos.play(m);
            all.iter_mut().for_each(|e| e.push(&delta));
        } else {
            pos.undo();
            all.iter_mut().for_each(Evaluator::pop);
        }
        if random(2) == 0 {
            let expected = by_formula(&tables, &pos);
            for e in &mut all {
                assert_eq!(e.evaluate(&pos), expected, "{}", pos.sfen());
            }
            compared += 1;
        }
    }
    assert!(compared > 3);
}

#[test]
fn follows_games_on_5x5() {
    for seed in 0..20 {
        follow::<Minishogi, true>(Minishogi::START, 150, seed);
        follow::<Minishogi, false>(Minishogi::START, 150, seed);
    }
}

#[test]
fn follows_games() {
    follow::<Shogi, true>(Shogi::START, 60, 1);
    follow::<Shogi, true>(&Handicap::Four.sfen(), 40, 2);
    follow::<Shogi, false>(Shogi::START, 60, 3);
}

#[test]
fn zero_tables_are_material() {
    let tables = Arc::new(Tables::<Minishogi, true>::zeroed());
    let mut e = Kppt::new(tables);
    let pos = Position::from_sfen("4k/5/5/5/K4 b 2Pr 1").unwrap();
    e.refresh(&pos);
    assert_eq!(e.evaluate(&pos), 180 - 990);
}

#[test]
fn sizes_of_the_field() {
    assert_eq!(Tables::<Shogi, true>::BYTES, [52_488, 81_251_424, 776_402_496]);
    assert_eq!(Tables::<Shogi, false>::BYTES, [52_488, 81_251_424, 388_201_248]);
}

#[test]
fn files_round_trip_and_wrong_ones_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let mut tables = Tables::<Minishogi, true>::zeroed();
    tables.kk.iter_mut().enumerate().for_each(|(i, x)| *x = mix(1, i, 0) << 20);
    tables.kkp.iter_mut().enumerate().for_each(|(i, x)| *x = mix(2, i, 0) << 20);
    let kpp = Tables::<Minishogi, true>::KPP;
    tables.kpp[..kpp].iter_mut().enumerate().for_each(|(i, x)| *x = mix(3, i, 0) as i16);
    tables.save(folder).unwrap();
    assert!(Tables::<Minishogi, true>::load(folder).unwrap() == tables);
    let error = Tables::<Minishogi, false>::load(folder).unwrap_err().to_string();
    assert!(error.contains("KPP_synthesized.bin") && error.contains("may be KPPT"), "{error}");
    let path = folder.join(FILES[1]);
    let cut = std::fs::read(&path).unwrap();
    std::fs::write(&path, &cut[..cut.len() - 1]).unwrap();
    let error = Tables::<Minishogi, true>::load(folder).unwrap_err().to_string();
    assert!(
        error.contains("KKP_synthesized.bin") && error.contains(&cut.len().to_string()),
        "{error}"
    );
    std::fs::remove_file(&path).unwrap();
    let error = Tables::<Minishogi, true>::load(folder).unwrap_err().to_string();
    assert!(error.contains("KKP_synthesized.bin"), "{error}");
}
