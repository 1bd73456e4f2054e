//! Children that lie, flood, hang or fail.

use super::*;

#[test]
fn answers_are_counted_not_believed() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    rig.thinks(0, "cp 0", "7g7f");
    rig.says(0, "bestmove 7g7f");
    // The other does not answer: it is stopped, not waited for, and asked nothing new.
    rig.pass(1000);
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
    rig.told(0);
    assert_eq!(rig.told(1).last().map(String::as_str), Some("stop"));
    rig.gui("position startpos moves 7g7f 3c3d");
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    assert!(rig.told(1).is_empty(), "no question before the answer to the last");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer(), None, "the answer was to the earlier question");
    let told = rig.told(1);
    assert_eq!(told.first().map(String::as_str), Some("position startpos moves 7g7f 3c3d"));
    rig.says(0, "bestmove 2g2f");
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.answer().as_deref(), Some("2g2f"));
    // One answer more than questions: it cannot be told any more which belongs to which.
    rig.says(1, "bestmove 2g2f");
    assert_eq!(rig.ended.len(), 1);
    assert!(rig.log.iter().any(|e| matches!(e, Entry::Fault { child, .. } if child == "b")));
}

#[test]
fn who_lies_is_cut_off_started_again_and_readmitted() {
    for lie in [
        "bestmove 5i5a",
        "bestmove nonsense",
        "bestmove win",
        "info score cp 99999999 pv 7g7f",
        "info score cp 10 pv 5i5a",
    ] {
        let mut rig = Rig::ready(TWO, 2);
        rig.gui("go btime 0 wtime 0 byoyomi 2000");
        rig.says(0, lie);
        assert_eq!(rig.ended.len(), 1, "{lie}");
        // What its earlier incarnation says is for nobody.
        rig.give(Event::Line(rig.ended[0], "bestmove 7g7f".to_owned()));
        rig.pass(600);
        rig.told(0);
        rig.start(0);
        assert!(rig.told(0).iter().any(|line| line.starts_with("go ")), "{lie}: it joins again");
        rig.says(0, "bestmove 2g2f");
        rig.says(1, "bestmove 2g2f");
        assert_eq!(rig.answer().as_deref(), Some("2g2f"), "{lie}");
    }
}

#[test]
fn what_is_not_usi_does_no_harm() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go nodes 10");
    for line in [
        "",
        "hello",
        "info",
        "info score",
        "info score cp x",
        "option",
        "bestmove",
        "\u{0}",
        "readyok",
        "usiok",
    ] {
        rig.says(0, line);
        rig.gui(line);
    }
    assert!(rig.ended.is_empty());
    rig.says(0, "bestmove 7g7f");
    rig.says(1, "bestmove 7g7f");
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
}

#[test]
fn who_floods_is_cut_off() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go nodes 10");
    for _ in 0..20_001 {
        if rig.ended.is_empty() {
            rig.says(0, "x");
        }
    }
    assert_eq!(rig.ended.len(), 1);
}

#[test]
fn who_hangs_is_left_behind_and_killed() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go btime 0 wtime 0 byoyomi 1000");
    rig.thinks(0, "cp 30", "7g7f");
    rig.thinks(1, "cp 40", "2g2f");
    rig.pass(1000);
    assert_eq!(rig.answer().as_deref(), Some("2g2f"), "what was last said counts");
    assert!(rig.ended.is_empty());
    rig.pass(6000);
    assert_eq!(rig.ended.len(), 2);
    assert!(rig.log.iter().any(|e| matches!(e, Entry::Fault { fault: "stall", .. })));
}

#[test]
fn who_says_nothing_is_given_up_also_without_a_clock() {
    let mut rig = Rig::ready(TWO, 2);
    rig.gui("go nodes 1000");
    rig.pass(50_000);
    rig.thinks(0, "cp 30", "7g7f");
    rig.pass(50_000);
    assert_eq!(rig.answer(), None, "one of them was heard of");
    rig.pass(20_000);
    assert_eq!(rig.answer().as_deref(), Some("7g7f"));
}

#[test]
fn who_fails_always_stays_out_until_the_next_game() {
    let mut rig = Rig::ready(TWO, 1);
    for _ in 0..9 {
        let incarnation = rig.incarnations[0].unwrap();
        rig.give(Event::Lost(incarnation, "no such file".to_owned()));
        rig.pass(70_000);
    }
    let last = rig.incarnations[0];
    rig.pass(600_000);
    assert_eq!(rig.incarnations[0], last, "not started again");
    rig.gui("usinewgame");
    assert_ne!(rig.incarnations[0], last);
}
