//! Hits and misses, and replies shared out among the children.

use super::*;

#[test]
fn a_hit_keeps_the_tree_and_a_miss_thinks_at_once() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    for child in [0, 1] {
        rig.thinks(child, "cp 10", "7g7f 3c3d");
        rig.says(child, "bestmove 7g7f ponder 3c3d");
    }
    assert_eq!(rig.answer().as_deref(), Some("7g7f"), "no ponder move is told upward");
    let told = rig.told(0);
    assert_eq!(told[told.len() - 2], "position startpos moves 7g7f 3c3d");
    assert!(told[told.len() - 1].starts_with("go ponder btime 5"), "{told:?}");
    rig.told(1);
    rig.pass(3000);
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(0), ["ponderhit"], "not one of ours: no clocks");
    assert_eq!(rig.told(1), ["ponderhit"]);
    for child in [0, 1] {
        rig.thinks(child, "cp 10", "2g2f 8c8d");
        rig.says(child, "bestmove 2g2f ponder 8c8d");
    }
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    assert!(matches!(rig.log.last(), Some(Entry::Decision { hit: true, .. })));
    rig.told(0);
    rig.told(1);
    rig.gui("position startpos moves 7g7f 3c3d 2g2f 4c4d");
    rig.gui("go btime 58000 wtime 55000 byoyomi 0");
    assert_eq!(rig.told(0), ["stop"]);
    rig.says(0, "bestmove 2f2e");
    let told = rig.told(0);
    assert_eq!(told[0], "position startpos moves 7g7f 3c3d 2g2f 4c4d");
    assert!(told[1].starts_with("go btime"), "{told:?}");
    rig.says(0, "bestmove 2f2e");
    rig.says(1, "bestmove 2f2e");
    rig.says(1, "bestmove 2f2e");
    assert_eq!(rig.answer().as_deref(), Some("2f2e"));
    assert!(rig.ended.is_empty());
}

#[test]
fn our_own_children_are_told_the_clocks_of_a_hit() {
    let mut rig = Rig::cold("[[child]]\nname = \"a\"\ninside = \"alphabeta\"\n");
    let incarnation = rig.incarnations[0].unwrap();
    rig.give(Event::Started(incarnation));
    for line in ["id name Nue", "usiok", "readyok"] {
        rig.says(0, line);
    }
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    rig.told(0);
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    let told = rig.told(0);
    assert!(told[0].starts_with("ponderhit btime 58"), "{told:?}");
}

#[test]
fn who_answers_while_pondering_is_heard_at_the_hit() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    rig.says(1, "bestmove 7g7f ponder 3c3d");
    rig.answer();
    rig.told(0);
    rig.told(1);
    rig.thinks(0, "cp 10", "2g2f");
    rig.says(0, "bestmove 2g2f");
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert!(rig.told(0).is_empty(), "it has answered already");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
}

/// A second answer to the question before would be taken for an answer to this one.
#[test]
fn an_answer_while_pondering_that_fits_no_line_is_not_believed() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    rig.says(1, "bestmove 7g7f ponder 3c3d");
    rig.says(0, "bestmove 2g2f");
    assert_eq!(rig.ended.len(), 1);
}

#[test]
fn the_interface_may_ponder_itself() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go ponder btime 60000 wtime 60000 byoyomi 0");
    assert!(rig.told(0)[1].starts_with("go ponder btime"));
    for child in [0, 1] {
        rig.thinks(child, "cp 10", "2g2f");
        rig.says(child, "bestmove 2g2f");
    }
    rig.pass(100_000);
    assert_eq!(rig.answer(), None, "not before the hit");
    rig.gui("ponderhit");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    rig.gui("go ponder btime 60000 wtime 60000 byoyomi 0");
    rig.thinks(0, "cp 1", "2g2f");
    rig.gui("stop");
    rig.says(0, "bestmove 2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    rig.gui("ponderhit");
    assert!(rig.up.iter().any(|line| line.contains("ponderhit without go ponder")));
}

/// Three groups of one and a predictor beside them.
const SEERS: &str = "margin = 100\n[ponder]\npredictor = \"seer\"\nreplies = 3\ndwell = 1000\n\
     [[child]]\nname = \"a\"\nprogram = \"x\"\n[[child]]\nname = \"b\"\nprogram = \"x\"\n\
     [[child]]\nname = \"c\"\nprogram = \"x\"\n\
     [[child]]\nname = \"seer\"\nprogram = \"x\"\nrole = \"predictor\"\n";

fn predicts(rig: &mut Rig, replies: &[(&str, i32)]) {
    for (rank, (reply, score)) in replies.iter().enumerate() {
        rig.says(3, &format!("info depth 5 multipv {} score cp {score} pv {reply}", rank + 1));
    }
}

fn position_of(told: &[String]) -> Option<&str> {
    told.iter().rev().find_map(|line| line.strip_prefix("position startpos moves "))
}

#[test]
fn replies_are_shared_out_and_predicted_anew() {
    let mut rig = Rig::ready(SEERS, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    assert_eq!((rig.told(0).len(), rig.told(1).len()), (2, 0), "the first group thinks");
    rig.thinks(0, "cp 10", "7g7f 3c3d");
    rig.says(0, "bestmove 7g7f");
    let seer = rig.told(3);
    assert_eq!(
        seer,
        ["setoption name MultiPV value 3", "position startpos moves 7g7f", "go infinite"]
    );
    predicts(&mut rig, &[("8c8d", 20), ("3c3d", 15), ("4a3b", 0)]);
    rig.pass(1500);
    // Whoever was on the likeliest at first is where it is wanted now; the others follow.
    for child in 0..3 {
        if rig.master.children[child].questions.len() == 1
            && rig.master.children[child].questions[0].stopped.is_some()
        {
            rig.says(child, "bestmove 2g2f");
        }
    }
    let mut at: Vec<String> =
        (0..3).map(|child| position_of(&rig.told(child)).unwrap_or_default().to_owned()).collect();
    at.sort();
    assert_eq!(at, ["7g7f 3c3d", "7g7f 4a3b", "7g7f 8c8d"]);
    // The view changes: one reply is given up for another.
    predicts(&mut rig, &[("8c8d", 20), ("3c3d", 15), ("5c5d", 10)]);
    rig.pass(1500);
    let stopped: Vec<usize> =
        (0..3).filter(|&c| rig.told(c).contains(&"stop".to_owned())).collect();
    assert_eq!(stopped.len(), 1);
    rig.says(stopped[0], "bestmove 2g2f");
    assert_eq!(position_of(&rig.told(stopped[0])), Some("7g7f 5c5d"));
    // It is played: who pondered on it goes on, the others are free.
    rig.answer();
    rig.gui("position startpos moves 7g7f 5c5d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(stopped[0]), ["ponderhit"]);
    rig.says(stopped[0], "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
}

#[test]
fn whoever_thought_last_ponders_on_the_likeliest_and_thinks_after_a_miss() {
    let text = SEERS.replace("dwell = 1000", "dwell = 1000\nahead = false\nmiss = \"last\"");
    let mut rig = Rig::ready(&text, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    predicts(&mut rig, &[("3c3d", 20), ("8c8d", 15), ("4a3b", 0)]);
    assert_eq!(position_of(&rig.told(0)), Some("7g7f 3c3d"), "it has thought");
    // All were on the one reply that was known; the others leave it at once.
    [1, 2].into_iter().for_each(|child| rig.says(child, "bestmove 2g2f"));
    assert_eq!(position_of(&rig.told(2)), Some("7g7f 8c8d"));
    rig.told(1);
    rig.gui("position startpos moves 7g7f 8c8d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(2), ["ponderhit"]);
    [0, 1].into_iter().for_each(|child| rig.says(child, "bestmove 2g2f"));
    rig.says(3, "bestmove 3c3d");
    rig.thinks(2, "cp 10", "2g2f 8d8e");
    rig.answer();
    rig.says(2, "bestmove 2g2f ponder 8d8e");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    predicts(&mut rig, &[("8d8e", 20), ("3c3d", 15), ("4a3b", 0)]);
    assert_eq!(position_of(&rig.told(2)), Some("7g7f 8c8d 2g2f 8d8e"), "the likeliest");
    let is_stopped = |rig: &Rig, child: usize| {
        rig.master.children[child].questions.iter().any(|question| question.stopped.is_some())
    };
    let mut others: Vec<String> = Vec::new();
    for child in [0, 1] {
        if is_stopped(&rig, child) {
            rig.says(child, "bestmove 2f2e");
        }
        others.extend(position_of(&rig.told(child)).map(str::to_owned));
    }
    others.sort();
    assert_eq!(others, ["7g7f 8c8d 2g2f 3c3d", "7g7f 8c8d 2g2f 4a3b"]);
    rig.gui("position startpos moves 7g7f 8c8d 2g2f 1c1d");
    rig.gui("go btime 58000 wtime 55000 byoyomi 0");
    assert_eq!((rig.told(0), rig.told(2)), (vec!["stop".to_owned()], vec!["stop".to_owned()]));
    [0, 1, 2].into_iter().for_each(|child| rig.says(child, "bestmove 2f2e"));
    let told = rig.told(2);
    assert_eq!(position_of(&told), Some("7g7f 8c8d 2g2f 1c1d"));
    assert!(told[1].starts_with("go btime"), "{told:?}");
    assert_eq!(rig.told(0), [""; 0]);
}

#[test]
fn a_reply_nobody_foresaw_is_thought_about_by_the_first() {
    let mut rig = Rig::ready(SEERS, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000 byoyomi 0");
    rig.says(0, "bestmove 7g7f ponder 3c3d");
    predicts(&mut rig, &[("8c8d", 20), ("3c3d", 15), ("4a3b", 0)]);
    (0..4).for_each(|child| drop(rig.told(child)));
    rig.answer();
    rig.gui("position startpos moves 7g7f 1c1d");
    rig.gui("go btime 59000 wtime 57000 byoyomi 0");
    assert_eq!(rig.told(0), ["stop"]);
    rig.says(0, "bestmove 2g2f");
    assert_eq!(rig.told(0)[0], "position startpos moves 7g7f 1c1d");
    assert_eq!(rig.told(3), ["stop"]);
    // Meanwhile the others look at replies to the move it may play.
    for child in 1..4 {
        rig.says(child, if child == 3 { "bestmove 8c8d" } else { "bestmove 2g2f" });
    }
    rig.thinks(0, "cp 5", "2g2f 8c8d");
    rig.pass(1500);
    assert_eq!(position_of(&rig.told(3)), Some("7g7f 1c1d 2g2f"));
    assert_eq!(position_of(&rig.told(1)), Some("7g7f 1c1d 2g2f 8c8d"));
    rig.says(0, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    assert!(rig.told(1).is_empty(), "it goes on with what it has begun");
}

/// Four groups of one, the first of which predicts too.
const SHARED: &str = "margin = 100\n[ponder]\npredictor = \"a\"\npredict = 300\ndwell = 200\n\
                      [[child]]\nname = \"a\"\nprogram = \"x\"\n[[child]]\nname = \"b\"\nprogram = \"x\"\n\
                      [[child]]\nname = \"c\"\nprogram = \"x\"\n[[child]]\nname = \"d\"\nprogram = \"x\"\n";

#[test]
fn a_player_that_predicts_looks_again_while_the_opponent_thinks_long() {
    let mut rig = Rig::ready(SHARED, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000");
    rig.says(0, "bestmove 7g7f");
    rig.pass(10);
    let predicted = |told: &[String]| told.iter().any(|line| line == "go infinite");
    assert!(predicted(&rig.told(0)), "it predicts first");
    rig.says(0, "info multipv 1 score cp 10 pv 3c3d");
    rig.pass(400);
    rig.says(0, "bestmove 3c3d");
    let told = rig.told(0);
    assert!(told.iter().any(|line| line.starts_with("go ponder")), "it ponders then: {told:?}");
    rig.pass(2000);
    assert!(!predicted(&rig.told(0)));
    rig.pass(950);
    let told = rig.told(0);
    assert_eq!(told.first().map(String::as_str), Some("stop"), "{told:?}");
    rig.says(0, "bestmove 2g2f");
    assert!(predicted(&rig.told(0)), "after a while it looks again");
    rig.pass(400);
    rig.says(0, "bestmove 3c3d");
    assert!(rig.told(0).iter().any(|line| line.starts_with("go ponder")));
    // Then ever more seldom.
    rig.pass(5000);
    assert!(!predicted(&rig.told(0)));
}

#[test]
fn a_player_that_predicts_does_so_after_its_own_move_too() {
    let mut rig = Rig::ready(SHARED, 4);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("go btime 60000 wtime 60000");
    rig.thinks(0, "cp 30", "7g7f 3c3d");
    rig.pass(600);
    // The others are ahead already, while the predictor thinks about our move.
    assert_eq!(position_of(&rig.told(1)), Some("7g7f 3c3d"));
    drop(rig.told(0));
    rig.says(0, "bestmove 7g7f");
    rig.pass(10);
    assert!(rig.told(0).iter().any(|line| line == "go infinite"));
}

#[test]
fn groups_to_spare_ponder_on_replies_to_other_moves_of_ours() {
    let config = "margin = 100\n[ponder]\npredictor = \"seer\"\ndwell = 200\n\
                  [[child]]\nname = \"a\"\nprogram = \"x\"\n[[child]]\nname = \"b\"\nprogram = \"x\"\n\
                  [[child]]\nname = \"c\"\nprogram = \"x\"\n[[child]]\nname = \"d\"\nprogram = \"x\"\n\
                  [[child]]\nname = \"seer\"\nprogram = \"x\"\nrole = \"predictor\"\n\
                  [[group]]\nname = \"pair\"\nchildren = [\"a\", \"b\"]\n\
                  [[group]]\nname = \"third\"\nchildren = [\"c\"]\n\
                  [[group]]\nname = \"fourth\"\nchildren = [\"d\"]\n";
    let mut rig = Rig::ready(config, 5);
    rig.gui("setoption name USI_Ponder value true");
    rig.gui("position startpos");
    rig.gui("go btime 60000 wtime 60000");
    rig.thinks(0, "cp 30", "7g7f 3c3d");
    rig.thinks(1, "cp 20", "2g2f 8c8d");
    rig.pass(600);
    let (third, fourth) = (rig.told(2), rig.told(3));
    assert_eq!(position_of(&third), Some("7g7f 3c3d"), "{third:?}");
    assert_eq!(position_of(&fourth), Some("2g2f 8c8d"), "{fourth:?}");
    // We play the other move after all: who pondered on a reply to it goes on.
    rig.thinks(0, "cp 10", "2g2f 3c3d");
    rig.says(0, "bestmove 2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    assert!(!rig.told(3).contains(&"stop".to_owned()), "it goes on");
    assert!(rig.told(2).contains(&"stop".to_owned()), "it is of no use any more");
    rig.gui("position startpos moves 2g2f 8c8d");
    rig.gui("go btime 60000 wtime 60000");
    assert!(rig.told(3).iter().any(|line| line.starts_with("ponderhit")));
}
