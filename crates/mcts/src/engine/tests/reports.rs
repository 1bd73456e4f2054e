//! What is told beside the line, and what ends a search before its limit.

use super::*;
use think::Wdl;

#[test]
fn chances_are_told_if_asked_for() {
    let mut engine = engine::<Shogi>(&[]);
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(300)));
    assert_eq!(last_info(&before).wdl, None);
    engine.set_option("USI_ShowWDL", "true").unwrap();
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(300)));
    let info = last_info(&before);
    let Some(Wdl { win, draw, loss }) = info.wdl else { panic!("{info:?}") };
    assert_eq!((win + draw + loss, draw), (1000, 0));
    let Some((Score::Cp(cp), _)) = info.score else { panic!("{info:?}") };
    assert!((play::win_rate(f64::from(cp), 600.0) * 1000.0 - f64::from(win)).abs() < 2.0);
    // What is proven is certain; before the limit of moves everything is drawn.
    let (before, _) = listen(&start(&mut engine, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", nodes(500)));
    assert_eq!(last_info(&before).wdl, Some(Wdl { win: 1000, draw: 0, loss: 0 }));
    engine.set_option("MaxMovesToDraw", "1").unwrap();
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(200)));
    assert_eq!(last_info(&before).wdl, Some(Wdl { win: 0, draw: 1000, loss: 0 }));
}

#[test]
fn the_use_of_the_net_is_told_if_asked_for() {
    let mut engine = engine::<Shogi>(&[("DNN_Report_Usage", "true"), ("DNN_Batch_Size", "4")]);
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(500)));
    let notes = notes(&before);
    assert!(
        notes.iter().any(|n| n.starts_with("500 playouts") && n.contains(" % full")),
        "{notes:?}"
    );
}

#[test]
fn a_search_that_gains_nothing_ends() {
    let mut engine = engine::<Shogi>(&[("Least_Gain", "1000000000")]);
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(50_000)));
    let playouts = last_info(&before).nodes.unwrap();
    assert!((200..2000).contains(&playouts), "{playouts}");
    engine.set_option("Least_Gain", "0").unwrap();
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(3000)));
    assert_eq!(last_info(&before).nodes, Some(3000));
}

#[test]
fn longer_mates_at_leaves_are_found_if_asked_for() {
    let sfen = problem(5).replace(" b ", " w ");
    let settled = |leaf_nodes: &str| {
        let options = [("Leaf_Mate_Nodes", leaf_nodes), ("PvInterval", "0")];
        let mut engine = engine::<Shogi>(&options);
        listen(&start(&mut engine, &sfen, nodes(400)));
        let tree = sound_tree(&mut engine);
        let long = |&(_, child): &(_, u32)| {
            let bounds = tree.node(child).bounds();
            bounds.outcome().is_some() && bounds.plies > 3
        };
        tree.visited(tree.root()).iter().filter(|child| long(child)).count()
    };
    let (without, with) = (settled("0"), settled("5000"));
    assert!(with > without, "{with} moves settled by longer mates, {without} without them");
}

#[test]
fn what_a_search_would_have_the_net_learn_sums_to_one_and_prefers_what_is_better() {
    let mut engine = engine::<Shogi>(&[]);
    assert!(engine.policy_target().is_empty(), "nothing was read");
    for gumbel in ["0", "8"] {
        engine.set_option("Gumbel_Moves", gumbel).unwrap();
        let (_, best) = listen(&start(&mut engine, "startpos", nodes(400)));
        let target = engine.policy_target();
        assert_eq!(target.len(), 30);
        let sum: f32 = target.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        let tree = sound_tree(&mut engine);
        let value = |m: &Move| {
            let found = tree.visited(tree.root()).into_iter().find(|(edge, _)| edge.mv == *m);
            found.and_then(|(_, child)| tree.node(child).stats().mean(0.5))
        };
        let (likeliest, share) = target.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        if gumbel == "0" {
            assert_eq!(Answer::Move(*likeliest), best.answer);
        } else {
            // Moves never visited have a share too, and the best share has the best value nearly.
            assert!(target.iter().any(|(m, share)| value(m).is_none() && *share > 0.0));
            let most = target.iter().filter_map(|(m, _)| value(m)).fold(0.0, f64::max);
            assert!(*share > 0.1 && value(likeliest).is_some_and(|v| v > most - 0.1));
        }
    }
}
