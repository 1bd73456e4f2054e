//! Numbers of the search: their ranges, and what follows from them.

use super::*;

#[test]
fn a_position_that_gets_worse_must_stand_higher() {
    let mut p = Params::SHOGI;
    let plain = p.rfp(3, false, 500);
    assert_eq!(plain, p.rfp(3, false, 0));
    p.rfp_worsened = 50;
    assert_eq!(p.rfp(3, false, 120), plain + 60);
    assert_eq!(p.rfp(3, false, 5000), plain + 100);
    assert_eq!(p.rfp(3, false, -120), plain);
}

#[test]
fn tried_moves_lose_a_share_or_by_depth() {
    let mut p = Params::SHOGI;
    assert_eq!(p.malus(1000, 3), 10 * p.stat_malus);
    (p.malus_depth, p.malus_max) = (600, 2000);
    assert_eq!([1, 3, 4, 20].map(|depth| p.malus(1000, depth)), [600, 1800, 2000, 2000]);
    assert!(!p.is_hopeless(i32::MAX));
    p.lmr_less_known = 4000;
    assert_eq!([4000, 4001].map(|reduction| p.is_hopeless(reduction)), [false, true]);
}

#[test]
fn windows_widen_with_the_score_and_from_thread_to_thread() {
    let mut p = Params::SHOGI;
    assert_eq!(p.window(0, 3), p.aspiration);
    assert_eq!(p.window(-400, 3), p.aspiration + 10);
    (p.aspiration_squared, p.aspiration_thread) = (8000, 2);
    assert_eq!(p.window(-400, 3), p.aspiration + 20 + 6);
    assert_eq!(p.window(-400, 8), p.aspiration + 20);
    assert_eq!(p.window(i32::from(i16::MAX), 0), p.aspiration + 1000);
}

#[test]
fn a_pass_far_above_beta_is_read_less_deep() {
    let mut p = Params::SHOGI;
    let plain = p.null_reduction(9, 3000);
    assert_eq!(plain, p.null_reduction(9, 0));
    (p.null_surplus, p.null_surplus_most) = (200, 4);
    let more = [-500, 0, 199, 400, 3000].map(|surplus| p.null_reduction(9, surplus) - plain);
    assert_eq!(more, [0, 0, 0, 2, 4]);
}

/// Every change sets numbers that exist to values they may have, each number once.
fn check_changes(lines: &str, usual: &Params) {
    let mut seen = std::collections::BTreeSet::new();
    let played = |line: &&str| !line.is_empty() && !line.starts_with(['#', '-']);
    let lines = lines.lines().filter(played);
    for line in lines.clone() {
        let (_, numbers) = line.split_once(": ").unwrap();
        for (name, values) in numbers.split(' ').map(|number| number.split_once('=').unwrap()) {
            assert!(seen.insert(name), "{line}");
            // One value, or one to each side of the usual one.
            for value in values.split('/').map(|value| value.parse().unwrap()) {
                let mut changed = usual.clone();
                assert!(changed.set(name, value) && changed != *usual, "{line}");
                assert_eq!(changed.get(name), Some(value), "{line}");
            }
        }
    }
    let count = lines.count();
    assert!(count > 0 && count < 64, "{count} changes");
}

#[test]
fn the_next_screenings_can_be_played() {
    check_changes(include_str!("../../../../script/screen.time.changes"), &Params::SHOGI);
    check_changes(include_str!("../../../../script/screen.terms.changes"), &Params::SHOGI);
    let mini = include_str!("../../../../script/screen.minishogi.next.changes");
    check_changes(mini, &Params::MINISHOGI);
}

#[test]
fn the_table_and_the_struct_agree() {
    let mut p = Params::SHOGI;
    for spec in Params::TABLE {
        assert!(spec.min <= spec.default && spec.default <= spec.max, "{}", spec.name);
        assert_eq!(p.get(spec.name), Some(spec.default));
        let mini = Params::MINISHOGI.get(spec.name);
        assert!(mini.is_some_and(|n| (spec.min..=spec.max).contains(&n)), "{}", spec.name);
        assert!(p.set(spec.name, spec.max) && p.get(spec.name) == Some(spec.max));
        assert!(p.set(spec.name, i32::MAX) && p.get(spec.name) == Some(spec.max));
    }
    assert!(!p.set("nothing", 1) && p.get("nothing").is_none());
}
