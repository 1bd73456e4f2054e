//! What numbers of the search change.

use super::*;

#[test]
fn probcut_leaves_the_evaluation_uncorrected_in_the_table() {
    let mut engine = engine::<Shogi>(wall());
    let mut worker = worker(&mut engine, "4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1");
    let (raw, pawns) = (worker.evaluate(), worker.pawns());
    let slots = worker.correction_slots(1, pawns);
    for _ in 0..50 {
        let params = &worker.params;
        worker.history.update_correction(&slots, 90, 10, true, params);
    }
    assert!(worker.corrected(raw, &slots) > raw + 20);
    let value = worker.search::<crate::node::Cut>(1, -1, 0, 5, true);
    let entry = worker.shared.table.get(worker.pos.key()).unwrap();
    assert!(value >= 0 && entry.depth == 5 - worker.params.probcut_table, "{value} {entry:?}");
    assert_eq!(entry.eval, raw);
}

#[test]
fn killers_come_in_their_order_if_asked_to() {
    let mut engine = engine::<Shogi>(wall());
    let mut worker = worker(&mut engine, <Shogi as Variant>::START);
    let m = worker.pos.parse_usi("7g7f").unwrap();
    worker.reward_quiet(1, m, 100);
    let first = |worker: &Worker<Shogi, AnyEvaluator<Shogi>>| {
        let hints = worker.hints(1, Move::NONE, 0);
        (hints.killers[0], hints.counter)
    };
    assert_eq!(first(&worker), (m, m));
    worker.params.refutations = 0;
    assert_eq!(first(&worker), (Move::NONE, Move::NONE));
}

/// Nodes of three searches one after the other, the last of them of a position with threats of mate.
fn nodes_with(options: &[(&str, i32)]) -> u64 {
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("RootMateNodes", "0").unwrap();
    for (name, value) in options {
        engine.set_option(&format!("Param.{name}"), &value.to_string()).unwrap();
    }
    let middle = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let ending = "l1S3snl/1RGnk4/3gpn1+Pp/pP3pB2/9/P2P5/1S2PPP1P/3+p1K3/L1r2GSNL w G5Pb 86";
    let searches = [(middle, 9), (middle, 11), (ending, 12)].map(|(sfen, depth)| {
        let (said, _) = listen(&start(&mut engine, sfen, Limits::to_depth(depth)));
        let nodes = |message: &Message| match message {
            Message::Info(info) => info.nodes,
            _ => None,
        };
        said.iter().filter_map(nodes).max().unwrap()
    });
    searches.iter().sum()
}

/// Each of these numbers, alone or with another, makes another search.
fn check_that_all_change_the_search(numbers: &[&[(&str, i32)]]) {
    let usual = nodes_with(&[]);
    assert_eq!(usual, nodes_with(&[]));
    let same: Vec<_> = numbers.iter().filter(|options| nodes_with(options) == usual).collect();
    assert!(same.is_empty(), "{usual} nodes with {same:?} too");
}

/// Numbers that are off unless somebody asks for them make another search of it, and so do those that are on.
#[test]
fn numbers_that_are_off_change_the_search_when_on() {
    check_that_all_change_the_search(&[
        &[("threat_margin", 400)],
        &[("lmr_threat", 1024)],
        &[("order_parry", 12_000)],
        &[("danger_margin", 200)],
        &[("lmr_danger", 1024)],
        &[("lmr_attack", 1024)],
        &[("history_kept", 71)],
        &[("stat_tried", 4)],
        &[("stat_malus_kept", 95)],
        &[("stat_capture_malus", 140)],
        &[("stat_refuted", 60)],
        &[("null_surplus", 50)],
        &[("probcut_reduction_improving", 1)],
        &[("table_blocked", 1)],
        &[("lmr_singular", 1024)],
        &[("line_followed", 1), ("iir_pv", 3)],
        &[("line_followed", 2)],
        &[("aspiration_squared", 9000)],
        &[("lmr_worsening_share", 40)],
        &[("lmr_number", 40)],
        &[("lmr_correction", 5)],
        &[("lmr_cut_unknown", 1024)],
        &[("lmr_all", 273)],
        &[("lmr_deepest", 2)],
        &[("triple_margin", 60)],
        &[("double_pv", 60)],
        &[("singular_deeper", 14)],
        &[("rfp_opponent", 30)],
        &[("rfp_unknown", 20)],
        &[("iir_reduced", 1)],
        &[("lmp_growth", 150)],
        &[("futility_unfound", 100)],
        &[("stat_table", 300)],
        &[("pawn_bits", 11)],
        &[("order_near", 8)],
        &[("heed_attacked", 0)],
        &[("heed_attacked", 1)],
        &[("heed_attacked", 2)],
        &[("futility_floor", -1)],
        &[("probcut_return", 0)],
    ]);
}

/// The same of those of `script/screen.terms.changes`.
#[test]
fn terms_that_are_off_change_the_search_when_on() {
    check_that_all_change_the_search(&[
        &[("malus_depth", 600)],
        &[("stat_two", 60)],
        &[("stat_four", 60)],
        &[("stat_six", 60)],
        &[("stat_pawns", 130)],
        &[("stat_pawns_malus", 60)],
        &[("stat_failed", 50)],
        &[("stat_failed_capture", 800)],
        &[("lmr_less_known", 3000)],
        &[("double_quiet", 40)],
        &[("quiets_end", 2)],
        &[("quiescence_mates", 1)],
        &[("excluded_pruned", 1)],
        &[("see_capture_history", 100)],
        &[("table_move_kept", 1)],
        &[("aspiration_high", 1)],
    ]);
}
