use super::*;

#[test]
fn nudges_stay_inside_their_bound() {
    for bits in [8, 10, 13, 14] {
        let limit = 1 << bits;
        let mut cell = 0;
        for _ in 0..1000 {
            nudge(&mut cell, 100_000, bits);
            assert!(i32::from(cell) <= limit);
        }
        assert!(i32::from(cell) > limit * 9 / 10);
        for _ in 0..1000 {
            nudge(&mut cell, -3000, bits);
            assert!(i32::from(cell) >= -limit);
        }
        assert!(i32::from(cell) < -limit * 9 / 10);
    }
}

#[test]
fn nudges_round_as_a_division_does() {
    let limit: i32 = 1 << 13;
    for now in (-limit..=limit).step_by(37) {
        for bonus in (-9000..=9000).step_by(113) {
            let mut cell = now as i16;
            nudge(&mut cell, bonus, 13);
            let bonus: i32 = bonus.clamp(-limit, limit);
            assert_eq!(i32::from(cell), now + bonus - now * bonus.abs() / limit);
        }
    }
}

#[test]
fn what_is_known_of_moves_fades_between_searches_if_asked_to() {
    let (mut h, p) = (history(), Params::SHOGI);
    let m = Move::drop(Kind::Gold, Square::new(40));
    h.update_butterfly(Color::White, m, 0, -1000, &p);
    h.update_continuation(3, 5, 900, &p);
    h.begin(&p);
    assert_eq!(h.butterfly(Color::White, m, 0), -1000);
    h.begin(&Params { history_kept: 71, ..p });
    assert_eq!((h.butterfly(Color::White, m, 0), h.continuation_row(3)[5]), (-710, 900));
}

#[test]
fn near_the_root_only_this_search_counts() {
    let mut h = history();
    let m = Move::drop(Kind::Gold, Square::new(40));
    h.update_near(2, Color::Black, m, 500, &Params::SHOGI);
    let p = Params { order_near: 8, ..Params::SHOGI };
    h.update_near(NEAR, Color::Black, m, 500, &p);
    assert!((0..NEAR).all(|ply| h.near(ply, Color::Black, m) == 0));
    h.update_near(2, Color::Black, m, 500, &p);
    assert_eq!([1, 2, 3].map(|ply| h.near(ply, Color::Black, m)), [0, 500, 0]);
    h.begin(&p);
    assert_eq!(h.near(2, Color::Black, m), 0);
}

#[test]
fn more_pawn_structures_are_told_apart_if_asked_to() {
    let mut h = history();
    let p = Params { pawn_bits: 10, ..Params::SHOGI };
    h.update_pawn(3, 9, 900, &p);
    assert_eq!([3, 515].map(|pawns| h.pawn_row(pawns).get(9) > 0), [true, true]);
    h.begin(&p);
    assert_eq!([3, 515].map(|pawns| h.pawn_row(pawns).get(9) > 0), [true, false]);
}

fn history() -> History {
    History::new(Arc::new(Common::new()))
}

#[test]
fn what_was_written_is_forgotten() {
    let (mut h, p) = (history(), Params::SHOGI);
    for round in 0..3 {
        let (pawns, place, earlier) = (700 + round, 5 + round as usize, PLACES - 1);
        h.update_pawn(pawns, place, 900, &p);
        h.update_continuation(earlier, place, 900, &p);
        h.update_continuation(round as usize, PLACES - 1, 900, &p);
        assert!(h.pawn_row(pawns).get(place) > 0 && h.continuation_row(earlier)[place] > 0);
        h.clear();
        assert!(h.continuation.iter().all(|&cell| cell == 0), "{round}");
        // What all have learned is not one thread's to forget.
        h.common.clear_if_told();
        assert_eq!(h.pawn_row(pawns).get(place) > 0, round > 0, "{round}");
        h.common.forget();
        h.common.clear_if_told();
        let mut cells = 0..PAWN_SLOTS * PAWN_ROW;
        assert!(cells.all(|cell| h.common.pawn.get(cell) == 0), "{round}");
    }
}

#[test]
fn corrections_follow_the_error() {
    let (mut h, p) = (history(), Params::SHOGI);
    let black = |keys: &CorrectionKeys| History::correction_slots(Color::Black, keys);
    let keys: CorrectionKeys = [1, 2, 3, 4, 5, 6].map(|n| n << 40);
    for _ in 0..200 {
        h.update_correction(&black(&keys), 60, 10, true, &p);
    }
    let c = h.correction(&black(&keys), &p);
    assert!(c > 20, "{c}");
    assert_eq!(h.correction(&History::correction_slots(Color::White, &keys), &p), 0);
    // Each key has a say, and none speaks for another.
    for i in 0..keys.len() {
        let mut other = keys;
        other[i] = 77 << 40;
        let without = h.correction(&black(&other), &p);
        assert!(0 < without && without < c, "{i}: {without} of {c}");
    }
    h.common.forget();
    h.common.clear_if_told();
    assert_eq!(h.correction(&black(&keys), &p), 0);
}

#[test]
fn threads_learn_about_positions_together_and_about_moves_alone() {
    let (common, p) = (Arc::new(Common::new()), Params::SHOGI);
    let mut threads = [0; 2].map(|_| History::new(Arc::clone(&common)));
    let slots = History::correction_slots(Color::White, &[1, 2, 3, 4, 5, 6].map(|n| n << 40));
    let (gold, square) = (Piece::new(Color::White, Kind::Gold), Square::new(7));
    let place = place(gold, square);
    std::thread::scope(|scope| {
        let [first, second] = &mut threads;
        scope.spawn(|| {
            for _ in 0..200 {
                first.update_correction(&slots, 60, 10, true, &p);
            }
            first.update_continuation(9, place, 900, &p);
        });
        scope.spawn(|| second.update_pawn(77, place, 900, &p));
    });
    let [first, second] = &mut threads;
    for thread in [&*first, &*second] {
        let learned = thread.pawn_row(77).get(place);
        assert!(thread.correction(&slots, &p) > 20 && learned > 0);
        let mut golds = [5; SQUARES];
        thread.pawn_row(77).of_piece(gold, 3, &mut golds);
        let others = golds.iter().enumerate().filter(|&(square, _)| square != 7);
        assert!(golds[7] == 3 * i32::from(learned) && others.into_iter().all(|(_, &n)| n == 0));
    }
    assert!(first.continuation_row(9)[place] > 0 && second.continuation_row(9)[place] == 0);
    // Another search's threads are strangers.
    second.join(&Arc::new(Common::new()));
    assert_eq!((second.correction(&slots, &p), second.pawn_row(77).get(place)), (0, 0));
}
