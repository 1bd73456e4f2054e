//! The order of moves: each legal one once, and who comes when.

use super::*;
use crate::history::{Common, NEAR, PLACES, SQUARES};
use rules::{Minishogi, Shogi};
use std::collections::BTreeSet;
use std::sync::Arc;

fn hints(table_move: Move, killers: [Move; 2]) -> Hints {
    Hints {
        table_move,
        killers,
        counter: Move::NONE,
        earlier: [PLACES; 4],
        pawns: 0,
        threat: Move::NONE,
        ply: NEAR,
        all_moves: true,
    }
}

/// Every legal move comes out exactly once, whatever table move and killers say.
fn check<V: Variant>(sfen: &str) {
    let pos = Position::<V>::from_sfen(sfen).unwrap();
    let (history, info) = (History::new(Arc::new(Common::new())), pos.check_info());
    let (mut buffer, mut drops) = (Buffer::new(), [[0; SQUARES]; 8]);
    let legal = pos.legal_moves();
    let tables = legal.iter().enumerate().step_by(7).chain([(0, &Move::NONE)]);
    for ((i, &table), quiets_last) in tables.flat_map(|table| [(table, 0), (table, 1)]) {
        let params = &Params { quiets_last, ..Params::SHOGI };
        let attacked = &Attacked::new();
        let known = Known { pos: &pos, history: &history, params, info: Some(&info), attacked };
        let killers = [legal[i / 2], legal[legal.len() - 1 - i / 3]];
        let mut picker = Picker::main(hints(table, killers), 5, pos.in_check());
        let mut seen = BTreeSet::new();
        while let Some(m) = picker.next(&known, &mut buffer, &mut drops) {
            assert!(seen.insert(m), "{m:?} twice in {sfen}");
        }
        assert_eq!(seen, legal.iter().copied().collect(), "{sfen}");
    }
}

#[test]
fn every_legal_move_once() {
    check::<Shogi>(Shogi::START);
    check::<Shogi>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
    check::<Shogi>("4k4/3P1P3/9/9/9/9/9/9/4K2r1 b RB4G 1");
    check::<Shogi>("4k4/9/9/9/9/9/9/4r4/4K4 b P 1");
    check::<Minishogi>(Minishogi::START);
    check::<Minishogi>("4k/3gs/4P/R4/K3B b SPGrb 1");
}

#[test]
fn quiet_moves_that_never_worked_come_last_where_that_is_asked_for() {
    // The rook may take a guarded pawn.
    let pos = Position::<Shogi>::from_sfen("4k4/4g4/4p4/9/9/9/9/9/K3R4 b - 1").unwrap();
    let (mut history, info) = (History::new(Arc::new(Common::new())), pos.check_info());
    let [quiet, losing] = ["5i4i", "5i5c"].map(|usi| pos.parse_usi(usi).unwrap());
    let mut params = Params::SHOGI;
    for _ in 0..9 {
        history.update_butterfly(pos.turn(), quiet, 0, -4000, &params);
    }
    let picked = |params: &Params| {
        let attacked = &Attacked::new();
        let known = Known { pos: &pos, history: &history, params, info: Some(&info), attacked };
        let (mut buffer, mut drops) = (Buffer::new(), [[0; SQUARES]; 8]);
        let mut picker = Picker::main(hints(Move::NONE, [Move::NONE; 2]), 5, false);
        let moves: Vec<Move> =
            std::iter::from_fn(|| picker.next(&known, &mut buffer, &mut drops)).collect();
        let place = |m: Move| moves.iter().position(|&other| other == m).unwrap();
        (place(quiet) < place(losing), place(quiet), moves.len())
    };
    let (before, _, all) = picked(&params);
    assert!(before);
    params.quiets_last = 10_000;
    let (before, at, still) = picked(&params);
    assert!(!before && at == all - 1 && still == all);
}

#[test]
fn of_quiet_moves_without_hope_one_stays_where_they_end_early() {
    let pos = Position::<Shogi>::from_sfen("6k2/9/9/9/9/9/9/9/K3R4 b - 1").unwrap();
    let (mut history, info) = (History::new(Arc::new(Common::new())), pos.check_info());
    let (params, attacked) = (&Params::SHOGI, &Attacked::new());
    let quiets: Vec<Move> = pos.legal_moves().iter().copied().collect();
    for (m, _) in quiets.iter().flat_map(|m| (0..20).map(move |n| (m, n))) {
        history.update_butterfly(pos.turn(), *m, 0, -4000, params);
    }
    let known = Known { pos: &pos, history: &history, params, info: Some(&info), attacked };
    let (mut buffer, mut drops) = (Buffer::new(), [[0; SQUARES]; 8]);
    let counts = [false, true].map(|early| {
        let mut picker = Picker::main(hints(Move::NONE, [Move::NONE; 2]), 1, false);
        if early {
            picker.end_early();
        }
        std::iter::from_fn(|| picker.next(&known, &mut buffer, &mut drops)).count()
    });
    assert_eq!(counts, [quiets.len(), 1]);
}

#[test]
fn skipping_quiets_leaves_captures() {
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let pos = Position::<Shogi>::from_sfen(sfen).unwrap();
    let (history, info) = (History::new(Arc::new(Common::new())), pos.check_info());
    let (params, attacked) = (&Params::SHOGI, &Attacked::new());
    let known = Known { pos: &pos, history: &history, params, info: Some(&info), attacked };
    let (mut buffer, mut drops) = (Buffer::new(), [[0; SQUARES]; 8]);
    let mut picker = Picker::main(hints(Move::NONE, [Move::NONE; 2]), 5, false);
    picker.skip_quiets();
    let mut count = 0;
    while let Some(m) = picker.next(&known, &mut buffer, &mut drops) {
        assert!(pos.piece_at(m.to()).is_some() || m.is_promotion());
        count += 1;
    }
    assert!(count > 0);
}
